/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order in which assertions come makes no difference: random streams of few values, with equal times and late arrivals, each
 * shuffled and cut into batches in several ways, end in one timeline, and a second run writes nothing.
 *
 * Many streams are written together, each of a subject of its own, so that a batch is one of all of them.
 */
#include "belief_streams.h"

enum { LENGTH = 12, VARIANTS = 6, TOGETHER = 25 };

/* What streams are like. */
struct shape {
	unsigned streams;
	unsigned weak;       /* of how many claims in ten a user's own extractor is the source */
	unsigned told;       /* of how many it is somebody else */
	unsigned corrects;   /* how many correct others */
	bool only;           /* all of a stream has one predicate, */
	bool versions;       /* that of versions of things */
	char name;           /* of its subjects, where several share a store */
};
static void
draw_stream(const struct shape *shape, struct drawn *v)
{
	unsigned which = shape->versions ? RUNS : draw_below(MEM_COUNT(predicates)); /* mostly, so that there is something to decide */
	for (size_t i = 0; i < LENGTH; i++) {
		bool other = !shape->only && !shape->versions && draw_below(4) == 0;
		v[i] = (struct drawn){ .predicate = other ? draw_below(MEM_COUNT(predicates)) : which, .object = draw_below(3), .when = draw_below(6),
			.captured = draw_below(20), .trust = draw_below(3), .confidence = draw_below(2), .negated = draw_below(5) == 0, .veracity = draw_below(5),
			.end = draw_below(8) == 0 ? draw_below(4) + 1 : 0, .version = draw_below(4) };
		v[i].weak = draw_below(10) < shape->weak;
		v[i].corrects = draw_below(10) < shape->corrects;
		v[i].was = draw_below(MEM_COUNT(objects[0]) + 1);
		if (draw_below(10) < shape->told)
			v[i].veracity = MEM_VERACITY_INFERRED;
	}
}

/* The first three variants are one batch, the next has one for each claim. */
static void
cut_batches(struct variant *v, int variant)
{
	for (size_t i = 0; i < v->n; i++)
		v->last[i] = i + 1 == v->n || variant == 3 || (variant > 3 && draw_below(3) == 0);
}

static void
put_episodes(void)
{
	char name[40];
	for (size_t i = 0; i < LENGTH; i++) {
		snprintf(name, sizeof name, "episode number %zu", i);
		episodes[i] = put_episode(name);
	}
}

/* ---- triples ------------------------------------------------------------------ */

static void
make_variants(const struct shape *shape, unsigned stream, struct variant *v)
{
	struct drawn drawn[LENGTH];
	size_t order[LENGTH];
	seed = (uint64_t)stream * 7919 + shape->weak * 31 + shape->told * 101 + shape->corrects * 1009 + shape->only * 7 + shape->versions * 3 + 5;
	draw_stream(shape, drawn);
	for (size_t i = 0; i < LENGTH; i++)
		order[i] = i;
	for (int variant = 0; variant < VARIANTS; variant++) {
		struct variant *to = &v[variant];
		*to = (struct variant){ .n = 0 };
		snprintf(to->name, sizeof to->name, "s%u v%d", stream, variant);
		for (size_t i = 0; i < LENGTH; i++)
			add_said(to, &drawn[order[i]], order[i]);
		cut_batches(to, variant);
		shuffle_order(order, LENGTH);
	}
}

static void
put_timelines(struct mem_buf *out, const char *subject)
{
	mem_buf_reset(out);
	for (size_t p = 0; p < MEM_COUNT(predicates); p++) {
		put_timeline(out, subject, predicates[p]);
		mem_buf_puts(out, "\n");
	}
}

/* The variants of one stream, which are written. */
static void
check_variants(const struct variant *v)
{
	struct mem_buf first = { 0 }, now = { 0 };
	for (int variant = 0; variant < VARIANTS; variant++) {
		if (write_claims(v[variant].said, v[variant].n) > 0)
			fail_msg("%s: a second run writes", v[variant].name);
		put_timelines(variant == 0 ? &first : &now, v[variant].name);
		if (variant > 0 && !mem_str_eq(mem_buf_span(&first), mem_buf_span(&now)))
			fail_msg("%s:\n%s\nis not\n%s", v[variant].name, now.data, first.data);
	}
	mem_buf_release(&first);
	mem_buf_release(&now);
}

static void
check_streams(const struct shape *shape)
{
	struct variant *v = mem_xcalloc((size_t)TOGETHER * VARIANTS, sizeof *v);
	put_episodes();
	for (unsigned stream = 0; stream < shape->streams; stream += TOGETHER) {
		for (unsigned i = 0; i < TOGETHER; i++)
			make_variants(shape, stream + i, v + (size_t)i * VARIANTS);
		write_together(v, (size_t)TOGETHER * VARIANTS);
		for (unsigned i = 0; i < TOGETHER; i++)
			check_variants(v + (size_t)i * VARIANTS);
	}
	free(v);
}

static void
test_order_makes_no_difference(void **state)
{
	(void)state;
	check_streams(&(struct shape){ .streams = 150 });
}

static void
test_order_in_one_predicate_makes_no_difference(void **state)
{
	(void)state;
	check_streams(&(struct shape){ .streams = 200, .only = true });
}

/* What such an extractor finds does not override what is trusted more, whichever came first. */
static void
test_order_of_own_extractors_makes_no_difference(void **state)
{
	(void)state;
	check_streams(&(struct shape){ .streams = 200, .weak = 4, .only = true });
}

static void
test_order_of_hearsay_makes_no_difference(void **state)
{
	(void)state;
	check_streams(&(struct shape){ .streams = 150, .told = 4, .weak = 1, .only = true });
}

static void
test_order_of_corrections_makes_no_difference(void **state)
{
	(void)state;
	check_streams(&(struct shape){ .streams = 150, .corrects = 3, .only = true });
	check_streams(&(struct shape){ .streams = 100, .corrects = 3, .told = 2, .weak = 2, .only = true });
}

static void
test_order_of_versions_makes_no_difference(void **state)
{
	(void)state;
	check_streams(&(struct shape){ .streams = 100, .weak = 2, .versions = true });
}

/* ---- what was known ------------------------------------------------------------ */

enum { MOMENTS = 4 };

static int
compare_created(const void *x, const void *y)
{
	const struct drawn *a = x, *b = y;
	return (a->captured > b->captured) - (a->captured < b->captured);
}

/* One stream in the order in which it became known, whole (the last) and as far as each of the moments. */
static void
make_known_variants(const struct shape *shape, unsigned stream, struct variant *v, unsigned *moments)
{
	struct drawn drawn[LENGTH];
	seed = (uint64_t)stream * 104729 + shape->weak * 31 + shape->told * 101 + shape->corrects * 1009 + shape->versions * 3 + 11;
	draw_stream(shape, drawn);
	qsort(drawn, LENGTH, sizeof *drawn, compare_created);
	for (unsigned k = 0; k <= MOMENTS; k++) {
		struct variant *to = &v[k];
		moments[k] = k < MOMENTS ? drawn[draw_below(LENGTH)].captured : UINT32_MAX;
		*to = (struct variant){ .n = 0 };
		snprintf(to->name, sizeof to->name, "k%u m%u %c", stream, k, shape->name);
		for (size_t i = 0; i < LENGTH; i++)
			if (drawn[i].captured <= moments[k])
				add_said(to, &drawn[i], i);
		cut_batches(to, k < MOMENTS ? 0 : 3); /* what is written at once may be one fact that was two */
	}
}

static void
check_known(const struct shape *shape)
{
	struct mem_buf wanted = { 0 }, found = { 0 };
	unsigned moments[MOMENTS + 1];
	struct variant *v = mem_xcalloc(MOMENTS + 1, sizeof *v);
	put_episodes();
	for (unsigned stream = 0; stream < shape->streams; stream++) {
		char name[40];
		snprintf(name, sizeof name, "stream %u of %c begins", stream, shape->name);
		uint32_t first = put_episode(name).ord;
		make_known_variants(shape, stream, v, moments);
		write_together(v, MOMENTS + 1);
		for (unsigned k = 0; k < MOMENTS; k++) {
			put_all_held(&wanted, v[k].name, first, MEM_TIME_NONE);
			put_all_held(&found, v[MOMENTS].name, first, day((int)moments[k]));
			if (!mem_str_eq(mem_buf_span(&wanted), mem_buf_span(&found)))
				fail_msg("%s, day %u:\n%s\nis not\n%s", v[MOMENTS].name, moments[k], found.data, wanted.data);
		}
	}
	mem_buf_release(&wanted);
	mem_buf_release(&found);
	free(v);
}

static void
test_known_is_what_was_said_by_then(void **state)
{
	(void)state;
	check_known(&(struct shape){ .streams = 60, .name = 'a', .only = true });
	check_known(&(struct shape){ .streams = 40, .name = 'b' });
	check_known(&(struct shape){ .streams = 60, .name = 'c', .corrects = 3, .told = 2, .weak = 2, .only = true });
	check_known(&(struct shape){ .streams = 30, .name = 'd', .versions = true });
}

/* ---- statements -------------------------------------------------------------- */

enum { TOPICS = 100, SAID = 8, TOPIC_VARIANTS = 4 };

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
add_statement(struct variant *to, size_t episode, const struct drawn *drawn)
{
	struct drawn d = *drawn;
	const char *text = statements[d.object];
	d.object = d.predicate = 0;
	struct said *s = add_said(to, &d, episode);
	s->c.subject = s->c.object = (struct mem_claim_term){ .kind = MEM_TERM_NONE };
	s->c.predicate = MEM_STR("");
	s->c.statement = mem_str(text);
	s->c.topic = mem_str(to->name);
}

/* Those of the stream in several orders, all at once or one after the other. */
static void
make_topic_variants(unsigned stream, struct variant *v)
{
	struct drawn drawn[SAID];
	size_t order[LENGTH];
	seed = (uint64_t)stream * 91 + 3;
	for (size_t i = 0; i < SAID; i++)
		drawn[i] = (struct drawn){ .object = draw_below(MEM_COUNT(statements)), .when = draw_below(4), .captured = draw_below(20), .trust = 1,
			.confidence = draw_below(2), .veracity = draw_below(5) };
	for (size_t i = 0; i < LENGTH; i++)
		order[i] = i;
	for (int variant = 0; variant < TOPIC_VARIANTS; variant++) {
		struct variant *to = &v[variant];
		*to = (struct variant){ .n = 0 };
		snprintf(to->name, sizeof to->name, "t%u v%d", stream, variant);
		for (size_t i = 0; i < LENGTH; i++)
			if (order[i] < SAID)
				add_statement(to, order[i], &drawn[order[i]]);
		cut_batches(to, variant == 0 ? 0 : 3);
		shuffle_order(order, LENGTH);
	}
}

static void
check_topic_variants(const struct variant *v)
{
	struct mem_buf first = { 0 }, now = { 0 };
	for (int variant = 0; variant < TOPIC_VARIANTS; variant++) {
		if (write_claims(v[variant].said, v[variant].n) > 0)
			fail_msg("%s: a second run writes", v[variant].name);
		mem_buf_reset(&now);
		put_topic(variant == 0 ? &first : &now, v[variant].n);
		if (variant > 0 && !mem_str_eq(mem_buf_span(&first), mem_buf_span(&now)))
			fail_msg("%s:\n%s\nis not\n%s", v[variant].name, now.data, first.data);
	}
	mem_buf_release(&first);
	mem_buf_release(&now);
}

static void
test_order_of_statements_makes_no_difference(void **state)
{
	struct variant *v = mem_xcalloc((size_t)TOPICS * TOPIC_VARIANTS, sizeof *v);
	(void)state;
	put_episodes();
	for (unsigned i = 0; i < TOPICS; i++)
		make_topic_variants(i, v + (size_t)i * TOPIC_VARIANTS);
	write_together(v, (size_t)TOPICS * TOPIC_VARIANTS);
	for (unsigned i = 0; i < TOPICS; i++)
		check_topic_variants(v + (size_t)i * TOPIC_VARIANTS);
	free(v);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_order_makes_no_difference, world_setup, world_teardown),
		cmocka_unit_test_setup_teardown(test_order_in_one_predicate_makes_no_difference, world_setup, world_teardown),
		cmocka_unit_test_setup_teardown(test_order_of_own_extractors_makes_no_difference, world_setup, world_teardown),
		cmocka_unit_test_setup_teardown(test_order_of_hearsay_makes_no_difference, world_setup, world_teardown),
		cmocka_unit_test_setup_teardown(test_order_of_corrections_makes_no_difference, world_setup, world_teardown),
		cmocka_unit_test_setup_teardown(test_order_of_versions_makes_no_difference, world_setup, world_teardown),
		cmocka_unit_test_setup_teardown(test_known_is_what_was_said_by_then, world_setup, world_teardown),
		cmocka_unit_test_setup_teardown(test_order_of_statements_makes_no_difference, world_setup, world_teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
