/* SPDX-License-Identifier: Apache-2.0 */
/* Private keys in text whose lines come one by one. */
#include "clean/clean_int.h"

#include <string.h>

#define KEY_LINE_MAX  128 /* characters of base64 in a line of a key; RFC 7468 writes 64 */
#define KEY_LINE_MIN  4

/* "-----BEGIN RSA PRIVATE KEY-----", with what stands before it in its line. */
static bool
has_key_edge(struct mem_str line, const char *edge)
{
	const char *p = line.n > 0 ? memmem(line.p, line.n, edge, strlen(edge)) : NULL;
	const char *key = p != NULL ? memmem(p, line.n - (size_t)(p - line.p), "PRIVATE KEY", 11) : NULL;
	return key != NULL && key - p < 60;
}

enum mem_clean_key_line
mem_clean_key_line(struct mem_str line)
{
	static const char *const heads[] = { "Proc-Type:", "DEK-Info:", "Version:", "Comment:" };
	struct mem_str s = mem_str_trim(line);
	bool ends = has_key_edge(s, "---- END ") || has_key_edge(s, "-----END ");
	if (has_key_edge(s, "---- BEGIN ") || has_key_edge(s, "-----BEGIN "))
		return ends ? MEM_CLEAN_KEY_NONE : MEM_CLEAN_KEY_BEGIN;
	if (ends)
		return MEM_CLEAN_KEY_END;
	for (size_t i = 0; i < MEM_COUNT(heads); i++)
		if (s.n > strlen(heads[i]) && memcmp(s.p, heads[i], strlen(heads[i])) == 0)
			return MEM_CLEAN_KEY_BODY;
	if (s.n < KEY_LINE_MIN || s.n > KEY_LINE_MAX)
		return s.n == 0 ? MEM_CLEAN_KEY_BODY : MEM_CLEAN_KEY_NONE;
	return clean_has_only(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=") ? MEM_CLEAN_KEY_BODY : MEM_CLEAN_KEY_NONE;
}
