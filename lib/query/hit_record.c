/* SPDX-License-Identifier: Apache-2.0 */
/* A candidate as a hit: the node's record with what was found of it. */
#include "query/class.h"
#include "query/known_record.h"
#include "query/question_int.h"

/* "name":{"score":…} */
static void
put_hit_signal(struct mem_buf *out, const char *name, const struct mem_signal_score *s, bool explain)
{
	mem_json_put_key(out, name);
	mem_buf_putc(out, '{');
	mem_json_put_num(out, "score", s->score);
	if (explain && s->rank > 0)
		mem_json_put_int(out, "rank", s->rank);
	else if (explain)
		mem_json_put_null(out, "rank");
	mem_buf_putc(out, '}');
}

/* The signal of words, and how many of the question's there are. */
static void
put_hit_words(struct mem_buf *out, const struct mem_candidate *v)
{
	put_hit_signal(out, mem_signal_name(MEM_SIGNAL_LEXICAL), &v->signal[MEM_SIGNAL_LEXICAL], true);
	out->len--;
	mem_json_put_num(out, "words", v->words);
	mem_buf_putc(out, '}');
}

void
mem_rank_put_note(struct mem_buf *out, const struct mem_candidates *c, size_t i, enum mem_rank_step step)
{
	const struct mem_candidate *v = &c->v[i];
	mem_buf_putc(out, '{');
	mem_json_put_num(out, "score", v->step[step]);
	if (step == MEM_RANK_NEIGHBOURS && v->features > 0) {
		mem_json_put_key(out, "features");
		mem_buf_putc(out, '{');
		for (enum mem_rank_feature f = 0; f < MEM_FEATURES; f++)
			mem_json_put_num(out, mem_rank_feature_name(f), mem_score_round(c->features[v->features - 1].v[f]));
		mem_buf_putc(out, '}');
	}
	mem_buf_putc(out, '}');
}

/* v, and what made it. */
static void
put_hit_match(struct mem_buf *out, const struct mem_hit_match *m)
{
	mem_json_put_key(out, "match");
	mem_buf_putc(out, '{');
	mem_json_put_num(out, "score", mem_score_round(m->v));
	mem_json_put_num(out, "cosine", m->cosine);
	mem_json_put_num(out, "covered", m->covered);
	mem_json_put_num(out, "unknown", m->unknown);
	mem_buf_putc(out, '}');
}

/* Each signal that counts, and what each step made of them. */
static void
put_hit_signals(struct mem_buf *out, const struct query_hit_form *f, size_t i)
{
	const struct mem_candidate *v = &f->c->v[i];
	mem_buf_putc(out, '{');
	for (enum mem_signal s = 0; s < MEM_SIGNALS; s++)
		if (s == MEM_SIGNAL_LEXICAL && (f->signals >> s & 1) != 0 && !isnan(v->words))
			put_hit_words(out, v);
		else if (s == MEM_SIGNAL_GRAPH && f->ways != NULL)
			mem_json_put_raw(out, mem_signal_name(s), f->ways[i]);
		else if ((f->signals >> s & 1) != 0)
			put_hit_signal(out, mem_signal_name(s), &v->signal[s], f->explain);
	if (f->explain)
		put_hit_match(out, &v->match);
	for (enum mem_rank_step k = 0; k < MEM_RANK_STEPS; k++)
		if (!isnan(v->step[k])) {
			mem_json_put_key(out, mem_rank_step_name(k));
			mem_rank_put_note(out, f->c, i, k);
		}
	mem_buf_putc(out, '}');
}

/* {"field":"content","start":B,"end":B}; nothing where the text has no passages. */
static enum mem_status
put_hit_passage(struct mem_buf *out, const struct query_hit_form *f, struct mem_txn *t, uint32_t ord, const struct mem_rec *node, struct mem_err *err)
{
	struct mem_vectors_span span;
	if (f->passages == NULL)
		return MEM_OK;
	enum mem_status st = query_choose_passage(&span, f->passages, f->index, t, ord, node, err);
	if (st != MEM_OK || span.start >= span.end || span.field >= MEM_TEXT_COUNT)
		return st;
	mem_buf_putc(out, '{');
	mem_json_put_field(out, "field", mem_str(mem_text_field_name((enum mem_text_field)span.field)));
	mem_json_put_int(out, "start", span.start);
	mem_json_put_int(out, "end", span.end);
	mem_buf_putc(out, '}');
	return MEM_OK;
}

/* [x,…] as mem-embed writes it; nothing where there is no vector.  Of several passages the first. */
static enum mem_status
put_hit_vector(struct mem_buf *out, struct mem_txn *t, uint32_t ord, struct mem_err *err)
{
	struct mem_vectors_rows rows = { 0 };
	enum mem_status st = mem_vectors_rows_read(&rows, t, &ord, 1, MEM_VECTORS_PASSAGES, err);
	size_t row = st == MEM_OK ? mem_vectors_rows_find(&rows, ord) : 0;
	const float *v = st == MEM_OK && row < rows.n ? rows.v + row * rows.dims : NULL;
	if (v != NULL && mem_vectors_is_unit(v, rows.dims)) {
		for (uint32_t k = 0; k < rows.dims; k++)
			mem_buf_printf(out, "%c%.9g", k == 0 ? '[' : ',', (double)v[k]);
		mem_buf_putc(out, ']');
	}
	if (st == MEM_OK)
		mem_vectors_rows_release(&rows);
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

/* A time of the record; MEM_TIME_NONE: none. */
static int64_t
read_hit_time(const struct mem_rec *node, const char *name)
{
	struct mem_buf text = { 0 };
	int64_t ms = MEM_TIME_NONE;
	if (!mem_json_decode(&text, mem_rec_value(node, name)) || !mem_time_parse(mem_buf_span(&text), &ms))
		ms = MEM_TIME_NONE;
	mem_buf_release(&text);
	return ms;
}

/* How a fact's time, as it is shown, stands to the present; empty: it is true now. */
static struct mem_str
find_validity(const struct mem_rec *node, int64_t now)
{
	if (!mem_json_is(mem_rec_value(node, "kind"), mem_kind_name(MEM_KIND_FACT)))
		return MEM_STR("");
	enum mem_validity v = mem_validity_at(read_hit_time(node, "valid_from"), read_hit_time(node, "valid_to"), now);
	return v == MEM_VALID_PAST ? MEM_STR("\"past\"") : v == MEM_VALID_FUTURE ? MEM_STR("\"future\"") : MEM_STR("");
}

/* Values of the fields that a hit has beside those of the node. */
struct hit_fields {
	struct mem_buf rank, score, signals, match, class, passage, vector;
};

static enum mem_status
put_hit_fields(struct hit_fields *v, const struct query_hit_form *f, struct mem_txn *t, const struct mem_rec *node, size_t i, size_t rank,
    struct mem_err *err)
{
	if (rank == 0)
		mem_buf_puts(&v->rank, "null");
	else
		mem_buf_printf(&v->rank, "%zu", rank);
	mem_json_put_number(&v->score, f->c->v[i].score);
	mem_json_put_number(&v->match, f->c->v[i].match.chance);
	mem_buf_printf(&v->class, "\"%s\"", mem_class_names[f->class]);
	put_hit_signals(&v->signals, f, i);
	enum mem_status st = put_hit_passage(&v->passage, f, t, f->c->v[i].ord, node, err);
	return st == MEM_OK && f->vectors ? put_hit_vector(&v->vector, t, f->c->v[i].ord, err) : st;
}

static void
release_hit_fields(struct hit_fields *v)
{
	mem_buf_release(&v->rank);
	mem_buf_release(&v->score);
	mem_buf_release(&v->signals);
	mem_buf_release(&v->match);
	mem_buf_release(&v->class);
	mem_buf_release(&v->passage);
	mem_buf_release(&v->vector);
}

enum mem_status
query_put_hit(struct mem_buf *out, const struct query_hit_form *f, struct mem_txn *t, struct mem_str node, size_t i, size_t rank,
    struct mem_err *err)
{
	static const char *const modes[] = {
		[MEM_MODE_AUTO] = "\"keyword\"", [MEM_MODE_KEYWORD] = "\"keyword\"", [MEM_MODE_VECTOR] = "\"vector\"", [MEM_MODE_HYBRID] = "\"hybrid\"",
		[MEM_MODE_GRAPH] = "\"graph\"",
	};
	struct mem_rec r = { 0 };
	struct hit_fields v = { 0 };
	enum mem_status st = mem_rec_scan(&r, node, err);
	if (st != MEM_OK) {
		mem_rec_release(&r);
		return mem_err_set(err, MEM_FAIL, "a stored record is damaged: run mem-check");
	}
	st = put_hit_fields(&v, f, t, &r, i, rank, err);
	enum { FIXED_EDITS = 6 };
	struct mem_edit edits[FIXED_EDITS + 5 + MEM_SEARCH_WITHOUT] = {
		{ "rank", mem_buf_span(&v.rank) }, { "score", mem_buf_span(&v.score) }, { "mode", mem_str(modes[f->mode]) },
		{ "signals", mem_buf_span(&v.signals) }, { "match", mem_buf_span(&v.match) }, { "class", mem_buf_span(&v.class) },
	};
	size_t n = FIXED_EDITS;
	if (f->qid.n > 0)
		edits[n++] = (struct mem_edit){ "qid", f->qid };
	if (f->hyde != NULL)
		edits[n++] = (struct mem_edit){ "hyde", mem_str(f->hyde) };
	struct mem_str validity = find_validity(&r, mem_txn_now(t));
	if (validity.n > 0)
		edits[n++] = (struct mem_edit){ "validity", validity };
	if (v.passage.len > 0)
		edits[n++] = (struct mem_edit){ "passage", mem_buf_span(&v.passage) };
	if (v.vector.len > 0)
		edits[n++] = (struct mem_edit){ "vector", mem_buf_span(&v.vector) };
	for (size_t k = 0; f->without != NULL && k < MEM_SEARCH_WITHOUT && f->without[k] != NULL; k++)
		edits[n++] = (struct mem_edit){ f->without[k], { NULL, 0 } };
	mem_rec_edit(out, &r, edits, n);
	mem_buf_putc(out, '\n');
	release_hit_fields(&v);
	mem_rec_release(&r);
	return st;
}

enum mem_status
mem_question_put_hit(struct mem_question *q, const struct mem_candidates *c, size_t i, size_t rank, struct mem_buf *out, struct mem_err *err)
{
	struct mem_str json;
	struct mem_candidate copy = c->v[i];
	struct mem_candidates one = { .v = &copy, .n = 1, .features = c->features };
	const struct query_hit_form form = { .index = &q->searcher->index, .c = &one, .mode = q->ranking.mode, .class = q->class,
		.signals = query_ranking_shown(&q->ranking), .explain = q->options->explain, .qid = q->options->qid, .passages = &q->passages };
	if (!q->passages_ready)
		query_passages_init(&q->passages, &q->iq, q->vector, q->searcher->encoder.model.dims);
	q->passages_ready = true;
	enum mem_status st = mem_node_text_at(q->t, copy.ord, &json, err);
	if (st == MEM_DAMAGED)
		mem_node_damage_note(q->t, copy.ord);
	if (st == MEM_OK)
		st = query_known_record(&json, &q->known, q->t, copy.ord, &q->filter.past, err);
	if (st == MEM_OK)
		st = query_fill_match(q, &one, err);
	return st == MEM_OK ? query_put_hit(out, &form, q->t, json, 0, rank, err) : st == MEM_DAMAGED ? MEM_NOTFOUND : st;
}
