/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of words as publishers give them. */
#include "install/install_int.h"
#include "record/record.h"

#include <stdlib.h>

#define WORDS_MAX ((size_t)1 << 20)
#define WORD_MAX  512

static enum mem_status
refuse_vocab(struct mem_err *err, const char *path, const char *why)
{
	return mem_err_set(err, MEM_FAIL, "cannot use the vocabulary '%s': %s", path, why);
}

/* vocab.txt: a word is a line, its id the line's number from 0. */
static enum mem_status
read_vocab_lines(const struct mem_str **out, size_t *n, struct mem_arena *a, const char *path, struct mem_str text,
    struct mem_err *err)
{
	size_t lines = text.n > 0 && text.p[text.n - 1] != '\n';
	for (size_t i = 0; i < text.n; i++)
		lines += text.p[i] == '\n';
	if (lines == 0 || lines > WORDS_MAX)
		return refuse_vocab(err, path, lines == 0 ? "it is empty" : "it has too many words");
	struct mem_str *words = mem_arena_alloc(a, lines * sizeof *words);
	text = mem_arena_str(a, text);
	for (size_t i = 0, at = 0; i < lines; i++) {
		const char *p = text.p + at, *end = memchr(p, '\n', text.n - at);
		size_t len = end != NULL ? (size_t)(end - p) : text.n - at;
		at += len + 1;
		if (len > 0 && p[len - 1] == '\r')
			len--;
		if (len == 0 || len > WORD_MAX || mem_utf8_valid(p, len) != len)
			return mem_err_set(err, MEM_FAIL, "cannot use the vocabulary '%s': line %zu is no word", path, i + 1);
		words[i] = (struct mem_str){ p, len };
	}
	*out = words;
	*n = lines;
	return MEM_OK;
}

/* tokenizer.json: the object model.vocab, word by word with its id. */
static enum mem_status
read_vocab_object(const struct mem_str **out, size_t *n, struct mem_arena *a, const char *path, struct mem_str text,
    struct mem_err *err)
{
	struct mem_json json;
	struct mem_err why;
	size_t count = 0;
	if (mem_json_scan(&json, text, &why) != MEM_OK)
		return mem_err_set(err, MEM_FAIL, "cannot use the vocabulary '%s': it is not JSON: %s", path, why.msg);
	struct mem_json vocab = mem_json_path(json, "model.vocab");
	if (vocab.type != MEM_JSON_OBJECT)
		return refuse_vocab(err, path, "it has no object model.vocab");
	for (struct mem_json_iter it = mem_json_each(vocab); mem_json_next(&it);)
		count++;
	if (count == 0 || count > WORDS_MAX)
		return refuse_vocab(err, path, count == 0 ? "it is empty" : "it has too many words");
	struct mem_str *words = mem_arena_alloc(a, count * sizeof *words);
	for (struct mem_json_iter it = mem_json_each(vocab); mem_json_next(&it);) {
		int64_t id;
		struct mem_json key = { .raw = { it.key.p - 1, it.key.n + 2 }, .type = MEM_JSON_STRING, .escaped = it.key_escaped };
		struct mem_str w = mem_json_text(a, key);
		if (!mem_json_int(it.value, &id) || id < 0 || (uint64_t)id >= count || words[id].p != NULL || w.n == 0 || w.n > WORD_MAX)
			return mem_err_set(err, MEM_FAIL, "cannot use the vocabulary '%s': the id of '%.*s' is missing, taken or too large",
			    path, (int)(w.n < 40 ? w.n : 40), w.p != NULL ? w.p : "");
		words[id] = w;
	}
	*out = words;
	*n = count;
	return MEM_OK;
}

enum mem_status
install_read_words(const struct mem_str **out, size_t *n, struct mem_arena *a, const char *path, struct mem_str text,
    struct mem_err *err)
{
	bool json = text.n > 0 && text.p[0] == '{';
	return json ? read_vocab_object(out, n, a, path, text, err) : read_vocab_lines(out, n, a, path, text, err);
}
