/* SPDX-License-Identifier: Apache-2.0 */
/* What mem-search prints: hits as records, or for people a table; and what is to say about a query. */
#ifndef MEM_SEARCH_OUTPUT_H
#define MEM_SEARCH_OUTPUT_H

#include <math.h>
#include <string.h>
#include <time.h>

#include "cli/cli.h"
#include "nodes.h"
#include "query/class.h"
#include "query/query.h"
#include "query/rank.h"
#include "stage/pipeline.h"
#include "stage/query_log.h"
#include "touched_nodes.h"

/* Words that nobody quoted come as several operands; "-" is standard input. */
static inline void
read_query_text(struct mem_buf *out, int n, char **words)
{
	if (n == 2)
		mem_notice("two operands: they are taken as one query");
	else if (n > 2)
		mem_notice("%d operands: they are taken as one query", n);
	for (int i = 0; i < n; i++) {
		if (n > 1 && strcmp(words[i], "-") == 0)
			mem_die(MEM_USAGE, "a query as - comes from standard input and stands alone");
		mem_buf_printf(out, "%s%s", i > 0 ? " " : "", words[i]);
	}
	if (mem_str_is(mem_buf_span(out), "-")) {
		mem_buf_reset(out);
		mem_stdin_claim("the query");
		mem_stdin_read(out, MEM_LINE_MAX);
	}
}

/* Once: that no model is there is worth a word to a person; that one is broken is worth one to all. */
static inline void
warn_of_fallback(const struct mem_hits *hits)
{
	static bool warned;
	const char *why;
	enum mem_status st = mem_hits_fallback(hits, &why);
	if (st != MEM_OK && !warned)
		(st == MEM_ABSENT ? mem_notice : mem_warn)("searched by words alone: %s", why);
	warned |= st != MEM_OK;
}

/* Of the one query of the command line, whose writer reads this. */
static inline void
tell_search_notes(const struct mem_hits *hits)
{
	const struct mem_search_notes *notes = mem_hits_notes(hits);
	struct mem_str name = notes->unknown_field;
	struct mem_buf names = { 0 };
	for (int f = 0; f < MEM_FILTER_QUERY_FIELDS; f++)
		mem_buf_printf(&names, "%s%s", f > 0 ? ", " : "", mem_filter_field_name((enum mem_filter_field)f));
	if (name.n > 0)
		mem_warn("'%.*s' is no field and is searched as a word; fields are %s", (int)name.n, name.p, names.data);
	if (notes->dash_is_text)
		mem_notice("the query is a sentence, in which a dash leaves nothing out: --strict makes it do so");
	if (notes->filters_alone)
		mem_notice("only filters: mem-list prints what they leave");
	if (notes->nothing_fits)
		mem_notice("nothing fits well");
	if (notes->unembedded > 0)
		mem_notice("%llu of the records searched wait%s for vectors: mem-maintain makes them",
		    (unsigned long long)notes->unembedded, notes->unembedded == 1 ? "s" : "");
	mem_buf_release(&names);
}

static inline void
warn_of_cuts(const struct mem_hits *hits, const char *label)
{
	if (mem_hits_words_cut(hits) > 0)
		mem_warn("%stoo many words: kept the %d rarest, left out %zu", label, MEM_QUERY_WORDS_MAX, mem_hits_words_cut(hits));
	if (mem_hits_notes(hits)->hyde_failed != NULL)
		mem_warn("%sthe question itself was searched by meaning: %s", label, mem_hits_notes(hits)->hyde_failed);
	if (mem_hits_notes(hits)->query_cut)
		mem_warn("%sthe query is longer than the model reads: its end was left out of the search by meaning", label);
}

static inline void
begin_hit_table(struct mem_grid *g)
{
	static const struct mem_column columns[] = {
		{ .name = "RANK", .leave_out = 2 }, { .name = "SCORE", .right = true, .leave_out = 3 },
		{ .name = "WHEN", .leave_out = 5 }, { .name = "WHO", .min = 5, .leave_out = 4 }, { .name = "ID", .leave_out = 1 }, { .name = "WHAT", .min = 20, .want = 40 }, { 0 }
	};
	mem_grid_begin(g, columns);
}

static inline void
add_hit_row(struct mem_grid *g, struct mem_store *s, struct mem_hits *hits, struct mem_arena *arena, struct mem_str hit)
{
	struct mem_hit_row row;
	mem_hit_row_read(&row, hits, arena, hit);
	mem_grid_cell(g, row.rank < 1 ? MEM_STR("-") : mem_str(mem_arena_printf(arena, "%lld", (long long)row.rank)));
	mem_grid_cell(g, isnan(row.score) ? MEM_STR("-") : mem_str(mem_arena_printf(arena, "%.2f", row.score)));
	mem_grid_time_text(g, row.when);
	mem_grid_cell(g, row.who);
	struct mem_txn *t = begin_id_cells(s);
	put_id_cell(g, t, row.id);
	mem_txn_end(t);
	mem_grid_cell_at(g, row.text, row.focus);
}

/* Where hits are printed: as a table or as records.  label begins a message: "line 3: " of one of many queries. */
struct hit_printer {
	struct mem_store *store;
	bool text;
	const char *label;
	struct touched_nodes *touched; /* gets what is printed */
	struct mem_query_answer *log; /* gets what the query log keeps of the answer; NULL: it is not kept */
	struct mem_grid grid;
	struct mem_arena arena;
};

/* By enum mem_mode; NULL: none was chosen. */
static const char *const search_mode_names[] = { NULL, "keyword", "vector", "hybrid", "graph" };

static inline void
note_answer_kind(struct mem_query_answer *log, const struct mem_hits *hits)
{
	log->mode = search_mode_names[mem_hits_mode(hits)];
	log->class = mem_class_names[mem_hits_class(hits)];
}

static inline void
note_hit_score(struct mem_query_answer *log, struct mem_str hit)
{
	struct mem_json v;
	double score = 0;
	if (mem_json_scan(&v, hit, NULL) == MEM_OK && mem_json_num(mem_json_member(v, "score"), &score))
		log->scores += score;
	log->results++;
}

static inline void
print_hit(struct hit_printer *p, struct mem_hits *hits, struct mem_str hit)
{
	if (p->text)
		add_hit_row(&p->grid, p->store, hits, &p->arena, hit);
	else
		mem_out_line(hit);
	add_touched_node(p->touched, hit);
	if (p->log != NULL)
		note_hit_score(p->log, hit);
	mem_arena_reset(&p->arena);
}

/* What the stages leave of the hits, and the end record. */
static inline enum mem_status
print_stage_hits(struct hit_printer *p, struct mem_hits *hits, const struct mem_pipeline *pipeline,
    const struct mem_stage_search *with, struct mem_buf *end, size_t *n, struct mem_err *err)
{
	struct mem_buf out = { 0 };
	enum mem_status st = mem_pipeline_run(pipeline, with, hits, mem_buf_span(end), (size_t)with->options->limit, &out, n, err);
	struct mem_str left = st == MEM_OK ? mem_buf_span(&out) : MEM_STR("");
	mem_buf_reset(end);
	for (size_t i = 0; left.n > 0; i++) {
		struct mem_str line = cut_first_line(&left);
		if (i < *n)
			print_hit(p, hits, line);
		else
			mem_buf_str(end, line);
	}
	mem_buf_release(&out);
	return st;
}

/* As they were found. */
static inline enum mem_status
print_found_hits(struct hit_printer *p, struct mem_hits *hits, size_t *n, struct mem_err *err)
{
	struct mem_str hit;
	enum mem_status st;
	while ((st = mem_hits_next(hits, &hit, err)) == MEM_OK && mem_out_ok())
		print_hit(p, hits, hit);
	*n = mem_hits_count(hits);
	return st == MEM_END ? MEM_OK : st;
}

/* Frees the hits.  `end`: the end record of one of many queries, which the stages set anew; empty: none.  *n: how many
 * hits there are. */
static inline enum mem_status
print_hits(struct hit_printer *p, struct mem_hits *hits, const struct mem_pipeline *pipeline, const struct mem_stage_search *with,
    struct mem_buf *end, size_t *n, struct mem_err *err)
{
	warn_of_fallback(hits);
	warn_of_cuts(hits, p->label);
	if (p->log != NULL)
		note_answer_kind(p->log, hits);
	if (p->text)
		begin_hit_table(&p->grid);
	enum mem_status st = pipeline->nstages > 0 ? print_stage_hits(p, hits, pipeline, with, end, n, err) : print_found_hits(p, hits, n, err);
	mem_arena_release(&p->arena);
	mem_grid_end(&p->grid);
	mem_hits_free(hits);
	if (st == MEM_OK && end->len > 0)
		mem_out_line(mem_buf_span(end));
	return st;
}

/* --hyde -: the hypothetical answer comes from standard input.  `text` keeps it. */
static inline void
read_hypothetical(struct mem_search_options *o, struct mem_buf *text, const char *from, bool many)
{
	if (from == NULL)
		return;
	if (strcmp(from, "-") != 0)
		mem_die(MEM_USAGE, "--hyde: '%s' is not -: the answer is read from standard input", from);
	if (many || o->hyde_with != NULL)
		mem_die(MEM_USAGE, "--hyde is for one question, and not with --hyde-with");
	mem_stdin_claim("the hypothetical answer");
	struct mem_err err;
	if (mem_stdin_try(text, MEM_LINE_MAX, &err) != MEM_OK) {
		mem_warn("%s", err.msg);
		text->len = 0; /* then the question is searched for, and each hit says so */
	}
	o->hypothetical = mem_str(text->len > 0 ? text->data : "");
	o->hypothetical.n = text->len;
}

/* ---- the query log -------------------------------------------------------- */

/* Milliseconds that only rise. */
static inline double
read_clock(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* On an end record, behind its other fields. */
static inline void
put_query_time(struct mem_buf *end, double ms)
{
	end->len--;
	mem_json_put_num(end, "ms", ms);
	mem_buf_putc(end, '}');
}

/* Once the answer is out; whoever reads it does not wait for the log. */
static inline void
log_answer(struct mem_query_answer *a, const char *via, const struct mem_store *s, const struct mem_search_options *o, double begun)
{
	struct mem_err err;
	mem_out_close();
	a->via = via, a->query = o->query, a->top_k = o->limit, a->threshold = o->min_score, a->ms = read_clock() - begun;
	a->fusion = a->mode != NULL && strcmp(a->mode, "hybrid") == 0 ? mem_fusion_names[o->fusion] : NULL;
	if (mem_query_log_start(s, a, &err) != MEM_OK)
		mem_warn("the query is not logged: %s", err.msg);
}

/* Logs what came of a search, unless it was asked wrongly.  Where it failed, the program ends. */
static inline void
end_search(enum mem_status st, const struct mem_err *err, struct mem_query_answer *a, const struct mem_store *s,
    const struct mem_search_options *o, double begun)
{
	a->failed = st != MEM_OK;
	if (a->mode == NULL)
		a->mode = search_mode_names[o->mode];
	if (st != MEM_USAGE && mem_query_log_wanted(s))
		log_answer(a, "mem-search", s, o, begun);
	if (st != MEM_OK)
		mem_die_err(err);
}

/* ---- stages -------------------------------------------------------------- */

/* The stages of the option, before a store is opened: NULL leaves them to the settings. */
static inline void
read_stage_option(struct mem_pipeline *p, const char *list)
{
	struct mem_err err;
	if (list != NULL && mem_pipeline_parse(p, mem_str(list), &err) != MEM_OK)
		mem_die(MEM_USAGE, "--stages: %s", err.msg);
}

/* Stages and the rest of the settings, where no option names them; one signal that was named is searched by it alone. */
static inline void
choose_stages(struct mem_pipeline *p, struct mem_search_options *o, const struct mem_conf *conf, bool named, bool no_neighbours)
{
	struct mem_err err;
	bool alone = o->mode == MEM_MODE_KEYWORD || o->mode == MEM_MODE_VECTOR || o->mode == MEM_MODE_GRAPH;
	if (!named && !alone && mem_pipeline_parse(p, mem_conf_str(conf, "search.stages"), &err) != MEM_OK)
		mem_die(MEM_FAIL, "search.stages: %s", err.msg);
	if (no_neighbours || (!named && mem_str_is(mem_conf_str(conf, "search.neighbours"), "off")))
		p->steps &= ~(1U << MEM_RANK_NEIGHBOURS);
	o->steps = p->steps, o->unranked = p->unranked, o->whole = p->nstages > 0;
	o->steps_named = named || p->nstages > 0;
	struct mem_str hyde = mem_conf_str(conf, "search.hyde_with");
	if (o->hyde_with == NULL && hyde.n > 0)
		o->hyde_with = hyde.p;
}

#endif
