/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as nodes and edges written by hand, and what is there then as seeds of a spreading beside any bytes: a store
 * without a breach; hits out are records, ranked from 1.
 */
#include "fuzz_store.h"

#include <math.h>
#include <string.h>

#include "link/link.h"
#include "record/record.h"
#include "stage/spread_hits.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char path[100];
static int dir;
static struct mem_buf empty;

/* The first byte of a line says which of them it is for. */
static mem_link_line_fn *const verbs[] = { mem_link_add_node, mem_link_add_edge, mem_link_set_node, mem_link_set_edge, mem_link_remove_edge };

static void
write_lines(struct mem_str text, struct mem_buf *receipts)
{
	const struct mem_link_options o = { .via = "fuzz" };
	struct mem_store_options ask = fuzz_store_ask(path);
	struct mem_link_run *r;
	struct mem_err err;
	MUST(mem_link_run_open(&r, &ask, &o, fuzz_keep_lines, receipts, &err) == MEM_OK);
	for (const char *p = text.p, *end = text.p + text.n; p < end;) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		struct mem_line line = { .text = { p, (size_t)((nl != NULL ? nl : end) - p) } };
		size_t verb = line.text.n > 0 ? (unsigned char)*p % MEM_COUNT(verbs) : 0;
		if (line.text.n > 0)
			line.text = (struct mem_str){ p + 1, line.text.n - 1 };
		MUST(verbs[verb](r, &line, &err) == MEM_OK);
		MUST(mem_link_run_commit(r, &err) == MEM_OK); /* names are looked up as a line comes */
		p = nl != NULL ? nl + 1 : end;
	}
	mem_link_run_free(r);
}

static void
check_ranks(struct mem_str out)
{
	struct mem_rec r = { 0 };
	for (int64_t last = 0; out.n > 0;) {
		const char *nl = memchr(out.p, '\n', out.n);
		int64_t rank;
		MUST(nl != NULL && mem_rec_scan(&r, (struct mem_str){ out.p, (size_t)(nl - out.p) }, NULL) == MEM_OK);
		out = (struct mem_str){ nl + 1, out.n - (size_t)(nl + 1 - out.p) };
		if (mem_rec_value(&r, "end").type == MEM_JSON_TRUE || !mem_json_there(mem_json_member(mem_rec_value(&r, "signals"), "spread")))
			continue;
		if (!mem_json_int(mem_rec_value(&r, "rank"), &rank))
			continue; /* it passed as it came */
		MUST(rank == last + 1 || rank == 1 || last == 0);
		last = rank;
	}
	mem_rec_release(&r);
}

/* What is there, and then the bytes themselves, as hits. */
static void
spread_lines(struct mem_index *m, struct mem_str there, struct mem_str text)
{
	struct mem_spread_stage_options o = MEM_SPREAD_STAGE_OPTIONS_INIT;
	struct mem_buf out = { 0 };
	struct mem_err err;
	o.store = m->store;
	o.seeds = o.again = true;
	o.spread.paths = true;
	void *state = mem_stage_spread.open(&o);
	struct mem_str texts[] = { there, text };
	for (size_t i = 0; i < MEM_COUNT(texts); i++)
		for (const char *p = texts[i].p, *end = texts[i].p + texts[i].n; p < end;) {
			const char *nl = memchr(p, '\n', (size_t)(end - p));
			struct mem_str line = { p, (size_t)((nl != NULL ? nl : end) - p) };
			if (mem_stage_spread.add(state, 0, line, &out, &err) != MEM_OK)
				MUST(err.reason != NULL && err.offset <= line.n);
			p = nl != NULL ? nl + 1 : end;
		}
	MUST(mem_stage_spread.end(state, &out, &err) == MEM_OK);
	check_ranks(mem_buf_span(&out));
	mem_stage_spread.free(state);
	mem_buf_release(&out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mem_str text = { (const char *)data, size };
	struct mem_buf receipts = { 0 }, first = { 0 };
	struct mem_store_options ask = { 0 };
	struct mem_index m = { 0 };
	struct mem_err err;
	if (empty.len == 0)
		dir = fuzz_store_make(path, sizeof path, &empty);
	fuzz_store_put_back(dir, &empty);
	write_lines(text, &receipts);
	ask = fuzz_store_ask(path);
	MUST(mem_index_open(&m, &ask, &err) == MEM_OK);
	MUST(mem_upkeep_check(&m, fuzz_abort_at_breach, NULL, NULL, NULL, &err) == MEM_OK);
	MUST(mem_upkeep_export(&m, false, fuzz_keep_lines, &first, &err) == MEM_OK);
	spread_lines(&m, mem_buf_span(&first), text);
	mem_index_close(&m);
	mem_buf_release(&receipts);
	mem_buf_release(&first);
	return 0;
}
