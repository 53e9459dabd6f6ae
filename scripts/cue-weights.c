/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes lib/clean/cue_weights.tsv: the weight of each class of cues.yaml, the threshold, and a report as remarks.
 *
 *	make cue-weights MEMKIT_DATA=DIR
 *
 * DIR holds injection/dev.ndjson and injection2/dev.ndjson, and notes and skills of people (vault-*, skills), which are
 * ordinary texts, too; they are cut to paragraphs as the others are.  tests/data/markers/indirect.ndjson holds orders in
 * indirect words, in thirteen languages, and ordinary texts with the same words: a family of its own.
 *
 * Weights are those of a logistic regression on the best window of each text (not below 0, L2), which is chosen anew with
 * the weights so far, six times.  Harmless texts with high scores count more.  A quarter of all texts, by a hash, takes no
 * part and is reported once, by the rules and cues that memkit is built with.
 *
 * The report leaves out one family of attacks and a quarter of the harmless sources at a time, and the threshold is
 * the score that 1 in 2,000 ordinary texts of sources that were left out reach, those among them that two classes standing
 * together flag.  Which classes do (`with` in cues.yaml) was chosen by meaning, and kept where hardly an ordinary text has both.
 */
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clean/cue_int.h"
#include "record/record.h"

enum { ROUNDS = 6, STEPS = 40, GROUPS = 4, FAMILIES_MAX = 9, ORDINARY_PER_FLAG = 2000, PIECE_MAX = 800 };
static const double ridge = 10, hard = 4;

/* Sources that share templates; all jailbreaks are one family, too. */
static const struct {
	const char *source, *family;
} sources[] = {
	{ "enkryptai/xInjectAgent", "agents" }, { "sequrity-ai/agentdojo", "agents" }, { "Zhang-Henry/AIOS_agent", "agents" },
	{ "ReversecLabs/spikee", "spikee" }, { "meta-llama/PurpleLlama", "cyberseceval" }, { "rustyorb/pincer", "pincer" },
	{ "fr4nk3nst1ner/aiml-testing", "pincer" }, { "deepset/prompt-injections", "deepset" },
	{ "memkit/indirect", "indirect" },
};
static const char *const families[FAMILIES_MAX] = { "agents", "spikee", "cyberseceval", "pincer", "deepset", "jailbreak", "indirect", "rest", NULL };
static const char *const ordinary_kinds[] = { "doc", "mail", "ask", "cmd", "agent" };

struct text {
	struct clean_cue_hit *hits;
	size_t nhits;
	struct mem_str plain;
	int family;              /* of an attack; -1: harmless */
	unsigned group;          /* of a harmless one's source */
	bool ordinary, english, held, by_rule;
	bool paired;             /* two classes stand with each other */
	uint64_t best;           /* classes of its best window */
	double count;            /* weight in training */
};
struct model {
	double w[CLEAN_CUES_MAX], bias;
};

static struct text *texts;
static size_t ntexts, texts_cap, ncues;
static struct clean_cue cues[CLEAN_CUES_MAX];
static struct mem_arena arena;

/* ---- reading ------------------------------------------------------------ */

static void
die(const char *what)
{
	fprintf(stderr, "cue-weights: %s\n", what);
	exit(3);
}

static int
find_family(struct mem_str source, struct mem_str kind)
{
	const char *name = mem_str_is(kind, "jailbreak") && !mem_str_is(source, "memkit/indirect") ? "jailbreak" : "rest";
	for (size_t i = 0; i < MEM_COUNT(sources) && strcmp(name, "rest") == 0; i++)
		if (mem_str_is(source, sources[i].source))
			name = sources[i].family;
	int f = 0;
	while (strcmp(families[f], name) != 0)
		f++;
	return f;
}

static void
find_cues(struct mem_clean *c, struct text *t, struct mem_str raw)
{
	const struct clean_table *table = &clean_builtin.table;
	struct mem_view whole, plain;
	unsigned s = 0;
	mem_view_init(&whole, raw);
	bool changed = mem_view_plain(&plain, &whole);
	t->plain = mem_arena_str(&arena, changed ? plain.text : raw);
	mem_view_release(&plain);
	c->ncues = 0;
	for (size_t i = 0; i < t->plain.n; i++) {
		s = clean_next_state(table, s, t->plain.p[i]);
		for (uint32_t o = table->first[s]; clean_has_outputs(table, s) && o < table->first[s + 1]; o++)
			if (clean_is_cue(&clean_builtin, &table->outputs[o]))
				clean_cue_add(c, &clean_builtin, &table->outputs[o], t->plain, i + 1);
	}
	t->nhits = c->ncues;
	t->hits = (struct clean_cue_hit *)mem_arena_alloc(&arena, (c->ncues + 1) * sizeof *t->hits);
	if (c->ncues > 0)
		memcpy(t->hits, c->cues, c->ncues * sizeof *t->hits);
	for (size_t i = 0; i < t->nhits; i++)
		t->paired |= clean_cues_partner(t->hits, i, t->plain, cues) != i;
	c->ncues = 0;
}

/* Does a rule, or a class of forms, find something: all that memkit flags without cues. */
static bool
is_found_by_rule(struct mem_clean *c, struct mem_str raw)
{
	struct mem_findings f = { 0 };
	struct mem_buf out = { 0 };
	bool found = false;
	mem_findings_begin(&f, c, raw.n);
	(void)mem_clean_string(&f, "content", false, raw, &out, NULL);
	for (size_t i = 0; i < f.nflags; i++)
		found |= !mem_str_eq(f.flags[i].marker, clean_cue_rule.name);
	mem_findings_release(&f);
	mem_buf_release(&out);
	return found;
}

static struct mem_str
read_field(const struct mem_rec *rec, const char *name)
{
	const struct mem_field *f = mem_rec_find(rec, name);
	return f != NULL && f->value.type == MEM_JSON_STRING ? mem_json_text(&arena, f->value) : MEM_STR("");
}

static void
add_text(struct mem_clean *c, const struct mem_rec *rec)
{
	struct mem_str raw = read_field(rec, "text"), kind = read_field(rec, "kind"), source = read_field(rec, "source");
	struct mem_str lang = read_field(rec, "lang");
	bool attack = mem_str_is(read_field(rec, "label"), "injection");
	if (attack && mem_str_is(kind, "task"))
		return; /* not to be told by its words */
	texts = mem_grow(texts, &texts_cap, ntexts + 1, sizeof *texts);
	struct text *t = &texts[ntexts++];
	*t = (struct text){ .family = attack ? find_family(source, kind) : -1, .english = mem_str_is(lang, "en"),
		.group = (unsigned)(mem_hash_fast(source.p, source.n) % GROUPS), .held = mem_hash_fast(raw.p, raw.n) % 4 == 0 };
	t->ordinary = !attack && kind.n == 0;
	for (size_t i = 0; i < MEM_COUNT(ordinary_kinds); i++)
		t->ordinary |= !attack && mem_str_is(kind, ordinary_kinds[i]);
	t->by_rule = is_found_by_rule(c, raw);
	find_cues(c, t, raw);
}

static void
read_texts(struct mem_clean *c, const char *path)
{
	struct mem_lines lines;
	struct mem_line line;
	struct mem_rec rec = { 0 };
	struct mem_err err;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		die(path);
	mem_lines_init(&lines, fd, MEM_LINE_MAX);
	while (mem_lines_next(&lines, &line, &err) == MEM_OK)
		if (mem_rec_scan(&rec, line.text, &err) == MEM_OK)
			add_text(c, &rec);
	mem_lines_release(&lines);
	mem_rec_release(&rec);
	close(fd);
}

static void
add_ordinary(struct mem_clean *c, struct mem_str raw, struct mem_str source)
{
	texts = mem_grow(texts, &texts_cap, ntexts + 1, sizeof *texts);
	struct text *t = &texts[ntexts++];
	*t = (struct text){ .family = -1, .ordinary = true, .group = (unsigned)(mem_hash_fast(source.p, source.n) % GROUPS),
		.held = mem_hash_fast(raw.p, raw.n) % 4 == 0 };
	t->by_rule = is_found_by_rule(c, raw);
	find_cues(c, t, raw);
}

/* A file of markdown, in pieces of whole paragraphs of at most 800 bytes where they are shorter.  Its folder is the source. */
static void
read_ordinary_file(struct mem_clean *c, const char *path)
{
	struct mem_buf text = { 0 };
	const char *slash = strrchr(path, '/');
	struct mem_str source = { path, slash != NULL ? (size_t)(slash - path) : 0 };
	if (mem_file_read(AT_FDCWD, path, (size_t)1 << 24, &text, NULL) != MEM_OK || mem_utf8_valid(text.data, text.len) < text.len) {
		mem_buf_release(&text);
		return;
	}
	for (size_t at = 0, next = 0; at < text.len; at = next) {
		for (size_t end = at; next < text.len && (next == at || end - at < PIECE_MAX); next = end) {
			const char *blank = memmem(text.data + end, text.len - end, "\n\n", 2);
			end = blank != NULL ? (size_t)(blank - text.data) + 2 : text.len;
			if (next > at && end - at > PIECE_MAX)
				break;
		}
		add_ordinary(c, (struct mem_str){ text.data + at, next - at }, source);
	}
	mem_buf_release(&text);
}

/* ---- scores ------------------------------------------------------------- */

/* As the product adds them: in hundredths. */
static void
use_weights(const struct model *m)
{
	for (size_t k = 0; k < ncues; k++)
		cues[k].weight = (int)lround(100 * m->w[k]);
}

static int
score_text(const struct text *t, uint64_t *classes)
{
	return clean_cues_sum(t->hits, t->nhits, t->plain, cues, classes);
}

/* ---- training ----------------------------------------------------------- */

static bool
is_trained_on(const struct text *t, int family, int group)
{
	return !t->held && (t->family >= 0 ? t->family != family : t->ordinary && (int)t->group != group);
}

static int
compare_rising(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;
	return (x > y) - (x < y);
}

/* Each family counts the same, 500 together; harmless texts among the 3 and .5 in 100 with the highest scores more. */
static void
count_texts(int family, int group)
{
	size_t in_family[FAMILIES_MAX] = { 0 }, n = 0, nf = 0;
	int *scores = mem_xcalloc(ntexts, sizeof *scores);
	for (size_t i = 0; i < ntexts; i++) {
		struct text *t = &texts[i];
		int s = score_text(t, &t->best);
		if (is_trained_on(t, family, group) && t->family >= 0)
			in_family[t->family]++;
		else if (is_trained_on(t, family, group))
			scores[n++] = s;
	}
	for (size_t f = 0; f < FAMILIES_MAX; f++)
		nf += in_family[f] > 0;
	qsort(scores, n, sizeof *scores, compare_rising);
	int high = scores[n * 97 / 100], highest = scores[n * 995 / 1000];
	for (size_t i = 0; i < ntexts; i++) {
		struct text *t = &texts[i];
		uint64_t classes;
		if (t->family >= 0)
			t->count = 500.0 / (double)(nf * in_family[t->family] + (in_family[t->family] == 0));
		else
			t->count = (score_text(t, &classes) >= high ? hard : 1) * (score_text(t, &classes) >= highest ? hard : 1);
	}
	free(scores);
}

/* Solves h x = g for the n + 1 unknowns by elimination with pivots; g becomes x. */
static void
solve_equations(double (*h)[CLEAN_CUES_MAX + 1], double *g, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t p = i;
		for (size_t r = i + 1; r < n; r++)
			p = fabs(h[r][i]) > fabs(h[p][i]) ? r : p;
		for (size_t k = 0; k < n; k++) {
			double swap = h[i][k];
			h[i][k] = h[p][k], h[p][k] = swap;
		}
		double swap = g[i];
		g[i] = g[p], g[p] = swap;
		for (size_t r = i + 1; r < n; r++) {
			double q = h[r][i] / h[i][i];
			for (size_t k = i; k < n; k++)
				h[r][k] -= q * h[i][k];
			g[r] -= q * g[i];
		}
	}
	for (size_t i = n; i-- > 0;) {
		for (size_t k = i + 1; k < n; k++)
			g[i] -= h[i][k] * g[k];
		g[i] /= h[i][i];
	}
}

/* One step of Newton's method; returns the largest change. */
static double
step_model(struct model *m, int family, int group)
{
	static double h[CLEAN_CUES_MAX + 1][CLEAN_CUES_MAX + 1], g[CLEAN_CUES_MAX + 1];
	size_t n = ncues + 1;
	memset(h, 0, sizeof h);
	memset(g, 0, sizeof g);
	for (size_t i = 0; i < ntexts; i++) {
		const struct text *t = &texts[i];
		size_t on[CLEAN_CUES_MAX + 1], non = 0;
		double z = m->bias;
		if (!is_trained_on(t, family, group))
			continue;
		for (size_t k = 0; k < ncues; k++)
			if ((t->best >> k & 1) != 0 && !cues[k].paired_only) {
				on[non++] = k;
				z += m->w[k];
			}
		on[non++] = ncues;
		double p = 1 / (1 + exp(-z)), e = t->count * (p - (t->family >= 0)), v = t->count * p * (1 - p);
		for (size_t a = 0; a < non; a++) {
			g[on[a]] += e;
			for (size_t b = 0; b < non; b++)
				h[on[a]][on[b]] += v;
		}
	}
	for (size_t k = 0; k < n; k++) {
		g[k] += k < ncues ? ridge * m->w[k] : 0;
		h[k][k] += k < ncues ? ridge : 1e-6;
	}
	solve_equations(h, g, n);
	double largest = 0;
	for (size_t k = 0; k < ncues; k++) {
		m->w[k] = fmax(0, m->w[k] - g[k]);
		largest = fmax(largest, fabs(g[k]));
	}
	m->bias -= g[ncues];
	return largest;
}

static struct model
train_model(int family, int group)
{
	struct model m = { .bias = -4 };
	for (size_t k = 0; k < ncues; k++)
		m.w[k] = cues[k].paired_only ? 0 : .7;
	for (int round = 0; round < ROUNDS; round++) {
		use_weights(&m);
		count_texts(family, group);
		for (int step = 0; step < STEPS && step_model(&m, family, group) > 1e-4; step++)
			;
	}
	return m;
}

/* ---- the report --------------------------------------------------------- */

/* The score that 1 in 2,000 ordinary texts reach by models that did not see their source, or that are flagged without it. */
static int
find_threshold(const struct model models[GROUPS])
{
	int *scores = mem_xcalloc(ntexts, sizeof *scores);
	size_t n = 0;
	for (int g = 0; g < GROUPS; g++) {
		use_weights(&models[g]);
		for (size_t i = 0; i < ntexts; i++) {
			uint64_t classes;
			if (texts[i].ordinary && !texts[i].held && (int)texts[i].group == g)
				scores[n++] = texts[i].paired ? INT_MAX - 1 : score_text(&texts[i], &classes);
		}
	}
	qsort(scores, n, sizeof *scores, compare_rising);
	int threshold = scores[n - 1 - n / ORDINARY_PER_FLAG] + 1;
	free(scores);
	return threshold;
}

struct tally {
	unsigned n, rules, cues, either, english, english_either;
};

static void
count_caught(struct tally *t, int family, const struct model *m, int threshold, bool held)
{
	use_weights(m);
	for (size_t i = 0; i < ntexts; i++) {
		uint64_t classes;
		const struct text *x = &texts[i];
		if (x->family != family || x->held != held)
			continue;
		bool cue = x->paired || score_text(x, &classes) >= threshold;
		t->n++;
		t->rules += x->by_rule;
		t->cues += cue;
		t->either += cue || x->by_rule;
		t->english += x->english;
		t->english_either += x->english && (cue || x->by_rule);
	}
}

static void
print_row(const char *name, const struct tally *t)
{
	printf("#   %-14s %5u   %.2f   %.2f   %.2f   %5u   %.2f\n", name, t->n, (double)t->rules / t->n, (double)t->cues / t->n, (double)t->either / t->n,
	    t->english, t->english > 0 ? (double)t->english_either / t->english : 0);
}

static void
add_tally(struct tally *all, const struct tally *t)
{
	all->n += t->n, all->rules += t->rules, all->cues += t->cues, all->either += t->either;
	all->english += t->english, all->english_either += t->english_either;
}

static void
print_families_left_out(void)
{
	struct tally all = { 0 };
	printf("# Families of attacks, each left out of training (their rules were not):\n"
	    "#   family         texts   rules  cues   both   English both\n");
	for (int f = 0; families[f] != NULL; f++) {
		struct model models[GROUPS], without = train_model(f, -1);
		struct tally t = { 0 };
		for (int g = 0; g < GROUPS; g++)
			models[g] = train_model(f, g);
		count_caught(&t, f, &without, find_threshold(models), false);
		print_row(families[f], &t);
		add_tally(&all, &t);
	}
	print_row("all", &all);
}

static void
print_held_texts(const struct model *m, int threshold)
{
	struct tally all = { 0 };
	unsigned ordinary = 0, flagged = 0, rules = 0;
	printf("#\n# The quarter that took no part:\n#   family         texts   rules  cues   both   English both\n");
	for (int f = 0; families[f] != NULL; f++) {
		struct tally t = { 0 };
		count_caught(&t, f, m, threshold, true);
		print_row(families[f], &t);
		add_tally(&all, &t);
	}
	print_row("all", &all);
	for (size_t i = 0; i < ntexts; i++) {
		uint64_t classes;
		if (!texts[i].ordinary || !texts[i].held)
			continue;
		ordinary++;
		rules += texts[i].by_rule;
		flagged += texts[i].by_rule || texts[i].paired || score_text(&texts[i], &classes) >= threshold;
	}
	printf("#   ordinary texts %u: flagged %u, by rules %u\n", ordinary, flagged, rules);
}

static void
print_table(const struct model *m, int threshold)
{
	printf("#\n# Hundredths.\n");
	use_weights(m);
	for (size_t k = 0; k < ncues; k++)
		printf("%.*s\t%d\n", (int)cues[k].name.n, cues[k].name.p, cues[k].weight);
	printf("threshold\t%d\n", threshold);
}

int
main(int argc, char **argv)
{
	if (argc < 2)
		die("usage: cue-weights DIR [FILE.md ...]");
	struct mem_clean *c = mem_clean_new(0, MEM_MARKERS_FLAG);
	ncues = clean_builtin.ncues;
	memcpy(cues, clean_builtin.cues, ncues * sizeof *cues);
	read_texts(c, mem_arena_printf(&arena, "%s/injection/dev.ndjson", argv[1]));
	read_texts(c, mem_arena_printf(&arena, "%s/injection2/dev.ndjson", argv[1]));
	read_texts(c, "tests/data/markers/indirect.ndjson");
	for (int i = 2; i < argc; i++)
		read_ordinary_file(c, argv[i]);
	printf("# Weights of the classes of cues.yaml, made by scripts/cue-weights.c.  Do not edit: run make cue-weights.\n#\n");
	print_families_left_out();
	struct model models[GROUPS], whole = train_model(-1, -1);
	for (int g = 0; g < GROUPS; g++)
		models[g] = train_model(-1, g);
	int threshold = find_threshold(models);
	use_weights(&whole);
	print_held_texts(&whole, threshold);
	print_table(&whole, threshold);
	mem_clean_free(c);
	mem_arena_release(&arena);
	free(texts);
	return fflush(stdout) == 0 ? 0 : 3;
}
