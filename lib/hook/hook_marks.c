/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of ours in a file of lines of others, between two marks. */
#include "hook/hook_int.h"

const struct hook_mark hook_mark_own = { "# memkit begin", "# memkit end", "mem-hook" };
const struct hook_mark hook_mark_vault = { "# kg-hooks begin", "# kg-hooks end", "kg-hooks" };
/* Behind the first mark, what is to be undone with the block. */
#define MARK_MADE  " (a file of memkit)"
#define MARK_FOLDER " (in a folder of memkit)"
#define MARK_BREAK " (after a line break of memkit)"

struct block_place {
	size_t begin, end;         /* bytes of the block, marks and last line break included */
	struct mem_str first;      /* its first line */
	size_t inside, inside_end; /* bytes between the marks */
};

/* The first line from `at` on that begins with a mark; n 0: there is none. */
static struct mem_str
find_mark_line(struct mem_str text, size_t at, const char *mark)
{
	size_t n = strlen(mark);
	while (at < text.n) {
		const char *nl = memchr(text.p + at, '\n', text.n - at);
		size_t end = nl != NULL ? (size_t)(nl - text.p) + 1 : text.n;
		if (end - at >= n && memcmp(text.p + at, mark, n) == 0)
			return (struct mem_str){ text.p + at, end - at };
		at = end;
	}
	return (struct mem_str){ 0 };
}

/* MEM_NOTFOUND: there is no block. */
static enum mem_status
find_block_place(struct block_place *b, struct mem_str text, const struct hook_mark *mark, struct mem_err *err)
{
	b->first = find_mark_line(text, 0, mark->begin);
	if (b->first.n == 0 && find_mark_line(text, 0, mark->end).n == 0)
		return MEM_NOTFOUND;
	b->begin = b->first.n > 0 ? (size_t)(b->first.p - text.p) : 0;
	b->inside = b->begin + b->first.n;
	struct mem_str last = b->first.n > 0 ? find_mark_line(text, b->inside, mark->end) : (struct mem_str){ 0 };
	if (last.n == 0)
		return mem_err_set(err, MEM_FAIL, "of the marks '%s' and '%s' one is missing: put the file in order", mark->begin,
		    mark->end);
	b->inside_end = (size_t)(last.p - text.p);
	b->end = b->inside_end + last.n;
	return MEM_OK;
}

static void
replace_bytes(struct mem_buf *text, size_t from, size_t to, struct mem_str with)
{
	struct mem_buf out = { 0 };
	mem_buf_put(&out, text->data, from);
	mem_buf_str(&out, with);
	mem_buf_put(&out, text->data + to, text->len - to);
	mem_buf_release(text);
	*text = out;
}

static bool
has_mark_note(struct mem_str line, const char *note)
{
	return memmem(line.p, line.n, note, strlen(note)) != NULL;
}

enum mem_status
hook_put_block(struct mem_buf *text, const struct hook_block *new, enum mem_hook_verdict *verdict, struct mem_err *err)
{
	struct block_place b;
	size_t at = new->at;
	enum mem_status st = find_block_place(&b, (struct mem_str){ text->data, text->len }, new->mark, err);
	if (st == MEM_OK) {
		struct mem_str inside = { text->data + b.inside, b.inside_end - b.inside };
		*verdict = mem_str_eq(inside, new->lines) ? MEM_HOOK_UNCHANGED : MEM_HOOK_CHANGED;
		if (*verdict == MEM_HOOK_CHANGED)
			replace_bytes(text, b.inside, b.inside_end, new->lines);
		return MEM_OK;
	}
	if (st != MEM_NOTFOUND)
		return st;
	bool broken = at > 0 && text->data[at - 1] != '\n';
	struct mem_buf block = { 0 };
	mem_buf_printf(&block, "%s%s: %s(1) wrote this and takes it out%s%s%s\n", broken ? "\n" : "", new->mark->begin, new->mark->page,
	    new->made >= HOOK_MADE_FILE ? MARK_MADE : "", new->made == HOOK_MADE_FOLDER ? MARK_FOLDER : "", broken ? MARK_BREAK : "");
	mem_buf_str(&block, new->lines);
	mem_buf_printf(&block, "%s\n", new->mark->end);
	replace_bytes(text, at, at, mem_buf_span(&block));
	mem_buf_release(&block);
	*verdict = MEM_HOOK_NEW;
	return MEM_OK;
}

enum mem_status
hook_take_block(struct mem_buf *text, const struct hook_mark *mark, bool *made, enum mem_hook_verdict *verdict, struct mem_err *err)
{
	struct block_place b;
	enum mem_status st = find_block_place(&b, (struct mem_str){ text->data, text->len }, mark, err);
	*verdict = st == MEM_OK ? MEM_HOOK_REMOVED : MEM_HOOK_UNCHANGED;
	*made = st == MEM_OK && has_mark_note(b.first, MARK_MADE);
	if (st == MEM_OK) {
		bool broken = has_mark_note(b.first, MARK_BREAK) && b.begin > 0;
		replace_bytes(text, b.begin - broken, b.end, MEM_STR(""));
	}
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

struct mem_str
hook_find_block(struct mem_str text, const struct hook_mark *mark)
{
	struct block_place b;
	if (find_block_place(&b, text, mark, NULL) != MEM_OK)
		return (struct mem_str){ 0 };
	return (struct mem_str){ text.p + b.inside, b.inside_end - b.inside };
}

bool
hook_file_made(struct mem_str text)
{
	return has_mark_note(text, MARK_MADE);
}

bool
hook_folder_made(struct mem_str text)
{
	return has_mark_note(text, MARK_FOLDER);
}
