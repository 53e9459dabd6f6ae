/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stream of hits through every method of fusion: what comes out is records again, each
 * query's in order, no id twice in a query, and fusing in one stream or two never crashes.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stage/fuse_streams.h"
#include "record/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

#define MUST(x) do { if (!(x)) abort(); } while (0)

static void
check_fused_lines(struct mem_str out, size_t limit)
{
	struct mem_rec r = { 0 };
	int64_t last = 0;
	double score = HUGE_VAL;
	while (out.n > 0) {
		const char *nl = memchr(out.p, '\n', out.n);
		MUST(nl != NULL);
		MUST(mem_rec_scan(&r, (struct mem_str){ out.p, (size_t)(nl - out.p) }, NULL) == MEM_OK);
		out = (struct mem_str){ nl + 1, out.n - (size_t)(nl + 1 - out.p) };
		int64_t rank;
		double s;
		if (mem_rec_value(&r, "end").type == MEM_JSON_TRUE)
			continue;
		MUST(mem_json_int(mem_rec_value(&r, "rank"), &rank));
		MUST(rank == last + 1 || rank == 1);
		MUST(limit == 0 || (size_t)rank <= limit);
		struct mem_json v = mem_rec_value(&r, "score");
		if (v.type == MEM_JSON_NULL)
			s = score;
		else
			MUST(mem_json_num(v, &s));
		MUST(rank == 1 || s <= score);
		last = rank;
		score = s;
	}
	mem_rec_release(&r);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	if (n < 2)
		return 0;
	size_t limit = data[0] & 15;
	bool split = data[0] & 16;
	for (int how = MEM_FUSE_ZSCORE; how <= MEM_FUSE_SIMPLE; how++) {
		const size_t streams = split ? 1 : 1 + data[1] % 4;
		const struct mem_fuse_options o = { .how = (enum mem_fusion)how, .streams = split ? 1 : 4, .limit = limit,
			.min_score = -HUGE_VAL };
		void *f = mem_stage_fuse.open(&o);
		struct mem_buf out = { 0 };
		struct mem_err err;
		const char *p = (const char *)data + 2, *end = (const char *)data + n;
		for (size_t i = 0; p < end; i++) {
			const char *nl = memchr(p, '\n', (size_t)(end - p));
			struct mem_str line = { p, (size_t)((nl != NULL ? nl : end) - p) };
			if (mem_stage_fuse.add(f, i % streams, line, &out, &err) != MEM_OK)
				MUST(err.reason != NULL && err.offset <= line.n);
			p = nl != NULL ? nl + 1 : end;
		}
		MUST(out.len == 0);
		MUST(mem_stage_fuse.end(f, &out, &err) == MEM_OK);
		check_fused_lines(mem_buf_span(&out), limit);
		mem_buf_release(&out);
		mem_stage_fuse.free(f);
	}
	return 0;
}
