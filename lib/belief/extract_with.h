/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claims of a user's own extractor: a command that reads episodes and prints claims.
 *
 * It gets one line for each episode, {"id","content","role","speaker","listener","session_id","captured_at"}, null where
 * nothing is known, and prints one line for each claim, in any order, as mem-records(5), "Claims of an extractor", describes:
 *
 *   {"episode":ID,"statement":TEXT,"subject":NAME|{"name","type"}|null,"predicate":NAME,"object":TEXT|{"name"|"value","type"},…}
 *
 * A first line {"extractor":NAME,"version":TEXT} names it; without, it is called as its program is, version 0.  A line is refused, with
 * its number and reason, and the others count:
 *
 *   bad_json, not_an_object, duplicate_key, bad_utf8, nul, too_deep   as of any record
 *   not_found       of an episode that was not given
 *   reserved_field  it sets id, ns, trust, pinned or another field that is memkit's own
 *   bad_value       a field has another type, a span is not inside of the content, an end is not after its start
 *   too_long        a text of more than MEM_WITH_TEXT_MAX bytes (of terms and names MEM_WITH_NAME_MAX)
 *   too_many        more than MEM_WITH_CLAIMS_MAX claims of one episode
 *   residue, budget as of captured text, since a command may print anything
 */
#ifndef MEM_EXTRACT_WITH_H
#define MEM_EXTRACT_WITH_H

#include "base/base.h"
#include "belief/claim.h"
#include "belief/extract.h"
#include "belief/rules.h"
#include "clean/clean.h"

#define MEM_WITH_TEXT_MAX   ((size_t)4096)
#define MEM_WITH_NAME_MAX   ((size_t)300)
#define MEM_WITH_CLAIMS_MAX 64
/* Of a claim that does not say how sure it is. */
#define MEM_WITH_CONFIDENCE .6

struct mem_with_episode {
	struct mem_id id;
	struct mem_extract_source source;
};
struct mem_with_options {
	const char *command;                    /* for /bin/sh -c; of flags or of settings that are trusted */
	int64_t timeout_ms;                     /* 0: MEM_COMMAND_MS */
	const struct mem_belief_rules *rules;   /* for the predicates */
	struct mem_clean *clean;                /* what it prints passes it */
	/* What was wrong: with a line ("'CMD': line 3: bad_value: …") or with the command. */
	void (*tell)(void *ctx, const char *message); /* may be NULL */
	void *ctx;
};

struct mem_with_claim {
	size_t episode;                         /* its place among those given */
	struct mem_claim claim;                 /* clean; `rule` is NAME@VERSION, veracity inferred unless it says another one */
	struct mem_finding_list found;          /* what was cleaned away in its line */
};
struct mem_with_answer {
	const struct mem_with_claim *v;         /* ARENA; by episode, then as they came */
	size_t n;
	size_t refused;                         /* lines */
	bool failed;                            /* the command did: then n is 0 */
	struct mem_str via;                     /* "with:NAME", ARENA: for mem_fact_source */
};
/*
 * Runs the command once for these episodes (mem_command_run); no transaction is open meanwhile.  What is wrong with the command or its lines is
 * told (of lines the first 20) and counted, and no failure.
 */
void mem_extract_with(struct mem_with_answer *out, struct mem_arena *arena, const struct mem_with_options *options,
    const struct mem_with_episode *episodes, size_t n);
/* The answer alone, of what the command has printed. */
void mem_extract_with_read(struct mem_with_answer *out, struct mem_arena *arena, const struct mem_with_options *options,
    const struct mem_with_episode *episodes, size_t n, struct mem_str printed);

#endif
