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

static const char *const predicates[] = { "works_at", "uses", "likes", "dislikes", "marked" };
static const char *const objects[][3] = {
	{ "acme", "globex", "initech" }, { "vim", "emacs", "ed" }, { "tea", "rain", "jazz" }, { "tea", "rain", "jazz" }, { "blocked", "done", "late" },
};

/* What a stream says, but for whom it says it of. */
struct drawn {
	unsigned predicate, object, when, captured, trust, confidence, negated, veracity, end;
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
	static const double trusts[] = { .3, .5, .9 };
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
test_order_makes_no_difference(void **state)
{
	struct drawn v[LENGTH];
	size_t order[LENGTH];
	char name[40];
	(void)state;
	for (size_t i = 0; i < LENGTH; i++) {
		snprintf(name, sizeof name, "episode number %zu", i);
		episodes[i] = put_episode(name);
	}
	for (int stream = 0; stream < STREAMS; stream++) {
		struct mem_buf first = { 0 }, now = { 0 };
		seed = (uint64_t)stream * 77 + 5;
		draw_stream(v);
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_order_makes_no_difference, world_setup, world_teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
