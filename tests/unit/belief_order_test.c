/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order in which assertions come makes no difference: random streams of few values, with equal times and late arrivals, each
 * shuffled and cut into batches in several ways, end in one timeline, and a second run writes nothing.
 */
#include "belief_world.h"

enum { STREAMS = 200, LENGTH = 12, VARIANTS = 6 };

static struct episode episodes[LENGTH];
static uint64_t seed;

static unsigned
draw(unsigned below)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)(seed >> 33) % below;
}

enum { RUNS = 5 };
static const char *const predicates[] = { "works_at", "uses", "likes", "dislikes", "marked", "runs" };
static const char *const objects[][3] = {
	{ "acme", "globex", "initech" }, { "vim", "emacs", "ed" }, { "tea", "rain", "jazz" }, { "tea", "rain", "jazz" }, { "blocked", "done", "late" },
	{ "mysql", "mysql", "redis" },
};

/* What a stream says, but for whom it says it of. */
struct drawn {
	unsigned predicate, object, when, captured, trust, confidence, negated, veracity, end, version;
	bool weak;           /* of a user's own extractor */
};

static void
draw_stream(struct drawn *v)
{
	unsigned which = draw(4); /* mostly of one predicate, so that there is something to decide */
	for (size_t i = 0; i < LENGTH; i++) {
		v[i] = (struct drawn){ .predicate = draw(4) == 0 ? draw(5) : which, .object = draw(3), .when = draw(6), .captured = draw(20),
			.trust = draw(3), .confidence = draw(2), .negated = draw(5) == 0, .veracity = draw(5), .end = draw(8) == 0 ? draw(4) + 1 : 0 };
	}
}

static struct said
make_said(const struct drawn *d, size_t i, const char *subject)
{
	struct said s = say(subject, predicates[d->predicate], objects[d->predicate][d->object], (int)d->when);
	static const char *const versions[] = { "", "14", "15", "16" };
	static const double trusts[] = { .3, .5, .9 };
	if (d->predicate == RUNS)
		s.c.detail = mem_str(versions[d->version]);
	s.c.negated = d->negated != 0;
	s.c.confidence = d->confidence != 0 ? .8 : .6;
	s.c.veracity = (enum mem_veracity)d->veracity;
	if (d->end != 0)
		s.c.valid_to = day((int)(d->when + d->end));
	s.s.trust = trusts[d->trust];
	s.s.captured_at = day((int)d->captured);
	s.s.created_at = day((int)d->captured);
	s.s.episode = episodes[i].id;
	s.s.ord = episodes[i].ord;
	s.s.has_episode = true;
	if (d->weak)
		s.s.via = MEM_STR("with:own");
	return s;
}

static void
shuffle(size_t *order)
{
	for (size_t i = LENGTH - 1; i > 0; i--) {
		size_t k = draw((unsigned)i + 1), x = order[i];
		order[i] = order[k];
		order[k] = x;
	}
}

/* One stream in one order and one way of cutting it. */
static void
run_variant(const struct drawn *v, const size_t *order, int variant, const char *subject)
{
	struct said said[LENGTH];
	for (size_t i = 0; i < LENGTH; i++)
		said[i] = make_said(&v[order[i]], order[i], subject);
	size_t done = 0;
	while (done < LENGTH) {
		size_t n = variant < 3 ? LENGTH : variant == 3 ? 1 : draw(5) + 1;
		n = n < LENGTH - done ? n : LENGTH - done;
		write_claims(said + done, n);
		done += n;
	}
	assert_int_equal(write_claims(said, LENGTH), 0);
}

static void
put_episodes(size_t *order)
{
	char name[40];
	for (size_t i = 0; i < LENGTH; i++) {
		snprintf(name, sizeof name, "episode number %zu", i);
		episodes[i] = put_episode(name);
		order[i] = i;
	}
}

/* The same of versions of things alone. */
static void
draw_versions(struct drawn *v)
{
	for (size_t i = 0; i < LENGTH; i++) {
		v[i].predicate = RUNS;
		v[i].version = draw(4);
	}
}

/* `weak`: of how many claims in ten a user's own extractor is the source. */
static void
check_streams(unsigned weak, bool versions)
{
	struct drawn v[LENGTH];
	size_t order[LENGTH];
	char name[40];
	put_episodes(order);
	for (int stream = 0; stream < STREAMS; stream++) {
		struct mem_buf first = { 0 }, now = { 0 };
		seed = (uint64_t)stream * 77 + 5 + weak;
		draw_stream(v);
		if (versions)
			draw_versions(v);
		for (size_t i = 0; i < LENGTH && weak > 0; i++)
			v[i].weak = draw(10) < weak;
		for (size_t i = 0; i < LENGTH; i++)
			order[i] = i;
		for (int variant = 0; variant < VARIANTS; variant++) {
			mem_buf_reset(&now);
			snprintf(name, sizeof name, "s%d v%d", stream, variant);
			run_variant(v, order, variant, name);
			for (size_t p = 0; p < MEM_COUNT(predicates); p++) {
				put_timeline(&now, name, predicates[p]);
				mem_buf_puts(&now, "\n");
			}
			if (variant == 0)
				mem_buf_str(&first, mem_buf_span(&now));
			else if (!mem_str_eq(mem_buf_span(&first), mem_buf_span(&now)))
				fail_msg("stream %d, variant %d:\n%s\nis not\n%s", stream, variant, now.data, first.data);
			shuffle(order);
		}
		mem_buf_release(&first);
		mem_buf_release(&now);
	}
}

static void
test_order_makes_no_difference(void **state)
{
	(void)state;
	check_streams(0, false);
}

/* What such an extractor finds does not override what is trusted more, whichever came first. */
static void
test_order_of_own_extractors_makes_no_difference(void **state)
{
	(void)state;
	check_streams(4, false);
}

static void
test_order_of_versions_makes_no_difference(void **state)
{
	(void)state;
	check_streams(0, true);
	check_streams(4, true);
}

/* ---- statements -------------------------------------------------------------- */

enum { TOPICS = 60, SAID = 8 };

/* Of these many have half of their words in common, and none has all of those of another. */
static const char *const statements[] = {
	"we deploy on friday", "we deploy on monday", "they deploy on friday evening", "we rest on sunday", "rollbacks need two people",
	"rollbacks need three people", "two people deploy",
};

/* "statement status confidence;" of all of a topic, each once. */
static void
put_topic(struct mem_buf *out, size_t n)
{
	char *lines[SAID];
	struct mem_id ids[SAID];
	for (size_t i = 0; i < n; i++)
		ids[i] = mem_ledger_outcome(ledger, i)->id;
	for (size_t i = 0; i < n; i++) {
		struct mem_buf line = { 0 };
		mem_buf_puts(&line, field_of(&ids[i], "statement"));
		mem_buf_printf(&line, " %s", field_of(&ids[i], "status"));
		mem_buf_printf(&line, " %s;", field_of(&ids[i], "confidence"));
		lines[i] = line.data;
	}
	qsort(lines, n, sizeof *lines, compare_lines);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || strcmp(lines[i], lines[i - 1]) != 0)
			mem_buf_puts(out, lines[i]);
	for (size_t i = 0; i < n; i++)
		free(lines[i]);
}

static void
draw_statements(struct drawn *v)
{
	for (size_t i = 0; i < SAID; i++)
		v[i] = (struct drawn){ .object = draw(MEM_COUNT(statements)), .when = draw(4), .captured = draw(20), .trust = 1,
			.confidence = draw(2), .veracity = draw(5) };
}

/* Those of the stream in this order, all at once or one after the other, and then all once more. */
static void
run_topic(const struct drawn *v, const size_t *order, bool at_once, const char *topic, struct mem_buf *out)
{
	struct said said[SAID];
	size_t n = 0;
	for (size_t i = 0; i < LENGTH; i++) {
		if (order[i] >= SAID)
			continue;
		struct drawn d = v[order[i]];
		const char *text = statements[d.object];
		d.object = d.predicate = 0;
		said[n] = make_said(&d, order[i], "x");
		said[n].c.subject = said[n].c.object = (struct mem_claim_term){ .kind = MEM_TERM_NONE };
		said[n].c.predicate = MEM_STR("");
		said[n].c.statement = mem_str(text);
		said[n++].c.topic = mem_str(topic);
	}
	for (size_t i = 0; i < n; i += at_once ? n : 1)
		write_claims(said + i, at_once ? n : 1);
	assert_int_equal(write_claims(said, n), 0);
	put_topic(out, n);
}

static void
test_order_of_statements_makes_no_difference(void **state)
{
	struct drawn v[SAID];
	size_t order[LENGTH];
	char topic[40];
	(void)state;
	put_episodes(order);
	for (int stream = 0; stream < TOPICS; stream++) {
		struct mem_buf first = { 0 }, now = { 0 };
		seed = (uint64_t)stream * 91 + 3;
		draw_statements(v);
		for (int variant = 0; variant < 4; variant++) {
			snprintf(topic, sizeof topic, "t%d v%d", stream, variant);
			mem_buf_reset(&now);
			run_topic(v, order, variant == 0, topic, variant == 0 ? &first : &now);
			if (variant > 0 && !mem_str_eq(mem_buf_span(&first), mem_buf_span(&now)))
				fail_msg("topic %s:\n%s\nis not\n%s", topic, now.data, first.data);
			shuffle(order);
		}
		mem_buf_release(&first);
		mem_buf_release(&now);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_order_makes_no_difference, world_setup, world_teardown),
		cmocka_unit_test_setup_teardown(test_order_of_own_extractors_makes_no_difference, world_setup, world_teardown),
		cmocka_unit_test_setup_teardown(test_order_of_versions_makes_no_difference, world_setup, world_teardown),
		cmocka_unit_test_setup_teardown(test_order_of_statements_makes_no_difference, world_setup, world_teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
