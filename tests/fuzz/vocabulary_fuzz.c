/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of words, vocab.txt or tokenizer.json: words of some length, each id once. */
#include <stdlib.h>

#include "install/install_int.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mem_arena arena = { 0 };
	struct mem_err err = { 0 };
	const struct mem_str *words;
	size_t n;
	struct mem_str text = { (const char *)data, size };
	if (install_read_words(&words, &n, &arena, "fuzz", text, &err) == MEM_OK) {
		if (n == 0)
			abort();
		for (size_t i = 0; i < n; i++)
			if (words[i].n == 0 || mem_utf8_valid(words[i].p, words[i].n) != words[i].n)
				abort();
	} else if (strstr(err.msg, "'fuzz'") == NULL) {
		abort();
	}
	mem_arena_release(&arena);
	return 0;
}
