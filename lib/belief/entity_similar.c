/* SPDX-License-Identifier: Apache-2.0 */
/* Step `similar`: nodes whose names mean and read nearly the same. */
#include "belief/entity_int.h"

#include <stdlib.h>
#include <string.h>

#include "record/record.h"
#include "text/text.h"

/* ---- vectors of names -------------------------------------------------------- */

static size_t
find_name_vector(const struct mem_entities *e, size_t place, struct mem_str type, struct mem_str folded)
{
	size_t i = e->vector_places[place];
	while (i != SIZE_MAX && !(mem_str_eq(e->vectors[i].folded, folded) && mem_str_eq(e->vectors[i].type, type)))
		i = e->vectors[i].next;
	return i;
}

/* Room for one; its vector is not there yet. */
static void
want_name_vector(struct mem_entities *e, size_t place, struct mem_str type, struct mem_str folded, struct mem_str name)
{
	e->vectors = mem_grow(e->vectors, &e->vectors_cap, e->nvectors + 1, sizeof *e->vectors);
	e->vectors[e->nvectors] = (struct entity_vector){ .type = mem_arena_str(&e->lasting, type),
		.folded = mem_arena_str(&e->lasting, folded), .name = mem_arena_str(&e->lasting, name), .next = e->vector_places[place] };
	e->vector_places[place] = e->nvectors++;
}

static enum mem_status
want_term_vector(struct mem_entities *e, struct mem_txn *t, struct mem_str ns, const struct mem_claim_term *term, struct mem_arena *a,
    struct mem_err *err)
{
	struct mem_entity_node there;
	if (term->kind != MEM_TERM_ENTITY || term->text.n > MEM_ENTITY_NAME_MAX || e->nvectors >= ENTITY_VECTORS_MAX)
		return MEM_OK;
	struct mem_str folded = mem_text_folded(a, term->text);
	size_t place = entity_name_place(MEM_STR(""), term->type, folded);
	if (folded.n == 0 || find_name_vector(e, place, term->type, folded) != SIZE_MAX)
		return MEM_OK;
	enum mem_status st = mem_entity_find(t, ns, term->type, term->text, a, &there, err);
	if (st == MEM_NOTFOUND)
		want_name_vector(e, place, term->type, folded, term->text);
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

/* As the vector of a node with this name is made. */
static enum mem_status
make_name_vector(struct mem_entities *e, struct entity_vector *v, struct mem_err *err)
{
	double weight;
	float *made = NULL;
	bool cut;
	enum mem_status st = mem_embed_query(&e->encoder, MEM_AS_TEXT, v->name, &made, &weight, &cut, NULL, err);
	if (st == MEM_OK) {
		size_t n = e->encoder.model.dims;
		v->v = mem_arena_alloc(&e->lasting, n * sizeof *v->v);
		memcpy(v->v, made, n * sizeof *v->v);
	}
	free(made);
	return st;
}

static void
forget_vectors(struct mem_entities *e)
{
	e->nvectors = 0;
	mem_arena_reset(&e->lasting);
	for (size_t i = 0; i < ENTITY_PLACES; i++)
		e->vector_places[i] = SIZE_MAX;
}

static enum mem_status
want_claim_vectors(struct mem_entities *e, struct mem_str ns, const struct mem_claim_list *claims, struct mem_err *err)
{
	struct mem_arena a = { 0 };
	struct mem_txn *t = NULL;
	enum mem_status st = mem_txn_read(&t, mem_writer_store(e->writer), err);
	for (size_t i = 0; i < claims->n && st == MEM_OK; i++) {
		st = want_term_vector(e, t, ns, &claims->v[i].subject, &a, err);
		if (st == MEM_OK)
			st = want_term_vector(e, t, ns, &claims->v[i].object, &a, err);
	}
	mem_txn_end(t);
	mem_arena_release(&a);
	return st;
}

enum mem_status
mem_entities_prepare(struct mem_entities *e, struct mem_str ns, const struct mem_claim_list *claims, struct mem_err *err)
{
	struct mem_encoder *encoder;
	if (!e->o.similar || mem_encoder_for_query(&e->encoder, &encoder, NULL) != MEM_OK)
		return MEM_OK; /* the other steps do without */
	if (e->nvectors >= ENTITY_VECTORS_MAX)
		forget_vectors(e);
	size_t first = e->nvectors;
	enum mem_status st = want_claim_vectors(e, ns, claims, err);
	for (size_t i = first; i < e->nvectors && st == MEM_OK; i++)
		if (make_name_vector(e, &e->vectors[i], NULL) != MEM_OK)
			break;
	return st;
}

/* ---- what is near -------------------------------------------------------------- */

/* The name and type of a node; false: it has none, or another type. */
static bool
read_near_name(struct mem_entities *e, uint32_t ord, struct mem_str type, struct mem_str *name)
{
	struct mem_str json;
	if (mem_node_text_at(e->t, ord, &json, NULL) != MEM_OK)
		return false;
	struct mem_json whole = mem_json_object(json);
	struct mem_json has = mem_json_member(whole, "type");
	struct mem_str is = mem_json_there(has) && has.type == MEM_JSON_STRING ? mem_json_text(&e->arena, has) : MEM_STR("");
	*name = mem_json_text(&e->arena, mem_json_member(whole, "name"));
	return name->p != NULL && mem_str_eq(is, type);
}

/* Nodes by similarity, best first: the first that is also written alike is meant, the others are candidates. */
static enum mem_status
judge_near_nodes(struct mem_entities *e, struct entity_surface *s, struct mem_str name, const struct mem_near *near, size_t n,
    struct mem_err *err)
{
	for (size_t i = 0; i < n; i++) {
		struct mem_str other;
		if (!read_near_name(e, near[i].ord, s->type, &other))
			continue;
		if (s->target == SIZE_MAX && near[i].score >= MEM_ENTITY_SIMILAR && mem_entity_names_alike(name, other)) {
			s->method = MEM_ENTITY_SIMILAR_NAME;
			s->confidence = near[i].score;
			enum mem_status st = entity_target_at(e, near[i].ord, s->ns, s->type, &s->target, err);
			if (st != MEM_OK)
				return st;
		} else {
			entity_add_candidate(e, s, &(struct entity_candidate){ near[i].id, near[i].score, mem_text_likeness(name, other) });
		}
	}
	return MEM_OK;
}

/* The namespace with its compartments.  OWNS *ns.  None: *n is 0. */
static enum mem_status
find_ns_family(struct mem_txn *t, struct mem_str name, struct mem_ns **ns, size_t *n, struct mem_err *err)
{
	struct mem_ns *seen = NULL;
	size_t nseen = 0;
	*n = 0;
	enum mem_status st = mem_ns_visible(t, &seen, &nseen, err);
	for (size_t i = 0; i < nseen && st == MEM_OK && *n == 0; i++)
		if (seen[i].root == seen[i].number && mem_str_is(name, seen[i].name))
			st = mem_ns_family(t, seen[i].number, ns, n, err);
	free(seen);
	return st;
}

enum mem_status
entity_find_similar(struct mem_entities *e, struct entity_surface *s, struct mem_str name, struct mem_err *err)
{
	struct mem_ns *ns = NULL;
	struct mem_near *near = NULL;
	size_t nns = 0, n = 0;
	size_t at = find_name_vector(e, entity_name_place(MEM_STR(""), s->type, s->folded), s->type, s->folded);
	if (at == SIZE_MAX || e->vectors[at].v == NULL)
		return MEM_OK;
	enum mem_status st = find_ns_family(e->t, s->ns, &ns, &nns, err);
	struct mem_near_query q = { .ns = ns, .nns = nns, .kinds = mem_kind_set_of(MEM_KIND_ENTITY), .vector = e->vectors[at].v,
		.least = MEM_ENTITY_CANDIDATE_SIMILAR, .limit = MEM_ENTITY_CANDIDATES, .by_index = true };
	if (st == MEM_OK && nns > 0)
		st = mem_near_search(e->t, &q, &near, &n, err);
	if (st == MEM_OK)
		st = judge_near_nodes(e, s, name, near, n, err);
	free(near);
	free(ns);
	return st;
}
