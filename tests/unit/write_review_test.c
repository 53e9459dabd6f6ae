/* SPDX-License-Identifier: Apache-2.0 */
/* Reviews: what a decision does besides, in the same transaction, and when nothing of it is done. */
#include "own_check.h"
#include "own_values.h"

#include "store/log.h"
#include "store/node.h"
#include "upkeep/upkeep.h"
#include "words/words.h"
#include "write/review.h"
#include "write/write.h"

#define NOW INT64_C(1790000000000)

static struct mem_index open_index;
static struct mem_writer *w;
static struct mem_buf receipts;
static struct mem_write_total total;
static const struct mem_write_input in = { .line = 1, .ns = MEM_STR_INIT("global") };

static void
open_as(const char *agent)
{
	static const struct mem_write_options plain = { .via = "test" };
	struct mem_store_options ask = { .dir = at, .agent = agent, .write = true, .wait_ms = -1, .now = NOW };
	mem_writer_free(w);
	mem_index_close(&open_index);
	if (mem_index_open(&open_index, &ask, &err) != MEM_OK)
		fail_msg("open: %s", err.msg);
	w = mem_writer_new(&open_index, &plain);
}

/* ada is the operator; rev and other are reviewers. */
static int
setup(void **state)
{
	char cmd[200];
	(void)state;
	if (own_store_make("/tmp", "ada") != 0)
		return -1;
	snprintf(cmd, sizeof cmd, "echo 'reviewers: [rev, other]' >> '%s/config.yaml'", at);
	if (system(cmd) != 0)
		return -1;
	open_as("ada");
	total = (struct mem_write_total){ 0 };
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	if (own_store_check(&open_index) != MEM_OK)
		return -1;
	mem_writer_free(w);
	w = NULL;
	mem_index_close(&open_index);
	mem_buf_release(&receipts);
	return own_store_remove();
}

static bool
keep_lines(void *ctx, struct mem_str lines)
{
	(void)ctx;
	mem_buf_reset(&receipts);
	mem_buf_str(&receipts, lines);
	return true;
}

static void
commit_batch(void)
{
	if (mem_write_commit(w, keep_lines, NULL, &total, &err) != MEM_OK)
		fail_msg("commit: %s", err.msg);
}

/* Is the first receipt one of this verdict and, of a refusal, reason?  `id` gets its node (NULL: not wanted). */
static void
assert_receipt(const char *verdict, const char *reason, struct mem_id *id)
{
	struct mem_rec r = { 0 };
	struct mem_str line = { receipts.data, strcspn(receipts.data, "\n") };
	assert_int_equal(mem_rec_scan(&r, line, &err), MEM_OK);
	if (!mem_json_is(mem_rec_value(&r, "verdict"), verdict) || (reason != NULL && !mem_json_is(mem_rec_value(&r, "reason"), reason)))
		fail_msg("%s %s, not %s", verdict, reason != NULL ? reason : "", receipts.data);
	struct mem_str text = mem_rec_value(&r, "id").raw;
	if (id != NULL)
		assert_true(mem_id_parse((struct mem_str){ text.p + 1, text.n - 2 }, id));
	mem_rec_release(&r);
}

/* The fields of a node that are wanted, as JSON, each followed by a space. */
static const char *
fields_of(const struct mem_id *id, const char *const *names)
{
	static char text[500];
	struct mem_txn *t = NULL;
	struct mem_node node;
	struct mem_rec r = { 0 };
	size_t n = 0;
	assert_int_equal(mem_txn_read(&t, open_index.store, &err), MEM_OK);
	assert_int_equal(mem_node_by_id(t, id, &node, &err), MEM_OK);
	assert_int_equal(mem_rec_scan(&r, node.json, &err), MEM_OK);
	for (text[0] = '\0'; *names != NULL; names++) {
		struct mem_str v = mem_rec_value(&r, *names).raw;
		n += (size_t)snprintf(text + n, sizeof text - n, "%.*s ", (int)v.n, v.n > 0 ? v.p : "");
	}
	mem_rec_release(&r);
	mem_txn_end(t);
	return text;
}

static const char *
state_of(const struct mem_id *id)
{
	return fields_of(id, (const char *const[]){ "state", "decided_by", NULL });
}

/* The words of the log behind row `after`. */
static const char *
log_since(uint64_t after)
{
	static char text[200];
	struct mem_txn *t = NULL;
	struct mem_log_row rows[16];
	size_t n = 0, at_end = 0;
	assert_int_equal(mem_txn_read(&t, open_index.store, &err), MEM_OK);
	assert_int_equal(mem_log_read(t, &after, rows, MEM_COUNT(rows), &n, &err), MEM_OK);
	mem_txn_end(t);
	text[0] = '\0';
	for (size_t i = 0; i < n; i++)
		at_end += (size_t)snprintf(text + at_end, sizeof text - at_end, "%s ", rows[i].op);
	return text;
}

/* ---- an effect of the test's own ---------------------------------------- */

static int ran;
static const char *refusal;             /* what the effect refuses; NULL: nothing */

/* A tag, whose name is the payload's, becomes a field of the subject. */
static enum mem_status
set_subject_tag(struct mem_txn *t, struct mem_writer *writer, const struct mem_review *review, enum mem_review_state decision,
    const char **refused, struct mem_err *e)
{
	struct mem_node node;
	struct mem_clean_rec clean = { 0 };
	struct mem_rec payload = { 0 };
	bool changed;
	ran++;
	*refused = refusal;
	if (refusal != NULL || decision != MEM_REVIEW_APPROVED)
		return MEM_OK;
	assert_int_equal(mem_rec_scan(&payload, review->payload.raw, e), MEM_OK);
	mem_clean_restored(&clean, &payload);
	const struct mem_clean_field set = { "tagged", mem_clean_value(&clean, "tag") };
	const struct mem_write_edit edit = { .set = &set, .n = 1, .op = "tagged" };
	assert_int_equal(mem_node_by_id(t, &review->subject, &node, e), MEM_OK);
	enum mem_status st = mem_write_change_at(t, writer, node.ord, &edit, &changed, e);
	mem_rec_release(&payload);
	return st;
}

static const struct mem_review_effect tag_effect = { .asks = MEM_ASKS_TAG, .run = set_subject_tag };

/* A page comes with it. */
static enum mem_status
bring_page(struct mem_writer *writer, const struct mem_review *review, const char **refused, struct mem_err *e)
{
	const struct mem_write_input quiet = { .ns = MEM_STR("global"), .quiet = true, .granted = true };
	const struct mem_clean_field slug = { "slug", clean_value(mem_writer_arena(writer), "\"brought\"") };
	const struct mem_write_node page = { .kind = MEM_KIND_PAGE, .id_of = MEM_STR("brought"), .fields = &slug, .nfields = 1 };
	(void)review, (void)e;
	*refused = refusal;
	if (refusal == NULL)
		mem_write_add(writer, &quiet, &page);
	return MEM_OK;
}

static const struct mem_review_effect bring_effect = { .asks = MEM_ASKS_POLICY, .bring = bring_page };
static const struct mem_review_effect *const effects[] = { &tag_effect, &bring_effect, NULL };

static struct mem_id
add_page(void)
{
	struct mem_id id;
	const struct mem_clean_field slug = { "slug", clean_value(mem_writer_arena(w), "\"tea\"") };
	const struct mem_write_node page = { .kind = MEM_KIND_PAGE, .id_of = MEM_STR("tea"), .fields = &slug, .nfields = 1 };
	mem_write_add(w, &in, &page);
	commit_batch();
	assert_receipt("new", NULL, &id);
	return id;
}

static struct mem_id
ask_for(enum mem_review_asks asks, const struct mem_id *subject, const char *id_of, const char *verdict)
{
	struct mem_id id;
	const struct mem_review_question q = { .subject = subject, .asks = asks, .reason = clean_value(mem_writer_arena(w), "\"it is about tea\""),
		.expires_at = MEM_TIME_NONE, .payload = clean_value(mem_writer_arena(w), "{\"tag\":\"drinks\"}"), .id_of = mem_str(id_of) };
	assert_int_equal(mem_review_put(w, &in, &q, &err), MEM_OK);
	commit_batch();
	assert_receipt(verdict, NULL, &id);
	return id;
}

static void
queue_decision(const struct mem_id *id, enum mem_review_state state)
{
	const struct mem_review_decision d = { .state = state, .effects = effects };
	assert_int_equal(mem_review_decide(w, &in, id, &d, &err), MEM_OK);
}

/* ---- tests -------------------------------------------------------------- */

static void
what_is_approved_is_done(void **state)
{
	const struct mem_id page = add_page(), review = ask_for(MEM_ASKS_TAG, &page, NULL, "new");
	static const char *const names[] = { "tagged", "version", NULL };
	(void)state;
	/* By the reviewer's right: rev may not write to global by itself. */
	open_as("rev");
	queue_decision(&review, MEM_REVIEW_APPROVED);
	ran = 0;
	commit_batch();
	assert_receipt("changed", NULL, NULL);
	assert_int_equal(ran, 1);
	assert_string_equal(fields_of(&page, names), "\"drinks\" 2 ");
	assert_string_equal(state_of(&review), "\"approved\" \"rev\" ");
	assert_string_equal(log_since(2), "tagged approved ");
	/* Not again. */
	queue_decision(&review, MEM_REVIEW_APPROVED);
	commit_batch();
	assert_receipt("unchanged", NULL, NULL);
	queue_decision(&review, MEM_REVIEW_REJECTED);
	commit_batch();
	assert_receipt("rejected", "state_conflict", NULL);
	assert_int_equal(ran, 1);
	assert_string_equal(log_since(4), "");
}

static void
what_is_rejected_is_not(void **state)
{
	const struct mem_id page = add_page(), review = ask_for(MEM_ASKS_TAG, &page, NULL, "new");
	static const char *const names[] = { "tagged", NULL };
	(void)state;
	open_as("rev");
	queue_decision(&review, MEM_REVIEW_REJECTED);
	ran = 0;
	commit_batch();
	assert_receipt("changed", NULL, NULL);
	assert_int_equal(ran, 1);
	assert_string_equal(fields_of(&page, names), " ");
	assert_string_equal(state_of(&review), "\"rejected\" \"rev\" ");
}

/* What cannot be carried out is not decided. */
static void
an_effect_refuses(void **state)
{
	const struct mem_id page = add_page(), review = ask_for(MEM_ASKS_TAG, &page, NULL, "new");
	(void)state;
	open_as("rev");
	refusal = "cycle";
	queue_decision(&review, MEM_REVIEW_APPROVED);
	commit_batch();
	refusal = NULL;
	assert_receipt("rejected", "cycle", NULL);
	assert_string_equal(state_of(&review), "\"open\"  ");
	assert_string_equal(log_since(2), "");
}

static bool
is_page_there(void)
{
	const struct mem_id id = mem_id_v8(MEM_STR("global"), MEM_STR("brought"));
	struct mem_txn *t = NULL;
	struct mem_node node;
	assert_int_equal(mem_txn_read(&t, open_index.store, &err), MEM_OK);
	enum mem_status st = mem_node_by_id(t, &id, &node, &err);
	mem_txn_end(t);
	return st == MEM_OK;
}

/* With the decision, where the reviewer has no right to write; not without it. */
static void
an_approval_brings_nodes(void **state)
{
	const struct mem_id page = add_page(), review = ask_for(MEM_ASKS_POLICY, &page, NULL, "new");
	(void)state;
	open_as("rev");
	refusal = "state_conflict";
	queue_decision(&review, MEM_REVIEW_APPROVED);
	commit_batch();
	assert_receipt("rejected", "state_conflict", NULL);
	refusal = NULL;
	open_as("stranger");
	queue_decision(&review, MEM_REVIEW_APPROVED);
	commit_batch();
	assert_receipt("rejected", "rights_denied", NULL);
	open_as("rev");
	assert_false(is_page_there());
	queue_decision(&review, MEM_REVIEW_APPROVED);
	commit_batch();
	assert_receipt("changed", NULL, NULL);
	assert_true(is_page_there());
	assert_string_equal(state_of(&review), "\"approved\" \"rev\" ");
	queue_decision(&review, MEM_REVIEW_APPROVED);
	commit_batch();
	assert_receipt("unchanged", NULL, NULL);
}

/* What was queued for a review that is decided before the commit is not kept. */
static void
nothing_comes_too_late(void **state)
{
	const struct mem_id page = add_page(), review = ask_for(MEM_ASKS_POLICY, &page, NULL, "new");
	(void)state;
	open_as("rev");
	queue_decision(&review, MEM_REVIEW_REJECTED);
	queue_decision(&review, MEM_REVIEW_APPROVED);
	assert_int_equal(mem_write_commit(w, keep_lines, NULL, &total, &err), MEM_STALE);
	assert_string_equal(state_of(&review), "\"open\"  ");
	assert_false(is_page_there());
}

/* An effect is not even looked at by who may not decide; nor is there one for other words. */
static void
no_right_no_effect(void **state)
{
	const struct mem_id page = add_page(), review = ask_for(MEM_ASKS_TAG, &page, NULL, "new"),
	    other = ask_for(MEM_ASKS_TIER, &page, NULL, "new");
	(void)state;
	ran = 0;
	queue_decision(&review, MEM_REVIEW_APPROVED); /* ada asked */
	commit_batch();
	assert_receipt("rejected", "rights_denied", NULL);
	open_as("bob");
	queue_decision(&review, MEM_REVIEW_APPROVED); /* no reviewer */
	commit_batch();
	assert_receipt("rejected", "rights_denied", NULL);
	assert_int_equal(total.denied, 2);
	open_as("rev");
	queue_decision(&other, MEM_REVIEW_APPROVED);
	commit_batch();
	assert_receipt("rejected", "bad_value", NULL);
	assert_int_equal(ran, 0);
	assert_int_equal(total.denied, 2);
}

static enum mem_status
drop_all(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	(void)t, (void)ctx;
	return mem_err_set(e, MEM_FAIL, "dropped");
}

/* Decision and effect are one transaction: what fails behind them leaves neither. */
static void
all_or_nothing(void **state)
{
	static const struct mem_write_options failing = { .via = "test", .then = drop_all };
	static const char *const names[] = { "tagged", NULL };
	const struct mem_id page = add_page(), review = ask_for(MEM_ASKS_TAG, &page, NULL, "new");
	(void)state;
	open_as("rev");
	mem_writer_free(w);
	w = mem_writer_new(&open_index, &failing);
	queue_decision(&review, MEM_REVIEW_APPROVED);
	assert_int_equal(mem_write_commit(w, keep_lines, NULL, &total, &err), MEM_FAIL);
	assert_string_equal(fields_of(&page, names), " ");
	assert_string_equal(state_of(&review), "\"open\"  ");
	/* Run again from the start, it comes to the same. */
	open_as("rev");
	queue_decision(&review, MEM_REVIEW_APPROVED);
	queue_decision(&review, MEM_REVIEW_REJECTED);
	commit_batch();
	assert_receipt("changed", NULL, NULL);
	assert_non_null(strstr(receipts.data, "state_conflict"));
	assert_string_equal(fields_of(&page, names), "\"drinks\" ");
}

/* A part that derives its questions anew asks none twice, whatever became of the first. */
static void
a_derived_question_is_asked_once(void **state)
{
	const struct mem_id page = add_page(), review = ask_for(MEM_ASKS_TAG, &page, "tag tea drinks", "new");
	(void)state;
	ask_for(MEM_ASKS_TAG, &page, "tag tea drinks", "duplicate");
	open_as("rev");
	queue_decision(&review, MEM_REVIEW_REJECTED);
	commit_batch();
	open_as("ada");
	ask_for(MEM_ASKS_TAG, &page, "tag tea drinks", "duplicate");
	assert_string_equal(state_of(&review), "\"rejected\" \"rev\" ");
}

static void
check_reading(const char *fields, int64_t now, int state)
{
	char line[400];
	struct mem_rec r = { 0 };
	struct mem_review review;
	struct mem_buf out = { 0 };
	snprintf(line, sizeof line, "{\"id\":\"0198f3c2-7d4e-7b1a-9c3d-000000000001\",\"kind\":\"review\",%s}", fields);
	assert_int_equal(mem_rec_scan(&r, mem_str(line), &err), MEM_OK);
	enum mem_status st = mem_review_read(&review, &r, now, &err);
	if ((st == MEM_OK) != (state >= 0) || (state >= 0 && (int)review.state != state))
		fail_msg("%s: %d, state %d", fields, st, review.state);
	if (st == MEM_OK) {
		mem_review_put_record(&out, &r, &review);
		if ((strstr(out.data, "\"expired\"") != NULL) != (state == MEM_REVIEW_EXPIRED))
			fail_msg("%s", out.data);
	}
	mem_buf_release(&out);
	mem_rec_release(&r);
}

#define WHO "\"asks\":\"tag\",\"asked_by\":\"ada\","
#define UNTIL "\"expires_at\":\"1970-01-01T00:00:01.000Z\""

static void
a_review_is_read_at_a_time(void **state)
{
	(void)state;
	check_reading(WHO "\"state\":\"open\"," UNTIL, 999, MEM_REVIEW_OPEN);
	check_reading(WHO "\"state\":\"open\"," UNTIL, 1000, MEM_REVIEW_EXPIRED);
	check_reading(WHO "\"state\":\"changes_asked\"," UNTIL, 1000, MEM_REVIEW_EXPIRED);
	check_reading(WHO "\"state\":\"approved\"," UNTIL, 1000, MEM_REVIEW_APPROVED);
	check_reading(WHO "\"state\":\"rejected\"," UNTIL, 1000, MEM_REVIEW_REJECTED);
	check_reading(WHO "\"state\":\"expired\"", 0, MEM_REVIEW_EXPIRED);
	check_reading(WHO "\"state\":\"open\",\"expires_at\":null,\"subject\":null", MEM_TIME_MAX, MEM_REVIEW_OPEN);
	check_reading(WHO "\"state\":\"open\",\"expires_at\":\"soon\"", 0, -1);
	check_reading(WHO "\"state\":\"Open\"", 0, -1);
	check_reading(WHO "\"state\":null", 0, -1);
	check_reading(WHO "\"state\":\"open\",\"subject\":\"tea\"", 0, -1);
	check_reading(WHO "\"state\":\"open\",\"payload\":[]", 0, -1);
	check_reading("\"asks\":\"tea\",\"asked_by\":\"ada\",\"state\":\"open\"", 0, -1);
	check_reading("\"asks\":\"tag\",\"asked_by\":\"\",\"state\":\"open\"", 0, -1);
	check_reading("\"asks\":\"tag\",\"asked_by\":\"\\u0061da\",\"state\":\"open\"", 0, -1);
	check_reading("\"asks\":\"tag\",\"state\":\"open\"", 0, -1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_approved_is_done),
		TEST(what_is_rejected_is_not),
		TEST(an_effect_refuses),
		TEST(an_approval_brings_nodes),
		TEST(nothing_comes_too_late),
		TEST(no_right_no_effect),
		TEST(all_or_nothing),
		TEST(a_derived_question_is_asked_once),
		cmocka_unit_test(a_review_is_read_at_a_time),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
