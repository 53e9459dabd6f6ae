/* SPDX-License-Identifier: Apache-2.0 */
/*
 * naive: exact BM25 without an index, to check one by.
 *
 *   naive [-k K1] [-b B] [-s STEMMER] [-t STOPFILE] [-f FIELD,...] [-n N] DOCS QUERIES
 *
 * Both files are NDJSON.  A document has a `ref` and either `terms`, an array taken as it
 * stands (places in array `extra` do not count for its length), or text in the fields of -f
 * (default content).  A query has a `qid` (else its line number)
 * and `terms` or `query`; a word that it repeats counts as often as it stands there.  Every document is
 * read and counted for every term of every query.
 * Prints qid, ref and score, tab between them, best first; ties in the documents' order.
 *
 * Text is cut at everything but ASCII letters, digits and bytes over 0x7f, and lowered.  -s
 * names a Snowball stemmer.  Words of STOPFILE are dropped from queries
 * (not from documents), unless nothing would be left.  Without -k the constants are .9 and .4 where the mean length is
 * under 60 terms, else 1.2 and .75.
 *
 *   score = sum of ln(1 + (N - df + .5) / (df + .5)) tf (k1 + 1) / (tf + k1 (1 - b + b len / mean))
 */
#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <libstemmer.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TERM_MAX = 256, QUERY_MAX = 128, FIELDS_MAX = 8, BUCKETS = 1 << 16 };

struct posting {
	uint32_t doc, tf;
};
struct term { /* of some query */
	char *text;
	struct posting *list;
	size_t df, cap;
	struct term *next;
};
struct query {
	char qid[64];
	struct term *terms[QUERY_MAX];
	size_t n;
};
struct doc {
	char *ref;
	uint32_t length;
};
struct score {
	double value;
	uint32_t doc;
};

static struct term *buckets[BUCKETS];
static struct query *queries;
static size_t nqueries, query_cap;
static struct doc *docs;
static size_t ndocs, doc_cap;
static struct sb_stemmer *stemmer;
static char *fields[FIELDS_MAX];
static size_t nfields;
static json_t *stops;

static _Noreturn void
die(const char *what, const char *why)
{
	fprintf(stderr, "naive: %s: %s\n", what, why);
	exit(3);
}

static void *
grow(void *p, size_t *cap, size_t n, size_t size)
{
	if (n < *cap)
		return p;
	*cap = *cap > 0 ? 2 * *cap : 16;
	p = realloc(p, *cap * size);
	if (p == NULL)
		die("memory", strerror(errno));
	return p;
}

static struct term *
find(const char *text, size_t n, bool make)
{
	uint64_t h = UINT64_C(14695981039346656037);
	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
	struct term **at = &buckets[(h >> 32) % BUCKETS];
	for (struct term *t = *at; t != NULL; t = t->next)
		if (strncmp(t->text, text, n) == 0 && t->text[n] == '\0')
			return t;
	if (!make)
		return NULL;
	struct term *t = calloc(1, sizeof *t);
	if (t == NULL || (t->text = strndup(text, n)) == NULL)
		die("memory", strerror(errno));
	t->next = *at;
	return *at = t;
}

typedef void on_term(void *ctx, const char *text, size_t n, bool stop);

static bool
in_word(char c)
{
	return isalnum((unsigned char)c) || (unsigned char)c > 0x7f;
}

static void
cut(const char *text, on_term *fn, void *ctx)
{
	for (const char *p = text; *p != '\0';) {
		char word[TERM_MAX];
		size_t n = 0;
		for (; in_word(*p); p++)
			if (n < sizeof word - 1)
				word[n++] = (char)tolower((unsigned char)*p);
		word[n] = '\0';
		if (n == 0) {
			p++;
			continue;
		}
		bool stop = stops != NULL && json_object_get(stops, word) != NULL;
		if (stemmer == NULL) {
			fn(ctx, word, n, stop);
			continue;
		}
		const sb_symbol *s = sb_stemmer_stem(stemmer, (const sb_symbol *)word, (int)n);
		fn(ctx, (const char *)s, (size_t)sb_stemmer_length(stemmer), stop);
	}
}

/* The terms of a document or a query: as written down, or cut from its fields. */
static void
each_term(const json_t *rec, const char *const *names, size_t n, on_term *fn, void *ctx)
{
	const json_t *terms = json_object_get(rec, "terms"), *one;
	size_t i;
	if (json_is_array(terms)) {
		json_array_foreach(terms, i, one)
			fn(ctx, json_string_value(one), json_string_length(one), false);
		return;
	}
	for (size_t f = 0; f < n; f++) {
		const json_t *v = json_object_get(rec, names[f]);
		if (json_is_string(v))
			cut(json_string_value(v), fn, ctx);
		if (!json_is_array(v))
			continue;
		json_array_foreach(v, i, one)
			cut(json_string_value(one), fn, ctx);
	}
}

struct query_terms {
	struct query *q;
	bool keep_stops;
};

static void
add_query_term(void *ctx, const char *text, size_t n, bool stop)
{
	struct query_terms *c = ctx;
	if ((stop && !c->keep_stops) || c->q->n == QUERY_MAX)
		return;
	c->q->terms[c->q->n++] = find(text, n, true);
}

static void
take_query(const json_t *rec)
{
	static const char *const names[] = { "query" };
	queries = grow(queries, &query_cap, nqueries, sizeof *queries);
	struct query *q = &queries[nqueries++];
	*q = (struct query){ 0 };
	const char *qid = json_string_value(json_object_get(rec, "qid"));
	if (qid != NULL)
		snprintf(q->qid, sizeof q->qid, "%s", qid);
	else
		snprintf(q->qid, sizeof q->qid, "%zu", nqueries);
	struct query_terms c = { q, false };
	each_term(rec, names, 1, add_query_term, &c);
	c.keep_stops = true;
	if (q->n == 0)
		each_term(rec, names, 1, add_query_term, &c);
}

static void
count_term(void *ctx, const char *text, size_t n, bool stop)
{
	struct doc *d = ctx;
	uint32_t number = (uint32_t)(d - docs);
	(void)stop;
	d->length++;
	struct term *t = find(text, n, false);
	if (t == NULL)
		return;
	if (t->df == 0 || t->list[t->df - 1].doc != number) {
		t->list = grow(t->list, &t->cap, t->df, sizeof *t->list);
		t->list[t->df++] = (struct posting){ number, 0 };
	}
	t->list[t->df - 1].tf++;
}

static void
take_doc(const json_t *rec)
{
	docs = grow(docs, &doc_cap, ndocs, sizeof *docs);
	const char *ref = json_string_value(json_object_get(rec, "ref"));
	docs[ndocs] = (struct doc){ strdup(ref != NULL ? ref : ""), 0 };
	each_term(rec, (const char *const *)fields, nfields, count_term, &docs[ndocs]);
	docs[ndocs].length -= (uint32_t)json_array_size(json_object_get(rec, "extra"));
	ndocs++;
}

static void
read_file(const char *path, void (*take)(const json_t *))
{
	FILE *f = fopen(path, "r");
	if (f == NULL)
		die(path, strerror(errno));
	char *line = NULL;
	size_t cap = 0;
	for (ssize_t n; (n = getline(&line, &cap, f)) > 0;) {
		json_error_t err;
		json_t *rec = json_loadb(line, (size_t)n, 0, &err);
		if (rec == NULL)
			die(path, err.text);
		take(rec);
		json_decref(rec);
	}
	free(line);
	fclose(f);
}

static int
by_score(const void *a, const void *b)
{
	const struct score *x = a, *y = b;
	if (x->value != y->value)
		return x->value > y->value ? -1 : 1;
	return x->doc < y->doc ? -1 : x->doc > y->doc;
}

/* `sums` is all zero before and after. */
static void
answer(const struct query *q, double k1, double b, double mean, size_t limit, double *sums)
{
	size_t n = 0, cap = 0;
	struct score *found = NULL;
	for (size_t i = 0; i < q->n; i++) {
		const struct term *t = q->terms[i];
		double df = (double)t->df, idf = log(1 + ((double)ndocs - df + .5) / (df + .5));
		for (size_t j = 0; j < t->df; j++) {
			uint32_t d = t->list[j].doc;
			double tf = t->list[j].tf, len = docs[d].length;
			if (sums[d] == 0) {
				found = grow(found, &cap, n, sizeof *found);
				found[n++] = (struct score){ 0, d };
			}
			sums[d] += idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * len / mean));
		}
	}
	for (size_t i = 0; i < n; i++) {
		found[i].value = round(sums[found[i].doc] * 1e6) / 1e6;
		sums[found[i].doc] = 0;
	}
	if (n > 0)
		qsort(found, n, sizeof *found, by_score);
	for (size_t i = 0; i < n && i < limit; i++)
		printf("%s\t%s\t%.6f\n", q->qid, docs[found[i].doc].ref, found[i].value);
	free(found);
}

static void
answer_all(double k1, double b, size_t limit)
{
	uint64_t total = 0;
	for (size_t i = 0; i < ndocs; i++)
		total += docs[i].length;
	double mean = ndocs > 0 ? (double)total / (double)ndocs : 1;
	if (k1 < 0) {
		k1 = mean < 60 ? .9 : 1.2;
		b = mean < 60 ? .4 : .75;
	}
	double *sums = calloc(ndocs + 1, sizeof *sums);
	if (sums == NULL)
		die("memory", strerror(errno));
	for (size_t i = 0; i < nqueries; i++)
		answer(&queries[i], k1, b, mean, limit, sums);
	free(sums);
}

static void
read_stops(const char *path)
{
	FILE *f = fopen(path, "r");
	if (f == NULL)
		die(path, strerror(errno));
	stops = json_object();
	char word[TERM_MAX];
	while (fscanf(f, "%255s", word) == 1)
		json_object_set_new(stops, word, json_true());
	fclose(f);
}

int
main(int argc, char **argv)
{
	double k1 = -1, b = -1;
	size_t limit = 10;
	char content[] = "content";
	fields[nfields++] = content;
	for (int o; (o = getopt(argc, argv, "k:b:s:t:f:n:")) != -1;) {
		if (o == 'k')
			k1 = strtod(optarg, NULL);
		else if (o == 'b')
			b = strtod(optarg, NULL);
		else if (o == 's' && (stemmer = sb_stemmer_new(optarg, NULL)) == NULL)
			die(optarg, "no such stemmer");
		else if (o == 't')
			read_stops(optarg);
		else if (o == 'f')
			for (nfields = 0; nfields < FIELDS_MAX && (fields[nfields] = strsep(&optarg, ",")) != NULL;)
				nfields++;
		else if (o == 'n')
			limit = strtoul(optarg, NULL, 10);
		else if (o == '?')
			return 2;
	}
	if (argc - optind != 2 || (k1 < 0) != (b < 0)) {
		fputs("usage: naive [-k K1 -b B] [-s STEMMER] [-t STOPFILE] [-f FIELD,...] [-n N] DOCS QUERIES\n",
		    stderr);
		return 2;
	}
	read_file(argv[optind + 1], take_query);
	read_file(argv[optind], take_doc);
	answer_all(k1, b, limit);
	return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 3;
}
