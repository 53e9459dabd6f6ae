/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: what a round of names has resolved. */
#ifndef MEM_ENTITY_INT_H
#define MEM_ENTITY_INT_H

#include "base/base.h"
#include "belief/entity.h"
#include "clean/clean_text.h"
#include "embed/embed.h"
#include "store/node.h"

/* A node that names mean. */
struct entity_target {
	struct mem_id id;
	uint32_t ord;                /* UINT32_MAX: new */
	struct mem_str ns, name, type;
	uint64_t text;               /* hash of the node as it was read */
	size_t next;                 /* of the same place in the table; SIZE_MAX: none */
	int64_t mentions;            /* that it has already */
	int64_t added;               /* and those that come to it */
	uint32_t mentioned_in;       /* the last episode that mentions it; UINT32_MAX: none */
	const struct mem_entity_source *source; /* the first that mentions it; NULL: none does */
	struct mem_clean_text clean_name, clean_type; /* of a new one */
};

/* One that was near, but not near enough. */
struct entity_candidate {
	struct mem_id id;
	double similarity, likeness; /* NAN: not known */
};

/* A name as it stands in texts, and what it means. */
struct entity_surface {
	struct mem_str ns, type, folded;
	size_t target;
	enum mem_entity_method method;
	double confidence;
	int64_t coref;               /* mentions by shorter names */
	bool by_alias;               /* a node with this very name would be meant before */
	bool audited;                /* it brings something new */
	struct entity_candidate *candidates; /* ARENA */
	size_t ncandidates;
	size_t next;                 /* of the same place in the table; SIZE_MAX: none */
};

struct entity_mention {
	size_t target;
	struct mem_id episode;
};

/* A name of the episode in hand, and the one that it is short for. */
struct entity_heard {
	struct mem_str text, type, folded;
	size_t longer;               /* SIZE_MAX: itself */
};

/* The vector of a name that no node had. */
struct entity_vector {
	struct mem_str type, folded, name;
	float *v;                    /* NULL: none could be made */
	size_t next;                 /* as of surfaces */
};

enum { ENTITY_PLACES = 4096, ENTITY_HEARD_MAX = 256, ENTITY_VECTORS_MAX = 8192 };
struct mem_entities {
	struct mem_writer *writer;
	struct mem_entities_options o;
	struct mem_query_encoder encoder;
	struct mem_txn *t;
	uint64_t seq;                /* of the snapshot */
	struct mem_arena arena;      /* of the round */
	struct entity_target *targets;
	size_t ntargets, targets_cap;
	struct entity_surface *surfaces;
	size_t nsurfaces, surfaces_cap;
	size_t places[ENTITY_PLACES]; /* of surfaces by hash; SIZE_MAX: none */
	size_t ords[ENTITY_PLACES];  /* of targets by ord */
	struct entity_mention *mentions;
	size_t nmentions, mentions_cap;
	const struct mem_entity_source *source;
	const struct mem_claim_list *claims;
	bool heard;                  /* the claims' names are listed */
	struct entity_heard *names;
	size_t nnames, names_cap;
	struct mem_buf folded;

	/* For all rounds: */
	struct mem_arena lasting;
	struct entity_vector *vectors;
	size_t nvectors, vectors_cap;
	size_t vector_places[ENTITY_PLACES];
};

/* What the term stands for among the names of the episode in hand: *method is set if it is another one. */
struct mem_claim_term entity_coref(struct mem_entities *e, const struct mem_claim_term *t, bool *found);
/* The nearest node to a name that nothing has, into *s, with candidates; s->target stays where none is near enough. */
enum mem_status entity_find_similar(struct mem_entities *e, struct entity_surface *s, struct mem_str name, struct mem_err *err);
/* The place of a node among the targets, which it joins where it is not there. */
enum mem_status entity_target_at(struct mem_entities *e, uint32_t ord, struct mem_str ns, struct mem_str type, size_t *target,
    struct mem_err *err);
void entity_add_candidate(struct mem_entities *e, struct entity_surface *s, const struct entity_candidate *c);
size_t entity_name_place(struct mem_str ns, struct mem_str type, struct mem_str folded); /* in a table of ENTITY_PLACES */

#endif
