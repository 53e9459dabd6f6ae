/* SPDX-License-Identifier: Apache-2.0 */
/* Why something is believed, in plain English. */
#include <math.h>
#include <string.h>

#include "belief/claim.h"
#include "belief/fact.h"
#include "belief/why_int.h"

enum { SOURCES_NAMED = 3, VERSIONS_NAMED = 3, QUOTE_MAX = 160, DAY_LEN = sizeof "2026-03-01" - 1 };

/* ---- words -------------------------------------------------------------------- */

void
why_put_day(struct mem_buf *out, int64_t at)
{
	char text[MEM_TIME_LEN + 1];
	mem_time_format(at, text);
	mem_buf_put(out, text, DAY_LEN);
}

/* In quotes, on one line, and not longer than a person reads. */
static void
put_quote(struct mem_buf *out, struct mem_str s)
{
	size_t n = mem_utf8_cut(s, QUOTE_MAX);
	mem_buf_putc(out, '"');
	for (size_t i = 0; i < n; i++)
		mem_buf_putc(out, s.p[i] == '\n' || s.p[i] == '\r' || s.p[i] == '\t' ? ' ' : s.p[i]);
	mem_buf_puts(out, n < s.n ? "…\"" : "\"");
}

/* A quote that ends in a full stop ends the sentence, too. */
static void
end_sentence(struct mem_buf *out)
{
	bool ended = out->len >= 2 && out->data[out->len - 1] == '"' && strchr(".?!", out->data[out->len - 2]) != NULL;
	mem_buf_puts(out, ended ? "" : ".");
}

void
why_put_id(struct mem_buf *out, const struct mem_id *id)
{
	char text[MEM_ID_LEN + 1];
	mem_id_format(id, text);
	mem_buf_printf(out, " (%s)", text);
}

static const char *
find_reason_words(struct mem_str reason)
{
	static const char *const words[][2] = {
		{ MEM_FACT_NEWER, "another value is true since then" }, { MEM_FACT_EXCLUSIVE, "a value that excludes it is true since then" },
		{ MEM_FACT_OPPOSITE, "the opposite is true since then" },
		{ MEM_FACT_CORRECTED, "it was corrected" }, { MEM_FACT_HINT, "its source was replaced by another" },
		{ MEM_FACT_TIE, "both began at the same instant, and the other is the stronger one" },
		{ MEM_FACT_LESS_TRUSTED, "it is less trusted" }, { MEM_FACT_OUTWEIGHED, "a statement about the same has more weight" },
		{ MEM_FACT_RESTATED, "it is part of another fact, which began earlier" }, { MEM_FACT_BY_HAND, "somebody said so" },
		{ "edited", "it was edited" },
	};
	for (size_t i = 0; i < MEM_COUNT(words); i++)
		if (mem_str_is(reason, words[i][0]))
			return words[i][1];
	return NULL;
}

/* Why `v` does not stand. */
static void
put_reason(struct mem_buf *out, const struct mem_history_version *v)
{
	const struct mem_str reason = v->reason;
	const char *words = find_reason_words(reason);
	if (mem_str_is(reason, MEM_FACT_NEGATED))
		words = v->negated ? "what it denied was affirmed" : "it was denied";
	if (words != NULL)
		mem_buf_printf(out, ", since %s", words);
	else if (reason.n > 0)
		mem_buf_printf(out, " (%.*s)", (int)mem_utf8_cut(reason, QUOTE_MAX), reason.p);
}

/* ---- what is believed, and since when --------------------------------------------- */

static bool
is_belief(const struct mem_history_version *v)
{
	return v->kind == MEM_KIND_FACT || v->kind == MEM_KIND_NOTE || v->kind == MEM_KIND_LEARNING;
}

static bool
is_same_day(int64_t a, int64_t b)
{
	char x[MEM_TIME_LEN + 1], y[MEM_TIME_LEN + 1];
	mem_time_format(a, x), mem_time_format(b, y);
	return strncmp(x, y, DAY_LEN) == 0;
}

/* " since 2026-03-01", " from 2026-03-01 to 2026-06-01", " on 2026-06-01", " until 2026-06-01"; nothing of no times. */
static void
put_span(struct mem_buf *out, int64_t from, int64_t to)
{
	if (from != MEM_TIME_NONE && to != MEM_TIME_NONE && is_same_day(from, to)) {
		mem_buf_puts(out, " on ");
		why_put_day(out, from);
		return;
	}
	if (from != MEM_TIME_NONE) {
		mem_buf_puts(out, to != MEM_TIME_NONE ? " from " : " since ");
		why_put_day(out, from);
	}
	if (to != MEM_TIME_NONE) {
		mem_buf_puts(out, from != MEM_TIME_NONE ? " to " : " until ");
		why_put_day(out, to);
	}
}

static void
put_validity(struct mem_buf *out, const struct mem_history_version *v)
{
	if (v->validity != MEM_VALID_FUTURE || v->valid_to != MEM_TIME_NONE) {
		put_span(out, v->valid_from, v->valid_to);
		return;
	}
	mem_buf_puts(out, " from ");
	why_put_day(out, v->valid_from);
	mem_buf_puts(out, " on");
}

static bool
was_true_at_no_time(const struct mem_history_version *v)
{
	return v->valid_from != MEM_TIME_NONE && v->valid_from == v->valid_to;
}

/* What had been superseded when it became known was never held true of its present. */
static const char *
find_belief_words(const struct mem_history_version *v, bool forgotten, bool superseded)
{
	if (forgotten)
		return "It is forgotten";
	if (v->stands && v->validity == MEM_VALID_FUTURE)
		return "It is expected";
	if (v->stands)
		return v->current ? "It is believed" : "It is believed of the past";
	if (!superseded)
		return "It is not believed";
	if (v->known_from != v->known_to)
		return "It was believed";
	return was_true_at_no_time(v) ? "It was never believed" : "It is believed of the past";
}

static void
put_belief(struct mem_buf *out, const struct mem_history_version *v)
{
	const bool superseded = mem_str_is(v->status, "superseded");
	const bool forgotten = !v->stands && v->expired_at != MEM_TIME_NONE;
	const bool was_believed = superseded && !forgotten && !v->stands && v->known_from != v->known_to;
	mem_buf_puts(out, find_belief_words(v, forgotten, superseded));
	if (was_believed)
		put_span(out, v->known_from, v->known_to);
	mem_buf_puts(out, " that ");
	put_quote(out, v->text);
	if (!superseded && !v->stands && !forgotten)
		mem_buf_printf(out, ", which is %.*s", (int)v->status.n, v->status.p);
	if (was_true_at_no_time(v)) {
		mem_buf_puts(out, ", true at no time");
	} else if (v->valid_from != MEM_TIME_NONE || v->valid_to != MEM_TIME_NONE) {
		mem_buf_puts(out, ", true");
		put_validity(out, v);
	}
	if (!was_believed) {
		mem_buf_puts(out, ", known");
		put_span(out, v->known_from, MEM_TIME_NONE);
	}
}

/* Of what is no belief it is said that it is kept. */
static void
put_standing(struct mem_buf *out, const struct mem_history_version *v)
{
	if (is_belief(v)) {
		put_belief(out, v);
	} else {
		const char *kind = mem_kind_name((enum mem_kind)v->kind);
		const bool forgotten = !v->current && v->expired_at != MEM_TIME_NONE;
		put_quote(out, v->text);
		mem_buf_printf(out, ", a%s %s, is %.*s since ", strchr("aeiou", kind[0]) != NULL ? "n" : "", kind,
		    v->current ? 4 : forgotten ? 9 : (int)v->status.n, v->current ? "kept" : forgotten ? "forgotten" : v->status.p);
		why_put_day(out, v->current ? v->known_from : forgotten ? v->expired_at : v->known_to != MEM_TIME_NONE ? v->known_to : v->known_from);
	}
	mem_buf_puts(out, ".");
}

/* ---- from whom --------------------------------------------------------------------- */

static void
put_why_source(struct mem_buf *out, const struct mem_history_version *v, const struct mem_history_source *s)
{
	mem_buf_str(out, s->who.n > 0 ? s->who : MEM_STR("somebody"));
	mem_buf_puts(out, s->has_episode ? " said so" : " wrote it by hand");
	if (s->captured_at != MEM_TIME_NONE) {
		mem_buf_puts(out, " on ");
		why_put_day(out, s->captured_at);
	}
	if (s->excerpt.n > 0 && !mem_str_eq(s->excerpt, v->text)) {
		mem_buf_puts(out, ": ");
		put_quote(out, s->excerpt);
	}
}

static void
put_why_sources(struct mem_buf *out, const struct mem_history_version *v)
{
	size_t n = v->nsources < SOURCES_NAMED ? v->nsources : SOURCES_NAMED;
	if (v->kind == MEM_KIND_EPISODE && n > 0) {
		mem_buf_puts(out, " By ");
		mem_buf_str(out, v->sources[0].who.n > 0 ? v->sources[0].who : MEM_STR("somebody"));
		mem_buf_puts(out, ", on ");
		why_put_day(out, v->sources[0].captured_at);
		mem_buf_puts(out, ".");
		return;
	}
	for (size_t i = 0; i < n; i++) {
		mem_buf_puts(out, i == 0 ? " " : i + 1 == v->nsources ? "; and " : "; ");
		put_why_source(out, v, &v->sources[i]);
	}
	if (v->nsources > n)
		mem_buf_printf(out, "; and %zu more source%s", v->nsources - n, v->nsources - n == 1 ? "" : "s");
	if (n > 0)
		end_sentence(out);
	else if (v->kind != MEM_KIND_CORE) /* which somebody wrote, as the audit says */
		mem_buf_puts(out, " Nothing that can be read says where it comes from.");
	if (v->rule.n > 0)
		mem_buf_printf(out, " The rule %.*s found it.", (int)v->rule.n, v->rule.p);
}

/* ---- before and after ----------------------------------------------------------------- */

static const struct mem_history_version *
find_version(const struct mem_history *h, const struct mem_id *id)
{
	for (size_t i = 0; i < h->n; i++)
		if (mem_id_cmp(&h->v[i].id, id) == 0)
			return &h->v[i];
	return NULL;
}

/* When another took the place of `v`, or will, and why. */
static void
put_replacement(struct mem_buf *out, const struct mem_history_version *v)
{
	int64_t at = v->stands ? v->valid_to : v->known_to;
	if (at != MEM_TIME_NONE) {
		mem_buf_puts(out, " on ");
		why_put_day(out, at);
	}
	put_reason(out, v);
}

static void
put_predecessors(struct mem_buf *out, const struct mem_history *h, const struct mem_history_version *v)
{
	size_t count = 0;
	for (size_t i = h->n; i-- > 0;) {
		const struct mem_history_version *old = &h->v[i];
		if (!old->has_next || mem_id_cmp(&old->next, &v->id) != 0 || old == v || ++count > VERSIONS_NAMED)
			continue;
		mem_buf_puts(out, old->stands ? " It takes the place of " : " It took the place of ");
		put_quote(out, old->text);
		why_put_id(out, &old->id);
		put_replacement(out, old);
		mem_buf_puts(out, ".");
	}
	if (count > VERSIONS_NAMED)
		mem_buf_printf(out, " It took the place of %zu more.", count - VERSIONS_NAMED);
}

static void
put_why_successor(struct mem_buf *out, const struct mem_history *h, const struct mem_history_version *v)
{
	const struct mem_history_version *next = v->has_next ? find_version(h, &v->next) : NULL;
	if (!v->has_next)
		return;
	mem_buf_puts(out, " ");
	if (next != NULL)
		put_quote(out, next->text);
	else
		mem_buf_puts(out, "Something else");
	why_put_id(out, &v->next);
	mem_buf_puts(out, v->stands ? " takes its place" : " took its place");
	put_replacement(out, v);
	mem_buf_puts(out, ".");
}

static void
put_why_contradictions(struct mem_buf *out, struct mem_txn *t, const struct mem_history_version *v)
{
	struct mem_history other;
	if (v->ncontradicts == 0) {
		mem_buf_puts(out, is_belief(v) ? " Nothing contradicts it." : "");
		return;
	}
	for (size_t i = 0; i < v->ncontradicts && i < VERSIONS_NAMED; i++) {
		enum mem_status st = mem_history_read(&other, t, &v->contradicts[i], NULL);
		mem_buf_puts(out, " ");
		if (st == MEM_OK)
			put_quote(out, other.v[other.asked].text);
		else
			mem_buf_puts(out, "Something");
		why_put_id(out, &v->contradicts[i]);
		mem_buf_puts(out, " contradicts it");
		if (st == MEM_OK && !other.v[other.asked].stands)
			mem_buf_printf(out, " and is %.*s", (int)other.v[other.asked].status.n, other.v[other.asked].status.p);
		mem_buf_puts(out, ".");
		mem_history_release(&other);
	}
	if (v->ncontradicts > VERSIONS_NAMED)
		mem_buf_printf(out, " So do %zu more.", v->ncontradicts - VERSIONS_NAMED);
}

/* ---- how sure it is ---------------------------------------------------------------------- */

/* ": 0.6 at first, 0.72 after Bob", where the sources tell how it rose to what it is. */
static void
put_rise(struct mem_buf *out, const struct mem_history_version *v)
{
	double c = v->nsources > 0 ? v->sources[0].confidence : (double)NAN;
	struct mem_buf steps = { 0 };
	mem_buf_puts(&steps, ": ");
	mem_json_put_number(&steps, c);
	mem_buf_puts(&steps, " at first");
	for (size_t i = 1; i < v->nsources && !isnan(c); i++) {
		enum mem_veracity how;
		c = mem_veracity_parse(v->sources[i].veracity, &how) ? mem_fact_confirm(c, how) : (double)NAN;
		mem_buf_puts(&steps, ", ");
		mem_json_put_number(&steps, c);
		mem_buf_puts(&steps, " after ");
		mem_buf_str(&steps, v->sources[i].who.n > 0 ? v->sources[i].who : MEM_STR("another source"));
	}
	if (v->nsources > 1 && v->nsources <= SOURCES_NAMED + 2 && fabs(c - v->confidence) < 1e-5)
		mem_buf_str(out, mem_buf_span(&steps));
	mem_buf_release(&steps);
}

static void
put_confidence(struct mem_buf *out, const struct mem_history_version *v)
{
	if (!isnan(v->confidence)) {
		mem_buf_puts(out, " Its confidence is ");
		mem_json_put_number(out, v->confidence);
		put_rise(out, v);
		mem_buf_puts(out, ".");
	}
	if (!isnan(v->trust)) {
		mem_buf_puts(out, " Its trust is ");
		mem_json_put_number(out, v->trust);
		mem_buf_puts(out, ".");
	}
}

enum mem_status
mem_history_explain(struct mem_buf *out, struct mem_txn *t, const struct mem_id *id, struct mem_err *err)
{
	struct mem_history h;
	enum mem_status st = mem_history_read(&h, t, id, err);
	if (st == MEM_OK) {
		const struct mem_history_version *v = &h.v[h.asked];
		put_standing(out, v);
		st = why_put_promotion(out, t, v, err);
	}
	if (st == MEM_OK) {
		const struct mem_history_version *v = &h.v[h.asked];
		put_why_sources(out, v);
		put_predecessors(out, &h, v);
		put_why_successor(out, &h, v);
		put_why_contradictions(out, t, v);
		put_confidence(out, v);
		st = why_put_care(out, t, v, err);
	}
	mem_history_release(&h);
	return st;
}
