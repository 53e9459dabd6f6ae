/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of redaction rules by name. */
#include "clean/clean.h"

#include <string.h>

enum mem_status
mem_redact_parse(struct mem_str s, unsigned *groups, struct mem_err *err)
{
	static const struct {
		const char *name;
		unsigned groups;
	} words[] = {
		{ "secrets", MEM_REDACT_SECRETS }, { "personal", MEM_REDACT_PERSONAL },
		{ "network", MEM_REDACT_NETWORK }, { "all", MEM_REDACT_ALL }, { "none", 0 },
	};
	*groups = 0;
	for (size_t at = 0; at <= s.n;) {
		const char *comma = at < s.n ? memchr(s.p + at, ',', s.n - at) : NULL;
		size_t end = comma != NULL ? (size_t)(comma - s.p) : s.n, i = 0;
		struct mem_str word = { s.p + at, end - at };
		while (word.n > 0 && word.p[0] == ' ')
			word = (struct mem_str){ word.p + 1, word.n - 1 };
		while (i < MEM_COUNT(words) && !mem_str_is(word, words[i].name))
			i++;
		if (i == MEM_COUNT(words))
			return mem_err_set(err, MEM_USAGE,
			    "'%.*s' is none of secrets, personal, network, all, none", (int)word.n, word.p);
		*groups |= words[i].groups;
		at = end + 1;
	}
	return MEM_OK;
}
