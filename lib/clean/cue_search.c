/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cues: words that are ordinary each by itself, and that orders to a model have close together.
 *
 * The automaton finds them with the rules' literals.  Of each class that stands in a window of 240 characters the weight
 * is added once; a window that reaches the threshold is flagged, from its first cue to its last.  It is a linear
 * classifier of bags of classes, whose score of a text is that of its best window (multiple-instance learning, Dietterich
 * et al., 1997); scripts/cue-weights makes the weights.
 *
 * A short order in indirect words has too few of them for a sum.  Some classes tell by standing together what neither tells:
 * that what "you were told" is "void" is nothing that people write to each other.  Two such in 100 characters are flagged.
 * Others tell only by three, as who sends what away and where to; they have to stand in one sentence.
 */
#include "clean/cue_int.h"

#include <ctype.h>
#include <string.h>

#define PARTNER_MAX   64 /* cues before one that are looked at */
#define CHARACTER_MAX 4  /* bytes of a character */

const struct clean_rule clean_cue_rule = { .name = { "order_cues", sizeof "order_cues" - 1 } };
const struct clean_rule clean_encoded_rule = { .name = { "encoded_order", sizeof "encoded_order" - 1 } };

/* ---- words -------------------------------------------------------------- */

/* ASCII letters and digits, and all letters of alphabets; not the scripts that write no blanks (from U+2E80 on). */
static bool
is_word_byte(unsigned char c)
{
	return isalnum(c) != 0 || (c >= 0xc3 && c < 0xe2);
}

/* The byte before `at` belongs to a letter of an alphabet. */
static bool
follows_letter(struct mem_str text, size_t at)
{
	size_t i = at;
	while (i > 0 && at - i < 3 && ((unsigned char)text.p[i - 1] & 0xc0) == 0x80)
		i--;
	return i > 0 && is_word_byte((unsigned char)text.p[i - 1]);
}

/* In "data:image/png;base64,…": how a picture is written, and no word of an order. */
static bool
is_coding_of_data(struct mem_str text, size_t start, size_t end)
{
	return start > 0 && text.p[start - 1] == ';' && end < text.n && text.p[end] == ',';
}

void
clean_cue_add(struct mem_clean *c, const struct clean_set *set, const struct clean_output *out, struct mem_str text, size_t end)
{
	unsigned which = out->rule - (unsigned)set->n;
	size_t start = end - out->length;
	if (is_word_byte((unsigned char)text.p[start]) && follows_letter(text, start))
		return;
	if (which % 2 == 0 && follows_letter(text, end) && end < text.n && is_word_byte((unsigned char)text.p[end]))
		return;
	if (is_coding_of_data(text, start, end))
		return;
	c->cues = mem_grow(c->cues, &c->cues_cap, c->ncues + 1, sizeof *c->cues);
	c->cues[c->ncues++] = (struct clean_cue_hit){ (uint32_t)start, (uint32_t)end, which / 2 };
}

/* ---- windows ------------------------------------------------------------ */

/* The cues of one window: how often each class stands in it, and the sum of their weights. */
struct cue_window {
	const struct clean_cue_hit *hits;
	const struct clean_cue *cues;
	struct mem_str text;
	size_t first;            /* the window's first cue */
	size_t characters;       /* from its start to `at` */
	size_t at;
	uint32_t count[CLEAN_CUES_MAX];
	int sum;
};

static size_t
count_window_characters(struct mem_str s, size_t from, size_t to)
{
	size_t n = 0;
	for (size_t i = from; i < to; i++)
		n += ((unsigned char)s.p[i] & 0xc0) != 0x80;
	return n;
}

static void
drop_first_cue(struct cue_window *w)
{
	const struct clean_cue_hit *h = &w->hits[w->first++];
	if (--w->count[h->class] == 0)
		w->sum -= w->cues[h->class].weight;
	if (w->hits[w->first].start > h->start) {
		size_t to = w->hits[w->first].start < w->at ? w->hits[w->first].start : w->at;
		w->characters -= to > h->start ? count_window_characters(w->text, h->start, to) : 0;
	} else {
		/* Of two that end apart the longer may begin before: it only makes the window a little wider. */
		w->characters += count_window_characters(w->text, w->hits[w->first].start, h->start);
	}
}

/* The window that ends with cue i. */
static void
take_cue(struct cue_window *w, size_t i)
{
	const struct clean_cue_hit *h = &w->hits[i];
	if (w->first == i) {
		w->characters = count_window_characters(w->text, h->start, h->end);
		w->at = h->end;
	} else if (h->end > w->at) {
		w->characters += count_window_characters(w->text, w->at, h->end);
		w->at = h->end;
	}
	if (w->count[h->class]++ == 0)
		w->sum += w->cues[h->class].weight;
	while (w->first < i && w->characters > CLEAN_CUE_WINDOW)
		drop_first_cue(w);
}

int
clean_cues_sum(const struct clean_cue_hit *hits, size_t n, struct mem_str text, const struct clean_cue *cues, uint64_t *classes)
{
	struct cue_window w = { .hits = hits, .cues = cues, .text = text };
	int best = -1;
	*classes = 0;
	for (size_t i = 0; i < n; i++) {
		take_cue(&w, i);
		if (w.sum <= best)
			continue;
		best = w.sum;
		*classes = 0;
		for (unsigned k = 0; k < CLEAN_CUES_MAX; k++)
			*classes |= w.count[k] > 0 ? UINT64_C(1) << k : 0;
	}
	return best < 0 ? 0 : best;
}

static void
add_cue_span(struct mem_clean *c, const struct mem_view *view, size_t start, size_t end, const struct clean_rule *rule)
{
	if (c->inner != NULL && (mem_view_splits(c->inner, start) || mem_view_splits(c->inner, end)))
		return;
	mem_view_source(view, &start, &end);
	if (start == end)
		return;
	c->spans = mem_grow(c->spans, &c->spans_cap, c->nspans + 1, sizeof *c->spans);
	c->spans[c->nspans++] = (struct clean_span){ .start = start, .end = end, .match_end = end, .length = end - start,
	    .rule = c->decoded ? &clean_encoded_rule : rule, .order = SIZE_MAX };
}

size_t
clean_cues_partner(const struct clean_cue_hit *hits, size_t i, struct mem_str text, const struct clean_cue *cues)
{
	const struct clean_cue_hit *h = &hits[i];
	uint64_t with = cues[h->class].with;
	for (size_t k = i; with != 0 && k-- > 0 && i - k <= PARTNER_MAX;) {
		if (hits[k].end + CHARACTER_MAX * CLEAN_PAIR_WINDOW < h->start)
			break;
		if ((with >> hits[k].class & 1) != 0 && hits[k].end <= h->start &&
		    count_window_characters(text, hits[k].start, h->end) <= CLEAN_PAIR_WINDOW)
			return k;
	}
	return i;
}

/* ---- together ------------------------------------------------------------ */

/* Does a sentence end within [from, to)? */
static bool
has_sentence_end(struct mem_str s, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		char ch = s.p[i];
		if (ch == '\n' || ((ch == '.' || ch == '!' || ch == '?') && i + 1 < to && s.p[i + 1] == ' '))
			return true;
		if (to - i >= 3 && (memcmp(s.p + i, "\xe3\x80\x82", 3) == 0)) /* 。 */
			return true;
	}
	return false;
}

/* Where the cues up to `i` begin that have each of the classes once, the last of each; SIZE_MAX: they are too far apart, or one is not there. */
static size_t
find_together_start(const struct mem_clean *c, size_t i, uint64_t classes, struct mem_str text)
{
	size_t end = c->cues[i].end, first = i;
	for (size_t k = i + 1; k-- > 0 && classes != 0 && end < c->cues[k].start + CHARACTER_MAX * CLEAN_TOGETHER_WINDOW;) {
		uint64_t bit = UINT64_C(1) << c->cues[k].class;
		first = (classes & bit) != 0 && c->cues[k].start < c->cues[first].start ? k : first;
		classes &= ~bit;
	}
	size_t start = c->cues[first].start;
	if (classes != 0 || count_window_characters(text, start, end) > CLEAN_TOGETHER_WINDOW || has_sentence_end(text, start, end))
		return SIZE_MAX;
	return start;
}

static void
flag_together(struct mem_clean *c, const struct clean_together *t, const struct mem_view *view)
{
	size_t start = 0, end = 0;
	for (size_t i = 0; i < c->ncues; i++) {
		if (((t->classes & ~t->inner) >> c->cues[i].class & 1) == 0)
			continue;
		size_t from = find_together_start(c, i, t->classes, view->text);
		if (from == SIZE_MAX)
			continue;
		/* Those that overlap are one text. */
		if (from >= end) {
			if (end > 0)
				add_cue_span(c, view, start, end, &t->rule);
			start = from;
		}
		start = from < start ? from : start;
		end = c->cues[i].end;
	}
	if (end > 0)
		add_cue_span(c, view, start, end, &t->rule);
}

/* ---- flags --------------------------------------------------------------- */

/* Can any window reach the threshold, can any two classes stand with each other?  Returns the classes that there are. */
static uint64_t
look_at_classes(const struct mem_clean *c, const struct clean_set *set, bool *may_reach, bool *may_pair)
{
	uint64_t seen = 0;
	int sum = 0;
	for (size_t i = 0; i < c->ncues; i++) {
		uint64_t bit = UINT64_C(1) << c->cues[i].class;
		sum += (seen & bit) == 0 ? set->cues[c->cues[i].class].weight : 0;
		seen |= bit;
	}
	*may_reach = set->threshold > 0 && sum >= set->threshold;
	*may_pair = false;
	for (size_t k = 0; k < set->ncues && !*may_pair; k++)
		*may_pair = (seen >> k & 1) != 0 && (set->cues[k].with & seen) != 0;
	return seen;
}

void
clean_cues_flag(struct mem_clean *c, const struct clean_set *set, const struct mem_view *view)
{
	size_t start = 0, end = 0;
	struct cue_window w = { .hits = c->cues, .cues = set->cues, .text = view->text };
	bool reach, pair;
	uint64_t seen = look_at_classes(c, set, &reach, &pair);
	for (size_t k = 0; k < set->ntogether; k++)
		if ((set->together[k].classes & ~seen) == 0)
			flag_together(c, &set->together[k], view);
	for (size_t i = 0; (reach || pair) && i < c->ncues; i++) {
		if (reach)
			take_cue(&w, i);
		size_t first = reach && w.sum >= set->threshold ? w.first : pair ? clean_cues_partner(c->cues, i, view->text, set->cues) : i;
		if (first == i)
			continue;
		/* Windows that touch are one text. */
		if (c->cues[first].start > end || end == 0) {
			if (end > start)
				add_cue_span(c, view, start, end, &clean_cue_rule);
			start = c->cues[first].start;
		}
		start = c->cues[first].start < start ? c->cues[first].start : start;
		end = c->cues[i].end;
	}
	if (end > start)
		add_cue_span(c, view, start, end, &clean_cue_rule);
	c->ncues = 0;
}
