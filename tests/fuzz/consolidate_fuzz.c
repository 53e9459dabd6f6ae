/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any text, consolidated: the first byte says whose it is and whether each line is an episode.  What is found lies within the episode
 * that said it, the store has no breach, and a second run writes nothing.
 */
#include "fuzz_store.h"

#include <string.h>
#include <sys/mman.h>

#include "belief/consolidate.h"
#include "capture/capture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char path[100];
static int dir;
static struct mem_buf empty;

/* False: nothing was taken. */
static bool
capture_text(const struct mem_store_options *ask, struct mem_str text, uint8_t how)
{
	static const char *const roles[] = { "user", "assistant", "tool", "event" };
	const struct mem_capture_options o = { .form = how & 1 ? MEM_CAPTURE_LINES : MEM_CAPTURE_WHOLE, .embed = MEM_WRITE_EMBED_NONE,
		.session = "s", .speaker = how & 2 ? "Nadia" : NULL, .role = roles[how / 4 % MEM_COUNT(roles)], .stop_fd = -1 };
	struct mem_write_total total = { 0 };
	struct mem_err err;
	int fd = memfd_create("text", MFD_CLOEXEC);
	MUST(fd >= 0 && mem_fd_write(fd, text.p, text.n, &err) == MEM_OK && lseek(fd, 0, SEEK_SET) == 0);
	enum mem_status st = mem_capture_run(ask, &o, fd, mem_receipts_drop, NULL, &total, &err);
	MUST(st == MEM_OK || st == MEM_REFUSED || (st == MEM_FAIL && total.stored == 0)); /* the text is UTF-16 */
	close(fd);
	return total.stored > 0;
}

static void
consolidate_store(struct mem_index *m, struct mem_buf *out)
{
	const struct mem_consolidate_options o = { .since = MEM_TIME_MIN, .stop_fd = -1, .wait_ms = -1 };
	struct mem_consolidate_done done = { 0 };
	struct mem_err err;
	MUST(mem_consolidate_run(m, &o, mem_receipts_drop, NULL, &done, &err) == MEM_OK);
	MUST(mem_upkeep_check(m, fuzz_abort_at_breach, NULL, NULL, NULL, &err) == MEM_OK);
	MUST(mem_upkeep_export(m, false, fuzz_keep_lines, out, &err) == MEM_OK);
}

/* How long the content of the episode is. */
static size_t
measure_episode(struct mem_index *m, struct mem_json id)
{
	struct mem_arena a = { 0 };
	struct mem_txn *t = NULL;
	struct mem_node node;
	struct mem_id episode;
	MUST(mem_json_id(id, &episode) && mem_txn_read(&t, m->store, NULL) == MEM_OK && mem_node_by_id(t, &episode, &node, NULL) == MEM_OK);
	MUST(node.attr->kind == MEM_KIND_EPISODE);
	size_t n = mem_json_text(&a, mem_json_member(mem_json_object(node.json), "content")).n;
	mem_txn_end(t);
	mem_arena_release(&a);
	return n;
}

static void
check_fact(struct mem_index *m, const struct mem_rec *fact)
{
	MUST(mem_json_there(mem_rec_value(fact, "statement")));
	for (struct mem_json_iter it = mem_json_each(mem_rec_value(fact, "sources")); mem_json_next(&it);) {
		int64_t start, end;
		MUST(mem_json_int(mem_json_member(it.value, "start"), &start) && mem_json_int(mem_json_member(it.value, "end"), &end));
		MUST(start >= 0 && start < end && (size_t)end <= measure_episode(m, mem_json_member(it.value, "episode")));
	}
}

static void
check_facts(struct mem_index *m, struct mem_str lines)
{
	while (lines.n > 0) {
		const char *nl = memchr(lines.p, '\n', lines.n);
		const struct mem_str line = { lines.p, (size_t)(nl - lines.p) };
		struct mem_rec rec = { 0 };
		MUST(mem_rec_scan(&rec, line, NULL) == MEM_OK);
		if (mem_json_is(mem_rec_value(&rec, "kind"), "fact"))
			check_fact(m, &rec);
		mem_rec_release(&rec);
		lines.p += line.n + 1;
		lines.n -= line.n + 1;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mem_index m = { 0 };
	struct mem_buf first = { 0 }, second = { 0 };
	struct mem_err err;
	if (empty.len == 0)
		dir = fuzz_store_make(path, sizeof path, &empty);
	const struct mem_store_options ask = fuzz_store_ask(path);
	fuzz_store_put_back(dir, &empty);
	if (size < 2 || !capture_text(&ask, (struct mem_str){ (const char *)data + 1, size - 1 }, data[0]))
		return 0;
	MUST(mem_index_open(&m, &ask, &err) == MEM_OK);
	consolidate_store(&m, &first);
	check_facts(&m, mem_buf_span(&first));
	consolidate_store(&m, &second);
	MUST(mem_str_eq(mem_buf_span(&first), mem_buf_span(&second)));
	mem_index_close(&m);
	mem_buf_release(&first);
	mem_buf_release(&second);
	return 0;
}
