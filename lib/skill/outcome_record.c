/* SPDX-License-Identifier: Apache-2.0 */
/* An outcome on its way: checked and queued, then counted under the lock, so that two at a time both count. */
#include "skill/outcome_int.h"

#include <string.h>

#include "skill/ab.h"
#include "skill/skill_int.h"
#include "skill/version.h"
#include "text/text.h"
#include "write/write.h"

/* In the batch's arena. */
struct use_request {
	struct mem_id skill;
	enum mem_skill_outcome outcome;
	double latency_ms;
	struct mem_str release, session;     /* empty: none */
	bool has_pattern, has_session;
	struct mem_id pattern, session_node; /* nodes of the same batch, or that were there */
};

/* ---- counting: inside the transaction -------------------------------------------- */

/* Whom the outcome is credited to. */
static enum mem_status
find_served(struct mem_skill *out, struct mem_txn *t, const struct mem_skill *skill, const struct use_request *q, struct mem_arena *a,
    struct mem_err *err)
{
	*out = *skill;
	if (q->release.n > 0)
		return mem_str_eq(q->release, skill->release) ? MEM_OK : mem_skill_release_find(out, t, skill, q->release, a, err);
	enum mem_status st = mem_skill_ab_served(out, t, skill, q->session, a, err);
	if (st == MEM_NOTFOUND)
		*out = *skill;
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

static struct mem_str
make_use_members(struct mem_arena *a, const struct mem_skill *served, const struct mem_skill_uses *u, bool known, double effectiveness, int64_t now)
{
	struct mem_buf b = { 0 }, number = { 0 };
	mem_buf_puts(&b, ",\"release\":");
	mem_json_put_string(&b, served->release);
	mem_json_put_int(&b, "uses", mem_skill_uses_sum(u));
	if (known)
		mem_json_put_number(&number, effectiveness);
	mem_json_put_raw(&b, "effectiveness", known ? mem_buf_span(&number) : MEM_STR("null"));
	mem_json_put_field(&b, "trend", mem_str(mem_skill_trend_word(mem_skill_trend(u, now))));
	struct mem_str out = mem_arena_str(a, mem_buf_span(&b));
	mem_buf_release(&b);
	mem_buf_release(&number);
	return out;
}

static enum mem_status
count_use(struct mem_txn *t, struct mem_writer *w, const struct use_request *q, const struct mem_skill *served, struct mem_receipt *r,
    struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(w);
	struct mem_clean_field set[MEM_SKILL_USES_FIELDS + MEM_SKILL_WAKE_FIELDS + 1];
	struct mem_clean_object detail = { 0 };
	struct mem_skill_uses u;
	double confidence = MEM_SKILL_UNKNOWN, learnings, effectiveness;
	size_t n = MEM_SKILL_USES_FIELDS;
	enum mem_status st = outcome_learnings_read(t, served, &learnings, err);
	if (st != MEM_OK)
		return st;
	mem_skill_uses_read(&u, served->node);
	mem_skill_uses_add(&u, q->outcome, mem_txn_now(t), q->latency_ms);
	mem_skill_uses_fields(&u, a, set);
	if (!mem_json_num(mem_json_member(served->node, "confidence"), &confidence))
		confidence = MEM_SKILL_UNKNOWN;
	/* Of fewer outcomes none comes, but a repair may have set one, which stays. */
	bool counted = mem_skill_effectiveness(&u, confidence, learnings, &effectiveness);
	bool known = counted || mem_skill_base_read(served->node, &effectiveness);
	size_t woken = mem_skill_wake_fields(served->node, a, set + n);
	if (counted && woken > 0)
		set[n].value = mem_clean_num(a, effectiveness);
	else if (counted)
		set[n++] = (struct mem_clean_field){ "effectiveness", mem_clean_num(a, effectiveness) };
	n += woken;
	mem_clean_object_put(&detail, "outcome", mem_clean_word(a, mem_str(mem_skill_outcomes[q->outcome])));
	const struct mem_write_edit edit = { .set = set, .n = n, .mark = true, .op = "changed",
		.audit = { "skill_used", NULL, mem_clean_object_end(&detail, a) } };
	r->more = make_use_members(a, served, &u, known, effectiveness, mem_txn_now(t));
	return mem_write_change_at(t, w, served->ord, &edit, NULL, err);
}

/* The skill itself was used too, whichever release was served. */
static enum mem_status
note_last_use(struct mem_txn *t, struct mem_writer *w, uint32_t ord, struct mem_err *err)
{
	struct mem_clean_field set[1 + MEM_SKILL_WAKE_FIELDS] = { { "last_used", mem_clean_time(mem_writer_arena(w), mem_txn_now(t)) } };
	struct mem_write_edit edit = { .set = set, .mark = true, .op = "changed" };
	struct mem_node node;
	enum mem_status st = mem_node_at(t, ord, &node, err);
	if (st != MEM_OK)
		return st;
	edit.n = 1 + mem_skill_wake_fields(mem_json_object(node.json), mem_writer_arena(w), set + 1);
	return mem_write_change_at(t, w, ord, &edit, NULL, err);
}

/* One more failure of this kind. */
static enum mem_status
count_pattern(struct mem_txn *t, struct mem_writer *w, uint32_t skill, const struct mem_id *id, struct mem_err *err)
{
	struct mem_node node;
	enum mem_verdict verdict;
	int64_t times = 0;
	enum mem_status st = mem_node_by_id(t, id, &node, err);
	if (st != MEM_OK)
		return st;
	mem_json_int(mem_json_member(mem_json_object(node.json), "times"), &times);
	uint32_t ord = node.ord;
	struct mem_arena *a = mem_writer_arena(w);
	const struct mem_clean_field set[] = { { "times", mem_clean_int(a, times > 0 ? times + 1 : 1) }, { "observed_at", mem_clean_time(a, mem_txn_now(t)) } };
	const struct mem_write_edit edit = { .set = set, .n = MEM_COUNT(set), .mark = true, .op = "changed" };
	const struct mem_write_edge edge = { .kind = "has_failure" };
	st = mem_write_change_at(t, w, ord, &edit, NULL, err);
	return st == MEM_OK ? mem_write_link_at(t, w, skill, ord, &edge, &verdict, err) : st;
}

static enum mem_status
note_use(struct mem_txn *t, struct mem_writer *w, const struct use_request *q, const struct mem_skill *skill, const struct mem_skill *served,
    struct mem_receipt *r, struct mem_err *err)
{
	struct mem_node session;
	uint32_t ord = skill->ord, served_ord = served->ord;
	enum mem_status st = count_use(t, w, q, served, r, err);
	if (st == MEM_OK && served_ord != ord)
		st = note_last_use(t, w, ord, err);
	if (st == MEM_OK && q->has_pattern)
		st = count_pattern(t, w, ord, &q->pattern, err);
	if (st != MEM_OK || !q->has_session)
		return st;
	st = mem_node_by_id(t, &q->session_node, &session, err);
	const struct outcome_co_use use = { session.ord, ord, q->outcome == MEM_SKILL_FAILURE };
	return st == MEM_OK ? outcome_session_note(t, w, &use, err) : st;
}

/* A mem_write_act_fn. */
static enum mem_status
record_use(struct mem_txn *t, struct mem_writer *w, void *ctx, struct mem_receipt *r, struct mem_err *err)
{
	const struct use_request *q = ctx;
	struct mem_arena a = { 0 };
	struct mem_skill skill, served;
	struct mem_node node;
	bool allowed = false;
	enum mem_status st = mem_write_node_find(t, &q->skill, &node, err);
	if (st == MEM_OK)
		st = mem_skill_read(&skill, t, &node, &a);
	if (st == MEM_OK)
		st = mem_write_allowed_at(t, w, skill.ord, &allowed, err);
	if (st == MEM_OK && allowed)
		st = find_served(&served, t, &skill, q, &a, err);
	if (st == MEM_OK && allowed) {
		r->verdict = MEM_CHANGED, r->id = skill.id, r->has_id = true;
		r->ns = mem_arena_str(mem_writer_arena(w), skill.ns);
		st = note_use(t, w, q, &skill, &served, r, err);
	} else if (st == MEM_OK || st == MEM_NOTFOUND) {
		r->verdict = MEM_REJECTED;
		r->reason = st == MEM_OK ? "namespace_denied" : "not_found";
		st = MEM_OK;
	}
	mem_arena_release(&a);
	return st;
}

/* ---- queueing --------------------------------------------------------------------- */

/* The skill, and the text folded, each run of white space as one blank. */
static struct mem_str
make_pattern_identity(struct mem_arena *a, const struct mem_id *skill, struct mem_str text)
{
	char id[MEM_ID_LEN + 1];
	struct mem_str folded = mem_str_trim(mem_text_folded(a, text));
	struct mem_buf b = { 0 };
	mem_id_format(skill, id);
	mem_buf_printf(&b, "bad_pattern/%s/", id);
	for (size_t i = 0; i < folded.n; i++) {
		bool blank = strchr(" \t\r\n", folded.p[i]) != NULL;
		if (!blank)
			mem_buf_putc(&b, folded.p[i]);
		else if (strchr(" \t\r\n", folded.p[i + 1]) == NULL) /* it is trimmed: something follows */
			mem_buf_putc(&b, ' ');
	}
	struct mem_str out = mem_arena_str(a, mem_buf_span(&b));
	mem_buf_release(&b);
	return out;
}

static void
queue_pattern(struct mem_write_run *r, const struct mem_write_input *in, struct mem_clean_text text, struct use_request *q)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	struct mem_clean_field *fields = mem_arena_alloc(a, 3 * sizeof *fields);
	struct mem_str id_of = make_pattern_identity(a, &q->skill, mem_json_text(a, text.value));
	fields[0] = (struct mem_clean_field){ "description", text };
	fields[1] = (struct mem_clean_field){ "observed_at", mem_clean_null() };
	fields[2] = (struct mem_clean_field){ "times", mem_clean_int(a, 0) };
	const struct mem_write_input quiet = { .line = in->line, .ns = in->ns, .found = in->found, .quiet = true };
	const struct mem_write_node node = { .kind = MEM_KIND_BAD_PATTERN, .id_of = id_of, .fields = fields, .nfields = 3,
		.memory = { .importance = .5, .trust = r->trust }, .audit.word = "node_added" };
	mem_write_add(r->writer, &quiet, &node);
	q->pattern = mem_id_v8(in->ns, node.id_of);
	q->has_pattern = true;
}

/* As kg-node makes a node of a session from its turns. */
static void
queue_session_node(struct mem_write_run *r, const struct mem_write_input *in, struct mem_clean_text name, struct use_request *q)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	struct mem_clean_field *field = mem_arena_alloc(a, sizeof *field);
	struct mem_str own = mem_writer_ns(r->writer);
	*field = (struct mem_clean_field){ "name", name };
	const struct mem_write_input quiet = { .line = in->line, .ns = own, .quiet = true };
	const struct mem_write_node node = { .kind = MEM_KIND_SESSION, .fields = field, .nfields = 1,
		.id_of = mem_write_identity(a, MEM_KIND_SESSION, MEM_STR(""), mem_json_text(a, name.value)) };
	mem_write_add(r->writer, &quiet, &node);
	q->session_node = mem_id_v8(own, node.id_of);
	q->has_session = true;
}

/* The skill as it stands, and whether the caller may write there. */
static enum mem_status
find_used_skill(struct mem_write_run *r, struct mem_str operand, struct mem_write_input *in, struct use_request *q, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	struct mem_txn *t = NULL;
	struct mem_skill skill;
	enum mem_status st = mem_txn_read(&t, mem_writer_store(r->writer), err);
	if (st == MEM_OK)
		st = mem_skill_find(&skill, t, MEM_STR(""), operand, a, err);
	if (st == MEM_OK) {
		in->ns = mem_arena_str(a, skill.ns);
		q->skill = skill.is_release ? skill.release_of : skill.id;
		if (skill.is_release && q->release.n == 0)
			q->release = mem_arena_str(a, skill.release);
	}
	const bool forgotten = st == MEM_OK && skill.forgotten;
	mem_txn_end(t);
	if (forgotten)
		return skill_refuse_forgotten(r, in);
	if (st == MEM_NOTFOUND || st == MEM_REFUSED) {
		mem_write_refuse(r->writer, in, st == MEM_REFUSED ? "ambiguous" : "not_found", 0);
		return MEM_REFUSED;
	}
	const struct mem_access_request to = { .access = MEM_WRITE, .ns = in->ns };
	if (st == MEM_OK && !mem_store_allows(mem_writer_store(r->writer), &to)) {
		mem_write_refuse(r->writer, in, "namespace_denied", 0);
		return MEM_REFUSED;
	}
	return st;
}

/* What was found in one text behind what was found in another. */
static void
join_findings(struct mem_finding_list *to, const struct mem_finding_list *more, struct mem_arena *a)
{
	struct mem_redaction *redactions = mem_arena_alloc(a, (to->nredactions + more->nredactions + 1) * sizeof *redactions);
	struct mem_flag *flags = mem_arena_alloc(a, (to->nflags + more->nflags + 1) * sizeof *flags);
	for (size_t i = 0; i < to->nredactions; i++)
		redactions[i] = to->redactions[i];
	for (size_t i = 0; i < more->nredactions; i++)
		redactions[to->nredactions + i] = more->redactions[i];
	for (size_t i = 0; i < to->nflags; i++)
		flags[i] = to->flags[i];
	for (size_t i = 0; i < more->nflags; i++)
		flags[to->nflags + i] = more->flags[i];
	*to = (struct mem_finding_list){ redactions, to->nredactions + more->nredactions, flags, to->nflags + more->nflags };
}

/* Cleaned; absent where the sanitiser leaves nothing of it: the outcome counts without it, and the receipt has what was cut. */
static enum mem_status
clean_use_text(struct mem_write_run *r, struct mem_write_input *in, const char *name, struct mem_str text, size_t max, struct mem_clean_text *out,
    struct mem_err *err)
{
	if (text.n == 0)
		return MEM_OK;
	if (text.n > max) {
		mem_write_refuse(r->writer, in, "too_long", max);
		return MEM_REFUSED;
	}
	struct mem_finding_list found = { 0 };
	enum mem_status st = mem_write_clean_text(r->writer, out, name, text, &found, err);
	join_findings(&in->found, &found, mem_writer_arena(r->writer));
	if (st != MEM_REFUSED)
		return st;
	if (err->reason != NULL && strcmp(err->reason, "residue") == 0) {
		*out = mem_clean_absent();
		return MEM_OK;
	}
	mem_write_refuse(r->writer, in, err->reason != NULL ? err->reason : "bad_value", err->offset);
	return st;
}

/* MEM_REFUSED: the input is refused. */
static enum mem_status
queue_use(struct mem_write_run *r, struct mem_write_input *in, const struct mem_skill_use *use, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	struct use_request *q = mem_arena_alloc(a, sizeof *q);
	struct mem_clean_text text = mem_clean_absent(), session = mem_clean_absent();
	*q = (struct use_request){ .outcome = use->outcome, .latency_ms = use->latency_ms, .release = mem_arena_str(a, use->release),
		.session = mem_arena_str(a, use->session) };
	enum mem_status st = find_used_skill(r, use->skill, in, q, err);
	if (st == MEM_OK)
		st = clean_use_text(r, in, "description", use->text, MEM_SKILL_PATTERN_MAX, &text, err);
	if (st == MEM_OK)
		st = clean_use_text(r, in, "name", use->session, MEM_SKILL_SESSION_MAX, &session, err);
	if (st != MEM_OK)
		return st;
	if (mem_clean_there(text))
		queue_pattern(r, in, text, q);
	if (mem_clean_there(session))
		queue_session_node(r, in, session, q);
	mem_write_act(r->writer, in, record_use, q);
	return MEM_OK;
}

enum mem_status
mem_skill_use_record(struct mem_write_run *r, const struct mem_skill_use *use, struct mem_err *err)
{
	struct mem_write_input in = mem_write_run_next(r, use->text.n + use->session.n);
	enum mem_status st = queue_use(r, &in, use, err);
	return st == MEM_OK || st == MEM_REFUSED ? mem_write_run_end(r, err) : st;
}

/* ---- lines ------------------------------------------------------------------------- */

/* A member that is text; `wanted`: it must be there.  Else the record is refused at the member. */
static bool
take_use_text(const struct mem_rec *rec, const char *name, bool wanted, struct mem_arena *a, struct mem_str *out)
{
	struct mem_json v = mem_rec_value(rec, name);
	*out = v.type == MEM_JSON_STRING ? mem_json_text(a, v) : MEM_STR("");
	return mem_json_there(v) && v.type != MEM_JSON_NULL ? v.type == MEM_JSON_STRING && out->p != NULL && (!wanted || out->n > 0) : !wanted;
}

static bool
take_use_outcome(struct mem_str word, enum mem_skill_outcome *out)
{
	for (int i = 0; mem_skill_outcomes[i] != NULL; i++)
		if (mem_str_is(word, mem_skill_outcomes[i])) {
			*out = (enum mem_skill_outcome)i;
			return true;
		}
	return false;
}

static bool
take_use_latency(const struct mem_rec *rec, double *out)
{
	struct mem_json v = mem_rec_value(rec, "latency_ms");
	*out = -1;
	return !mem_json_there(v) || v.type == MEM_JSON_NULL || (mem_json_num(v, out) && *out >= 0 && *out <= 1e12);
}

/* The member that is wrong; NULL: none. */
static const char *
read_use(struct mem_skill_use *out, const struct mem_rec *rec, struct mem_arena *a)
{
	struct mem_str word;
	if (!take_use_text(rec, "skill", true, a, &out->skill))
		return "skill";
	if (!take_use_text(rec, "outcome", true, a, &word) || !take_use_outcome(word, &out->outcome))
		return "outcome";
	if (!take_use_latency(rec, &out->latency_ms))
		return "latency_ms";
	if (!take_use_text(rec, "text", false, a, &out->text) || (out->text.n > 0 && out->outcome != MEM_SKILL_FAILURE))
		return "text";
	if (!take_use_text(rec, "session_id", false, a, &out->session))
		return "session_id";
	return take_use_text(rec, "release", false, a, &out->release) ? NULL : "release";
}

enum mem_status
mem_skill_use_line(struct mem_write_run *r, struct mem_str line, struct mem_err *err)
{
	struct mem_write_input in = mem_write_run_next(r, line.n);
	struct mem_arena *a = mem_writer_arena(r->writer);
	struct mem_skill_use use;
	struct mem_rec rec = { 0 };
	struct mem_err why = { 0 };
	enum mem_status st = mem_rec_scan(&rec, line, &why);
	if (st == MEM_OK)
		st = mem_rec_refuse_nul(&rec, &why);
	const char *wrong = st == MEM_OK ? read_use(&use, &rec, a) : NULL;
	if (st == MEM_REFUSED)
		mem_write_refuse(r->writer, &in, why.reason != NULL ? why.reason : "bad_json", why.offset);
	else if (st != MEM_OK)
		*err = why;
	else if (wrong != NULL)
		mem_write_refuse(r->writer, &in, "bad_value", mem_rec_find(&rec, wrong) != NULL ? (size_t)(mem_rec_value(&rec, wrong).raw.p - line.p) : 0);
	else
		st = queue_use(r, &in, &use, err);
	mem_rec_release(&rec);
	return st == MEM_OK || st == MEM_REFUSED ? mem_write_run_end(r, err) : st;
}
