/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unigram (Kudo, "Subword Regularization", 2018), as SentencePiece has it: of all ways to cut a text into pieces
 * the one whose scores sum highest.
 *
 * Viterbi's path is known only at the end of the text, but its beginning is settled as soon as all paths that
 * may still win share it, which is after a word or two.  So the text goes through a window: it is
 * filled, its starts are worked off as far as the longest piece can be looked up, what is settled leaves at the
 * front.  Only a text that has two ways of equal right for WINDOW bytes (one short syllable, over and over)
 * is decided earlier than by its end.
 */
#include "token/token_int.h"
#include "text/text.h"

#include <stdlib.h>
#include <string.h>

enum { WINDOW = 32768, CHUNK = 1024, BLANK = 0x20, BLANK_MARK = 0x2581 };
#define NO_PLACE UINT32_MAX

/* The best way from the beginning to a place in the window. */
struct unigram_node {
	float score;
	uint32_t id;            /* of its last piece */
	uint32_t from;          /* where that begins; NO_PLACE: nothing leads here */
	bool wanted;            /* settled: on a path that may still win */
};

struct unigram_window {
	const struct mem_tokenizer *t;
	const struct mem_str *part, *end;       /* input that is left, */
	size_t read;                            /* but for this much of *part */
	struct mem_nfc *nfc;
	bool finished;          /* all of the input is in the window */
	bool begun, blank;      /* something was put; a blank was put last */
	bool dropped;           /* something was not put */
	unsigned char *text;    /* [n] rewritten; the pieces that begin in [0, at) have been tried */
	struct unigram_node *nodes; /* [n + 1] */
	size_t at, n, cap;
};

/* ---- filling it ------------------------------------------------------- */

static void
reserve_text(struct unigram_window *w, size_t more)
{
	size_t cap = w->cap > 0 ? w->cap : CHUNK;
	while (cap < w->n + more)
		cap *= 2;
	if (cap == w->cap)
		return;
	w->text = mem_xrealloc(w->text, cap, 1);
	w->nodes = mem_xrealloc(w->nodes, cap + 1, sizeof *w->nodes);
	if (w->cap == 0)
		w->nodes[0] = (struct unigram_node){ .from = 0 };
	w->cap = cap;
}

static void
put_raw_point(struct unigram_window *w, uint32_t c)
{
	reserve_text(w, 4);
	size_t n = mem_utf8_put(w->text + w->n, c == BLANK ? BLANK_MARK : c);
	for (size_t i = 1; i <= n; i++)
		w->nodes[w->n + i] = (struct unigram_node){ .from = NO_PLACE };
	w->n += n;
}

/* A run of blanks is one; there is one at the very beginning. */
static void
put_window_point(struct unigram_window *w, uint32_t c)
{
	if (c == 0 || c >= 0x110000)
		w->dropped = true;
	if (c == 0 || c >= 0x110000 || (c == BLANK && w->blank))
		return;
	if (!w->begun && c != BLANK)
		put_raw_point(w, BLANK);
	put_raw_point(w, c);
	w->begun = true;
	w->blank = c == BLANK;
}

static void
put_rewritten_point(struct unigram_window *w, uint32_t c)
{
	const struct mem_tokenizer *t = w->t;
	uint32_t block = t->page[c >> 7];
	uint32_t at = block < t->nblocks ? t->block[block * 128 + (c & 127)] : 0;
	if (at == 0 || at >= t->nmap) {
		put_window_point(w, c);
		return;
	}
	uint32_t n = t->map[at++];
	w->dropped |= n == 0;
	for (uint32_t i = 0; i < n && i < MEM_WORD_BYTES && at + i < t->nmap; i++)
		put_window_point(w, t->map[at + i]);
}

/* Reads on until there are `want` bytes, or the end. */
static void
fill_window(struct unigram_window *w, size_t want)
{
	uint32_t c;
	while (w->n < want && !w->finished) {
		if (mem_nfc_take(w->nfc, &c)) {
			put_rewritten_point(w, c);
		} else if (w->part == NULL) {
			if (!w->begun)
				put_window_point(w, BLANK);
			w->finished = true;
		} else if (w->part == w->end) {
			mem_nfc_finish(w->nfc);
			w->part = NULL;
		} else if (w->read == w->part->n) {
			w->part++;
			w->read = 0;
		} else {
			w->read += mem_utf8_decode(w->part->p + w->read, w->part->n - w->read, &c);
			mem_nfc_put(w->nfc, c);
		}
	}
}

/* ---- paths ------------------------------------------------------------ */

static inline void
offer_path(struct unigram_node *node, float score, uint32_t id, size_t from)
{
	if (node->from == NO_PLACE || score > node->score)
		*node = (struct unigram_node){ .score = score, .id = id, .from = (uint32_t)from };
}

static size_t
find_point_length(unsigned char first)
{
	return first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/* The pieces that begin at `from`, by growing length, then the unknown one: of equals the first stays. */
static void
try_pieces(struct unigram_window *w, size_t from)
{
	const struct mem_tokenizer *t = w->t;
	float score = w->nodes[from].score;
	size_t end = w->n - from > t->longest ? from + t->longest : w->n;
	uint32_t at = 0;
	for (size_t i = from; i < end && (at = token_trie_step(&t->trie, at, w->text[i])) != 0; i++) {
		uint32_t value = t->trie.units[at].value;
		if (value != 0 && value <= t->n)
			offer_path(&w->nodes[i + 1], score + t->scores[value - 1], value - 1, from);
	}
	size_t n = find_point_length(w->text[from]);
	if (n > w->n - from)
		n = w->n - from;
	offer_path(&w->nodes[from + n], score + t->unknown_score, t->unknown, from);
}

/* Works off the places whose longest piece lies within the window. */
static void
advance_window(struct unigram_window *w)
{
	size_t ahead = w->finished ? 0 : w->t->longest;
	for (; w->at + ahead < w->n; w->at++)
		if (w->nodes[w->at].from != NO_PLACE)
			try_pieces(w, w->at);
}

/* The last place that every path goes through which may still win: 0 when that is only the beginning. */
static size_t
find_settled_place(struct unigram_window *w)
{
	size_t i = w->at + w->t->longest + 4, live = 0;
	if (i > w->n)
		i = w->n;
	for (size_t k = w->at; k <= i; k++) {
		w->nodes[k].wanted = w->nodes[k].from != NO_PLACE;
		live += w->nodes[k].wanted;
	}
	for (; live > 1; i--) {
		if (!w->nodes[i].wanted)
			continue;
		w->nodes[i].wanted = false;
		struct unigram_node *from = &w->nodes[w->nodes[i].from];
		if (from->wanted)
			live--;
		from->wanted = true;
	}
	while (i > 0 && !w->nodes[i].wanted)
		i--;
	w->nodes[i].wanted = false;
	return i;
}

/* The last place before `at` that anything leads to. */
static size_t
find_reached_place(const struct unigram_window *w)
{
	size_t i = w->at;
	while (i > 0 && w->nodes[i].from == NO_PLACE)
		i--;
	return i;
}

/* Puts the ids of the path to `end`; the links of the path are turned round for it. */
static void
put_path_ids(struct unigram_window *w, size_t end, struct token_ids *to)
{
	size_t next = NO_PLACE;
	for (size_t i = end; i > 0;) {
		size_t from = w->nodes[i].from;
		w->nodes[i].from = (uint32_t)next;
		next = i;
		i = from;
	}
	for (size_t from = 0; next != NO_PLACE; from = next, next = w->nodes[next].from) {
		if (w->nodes[next].id == w->t->unknown)
			to->lossy = true;
		token_put_id(to, w->nodes[next].id, to->at != NULL ? (uint32_t)to->read->len : 0);
		if (to->at != NULL)
			mem_buf_put(to->read, w->text + from, next - from);
	}
}

/* Place `by` becomes the beginning. */
static void
shift_window(struct unigram_window *w, size_t by)
{
	w->n -= by;
	w->at = w->at > by ? w->at - by : 0;    /* nothing leads to what lies between */
	memmove(w->text, w->text + by, w->n);
	memmove(w->nodes, w->nodes + by, (w->n + 1) * sizeof *w->nodes);
	w->nodes[0].from = 0;
	for (size_t i = 1; i <= w->n; i++) {
		uint32_t from = w->nodes[i].from;
		w->nodes[i].from = from != NO_PLACE && from >= by ? (uint32_t)(from - by) : NO_PLACE;
	}
}

/* Decides early, and begins again from there. */
static void
force_path(struct unigram_window *w, struct token_ids *to)
{
	size_t end = find_reached_place(w);
	put_path_ids(w, end, to);
	shift_window(w, end);
	for (size_t i = 1; i <= w->n; i++)
		w->nodes[i].from = NO_PLACE;
	w->at = 0;
}

void
token_encode_unigram(const struct mem_tokenizer *t, const struct mem_str *parts, size_t n, struct token_ids *to)
{
	struct unigram_window w = { .t = t, .part = parts, .end = parts + n, .nfc = mem_nfc_new() };
	while (!w.finished && !to->full) {
		fill_window(&w, w.n + CHUNK);
		advance_window(&w);
		size_t end = w.finished ? w.n : find_settled_place(&w);
		if (end == 0 && w.n >= WINDOW) {
			force_path(&w, to);
		} else if (end > 0) {
			put_path_ids(&w, end, to);
			shift_window(&w, end);
		}
	}
	to->lossy |= w.dropped;
	mem_nfc_free(w.nfc);
	free(w.text);
	free(w.nodes);
}
