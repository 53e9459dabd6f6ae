/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of pages, as links write them. */
#include "link/rename_int.h"
#include "link/targets.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

struct mem_str
rename_folder(struct mem_str path)
{
	while (path.n > 0 && path.p[path.n - 1] != '/')
		path.n--;
	return path;
}

struct mem_str
rename_stem(struct mem_str path)
{
	static const struct mem_str ends[] = { MEM_STR_INIT(".md"), MEM_STR_INIT(".markdown") };
	for (size_t i = 0; i < MEM_COUNT(ends); i++)
		if (path.n > ends[i].n && strncasecmp(path.p + path.n - ends[i].n, ends[i].p, ends[i].n) == 0)
			return (struct mem_str){ path.p, path.n - ends[i].n };
	return path;
}

size_t
rename_components(struct mem_str path)
{
	size_t n = 1;
	for (size_t i = 0; i < path.n; i++)
		n += path.p[i] == '/';
	return n;
}

struct mem_str
rename_tail(struct mem_str path, size_t n)
{
	size_t at = path.n;
	while (at > 0 && (path.p[at - 1] != '/' || --n > 0))
		at--;
	return (struct mem_str){ path.p + at, path.n - at };
}

size_t
rename_resolve(const struct mem_target_table *t, struct mem_str from, struct mem_str text, bool relative)
{
	const struct mem_target target = { .from = from, .text = text, .relative = relative };
	struct mem_target_answer a;
	mem_target_resolve(t, &target, &a);
	return a.found == MEM_TARGET_ONE ? a.page : SIZE_MAX;
}

void
rename_put_shortest(struct mem_buf *out, const struct mem_target_table *t, struct mem_str from, size_t page, struct mem_str path, size_t n)
{
	for (size_t all = rename_components(path); n < all; n++) {
		struct mem_str tail = rename_tail(path, n);
		if (rename_resolve(t, from, tail, false) == page) {
			mem_buf_str(out, tail);
			return;
		}
	}
	if (rename_resolve(t, from, path, false) != page)
		mem_buf_putc(out, '/');
	mem_buf_str(out, path);
}

void
rename_put_way(struct mem_buf *out, struct mem_str from, struct mem_str to)
{
	size_t same = 0;
	struct mem_str folder = rename_folder(from);
	for (size_t i = 0; i < folder.n && i < to.n && folder.p[i] == to.p[i]; i++)
		if (to.p[i] == '/')
			same = i + 1;
	for (size_t i = same; i < folder.n; i++)
		if (folder.p[i] == '/')
			mem_buf_puts(out, "../");
	mem_buf_put(out, to.p + same, to.n - same);
}

struct mem_str
rename_join(struct mem_arena *a, struct mem_str from, struct mem_str target)
{
	struct mem_buf b = { 0 };
	bool out = false;
	if (target.n == 0 || target.p[0] != '/')
		mem_buf_str(&b, rename_folder(from));
	for (size_t at = 0; at < target.n && !out;) {
		const char *slash = memchr(target.p + at, '/', target.n - at);
		size_t end = slash != NULL ? (size_t)(slash - target.p) : target.n;
		struct mem_str part = { target.p + at, end - at };
		if (mem_str_is(part, "..")) {
			out = b.len == 0;
			b.len -= b.len > 0;
			while (b.len > 0 && b.data[b.len - 1] != '/')
				b.len--;
		} else if (part.n > 0 && !mem_str_is(part, ".")) {
			mem_buf_str(&b, part);
			mem_buf_puts(&b, slash != NULL ? "/" : "");
		}
		at = end + 1;
	}
	struct mem_str path = out ? MEM_STR("") : mem_arena_str(a, mem_buf_span(&b));
	mem_buf_release(&b);
	return path;
}

/* Which bytes `old` writes as %XX: one beyond ASCII stands for all of them.  A slash parts folders, and letters and digits need it never. */
static void
find_encoded_bytes(bool encoded[256], struct mem_str old)
{
	for (size_t i = 0; i + 2 < old.n; i++) {
		int high = old.p[i] == '%' ? mem_hex_digit(old.p[i + 1]) : -1, low = high >= 0 ? mem_hex_digit(old.p[i + 2]) : -1;
		if (low < 0)
			continue;
		unsigned char c = (unsigned char)(high * 16 + low);
		if (c >= 0x80)
			memset(encoded + 0x80, true, 0x80);
		else if (c != '/' && !isalnum(c))
			encoded[c] = true;
	}
}

/* Would a reader of markdown take the '&' at `i` for an entity, "&amp;" or "&#1;"? */
static bool
may_begin_entity(struct mem_str path, size_t i)
{
	return i + 1 < path.n && (path.p[i + 1] == '#' || isalpha((unsigned char)path.p[i + 1]));
}

void
rename_put_encoded(struct mem_buf *out, struct mem_str path, struct mem_str old, bool angled)
{
	bool encoded[256] = { ['<'] = true, ['>'] = true, ['%'] = true, ['#'] = true, ['\\'] = true, ['?'] = true, [0x7f] = true };
	memset(encoded, true, ' ');
	encoded['('] = encoded[')'] = encoded['"'] = !angled;
	encoded[' '] = !angled || memchr(old.p, '%', old.n) != NULL;
	find_encoded_bytes(encoded, old);
	for (size_t i = 0; i < path.n; i++) {
		unsigned char c = (unsigned char)path.p[i];
		if (encoded[c] || (c == '&' && may_begin_entity(path, i)))
			mem_buf_printf(out, "%%%02X", c);
		else
			mem_buf_putc(out, (char)c);
	}
}
