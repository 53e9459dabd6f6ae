/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of pages: what is left of a name without its punctuation. */
#include "store/page_keys.h"

#include <ctype.h>
#include <strings.h>

#include "store/store_int.h"

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
	mem_buf_reserve(out, folded.n);
	for (size_t i = 0; i < folded.n;) {
		uint32_t c = (unsigned char)folded.p[i];
		if (c < 0x80) {
			if (!is_key_punctuation(c))
				mem_buf_putc(out, folded.p[i]);
			i++;
			continue;
		}
		size_t n = mem_utf8_decode(folded.p + i, folded.n - i, &c);
		if (!is_key_punctuation(c))
			mem_buf_put(out, folded.p + i, n);
		i += n;
	}
	if (out->len == before)
		mem_buf_str(out, folded);
}

bool
mem_page_path_valid(struct mem_str path)
{
	for (size_t i = 0; i <= path.n; i++)
		if ((i == 0 || path.p[i - 1] == '/') && (i == path.n || path.p[i] == '/' || path.p[i] == '.'))
			return false;
	return memchr(path.p, 0, path.n) == NULL;
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

/* ---- of a node ------------------------------------------------------------ */

static void
add_page_key(struct store_name_list *l, const char *type, struct mem_str name)
{
	struct mem_buf key = { 0 };
	mem_buf_reset(&l->folded);
	l->fold(&l->folded, name);
	mem_page_key(&key, mem_buf_span(&l->folded));
	store_name_add_folded(l, mem_str(type), mem_buf_span(&key));
	mem_buf_release(&key);
}

/* A value that is no string has no key. */
static void
add_value_key(struct store_name_list *l, struct mem_arena *a, const char *type, struct mem_json v)
{
	struct mem_str text = mem_json_text(a, v);
	if (text.p != NULL)
		add_page_key(l, type, text);
}

/* By the whole target, and by its last component. */
static void
add_target_keys(struct store_name_list *l, struct mem_arena *a, struct mem_json link)
{
	struct mem_str target = mem_json_text(a, mem_json_member(link, "target"));
	if (target.n == 0 || mem_json_is(mem_json_member(link, "form"), "tag"))
		return;
	struct mem_str file = mem_page_stem(mem_page_file(target));
	add_page_key(l, MEM_PAGE_ASKS, file);
	if (file.n < target.n)
		add_page_key(l, MEM_PAGE_ASKS, target);
}

void
store_page_names(struct store_name_list *l, const struct mem_rec *page)
{
	struct mem_arena a = { 0 };
	struct mem_str path = mem_json_text(&a, mem_rec_value(page, "path"));
	if (path.p != NULL)
		add_page_key(l, MEM_PAGE_NAMED, mem_page_stem(mem_page_file(path)));
	add_value_key(l, &a, MEM_PAGE_NAMED, mem_rec_value(page, "title"));
	for (struct mem_json_iter it = mem_json_each(mem_rec_value(page, "aliases")); mem_json_next(&it);)
		add_value_key(l, &a, MEM_PAGE_NAMED, it.value);
	for (struct mem_json_iter it = mem_json_each(mem_rec_value(page, "links")); mem_json_next(&it);)
		if (it.value.type == MEM_JSON_OBJECT)
			add_target_keys(l, &a, it.value);
	store_name_add(l, MEM_STR(MEM_PAGE_NOTE), mem_json_text(&a, mem_rec_value(page, "note_id")));
	mem_arena_release(&a);
}
