/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A store's vectors made anew by another model.  They are gathered in a file beside the data while those that are
 * there go on serving, and then exchanged; whoever is interrupted goes on from the file.
 *
 *   vectors.new    a head, then for each vector: XXH3 of what follows, of the text; ord, passage and how many there are,
 *                  its span; the floats.  A node counts once all its passages are there.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "upkeep/upkeep_int.h"
#include "write/tidy.h"

#define FILE_NAME "vectors.new"

enum {
	LOOK_NODES = 1000,              /* in one snapshot */
	DIMS_MAX = 1 << 16,
};

struct vectors_file_head {
	char magic[8];
	uint32_t dims, zero;
	char name[64], sha256[65];
	char zeros[7];
};
_Static_assert(sizeof(struct vectors_file_head) == 152, "written as it lies in memory");
static const char magic[8] = "memvec2";

struct vectors_file_row {
	uint64_t sum, text_hash;
	uint32_t ord, passage, n, zero;
	struct mem_vectors_span span;
	float v[];
};

struct rebuild {
	struct mem_index *m;
	const struct mem_pending_options *options;
	struct mem_pending_done *done;
	struct mem_encoder *encoder;
	const struct mem_encoder_info *info;
	struct upkeep_batch batch;
	int dirfd, fd;
	uint32_t dims;                  /* of the file; 0: there is none yet */
	uint64_t rows, moved, put;      /* in the file; of them put in place; by the transaction under way */
	uint64_t nodes;                 /* whose rows are in the file */
	uint32_t next;                  /* the first ord that was not looked at */
	bool end;
	uint64_t total, waiting;        /* nodes with a vector; without */
	struct vectors_file_row *row;                /* room for one */
	size_t row_bytes;
};

/* ---- the file ----------------------------------------------------------- */

static enum mem_status
fail_new_file(enum mem_status st, struct mem_err *err)
{
	return mem_err_sys(err, st, "cannot write '%s'", FILE_NAME);
}

static void
set_row_dims(struct rebuild *r, uint32_t dims)
{
	r->dims = dims;
	r->row_bytes = (sizeof *r->row + dims * sizeof *r->row->v + 7) & ~(size_t)7;
	r->row = mem_xrealloc(r->row, 1, r->row_bytes);
	memset(r->row, 0, r->row_bytes);
}

static uint64_t
sum_row(const struct rebuild *r)
{
	return mem_hash_fast(&r->row->text_hash, r->row_bytes - sizeof r->row->sum);
}

/* Row i into r->row; false: it is not there, or not whole. */
static bool
read_file_row(struct rebuild *r, uint64_t i)
{
	off_t at = (off_t)(sizeof(struct vectors_file_head) + i * r->row_bytes);
	return pread(r->fd, r->row, r->row_bytes, at) == (ssize_t)r->row_bytes && r->row->sum == sum_row(r);
}

/* Rows of the next node, if all of them are there. */
static bool
skip_file_node(struct rebuild *r)
{
	if (!read_file_row(r, r->rows) || r->row->ord < r->next || r->row->ord == UINT32_MAX)
		return false;
	uint32_t ord = r->row->ord, n = r->row->n;
	for (uint32_t i = 0; i < n; i++)
		if (!read_file_row(r, r->rows + i) || r->row->ord != ord || r->row->passage != i || r->row->n != n)
			return false;
	r->rows += n;
	r->nodes++;
	r->next = ord + 1;
	return n > 0;
}

/* Finds what another run left, as long as it is for this model; false: there is nothing to go on from. */
static bool
resume_file(struct rebuild *r)
{
	struct vectors_file_head h;
	r->fd = openat(r->dirfd, FILE_NAME, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (r->fd < 0)
		return false;
	if (pread(r->fd, &h, sizeof h, 0) != sizeof h || memcmp(h.magic, magic, sizeof magic) != 0 ||
	    h.dims == 0 || h.dims > DIMS_MAX || (r->info->dims != 0 && h.dims != r->info->dims) ||
	    strncmp(h.name, r->info->name, sizeof h.name) != 0 || strncmp(h.sha256, r->info->sha256, sizeof h.sha256) != 0)
		return false;
	set_row_dims(r, h.dims);
	while (skip_file_node(r))
		;
	return true;
}

static enum mem_status
start_file(struct rebuild *r, struct mem_err *err)
{
	struct vectors_file_head h = { .dims = r->info->dims };
	enum mem_status st = mem_encoder_dims_check(r->info, err);
	if (st != MEM_OK)
		return st;
	memcpy(h.magic, magic, sizeof magic);
	memcpy(h.name, r->info->name, sizeof h.name);
	memcpy(h.sha256, r->info->sha256, sizeof h.sha256);
	if (r->fd >= 0)
		close(r->fd);
	r->rows = r->nodes = 0;
	r->fd = openat(r->dirfd, FILE_NAME, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (r->fd < 0)
		return fail_new_file(MEM_FAIL, err);
	set_row_dims(r, h.dims);
	return mem_fd_write(r->fd, &h, sizeof h, err);
}

static void
append_file_node(struct rebuild *r, struct mem_buf *out, const struct upkeep_node *w)
{
	for (size_t i = 0; i < w->passages.n; i++) {
		r->row->text_hash = w->text_hash;
		r->row->ord = w->ord;
		r->row->passage = (uint32_t)i;
		r->row->n = (uint32_t)w->passages.n;
		r->row->span = w->vectors[i].span;
		memcpy(r->row->v, w->vectors[i].v, r->dims * sizeof *r->row->v);
		r->row->sum = sum_row(r);
		mem_buf_put(out, r->row, r->row_bytes);
	}
}

/* Behind the rows that are whole. */
static enum mem_status
write_file_rows(struct rebuild *r, struct mem_err *err)
{
	struct mem_buf out = { 0 };
	off_t at = (off_t)(sizeof(struct vectors_file_head) + r->rows * r->row_bytes);
	uint64_t n = 0, nodes = 0;
	for (size_t i = 0; i < r->batch.ready; i++) {
		const struct upkeep_node *w = &r->batch.nodes[i];
		if (w->vectors == NULL)
			continue;
		append_file_node(r, &out, w);
		n += w->passages.n;
		nodes++;
	}
	enum mem_status st = MEM_OK;
	if (ftruncate(r->fd, at) != 0 || lseek(r->fd, at, SEEK_SET) < 0)
		st = fail_new_file(MEM_FAIL, err);
	if (st == MEM_OK && n > 0)
		st = mem_fd_write(r->fd, out.data, out.len, err);
	mem_buf_release(&out);
	if (st == MEM_OK) {
		r->rows += n;
		r->nodes += nodes;
		r->done->embedded += nodes;
	}
	return st;
}

/* ---- gathering ---------------------------------------------------------- */

/* The next nodes that have a vector; those without one are mem_pending_run's. */
static enum mem_status
read_vector_batch(struct rebuild *r, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_cursor *c = NULL;
	uint8_t key[4];
	size_t max = r->options->max > 0 && (uint64_t)r->options->max - r->done->embedded < UPKEEP_BATCH_ROWS
	    ? (size_t)((uint64_t)r->options->max - r->done->embedded) : UPKEEP_BATCH_ROWS;
	upkeep_batch_reset(&r->batch);
	mem_be32(key, r->next);
	enum mem_status st = mem_txn_read(&t, r->m->store, err);
	if (st == MEM_OK)
		st = mem_cursor_open(&c, t, MEM_T_NODE, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, (struct mem_str){ (const char *)key, sizeof key }, err);
	for (int i = 0; st == MEM_OK && i < LOOK_NODES && r->batch.n < max && !upkeep_batch_full(&r->batch); i++) {
		struct mem_str k = mem_cursor_key(c);
		uint32_t ord = k.n == 4 ? mem_be32_get((const uint8_t *)k.p) : UINT32_MAX;
		enum mem_vector_state v = MEM_VECTOR_NONE;
		if (k.n == 4)
			st = mem_vector_state_get(t, ord, &v, err);
		if (st == MEM_OK && (v == MEM_VECTOR_THERE || v == MEM_VECTOR_BOTH || v == MEM_VECTOR_BAD))
			st = upkeep_batch_add(&r->batch, t, ord, err);
		if (st == MEM_OK && k.n == 4)
			r->next = ord + 1;
		if (st == MEM_OK)
			st = mem_cursor_next(c, err);
	}
	r->end = st == MEM_END;
	mem_cursor_close(c);
	mem_txn_end(t);
	return st == MEM_END ? MEM_OK : st;
}

static bool
is_rebuild_stopped(const struct rebuild *r)
{
	return upkeep_stop_wanted(r->options->stop_fd) || (r->options->max > 0 && r->done->embedded >= (uint64_t)r->options->max);
}

static enum mem_status
encode_rebuild_batch(struct rebuild *r, struct mem_err *err)
{
	struct mem_err why;
	enum mem_status encoded = MEM_OK, st = MEM_OK;
	while (encoded == MEM_OK && r->batch.ready < r->batch.n && !is_rebuild_stopped(r)) {
		encoded = upkeep_batch_encode(&r->batch, r->encoder, NULL, &why);
		if (r->options->progress != NULL)
			r->options->progress(r->options->ctx, r->nodes + r->batch.ready, r->total);
	}
	if (r->batch.dims > 0 && r->dims != r->info->dims) {
		/* A server whose model has become another one under the same name: from the beginning. */
		bool again = r->rows > 0;
		st = start_file(r, err);
		if (again) {
			r->next = 0;
			r->end = false;
			return st;
		}
	}
	if (st == MEM_OK && r->batch.dims > 0)
		st = write_file_rows(r, err);
	if (st != MEM_OK || encoded == MEM_OK)
		return st;
	*err = why;
	return encoded;
}

/* Until every node that has a vector is in the file; *whole: it is so. */
static enum mem_status
gather_vectors(struct rebuild *r, bool *whole, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	*whole = false;
	while (st == MEM_OK && !r->end && !is_rebuild_stopped(r)) {
		st = read_vector_batch(r, err);
		if (st == MEM_OK) {
			upkeep_batch_divide(&r->batch);
			st = encode_rebuild_batch(r, err);
		}
		/* What was read and not encoded is read again by the next run. */
		if (st == MEM_OK && r->batch.ready < r->batch.n)
			return MEM_OK;
	}
	*whole = st == MEM_OK && r->end;
	return st;
}

/* ---- exchanging --------------------------------------------------------- */

static enum mem_status
clear_vectors(struct mem_txn *t, void *ctx, struct mem_err *err)
{
	struct rebuild *r = ctx;
	enum mem_status st = mem_vectors_clear(t, err);
	/* Of a remote route that was not asked in this run the file knows the dimensions. */
	struct mem_encoder_info info = *r->info;
	info.dims = r->dims;
	return st == MEM_OK && r->dims > 0 ? mem_model_record_put(t, &info, err) : st;
}

/* The rows of a node from row i on, n of them, into memory; false: one is not whole.  OWNS *vectors and *rows. */
static bool
read_file_node(struct rebuild *r, uint64_t i, uint32_t n, struct mem_vectors_passage **vectors, float **rows)
{
	*vectors = mem_xcalloc(n, sizeof **vectors);
	*rows = mem_xmalloc(n * r->dims * sizeof **rows);
	for (uint32_t k = 0; k < n; k++) {
		if (!read_file_row(r, i + k))
			return false;
		memcpy(*rows + k * r->dims, r->row->v, r->dims * sizeof **rows);
		(*vectors)[k] = (struct mem_vectors_passage){ .span = r->row->span, .v = *rows + k * r->dims };
	}
	return true;
}

static enum mem_status
put_file_node(struct rebuild *r, struct mem_txn *t, uint64_t i, uint32_t n, struct mem_err *err)
{
	struct upkeep_node w = { .ord = r->row->ord, .text_hash = r->row->text_hash, .passages = { .n = n } };
	enum mem_vector_state v;
	float *rows;
	bool whole = read_file_node(r, i, n, &w.vectors, &rows);
	enum mem_status st = mem_vector_state_get(t, w.ord, &v, err);
	if (st == MEM_OK && whole && v == MEM_VECTOR_WAITS)
		st = upkeep_batch_put(&r->batch, t, &w, err);
	free(w.vectors);
	free(rows);
	return st == MEM_STALE ? MEM_OK : st; /* it goes on waiting, since its text has changed */
}

static enum mem_status
put_file_rows(struct mem_txn *t, void *ctx, struct mem_err *err)
{
	struct rebuild *r = ctx;
	enum mem_status st = MEM_OK;
	r->put = 0;
	while (r->moved + r->put < r->rows && r->put < UPKEEP_BATCH_ROWS && st == MEM_OK) {
		uint64_t i = r->moved + r->put, left = r->rows - i;
		bool whole = read_file_row(r, i);
		uint32_t n = whole && r->row->passage == 0 && r->row->n <= left ? r->row->n : 0;
		r->put += n > 0 ? n : 1;
		if (n > 0)
			st = put_file_node(r, t, i, n, err);
	}
	return st;
}

static enum mem_status
exchange_vectors(struct rebuild *r, bool cleared, struct mem_err *err)
{
	enum mem_status st = cleared ? MEM_OK : mem_store_write(r->m->store, clear_vectors, r, err);
	for (r->moved = 0; st == MEM_OK && r->moved < r->rows; r->moved += r->put) {
		st = mem_store_write(r->m->store, put_file_rows, r, err);
		if (st == MEM_OK)
			st = mem_write_tidy(r->m, err);
	}
	if (st == MEM_OK && unlinkat(r->dirfd, FILE_NAME, 0) != 0 && errno != ENOENT)
		st = fail_new_file(MEM_FAIL, err);
	return st;
}

/* ---- all of it ---------------------------------------------------------- */

/* Does the store hold this model's vectors, or none at all? */
static enum mem_status
look_at_model(struct rebuild *r, bool *same, bool *none, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_vectors_model there;
	enum mem_status st = mem_txn_read(&t, r->m->store, err);
	if (st != MEM_OK)
		return st;
	r->waiting = mem_vectors_pending_count(t);
	r->total = mem_tab_count(t, MEM_T_NODE) - r->waiting;
	st = mem_vectors_model_get(t, &there, err);
	*none = st == MEM_NOTFOUND;
	if (st == MEM_OK)
		st = mem_model_record_compare(t, r->info, err);
	*same = st == MEM_OK;
	mem_txn_end(t);
	return st == MEM_NOTFOUND || st == MEM_STALE ? MEM_OK : st;
}

static enum mem_status
rebuild_vectors(struct rebuild *r, bool *whole, struct mem_err *err)
{
	bool same, none;
	*whole = true;
	enum mem_status st = look_at_model(r, &same, &none, err);
	if (st != MEM_OK || none)
		return st;
	bool left = resume_file(r);
	/* Another run got as far as exchanging. */
	if (same)
		return left ? exchange_vectors(r, true, err) : MEM_OK;
	if (!left)
		r->dims = r->next = 0, r->nodes = 0;
	st = gather_vectors(r, whole, err);
	return st == MEM_OK && *whole ? exchange_vectors(r, false, err) : st;
}

/* What came meanwhile, or waited before. */
static enum mem_status
embed_rest(struct mem_index *m, const struct mem_pending_options *options, struct mem_pending_done *done, struct mem_err *err)
{
	struct mem_pending_options rest = *options;
	struct mem_pending_done more = { 0 };
	if (options->max > 0 && done->embedded >= (uint64_t)options->max)
		return MEM_OK;
	rest.max -= options->max > 0 ? (int64_t)done->embedded : 0;
	enum mem_status st = mem_pending_run(m, &rest, &more, err);
	done->embedded += more.embedded - more.coded; /* their vectors were counted when they were made */
	done->near += more.near;
	done->left = more.left;
	return st;
}

enum mem_status
mem_rebuild_run(struct mem_index *m, const struct mem_pending_options *options, struct mem_pending_done *done, struct mem_err *err)
{
	struct rebuild *r = mem_xcalloc(1, sizeof *r);
	bool whole = false;
	*done = (struct mem_pending_done){ 0 };
	r->m = m;
	r->options = options;
	r->done = done;
	r->fd = -1;
	upkeep_batch_init(&r->batch, m);
	r->dirfd = mem_store_folder(m->store);
	enum mem_status st = mem_encoder_for_rebuild(&r->encoder, m->store, options->model, err);
	if (st == MEM_OK) {
		r->info = mem_encoder_info(r->encoder);
		upkeep_batch_use(&r->batch, r->encoder);
		st = rebuild_vectors(r, &whole, err);
	}
	done->left = r->waiting + (r->total > r->nodes ? r->total - r->nodes : 0);
	mem_encoder_close(r->encoder);
	upkeep_batch_release(&r->batch);
	if (r->fd >= 0)
		close(r->fd);
	free(r->row);
	free(r);
	return st == MEM_OK && whole ? embed_rest(m, options, done, err) : st;
}

/* ---- what was removed ---------------------------------------------------- */

/* Is the vector at hand that of what its node says now?  The text is read once for all passages of it in a snapshot. */
static enum mem_status
compare_row_text(struct rebuild *r, struct mem_txn *t, bool *same, struct mem_err *err)
{
	const struct upkeep_node *w = &r->batch.nodes[0];
	enum mem_status st = MEM_OK;
	if (r->batch.n == 0 || w->ord != r->row->ord) {
		upkeep_batch_reset(&r->batch);
		st = upkeep_batch_add(&r->batch, t, r->row->ord, err);
	}
	*same = r->row->text_hash == 0 || (st == MEM_OK && w->passages.n > 0 && w->text_hash == r->row->text_hash);
	return st;
}

/* It keeps its place, or all behind it would be lost; no text has its hash. */
static enum mem_status
blank_row(struct rebuild *r, uint64_t i, struct mem_err *err)
{
	off_t at = (off_t)(sizeof(struct vectors_file_head) + i * r->row_bytes);
	const struct vectors_file_row was = { .ord = r->row->ord, .passage = r->row->passage, .n = r->row->n };
	memset(r->row, 0, r->row_bytes);
	memcpy(r->row, &was, sizeof was);
	r->row->sum = sum_row(r);
	return pwrite(r->fd, r->row, r->row_bytes, at) == (ssize_t)r->row_bytes ? MEM_OK : fail_new_file(MEM_FAIL, err);
}

/* Rows from *i on, as many as one snapshot may look at; *end: that was all. */
static enum mem_status
blank_some_rows(struct rebuild *r, uint64_t *i, bool *end, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	upkeep_batch_reset(&r->batch);
	enum mem_status st = mem_txn_read(&t, r->m->store, err);
	for (uint64_t to = *i + LOOK_NODES; st == MEM_OK && *i < to && !*end; ++*i) {
		bool same = true;
		*end = !read_file_row(r, *i);
		if (!*end)
			st = compare_row_text(r, t, &same, err);
		if (st == MEM_OK && !same)
			st = blank_row(r, *i, err);
	}
	mem_txn_end(t);
	return st;
}

enum mem_status
upkeep_blank_new_vectors(struct mem_index *m, struct mem_err *err)
{
	struct vectors_file_head h;
	int fd = openat(mem_store_folder(m->store), FILE_NAME, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	enum mem_status st = fd < 0 && errno != ENOENT ? mem_err_sys(err, MEM_FAIL, "cannot open '%s'", FILE_NAME) : MEM_OK;
	if (fd >= 0 && pread(fd, &h, sizeof h, 0) == sizeof h && memcmp(h.magic, magic, sizeof magic) == 0
	    && h.dims > 0 && h.dims <= DIMS_MAX) {
		struct rebuild *r = mem_xcalloc(1, sizeof *r);
		bool end = false;
		uint64_t i = 0;
		r->m = m;
		r->fd = fd;
		set_row_dims(r, h.dims);
		upkeep_batch_init(&r->batch, m);
		while (st == MEM_OK && !end)
			st = blank_some_rows(r, &i, &end, err);
		if (st == MEM_OK && fsync(fd) != 0)
			st = fail_new_file(MEM_FAIL, err);
		upkeep_batch_release(&r->batch);
		free(r->row);
		free(r);
	}
	if (fd >= 0)
		close(fd);
	return st;
}
