/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as an export: what is taken leaves a store without a breach, and what it then exports goes into an
 * empty store whole and comes out the same.
 */
#include "fuzz_store.h"

#include <string.h>
#include <sys/mman.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct store {
	char path[100];
	int dir;
} stores[2];
static struct mem_buf empty;

static void
begin(void)
{
	struct mem_err err;
	fuzz_dir_make();
	for (size_t i = 0; i < MEM_COUNT(stores); i++) {
		char name[] = { (char)('a' + i), '\0' };
		fuzz_store_init(name, stores[i].path, sizeof stores[i].path);
		stores[i].dir = open(stores[i].path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	MUST(mem_file_read(stores[0].dir, "data.mdb", (size_t)16 << 20, &empty, &err) == MEM_OK);
}

static bool
drop(void *ctx, struct mem_str lines)
{
	(void)ctx, (void)lines;
	return true;
}

/* Imports, and exports what is there then. */
static void
pass(struct store *s, struct mem_str lines, struct mem_buf *out, struct mem_write_total *total)
{
	struct mem_store_options ask = fuzz_store_ask(s->path);
	struct mem_index m = { 0 };
	struct mem_err err;
	fuzz_store_put_back(s->dir, &empty);
	int fd = memfd_create("lines", MFD_CLOEXEC);
	MUST(fd >= 0 && mem_fd_write(fd, lines.p, lines.n, &err) == MEM_OK && lseek(fd, 0, SEEK_SET) == 0);
	MUST(mem_index_open(&m, &ask, &err) == MEM_OK);
	enum mem_status st = mem_upkeep_import(&m, fd, -1, drop, NULL, total, &err);
	MUST(st == (total->rejected > 0 ? MEM_REFUSED : MEM_OK));
	MUST(mem_upkeep_check(&m, fuzz_abort_at_breach, NULL, NULL, NULL, &err) == MEM_OK);
	MUST(mem_upkeep_export(&m, false, fuzz_keep_lines, out, &err) == MEM_OK);
	mem_index_close(&m);
	close(fd);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mem_write_total total;
	struct mem_buf first = { 0 }, second = { 0 };
	if (empty.len == 0)
		begin();
	pass(&stores[0], (struct mem_str){ (const char *)data, size }, &first, &total);
	uint64_t stored = total.stored;
	if (stored > 0) {
		pass(&stores[1], mem_buf_span(&first), &second, &total);
		MUST(total.stored == stored && total.rejected == 0 && total.duplicates == 0);
		MUST(mem_str_eq(mem_buf_span(&first), mem_buf_span(&second)));
	}
	mem_buf_release(&first);
	mem_buf_release(&second);
	return 0;
}
