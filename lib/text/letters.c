/* SPDX-License-Identifier: Apache-2.0 */
/* In which script a text is written, as far as English models care. */
#include "text/text_int.h"

static void
count_term_letters(struct mem_letters *sum, struct mem_str term)
{
	for (size_t i = 0; i < term.n;) {
		uint32_t c = (unsigned char)term.p[i];
		bool latin;
		if (c < 0x80) {
			sum->latin += (c | 0x20) - 'a' < 26;
			i++;
			continue;
		}
		i += mem_utf8_decode(term.p + i, term.n - i, &c);
		if (!text_is_letter(c))
			continue;
		text_find_script_language(c, &latin);
		*(latin ? &sum->latin : &sum->other) += 1;
	}
}

void
mem_letters_count(struct mem_letters *sum, const struct mem_term *terms, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!terms[i].extra)
			count_term_letters(sum, terms[i].text);
}

bool
mem_letters_are_foreign(const struct mem_letters *l)
{
	return l->other > l->latin;
}
