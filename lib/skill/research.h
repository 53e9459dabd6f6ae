/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Research: what a store knows of a topic before a skill is proposed for it.
 *
 * Six sources are asked, each for at most MEM_RESEARCH_FINDINGS, by similarity (vectors/vectors.h) to the topic of at least
 * MEM_PROPOSAL_RELATED.  Where the store has no vectors, or their model is not installed, they are asked by words, and no
 * similarity is known.  Live nodes count that the principal may read.
 *
 *   skills      active skills; as many as overlap are kept, of which the first ones are findings
 *   memories    episodes and facts
 *   notes       notes and pages
 *   learnings   learnings
 *   tools       entities of type tool
 *   gaps        of the last queries without an answer and failures of skills those that are like it; by words of a likeness
 *               (text/text.h) of at least MEM_RESEARCH_LIKENESS, which takes the place of the similarity as MEM_GAP_LIKENESS does
 */
#ifndef MEM_RESEARCH_H
#define MEM_RESEARCH_H

#include "base/base.h"
#include "query/query.h"

#define MEM_RESEARCH_FINDINGS 10
#define MEM_RESEARCH_OVERLAPS 20        /* skills that are kept */
#define MEM_RESEARCH_LIKENESS .3

enum mem_research_source { MEM_RESEARCH_SKILLS, MEM_RESEARCH_MEMORIES, MEM_RESEARCH_NOTES, MEM_RESEARCH_LEARNINGS, MEM_RESEARCH_TOOLS,
	MEM_RESEARCH_GAPS, MEM_RESEARCH_SOURCES };
const char *mem_research_source_word(enum mem_research_source s);

/* Strings are in the research's arena; empty where the node has none. */
struct mem_finding {
	enum mem_research_source source;
	struct mem_id id;
	double similarity;          /* NAN: not known */
	struct mem_str name;        /* of a skill or a tool, title of a page */
	struct mem_str text;        /* description, statement, content, query or failure: one line of it */
	struct mem_str category;    /* of a skill */
};
/* Zero before the first call. */
struct mem_research {
	struct mem_arena arena;
	struct mem_finding *v;      /* OWNS; by source, best first */
	size_t n, cap;
	size_t nskills;             /* the first ones, at most MEM_RESEARCH_OVERLAPS */
	bool by_words;
};
/* What the queries and failures were when the first topic was asked for: *g NULL before, and the same for all topics of a searcher. */
struct mem_research_gaps;
void mem_research_gaps_free(struct mem_research_gaps *g); /* NULL is fine; before the searcher is closed */
/* Adds what the store knows.  In short snapshots of its own.  To be released also when it fails. */
enum mem_status mem_research_topic(struct mem_research *out, struct mem_searcher *s, struct mem_research_gaps **g, struct mem_str topic,
    struct mem_err *err) MEM_CHECKED;
/* The same of skills alone. */
enum mem_status mem_research_skills(struct mem_research *out, struct mem_searcher *s, struct mem_str topic, struct mem_err *err) MEM_CHECKED;
void mem_research_release(struct mem_research *r);

/* How many findings there are, of how many sources. */
size_t mem_research_findings(const struct mem_research *r, size_t *sources);
double mem_research_overlap(const struct mem_research *r); /* the greatest similarity to a skill; 0: there is none */
/* The one most of the skills found have, the best one's of several; MEM_SKILL_CATEGORY_DEFAULT without. */
struct mem_str mem_research_category(const struct mem_research *r);

#endif
