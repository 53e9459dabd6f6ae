/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of a run, read and cleaned by a second thread: while one group of them is written, the next one is read.  The thread that
 * writes helps to read it when it is through before.
 *
 * What is made of a file depends on its bytes alone, so that what is written is the same with one thread, and whoever reads.
 */
#include "skill/ingest_int.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"

/* A group: so many files, or the last one that reaches so many bytes.  Its records are written in one batch. */
enum { FILES_A_GROUP = SKILL_FILES_A_GROUP, BYTES_A_GROUP = 8 << 20 };

/* Who reads: the worker, and the thread that writes. */
enum { WORKER, WRITER, HANDS };

struct skill_group {
	struct skill_reading *v;   /* OWNS [FILES_A_GROUP] */
	size_t first, n;           /* of the run's files */
	size_t taken, bytes;       /* of those, so far; behind the lock while somebody reads */
	struct mem_arena arena[HANDS];
};
/* What one thread needs. */
struct skill_hand {
	struct mem_clean *clean;
	struct mem_findings findings;
	struct mem_buf bytes;
	struct skill_draft draft;
};
struct skill_reader {
	struct mem_worker *worker; /* NULL: all is done by this one */
	struct mem_skill_ingest *run;
	struct skill_group group[2];
	unsigned now;              /* the group that is written; the other one is read meanwhile */
	size_t given;              /* files of the groups so far */
	struct skill_group *reading; /* NULL: none yet */
	struct skill_hand hand[HANDS];
	pthread_mutex_t lock;
};

/* ---- one file --------------------------------------------------------- */

static enum mem_status
clean_skill_draft(struct skill_hand *h, struct skill_reading *f, struct mem_arena *a)
{
	static const char *const kept[] = { "ref", "name", "path" };
	enum mem_status st = mem_rec_scan(&f->rec, mem_arena_str(a, mem_buf_span(&h->draft.record)), &f->why);
	if (st == MEM_OK)
		st = mem_clean_record(&f->cleaned, &h->findings, h->clean, &f->rec, a, &f->why);
	if (st == MEM_OK)
		mem_findings_keep(&f->found, &h->findings, a);
	/* A skill is found by these again, so that they must be the file's. */
	for (size_t i = 0; i < MEM_COUNT(kept) && st == MEM_OK; i++)
		if (!mem_str_eq(mem_rec_value(&f->rec, kept[i]).raw, mem_rec_value(f->cleaned.rec, kept[i]).raw))
			st = mem_err_record(&f->why, "residue", 0, "the sanitiser would change the %s", kept[i]);
	return st;
}

static enum mem_status
make_skill_record(struct skill_reader *x, struct skill_hand *h, struct skill_reading *f, struct mem_arena *a)
{
	struct skill_source source = { .path = f->file->path, .bytes = mem_buf_span(&h->bytes), .loose = f->file->loose,
		.name = x->run->into.name };
	memcpy(source.sha256, f->sha256, sizeof source.sha256);
	enum mem_status st = skill_draft_read(&h->draft, &source, &f->why);
	f->faults = mem_arena_str(a, mem_buf_span(&h->draft.faults));
	f->name = mem_arena_str(a, h->draft.name);
	f->release = mem_arena_str(a, h->draft.release);
	f->named_by_place = h->draft.named_by_place;
	return st == MEM_OK ? clean_skill_draft(h, f, a) : st;
}

static void
read_skill_bytes(struct skill_hand *h, struct skill_reading *f)
{
	mem_buf_reset(&h->bytes);
	f->state = mem_skill_file_read(&h->bytes, f->file, &f->why);
	f->bytes = h->bytes.len;
	f->read = f->state == MEM_OK;
	f->unchanged = false;
}

/* Its record, unless it is what is known. */
static void
make_skill_reading(struct skill_reader *x, struct skill_hand *h, struct skill_reading *f, struct mem_arena *a)
{
	if (!f->read)
		return;
	mem_digest_text(mem_buf_span(&h->bytes), f->sha256);
	f->unchanged = mem_str_is(f->known, f->sha256);
	if (!f->unchanged)
		f->state = make_skill_record(x, h, f, a);
}

/* ---- groups ----------------------------------------------------------- */

/* The next file, with its bytes, which say where the group ends; NULL: there is none.  That is little beside what is made of it. */
static struct skill_reading *
take_skill_file(struct skill_reader *x, struct skill_hand *h)
{
	struct skill_group *g = x->reading;
	struct skill_reading *f = NULL;
	pthread_mutex_lock(&x->lock);
	if (g->taken < g->n && g->bytes < BYTES_A_GROUP) {
		f = &g->v[g->taken++];
		read_skill_bytes(h, f);
		g->bytes += f->bytes;
	}
	pthread_mutex_unlock(&x->lock);
	return f;
}

static void
read_skill_group(struct skill_reader *x, unsigned hand)
{
	struct skill_reading *f;
	while ((f = take_skill_file(x, &x->hand[hand])) != NULL)
		make_skill_reading(x, &x->hand[hand], f, &x->reading->arena[hand]);
}

/* A mem_worker_fn. */
static void
read_as_worker(void *x)
{
	read_skill_group(x, WORKER);
}

/* What is known of a file is looked up here, since the worker has no part in it. */
static void
begin_skill_group(struct skill_reader *x, struct skill_group *g)
{
	const struct mem_skill_files *files = x->run->files;
	size_t left = files->n - x->given;
	for (size_t i = 0; i < HANDS; i++)
		mem_arena_reset(&g->arena[i]);
	g->first = x->given;
	g->taken = g->bytes = 0;
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
	mem_worker_give(x->worker, read_as_worker, x);
}

static void
end_skill_group(struct skill_reader *x)
{
	read_skill_group(x, WRITER);
	mem_worker_wait(x->worker);
	x->reading->n = x->reading->taken;
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
	f->known = MEM_STR("");
	read_skill_bytes(&x->hand[WRITER], f);
	make_skill_reading(x, &x->hand[WRITER], f, &x->group[x->now].arena[WRITER]);
}

/* ---- the reader ------------------------------------------------------- */

enum mem_status
skill_reader_open(struct skill_reader **out, struct mem_skill_ingest *run, const char *redact, struct mem_err *err)
{
	struct skill_reader *x = mem_xcalloc(1, sizeof *x);
	enum mem_status st = MEM_OK;
	x->run = run;
	pthread_mutex_init(&x->lock, NULL);
	for (size_t i = 0; i < MEM_COUNT(x->group); i++)
		x->group[i].v = mem_xcalloc(FILES_A_GROUP, sizeof *x->group[i].v);
	*out = x;
	x->worker = mem_worker_start();
	for (size_t i = 0; i < HANDS && st == MEM_OK; i++)
		st = mem_write_cleaner(&x->hand[i].clean, mem_skill_ingest_store(run), redact, NULL, err);
	return st;
}

static void
release_skill_group(struct skill_group *g)
{
	for (size_t k = 0; k < FILES_A_GROUP; k++) {
		mem_rec_release(&g->v[k].rec);
		mem_clean_rec_release(&g->v[k].cleaned);
	}
	for (size_t i = 0; i < HANDS; i++)
		mem_arena_release(&g->arena[i]);
	free(g->v);
}

void
skill_reader_free(struct skill_reader *x)
{
	if (x == NULL)
		return;
	if (x->reading != NULL)
		mem_worker_wait(x->worker);
	mem_worker_end(x->worker);
	for (size_t i = 0; i < HANDS; i++) {
		mem_clean_free(x->hand[i].clean);
		mem_findings_release(&x->hand[i].findings);
		mem_buf_release(&x->hand[i].bytes);
		skill_draft_release(&x->hand[i].draft);
	}
	for (size_t i = 0; i < MEM_COUNT(x->group); i++)
		release_skill_group(&x->group[i]);
	pthread_mutex_destroy(&x->lock);
	free(x);
}
