/* SPDX-License-Identifier: Apache-2.0 */
/* Structured parts of a content: front matter, tables, blocks of `key: value` lines; JSON is a content of its own. */
#include "belief/structured_int.h"
#include "md/md.h"

#include <string.h>

static void
take_range(struct structured_ranges *taken, size_t start, size_t end)
{
	taken->v = mem_grow(taken->v, &taken->cap, taken->n + 1, sizeof *taken->v);
	taken->v[taken->n++] = (struct structured_range){ start, end };
}

static struct mem_str
trim_line(struct mem_str s)
{
	return structured_trim(s, " \t\r");
}

static struct mem_str
trim_emphasis(struct mem_str s)
{
	return structured_trim(trim_line(s), "*_`");
}

/* Small letters, `_` for blanks and dashes: "Depends on" is depends_on.  Empty: too long for a key. */
static struct mem_str
fold_key(struct structured *s, struct mem_str key)
{
	key = trim_emphasis(key);
	if (key.n == 0 || key.n > STRUCTURED_KEY_MAX)
		return (struct mem_str){ "", 0 };
	char *p = mem_arena_dup(s->arena, key.p, key.n);
	for (size_t i = 0; i < key.n; i++)
		p[i] = p[i] >= 'A' && p[i] <= 'Z' ? (char)(p[i] - 'A' + 'a') : p[i] == ' ' || p[i] == '-' ? '_' : p[i];
	return (struct mem_str){ p, key.n };
}

/* ---- front matter ------------------------------------------------------------ */

/* A list's members, with commas between them. */
static struct mem_str
join_members(struct structured *s, const struct mem_yaml *list)
{
	struct mem_buf b = { 0 };
	for (const struct mem_yaml *m = list->child; m != NULL; m = m->next) {
		if (m->type != MEM_YAML_SCALAR)
			continue;
		mem_buf_puts(&b, b.len > 0 ? ", " : "");
		mem_buf_str(&b, m->scalar);
	}
	struct mem_str text = mem_arena_str(s->arena, mem_buf_span(&b));
	mem_buf_release(&b);
	return text;
}

/* Where the line `number` begins, from that of line *line, which begins at *at. */
static size_t
go_to_line(struct mem_str text, unsigned number, unsigned *line, size_t *at)
{
	while (*line < number && *at < text.n) {
		const char *nl = memchr(text.p + *at, '\n', text.n - *at);
		*at = nl != NULL ? (size_t)(nl - text.p) + 1 : text.n;
		(*line)++;
	}
	return *at;
}

static size_t
line_end(struct mem_str text, size_t at)
{
	const char *nl = memchr(text.p + at, '\n', text.n - at);
	return nl != NULL ? (size_t)(nl - text.p) : text.n;
}

/* Returns where the body begins. */
static size_t
read_front_matter(struct structured *s, struct structured_ranges *taken)
{
	struct mem_md_page page;
	const struct mem_yaml *front = NULL;
	struct mem_str text = s->source->content;
	unsigned line = 1;
	size_t at = 0;
	if (text.n < 4 || memcmp(text.p, "---", 3) != 0)
		return 0;
	mem_md_split(&page, text);
	mem_md_front(&front, s->arena, &page, NULL, NULL);
	if (front == NULL)
		return 0;
	structured_record_begin(s, STRUCTURED_FRONT);
	for (const struct mem_yaml *m = front->child; m != NULL; m = m->next) {
		size_t start = go_to_line(text, m->line, &line, &at);
		struct mem_str value = m->type == MEM_YAML_SCALAR ? m->scalar : m->type == MEM_YAML_SEQ ? join_members(s, m) : MEM_STR("");
		structured_pair_add(s, fold_key(s, m->key), value, start, line_end(text, start));
	}
	structured_record_end(s);
	size_t body = (size_t)(page.body.p - text.p);
	take_range(taken, 0, body);
	return body;
}

/* ---- tables ------------------------------------------------------------------ */

/* Each row is a record.  Returns where the table ends. */
static size_t
read_table(struct structured *s, const struct mem_md_table *t, struct structured_ranges *taken)
{
	struct mem_str text = s->source->content, keys[MEM_MD_CELLS_MAX], cells[MEM_MD_CELLS_MAX], row;
	for (size_t i = 0; i < t->ncells; i++)
		keys[i] = fold_key(s, t->header[i]);
	for (size_t at = t->rows; structured_has_room(s) && mem_md_row_next(text, t, &at, &row);) {
		size_t n = mem_md_row_cells(row, cells, MEM_MD_CELLS_MAX), start = (size_t)(row.p - text.p);
		structured_record_begin(s, STRUCTURED_TABLE);
		for (size_t i = 0; i < n && i < t->ncells; i++)
			structured_pair_add(s, keys[i], cells[i], start, start + row.n);
		structured_record_end(s);
	}
	take_range(taken, t->start, t->end);
	return t->end;
}

/* ---- lists ------------------------------------------------------------------- */

/* "- **Key**: value"; false: the line is none. */
static bool
split_key_line(struct mem_str line, struct mem_str *key, struct mem_str *value)
{
	unsigned words = 1;
	struct mem_str s = trim_line(line);
	if (s.n > 2 && strchr("-*+", s.p[0]) != NULL && s.p[1] == ' ')
		s = trim_line((struct mem_str){ s.p + 2, s.n - 2 });
	const char *colon = memchr(s.p, ':', s.n < STRUCTURED_KEY_MAX + 6 ? s.n : STRUCTURED_KEY_MAX + 6);
	if (colon == NULL)
		return false;
	*key = trim_emphasis((struct mem_str){ s.p, (size_t)(colon - s.p) });
	*value = (struct mem_str){ colon + 1, (size_t)(s.p + s.n - (colon + 1)) };
	bool marked = value->n > 0 && (value->p[0] == '*' || value->p[0] == '_');
	if (value->n == 0 || !(marked || value->p[0] == ' ' || value->p[0] == '\t'))
		return false;
	*value = trim_emphasis(*value);
	for (size_t i = 0; i < key->n; i++) {
		unsigned char c = (unsigned char)key->p[i];
		words += c == ' ';
		if (c < 0x80 && strchr(" _-/()ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", c) == NULL)
			return false;
	}
	return key->n > 0 && words <= 4 && value->n > 0;
}

/* The text of a heading ("## Atlas"), or of a line that announces a list ("Atlas:"); empty: it is neither. */
static struct mem_str
heading_text(struct mem_str line)
{
	struct mem_str s = trim_line(line), none = { "", 0 };
	size_t level = 0;
	while (level < s.n && s.p[level] == '#')
		level++;
	if (level > 0 && level <= 6 && level < s.n && s.p[level] == ' ')
		s = trim_emphasis((struct mem_str){ s.p + level, s.n - level });
	else if (s.n > 1 && s.p[s.n - 1] == ':')
		s = trim_emphasis((struct mem_str){ s.p, s.n - 1 });
	else
		return none;
	return s.n <= STRUCTURED_KEY_MAX ? s : none;
}

/* The lines of a block of key lines from `at` on.  Returns where it ends; `at` itself: there is none of two lines. */
static size_t
read_key_block(struct structured *s, size_t at, struct structured_ranges *taken)
{
	struct mem_str text = s->source->content, key, value;
	size_t end = at, claims = s->out->n, lines = 0;
	structured_record_begin(s, STRUCTURED_LIST);
	while (end < text.n) {
		size_t stop = line_end(text, end);
		if (!split_key_line((struct mem_str){ text.p + end, stop - end }, &key, &value))
			break;
		structured_pair_add(s, fold_key(s, key), value, end, stop);
		lines++;
		end = stop + (stop < text.n);
	}
	if (lines < 2) {
		s->record.n = 0;
		return at;
	}
	structured_record_end(s);
	if (s->out->n > claims)
		take_range(taken, at, end);
	return end;
}

/* ---- the content ------------------------------------------------------------- */

static bool
is_fence(struct mem_str line)
{
	struct mem_str s = trim_line(line);
	return s.n >= 3 && (memcmp(s.p, "```", 3) == 0 || memcmp(s.p, "~~~", 3) == 0);
}

/* What is not in a fence: tables and blocks, each under the heading before it. */
static void
read_structured_lines(struct structured *s, size_t at, struct structured_ranges *taken)
{
	struct mem_str text = s->source->content;
	struct mem_md_table table;
	bool fenced = false;
	while (at < text.n && structured_has_room(s)) {
		size_t stop = line_end(text, at), next = at;
		struct mem_str line = { text.p + at, stop - at };
		bool fence = is_fence(line);
		fenced ^= fence;
		if (!fenced && !fence && memchr(line.p, '|', line.n) != NULL && mem_md_table_at(text, at, &table))
			next = read_table(s, &table, taken);
		else if (!fenced && !fence && memchr(line.p, ':', line.n) != NULL)
			next = read_key_block(s, at, taken);
		struct mem_str heading = next == at ? heading_text(line) : MEM_STR("");
		if (heading.n > 0 && !fenced)
			s->record.heading = heading;
		else if (next > at || trim_line(line).n > 0)
			s->record.heading = (struct mem_str){ "", 0 }; /* it heads what follows at once */
		at = next > at ? next : stop + 1;
	}
}

void
structured_read(struct mem_claim_list *out, struct structured_ranges *taken, const struct mem_belief_rules *rules,
    const struct belief_mappings *mappings, const struct mem_extract_source *source)
{
	struct structured s = { .out = out, .rules = rules, .mappings = mappings, .source = source, .arena = out->arena, .first = out->n };
	if (mappings->n == 0 || source->content.n == 0)
		return;
	if (structured_json(&s, source->content)) {
		take_range(taken, 0, source->content.n);
		return;
	}
	read_structured_lines(&s, read_front_matter(&s, taken), taken);
}
