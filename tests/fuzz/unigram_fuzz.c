/* SPDX-License-Identifier: Apache-2.0 */
/* Unigram: any text, and any vocabulary section. */
#include "tokens_fuzz.h"
#include "base/base.h"
#include "model/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct mem_buf section;

static void
make(void)
{
	static const char *const pieces[] = {
		"<s>", "<pad>", "</s>", "<unk>", "▁", "a", "b", "ab", "ba", "▁a", "▁ab", "abab", "é", "e", "▁query", ":",
		"q", "u", "日", "日本", "本", "の", "のの", "т", "\xe0\xa4\xa8", "<mask>", "babababa", "각",
	};
	static const float scores[] = {
		0, 0, 0, 0, -2.5f, -3.1f, -3.3f, -4, -4, -3.2f, -4.75f, -8, -5, -4, -6, -3,
		-7, -7, -6, -9.5f, -6.25f, -5, -10, -5, -6, 0, -15, -9,
	};
	static const uint32_t from[] = { 1, 9, 10, 0xaa, 0x3000, 0x3350, 0xfdfa }, at[] = { 0, 0, 1, 2, 3, 4, 7, 11 };
	static const uint32_t to[] = { ' ', ' ', 'a', ' ', 'b', 'a', 'b', 'a', ' ', 'b', 0x3ba };
	struct mem_str v[MEM_COUNT(pieces)];
	struct mem_err err;
	for (size_t i = 0; i < MEM_COUNT(pieces); i++)
		v[i] = mem_str(pieces[i]);
	struct mem_unigram_parts u = { v, scores, MEM_COUNT(pieces), 0, 2, 1, 3, from, at, to, MEM_COUNT(from) };
	if (mem_unigram_pack(&section, &u, &err) != MEM_OK)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (section.len == 0)
		make();
	tokens_fuzz(MEM_TOKENS_UNIGRAM, mem_buf_span(&section), data, size);
	return 0;
}
