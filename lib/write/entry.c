/* SPDX-License-Identifier: Apache-2.0 */
/* Entries: what is derived from a node's text, and putting all of it. */
#include "write/write_int.h"

#include "store/page_keys.h"
#include "text/marks.h"

#include <stdlib.h>
#include <string.h>

static void
mark_entry_words(void *ctx, struct mem_word_marks *out, struct mem_str content, struct mem_str speaker, struct mem_str listener,
    int64_t captured_at)
{
	struct mem_text_marks m;
	const struct mem_str names[] = { speaker, listener };
	mem_text_mark(&m, ctx, content, names, MEM_COUNT(names), captured_at);
	_Static_assert(MEM_TEXT_DAYS == MEM_ATTR_DAYS, "all days are kept");
	memcpy(out->days, m.days, sizeof out->days);
	out->flags = (uint8_t)((m.has_question ? MEM_ATTR_HAS_QUESTION : 0) | (m.ends_question ? MEM_ATTR_ENDS_QUESTION : 0) |
	    (m.time_word ? MEM_ATTR_TIME_WORD : 0) | (m.number_word ? MEM_ATTR_NUMBER_WORD : 0) |
	    (unsigned)m.capitals << MEM_ATTR_CAPITALS_SHIFT);
}

struct mem_word_reader
mem_entry_word_reader(struct mem_analyser *a)
{
	return (struct mem_word_reader){ .fold = mem_text_fold, .mark = mark_entry_words, .ctx = a };
}

/* The text that its vector is made of, built once and kept. */
static void
keep_embed_text(struct mem_entry *e, struct mem_arena *arena, const struct mem_rec *node)
{
	struct mem_buf text = { 0 };
	e->embeds = mem_kind_info(e->draft.attr.kind)->embedded != 0 && mem_node_text(&text, node);
	if (e->embeds)
		e->embedding.text = mem_arena_str(arena, mem_buf_span(&text));
	mem_buf_release(&text);
}

enum mem_status
write_entry_make(struct mem_entry *e, struct mem_index *m, struct mem_arena *arena, const struct mem_rec *node,
    enum mem_node_fill fill, struct mem_err *err)
{
	*e = (struct mem_entry){ 0 };
	if (node->text.n > MEM_LINE_MAX)
		return mem_err_record(err, "too_long", MEM_LINE_MAX, "a record of %zu bytes", node->text.n);
	struct mem_word_reader words = mem_entry_word_reader(m->analyser);
	enum mem_status st = mem_node_keys_make(&e->draft, m->store, node, fill, &words, arena, err);
	if (st == MEM_OK) {
		e->indexed = mem_kind_info(e->draft.attr.kind)->words != 0;
		mem_node_terms(&e->doc, m, arena, node);
		m->made++;
		keep_embed_text(e, arena, node);
	}
	return st;
}

static enum mem_status
check_page_path(const struct mem_rec *page, struct mem_err *err)
{
	struct mem_arena a = { 0 };
	struct mem_json v = mem_rec_value(page, "path");
	struct mem_str path = mem_json_text(&a, v);
	bool valid = path.n == 0 || mem_page_path_valid(path);
	mem_arena_release(&a);
	return valid ? MEM_OK : mem_err_record(err, "bad_value", (size_t)(v.raw.p - page->text.p), "path must lead down from the top of a vault");
}

enum mem_status
write_entry_of_new(struct mem_entry *e, struct mem_index *m, struct mem_arena *arena, const struct mem_rec *node,
    enum mem_node_fill fill, struct mem_err *err)
{
	enum mem_status st = write_entry_make(e, m, arena, node, fill, err);
	return st == MEM_OK && e->draft.attr.kind == MEM_KIND_PAGE ? check_page_path(node, err) : st;
}

enum mem_status
mem_entry_make(struct mem_entry *e, struct mem_index *m, struct mem_arena *arena, struct mem_str node,
    enum mem_node_fill fill, struct mem_err *err)
{
	struct mem_rec r = { 0 };
	enum mem_status st = mem_rec_scan(&r, node, err);
	if (st == MEM_OK)
		st = write_entry_make(e, m, arena, &r, fill, err);
	mem_rec_release(&r);
	return st;
}

/* The model may have become another one since the vector was made: then it waits for one of that. */
static enum mem_status
put_entry_vector(struct mem_txn *t, const struct mem_entry *e, struct mem_err *err)
{
	enum mem_status st = mem_model_record_put(t, e->encoder, err);
	/* Damage where it would stand costs the vector, not the node. */
	float *there = mem_xmalloc(e->encoder->dims * sizeof *there);
	bool damaged = st == MEM_OK && mem_vectors_get(t, e->ord, 0, there, NULL) == MEM_FAIL;
	free(there);
	if (st == MEM_OK && !damaged)
		st = mem_vectors_pieces_limit(t, e->passages, e->npassages, e->pieces_limit, err);
	if (st == MEM_OK && !damaged)
		return mem_vectors_put(t, e->ord, e->passages, e->npassages, err);
	return st == MEM_STALE || damaged ? mem_vectors_pend(t, e->ord, err) : st;
}

enum mem_status
mem_entry_put(struct mem_txn *t, struct mem_entry *e, const char *op, struct mem_err *err)
{
	enum mem_status st = mem_node_add(t, &e->draft, op, &e->ord, err);
	if (st != MEM_OK)
		return st;
	e->doc.ord = e->ord;
	e->doc.ns = e->draft.attr.ns;
	e->doc.attr = &e->draft.attr;
	e->put = true;
	if (e->indexed)
		st = mem_words_add(t, &e->doc, err);
	if (st == MEM_OK && e->embedding.vector != NULL)
		return put_entry_vector(t, e, err);
	return st == MEM_OK && e->embeds ? mem_vectors_pend(t, e->ord, err) : st;
}
