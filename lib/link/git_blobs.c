/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of files as git keeps them, many for one call of it. */
#include "link/git_int.h"

#include <stdlib.h>

enum { BATCH = 1024 };                 /* files for one call */
#define BATCH_MAX ((size_t)65 << 20)   /* bytes that one call may give: a file of 64 MiB and its line */

struct blob_batch {
	const struct mem_git *g;
	const struct mem_git_file *files;
	mem_git_blob_fn *take;
	void *ctx;
};

/* "ID blob SIZE\n", the bytes and "\n"; or "ID missing\n".  bytes->p NULL: they are missing. */
static bool
read_blob_answer(const char **p, const char *end, const struct mem_git_id *id, struct mem_str *bytes)
{
	const char *nl = *p < end ? memchr(*p, '\n', (size_t)(end - *p)) : NULL;
	size_t n = strlen(id->hex);
	int64_t size;
	*bytes = (struct mem_str){ 0 };
	if (nl == NULL || (size_t)(nl - *p) < n + 1 || memcmp(*p, id->hex, n) != 0)
		return false;
	struct mem_str rest = { *p + n, (size_t)(nl - *p) - n };
	*p = nl + 1;
	if (mem_str_is(rest, " missing"))
		return true;
	if (rest.n < 7 || memcmp(rest.p, " blob ", 6) != 0 ||
	    !mem_number_parse((struct mem_str){ rest.p + 6, rest.n - 6 }, 0, end - *p - 1, &size) || (*p)[size] != '\n')
		return false;
	*bytes = (struct mem_str){ *p, (size_t)size };
	*p += size + 1;
	return true;
}

static enum mem_status
take_blob_answers(const struct blob_batch *b, size_t from, size_t n, const struct mem_buf *out, struct mem_err *err)
{
	const char *p = out->data, *end = p + out->len;
	struct mem_str bytes;
	enum mem_status st = MEM_OK;
	for (size_t i = from; i < from + n && st == MEM_OK; i++) {
		if (b->files[i].gone)
			continue;
		if (!read_blob_answer(&p, end, &b->files[i].id, &bytes))
			return mem_err_set(err, MEM_FAIL, "git cat-file printed what is not understood");
		st = b->take(b->ctx, &b->files[i], bytes.p != NULL ? &bytes : NULL, err);
	}
	return st;
}

/* Files `from` to from + n.  What is too much for one call is halved; of one file alone it is told. */
static enum mem_status
read_blob_batch(const struct blob_batch *b, size_t from, size_t n, struct mem_err *err)
{
	static const char *const ask[] = { "cat-file", "--batch", "--buffer", NULL };
	struct mem_buf names = { 0 };
	struct mem_child_end end = { 0 };
	enum mem_status st = MEM_OK;
	for (size_t i = from; i < from + n; i++)
		if (!b->files[i].gone)
			mem_buf_printf(&names, "%s\n", b->files[i].id.hex);
	const struct git_call call = { .arguments = ask, .input = mem_buf_span(&names), .out_max = BATCH_MAX };
	if (names.len > 0)
		st = git_call_run(&end, b->g, &call, err);
	bool too_much = st == MEM_FAIL && end.out.len > BATCH_MAX;
	if (st == MEM_OK && end.code != 0)
		st = git_call_failed(&end, ask[0], err);
	if (st == MEM_OK && names.len > 0)
		st = take_blob_answers(b, from, n, &end.out, err);
	mem_buf_release(&names);
	mem_child_release(&end);
	if (!too_much)
		return st;
	if (n == 1)
		return b->take(b->ctx, &b->files[from], NULL, err);
	st = read_blob_batch(b, from, n / 2, err);
	return st == MEM_OK ? read_blob_batch(b, from + n / 2, n - n / 2, err) : st;
}

enum mem_status
mem_git_blobs(const struct mem_git *g, const struct mem_git_file *files, size_t n, mem_git_blob_fn *take, void *ctx, struct mem_err *err)
{
	const struct blob_batch b = { g, files, take, ctx };
	enum mem_status st = MEM_OK;
	for (size_t at = 0; at < n && st == MEM_OK; at += BATCH)
		st = read_blob_batch(&b, at, n - at < BATCH ? n - at : BATCH, err);
	return st;
}
