/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ids of the golden texts, by the vocabularies of the models that are installed ($MEMKIT_MODELS, else
 * where mem-model puts them): all of them, exactly.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model_int.h"
#include "record/record.h"
#include "token/token.h"

enum { MAX = 512 };

struct golden {
	struct mem_model *model;
	struct mem_tokenizer *tokens;
	const struct mem_model_spec *spec;
	size_t lines, cut;
};

static bool
open_golden(struct golden *g, const char *name)
{
	const char *dir = getenv("MEMKIT_MODELS");
	struct mem_buf path = { 0 };
	struct mem_err err;
	*g = (struct golden){ 0 };
	if (dir != NULL && dir[0] != '\0')
		mem_buf_printf(&path, "%s/%s.model", dir, name);
	else if (!mem_model_path(&path, mem_str(name)))
		return false;
	enum mem_status st = mem_model_open(&g->model, path.data, false, &err);
	if (st != MEM_OK && st != MEM_ABSENT)
		fail_msg("%s", err.msg);
	mem_buf_release(&path);
	if (st == MEM_ABSENT)
		return false;
	g->spec = mem_model_spec(g->model);
	assert_int_equal(mem_tokenizer_open(&g->tokens, g->spec->tokens, model_vocab(g->model), &err), MEM_OK);
	return true;
}

static size_t
read_ids(struct mem_json list, uint32_t *ids)
{
	size_t n = 0;
	int64_t id;
	for (struct mem_json_iter it = mem_json_each(list); mem_json_next(&it); n++) {
		assert_true(n < MAX && mem_json_int(it.value, &id));
		ids[n] = (uint32_t)id;
	}
	return n;
}

static void
check_line(struct golden *g, struct mem_rec *rec, struct mem_str line)
{
	struct mem_err err;
	struct mem_buf text = { 0 };
	uint32_t want[MAX], got[MAX];
	bool cut;
	assert_int_equal(mem_rec_scan(rec, line, &err), MEM_OK);
	assert_true(mem_json_decode(&text, mem_rec_value(rec, "text")));
	bool query = mem_json_is(mem_rec_value(rec, "kind"), "query");
	const char *prefix = query ? g->spec->query_prefix : g->spec->text_prefix;
	size_t n = read_ids(mem_rec_value(rec, "token_ids"), want);
	assert_int_equal(mem_tokenize(g->tokens, mem_str(prefix), mem_buf_span(&text), got, g->spec->max_ids, &cut), n);
	assert_memory_equal(got, want, n * sizeof *got);
	if (!cut) {
		struct mem_buf all = { 0 };
		mem_buf_puts(&all, prefix);
		mem_buf_str(&all, mem_buf_span(&text));
		assert_int_equal(mem_tokens_count(g->tokens, mem_buf_span(&all), NULL), n - 2);
		mem_buf_release(&all);
	}
	g->lines++;
	g->cut += cut;
	mem_buf_release(&text);
}

static void
check_golden(const char *name, size_t lines)
{
	struct golden g;
	struct mem_rec rec = { 0 };
	char path[64], *line = NULL;
	size_t cap = 0;
	ssize_t n;
	if (!open_golden(&g, name))
		skip();
	snprintf(path, sizeof path, "tests/data/encoder-golden/%s.ndjson", name);
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	while ((n = getline(&line, &cap, f)) > 0)
		check_line(&g, &rec, (struct mem_str){ line, (size_t)n - 1 });
	fclose(f);
	free(line);
	assert_int_equal(g.lines, lines);
	assert_int_equal(g.cut, 1);
	mem_rec_release(&rec);
	mem_tokenizer_close(g.tokens);
	mem_model_close(g.model);
}

static void
test_e5(void **state)
{
	(void)state;
	check_golden("e5", 42);
}

static void
test_bge(void **state)
{
	(void)state;
	check_golden("bge", 42);
}

static void
test_minilm(void **state)
{
	(void)state;
	check_golden("minilm", 40);
}

static void
test_me5(void **state)
{
	(void)state;
	check_golden("me5", 42);
}

/* Whatever stands in 7 MB of vocabulary, ids are of it. */
static void
test_damaged(void **state)
{
	(void)state;
	struct golden g;
	struct mem_err err;
	if (!open_golden(&g, "me5"))
		skip();
	struct mem_str vocab = model_vocab(g.model);
	struct mem_buf b = { 0 };
	uint32_t seed = 1, ids[MAX];
	const struct mem_str text = MEM_STR("Wie geht es Ihnen heute? 今日はとても良い天気です。 Как дела? "
	    "ﷺ ½ e\xcc\x81 한국어 nine \xf0\x9f\x98\x80 supercalifragilistic");
	mem_buf_str(&b, vocab);
	for (int round = 0; round < 30; round++) {
		struct mem_tokenizer *t;
		for (int i = 0; i < 200000; i++) {
			seed = seed * 1664525u + 1013904223u;
			uint64_t at = 64 + ((uint64_t)seed * (b.len - 64) >> 32);
			b.data[at] = (char)(seed >> 11);
		}
		assert_int_equal(mem_tokenizer_open(&t, MEM_TOKENS_UNIGRAM, mem_buf_span(&b), &err), MEM_OK);
		size_t n = mem_tokenize(t, text, text, ids, MAX, NULL);
		for (size_t i = 0; i < n; i++)
			assert_true(ids[i] < 250002);
		mem_tokenizer_close(t);
	}
	mem_buf_release(&b);
	mem_tokenizer_close(g.tokens);
	mem_model_close(g.model);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_e5),
		cmocka_unit_test(test_bge),
		cmocka_unit_test(test_minilm),
		cmocka_unit_test(test_me5),
		cmocka_unit_test(test_damaged),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
