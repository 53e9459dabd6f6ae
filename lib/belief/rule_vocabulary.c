/* SPDX-License-Identifier: Apache-2.0 */
/* Closed vocabularies that rules name: places, organisations.  Lists of data, looked up in a table and not by a pattern. */
#include "belief/belief_int.h"
#include "text/text.h"

#include <stdlib.h>
#include <string.h>

#define ENTRY_MAX_BYTES 64
#define TERM_MAX_BYTES  128 /* folded; what is longer is no name */
#define ENDING_MIN      2   /* bytes */

/* What an entry of a vocabulary is: its letter begins the key in the table. */
static const char kinds[] = { 'n', 'f', 'l', 'e' };
enum { KIND_NAME, KIND_FIRST, KIND_LAST, KIND_ENDING, KINDS, VOCABULARY_TYPE = KINDS };

const struct mem_rule_field belief_vocabulary_fields[] = {
	{ .name = "names", .type = MEM_RULE_LIST, .max = ENTRY_MAX_BYTES, .expected = "a name" },
	{ .name = "first", .type = MEM_RULE_LIST, .max = ENTRY_MAX_BYTES, .expected = "a first word" },
	{ .name = "last", .type = MEM_RULE_LIST, .max = ENTRY_MAX_BYTES, .expected = "a last word" },
	{ .name = "endings", .type = MEM_RULE_LIST, .max = ENTRY_MAX_BYTES, .expected = "an ending" },
	[VOCABULARY_TYPE] = { .name = "type", .type = MEM_RULE_NAME },
};
const size_t belief_vocabulary_nfields = MEM_COUNT(belief_vocabulary_fields);

/* ---- the table ------------------------------------------------------------ */

/* Appends the text folded, with one blank for each run of marks and white space between its words. */
static void
fold_name(struct mem_buf *out, struct mem_str text)
{
	struct mem_buf folded = { 0 };
	size_t from = out->len;
	mem_text_fold(&folded, text);
	struct mem_str left = mem_buf_span(&folded);
	bool gap = false;
	for (size_t i = 0, n; i < left.n; i += n) {
		uint32_t c = 0;
		n = mem_utf8_decode(left.p + i, left.n - i, &c);
		n = n > 0 ? n : 1;
		bool word = mem_char_is_word(c) || c == '&';
		if (word && gap && out->len > from)
			mem_buf_putc(out, ' ');
		if (word)
			mem_buf_put(out, left.p + i, n);
		/* "Mary's" is one word. */
		gap = word ? false : gap || c != '\'';
	}
	mem_buf_release(&folded);
}

static struct belief_vocabulary *
find_vocabulary(const struct mem_belief_rules *r, struct mem_str name)
{
	for (size_t i = 0; i < r->nvocabularies; i++)
		if (mem_str_eq(r->vocabularies[i]->name, name))
			return r->vocabularies[i];
	return NULL;
}

static void
add_entries(struct belief_vocabulary *v, int kind, const struct mem_rule_value *value)
{
	for (size_t i = 0; i < value->n; i++) {
		v->entries = mem_grow(v->entries, &v->entries_cap, v->nentries + 1, sizeof *v->entries);
		v->entries[v->nentries++] = (struct belief_vocabulary_entry){ .text = value->list[i], .kind = kind };
	}
	v->ready = false;
}

enum mem_status
belief_vocabulary_read(struct mem_belief_rules *r, const struct mem_rule *item, const struct belief_file *file, struct mem_err *err)
{
	size_t given = 0;
	for (size_t i = 0; i < KINDS; i++)
		given += item->values[i].n;
	if (given == 0)
		return mem_rule_refuse(err, file->name.p, item->line, item->name, "no names, first or last words, or endings");
	struct belief_vocabulary *v = find_vocabulary(r, item->name);
	if (v == NULL) {
		v = mem_arena_alloc(&r->arena, sizeof *v);
		*v = (struct belief_vocabulary){ .name = item->name };
		r->vocabularies = mem_grow(r->vocabularies, &r->vocabularies_cap, r->nvocabularies + 1, sizeof(struct belief_vocabulary *));
		r->vocabularies[r->nvocabularies++] = v;
	}
	for (int i = 0; i < KINDS; i++)
		add_entries(v, i, &item->values[i]);
	if (item->values[VOCABULARY_TYPE].given)
		v->type = item->values[VOCABULARY_TYPE].text;
	return MEM_OK;
}

/* Entries are folded when the vocabulary is first asked, which most runs never do. */
static void
build_table(struct belief_vocabulary *v)
{
	struct mem_buf key = { 0 };
	for (size_t i = 0; i < v->nentries; i++) {
		bool made;
		mem_buf_reset(&key);
		mem_buf_putc(&key, kinds[v->entries[i].kind]);
		fold_name(&key, v->entries[i].text);
		if (key.len > 1)
			mem_text_map_put(&v->table, mem_buf_span(&key), 0, &made);
	}
	mem_buf_release(&key);
	v->ready = true;
}

void
belief_vocabulary_release(struct belief_vocabulary *v)
{
	mem_text_map_release(&v->table);
	free(v->entries);
}

/* ---- looking up ------------------------------------------------------------- */

static bool
has_entry(const struct belief_vocabulary *v, int kind, struct mem_str folded)
{
	char key[TERM_MAX_BYTES + 1];
	key[0] = kinds[kind];
	memcpy(key + 1, folded.p, folded.n);
	return mem_text_map_find(&v->table, (struct mem_str){ key, folded.n + 1 }) != NULL;
}

/* Only of a word that has something before the ending. */
static bool
has_ending(const struct belief_vocabulary *v, struct mem_str word)
{
	for (size_t n = ENDING_MIN; n < word.n; n++)
		if (has_entry(v, KIND_ENDING, (struct mem_str){ word.p + word.n - n, n }))
			return true;
	return false;
}

static bool
has_folded(const struct belief_vocabulary *v, struct mem_str folded)
{
	const char *blank = memchr(folded.p, ' ', folded.n), *last = memrchr(folded.p, ' ', folded.n);
	struct mem_str tail = last == NULL ? folded : (struct mem_str){ last + 1, folded.n - (size_t)(last + 1 - folded.p) };
	if (has_entry(v, KIND_NAME, folded) || has_ending(v, tail))
		return true;
	return blank != NULL && (has_entry(v, KIND_FIRST, (struct mem_str){ folded.p, (size_t)(blank - folded.p) }) || has_entry(v, KIND_LAST, tail));
}

static bool
vocabulary_has(struct belief_vocabulary *v, struct mem_str term)
{
	struct mem_buf key = { 0 };
	if (!v->ready)
		build_table(v);
	fold_name(&key, term);
	bool has = key.len > 0 && key.len <= TERM_MAX_BYTES && has_folded(v, mem_buf_span(&key));
	mem_buf_release(&key);
	return has;
}

/* ---- lists of them -------------------------------------------------------------- */

bool
belief_vocabularies_have(const struct belief_vocabulary_list *l, struct mem_str term)
{
	for (size_t i = 0; i < l->n; i++)
		if (vocabulary_has(l->v[i], term))
			return true;
	return false;
}

struct mem_str
belief_vocabulary_type(const struct mem_belief_rules *r, struct mem_str term, const struct mem_str *wanted, size_t n)
{
	struct mem_str type = { NULL, 0 };
	size_t best = n;
	for (size_t i = 0; i < r->nvocabularies; i++) {
		struct belief_vocabulary *v = r->vocabularies[i];
		size_t place = 0;
		while (place < best && !mem_str_eq(wanted[place], v->type))
			place++;
		if (v->type.n == 0 || (type.n > 0 && place >= best) || !vocabulary_has(v, term))
			continue;
		type = v->type;
		best = place;
	}
	return type;
}

enum mem_status
belief_vocabularies_find(struct mem_belief_rules *r, const struct mem_rule *item, const struct mem_rule_value *value, const struct belief_file *file,
    struct belief_vocabulary_list *out, struct mem_err *err)
{
	*out = (struct belief_vocabulary_list){ 0 };
	if (value->n == 0)
		return MEM_OK;
	out->v = mem_arena_alloc(&r->arena, value->n * sizeof(struct belief_vocabulary *));
	for (size_t i = 0; i < value->n; i++) {
		out->v[i] = find_vocabulary(r, value->list[i]);
		if (out->v[i] == NULL)
			return mem_rule_refuse(err, file->name.p, value->line, item->name, "no such vocabulary: %.*s", (int)value->list[i].n, value->list[i].p);
		out->n++;
	}
	return MEM_OK;
}
