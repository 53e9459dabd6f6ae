/* SPDX-License-Identifier: Apache-2.0 */
/* Random claims of few values, for unit tests about their order: said of one subject in several orders, and written in batches. */
#ifndef BELIEF_STREAMS_H
#define BELIEF_STREAMS_H

#include "belief_world.h"

enum { STREAM_EPISODES = 12, STREAM_CLAIMS = 18 };

static struct episode episodes[STREAM_EPISODES];
static uint64_t seed;

static inline unsigned
draw_below(unsigned below)
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
	unsigned predicate, object, when, captured, trust, confidence, negated, veracity, end, version, was;
	bool weak;           /* of a user's own extractor */
	bool corrects;       /* the object `was`, or, past the last one, whatever there was */
};
/* What is said in one order, and where its batches end. */
struct variant {
	char name[24], statements[STREAM_CLAIMS][60];
	struct said said[STREAM_CLAIMS];
	size_t n, done;
	bool last[STREAM_CLAIMS];   /* of a batch */
};

/* A claim of that episode, at the end of the variant's. */
static inline struct said *
add_said(struct variant *to, const struct drawn *d, size_t episode)
{
	static const char *const versions[] = { "", "14", "15", "16" };
	static const double trusts[] = { .3, .5, .9 };
	char *text = to->statements[to->n];
	struct said *s = &to->said[to->n++];
	*s = say(to->name, predicates[d->predicate], objects[d->predicate][d->object], (int)d->when);
	snprintf(text, sizeof to->statements[0], "%.*s", (int)s->c.statement.n, s->c.statement.p); /* that one does not last */
	s->c.statement = mem_str(text);
	if (d->predicate == RUNS)
		s->c.detail = mem_str(versions[d->version]);
	s->c.negated = d->negated != 0;
	s->c.confidence = d->confidence != 0 ? .8 : .6;
	s->c.veracity = (enum mem_veracity)d->veracity;
	s->c.corrects = d->corrects;
	if (d->corrects && d->was < MEM_COUNT(objects[0]))
		s->c.was = mem_str(objects[d->predicate][d->was]);
	if (d->end != 0)
		s->c.valid_to = day((int)(d->when + d->end));
	s->s.trust = trusts[d->trust];
	s->s.captured_at = s->s.created_at = day((int)d->captured);
	s->s.episode = episodes[episode].id;
	s->s.ord = episodes[episode].ord;
	s->s.has_episode = true;
	if (d->weak)
		s->s.via = MEM_STR("with:own");
	return s;
}

static inline void
shuffle_order(size_t *order, size_t n)
{
	for (size_t i = n - 1; i > 0; i--) {
		size_t k = draw_below((unsigned)i + 1), x = order[i];
		order[i] = order[k];
		order[k] = x;
	}
}

/* Adds the next batch of each. */
static inline size_t
gather_batches(struct variant *v, size_t n, struct said *batch)
{
	size_t all = 0;
	for (size_t i = 0; i < n; i++)
		while (v[i].done < v[i].n) {
			batch[all++] = v[i].said[v[i].done++];
			if (v[i].last[v[i].done - 1])
				break;
		}
	return all;
}

static inline void
write_together(struct variant *v, size_t n)
{
	struct said *batch = mem_xcalloc(n * STREAM_CLAIMS, sizeof *batch);
	for (size_t all; (all = gather_batches(v, n, batch)) > 0;)
		write_claims(batch, all);
	free(batch);
}

#endif
