/* SPDX-License-Identifier: Apache-2.0 */
/* Words of texts that a misspelt one may mean. */
#include "text/near_word.h"

#include <stdlib.h>

#include "text/text.h"

enum {
	LETTERS_MIN = 4, LETTERS_MAX = 32,
	LONGER_MIN = 5,  /* letters of the longer word for one edit */
	TWO_EDITS = 8,   /* and for two */
	KEPT_MAX = 64,   /* different near words; later ones are not counted */
};

struct letters {
	uint32_t v[LETTERS_MAX];
	size_t n;
};
struct near_word {
	struct mem_str text;
	size_t edits, longer, count;
};
struct mem_near_words {
	struct letters asked;
	struct near_word v[KEPT_MAX];
	size_t n;
	struct mem_arena arena; /* their texts */
	struct mem_buf folded;
};

/* False: it has too few letters or too many, or characters that are none. */
static bool
read_letters(struct letters *out, struct mem_str word)
{
	out->n = 0;
	for (size_t at = 0; at < word.n; out->n++) {
		uint32_t c;
		at += mem_utf8_decode(word.p + at, word.n - at, &c);
		if (out->n == LETTERS_MAX || (c < 0x80 && (unsigned)(c - 'a') >= 26))
			return false;
		out->v[out->n] = c;
	}
	return out->n >= LETTERS_MIN;
}

static size_t
count_edits_allowed(size_t longer)
{
	return longer >= TWO_EDITS ? 2 : longer >= LONGER_MIN;
}

/* The edits between two words; rows are those of a, two before the present one for exchanged neighbours. */
static unsigned
count_edits(const struct letters *a, const struct letters *b)
{
	unsigned rows[3][LETTERS_MAX + 1];
	for (unsigned j = 0; j <= b->n; j++)
		rows[0][j] = j;
	for (unsigned i = 1; i <= a->n; i++) {
		unsigned *row = rows[i % 3], *before = rows[(i + 2) % 3], *two = rows[(i + 1) % 3];
		row[0] = i;
		for (size_t j = 1; j <= b->n; j++) {
			unsigned best = before[j - 1] + (a->v[i - 1] != b->v[j - 1]);
			best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
			best = before[j] + 1 < best ? before[j] + 1 : best;
			if (i > 1 && j > 1 && a->v[i - 1] == b->v[j - 2] && a->v[i - 2] == b->v[j - 1] && two[j - 2] + 1 < best)
				best = two[j - 2] + 1;
			row[j] = best;
		}
	}
	return rows[a->n % 3][b->n];
}

struct mem_near_words *
mem_near_words_new(struct mem_str word)
{
	struct letters asked;
	if (!read_letters(&asked, word))
		return NULL;
	struct mem_near_words *w = mem_xcalloc(1, sizeof *w);
	w->asked = asked;
	return w;
}

void
mem_near_words_free(struct mem_near_words *w)
{
	if (w == NULL)
		return;
	mem_arena_release(&w->arena);
	mem_buf_release(&w->folded);
	free(w);
}

static void
keep_near_word(struct mem_near_words *w, struct mem_str word, size_t edits, size_t longer)
{
	for (size_t i = 0; i < w->n; i++) {
		if (mem_str_cmp(word, w->v[i].text) == 0) {
			w->v[i].count++;
			return;
		}
	}
	if (w->n < KEPT_MAX)
		w->v[w->n++] = (struct near_word){ mem_arena_str(&w->arena, word), edits, longer, 1 };
}

/* `word` as it stands in the text. */
static void
look_at_word(struct mem_near_words *w, struct mem_str word)
{
	struct letters found;
	const size_t reach = 2;
	if (word.n + reach < w->asked.n || word.n > 4 * (w->asked.n + reach))
		return;
	mem_buf_reset(&w->folded);
	mem_text_fold(&w->folded, word);
	struct mem_str folded = mem_buf_span(&w->folded);
	if (!read_letters(&found, folded) || found.v[0] != w->asked.v[0])
		return;
	size_t longer = found.n > w->asked.n ? found.n : w->asked.n, allowed = count_edits_allowed(longer);
	if (longer - (found.n + w->asked.n - longer) > allowed)
		return;
	size_t edits = count_edits(&w->asked, &found);
	if (edits > 0 && edits <= allowed)
		keep_near_word(w, folded, edits, longer);
}

void
mem_near_words_read(struct mem_near_words *w, struct mem_str text)
{
	size_t from = 0, at = 0;
	bool within = false;
	while (at < text.n) {
		uint32_t c;
		size_t n = mem_utf8_decode(text.p + at, text.n - at, &c);
		bool word = mem_char_is_word(c);
		if (word && !within)
			from = at;
		if (!word && within)
			look_at_word(w, (struct mem_str){ text.p + from, at - from });
		within = word;
		at += n;
	}
	if (within)
		look_at_word(w, (struct mem_str){ text.p + from, at - from });
}

struct mem_str
mem_near_words_best(const struct mem_near_words *w, double *likeness)
{
	const struct near_word *best = NULL;
	for (size_t i = 0; i < w->n; i++) {
		const struct near_word *v = &w->v[i];
		if (best == NULL || v->edits < best->edits || (v->edits == best->edits && (v->count > best->count ||
		    (v->count == best->count && mem_str_cmp(v->text, best->text) < 0))))
			best = v;
	}
	*likeness = best != NULL ? 1 - (double)best->edits / (double)best->longer : 0;
	return best != NULL ? best->text : MEM_STR("");
}
