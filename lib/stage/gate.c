/* SPDX-License-Identifier: Apache-2.0 */
/* The stage gate: which hits are kept. */
#include "stage/gate.h"

#include <math.h>
#include <stdlib.h>

#include "base/order.h"
#include "conf/conf.h"
#include "model/model.h"
#include "stage/gate_int.h"
#include "stage/hits_int.h"
#include "stage/render_int.h"
#include "text/text.h"

enum gate_reason { GATE_KEPT, GATE_DUPLICATE, GATE_LOW, GATE_OVER, GATE_REASONS };
static const char *const reasons[] = { "kept", "duplicate", "low_entropy", "over_budget" };

struct gate_hit {
	const struct stage_hit *hit;
	double score;              /* of the hit, six decimals */
	double entropy;
	size_t tokens, rank;
	struct mem_str text;       /* what is shown; empty: nothing.  ARENA */
	bool stays;                /* pinned, or core */
	bool measured;             /* text, tokens and entropy are known */
	enum gate_reason reason;
};
struct gater {
	struct mem_gate_options opts;
	struct mem_tokenizer *own; /* OWNS; behind a search */
	struct stage_hits hits;
	struct renderer render;    /* of fenced entries */
	struct gate_meter *meter;
	struct mem_arena arena;    /* of one query */
	struct mem_buf note;
	size_t count[GATE_REASONS], tokens; /* of all queries; tokens: of what is kept */
};

static void *
open_gater(const void *options)
{
	static const struct mem_gate_options defaults = MEM_GATE_OPTIONS_INIT;
	struct gater *g = mem_xcalloc(1, sizeof *g);
	g->opts = options != NULL ? *(const struct mem_gate_options *)options : defaults;
	g->meter = gate_meter_open();
	return g;
}

static enum mem_status
open_search_gater(void **state, const struct mem_stage_search *with, struct mem_err *err)
{
	struct mem_gate_options o = MEM_GATE_OPTIONS_INIT;
	struct mem_tokenizer *t = NULL;
	struct mem_err why;
	(void)err;
	enum mem_status st = mem_tokenizer_load(&t, with->conf, &why);
	if (st != MEM_OK && st != MEM_ABSENT && with->tell != NULL)
		with->tell(why.msg); /* tokens are estimated */
	o.tokens = (size_t)mem_conf_int(with->conf, "gate.tokens");
	o.tokenizer = st == MEM_OK ? t : NULL;
	o.tell = with->tell;
	struct gater *g = open_gater(&o);
	g->own = st == MEM_OK ? t : NULL;
	*state = g;
	return MEM_OK;
}

static void
free_gater(void *state)
{
	struct gater *g = state;
	stage_hits_release(&g->hits);
	render_release(&g->render);
	gate_meter_close(g->meter);
	mem_arena_release(&g->arena);
	mem_buf_release(&g->note);
	mem_tokenizer_close(g->own);
	free(g);
}

static enum mem_status
add_gate_hit(void *state, size_t stream, struct mem_str line, struct mem_buf *out, struct mem_err *err)
{
	struct gater *g = state;
	struct stage_hit *hit;
	(void)stream;
	(void)out; /* all is read before anything is given */
	return stage_hits_add(&g->hits, line, &hit, err);
}

/* ---- what a hit says ---------------------------------------------------- */

static bool
does_hit_stay(struct gater *g, const struct stage_hit *hit)
{
	struct mem_rec *rec = &g->render.rec;
	mem_rec_look(rec, hit->line);
	return mem_rec_value(rec, "pinned").type == MEM_JSON_TRUE || mem_json_is(mem_rec_value(rec, "kind"), "core");
}

static void
measure_hit(struct gater *g, struct gate_hit *v)
{
	struct renderer *r = &g->render;
	if (v->measured)
		return;
	v->measured = true;
	mem_rec_look(&r->rec, v->hit->line);
	if (!render_find_shown(r))
		return;
	size_t end = r->shown.end;
	v->text = mem_arena_str(&g->arena, (struct mem_str){ r->raw.data + r->shown.start, end - r->shown.start });
	render_put_entry(r, v->hit->line, end);
	v->tokens = mem_measure_tokens(g->opts.tokenizer, mem_buf_span(&r->text));
	v->entropy = gate_entropy_score(g->meter, v->text);
}

/* Better ones first. */
static int
compare_gate_hits(const void *a, const void *b)
{
	const struct gate_hit *x = *(const struct gate_hit *const *)a, *y = *(const struct gate_hit *const *)b;
	if (x->stays != y->stays)
		return x->stays ? -1 : 1;
	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	if (x->entropy != y->entropy)
		return x->entropy > y->entropy ? -1 : 1;
	int c = mem_str_cmp(x->hit->id, y->hit->id);
	return c != 0 ? c : (x->hit->order > y->hit->order) - (x->hit->order < y->hit->order);
}

/* The least entropy first; of equal ones the worse hit, which stands later in the order of the better ones. */
static int
compare_low_hits(const void *a, const void *b)
{
	const struct gate_hit *x = *(const struct gate_hit *const *)a, *y = *(const struct gate_hit *const *)b;
	if (x->entropy != y->entropy)
		return x->entropy < y->entropy ? -1 : 1;
	return compare_gate_hits(b, a);
}

static int
compare_kept_by_rank(const void *a, const void *b)
{
	const struct gate_hit *x = *(const struct gate_hit *const *)a, *y = *(const struct gate_hit *const *)b;
	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	int c = mem_str_cmp(x->hit->id, y->hit->id);
	return c != 0 ? c : (x->hit->order > y->hit->order) - (x->hit->order < y->hit->order);
}

/* ---- the choice --------------------------------------------------------- */

/* The entropy of hits is known whose scores are equal. */
static void
order_hits(struct gater *g, struct gate_hit **best, size_t n)
{
	bool ties = false;
	mem_sort(best, n, sizeof(struct gate_hit *), compare_gate_hits);
	for (size_t i = 1; i < n; i++)
		if (best[i]->stays == best[i - 1]->stays && best[i]->score == best[i - 1]->score) {
			measure_hit(g, best[i - 1]);
			measure_hit(g, best[i]);
			ties = true;
		}
	if (ties)
		mem_sort(best, n, sizeof(struct gate_hit *), compare_gate_hits);
}

static void
mark_repeat(struct mem_repeats *seen, struct gate_hit *v)
{
	if (v->text.n == 0)
		return;
	if (!mem_repeats_find(seen, v->text))
		mem_repeats_keep(seen);
	else if (!v->stays)
		v->reason = GATE_DUPLICATE;
}

/* As fill_budget will, once what says little has gone.  False: neither this one nor a later one fits. */
static bool
take_room(const struct gate_hit *v, size_t budget, size_t *left)
{
	if (v->reason != GATE_KEPT || (!v->stays && gate_is_low(v->entropy)))
		return true;
	const bool fits = v->tokens <= *left;
	if (!fits && v->tokens <= budget && !v->stays)
		return false;
	if (fits || v->stays)
		*left -= v->tokens < *left ? v->tokens : *left;
	return true;
}

/* Measures hits and marks those that repeat others; returns how many it has looked at.  Where nobody wants to know why a hit
 * goes it ends at the first behind which all go. */
static size_t
look_at_hits(struct gater *g, struct gate_hit **best, size_t n)
{
	struct mem_repeats *seen = mem_repeats_open();
	size_t left = g->opts.tokens, i = 0;
	for (bool room = true; i < n && room; i++) {
		measure_hit(g, best[i]);
		mark_repeat(seen, best[i]);
		room = take_room(best[i], g->opts.tokens, &left) || g->opts.report != NULL;
	}
	mem_repeats_close(seen);
	return i;
}

static size_t
add_kept_tokens(struct gate_hit *const *best, size_t n)
{
	size_t sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += best[i]->reason == GATE_KEPT ? best[i]->tokens : 0;
	return sum;
}

static void
drop_low_hits(struct gate_hit **best, size_t n, size_t *used, size_t budget)
{
	struct gate_hit **low = mem_xcalloc(n, sizeof(struct gate_hit *));
	size_t nlow = 0;
	for (size_t i = 0; i < n; i++)
		if (best[i]->reason == GATE_KEPT && !best[i]->stays && gate_is_low(best[i]->entropy))
			low[nlow++] = best[i];
	mem_sort(low, nlow, sizeof(struct gate_hit *), compare_low_hits);
	for (size_t i = 0; i < nlow && *used > budget; i++) {
		low[i]->reason = GATE_LOW;
		*used -= low[i]->tokens;
	}
	free(low);
}

/* What stays comes first. */
static void
fill_budget(struct gate_hit **best, size_t n, size_t budget)
{
	size_t left = budget;
	bool full = false;
	for (size_t i = 0; i < n; i++) {
		struct gate_hit *v = best[i];
		if (v->reason != GATE_KEPT)
			continue;
		bool fits = !full && v->tokens <= left;
		full |= !fits && v->tokens <= budget && !v->stays;
		if (!fits && !v->stays)
			v->reason = GATE_OVER;
		else
			left -= v->tokens < left ? v->tokens : left;
	}
}

static void
choose_hits(struct gater *g, struct gate_hit **best, size_t n)
{
	order_hits(g, best, n);
	const size_t looked = look_at_hits(g, best, n);
	size_t used = looked < n ? SIZE_MAX : add_kept_tokens(best, n); /* more than the budget, however much that is */
	if (used > g->opts.tokens)
		drop_low_hits(best, looked, &used, g->opts.tokens);
	if (used > g->opts.tokens)
		fill_budget(best, looked, g->opts.tokens);
	for (size_t i = looked; i < n; i++)
		best[i]->reason = GATE_OVER;
	size_t rank = 0;
	mem_sort(best, n, sizeof(struct gate_hit *), compare_kept_by_rank);
	for (size_t i = 0; i < n; i++)
		if (best[i]->reason == GATE_KEPT)
			best[i]->rank = ++rank;
}

/* ---- what comes out ----------------------------------------------------- */

static void
put_kept_hit(struct gater *g, const struct gate_hit *v, struct mem_buf *out)
{
	mem_buf_reset(&g->note);
	mem_buf_putc(&g->note, '{');
	mem_json_put_num(&g->note, "score", v->entropy);
	mem_json_put_field(&g->note, "band", mem_str(gate_band_name(v->entropy)));
	mem_json_put_int(&g->note, "tokens", (int64_t)v->tokens);
	mem_buf_putc(&g->note, '}');
	const struct stage_note note = { "gate", mem_buf_span(&g->note) };
	stage_put_hit(out, &g->hits.rec, v->hit->line, v->rank, v->score, &note, 1);
}

static void
report_hit(struct gater *g, const struct gate_hit *v)
{
	struct mem_buf *out = g->opts.report;
	struct mem_str qid = g->hits.queries.qids.v[v->hit->query];
	mem_buf_putc(out, '{');
	if (qid.n > 0)
		mem_json_put_raw(out, "qid", qid);
	mem_json_put_raw(out, "id", v->hit->id);
	mem_json_put_num(out, "score", v->entropy);
	mem_json_put_int(out, "tokens", (int64_t)v->tokens);
	mem_json_put_field(out, "reason", mem_str(reasons[v->reason]));
	mem_buf_puts(out, "}\n");
}

static void
report_totals(const struct gater *g)
{
	struct mem_buf *out = g->opts.report;
	size_t hits = 0;
	for (size_t i = 0; i < GATE_REASONS; i++)
		hits += g->count[i];
	mem_buf_putc(out, '{');
	mem_json_put_int(out, "hits", (int64_t)hits);
	for (size_t i = 0; i < GATE_REASONS; i++) {
		mem_json_put_int(out, reasons[i], (int64_t)g->count[i]);
		if (i == GATE_KEPT)
			mem_json_put_int(out, "tokens", (int64_t)g->tokens);
	}
	mem_buf_puts(out, "}\n");
}

/* Nothing comes out then, which would look as if nothing had been found. */
static void
tell_of_nothing(struct gater *g, struct mem_str qid)
{
	mem_buf_reset(&g->note);
	mem_buf_printf(&g->note, "%.*s%sno hit fits into the budget of %zu token%s", (int)(qid.n < 80 ? qid.n : 80), qid.p, qid.n > 0 ? ": " : "",
	    g->opts.tokens, g->opts.tokens == 1 ? "" : "s");
	if (g->opts.tell != NULL)
		g->opts.tell(g->note.data);
}

/* A stage_query_fn. */
static enum mem_status
gate_query(void *ctx, const struct stage_hit *hits, size_t n, struct mem_buf *out, size_t *left, struct mem_err *err)
{
	struct gater *g = ctx;
	struct gate_hit *v = mem_xcalloc(n, sizeof *v);
	struct gate_hit **best = mem_xcalloc(n, sizeof(struct gate_hit *));
	bool done = !g->opts.again && stage_hits_have_note(hits, n, "gate");
	(void)err;
	mem_arena_reset(&g->arena);
	for (size_t i = 0; i < n; i++) {
		v[i] = (struct gate_hit){ .hit = &hits[i], .score = round(hits[i].score * 1e6) / 1e6 + 0.0 };
		v[i].stays = does_hit_stay(g, &hits[i]);
		if (done && g->opts.report != NULL)
			measure_hit(g, &v[i]);
		best[i] = &v[i];
	}
	if (!done)
		choose_hits(g, best, n);
	for (size_t i = 0; i < n; i++) {
		g->count[v[i].reason]++;
		*left += v[i].reason == GATE_KEPT;
		g->tokens += v[i].reason == GATE_KEPT ? v[i].tokens : 0;
		if (done)
			stage_pass_hits(out, &hits[i], 1);
		else if (v[i].reason == GATE_KEPT)
			put_kept_hit(g, &v[i], out);
		else if (g->opts.report != NULL)
			report_hit(g, &v[i]);
	}
	if (*left == 0)
		tell_of_nothing(g, g->hits.queries.qids.v[hits->query]);
	free(v);
	free(best);
	return MEM_OK;
}

static enum mem_status
put_gated_hits(void *state, struct mem_buf *out, struct mem_err *err)
{
	struct gater *g = state;
	enum mem_status st = stage_hits_each(&g->hits, gate_query, g, out, err);
	if (st == MEM_OK && g->opts.report != NULL)
		report_totals(g);
	return st;
}

const struct mem_stage mem_stage_gate = {
	.name = "gate", .open = open_gater, .open_search = open_search_gater, .add = add_gate_hit, .end = put_gated_hits, .free = free_gater,
};
