/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as files of skills, parted by a NUL and read one after the other as releases of one skill, and as proposals, one a line: a store
 * without a breach, and what is exported of a skill that nothing was taken out of is its last file.
 */
#include "fuzz_store.h"

#include <string.h>
#include <sys/stat.h>

#include "record/record.h"
#include "skill/export.h"
#include "skill/ingest.h"
#include "skill/propose.h"
#include "skill/skill.h"
#include "write/run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char path[100], folder[100], out[100];
static int dir;
static struct mem_buf empty;

static void
make_store(void)
{
	char tea[120];
	dir = fuzz_store_make(path, sizeof path, &empty);
	snprintf(folder, sizeof folder, "%s/skills", fuzz_dir);
	snprintf(tea, sizeof tea, "%s/tea", folder);
	snprintf(out, sizeof out, "%s/out", fuzz_dir);
	MUST(mkdir(folder, 0700) == 0 && mkdir(tea, 0700) == 0);
}

/* ---- files ------------------------------------------------------------------ */

static void
write_skill_file(struct mem_str bytes)
{
	char file[140];
	struct mem_err err;
	snprintf(file, sizeof file, "%s/tea/SKILL.md", folder);
	int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	MUST(fd >= 0 && mem_fd_write(fd, bytes.p, bytes.n, &err) == MEM_OK);
	close(fd);
}

static void
ingest_folder(struct mem_buf *receipts)
{
	const struct mem_skill_ingest_options o = { .via = "fuzz", .ns = "global" };
	struct mem_store_options ask = fuzz_store_ask(path);
	struct mem_skill_files files = { 0 };
	struct mem_skill_ingest *r;
	struct mem_err err;
	MUST(mem_skill_files_add(&files, folder, &err) == MEM_OK);
	mem_skill_files_sort(&files);
	MUST(mem_skill_ingest_open(&r, &ask, &o, fuzz_keep_lines, receipts, &err) == MEM_OK);
	mem_skill_ingest_files(r, &files);
	for (size_t i = 0; i < files.n; i++)
		MUST(mem_skill_ingest_put(r, &files.v[i], &err) == MEM_OK);
	MUST(mem_skill_ingest_retire(r, &err) == MEM_OK && mem_skill_ingest_commit(r, &err) == MEM_OK);
	mem_skill_ingest_free(r);
	mem_skill_files_release(&files);
}

/* ---- what comes out ------------------------------------------------------------- */

struct export_check {
	struct mem_skill_export *x;
	struct mem_str bytes;       /* of the file that was read last */
};

/* A mem_emit_fn: one receipt. */
static bool
check_exported(void *ctx, struct mem_str line)
{
	const struct export_check *c = ctx;
	struct mem_rec r = { 0 };
	struct mem_arena a = { 0 };
	struct mem_buf file = { 0 };
	MUST(mem_rec_scan(&r, (struct mem_str){ line.p, line.n - 1 }, NULL) == MEM_OK);
	if (mem_rec_value(&r, "exact").type == MEM_JSON_TRUE) {
		struct mem_str name = mem_json_text(&a, mem_rec_value(&r, "path"));
		MUST(name.n > strlen(out) && memcmp(name.p, out, strlen(out)) == 0 && memmem(name.p, name.n, "/../", 4) == NULL);
		MUST(mem_file_read(AT_FDCWD, mem_arena_str(&a, name).p, (size_t)4 << 20, &file, NULL) == MEM_OK);
		MUST(mem_str_eq(mem_buf_span(&file), c->bytes));
	}
	mem_buf_release(&file);
	mem_arena_release(&a);
	mem_rec_release(&r);
	return true;
}

/* A mem_skill_fn: an active one, which has the last file that was taken. */
static enum mem_status
export_skill(void *ctx, struct mem_txn *t, const struct mem_skill *s, struct mem_err *err)
{
	struct mem_id *id = ctx;
	(void)t, (void)err;
	*id = s->id;
	return MEM_OK;
}

static void
check_export(struct mem_store *s, struct mem_str bytes)
{
	const struct mem_skill_export_options o = { .dir = out, .replace = true };
	const struct mem_skill_filter live = { 0 };
	struct export_check c = { .bytes = bytes };
	struct mem_id id = { 0 }, none = { 0 };
	struct mem_err err;
	MUST(mem_skills_each(s, &live, export_skill, &id, &err) == MEM_OK);
	MUST(mem_skill_export_open(&c.x, s, &o, check_exported, &c, &err) == MEM_OK);
	if (memcmp(&id, &none, sizeof id) != 0)
		MUST(mem_skill_export_put(c.x, &id, &err) == MEM_OK);
	mem_skill_export_free(c.x);
}

/* ---- proposals -------------------------------------------------------------------- */

static void
propose_lines(struct mem_str text, struct mem_buf *receipts)
{
	const struct mem_write_options o = { .via = "fuzz", .audit_refusals = true };
	struct mem_store_options ask = fuzz_store_ask(path);
	const struct mem_research nothing = { 0 };
	struct mem_arena a = { 0 };
	struct mem_write_run *r;
	struct mem_str ns;
	struct mem_err err = { 0 };
	MUST(mem_write_run_open(&r, &ask, &o, fuzz_keep_lines, receipts, &err) == MEM_OK && mem_write_run_ns(r, NULL, &ns, &err) == MEM_OK);
	for (const char *p = text.p, *end = text.p + text.n; p < end;) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		struct mem_rec rec = { 0 };
		struct mem_proposal_new what = { .ns = ns, .research = &nothing };
		struct mem_str line = { p, (size_t)((nl != NULL ? nl : end) - p) };
		p = nl != NULL ? nl + 1 : end;
		enum mem_status st = mem_rec_scan(&rec, line, &err);
		if (st == MEM_OK)
			st = mem_rec_refuse_nul(&rec, &err);
		if (st == MEM_OK)
			st = mem_proposal_read(&what, &a, &rec, &err);
		MUST(st == MEM_OK || (err.reason != NULL && err.offset <= line.n));
		MUST((st == MEM_OK ? mem_propose_add(r, &what, &err) : mem_propose_refuse(r, err.reason, err.offset, &err)) == MEM_OK);
		MUST(mem_write_run_commit(r, &err) == MEM_OK);
		mem_rec_release(&rec);
	}
	mem_write_run_free(r);
	mem_arena_release(&a);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mem_str text = { (const char *)data, size };
	struct mem_buf receipts = { 0 };
	struct mem_store_options ask = { 0 };
	struct mem_index m = { 0 };
	struct mem_err err;
	struct mem_str last = MEM_STR("");
	if (empty.len == 0)
		make_store();
	fuzz_store_put_back(dir, &empty);
	for (size_t from = 0; from <= size;) {
		const char *nul = from < size ? memchr(text.p + from, '\0', size - from) : NULL;
		size_t end = nul != NULL ? (size_t)(nul - text.p) : size;
		struct mem_str file = { text.p + from, end - from };
		mem_buf_reset(&receipts);
		write_skill_file(file);
		ingest_folder(&receipts);
		if (memmem(receipts.data, receipts.len, "\"rejected\"", 10) == NULL)
			last = file;
		from = end + 1;
	}
	propose_lines(text, &receipts);
	ask = fuzz_store_ask(path);
	MUST(mem_index_open(&m, &ask, &err) == MEM_OK);
	MUST(mem_upkeep_check(&m, fuzz_abort_at_breach, NULL, NULL, NULL, &err) == MEM_OK);
	check_export(m.store, last);
	mem_index_close(&m);
	mem_buf_release(&receipts);
	return 0;
}
