/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The form of a model file, for who makes one and who reads it.
 *
 *   rows           of the word table, in four forms
 *   the file       head, directory, where everything lies
 *   its stamp      whether anybody wrote to it since it was made
 */
#ifndef MEM_MODELFILE_H
#define MEM_MODELFILE_H

#include <sys/stat.h>

#include "model/model.h"
#include "vector/vector.h"

/* ---- rows ------------------------------------------------------------- */

/*
 * Rows of MEM_MODEL_DIMS numbers.  Of a word table a text needs a row for each id, anywhere
 * in it, so that a row brings its scale along: one page, not two.
 */
enum mem_model_rows {
	MEM_ROWS_F32,
	MEM_ROWS_F16,
	MEM_ROWS_I8,    /* float scale; int8_t w[384]: w[i] * scale */
	MEM_ROWS_Q4,    /* of 32 numbers: float16 d; uint8_t b[16]; number j is ((b[j] & 15) - 8) d,
	                 * number j + 16 ((b[j] >> 4) - 8) d */
};
size_t mem_model_row_bytes(enum mem_model_rows form);   /* bytes of a row */
void mem_model_pack_row(unsigned char *to, enum mem_model_rows form, const float *from); /* not Q4 */
#define MEM_Q4_BLOCK 32                 /* numbers, */
#define MEM_Q4_BYTES 18                 /* in so many bytes: see MEM_ROWS_Q4 */
void mem_model_expand_q4(const unsigned char *p, size_t n, float *to);

/* ---- the file --------------------------------------------------------- */

/* Of the file's form: a change to it, to what mem_mat_pack makes or to a vocabulary's layout raises it. */
#define MEM_MODEL_VERSION 2
#define MEM_MODEL_ALIGN   64
#define MEM_MODEL_PAGE    4096
#define MEM_MODEL_BLOCKS_MAX 12         /* of any spec */

/* All numbers are little-endian; `order` tells a machine that is not. */
struct mem_model_head {
	char magic[8];                  /* "MEMMODEL" */
	uint64_t checksum;              /* XXH3-64 of all bytes behind this number */
	uint32_t version, order;
	uint64_t bytes;                 /* of the whole file */
	uint64_t vocab_at, vocab_bytes;
	char name[32];                  /* of the spec */
	char sha256[72];                /* of the source weights, in hex */
	uint32_t precision, nslots;
	uint32_t dims, layers, heads, inner, places, rows;
	char reserved[72];              /* zero */
};
#define MEM_MODEL_MAGIC "MEMMODEL"
#define MEM_MODEL_ORDER 0x01020304u
_Static_assert(sizeof(struct mem_model_head) == 256, "as in the file");

/* The directory: of each tensor its name, its form and its place. */
struct mem_model_slot {
	char name[32];
	uint32_t form;                  /* enum mem_model_rows; MEM_FORM_MATRIX + enum mem_precision */
	uint32_t rows, cols;            /* of a matrix in and out */
	uint32_t reserved;
	uint64_t at, bytes;
};
#define MEM_FORM_F32    ((uint32_t)MEM_ROWS_F32)
#define MEM_FORM_MATRIX 16u
_Static_assert(sizeof(struct mem_model_slot) == 64, "as in the file");

/* What each block has, in the order of the file. */
enum mem_model_part_id {
	MEM_QKV, MEM_QKV_BIAS, MEM_MIX, MEM_MIX_BIAS, MEM_MIX_NORM, MEM_MIX_NORM_BIAS,
	MEM_INNER, MEM_INNER_BIAS, MEM_OUTER, MEM_OUTER_BIAS, MEM_LAST_NORM, MEM_LAST_NORM_BIAS, MEM_PARTS
};
struct mem_model_part {
	const char *name;
	bool matrix;
	uint32_t in, out;
};
extern const struct mem_model_part mem_model_parts[MEM_PARTS];

enum { MEM_SLOT_WORD, MEM_SLOT_POSITION, MEM_SLOT_NORM, MEM_SLOT_NORM_BIAS, MEM_SLOT_BLOCKS };
#define MEM_SLOTS_MAX (MEM_SLOT_BLOCKS + MEM_MODEL_BLOCKS_MAX * MEM_PARTS)
struct mem_model_layout {
	struct mem_model_slot slots[MEM_SLOTS_MAX];
	size_t nslots;
	uint64_t vocab_at, matrices_at, bytes;
};
void mem_model_make_layout(struct mem_model_layout *l, const struct mem_model_spec *spec, enum mem_precision p,
    uint64_t vocab_bytes);
enum mem_model_rows mem_model_choose_rows(const struct mem_model_spec *spec, enum mem_precision p);

/* ---- its stamp -------------------------------------------------------- */

uint64_t mem_model_checksum(const void *file, size_t bytes);
/*
 * The nanoseconds of the file's modification time hold its checksum; the seconds are the time of writing, which the
 * inode's change time confirms.  So a reader sees whether anybody wrote to the file since, even if they set the
 * modification time back, and need not read all of it each time.
 */
void mem_model_make_stamp(struct timespec times[2], uint64_t checksum); /* for futimens, now */
bool mem_model_is_stamped(const struct stat *sb, uint64_t checksum);

#endif
