/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the ledger call of each other. */
#ifndef MEM_LEDGER_CALLS_INT_H
#define MEM_LEDGER_CALLS_INT_H

#include "belief/ledger_int.h"

/* ---- ledger_read.c ---------------------------------------------------------------- */

enum mem_status ledger_step(struct mem_ledger *l, struct mem_str ns, enum mem_fact_lane lane, struct mem_str name, bool backwards,
    int64_t *at, uint32_t *ord, struct mem_err *err) MEM_CHECKED;  /* mem_fact_in_lane */
/* A fact as stored; *out NULL: damaged, or one that the caller may not read. */
enum mem_status ledger_fact_at(struct mem_ledger *l, uint32_t ord, struct ledger_fact **out, struct mem_err *err) MEM_CHECKED;
enum mem_status ledger_fact_by_id(struct mem_ledger *l, const struct mem_id *id, struct ledger_fact **out, struct mem_err *err) MEM_CHECKED;
/* The assertions of a stored fact, to the end of the lane's. */
void ledger_fact_assertions(struct mem_ledger *l, struct ledger_lane *lane, struct ledger_fact *f);
/* Of the sources of a stored fact the one that made this of its corrections; not there: it is too old to say which, or has no room. */
struct mem_json ledger_correction_source(struct mem_ledger *l, const struct ledger_fact *f, struct mem_json correction);
bool ledger_is_known(struct mem_ledger *l, int64_t since); /* was it known by known_at, or is all of it? */
bool ledger_is_source(const struct ledger_assertion *a, struct mem_json source); /* is it the assertion of this one? */
/* The ends that a stored fact makes at that time of what has this object, or, empty, of whatever is not its own: to the end of the
 * lane's.  Its hints of that time are noted. */
void ledger_fact_corrections(struct mem_ledger *l, struct ledger_lane *lane, struct ledger_fact *f, struct mem_str object, int64_t at);
/* Does the fact have this assertion among its sources?  One of the same person that says less is taken for c->restates, and the fact has it not. */
enum mem_status ledger_fact_has(struct mem_ledger *l, struct ledger_fact *f, struct ledger_claim *c, bool *has,
    struct mem_err *err) MEM_CHECKED;
mem_write_check_fn ledger_check;
/* Is it what mem_fact_source.via says of a user's own extractor? */
bool ledger_is_of_extractor(struct mem_str via);
/* Of one source, whose trust is the fact's. */
struct ledger_standing ledger_stand(struct mem_str via, enum mem_veracity v, double trust);
/* A field of its text as text, decoded into the arena of the round; empty where it is none. */
struct mem_str ledger_fact_text(struct mem_ledger *l, const struct ledger_fact *f, const char *name);

struct mem_str ledger_agent(const struct mem_ledger *l, const struct ledger_claim *c); /* who says it: its source's actor, else the caller */

/* ---- the others --------------------------------------------------------------------- */

/* ARENA of the round. */
struct mem_str ledger_value_key(struct mem_ledger *l, const struct ledger_value *v);
/* The version of an object that a fact's detail says, "15" and "v15" are one; empty: none, or the predicate has no such.  BORROWS. */
struct mem_str ledger_version(const struct mem_predicate *p, struct mem_str detail);
struct mem_id ledger_fact_id(struct mem_ledger *l, struct mem_str ns, struct mem_str key, int64_t at, struct mem_str *id_of);
/* Is the object one of the values of the predicate that exclude each other? */
bool ledger_is_exclusive(const struct mem_predicate *p, struct mem_str object);
void ledger_lane_end(struct ledger_lane *lane, const struct ledger_end *end);
struct mem_str ledger_statement_key(struct mem_ledger *l, struct mem_str domain, struct mem_str topic, struct mem_str statement);
/* Reads what may matter to the claims of a lane. */
enum mem_status ledger_window_read(struct mem_ledger *l, struct ledger_lane *lane, struct mem_err *err) MEM_CHECKED;
/* Lists each fact once. */
void ledger_window_add(struct mem_ledger *l, struct ledger_lane *lane, struct ledger_fact *f);
/* Runs out of assertions and ends. */
void ledger_sweep(struct mem_ledger *l, struct ledger_lane *lane);
void ledger_sweep_statements(struct mem_ledger *l, struct ledger_lane *lane);
struct ledger_run *ledger_run_new(struct mem_ledger *l, struct ledger_lane *lane, struct ledger_assertion *a);
void ledger_run_join(struct mem_ledger *l, struct ledger_run *r, struct ledger_assertion *a);
/* What a run is worth when all its sources are folded, and which one began it: ledger_write.c. */
double ledger_run_confidence(const struct ledger_run *r, const struct ledger_assertion **base);
/* A claim at the end of the round's: ledger.c. */
struct ledger_claim *ledger_claim_new(struct mem_ledger *l, const struct mem_claim *c, const struct mem_fact_source *s);
/* ledger_judge.c: in a round of a merge, the field `judged` behind the n fields that are set, f NULL: of a new fact.  How many there are then. */
size_t ledger_put_judged(struct mem_ledger *l, const struct mem_id *id, const struct ledger_fact *f, struct mem_clean_field *set, size_t n);
/* Behind the reading of lanes: a claim that says what a merged fact said says what the survivor says, and l->moved.  ledger_merged.c */
enum mem_status ledger_follow_merged(struct mem_ledger *l, struct mem_err *err) MEM_CHECKED;
/* Lanes out of the probes, each worked out, unless l->moved: then none. */
enum mem_status ledger_lanes_make(struct mem_ledger *l, struct mem_err *err) MEM_CHECKED;
/* What the id of the conflict of two facts is made of: ledger_write.c.  ARENA. */
struct mem_str ledger_conflict_id_of(struct mem_arena *a, const struct mem_id *winner, const struct mem_id *loser);
/* New nodes first, so that edges find their ends; then all else. */
void ledger_lane_add_nodes(struct mem_ledger *l, struct ledger_lane *lane);
enum mem_status ledger_lane_change_nodes(struct mem_ledger *l, struct ledger_lane *lane, struct mem_err *err) MEM_CHECKED;
enum mem_status ledger_write_by_hand(struct mem_ledger *l, struct ledger_claim *c, struct mem_err *err) MEM_CHECKED;
/* Claims of one source come one behind the other: are these two of one, and do they say just the same?  ledger_reach.c. */
bool ledger_claims_together(const struct ledger_claim *a, const struct ledger_claim *b);
bool ledger_claims_same(const struct ledger_claim *a, const struct ledger_claim *b);
/* ledger_reach.c. */
struct mem_str ledger_lane_name(struct mem_ledger *l, struct mem_str ns, const struct mem_predicate *p, const struct ledger_value *v, enum ledger_rule *rule);
bool ledger_has_one_version(const struct mem_predicate *p);
bool ledger_is_functional(const struct mem_predicate *p);
/* Probes: the lane of a claim, and those in which it ends something that it corrects; its hint is noted: ledger_reach.c. */
void ledger_probe_claim(struct mem_ledger *l, struct ledger_claim *c);
enum mem_status ledger_probe_reach(struct mem_ledger *l, struct ledger_claim *c, struct mem_err *err) MEM_CHECKED;
void ledger_assertions_sort(struct ledger_lane *lane);
/* ledger_edges.c.  An item of the batch that has no receipt. */
struct mem_write_input ledger_quiet_input(const struct ledger_lane *lane);
void ledger_queue_edge(struct mem_ledger *l, const struct ledger_lane *lane, const char *kind, const struct mem_id *from,
    const struct mem_id *to, const struct mem_clean_field *fields, size_t n);
void ledger_queue_unlink(struct mem_ledger *l, const struct ledger_lane *lane, const char *kind, const struct mem_id *from,
    const struct mem_id *to);
/* From the fact to what it is about, with the validity of the run. */
void ledger_queue_about(struct mem_ledger *l, const struct ledger_lane *lane, const struct ledger_run *r, const struct mem_id *fact);
void ledger_queue_sources(struct mem_ledger *l, const struct ledger_lane *lane, const struct ledger_run *r);
void ledger_queue_lost_sources(struct mem_ledger *l, const struct ledger_lane *lane, const struct ledger_fact *f);
/* ledger_fields.c: all in the arena of the batch. */
/* Of a new fact, and those of it that may change; in the order of mem-records(5). */
/* What it says, where it is said plainly now and was not before; 1, or 0: nothing. */
size_t ledger_put_plain_statement(const struct ledger_run *r, struct mem_clean_field *out);
size_t ledger_put_all_fields(struct mem_ledger *l, const struct ledger_run *r, struct mem_clean_field *out);
size_t ledger_put_state_fields(struct mem_ledger *l, const struct ledger_run *r, struct mem_clean_field *out);
#define LEDGER_FIELDS_MAX 24
bool ledger_run_has_claim(const struct ledger_run *r); /* is something of it said now? */
enum mem_node_status ledger_run_status(const struct ledger_run *r);
struct mem_id ledger_run_ender(const struct mem_ledger *l, const struct ledger_run *r);
int64_t ledger_run_created_at(const struct ledger_run *r);
int64_t ledger_run_ended_at(const struct ledger_run *r);
/* Numbers as records have them. */
double ledger_round(double v);

#endif
