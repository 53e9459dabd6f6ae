/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The line scanner against jansson: both take a text or both refuse it, and then hold
 * the same values.  jansson refuses more in two places (numbers that it cannot hold,
 * U+0000 in a key) and less in three (deeper than 512, keys over 64 KiB, and a NUL byte
 * behind a number, which it passes over).  What edits and rewriting give out must scan
 * again.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "record/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

#define MUST(x) do { if (!(x)) abort(); } while (0)

static void
same(struct mem_json v, const json_t *j)
{
	struct mem_buf b = { 0 };
	int64_t i;
	double d;
	switch (v.type) {
	case MEM_JSON_NULL: MUST(json_is_null(j)); break;
	case MEM_JSON_TRUE: MUST(json_is_true(j)); break;
	case MEM_JSON_FALSE: MUST(json_is_false(j)); break;
	case MEM_JSON_NUMBER:
		if (json_is_integer(j))
			MUST(mem_json_int(v, &i) && i == json_integer_value(j));
		else
			MUST(json_is_real(j) && mem_json_num(v, &d) &&
			    !(d < json_real_value(j)) && !(d > json_real_value(j)));
		break;
	case MEM_JSON_STRING:
		MUST(mem_json_decode(&b, v) && json_is_string(j));
		MUST(b.len == json_string_length(j));
		MUST(b.len == 0 || memcmp(b.data, json_string_value(j), b.len) == 0);
		break;
	case MEM_JSON_ARRAY: {
		size_t count = 0;
		for (struct mem_json_iter it = mem_json_each(v); mem_json_next(&it);)
			same(it.value, json_array_get(j, count++));
		MUST(json_is_array(j) && count == json_array_size(j));
		break;
	}
	case MEM_JSON_OBJECT: {
		size_t count = 0;
		for (struct mem_json_iter it = mem_json_each(v); mem_json_next(&it); count++) {
			struct mem_json key = { { it.key.p - 1, it.key.n + 2 }, MEM_JSON_STRING, it.key_escaped };
			mem_buf_reset(&b);
			MUST(mem_json_decode(&b, key));
			json_t *member = json_object_get(j, b.data != NULL ? b.data : "");
			MUST(member != NULL);
			same(it.value, member);
		}
		MUST(json_is_object(j) && count == json_object_size(j));
		break;
	}
	}
	mem_buf_release(&b);
}

static bool
leave(void *ctx, const char *path, bool is_key, struct mem_str text, struct mem_buf *to,
    struct mem_err *err)
{
	(void)ctx, (void)path, (void)is_key, (void)text, (void)to, (void)err;
	return false;
}

/* Many keys become equal. */
static bool
first_letter(void *ctx, const char *path, bool is_key, struct mem_str text, struct mem_buf *to,
    struct mem_err *err)
{
	(void)ctx, (void)path, (void)is_key, (void)err;
	if (text.n == 0 || (unsigned char)text.p[0] >= 0x80)
		return false;
	mem_buf_putc(to, text.p[0]);
	return true;
}

static void
rewritten(struct mem_json v)
{
	struct mem_buf out = { 0 };
	struct mem_json again;
	MUST(mem_json_map(&out, v, leave, NULL, NULL) == MEM_OK);
	MUST(mem_str_eq(mem_buf_span(&out), v.raw));
	mem_buf_reset(&out);
	MUST(mem_json_map(&out, v, first_letter, NULL, NULL) == MEM_OK);
	/* A key may have grown by its "~N"; nothing else may be wrong. */
	struct mem_err err;
	if (mem_json_scan(&again, mem_buf_span(&out), &err) != MEM_OK)
		MUST(strcmp(err.reason, "key_too_long") == 0);
	mem_buf_release(&out);
}

static void
edited(struct mem_str line)
{
	struct mem_rec r = { 0 }, again = { 0 };
	struct mem_buf out = { 0 };
	struct mem_err err;
	MUST(mem_rec_scan(&r, line, &err) == MEM_OK);
	mem_rec_edit(&out, &r, NULL, 0);
	MUST(mem_str_eq(mem_buf_span(&out), r.text));
	const struct mem_edit edits[] = {
		{ "a", { NULL, 0 } }, { "b", MEM_STR("[1e400]") }, { "c", MEM_STR("{}") },
	};
	size_t left = r.nfields - (mem_rec_find(&r, "a") != NULL) +
	    (mem_rec_find(&r, "b") == NULL) + (mem_rec_find(&r, "c") == NULL);
	mem_buf_reset(&out);
	mem_rec_edit(&out, &r, edits, MEM_COUNT(edits));
	MUST(mem_rec_scan(&again, mem_buf_span(&out), &err) == MEM_OK);
	MUST(again.nfields == left && mem_rec_find(&again, "a") == NULL);
	MUST(mem_str_is(mem_rec_value(&again, "b").raw, "[1e400]"));
	mem_buf_release(&out);
	mem_rec_release(&again);
	mem_rec_release(&r);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct mem_str text = { (const char *)data, n };
	struct mem_json v;
	struct mem_err err = { 0 };
	json_error_t e;
	json_t *j = json_loadb((const char *)data, n,
	    JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL, &e);
	if (mem_json_scan(&v, text, &err) != MEM_OK) {
		MUST(err.reason != NULL && err.offset <= n);
		MUST(j == NULL || strcmp(err.reason, "too_deep") == 0 || memchr(data, 0, n) != NULL ||
		    strcmp(err.reason, "key_too_long") == 0);
	} else {
		if (j != NULL)
			same(v, j);
		else
			MUST(json_error_code(&e) == json_error_numeric_overflow ||
			    json_error_code(&e) == json_error_null_byte_in_key);
		rewritten(v);
		if (v.type == MEM_JSON_OBJECT)
			edited(text);
	}
	json_decref(j);
	return 0;
}
