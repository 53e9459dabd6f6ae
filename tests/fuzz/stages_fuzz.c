/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stream of hits through each stage of the table: what comes out are whole lines, records where the stage says so, with
 * scores that are numbers; a stage takes what it gave, and gives the same for the same.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "record/record.h"
#include "stage/gate.h"
#include "stage/rerank.h"
#include "stage/stage.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

#define MUST(x) do { if (!(x)) abort(); } while (0)

static struct mem_buf
run_stage_on(const struct mem_stage *s, const void *options, struct mem_str text)
{
	void *state = s->open(options);
	struct mem_buf out = { 0 };
	struct mem_err err;
	while (text.n > 0) {
		const char *nl = memchr(text.p, '\n', text.n);
		struct mem_str line = { text.p, nl != NULL ? (size_t)(nl - text.p) : text.n };
		if (s->add(state, 0, line, &out, &err) != MEM_OK)
			MUST(err.status == MEM_REFUSED && err.reason != NULL && err.offset <= line.n);
		text = (struct mem_str){ line.p + line.n + (nl != NULL), text.n - line.n - (nl != NULL) };
	}
	MUST(s->end(state, &out, &err) == MEM_OK);
	s->free(state);
	mem_buf_reserve(&out, 1); /* data is there, and may be empty */
	return out;
}

static void
check_output_lines(struct mem_str out)
{
	struct mem_rec r = { 0 };
	double score;
	while (out.n > 0) {
		const char *nl = memchr(out.p, '\n', out.n);
		MUST(nl != NULL);
		MUST(mem_rec_scan(&r, (struct mem_str){ out.p, (size_t)(nl - out.p) }, NULL) == MEM_OK);
		struct mem_json v = mem_rec_value(&r, "score");
		MUST(v.type != MEM_JSON_NUMBER || mem_json_num(v, &score));
		out = (struct mem_str){ nl + 1, out.n - (size_t)(nl + 1 - out.p) };
	}
	mem_rec_release(&r);
}

static void
try_stage(const struct mem_stage *s, const void *options, struct mem_str text)
{
	struct mem_buf once = run_stage_on(s, options, text), again = run_stage_on(s, options, text);
	void *state = s->open(options);
	bool is_text = s->is_text != NULL && s->is_text(state);
	s->free(state);
	MUST(mem_str_eq(mem_buf_span(&once), mem_buf_span(&again)));
	if (!is_text) {
		check_output_lines(mem_buf_span(&once));
		struct mem_buf twice = run_stage_on(s, options, mem_buf_span(&once));
		check_output_lines(mem_buf_span(&twice));
		mem_buf_release(&twice);
	}
	mem_buf_release(&once);
	mem_buf_release(&again);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	if (n < 2)
		return 0;
	struct mem_str text = { (const char *)data + 2, n - 2 };
	for (size_t i = 0; mem_stages[i] != NULL; i++)
		try_stage(mem_stages[i], NULL, text);
	const struct mem_rerank_options rerank = { .mmr = (data[0] & 1) != 0, .factors = (data[0] & 2) != 0, .per_session = data[0] >> 6,
		.again = (data[0] & 4) != 0, .lambda = data[1] / 255. };
	try_stage(&mem_stage_rerank, &rerank, text);
	struct mem_buf report = { 0 };
	const struct mem_gate_options gate = { .tokens = 1 + (size_t)data[1] * 2, .again = (data[0] & 4) != 0, .report = &report };
	try_stage(&mem_stage_gate, &gate, text);
	check_output_lines(mem_buf_span(&report));
	mem_buf_release(&report);
	return 0;
}
