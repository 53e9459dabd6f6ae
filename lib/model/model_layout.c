/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where everything lies in a model file.  It follows from the model, the precision and the
 * length of the vocabulary; a reader computes it too and compares, so that no place in a file is trusted.
 *
 *   head | directory | vocabulary | word table, positions, norms and biases | matrices
 */
#include "model/model_int.h"

#include <stdio.h>

#define DIMS  MEM_MODEL_DIMS
#define INNER MEM_MODEL_INNER

const struct mem_model_part mem_model_parts[MEM_PARTS] = {
	{ "qkv.weight", true, DIMS, 3 * DIMS },
	{ "qkv.bias", false, 1, 3 * DIMS },
	{ "mix.weight", true, DIMS, DIMS },
	{ "mix.bias", false, 1, DIMS },
	{ "mix_norm.weight", false, 1, DIMS },
	{ "mix_norm.bias", false, 1, DIMS },
	{ "inner.weight", true, DIMS, INNER },
	{ "inner.bias", false, 1, INNER },
	{ "outer.weight", true, INNER, DIMS },
	{ "outer.bias", false, 1, DIMS },
	{ "norm.weight", false, 1, DIMS },
	{ "norm.bias", false, 1, DIMS },
};

enum mem_model_rows
mem_model_choose_rows(const struct mem_model_spec *spec, enum mem_precision p)
{
	if (spec->tokens == MEM_TOKENS_UNIGRAM)
		return MEM_ROWS_Q4; /* as it comes */
	return p == MEM_F32 ? MEM_ROWS_F32 : p == MEM_F16 ? MEM_ROWS_F16 : MEM_ROWS_I8;
}

static uint64_t
align_offset(uint64_t at, uint64_t to)
{
	return (at + to - 1) / to * to;
}

static void
place_tensor(struct mem_model_layout *l, size_t slot, const char *name, uint32_t form, uint32_t rows, uint32_t cols, uint64_t bytes)
{
	struct mem_model_slot *s = &l->slots[slot];
	snprintf(s->name, sizeof s->name, "%s", name);
	s->form = form;
	s->rows = rows;
	s->cols = cols;
	s->bytes = bytes;
	s->at = align_offset(l->bytes, MEM_MODEL_ALIGN);
	l->bytes = s->at + bytes;
}

static void
place_parts(struct mem_model_layout *l, const struct mem_model_spec *spec, enum mem_precision p, bool matrices)
{
	char name[32];
	for (unsigned b = 0; b < spec->layers; b++) {
		for (size_t i = 0; i < MEM_PARTS; i++) {
			const struct mem_model_part *part = &mem_model_parts[i];
			if (part->matrix != matrices)
				continue;
			snprintf(name, sizeof name, "block.%u.%s", b, part->name);
			place_tensor(l, MEM_SLOT_BLOCKS + b * MEM_PARTS + i, name, matrices ? MEM_FORM_MATRIX + p : MEM_FORM_F32,
			    part->in, part->out, matrices ? mem_mat_bytes(p, part->in, part->out)
			    : sizeof(float) * part->in * part->out);
		}
	}
}

void
mem_model_make_layout(struct mem_model_layout *l, const struct mem_model_spec *spec, enum mem_precision p, uint64_t vocab_bytes)
{
	enum mem_model_rows rows = mem_model_choose_rows(spec, p);
	memset(l, 0, sizeof *l);
	l->nslots = MEM_SLOT_BLOCKS + spec->layers * MEM_PARTS;
	l->vocab_at = align_offset(sizeof(struct mem_model_head) + l->nslots * sizeof(struct mem_model_slot), MEM_MODEL_ALIGN);
	l->bytes = l->vocab_at + vocab_bytes;
	place_tensor(l, MEM_SLOT_WORD, "word", (uint32_t)rows, spec->vocab, DIMS, spec->vocab * mem_model_row_bytes(rows));
	place_tensor(l, MEM_SLOT_POSITION, "position", MEM_FORM_F32, MEM_MODEL_PLACES, DIMS, sizeof(float) * MEM_MODEL_PLACES * DIMS);
	place_tensor(l, MEM_SLOT_NORM, "norm.weight", MEM_FORM_F32, 1, DIMS, sizeof(float) * DIMS);
	place_tensor(l, MEM_SLOT_NORM_BIAS, "norm.bias", MEM_FORM_F32, 1, DIMS, sizeof(float) * DIMS);
	place_parts(l, spec, p, false);
	/* Pages of their own: every text touches all of them, and few of the word table's. */
	l->bytes = l->matrices_at = align_offset(l->bytes, MEM_MODEL_PAGE);
	place_parts(l, spec, p, true);
}
