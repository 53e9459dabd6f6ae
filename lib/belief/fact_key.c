/* SPDX-License-Identifier: Apache-2.0 */
/* What facts are found and told apart by: slugs, keys, words in common; how confidence grows. */
#include <stdlib.h>

#include "base/order.h"
#include "belief/fact.h"
#include "belief/ledger_calls_int.h"
#include "text/text.h"

enum { SEPARATOR = 0x1f };

/* ---- domains ---------------------------------------------------------------- */

void
mem_fact_slug(struct mem_buf *out, struct mem_str domain)
{
	size_t start = out->len;
	bool gap = false;
	for (size_t i = 0; i < domain.n; i++) {
		char c = domain.p[i];
		if (c >= 'A' && c <= 'Z')
			c = (char)(c - 'A' + 'a');
		bool kept = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
		gap = gap || c == '-' || c == '_' || c == ' ' || (c >= '\t' && c <= '\r');
		if (!kept)
			continue;
		size_t room = MEM_FACT_SLUG_MAX - (out->len - start);
		bool dash = gap && out->len > start;
		if (room < (size_t)dash + 1)
			break;
		if (dash)
			mem_buf_putc(out, '-');
		mem_buf_putc(out, c);
		gap = false;
	}
}

/* ---- words in common ---------------------------------------------------------- */

static bool
is_key_word_byte(char c)
{
	return (unsigned char)c >= 0x80 || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '\'' || c == '_';
}

static int
compare_words(const void *a, const void *b)
{
	return mem_str_cmp(*(const struct mem_str *)a, *(const struct mem_str *)b);
}

/* The words of a folded text in order, each once.  OWNS. */
static struct mem_str *
split_words(struct mem_str text, size_t *n)
{
	struct mem_str *v = NULL;
	size_t cap = 0, all = 0;
	for (size_t i = 0; i < text.n;) {
		size_t start = i;
		while (i < text.n && is_key_word_byte(text.p[i]))
			i++;
		if (i > start) {
			v = mem_grow(v, &cap, all + 1, sizeof *v);
			v[all++] = (struct mem_str){ text.p + start, i - start };
		} else {
			i++;
		}
	}
	mem_sort(v, all, sizeof *v, compare_words);
	*n = 0;
	for (size_t i = 0; i < all; i++)
		if (*n == 0 || !mem_str_eq(v[*n - 1], v[i]))
			v[(*n)++] = v[i];
	return v;
}

double
mem_fact_jaccard(struct mem_str a, struct mem_str b)
{
	struct mem_buf x = { 0 }, y = { 0 };
	size_t nx, ny, common = 0;
	mem_text_fold(&x, a);
	mem_text_fold(&y, b);
	struct mem_str *vx = split_words(mem_buf_span(&x), &nx), *vy = split_words(mem_buf_span(&y), &ny);
	for (size_t i = 0, j = 0; i < nx && j < ny;) {
		int c = mem_str_cmp(vx[i], vy[j]);
		common += c == 0;
		i += c <= 0;
		j += c >= 0;
	}
	free(vx);
	free(vy);
	mem_buf_release(&x);
	mem_buf_release(&y);
	return nx + ny > common ? (double)common / (double)(nx + ny - common) : 0;
}

double
mem_fact_confirm(double confidence, enum mem_veracity again)
{
	double c = confidence + (1 - confidence) * mem_veracity_weight(again) * .3;
	return c < 1 ? c : 1;
}

/* ---- keys ------------------------------------------------------------------------ */

struct mem_str
ledger_value_key(struct mem_ledger *l, const struct ledger_value *v)
{
	struct mem_buf b = { 0 };
	mem_buf_str(&b, v->subject);
	mem_buf_putc(&b, SEPARATOR);
	mem_buf_str(&b, v->predicate);
	mem_buf_putc(&b, SEPARATOR);
	mem_buf_str(&b, v->object);
	mem_buf_putc(&b, SEPARATOR);
	mem_buf_putc(&b, v->negated ? '1' : '0');
	if (v->version.n > 0) {
		mem_buf_putc(&b, SEPARATOR);
		mem_buf_str(&b, v->version);
	}
	struct mem_str s = mem_arena_str(&l->arena, mem_buf_span(&b));
	mem_buf_release(&b);
	return s;
}

struct mem_str
ledger_version(const struct mem_predicate *p, struct mem_str detail)
{
	size_t v = detail.n > 0 && (detail.p[0] == 'v' || detail.p[0] == 'V');
	struct mem_str version = { detail.p + v, detail.n - v };
	bool is = p != NULL && p->detail && version.n > 0 && version.p[0] >= '0' && version.p[0] <= '9';
	for (size_t i = 0; i < version.n && is; i++)
		is = (version.p[i] >= '0' && version.p[i] <= '9') || version.p[i] == '.';
	return is ? version : MEM_STR("");
}

struct mem_id
ledger_fact_id(struct mem_ledger *l, struct mem_str ns, struct mem_str key, int64_t at, struct mem_str *id_of)
{
	struct mem_buf b = { 0 };
	mem_buf_printf(&b, "fact%c", SEPARATOR);
	mem_buf_str(&b, key);
	mem_buf_printf(&b, "%c%lld", SEPARATOR, (long long)at);
	struct mem_id id = mem_id_v8(ns, mem_buf_span(&b));
	if (id_of != NULL)
		*id_of = mem_arena_str(mem_writer_arena(l->w), mem_buf_span(&b));
	mem_buf_release(&b);
	return id;
}

bool
ledger_is_exclusive(const struct mem_predicate *p, struct mem_str object)
{
	const char *colon = memchr(object.p, ':', object.n);
	struct mem_buf folded = { 0 };
	bool is = false;
	if (p == NULL || colon == NULL)
		return false;
	struct mem_str value = { colon + 1, object.n - (size_t)(colon + 1 - object.p) };
	for (size_t i = 0; i < p->nexclusive && !is; i++) {
		mem_buf_reset(&folded);
		mem_text_fold(&folded, p->exclusive[i]);
		is = mem_str_eq(mem_buf_span(&folded), value);
	}
	mem_buf_release(&folded);
	return is;
}

struct mem_str
ledger_statement_key(struct mem_ledger *l, struct mem_str domain, struct mem_str topic, struct mem_str statement)
{
	struct mem_buf b = { 0 };
	mem_buf_str(&b, domain);
	mem_buf_putc(&b, SEPARATOR);
	mem_text_fold(&b, topic);
	mem_buf_putc(&b, SEPARATOR);
	mem_text_fold(&b, statement);
	struct mem_str s = mem_arena_str(&l->arena, mem_buf_span(&b));
	mem_buf_release(&b);
	return s;
}

/* ---- reading ----------------------------------------------------------------------- */

enum mem_status
mem_fact_next(struct mem_txn *t, struct mem_str ns, const struct mem_id *subject, struct mem_str predicate, bool backwards, int64_t *at,
    uint32_t *ord, struct mem_err *err)
{
	char id[MEM_ID_LEN + 1];
	struct mem_buf name = { 0 };
	mem_id_format(subject, id);
	const struct mem_fact_terms terms = { .subject = mem_str(id), .predicate = predicate };
	mem_fact_put_lane(&name, mem_txn_store(t), mem_text_fold, MEM_FACT_SAYS, &terms);
	enum mem_status st = mem_fact_in_lane(t, ns, MEM_FACT_SAYS, mem_buf_span(&name), backwards, at, ord, err);
	mem_buf_release(&name);
	return st;
}
