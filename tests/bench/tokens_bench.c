/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast texts become ids, on one thread.
 *
 *	tokens_bench MODELFILE ROUNDS < TEXTS    best seconds of a round, ids of all texts
 *	tokens_bench MODELFILE words             the vocabulary: id, score, word; for a peer
 *
 * A text is a line.  make build/release/bench/tokens_bench
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "model/model_int.h"
#include "token/token_int.h"

static void
die(const char *what)
{
	fprintf(stderr, "tokens_bench: %s\n", what);
	exit(3);
}

/* ---- the vocabulary --------------------------------------------------- */

static void
print_words(const struct mem_tokenizer *t, uint32_t at, char *word, size_t n)
{
	uint32_t value = t->trie.units[at].value;
	if (value != 0)
		printf("%u\t%.9g\t%.*s\n", value - 1, t->scores != NULL ? (double)t->scores[value - 1] : 0, (int)n, word);
	for (int c = 1; c < 256 && n < MEM_WORD_BYTES; c++) {
		uint32_t next = token_trie_step(&t->trie, at, (unsigned char)c);
		word[n] = (char)c;
		if (next != 0)
			print_words(t, next, word, n + 1);
	}
}

/* ---- time ------------------------------------------------------------- */

static double
seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static struct mem_buf
read_all(void)
{
	struct mem_buf b = { 0 };
	ssize_t n;
	do {
		mem_buf_reserve(&b, 65536);
		n = read(STDIN_FILENO, b.data + b.len, 65536);
		b.len += n > 0 ? (size_t)n : 0;
	} while (n > 0);
	return b;
}

static size_t
run(const struct mem_tokenizer *t, struct mem_str text)
{
	uint32_t ids[MEM_MODEL_PLACES];
	bool cut;
	size_t all = 0;
	while (text.n > 0) {
		const char *nl = memchr(text.p, '\n', text.n);
		size_t n = nl != NULL ? (size_t)(nl - text.p) : text.n;
		all += mem_tokenize(t, (struct mem_str){ 0 }, (struct mem_str){ text.p, n }, ids, MEM_COUNT(ids), &cut);
		n += nl != NULL;
		text = (struct mem_str){ text.p + n, text.n - n };
	}
	return all;
}

int
main(int argc, char **argv)
{
	struct mem_model *m;
	struct mem_tokenizer *t;
	struct mem_err err;
	char word[MEM_WORD_BYTES + 1];
	if (argc != 3)
		die("MODELFILE and ROUNDS or 'words' expected");
	if (mem_model_open(&m, argv[1], false, &err) != MEM_OK ||
	    mem_tokenizer_open(&t, mem_model_spec(m)->tokens, model_vocab(m), &err) != MEM_OK)
		die(err.msg);
	if (strcmp(argv[2], "words") == 0) {
		print_words(t, 0, word, 0);
		return fflush(stdout) != 0;
	}
	struct mem_buf texts = read_all();
	double best = 1e9;
	size_t ids = 0;
	for (int i = atoi(argv[2]); i > 0; i--) {
		double from = seconds();
		ids = run(t, mem_buf_span(&texts));
		double spent = seconds() - from;
		best = spent < best ? spent : best;
	}
	printf("%.6f\t%zu\n", best, ids);
	return 0;
}
