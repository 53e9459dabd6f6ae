/* SPDX-License-Identifier: Apache-2.0 */
/* What commands share that take ids of nodes and print nodes. */
#ifndef MEM_NODES_H
#define MEM_NODES_H

#include <string.h>

#include "cli/cli.h"
#include "record/record.h"
#include "store/node.h"

/* ---- operands ----------------------------------------------------------- */

typedef void take_id_fn(struct mem_str id);

/* The id that a line of input gives: the line itself or, of a record such as a hit, its field id. */
static inline void
take_line_id(struct mem_str line, take_id_fn *take)
{
	struct mem_rec rec = { 0 };
	struct mem_arena arena = { 0 };
	struct mem_str id = line;
	if (line.n > 0 && line.p[0] == '{' && mem_rec_scan(&rec, line, NULL) == MEM_OK) {
		const struct mem_field *f = mem_rec_find(&rec, "id");
		id = f != NULL && f->value.type == MEM_JSON_STRING ? mem_json_text(&arena, f->value) : id;
	}
	take(id);
	mem_arena_release(&arena);
	mem_rec_release(&rec);
}

/* Those of standard input.  `wait` is called before a wait of more than wait_ms for the next one. */
static inline enum mem_status
take_stdin_ids(take_id_fn *take, bool nul, int wait_ms, void (*wait)(void))
{
	struct mem_input in;
	struct mem_line line;
	mem_input_init(&in, 0, NULL);
	in.sep = nul ? '\0' : '\n';
	for (;;) {
		if (!mem_input_ready(&in, wait_ms))
			wait();
		if (!mem_input_next(&in, &line))
			break;
		take_line_id(line.text, take);
	}
	return mem_input_status(&in);
}

/* Of operands that are ids, or a dash for those of standard input. */
static inline enum mem_status
take_operand_ids(int argc, char **argv, take_id_fn *take, bool nul, int wait_ms, void (*wait)(void))
{
	enum mem_status worst = MEM_OK;
	for (int i = 0; i < argc && !mem_interrupted(); i++)
		if (strcmp(argv[i], "-") == 0)
			worst = mem_status_worse(worst, take_stdin_ids(take, nul, wait_ms, wait));
		else
			take(mem_str(argv[i]));
	return worst;
}

/* ---- nodes -------------------------------------------------------------- */

static inline bool
is_empty_value(struct mem_json v)
{
	return v.type == MEM_JSON_NULL || mem_str_is(v.raw, "\"\"") || mem_str_is(v.raw, "[]") || mem_str_is(v.raw, "{}");
}

/*
 * A value without its brackets and quotes: "agent ada, via mem-capture"; of a list of objects one a line.  What is deeper
 * inside stays JSON.
 */
static inline void
put_plain_value(struct mem_buf *out, struct mem_arena *a, struct mem_json v, int depth)
{
	enum { DEEPEST = 2 };
	struct mem_json_iter it = mem_json_each(v);
	bool list = v.type == MEM_JSON_ARRAY, any = false;
	if ((!list && v.type != MEM_JSON_OBJECT) || depth == DEEPEST) {
		mem_buf_str(out, v.type == MEM_JSON_STRING ? mem_json_text(a, v) : v.raw);
		return;
	}
	while (mem_json_next(&it)) {
		if (is_empty_value(it.value))
			continue;
		if (any)
			mem_buf_puts(out, list && it.value.type == MEM_JSON_OBJECT ? "\n" : ", ");
		any = true;
		if (!list)
			mem_buf_printf(out, "%.*s ", (int)it.key.n, it.key.p);
		put_plain_value(out, a, it.value, depth + 1);
	}
}

/* For people: a field a line, what is empty left out. */
static inline void
show_node_fields(struct mem_buf *out, struct mem_str json)
{
	struct mem_rec rec = { 0 };
	struct mem_arena arena = { 0 };
	struct mem_buf plain = { 0 };
	if (mem_rec_scan(&rec, json, NULL) != MEM_OK)
		mem_show(out, json, true);
	for (size_t i = 0; i < rec.nfields; i++) {
		const struct mem_field *f = &rec.fields[i];
		mem_buf_reset(&plain);
		if (!is_empty_value(f->value))
			put_plain_value(&plain, &arena, f->value, 0);
		if (plain.len > 0)
			mem_show_field(out, f->key, mem_buf_span(&plain));
	}
	mem_buf_release(&plain);
	mem_arena_release(&arena);
	mem_rec_release(&rec);
}

/* As a record, or for people with an empty line between two of them. */
static inline void
print_whole_node(struct mem_str json, bool text)
{
	static bool more;
	struct mem_buf b = { 0 };
	if (!text) {
		mem_out_line(json);
		return;
	}
	show_node_fields(&b, json);
	mem_out_printf("%s%s", more ? "\n" : "", mem_buf_span(&b).p);
	mem_buf_release(&b);
	more = true;
}

/* ---- tables ------------------------------------------------------------- */

/* A snapshot in which ids are shortened: not over output. */
static inline struct mem_txn *
begin_id_cells(struct mem_store *s)
{
	struct mem_txn *t = NULL;
	struct mem_err err;
	if (mem_txn_read(&t, s, &err) != MEM_OK)
		mem_die_err(&err);
	return t;
}

static inline void
end_id_cells(struct mem_store *s, struct mem_txn *t)
{
	mem_txn_end(t);
	mem_store_pause(s); /* slow output must not hold up a compaction */
}

/* As much of an id as tells it from all others that the caller may read. */
static inline void
put_id_cell(struct mem_grid *g, struct mem_txn *t, struct mem_str text)
{
	struct mem_id id;
	if (mem_id_parse(text, &id))
		text.n = mem_id_short_length(t, &id);
	mem_grid_cell(g, text);
}

/* The first of some lines, which are those behind it from then on. */
static inline struct mem_str
cut_first_line(struct mem_str *lines)
{
	size_t n = (size_t)((const char *)memchr(lines->p, '\n', lines->n) - lines->p);
	struct mem_str line = { lines->p, n };
	*lines = (struct mem_str){ lines->p + n + 1, lines->n - n - 1 };
	return line;
}

#endif
