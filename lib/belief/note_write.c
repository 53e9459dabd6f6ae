/* SPDX-License-Identifier: Apache-2.0 */
/* Notes that are due, written: a new one, one in the place of another, or one less. */
#include "belief/note_int.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "clean/clean_text.h"

enum { BATCH = 64, ROUNDS = 16 };

/* What a batch was worked out from: nodes that must still be live. */
struct basis {
	uint32_t *ords;
	size_t n, cap;
};

/* ---- what a note says ----------------------------------------------------------- */

static bool
says_end(struct mem_str s)
{
	return s.n > 0 && strchr(".!?", s.p[s.n - 1]) != NULL;
}

/* The statements, each once, with a full stop where none stands. */
static void
put_content(struct mem_buf *out, const struct note_cluster *c)
{
	for (size_t i = 0; i < c->n; i++) {
		bool again = false;
		for (size_t k = 0; k < i && !again; k++)
			again = mem_str_eq(c->facts[k].statement, c->facts[i].statement);
		if (again)
			continue;
		if (out->len > 0)
			mem_buf_putc(out, ' ');
		mem_buf_str(out, c->facts[i].statement);
		if (!says_end(c->facts[i].statement))
			mem_buf_putc(out, '.');
	}
}

static int
compare_keywords(const void *a, const void *b)
{
	return mem_str_cmp(*(const struct mem_str *)a, *(const struct mem_str *)b);
}

/* Names and predicates, each once, in the order of their bytes. */
static enum mem_status
make_keywords(struct note_run *r, const struct note_cluster *c, struct mem_clean_text *out, struct mem_err *err)
{
	struct mem_str words[2 * MEM_NOTE_SOURCES + 1];
	struct mem_clean_object list = { 0 };
	struct mem_finding_list found = { 0 };
	size_t n = 0;
	enum mem_status st = MEM_OK;
	words[n++] = c->name;
	for (size_t i = 0; i < c->n; i++) {
		words[n++] = c->facts[i].object;
		words[n++] = c->facts[i].predicate;
	}
	mem_sort(words, n, sizeof *words, compare_keywords);
	for (size_t i = 0; i < n && st == MEM_OK; i++) {
		struct mem_clean_text word;
		if (words[i].n == 0 || (i > 0 && mem_str_eq(words[i], words[i - 1])))
			continue;
		st = mem_write_clean_text(r->writer, &word, "keywords", words[i], &found, err);
		if (st == MEM_OK)
			mem_clean_list_put(&list, word);
		st = st == MEM_REFUSED ? MEM_OK : st; /* a name that is nothing but what is cut is no keyword */
	}
	*out = mem_clean_list_end(&list, mem_writer_arena(r->writer));
	return st;
}

static struct mem_clean_text
make_note_sources(struct mem_arena *a, const struct note_cluster *c)
{
	struct mem_clean_object list = { 0 };
	for (size_t i = 0; i < c->n; i++)
		mem_clean_list_put(&list, mem_clean_id(a, &c->facts[i].id));
	return mem_clean_list_end(&list, a);
}

static struct mem_clean_text
make_note_origin(struct note_run *r)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	struct mem_clean_object o = { 0 };
	mem_clean_object_put(&o, "agent", mem_clean_word(a, mem_str(mem_store_principal(r->store)->agent)));
	mem_clean_object_put(&o, "via", mem_clean_word(a, MEM_STR("mem-consolidate")));
	mem_clean_object_put(&o, "rule", mem_clean_word(a, MEM_STR(NOTE_RULE)));
	return mem_clean_object_end(&o, a);
}

/* Of its facts: the highest importance, the lowest trust, the mean confidence. */
static struct mem_write_memory
judge_memory(struct mem_arena *a, const struct note_cluster *c)
{
	struct mem_write_memory m = { .trust = 1, .type = mem_clean_word(a, MEM_STR("fact")) };
	double confidence = 0;
	for (size_t i = 0; i < c->n; i++) {
		m.importance = c->facts[i].importance > m.importance ? c->facts[i].importance : m.importance;
		m.trust = c->facts[i].trust < m.trust ? c->facts[i].trust : m.trust;
		confidence += c->facts[i].confidence;
	}
	m.confidence = mem_clean_num(a, confidence / (double)c->n);
	return m;
}

/* ---- queueing --------------------------------------------------------------------- */

/* What its id is made of: the subject, the facts, and the note that it takes the place of. */
static struct mem_str
make_note_identity(struct mem_arena *a, const struct note_cluster *c)
{
	struct mem_buf b = { 0 };
	mem_buf_puts(&b, "note");
	mem_buf_put(&b, c->subject_id.b, sizeof c->subject_id.b);
	if (c->has_note)
		mem_buf_put(&b, c->note.b, sizeof c->note.b);
	for (size_t i = 0; i < c->n; i++)
		mem_buf_put(&b, c->facts[i].id.b, sizeof c->facts[i].id.b);
	const struct mem_str s = mem_arena_str(a, mem_buf_span(&b));
	mem_buf_release(&b);
	return s;
}

static struct mem_clean_text
make_note_detail(struct mem_arena *a, const struct note_cluster *c)
{
	struct mem_clean_object o = { 0 };
	mem_clean_object_put(&o, "subject", mem_clean_id(a, &c->subject_id));
	mem_clean_object_put(&o, "facts", mem_clean_int(a, (int64_t)c->n));
	return mem_clean_object_end(&o, a);
}

static const struct mem_write_edge *
make_note_edges(struct mem_arena *a, const struct note_cluster *c)
{
	struct mem_write_edge *edges = mem_arena_alloc(a, (c->n + 1) * sizeof *edges);
	for (size_t i = 0; i < c->n; i++)
		edges[i] = (struct mem_write_edge){ .kind = "derived_from", .to.id = c->facts[i].id };
	edges[c->n] = (struct mem_write_edge){ .kind = "about", .to.id = c->subject_id };
	return edges;
}

static int64_t *
newest_time(struct mem_arena *a, const struct note_cluster *c)
{
	int64_t *at = mem_arena_alloc(a, sizeof *at);
	*at = c->facts[0].created_at;
	for (size_t i = 1; i < c->n; i++)
		*at = c->facts[i].created_at > *at ? c->facts[i].created_at : *at;
	return at;
}

/* Text that the sanitiser refuses makes no note. */
static enum mem_status
queue_note(struct note_run *r, const struct note_cluster *c, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	struct mem_write_input in = { .ns = mem_arena_str(a, c->ns_name), .quiet = true };
	struct mem_clean_text content, keywords;
	struct mem_buf text = { 0 };
	put_content(&text, c);
	enum mem_status st = mem_write_clean_text(r->writer, &content, "content", mem_arena_str(a, mem_buf_span(&text)), &in.found, err);
	mem_buf_release(&text);
	if (st == MEM_OK)
		st = make_keywords(r, c, &keywords, err);
	if (st != MEM_OK)
		return st == MEM_REFUSED ? MEM_OK : st;
	const struct mem_clean_field fields[] = {
		{ "content", content },
		{ "keywords", keywords },
		{ "sources", make_note_sources(a, c) },
		{ "supersedes", c->has_note ? mem_clean_id(a, &c->note) : mem_clean_absent() },
	};
	const struct mem_write_node node = {
		.kind = MEM_KIND_NOTE, .id_of = make_note_identity(a, c), .created_at = newest_time(a, c), .fields = fields, .nfields = MEM_COUNT(fields),
		.memory = judge_memory(a, c), .origin = make_note_origin(r), .supersedes = c->has_note ? &c->note : NULL,
		.supersedes_reason = "sources_changed", .edges = make_note_edges(a, c), .nedges = c->n + 1,
		.audit = { .word = "summarize", .detail = make_note_detail(a, c) },
	};
	mem_write_add(r->writer, &in, &node);
	r->done->notes++;
	return MEM_OK;
}

static enum mem_status
queue_retirement(struct note_run *r, const struct note_cluster *c, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	const struct mem_write_input in = { .ns = mem_arena_str(a, c->ns_name), .quiet = true };
	struct mem_clean_field *set = mem_arena_alloc(a, sizeof *set);
	*set = (struct mem_clean_field){ "status", mem_clean_word(a, MEM_STR("retired")) };
	const struct mem_write_edit edit = { .set = set, .n = 1, .op = "retired",
		.audit = { "summarize", "too_few_facts", make_note_detail(a, c) } };
	return mem_write_change(r->writer, &in, &c->note, 0, &edit, err);
}

static bool
has_same_sources(const struct note_cluster *c)
{
	bool same = c->nsources == c->n;
	for (size_t i = 0; i < c->n && same; i++)
		same = mem_id_cmp(&c->sources[i], &c->facts[i].id) == 0;
	return same;
}

static void
note_basis(struct basis *b, const struct note_cluster *c)
{
	b->ords = mem_grow(b->ords, &b->cap, b->n + c->n + 2, sizeof *b->ords);
	b->ords[b->n++] = c->subject;
	if (c->has_note)
		b->ords[b->n++] = c->note_ord;
	for (size_t i = 0; i < c->n; i++)
		b->ords[b->n++] = c->facts[i].ord;
}

/* What is due for one subject. */
static enum mem_status
queue_subject(struct note_run *r, struct basis *b, const struct note_cluster *c, struct mem_err *err)
{
	if ((c->has_note && !c->own_note) || (c->has_note ? c->enough && has_same_sources(c) : !c->enough))
		return MEM_OK;
	note_basis(b, c);
	if (c->has_note)
		note_queue_end(r, c->note_ord);
	return c->enough ? queue_note(r, c, err) : queue_retirement(r, c, err);
}

/* ---- under the lock ----------------------------------------------------------------- */

static enum mem_status
check_basis(struct mem_txn *t, void *ctx, struct mem_err *err)
{
	const struct basis *b = ctx;
	for (size_t i = 0; i < b->n; i++) {
		const struct mem_attr *a;
		enum mem_status st = mem_attr_at(t, b->ords[i], &a, err);
		if (st == MEM_NOTFOUND || (st == MEM_OK && !mem_attr_stands(a, mem_txn_now(t))))
			return mem_err_set(err, MEM_STALE, "a fact was changed meanwhile");
		if (st != MEM_OK)
			return st;
	}
	return MEM_OK;
}

static enum mem_status
put_note_mark(struct mem_txn *t, struct mem_writer *w, void *ctx, struct mem_receipt *receipt, struct mem_err *err)
{
	(void)w;
	receipt->verdict = MEM_CHANGED;
	return note_mark_write(ctx, t, err);
}

enum mem_status
note_commit(struct note_run *r, bool mark, struct mem_err *err)
{
	const struct mem_write_input in = { .quiet = true };
	if (mark)
		mem_write_act(r->writer, &in, put_note_mark, &r->mark);
	return mem_write_commit(r->writer, mem_receipts_drop, NULL, r->scope->total, err);
}

/* ---- all of them ---------------------------------------------------------------------- */

static enum mem_status
plan_batch(struct note_run *r, struct basis *b, size_t from, size_t to, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	b->n = 0;
	mem_arena_reset(&r->arena);
	enum mem_status st = mem_txn_read(&t, r->store, err);
	for (size_t i = from; i < to && st == MEM_OK; i++) {
		struct note_cluster c;
		st = note_cluster_read(r, t, r->subjects[i], &c, err);
		if (st == MEM_OK)
			st = queue_subject(r, b, &c, err);
		st = st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
	}
	mem_txn_end(t);
	return st;
}

/* `last`: behind it all that was touched is done, and so the mark moves on. */
static enum mem_status
write_batch(struct note_run *r, struct basis *b, size_t from, size_t to, bool last, struct mem_err *err)
{
	const uint64_t notes = r->done->notes;
	enum mem_status st = MEM_STALE;
	for (int round = 0; st == MEM_STALE && round < ROUNDS; round++) {
		r->done->notes = notes;
		st = plan_batch(r, b, from, to, err);
		if (st != MEM_OK)
			break;
		mem_write_check(r->writer, check_basis, b);
		st = note_commit(r, last && r->moved, err);
	}
	return st == MEM_STALE ? mem_err_set(err, MEM_BUSY, "busy: other processes change facts faster than notes can be made") : st;
}

enum mem_status
note_write_all(struct note_run *r, struct mem_err *err)
{
	struct basis b = { 0 };
	enum mem_status st = mem_writer_sanitise(r->writer, NULL, NULL, err);
	for (size_t i = 0; i < r->scope->nns; i++)
		note_mark_place(&r->mark, r->scope->ns[i])->seq = r->seq;
	for (size_t from = 0; st == MEM_OK && from <= r->nsubjects; from += BATCH) {
		const size_t to = from + BATCH < r->nsubjects ? from + BATCH : r->nsubjects;
		st = note_run_is_stopped(r) ? MEM_END : write_batch(r, &b, from, to, from + BATCH > r->nsubjects, err);
	}
	free(b.ords);
	return st;
}
