/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entities: which node the name of a thing means.
 *
 * Inside of one namespace and type a name goes down a cascade, and the first step that has an answer ends it:
 *
 *   coref        within the episode: a person, organisation or project whose words are some of those of exactly one
 *                other name there ("Alice" beside "Alice Smith") is that one
 *   alias_exact  a node that has the name, folded, as its name; else exactly one that has it among its aliases
 *   similar      the node nearest to it, with a similarity of MEM_ENTITY_SIMILAR and a written likeness of
 *                MEM_ENTITY_LIKENESS at least, and the same numbers in both names; only where vectors are wanted and
 *                there
 *   new          a node that is made, with the id that kg-node(1) would give it (mem_write_identity)
 *
 * What came near without being enough stands as candidates in the audit (canonicalize).  A node with status merged or superseded leads to
 * the one that took its place.  What a name meant in one episode is no alias: which node a name means does not depend on
 * the order in which episodes come.
 *
 * One round: mem_entities_snapshot in a snapshot; for each episode mem_entities_episode, mem_entity_resolve and, of the names in
 * claims that are taken, mem_entity_mention; mem_entities_queue in the same snapshot.  Under the lock mem_entities_hold tells whether all that was read is still so.
 */
#ifndef MEM_ENTITY_H
#define MEM_ENTITY_H

#include "base/base.h"
#include "belief/claim.h"
#include "store/store.h"
#include "write/write.h"

#define MEM_ENTITY_SIMILAR  .88
#define MEM_ENTITY_LIKENESS .7
#define MEM_ENTITY_CANDIDATE_SIMILAR .7 /* of a candidate in the audit */
#define MEM_ENTITY_CANDIDATES 8      /* at most */
#define MEM_ENTITY_NAME_MAX 1024     /* bytes of a name; longer ones name nothing */

/* What a batch has resolved.  New entities are seen by the rest of it. */
struct mem_entities;
struct mem_entities_options {
	bool similar;                /* step `similar` is taken, of names that mem_entities_prepare has seen */
};
/* OWNS; BORROWS the writer. */
enum mem_status mem_entities_new(struct mem_entities **out, struct mem_writer *w, const struct mem_entities_options *o,
    struct mem_err *err) MEM_CHECKED;
void mem_entities_free(struct mem_entities *e); /* NULL is fine */

/*
 * Before a round, outside of any snapshot: makes vectors of the names in the claims that no node has, where the store has
 * vectors and their encoder is installed.  They serve all rounds, until there are too many.  Without `similar` it does nothing.
 */
enum mem_status mem_entities_prepare(struct mem_entities *e, struct mem_str ns, const struct mem_claim_list *claims,
    struct mem_err *err) MEM_CHECKED;

/* A new round over a snapshot: what the last one has resolved is forgotten. */
void mem_entities_snapshot(struct mem_entities *e, struct mem_txn *t);

/* Whose claims come next.  BORROWED until the batch is committed. */
struct mem_entity_source {
	struct mem_id episode;
	bool has_episode;            /* false: by hand, nothing is mentioned */
	uint32_t ord;                /* of the episode */
	struct mem_str ns;
	int64_t created_at;          /* of the episode, and so of the entities that it brings */
	double trust, importance;    /* which these inherit */
};
/*
 * `s`: BORROWED until what mem_entities_queue queues is committed.  `claims`: all that the episode says, for the names in it; NULL: a
 * name means nothing but itself.  BORROWED until the next.
 */
void mem_entities_episode(struct mem_entities *e, const struct mem_entity_source *s, const struct mem_claim_list *claims);

enum mem_entity_method { MEM_ENTITY_COREF, MEM_ENTITY_ALIAS_EXACT, MEM_ENTITY_SIMILAR_NAME, MEM_ENTITY_NEW };
const char *mem_entity_method_word(enum mem_entity_method m); /* coref, alias_exact, similar, new */

struct mem_entity_ref {
	struct mem_id id;
	uint32_t ord;                /* UINT32_MAX: new in this batch */
	struct mem_str name, type;   /* BORROWED until the next round */
	bool is_new;
	double confidence;           /* coref and alias_exact 1, similar the similarity, new .5 */
	enum mem_entity_method method;
	size_t surface;              /* for mem_entity_mention; SIZE_MAX: by its id */
};
/*
 * Which entity the term means, for the episode in hand.  MEM_REFUSED, with its reason: empty (no word is left of the name),
 * too_long; and namespace_denied, since it would be new where the caller may not write.
 */
enum mem_status mem_entity_resolve(struct mem_entities *e, const struct mem_claim_term *t, struct mem_entity_ref *out,
    struct mem_err *err) MEM_CHECKED;
/* The same of a term that names it by its id, which only people do: nothing mentions it.  MEM_REFUSED: not_found. */
enum mem_status mem_entity_resolve_id(struct mem_entities *e, const struct mem_id *id, struct mem_entity_ref *out,
    struct mem_err *err) MEM_CHECKED;
/* The episode in hand mentions what it resolved; a new entity that nobody mentions is not made. */
enum mem_status mem_entity_mention(struct mem_entities *e, const struct mem_entity_ref *r, struct mem_err *err) MEM_CHECKED;

/* Queues new entities, edges `mentions` from episodes and their counts, and rows `canonicalize` of the audit: nothing where the
 * episodes mention them already. */
enum mem_status mem_entities_queue(struct mem_entities *e, struct mem_err *err) MEM_CHECKED;
/* *holds false: an entity that was read has changed since, or one has been made that a name now means. */
enum mem_status mem_entities_hold(struct mem_entities *e, struct mem_txn *t, bool *holds, struct mem_err *err) MEM_CHECKED;

/* ---- which node has a name: entity_find.c -------------------------------- */

struct mem_entity_node {
	uint32_t ord;
	struct mem_id id;
	struct mem_str name, type;   /* as the node writes them, decoded; ARENA */
	bool by_name;                /* false: by an alias, or by its id */
	bool live;
};
/*
 * The entity of this namespace and type that has the name: step alias_exact, and where its place was taken by another, that one.
 * A live node goes before one that is not, of several the oldest.  MEM_NOTFOUND: none has it, or several have it as an alias alone.
 */
enum mem_status mem_entity_find(struct mem_txn *t, struct mem_str ns, struct mem_str type, struct mem_str name, struct mem_arena *a,
    struct mem_entity_node *out, struct mem_err *err) MEM_CHECKED;
/* The entity of this namespace with that id, or the one that took its place.  MEM_NOTFOUND: there is none that the principal may read. */
enum mem_status mem_entity_by_id(struct mem_txn *t, struct mem_str ns, const struct mem_id *id, struct mem_arena *a,
    struct mem_entity_node *out, struct mem_err *err) MEM_CHECKED;

/* Are two names written so that they may be one: a likeness of MEM_ENTITY_LIKENESS at least, and the same numbers in both? */
bool mem_entity_names_alike(struct mem_str a, struct mem_str b);
bool mem_entity_same_numbers(struct mem_str a, struct mem_str b); /* runs of digits, in their order */

#endif
