/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any lines as records of facts by hand: each has a receipt, the store has no breach, and what was taken once is known when it
 * comes again.
 */
#include "fuzz_store.h"

#include <string.h>

#include "belief/fact_run.h"
#include "belief/rules.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LINES_MAX = 64 };

static char path[100];
static int dir;
static struct mem_buf empty;
static struct mem_belief_rules *rules;

static void
begin_once(void)
{
	const struct mem_belief_options options = { .dirfd = -1 };
	struct mem_err err;
	if (empty.len > 0)
		return;
	dir = fuzz_store_make(path, sizeof path, &empty);
	MUST(mem_belief_rules_load(&rules, &options, &err) == MEM_OK);
}

/* ctx: how many lines there were. */
static bool
count_lines(void *ctx, struct mem_str lines)
{
	for (size_t i = 0; i < lines.n; i++)
		*(size_t *)ctx += lines.p[i] == '\n';
	return true;
}

static size_t
add_lines(struct mem_fact_run *run, struct mem_str rest)
{
	size_t n = 0;
	struct mem_err err;
	while (n < LINES_MAX && rest.n > 0) {
		const char *nl = memchr(rest.p, '\n', rest.n);
		const struct mem_str text = { rest.p, nl != NULL ? (size_t)(nl - rest.p) : rest.n };
		MUST(mem_fact_run_add(run, &(struct mem_line){ .text = text, .number = ++n }, &err) == MEM_OK);
		rest.p += text.n + (nl != NULL);
		rest.n -= text.n + (nl != NULL);
	}
	return n;
}

/* Writes them, and exports what is there then.  Returns how many were taken. */
static uint64_t
write_facts(struct mem_str lines, struct mem_buf *out)
{
	const struct mem_store_options ask = fuzz_store_ask(path);
	const struct mem_fact_run_options o = { .via = "mem-fact" };
	struct mem_fact_run *run = NULL;
	struct mem_index m = { 0 };
	struct mem_err err;
	size_t receipts = 0;
	MUST(mem_fact_run_open(&run, &ask, &o, count_lines, &receipts, &err) == MEM_OK);
	MUST(mem_fact_run_rules(run, rules, &err) == MEM_OK);
	size_t n = add_lines(run, lines);
	MUST(mem_fact_run_commit(run, &err) == MEM_OK && receipts == n);
	const struct mem_write_total total = *mem_fact_run_total(run);
	enum mem_status st = mem_fact_run_outcome(run, &err);
	MUST(st == (total.denied > 0 ? MEM_DENIED : total.rejected > 0 ? MEM_REFUSED : MEM_OK));
	mem_fact_run_free(run);
	MUST(mem_index_open(&m, &ask, &err) == MEM_OK);
	MUST(mem_upkeep_check(&m, fuzz_abort_at_breach, NULL, NULL, NULL, &err) == MEM_OK);
	MUST(mem_upkeep_export(&m, false, fuzz_keep_lines, out, &err) == MEM_OK);
	mem_index_close(&m);
	return total.stored;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct mem_str lines = { (const char *)data, size };
	struct mem_buf first = { 0 }, second = { 0 };
	begin_once();
	fuzz_store_put_back(dir, &empty);
	if (write_facts(lines, &first) > 0) {
		(void)write_facts(lines, &second);
		MUST(mem_str_eq(mem_buf_span(&first), mem_buf_span(&second)));
	}
	mem_buf_release(&first);
	mem_buf_release(&second);
	return 0;
}
