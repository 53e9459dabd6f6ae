/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of a run, read and cleaned by a second thread: while one group of them is written, the next one is read.
 *
 * What is made of a file depends on its bytes alone, so that what is written is the same with one thread.
 */
#include "skill/ingest_int.h"

#include <stdlib.h>
#include <string.h>

#include "base/digest.h"

/* A group: so many files, or the last one that reaches so many bytes.  Its records are written in one batch. */
enum { FILES_A_GROUP = SKILL_FILES_A_GROUP, BYTES_A_GROUP = 8 << 20 };

struct skill_group {
	struct skill_reading *v;   /* OWNS [FILES_A_GROUP] */
	size_t first, n;           /* of the run's files */
	struct mem_arena arena;
};
struct skill_reader {
	struct mem_worker *worker; /* NULL: all is done by this one */
	struct mem_skill_ingest *run;
	struct mem_clean *clean;
	struct skill_group group[2];
	unsigned now;              /* the group that is written; the other one is read meanwhile */
	size_t given;              /* files of the groups so far */

	/* Of the thread that reads. */
	struct skill_group *reading;
	struct mem_findings findings;
	struct mem_buf bytes;
	struct skill_draft draft;
};

/* ---- one file --------------------------------------------------------- */

static enum mem_status
clean_skill_draft(struct skill_reader *x, struct skill_reading *f, struct mem_arena *a)
{
	static const char *const kept[] = { "ref", "name", "path" };
	enum mem_status st = mem_rec_scan(&f->rec, mem_arena_str(a, mem_buf_span(&x->draft.record)), &f->why);
	if (st == MEM_OK)
		st = mem_clean_record(&f->cleaned, &x->findings, x->clean, &f->rec, a, &f->why);
	if (st == MEM_OK)
		mem_findings_keep(&f->found, &x->findings, a);
	/* A skill is found by these again, so that they must be the file's. */
	for (size_t i = 0; i < MEM_COUNT(kept) && st == MEM_OK; i++)
		if (!mem_str_eq(mem_rec_value(&f->rec, kept[i]).raw, mem_rec_value(f->cleaned.rec, kept[i]).raw))
			st = mem_err_record(&f->why, "residue", 0, "the sanitiser would change the %s", kept[i]);
	return st;
}

static enum mem_status
make_skill_record(struct skill_reader *x, struct skill_reading *f, struct mem_arena *a)
{
	struct skill_source source = { .path = f->file->path, .bytes = mem_buf_span(&x->bytes), .loose = f->file->loose,
		.name = x->run->into.name };
	memcpy(source.sha256, f->sha256, sizeof source.sha256);
	enum mem_status st = skill_draft_read(&x->draft, &source, &f->why);
	f->faults = mem_arena_str(a, mem_buf_span(&x->draft.faults));
	f->name = mem_arena_str(a, x->draft.name);
	f->release = mem_arena_str(a, x->draft.release);
	f->named_by_place = x->draft.named_by_place;
	return st == MEM_OK ? clean_skill_draft(x, f, a) : st;
}

/* Its bytes; and its record, unless it is what is known. */
static void
read_one_skill(struct skill_reader *x, struct skill_reading *f, struct mem_arena *a)
{
	mem_buf_reset(&x->bytes);
	f->state = mem_skill_file_read(&x->bytes, f->file, &f->why);
	f->bytes = x->bytes.len;
	f->read = f->state == MEM_OK;
	f->unchanged = false;
	if (!f->read)
		return;
	mem_digest_text(mem_buf_span(&x->bytes), f->sha256);
	f->unchanged = mem_str_is(f->known, f->sha256);
	if (!f->unchanged)
		f->state = make_skill_record(x, f, a);
}

/* ---- groups ----------------------------------------------------------- */

/* A mem_worker_fn. */
static void
read_skill_group(void *ctx)
{
	struct skill_reader *x = ctx;
	struct skill_group *g = x->reading;
	size_t n = 0;
	for (size_t bytes = 0; n < g->n && bytes < BYTES_A_GROUP; n++) {
		read_one_skill(x, &g->v[n], &g->arena);
		bytes += g->v[n].bytes;
	}
	g->n = n;
}

/* What is known of a file is looked up here, since the thread that reads has no part in it. */
static void
begin_skill_group(struct skill_reader *x, struct skill_group *g)
{
	const struct mem_skill_files *files = x->run->files;
	size_t left = files->n - x->given;
	mem_arena_reset(&g->arena);
	g->first = x->given;
	g->n = left < FILES_A_GROUP ? left : FILES_A_GROUP;
	for (size_t i = 0; i < g->n; i++) {
		struct skill_reading *f = &g->v[i];
		const struct skill_head *h = skill_head_of_file(x->run, files->v[g->first + i].path);
		f->file = &files->v[g->first + i];
		f->known = h != NULL && h->status != MEM_STATUS_RETIRED ? h->file_sha256 : MEM_STR("");
		f->found = (struct mem_finding_list){ 0 };
		f->why = (struct mem_err){ 0 };
		f->name = f->release = f->faults = MEM_STR("");
		f->named_by_place = false;
	}
	x->reading = g;
	mem_worker_give(x->worker, read_skill_group, x);
}

static void
end_skill_group(struct skill_reader *x)
{
	mem_worker_wait(x->worker);
	x->given = x->reading->first + x->reading->n;
}

struct skill_reading *
skill_reading_next(struct skill_reader *x, const struct mem_skill_file *file, struct mem_err *err)
{
	size_t number = (size_t)(file - x->run->files->v);
	struct skill_group *g = &x->group[x->now];
	if (number < g->first + g->n)
		return &g->v[number - g->first];
	if (mem_write_run_commit(x->run->run, err) != MEM_OK) /* of the group that makes room */
		return NULL;
	if (x->reading == NULL)
		begin_skill_group(x, &x->group[!x->now]);
	end_skill_group(x);
	x->now = !x->now;
	if (x->given < x->run->files->n)
		begin_skill_group(x, &x->group[!x->now]);
	g = &x->group[x->now];
	return &g->v[number - g->first];
}

void
skill_reading_again(struct skill_reader *x, struct skill_reading *f)
{
	mem_worker_wait(x->worker);
	f->known = MEM_STR("");
	read_one_skill(x, f, &x->group[x->now].arena);
}

/* ---- the reader ------------------------------------------------------- */

enum mem_status
skill_reader_open(struct skill_reader **out, struct mem_skill_ingest *run, const char *redact, struct mem_err *err)
{
	struct skill_reader *x = mem_xcalloc(1, sizeof *x);
	x->run = run;
	for (size_t i = 0; i < MEM_COUNT(x->group); i++)
		x->group[i].v = mem_xcalloc(FILES_A_GROUP, sizeof *x->group[i].v);
	*out = x;
	x->worker = mem_worker_start();
	return mem_write_cleaner(&x->clean, mem_skill_ingest_store(run), redact, NULL, err);
}

void
skill_reader_free(struct skill_reader *x)
{
	if (x == NULL)
		return;
	if (x->reading != NULL)
		mem_worker_wait(x->worker);
	mem_worker_end(x->worker);
	mem_clean_free(x->clean);
	mem_findings_release(&x->findings);
	mem_buf_release(&x->bytes);
	skill_draft_release(&x->draft);
	for (size_t i = 0; i < MEM_COUNT(x->group); i++) {
		for (size_t k = 0; k < FILES_A_GROUP; k++) {
			mem_rec_release(&x->group[i].v[k].rec);
			mem_clean_rec_release(&x->group[i].v[k].cleaned);
		}
		mem_arena_release(&x->group[i].arena);
		free(x->group[i].v);
	}
	free(x);
}
