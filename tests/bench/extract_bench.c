/* SPDX-License-Identifier: Apache-2.0 */
/*
 * extract_bench [--show] FILE...: what the rules find in labelled sentences (tests/data/extract/README.md), as precision and
 * recall of each half and by category.  --show prints what is wrong and what is missing, of half a alone.
 *
 * extract_bench --speed FILE: how many of these events a second, the best of five runs.
 *
 * make build/release/bench/extract_bench; tests/bench/extract runs it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "belief/extract.h"
#include "record/record.h"
#include "text/text.h"

enum { CATEGORIES = 128, RUNS = 5, HALVES = 7 };

struct score {
	char name[32];
	size_t sentences, nothing, right, wrong, missing;
};

static struct score halves[HALVES], categories[CATEGORIES];
static size_t ncategories;
static bool show;
static struct mem_belief_rules *rules;
static struct mem_err err;

static void
must(enum mem_status st, const char *what)
{
	if (st == MEM_OK)
		return;
	fprintf(stderr, "extract_bench: %s: %s\n", what, err.msg);
	exit(3);
}

static void
warn_about_rule(void *ctx, const char *message)
{
	(void)ctx;
	fprintf(stderr, "extract_bench: %s\n", message);
}

/* ---- comparing ------------------------------------------------------------ */

static bool
is_left_out(struct mem_str word)
{
	static const char *const words[] = { "a", "an", "the", "my", "our", "his", "her", "its", "your", "their", "der", "die", "das", "den",
		"dem", "des", "ein", "eine", "einen", "einem", "einer", "mein", "meine", "meinen", "unser", "unsere" };
	for (size_t i = 0; i < MEM_COUNT(words); i++)
		if (mem_str_is(word, words[i]))
			return true;
	return false;
}

/* Folded, without determiners and marks at the ends of words, one blank between words.  ARENA. */
static const char *
normalise_term(struct mem_arena *a, struct mem_str s)
{
	struct mem_buf folded = { 0 }, out = { 0 };
	mem_text_fold(&folded, s);
	mem_buf_putc(&folded, ' ');
	struct mem_str left = mem_buf_span(&folded);
	for (size_t i = 0, from = 0; i < left.n; i++) {
		if (left.p[i] != ' ')
			continue;
		struct mem_str w = { left.p + from, i - from };
		from = i + 1;
		while (w.n > 0 && strchr(".,;:!?\"'()", w.p[0]) != NULL)
			w.p++, w.n--;
		while (w.n > 0 && strchr(".,;:!?\"'()", w.p[w.n - 1]) != NULL)
			w.n--;
		if (w.n == 0 || is_left_out(w))
			continue;
		if (out.len > 0)
			mem_buf_putc(&out, ' ');
		mem_buf_str(&out, w);
	}
	const char *text = mem_arena_dup(a, out.len > 0 ? out.data : "", out.len);
	mem_buf_release(&folded);
	mem_buf_release(&out);
	return text;
}

/* `*` in the pattern stands for anything. */
static bool
matches_pattern(const char *pattern, const char *text)
{
	const char *star = strchr(pattern, '*');
	if (star == NULL)
		return strcmp(pattern, text) == 0;
	size_t n = (size_t)(star - pattern);
	if (strncmp(pattern, text, n) != 0)
		return false;
	for (text += n;; text++) {
		if (matches_pattern(star + 1, text))
			return true;
		if (*text == '\0')
			return false;
	}
}

/* One text or several, any of which is right. */
static bool
matches_any_pattern(struct mem_arena *a, struct mem_json v, const char *text)
{
	if (v.type == MEM_JSON_STRING)
		return matches_pattern(normalise_term(a, mem_json_text(a, v)), text);
	struct mem_json_iter it = mem_json_each(v);
	while (mem_json_next(&it))
		if (matches_any_pattern(a, it.value, text))
			return true;
	return false;
}

/* A predicate as written, "!" before it where it is negated. */
static bool
predicate_agrees(struct mem_arena *a, struct mem_json v, struct mem_str name, bool negated)
{
	const char *full = mem_arena_printf(a, "%s%.*s", negated ? "!" : "", (int)name.n, name.p);
	if (v.type == MEM_JSON_STRING)
		return matches_pattern(mem_arena_dup(a, mem_json_text(a, v).p, mem_json_text(a, v).n), full);
	struct mem_json_iter it = mem_json_each(v);
	while (mem_json_next(&it))
		if (predicate_agrees(a, it.value, name, negated))
			return true;
	return false;
}

static bool
triple_agrees(struct mem_arena *a, struct mem_json label, struct mem_str subject, struct mem_str predicate, struct mem_str object, bool negated)
{
	return predicate_agrees(a, mem_json_member(label, "predicate"), predicate, negated) &&
	    matches_any_pattern(a, mem_json_member(label, "subject"), normalise_term(a, subject)) &&
	    matches_any_pattern(a, mem_json_member(label, "object"), normalise_term(a, object));
}

/* The claim as it stands, or said from its object's side. */
static bool
claim_agrees(struct mem_arena *a, struct mem_json label, const struct mem_claim *c)
{
	const struct mem_predicate *p = mem_predicate_find(rules, c->predicate);
	struct mem_str object = c->object.text, with = object;
	if (c->detail.n > 0)
		with = mem_str(mem_arena_printf(a, "%.*s %.*s", (int)object.n, object.p, (int)c->detail.n, c->detail.p));
	if (triple_agrees(a, label, c->subject.text, c->predicate, object, c->negated) ||
	    triple_agrees(a, label, c->subject.text, c->predicate, with, c->negated))
		return true;
	struct mem_str back = p == NULL ? (struct mem_str){ "", 0 } : p->symmetric ? p->name : p->inverse;
	return back.n > 0 && triple_agrees(a, label, object, back, c->subject.text, c->negated);
}

/* ---- a sentence ------------------------------------------------------------ */

static struct score *
find_category(const char *name)
{
	size_t i = 0;
	while (i < ncategories && strcmp(categories[i].name, name) != 0)
		i++;
	if (i == ncategories && ncategories < CATEGORIES - 1)
		snprintf(categories[ncategories++].name, sizeof categories->name, "%s", name);
	return &categories[i];
}

static void
print_claim(const char *what, struct mem_str content, const struct mem_claim *c)
{
	printf("%s: %.*s | %s%.*s | %.*s   <%.*s>   %.*s\n", what, (int)c->subject.text.n, c->subject.text.p, c->negated ? "!" : "",
	    (int)c->predicate.n, c->predicate.p, (int)c->object.text.n, c->object.text.p, (int)c->rule.n, c->rule.p,
	    (int)(c->end - c->start), content.p + c->start);
}

static size_t
count_labels(struct mem_json v)
{
	size_t n = 0;
	struct mem_json_iter it = mem_json_each(v);
	while (mem_json_next(&it))
		n++;
	return n;
}

/* 1: expected, and not found before; 0: neither right nor wrong; -1: wrong. */
static int
judge_claim(struct mem_arena *a, const struct mem_rec *r, const struct mem_claim *c, bool *found)
{
	struct mem_json expect = mem_rec_value(r, "expect"), allow = mem_rec_value(r, "allow");
	struct mem_json_iter it = mem_json_each(expect);
	if (c->subject.kind == MEM_TERM_NONE)
		return count_labels(expect) + count_labels(allow) > 0 ? 0 : -1;
	for (size_t i = 0; mem_json_next(&it); i++)
		if (claim_agrees(a, it.value, c)) {
			int worth = found[i] ? 0 : 1;
			found[i] = true;
			return worth;
		}
	it = mem_json_each(allow);
	while (mem_json_next(&it))
		if (claim_agrees(a, it.value, c))
			return 0;
	return -1;
}

static void
add_to_score(struct score *s, const struct score *one)
{
	s->sentences += one->sentences;
	s->nothing += one->nothing;
	s->right += one->right;
	s->wrong += one->wrong;
	s->missing += one->missing;
}

static void
show_missing(const struct mem_rec *r, struct mem_str content, const bool *found)
{
	int64_t start = 0, end = (int64_t)content.n;
	struct mem_json_iter it = mem_json_each(mem_rec_value(r, "expect"));
	mem_json_int(mem_rec_value(r, "start"), &start);
	mem_json_int(mem_rec_value(r, "end"), &end);
	for (size_t i = 0; mem_json_next(&it); i++)
		if (!found[i])
			printf("missing: %.*s   %.*s\n", (int)it.value.raw.n, it.value.raw.p, (int)(end - start), content.p + start);
}

static void
read_source(struct mem_extract_source *s, struct mem_arena *a, const struct mem_rec *r)
{
	*s = (struct mem_extract_source){
		.content = mem_json_text(a, mem_rec_value(r, "content")),
		.speaker = mem_json_text(a, mem_rec_value(r, "speaker")),
		.listener = mem_json_text(a, mem_rec_value(r, "listener")),
		.role = mem_role_parse(mem_json_text(a, mem_rec_value(r, "role"))),
		.captured_at = MEM_TIME_NONE,
	};
	mem_time_parse(mem_json_text(a, mem_rec_value(r, "captured_at")), &s->captured_at);
}

/* 0 of a, 1 of b, and so on. */
static size_t
half_of(struct mem_str name)
{
	size_t half = name.n == 1 ? (size_t)(name.p[0] - 'a') : HALVES;
	if (half >= HALVES) {
		fprintf(stderr, "extract_bench: no such half: %.*s\n", (int)name.n, name.p);
		exit(3);
	}
	return half;
}

static void
score_sentence(struct mem_arena *a, const struct mem_rec *r)
{
	struct mem_extract_source s;
	struct mem_claim_list l = { .arena = a };
	int64_t start = 0, end = INT64_MAX;
	size_t half = half_of(mem_json_text(a, mem_rec_value(r, "half")));
	size_t labels = count_labels(mem_rec_value(r, "expect"));
	bool *found = mem_arena_alloc(a, (labels + 1) * sizeof *found);
	struct score one = { .sentences = 1, .nothing = labels == 0 };
	read_source(&s, a, r);
	mem_json_int(mem_rec_value(r, "start"), &start);
	mem_json_int(mem_rec_value(r, "end"), &end);
	must(mem_extract(&l, rules, &s, &err), "extract");
	for (size_t i = 0; i < l.n; i++) {
		const struct mem_claim *c = &l.v[i];
		if ((int64_t)c->end <= start || (int64_t)c->start >= end)
			continue;
		int worth = judge_claim(a, r, c, found);
		one.right += worth > 0;
		one.wrong += worth < 0;
		if (worth < 0 && show && half == 0)
			print_claim("wrong", s.content, c);
	}
	one.missing = labels - one.right;
	if (show && half == 0)
		show_missing(r, s.content, found);
	add_to_score(&halves[half], &one);
	add_to_score(find_category(mem_json_text(a, mem_rec_value(r, "category")).p), &one);
	mem_claims_release(&l);
}

/* ---- files ------------------------------------------------------------------ */

static void
each_line(const char *path, void (*fn)(struct mem_arena *, const struct mem_rec *))
{
	FILE *f = fopen(path, "r");
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	struct mem_rec r = { 0 };
	struct mem_arena a = { 0 };
	if (f == NULL) {
		perror(path);
		exit(3);
	}
	while ((n = getline(&line, &cap, f)) > 0) {
		must(mem_rec_scan(&r, (struct mem_str){ line, (size_t)n }, &err), path);
		fn(&a, &r);
		mem_arena_reset(&a);
	}
	mem_arena_release(&a);
	mem_rec_release(&r);
	free(line);
	fclose(f);
}

static void
print_score(const struct score *s)
{
	size_t given = s->right + s->wrong, wanted = s->right + s->missing;
	printf("%-14s %4zu sentences, %3zu%% say nothing   precision %.3f (%zu of %zu)   recall %.3f (%zu of %zu)\n", s->name, s->sentences,
	    100 * s->nothing / (s->sentences > 0 ? s->sentences : 1), given > 0 ? (double)s->right / (double)given : 1.0, s->right, given,
	    wanted > 0 ? (double)s->right / (double)wanted : 1.0, s->right, wanted);
}

static int
compare_scores_by_name(const void *a, const void *b)
{
	return strcmp(((const struct score *)a)->name, ((const struct score *)b)->name);
}

/* ---- speed ------------------------------------------------------------------ */

static struct mem_arena speed_arena;
static struct mem_extract_source *sources;
static size_t nsources, sources_cap;

static void
keep_source(struct mem_arena *a, const struct mem_rec *r)
{
	(void)a;
	sources = mem_grow(sources, &sources_cap, nsources + 1, sizeof *sources);
	read_source(&sources[nsources++], &speed_arena, r);
}

static void
print_speed(const char *path)
{
	double best = 1e9;
	size_t claims = 0;
	each_line(path, keep_source);
	for (int run = 0; run < RUNS; run++) {
		struct mem_arena a = { 0 };
		struct mem_claim_list l = { .arena = &a };
		struct timespec from, to;
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
		claims = 0;
		for (size_t i = 0; i < nsources; i++) {
			must(mem_extract(&l, rules, &sources[i], &err), "extract");
			claims += l.n;
			mem_claims_reset(&l);
			mem_arena_reset(&a);
		}
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
		double seconds = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
		best = seconds < best ? seconds : best;
		mem_claims_release(&l);
		mem_arena_release(&a);
	}
	printf("speed          %zu episodes, %zu claims: %.0f episodes a second, %.0f µs each\n", nsources, claims,
	    (double)nsources / best, 1e6 * best / (double)nsources);
}

int
main(int argc, char **argv)
{
	const struct mem_belief_options options = { .dirfd = -1, .warn = warn_about_rule };
	must(mem_belief_rules_load(&rules, &options, &err), "rules");
	if (argc == 3 && strcmp(argv[1], "--speed") == 0) {
		print_speed(argv[2]);
		return 0;
	}
	show = argc > 1 && strcmp(argv[1], "--show") == 0;
	for (int i = show ? 2 : 1; i < argc; i++)
		each_line(argv[i], score_sentence);
	for (size_t i = 0; i < HALVES; i++)
		snprintf(halves[i].name, sizeof halves->name, "half %c", (int)('a' + i));
	qsort(categories, ncategories, sizeof *categories, compare_scores_by_name);
	for (size_t i = 0; i < ncategories; i++)
		print_score(&categories[i]);
	for (size_t i = 0; i < HALVES; i++)
		if (halves[i].sentences > 0)
			print_score(&halves[i]);
	mem_belief_rules_free(rules);
	return 0;
}
