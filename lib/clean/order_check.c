/* SPDX-License-Identifier: Apache-2.0 */
/* The check of a verb that a marker found: an order, or told of, asked about or denied. */
#include "clean/clean_int.h"

#include <ctype.h>
#include <string.h>

/* The word before `at` in the same line, and where it begins; empty: none. */
static struct mem_str
find_word_before(struct mem_str text, size_t *at)
{
	size_t end = *at;
	while (end > 0 && (text.p[end - 1] == ' ' || text.p[end - 1] == '*'))
		end--;
	size_t start = end;
	while (start > 0 && end - start < 32 && (isalpha((unsigned char)text.p[start - 1]) || text.p[start - 1] == '\'' ||
	    (text.p[start - 1] & 0x80) != 0))
		start--;
	*at = start;
	return (struct mem_str){ text.p + start, end - start };
}

/*
 * "Ignore …" is an order; "users who ignore", "do not ignore", "how to ignore" and "if you
 * ignore" are not.  After "to" it is one in "I want you to ignore".
 */
bool
clean_check_order(struct mem_str text, size_t at)
{
	static const char *const no[] = {
		"can", "cannot", "may", "might", "could", "would", "i", "we", "they", "he", "she", "who", "which", "that",
		"not", "never", "don't", "doesn't", "didn't", "won't", "people", "users", "user", "models", "agents",
		"or", "like", "as", "phrase", "phrases", "saying", "says", "containing", "means", "how", "if", "when",
		"ich", "wir", "nicht", "man", "nie", "zu", "wenn", "\xd0\xbd\xd0\xb5", /* не */
	};
	static const char *const before_to[] = {
		"how", "not", "able", "is", "tries", "try", "attempt", "attempts", "attempting", "wants", "want",
		"allowed", "possible", "instruction", "instructions", "prompt", "used",
	};
	static const char *const before_you[] = { "if", "when", "unless" };
	struct mem_str word = find_word_before(text, &at);
	if (clean_is_one_of(word, no, MEM_COUNT(no)))
		return false;
	if (clean_is_one_of(word, (const char *const[]){ "to" }, 1)) {
		word = find_word_before(text, &at);
		return word.n > 0 && !clean_is_one_of(word, before_to, MEM_COUNT(before_to));
	}
	if (mem_str_is(word, "you"))
		return !clean_is_one_of(find_word_before(text, &at), before_you, MEM_COUNT(before_you));
	return true;
}
