/* SPDX-License-Identifier: Apache-2.0 */
/* An export's lines taken in, with their ids and times. */
#include "clean/clean_text.h"
#include "record/record.h"
#include "upkeep/upkeep_int.h"
#include "write/write.h"

enum { BATCH_LINES = 1024 };

struct import {
	const struct mem_store *store;
	struct mem_writer *writer;
	bool as_it_stands;         /* what an operator imports */
	struct mem_renames *renames; /* BORROWS; NULL: none */
	struct mem_buf renamed;    /* the line at hand with other names */
	struct mem_rec rec;
	struct mem_clean_rec clean;
};

/* A line's record, in the batch's arena, since nothing of it is copied again. */
static enum mem_status
scan_import_line(struct import *im, const struct mem_line *line, struct mem_err *err)
{
	if (line->too_long)
		return mem_err_record(err, "too_long", line->text.n, "a line of over %zu bytes", MEM_LINE_MAX);
	enum mem_status st = mem_rec_scan(&im->rec, mem_arena_str(mem_writer_arena(im->writer), line->text), err);
	return st == MEM_OK ? mem_rec_refuse_nul(&im->rec, err) : st;
}

static enum mem_status
rename_import_line(struct import *im, struct mem_err *err)
{
	if (im->renames == NULL)
		return MEM_OK;
	mem_buf_reset(&im->renamed);
	if (!upkeep_import_rename(im->renames, &im->rec, &im->renamed))
		return MEM_OK;
	return mem_rec_scan(&im->rec, mem_arena_str(mem_writer_arena(im->writer), mem_buf_span(&im->renamed)), err);
}

static enum mem_status
clean_import_line(struct import *im, struct mem_err *err)
{
	if (im->as_it_stands) {
		mem_clean_restored(&im->clean, &im->rec);
		return MEM_OK;
	}
	enum mem_status st = mem_write_import_rights(im->store, &im->rec, err);
	return st == MEM_OK ? mem_write_verify(im->writer, &im->clean, &im->rec, err) : st;
}

/* A node or an edge may have a field of that name, too. */
static bool
is_export_header(const struct mem_rec *rec)
{
	return mem_rec_find(rec, "memkit") != NULL && mem_rec_find(rec, "id") == NULL && mem_rec_find(rec, "edge") == NULL;
}

/* Lines of a version that this one does not know may mean something else. */
static enum mem_status
check_export_version(const struct mem_rec *header, struct mem_err *err)
{
	struct mem_str version = mem_rec_value(header, "memkit").raw;
	if (mem_str_is(version, "1"))
		return MEM_OK;
	return mem_err_set(err, MEM_FAIL, "line 1: an export of version %.*s, and this memkit reads version 1: import it with the memkit that made it, or a newer one",
	    (int)(version.n < 40 ? version.n : 40), version.p);
}

/* A refusal of the line is no failure. */
static enum mem_status
take_import_line(struct import *im, const struct mem_line *line, struct mem_err *fault)
{
	const struct mem_write_input in = { .line = line->number, .bytes = line->text.n };
	struct mem_err err = { 0 };
	enum mem_status st = scan_import_line(im, line, &err);
	if (st == MEM_OK && line->number == 1 && is_export_header(&im->rec))
		return check_export_version(&im->rec, fault);
	if (st == MEM_OK)
		st = rename_import_line(im, &err);
	if (st == MEM_OK)
		st = clean_import_line(im, &err);
	if (st == MEM_OK)
		mem_write_restore(im->writer, &in, &im->clean);
	else
		mem_write_refuse(im->writer, &in, err.reason, err.offset);
	return MEM_OK;
}

enum mem_status
mem_upkeep_import(struct mem_index *m, int fd, int stop_fd, mem_emit_fn *emit, void *ctx,
    struct mem_write_total *total, struct mem_err *err)
{
	return mem_upkeep_import_renamed(m, fd, stop_fd, NULL, emit, ctx, total, err);
}

enum mem_status
mem_upkeep_import_renamed(struct mem_index *m, int fd, int stop_fd, struct mem_renames *renames, mem_emit_fn *emit, void *ctx,
    struct mem_write_total *total, struct mem_err *err)
{
	const struct mem_write_options o = { .via = "mem-import", .batch_max = BATCH_LINES, .audit_refusals = true,
		.audit_batch = "import" };
	struct import im = { .store = m->store, .writer = mem_writer_new(m, &o), .as_it_stands = mem_store_principal(m->store)->is_operator,
		.renames = renames };
	struct mem_lines in;
	struct mem_line line;
	enum mem_status st = MEM_OK;
	mem_lines_init(&in, fd, MEM_LINE_MAX);
	in.stop_fd = stop_fd;
	*total = (struct mem_write_total){ 0 };
	if (!im.as_it_stands)
		st = mem_writer_sanitise(im.writer, NULL, NULL, err);
	while (st == MEM_OK && (st = mem_lines_next(&in, &line, err)) == MEM_OK) {
		st = take_import_line(&im, &line, err);
		if (st == MEM_OK && mem_write_full(im.writer))
			st = mem_write_commit(im.writer, emit, ctx, total, err);
	}
	if (st == MEM_END)
		st = mem_write_commit(im.writer, emit, ctx, total, err);
	mem_lines_release(&in);
	mem_rec_release(&im.rec);
	mem_buf_release(&im.renamed);
	mem_clean_rec_release(&im.clean);
	mem_writer_free(im.writer);
	return st == MEM_OK ? mem_write_outcome(total, err) : st;
}
