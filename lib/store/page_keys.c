/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of pages: what is left of a name without its punctuation. */
#include "store/page_keys.h"

#include <ctype.h>
#include <strings.h>

/* Punctuation that is no part of a key; a sign beyond these blocks is one. */
static bool
is_key_punctuation(uint32_t c)
{
	return c < 0x80 ? !isalnum((int)c) : c < 0xc0 || (c >= 0x2000 && c < 0x2070);
}

void
mem_page_key(struct mem_buf *out, struct mem_str folded)
{
	size_t before = out->len;
	for (size_t i = 0; i < folded.n;) {
		uint32_t c;
		size_t n = mem_utf8_decode(folded.p + i, folded.n - i, &c);
		if (!is_key_punctuation(c))
			mem_buf_put(out, folded.p + i, n);
		i += n;
	}
	if (out->len == before)
		mem_buf_str(out, folded);
}

struct mem_str
mem_page_file(struct mem_str path)
{
	size_t start = path.n;
	while (start > 0 && path.p[start - 1] != '/')
		start--;
	return (struct mem_str){ path.p + start, path.n - start };
}

struct mem_str
mem_page_stem(struct mem_str path)
{
	static const char *const extensions[] = { ".md", ".markdown" };
	for (size_t i = 0; i < MEM_COUNT(extensions); i++) {
		size_t n = strlen(extensions[i]);
		if (path.n > n && path.p[path.n - n - 1] != '/' && strncasecmp(path.p + path.n - n, extensions[i], n) == 0)
			return (struct mem_str){ path.p, path.n - n };
	}
	return path;
}
