/* SPDX-License-Identifier: Apache-2.0 */
/* Any valid UTF-8 gives terms that keep the promises of text.h, twice the same. */
#include <stdlib.h>
#include <string.h>

#include "text/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct mem_analyser *analysers[5];

static void
open_all(void)
{
	static const char *const names[] = { "english", "german", "french", "turkish", "auto" };
	struct mem_err err;
	for (size_t i = 0; i < MEM_COUNT(names); i++)
		if (mem_analyser_open(&analysers[i], names[i], &err) != MEM_OK)
			abort();
}

static void
check(const struct mem_term *t, size_t n, struct mem_str text)
{
	uint32_t position = 0;
	for (size_t i = 0; i < n; i++) {
		if (t[i].text.n == 0 || t[i].start >= t[i].end || t[i].end > text.n)
			abort();
		if (mem_utf8_valid(t[i].text.p, t[i].text.n) != t[i].text.n)
			abort();
		if (!t[i].alternative && t[i].position != position)
			abort();
		if (!t[i].extra)
			position++;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mem_str text = { (const char *)data, mem_utf8_valid((const char *)data, size) };
	struct mem_buf first = { 0 }, second = { 0 };
	if (analysers[0] == NULL)
		open_all();
	for (size_t i = 0; i < MEM_COUNT(analysers); i++) {
		const struct mem_term *t;
		size_t n;
		mem_analyse_query(analysers[i], text, &t, &n);
		check(t, n, text);
		mem_analyse(analysers[i], text, &t, &n);
		check(t, n, text);
		mem_buf_reset(&first);
		for (size_t k = 0; k < n; k++)
			mem_buf_str(&first, t[k].text);
		mem_analyse(analysers[i], text, &t, &n);
		mem_buf_reset(&second);
		for (size_t k = 0; k < n; k++)
			mem_buf_str(&second, t[k].text);
		if (first.len != second.len || (first.len > 0 && memcmp(first.data, second.data, first.len) != 0))
			abort();
	}
	mem_buf_reset(&first);
	mem_text_fold(&first, text);
	if (mem_utf8_valid(first.data != NULL ? first.data : "", first.len) != first.len)
		abort();
	mem_buf_release(&first);
	mem_buf_release(&second);
	return 0;
}
