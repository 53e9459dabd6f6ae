/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Episodes that replace others end what those alone said, whichever of the two is consolidated first: random episodes of few
 * values, some of which replace another, in random orders and batches, end in what one batch in the order of their commits gives.
 */
#include "belief_streams.h"

enum { EPISODES = 6, CLAIMS_MAX = 3, VARIANTS = 8, TOGETHER = 8, BATCH_MAX = 4,
	NOTHING = EPISODES, CAPTURE_DAYS = 8 };

struct drawn_episode {
	unsigned captured, n;
	unsigned replaces;   /* NOTHING: none */
	struct drawn v[CLAIMS_MAX];
};
/* What streams are like. */
struct shape {
	unsigned streams;
	unsigned weak, told, corrects, negated; /* of how many claims in ten each is so */
	char name;           /* of its subjects */
};
static struct drawn
draw_claim(const struct shape *shape, unsigned predicate, unsigned captured, unsigned trust)
{
	struct drawn c = { .predicate = draw_below(4) == 0 ? draw_below(MEM_COUNT(predicates)) : predicate, .object = draw_below(3),
		.when = draw_below(3) == 0 ? draw_below(6) : captured, .captured = captured, .trust = trust, .confidence = draw_below(2), .veracity = draw_below(5), .end = draw_below(8) == 0 ? draw_below(4) + 1 : 0,
		.version = draw_below(3), .was = draw_below(MEM_COUNT(objects[0]) + 1) };
	c.negated = draw_below(10) < shape->negated;
	c.weak = draw_below(10) < shape->weak;
	c.corrects = draw_below(10) < shape->corrects;
	if (draw_below(10) < shape->told)
		c.veracity = MEM_VERACITY_INFERRED;
	return c;
}

/* Each replaces at most one that was captured before it, and is replaced by at most one. */
static void
draw_stream(const struct shape *shape, struct drawn_episode *v)
{
	unsigned predicate = draw_below(MEM_COUNT(predicates));
	bool replaced[EPISODES] = { false };
	for (unsigned i = 0; i < EPISODES; i++) {
		unsigned old = i > 0 ? draw_below(i) : 0;
		unsigned trust = draw_below(3);
		v[i] = (struct drawn_episode){ .captured = draw_below(CAPTURE_DAYS), .n = draw_below(CLAIMS_MAX) + 1, .replaces = NOTHING };
		if (i > 0 && !replaced[old] && draw_below(3) > 0) {
			v[i].replaces = old;
			replaced[old] = true;
		}
		for (unsigned k = 0; k < v[i].n; k++)
			v[i].v[k] = draw_claim(shape, predicate, v[i].captured, trust);
	}
}

static void
add_episode(struct variant *to, const struct drawn_episode *v, size_t episode)
{
	for (unsigned k = 0; k < v[episode].n; k++) {
		struct said *s = add_said(to, &v[episode].v[k], episode);
		if (v[episode].replaces != NOTHING)
			s->s.supersedes = &episodes[v[episode].replaces].id;
	}
}

/* The first variant is one batch in the order of commits; then orders and batches change. */
static void
make_variants(const struct shape *shape, unsigned stream, struct variant *v)
{
	struct drawn_episode drawn[EPISODES];
	size_t order[EPISODES];
	seed = (uint64_t)stream * 7919 + (uint64_t)shape->name * 104729;
	draw_stream(shape, drawn);
	for (size_t i = 0; i < EPISODES; i++)
		order[i] = i;
	for (int variant = 0; variant < VARIANTS; variant++) {
		struct variant *to = &v[variant];
		*to = (struct variant){ .n = 0 };
		snprintf(to->name, sizeof to->name, "%c%u v%d", shape->name, stream, variant);
		for (size_t i = 0, size = 0; i < EPISODES; i++) {
			add_episode(to, drawn, order[i]);
			size++;
			if (i + 1 == EPISODES || (variant > 0 && (size == BATCH_MAX || draw_below(3) == 0))) {
				to->last[to->n - 1] = true;
				size = 0;
			}
		}
		shuffle_order(order, EPISODES);
	}
}

static void
put_episodes(const struct shape *shape, unsigned stream)
{
	char name[40];
	for (size_t i = 0; i < EPISODES; i++) {
		snprintf(name, sizeof name, "episode %zu of %c%u", i, shape->name, stream);
		episodes[i] = put_episode(name);
	}
}

/* ---- what is looked at ----------------------------------------------------------- */

/* " by vim" of what ended it. */
static void
put_ender(struct mem_buf *out, struct mem_json by)
{
	struct mem_id id;
	struct mem_node node;
	struct mem_rec r = { 0 };
	if (!mem_json_id(by, &id) || mem_node_by_id(t, &id, &node, &err) != MEM_OK)
		return;
	assert_int_equal(mem_rec_scan(&r, node.json, &err), MEM_OK);
	struct mem_str value = mem_json_member(mem_rec_value(&r, "object"), "value").raw;
	mem_buf_printf(out, " by %.*s", (int)value.n, value.p);
	mem_rec_release(&r);
}

/* "[1,3)!vim superseded hint by ed .6 1;" of a fact of the subject. */
static void
put_fact(struct mem_buf *out, const struct mem_node *node, const struct mem_id *subject)
{
	struct mem_rec r = { 0 };
	char id[MEM_ID_LEN + 1];
	mem_id_format(subject, id);
	assert_int_equal(mem_rec_scan(&r, node->json, &err), MEM_OK);
	struct mem_str reason = mem_rec_value(&r, "superseded_reason").raw;
	if (mem_json_is(mem_json_member(mem_rec_value(&r, "subject"), "id"), id)) {
		static const char *const names[] = { "predicate", "detail", "status", "confidence", "trust", "mentions" };
		struct mem_str value = mem_json_member(mem_rec_value(&r, "object"), "value").raw;
		mem_buf_putc(out, '[');
		put_day(out, mem_rec_value(&r, "valid_from"));
		mem_buf_putc(out, ',');
		put_day(out, mem_rec_value(&r, "valid_to"));
		mem_buf_printf(out, ")%s%.*s", mem_rec_value(&r, "negated").type == MEM_JSON_TRUE ? "!" : "", (int)value.n, value.p);
		for (size_t i = 0; i < MEM_COUNT(names); i++) {
			struct mem_str s = mem_rec_value(&r, names[i]).raw;
			mem_buf_printf(out, " %.*s", (int)s.n, s.n > 0 ? s.p : "");
		}
		mem_buf_printf(out, " %.*s", (int)reason.n, reason.n > 0 ? reason.p : "");
		if (mem_json_is(mem_rec_value(&r, "superseded_reason"), "hint"))
			put_ender(out, mem_rec_value(&r, "superseded_by"));
		mem_buf_puts(out, "\n");
	}
	mem_rec_release(&r);
}

/* All facts of the subject that were ever true, in order, or those too that never were. */
static void
put_facts(struct mem_buf *out, const char *subject, bool all)
{
	struct mem_id id = entity_id(subject);
	char *lines[STREAM_CLAIMS * 4];
	size_t n = 0;
	mem_buf_reset(out);
	mem_buf_puts(out, "");
	assert_int_equal(mem_txn_read(&t, m.store, &err), MEM_OK);
	for (size_t p = 0; p < MEM_COUNT(predicates); p++) {
		int64_t when = MEM_TIME_NONE;
		uint32_t ord = 0;
		while (n < MEM_COUNT(lines) && mem_fact_next(t, NS, &id, mem_str(predicates[p]), false, &when, &ord, &err) == MEM_OK) {
			struct mem_buf line = { 0 };
			struct mem_node node;
			assert_int_equal(mem_node_at(t, ord, &node, &err), MEM_OK);
			if (!all && node.attr->valid_to != MEM_TIME_NONE && node.attr->valid_to <= node.attr->valid_from)
				continue;
			put_fact(&line, &node, &id);
			if (line.len > 0)
				lines[n++] = line.data;
		}
	}
	mem_txn_end(t);
	t = NULL;
	put_lines_sorted(out, lines, n);
}

static void
put_said(struct mem_buf *out, const struct variant *v)
{
	for (size_t i = 0; i < v->n; i++) {
		const struct said *s = &v->said[i];
		size_t e = 0, old = NOTHING;
		for (size_t k = 0; k < EPISODES; k++) {
			e = mem_id_cmp(&episodes[k].id, &s->s.episode) == 0 ? k : e;
			old = s->s.supersedes == &episodes[k].id ? k : old;
		}
		mem_buf_printf(out, "  episode %zu%s%.0zu, trust %.1f: %.*s%s %.*s from %lld to %lld%s %s%s\n", e, old != NOTHING ? " for " : "",
		    old != NOTHING ? old : 0, s->s.trust, (int)s->c.predicate.n, s->c.predicate.p, s->c.negated ? " not" : "",
		    (int)s->c.object.text.n, s->c.object.text.p, (long long)((s->c.valid_from - day(0)) / DAY),
		    s->c.valid_to != MEM_TIME_NONE ? (long long)((s->c.valid_to - day(0)) / DAY) : -1, s->s.via.p[0] == 'w' ? " weak" : "",
		    mem_veracity_name(s->c.veracity), v->last[i] ? " |" : "");
	}
}

static void
check_second_run(struct variant *v, size_t n)
{
	struct said *all = mem_xcalloc(n * STREAM_CLAIMS, sizeof *all);
	size_t nall = 0;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < v[i].n; k++)
			all[nall++] = v[i].said[k];
	if (write_claims(all, nall) > 0)
		fail_msg("%s and others: a second run writes", v->name);
	free(all);
}

/* The variants of one stream, which are written. */
static void
check_variants(const struct variant *v)
{
	struct mem_buf first = { 0 }, now = { 0 };
	for (int variant = 0; variant < VARIANTS; variant++) {
		put_facts(variant == 0 ? &first : &now, v[variant].name, false);
		if (variant > 0 && !mem_str_eq(mem_buf_span(&first), mem_buf_span(&now))) {
			struct mem_buf said = { 0 };
			put_said(&said, &v[variant]);
			fprintf(stderr, "%s\n%s\nis not\n%s", said.data, now.data, first.data);
			fail_msg("%s differs", v[variant].name);
		}
	}
	mem_buf_release(&first);
	mem_buf_release(&now);
}

static size_t
count_in(const struct mem_buf *b, const char *word)
{
	size_t n = 0;
	for (const char *p = b->data; p != NULL && (p = strstr(p, word)) != NULL; p++)
		n++;
	return n;
}

/* How often a hint ended something, and a claim lost: without any the streams would prove nothing. */
static void
count_ends(const struct variant *v, size_t *ended, size_t *lost)
{
	struct mem_buf b = { 0 };
	put_facts(&b, v->name, true);
	*ended += count_in(&b, "\"hint\"");
	*lost += count_in(&b, "\"less_trusted\"");
	mem_buf_release(&b);
}

static void
check_streams(const struct shape *shape)
{
	struct variant *v = mem_xcalloc((size_t)TOGETHER * VARIANTS, sizeof *v);
	size_t ended = 0, lost = 0;
	for (unsigned stream = 0; stream < shape->streams; stream += TOGETHER) {
		put_episodes(shape, stream);
		for (unsigned i = 0; i < TOGETHER; i++)
			make_variants(shape, stream + i, v + (size_t)i * VARIANTS);
		write_together(v, (size_t)TOGETHER * VARIANTS);
		check_second_run(v, (size_t)TOGETHER * VARIANTS);
		for (unsigned i = 0; i < TOGETHER; i++) {
			check_variants(v + (size_t)i * VARIANTS);
			count_ends(v + (size_t)i * VARIANTS, &ended, &lost);
		}
	}
	assert_true(ended > shape->streams / 20 && lost > shape->streams / 20);
	free(v);
}

static void
test_order_of_hints_makes_no_difference(void **state)
{
	(void)state;
	check_streams(&(struct shape){ .streams = 200, .name = 'a' });
}

static void
test_order_of_hints_and_negations_makes_no_difference(void **state)
{
	(void)state;
	check_streams(&(struct shape){ .streams = 96, .name = 'n', .negated = 3 });
}

static void
test_order_of_hints_and_hearsay_makes_no_difference(void **state)
{
	(void)state;
	check_streams(&(struct shape){ .streams = 96, .name = 'h', .told = 3, .weak = 2, .negated = 1 });
}

static void
test_order_of_hints_and_corrections_makes_no_difference(void **state)
{
	(void)state;
	check_streams(&(struct shape){ .streams = 96, .name = 'c', .corrects = 2, .told = 1, .negated = 1 });
}

/* ---- what was known ------------------------------------------------------------ */

enum { MOMENTS = 4 };

/* One stream in the order in which it became known, whole (the last) and as far as each of the moments. */
static void
make_known_variants(const struct shape *shape, unsigned stream, struct variant *v, unsigned *moments)
{
	struct drawn_episode drawn[EPISODES];
	seed = (uint64_t)stream * 15485863 + (uint64_t)shape->name * 104729;
	draw_stream(shape, drawn);
	for (unsigned k = 0; k <= MOMENTS; k++) {
		struct variant *to = &v[k];
		moments[k] = k < MOMENTS ? drawn[draw_below(EPISODES)].captured : UINT32_MAX;
		*to = (struct variant){ .n = 0 };
		snprintf(to->name, sizeof to->name, "k%u m%u %c", stream, k, shape->name);
		for (unsigned day_of = 0; day_of < CAPTURE_DAYS && day_of <= moments[k]; day_of++)
			for (size_t i = 0; i < EPISODES; i++)
				if (drawn[i].captured == day_of) {
					add_episode(to, drawn, i);
					to->last[to->n - 1] = k == MOMENTS; /* what is written at once may be one fact that was two */
				}
	}
}

static void
check_known(const struct shape *shape)
{
	struct mem_buf wanted = { 0 }, found = { 0 };
	unsigned moments[MOMENTS + 1];
	struct variant *v = mem_xcalloc(MOMENTS + 1, sizeof *v);
	for (unsigned stream = 0; stream < shape->streams; stream++) {
		put_episodes(shape, stream);
		make_known_variants(shape, stream, v, moments);
		write_together(v, MOMENTS + 1);
		for (unsigned k = 0; k < MOMENTS; k++) {
			put_all_held(&wanted, v[k].name, episodes[0].ord, MEM_TIME_NONE);
			put_all_held(&found, v[MOMENTS].name, episodes[0].ord, day((int)moments[k]));
			if (!mem_str_eq(mem_buf_span(&wanted), mem_buf_span(&found))) {
				struct mem_buf said = { 0 };
				put_said(&said, &v[MOMENTS]);
				fail_msg("%s, day %u:\n%s\n%s\nis not\n%s", v[MOMENTS].name, moments[k], said.data, found.data, wanted.data);
			}
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
	check_known(&(struct shape){ .streams = 60, .name = 'p' });
	check_known(&(struct shape){ .streams = 60, .name = 'q', .told = 2, .weak = 1, .corrects = 1, .negated = 2 });
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_order_of_hints_makes_no_difference, world_setup, world_teardown),
		cmocka_unit_test_setup_teardown(test_order_of_hints_and_negations_makes_no_difference, world_setup, world_teardown),
		cmocka_unit_test_setup_teardown(test_order_of_hints_and_hearsay_makes_no_difference, world_setup, world_teardown),
		cmocka_unit_test_setup_teardown(test_order_of_hints_and_corrections_makes_no_difference, world_setup, world_teardown),
		cmocka_unit_test_setup_teardown(test_known_is_what_was_said_by_then, world_setup, world_teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
