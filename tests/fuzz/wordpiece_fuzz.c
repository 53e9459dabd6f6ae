/* SPDX-License-Identifier: Apache-2.0 */
/* WordPiece: any text, and any vocabulary section. */
#include "tokens_fuzz.h"
#include "base/base.h"
#include "model/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct mem_buf section;

static void
make(void)
{
	static const char *const words[] = {
		"[PAD]", "[UNK]", "[CLS]", "[SEP]", "query", ":", "un", "##aff", "##able", "able", "the", "##e", "##q",
		"a", "##a", "b", "##b", "ab", "##ab", "abab", "東", "京", "[", "]", "sep", "##ß", "s", "##s", "é", "е",
		"##т", "\xe1\x84\x92", "##\xe1\x85\xa1", "##\xe1\x86\xab", "!", "#", "1", "##1", "##2",
	};
	struct mem_str v[MEM_COUNT(words)];
	struct mem_err err;
	for (size_t i = 0; i < MEM_COUNT(words); i++)
		v[i] = mem_str(words[i]);
	if (mem_wordpiece_pack(&section, v, MEM_COUNT(v), &err) != MEM_OK)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (section.len == 0)
		make();
	tokens_fuzz(MEM_TOKENS_WORDPIECE, mem_buf_span(&section), data, size);
	return 0;
}
