/* SPDX-License-Identifier: Apache-2.0 */
/*
 * encoder_bench: a model in a process that stays, on texts from standard input, one a line.
 *
 *	encoder_bench MODEL ids AS                  ids of each text, for a peer
 *	encoder_bench MODEL time AS ROUNDS THREADS [VECTORS]
 *
 * AS is text or query.  `time` encodes all texts at once and prints, tab between them: best seconds of the clock, best
 * seconds of the processor, ids.  VECTORS gets the vectors, float32.  MODEL is a name or a file.
 * make build/release/bench/encoder_bench
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "model/model_int.h"
#include "token/token.h"

static _Noreturn void
die(const char *what)
{
	fprintf(stderr, "encoder_bench: %s\n", what);
	exit(3);
}

static double
seconds(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static struct mem_str *
read_texts(size_t *n)
{
	struct mem_lines in;
	struct mem_line line;
	struct mem_arena *kept = mem_xcalloc(1, sizeof *kept); /* until the process ends */
	struct mem_str *texts = NULL;
	size_t cap = 0;
	mem_lines_init(&in, STDIN_FILENO, MEM_LINE_MAX);
	for (*n = 0; mem_lines_next(&in, &line, NULL) == MEM_OK; ++*n) {
		texts = mem_grow(texts, &cap, *n + 1, sizeof *texts);
		texts[*n] = mem_arena_str(kept, line.text);
	}
	mem_lines_release(&in);
	return texts;
}

static struct mem_str
prefix_of(const struct model_local *l, enum mem_encode_as as)
{
	const struct mem_model_spec *spec = mem_model_find(mem_str(model_local_info(l)->name));
	return mem_str(as == MEM_AS_QUERY ? spec->query_prefix : spec->text_prefix);
}

static size_t
ids_of(const struct model_local *l, enum mem_encode_as as, const struct mem_str *texts, size_t n, bool print)
{
	uint32_t ids[MEM_MODEL_PLACES];
	size_t all = 0, max = mem_model_find(mem_str(model_local_info(l)->name))->max_ids;
	bool cut;
	for (size_t i = 0; i < n; i++) {
		size_t len = mem_tokenize(model_local_tokenizer(l), prefix_of(l, as), texts[i], ids, max, &cut);
		for (size_t k = 0; k < len && print; k++)
			printf("%u%c", ids[k], k + 1 < len ? ' ' : '\n');
		all += len;
	}
	return all;
}

static void
take_time(struct model_local *l, enum mem_encode_as as, const struct mem_str *texts, size_t n, int rounds,
    const char *to)
{
	double wall = 1e9, cpu = 1e9;
	struct mem_err err;
	for (int i = 0; i < rounds; i++) {
		float *v;
		double w = seconds(CLOCK_MONOTONIC), c = seconds(CLOCK_PROCESS_CPUTIME_ID);
		if (model_local_encode(l, as, texts, n, &v, NULL, NULL, &err) != MEM_OK)
			die(err.msg);
		w = seconds(CLOCK_MONOTONIC) - w;
		c = seconds(CLOCK_PROCESS_CPUTIME_ID) - c;
		wall = w < wall ? w : wall;
		cpu = c < cpu ? c : cpu;
		FILE *f = to != NULL && i == 0 ? fopen(to, "w") : NULL;
		if (f != NULL && (fwrite(v, MEM_MODEL_DIMS * sizeof *v, n, f) != n || fclose(f) != 0))
			die("cannot write the vectors");
		free(v);
	}
	printf("%.9f\t%.9f\t%zu\n", wall, cpu, ids_of(l, as, texts, n, false));
}

int
main(int argc, char **argv)
{
	struct model_local *l;
	struct mem_err err;
	size_t n;
	bool timed = argc >= 3 && strcmp(argv[2], "time") == 0;
	if (argc < (timed ? 6 : 4))
		die("usage: encoder_bench MODEL ids AS | MODEL time AS ROUNDS THREADS [VECTORS]");
	mem_link_blas();
	if (model_local_open(&l, argv[1], "english", &err) != MEM_OK)
		die(err.msg);
	enum mem_encode_as as = strcmp(argv[3], "query") == 0 ? MEM_AS_QUERY : MEM_AS_TEXT;
	struct mem_str *texts = read_texts(&n);
	if (timed) {
		model_local_set_threads(l, (unsigned)atoi(argv[5]));
		take_time(l, as, texts, n, atoi(argv[4]), argc > 6 ? argv[6] : NULL);
	} else {
		ids_of(l, as, texts, n, true);
	}
	model_local_close(l);
	free(texts);
	return 0;
}
