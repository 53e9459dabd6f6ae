/* SPDX-License-Identifier: Apache-2.0 */
/* The cascade: which node a name means. */
#include "belief/entity_int.h"

#include <stdlib.h>
#include <string.h>

#include "record/record.h"
#include "store/edge.h"
#include "text/text.h"

/* ---- a round ---------------------------------------------------------------- */

enum mem_status
mem_entities_new(struct mem_entities **out, struct mem_writer *w, const struct mem_entities_options *o, struct mem_err *err)
{
	(void)err;
	struct mem_entities *e = mem_xcalloc(1, sizeof *e);
	e->writer = w;
	e->o = *o;
	e->encoder.store = mem_writer_store(w);
	for (size_t i = 0; i < ENTITY_PLACES; i++)
		e->vector_places[i] = SIZE_MAX;
	*out = e;
	return MEM_OK;
}

void
mem_entities_free(struct mem_entities *e)
{
	if (e == NULL)
		return;
	mem_query_encoder_close(&e->encoder);
	mem_arena_release(&e->arena);
	mem_arena_release(&e->lasting);
	mem_buf_release(&e->folded);
	free(e->targets);
	free(e->surfaces);
	free(e->mentions);
	free(e->names);
	free(e->vectors);
	free(e);
}

void
mem_entities_snapshot(struct mem_entities *e, struct mem_txn *t)
{
	e->t = t;
	e->seq = mem_txn_seq(t);
	e->ntargets = e->nsurfaces = e->nmentions = e->nnames = 0;
	e->source = NULL;
	e->claims = NULL;
	for (size_t i = 0; i < ENTITY_PLACES; i++)
		e->places[i] = e->ords[i] = SIZE_MAX;
	mem_arena_reset(&e->arena);
}

void
mem_entities_episode(struct mem_entities *e, const struct mem_entity_source *s, const struct mem_claim_list *claims)
{
	e->source = s;
	e->claims = claims;
	e->heard = false;
}

const char *
mem_entity_method_word(enum mem_entity_method m)
{
	static const char *const words[] = {
		[MEM_ENTITY_COREF] = "coref", [MEM_ENTITY_ALIAS_EXACT] = "alias_exact", [MEM_ENTITY_SIMILAR_NAME] = "similar",
		[MEM_ENTITY_NEW] = "new",
	};
	return words[m];
}

/* ---- targets ----------------------------------------------------------------- */

static struct entity_target *
add_target(struct mem_entities *e)
{
	e->targets = mem_grow(e->targets, &e->targets_cap, e->ntargets + 1, sizeof *e->targets);
	struct entity_target *x = &e->targets[e->ntargets++];
	*x = (struct entity_target){ .ord = UINT32_MAX, .mentioned_in = UINT32_MAX };
	return x;
}

enum mem_status
entity_target_at(struct mem_entities *e, uint32_t ord, struct mem_str ns, struct mem_str type, size_t *target, struct mem_err *err)
{
	struct mem_node node;
	size_t *place = &e->ords[ord % ENTITY_PLACES];
	for (*target = *place; *target != SIZE_MAX; *target = e->targets[*target].next)
		if (e->targets[*target].ord == ord)
			return MEM_OK;
	enum mem_status st = mem_node_at(e->t, ord, &node, err);
	if (st != MEM_OK)
		return st;
	struct mem_json whole = mem_json_object(node.json);
	struct mem_str name = mem_json_text(&e->arena, mem_json_member(whole, "name"));
	struct entity_target *x = add_target(e);
	x->id = node.attr->id;
	x->ord = ord;
	x->ns = mem_arena_str(&e->arena, ns);
	x->name = name.p != NULL ? name : MEM_STR("");
	x->type = mem_arena_str(&e->arena, type);
	x->text = mem_hash_fast(node.json.p, node.json.n);
	if (!mem_json_int(mem_json_member(whole, "mentions"), &x->mentions) || x->mentions < 0)
		x->mentions = 0;
	x->next = *place;
	*target = *place = e->ntargets - 1;
	return MEM_OK;
}

/* Is a word of memkit's own kind, which needs no cleaning? */
static bool
needs_no_cleaning(struct mem_str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!((s.p[i] >= 'a' && s.p[i] <= 'z') || (s.p[i] >= '0' && s.p[i] <= '9') || s.p[i] == '_' || s.p[i] == '-'))
			return false;
	return s.n > 0;
}

/* The text as a value, which the sanitiser leaves as it is.  MEM_REFUSED: it does not. */
static enum mem_status
clean_entity_text(struct mem_entities *e, const char *field, struct mem_str text, struct mem_clean_text *out, struct mem_err *err)
{
	struct mem_finding_list found = { 0 };
	if (needs_no_cleaning(text)) {
		*out = mem_clean_word(mem_writer_arena(e->writer), text);
		return MEM_OK;
	}
	enum mem_status st = mem_write_clean_text(e->writer, out, field, text, &found, err);
	if (st == MEM_OK && (found.nredactions > 0 || mem_flags_cut(found.flags, found.nflags)))
		st = mem_err_record(err, "residue", 0, "a name holds what is not kept");
	return st;
}

/* A node to be made for the name. */
static enum mem_status
add_new_target(struct mem_entities *e, struct mem_str name, const struct entity_surface *s, size_t *target, struct mem_err *err)
{
	const struct mem_access_request to = { .access = MEM_WRITE, .ns = s->ns };
	struct mem_clean_text clean_name, clean_type = mem_clean_absent();
	if (!mem_store_allows(mem_writer_store(e->writer), &to))
		return mem_err_record(err, "namespace_denied", 0, "%.*s may not be written", (int)s->ns.n, s->ns.p);
	enum mem_status st = clean_entity_text(e, "name", name, &clean_name, err);
	if (st == MEM_OK && s->type.n > 0)
		st = clean_entity_text(e, "type", s->type, &clean_type, err);
	if (st != MEM_OK)
		return st;
	struct entity_target *x = add_target(e);
	x->ns = s->ns;
	x->name = mem_arena_str(&e->arena, name);
	x->type = s->type;
	x->id = mem_id_v8(s->ns, mem_write_identity(&e->arena, MEM_KIND_ENTITY, s->type, name));
	x->clean_name = clean_name;
	x->clean_type = clean_type;
	*target = e->ntargets - 1;
	return MEM_OK;
}

/* ---- surfaces ------------------------------------------------------------------ */

size_t
entity_name_place(struct mem_str ns, struct mem_str type, struct mem_str folded)
{
	static const uint8_t key[16] = { 1 };
	return (mem_hash64(key, folded) ^ mem_hash64(key, type) * 3 ^ mem_hash64(key, ns) * 5) % ENTITY_PLACES;
}

static size_t
find_surface(const struct mem_entities *e, size_t place, struct mem_str ns, struct mem_str type, struct mem_str folded)
{
	size_t i = e->places[place];
	while (i != SIZE_MAX && !(mem_str_eq(e->surfaces[i].folded, folded) && mem_str_eq(e->surfaces[i].type, type) &&
	    mem_str_eq(e->surfaces[i].ns, ns)))
		i = e->surfaces[i].next;
	return i;
}

void
entity_add_candidate(struct mem_entities *e, struct entity_surface *s, const struct entity_candidate *c)
{
	if (s->candidates == NULL)
		s->candidates = mem_arena_alloc(&e->arena, MEM_ENTITY_CANDIDATES * sizeof *s->candidates);
	if (s->ncandidates < MEM_ENTITY_CANDIDATES)
		s->candidates[s->ncandidates++] = *c;
}

/* The node that would be made for the name, and is there under another: the name was taken from it (care/erase_names.c). */
static enum mem_status
find_made(struct mem_entities *e, struct mem_str name, struct entity_surface *s, struct mem_err *err)
{
	const struct mem_id id = mem_id_v8(s->ns, mem_write_identity(&e->arena, MEM_KIND_ENTITY, s->type, name));
	struct mem_entity_node found;
	enum mem_status st = mem_entity_by_id(e->t, s->ns, &id, &e->arena, &found, err);
	if (st == MEM_OK) {
		s->method = MEM_ENTITY_ALIAS_EXACT;
		s->confidence = 1;
		st = entity_target_at(e, found.ord, s->ns, s->type, &s->target, err);
	}
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

/* Steps alias_exact, similar and new, for a name that nobody had before in this round. */
static enum mem_status
resolve_surface(struct mem_entities *e, struct mem_str name, struct entity_surface *s, struct mem_err *err)
{
	struct mem_entity_node found;
	s->target = SIZE_MAX;
	enum mem_status st = mem_entity_find(e->t, s->ns, s->type, name, &e->arena, &found, err);
	if (st == MEM_OK) {
		s->method = MEM_ENTITY_ALIAS_EXACT;
		s->confidence = 1;
		s->by_alias = !found.by_name;
		return entity_target_at(e, found.ord, s->ns, s->type, &s->target, err);
	}
	if (st != MEM_NOTFOUND)
		return st;
	st = find_made(e, name, s, err);
	if (st == MEM_OK && s->target == SIZE_MAX && e->o.similar)
		st = entity_find_similar(e, s, name, err);
	if (st != MEM_OK || s->target != SIZE_MAX)
		return st;
	s->method = MEM_ENTITY_NEW;
	s->confidence = .5;
	return add_new_target(e, name, s, &s->target, err);
}

static enum mem_status
find_or_add_surface(struct mem_entities *e, const struct mem_claim_term *t, size_t *surface, struct mem_err *err)
{
	struct mem_str ns = e->source->ns, folded;
	mem_buf_reset(&e->folded);
	mem_text_fold(&e->folded, t->text);
	folded = mem_buf_span(&e->folded);
	if (folded.n == 0)
		return mem_err_record(err, "empty", 0, "no word is left of a name");
	size_t place = entity_name_place(ns, t->type, folded);
	*surface = find_surface(e, place, ns, t->type, folded);
	if (*surface != SIZE_MAX)
		return MEM_OK;
	struct entity_surface s = { .ns = mem_arena_str(&e->arena, ns), .type = mem_arena_str(&e->arena, t->type),
		.folded = mem_arena_str(&e->arena, folded), .next = e->places[place] };
	enum mem_status st = resolve_surface(e, t->text, &s, err);
	if (st != MEM_OK)
		return st;
	e->surfaces = mem_grow(e->surfaces, &e->surfaces_cap, e->nsurfaces + 1, sizeof *e->surfaces);
	e->surfaces[e->nsurfaces] = s;
	*surface = e->places[place] = e->nsurfaces++;
	return MEM_OK;
}

/* ---- mentions ------------------------------------------------------------------ */

/* The episode in hand mentions the target, if it does not do so already. */
static enum mem_status
note_mention(struct mem_entities *e, size_t target, bool *brings, struct mem_err *err)
{
	const struct mem_entity_source *s = e->source;
	struct entity_target *x = &e->targets[target];
	struct mem_edge there;
	*brings = false;
	if (x->source == NULL)
		x->source = s;
	if (!s->has_episode) {
		*brings = x->ord == UINT32_MAX;
		return MEM_OK;
	}
	if (x->mentioned_in == s->ord)
		return MEM_OK;
	x->mentioned_in = s->ord;
	enum mem_status st = x->ord != UINT32_MAX ? mem_edge_find(e->t, "mentions", s->ord, x->ord, &there, err) : MEM_NOTFOUND;
	if (st != MEM_NOTFOUND)
		return st;
	e->mentions = mem_grow(e->mentions, &e->mentions_cap, e->nmentions + 1, sizeof *e->mentions);
	e->mentions[e->nmentions++] = (struct entity_mention){ target, s->episode };
	x->added++;
	*brings = true;
	return MEM_OK;
}

enum mem_status
mem_entity_resolve(struct mem_entities *e, const struct mem_claim_term *t, struct mem_entity_ref *out, struct mem_err *err)
{
	bool short_for;
	size_t surface = SIZE_MAX;
	if (t->text.n > MEM_ENTITY_NAME_MAX || t->type.n > MEM_NAME_TYPE_MAX)
		return mem_err_record(err, "too_long", 0, "a name has at most %d bytes", MEM_ENTITY_NAME_MAX);
	struct mem_claim_term meant = entity_coref(e, t, &short_for);
	enum mem_status st = find_or_add_surface(e, &meant, &surface, err);
	if (st != MEM_OK)
		return st;
	const struct entity_surface *s = &e->surfaces[surface];
	const struct entity_target *x = &e->targets[s->target];
	*out = (struct mem_entity_ref){ .id = x->id, .ord = x->ord, .name = x->name, .type = x->type, .is_new = x->ord == UINT32_MAX,
		.method = short_for ? MEM_ENTITY_COREF : s->method, .confidence = short_for ? 1 : s->confidence,
		.surface = surface };
	return MEM_OK;
}

enum mem_status
mem_entity_resolve_id(struct mem_entities *e, const struct mem_id *id, struct mem_entity_ref *out, struct mem_err *err)
{
	struct mem_entity_node found;
	size_t target;
	enum mem_status st = mem_entity_by_id(e->t, e->source->ns, id, &e->arena, &found, err);
	if (st == MEM_NOTFOUND)
		return mem_err_record(err, "not_found", 0, "no entity of %.*s has that id", (int)e->source->ns.n, e->source->ns.p);
	if (st == MEM_OK)
		st = entity_target_at(e, found.ord, e->source->ns, found.type, &target, err);
	if (st == MEM_OK)
		*out = (struct mem_entity_ref){ .id = found.id, .ord = found.ord, .name = found.name, .type = found.type,
			.method = MEM_ENTITY_ALIAS_EXACT, .confidence = 1, .surface = SIZE_MAX };
	return st;
}

enum mem_status
mem_entity_mention(struct mem_entities *e, const struct mem_entity_ref *r, struct mem_err *err)
{
	if (r->surface == SIZE_MAX)
		return MEM_OK;
	struct entity_surface *s = &e->surfaces[r->surface];
	bool brings = false;
	enum mem_status st = note_mention(e, s->target, &brings, err);
	s->audited = s->audited || brings;
	s->coref += r->method == MEM_ENTITY_COREF && brings;
	return st;
}
