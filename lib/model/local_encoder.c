/* SPDX-License-Identifier: Apache-2.0 */
/* An installed model at work: texts to ids to vectors, in batches, by one thread or several. */
#include "model/model_int.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	D = MEM_MODEL_DIMS,
	BATCH = 512,                    /* ids from which on a batch is computed */
	ROWS = BATCH + MEM_MODEL_PLACES,
	FEW = 128,                      /* ids that a smaller room serves: a question, a line */
	THREADS_MAX = 256,
	MARKERS = 2,                    /* before and behind a text */
};

struct model_local {
	struct mem_model *model;
	struct mem_tokenizer *tokenizer;
	struct mem_encoder_info info;
	unsigned threads;
	struct model_forward *forward;  /* of the calling thread, kept from call to call */
	size_t rows;                    /* that it has room for */
	char language[64];              /* of the words that pieces belong to */
	struct mem_analyser *analyser;  /* by it, of the calling thread; made at first need */
	bool pieces_tried, has_pieces;
	float piece_mean[D];
};

/* One call of encode; its threads share it. */
struct encode_job {
	const struct model_local *local;
	struct mem_str prefix;
	const struct mem_str *texts;
	size_t n, share;                /* estimated ids that a thread takes at a time */
	float *out;
	bool *cut;
	struct mem_text_pieces *pieces; /* [n]; NULL: not wanted */
	bool question;
	pthread_mutex_t lock;           /* for the two below */
	size_t next;                    /* the first text that nobody has taken */
	size_t bad;                     /* a text without a vector; n: none */
};

struct encode_worker {
	struct encode_job *job;
	struct model_forward *forward;
	size_t rows;
	size_t first, ntexts, nids;     /* the batch: texts from `first` on */
	uint32_t lengths[ROWS], ids[ROWS];
	struct mem_analyser *analyser;  /* where pieces are wanted, and for these: */
	struct mem_token_places places;
	uint32_t at[MEM_MODEL_PLACES], nkept[ROWS], kept[ROWS], allkept;
	pthread_t thread;
};

/* ---- opening ---------------------------------------------------------- */

enum mem_status
model_local_open(struct model_local **out, const char *name, const char *language, struct mem_err *err)
{
	struct model_local *l = mem_xcalloc(1, sizeof *l);
	enum mem_kernel kernel;
	enum mem_status st = mem_kernel_choose(&kernel, err);
	*out = NULL;
	if (st == MEM_OK)
		st = model_open_named(&l->model, name, err);
	if (st != MEM_OK)
		goto out;
	const struct mem_model_spec *spec = mem_model_spec(l->model);
	const struct mem_model_info *from = mem_model_info(l->model);
	st = model_open_tokenizer(&l->tokenizer, l->model, err);
	if (st != MEM_OK)
		goto out;
	l->threads = 1;
	snprintf(l->language, sizeof l->language, "%s", language);
	l->info = (struct mem_encoder_info){ .dims = D, .weight = spec->weight, .near = spec->near, .latin_alone = spec->latin_alone,
		.mean = model_mean(l->model) };
	size_t before = MARKERS + mem_tokens_count(l->tokenizer, mem_str(spec->text_prefix), NULL);
	l->info.text_max = spec->max_ids > before ? spec->max_ids - before : 1;
	memcpy(l->info.name, from->name, sizeof from->name);
	memcpy(l->info.sha256, from->sha256, sizeof from->sha256);
out:
	if (st == MEM_OK)
		*out = l;
	else
		model_local_close(l);
	return st;
}

void
model_local_close(struct model_local *l)
{
	if (l == NULL)
		return;
	model_forward_free(l->forward);
	mem_analyser_close(l->analyser);
	mem_tokenizer_close(l->tokenizer);
	mem_model_close(l->model);
	free(l);
}

const struct mem_encoder_info *
model_local_info(const struct model_local *l)
{
	return &l->info;
}

const struct mem_tokenizer *
model_local_tokenizer(const struct model_local *l)
{
	return l->tokenizer;
}

/* Those that this process may run on. */
static unsigned
count_usable_cpus(void)
{
	cpu_set_t may;
	int n = sched_getaffinity(0, sizeof may, &may) == 0 ? CPU_COUNT(&may) : 1;
	return n > 0 ? (unsigned)n : 1;
}

void
model_local_set_threads(struct model_local *l, unsigned n)
{
	l->threads = n == 0 ? count_usable_cpus() : n;
	if (l->threads > THREADS_MAX)
		l->threads = THREADS_MAX;
}

/* ---- encoding --------------------------------------------------------- */

/* About how many ids a text has. */
static size_t
estimate_ids(const struct encode_job *j, size_t i)
{
	size_t n = (j->prefix.n + j->texts[i].n) / 4 + 2, max = mem_model_spec(j->local->model)->max_ids;
	return n < max ? n : max;
}

/* Texts in their order, so that what they become lies together. */
static bool
take_texts(struct encode_job *j, size_t *first, size_t *n)
{
	pthread_mutex_lock(&j->lock);
	*first = j->next;
	for (size_t ids = 0; j->next < j->n && ids < j->share && j->bad == j->n; j->next++)
		ids += estimate_ids(j, j->next);
	*n = j->next - *first;
	pthread_mutex_unlock(&j->lock);
	return *n > 0;
}

/* The codes of the pieces that were kept, while the states are there. */
static void
make_batch_codes(struct encode_worker *w)
{
	const struct encode_job *j = w->job;
	const float *states = model_forward_states(w->forward);
	const uint32_t *kept = w->kept;
	for (size_t i = 0; i < w->ntexts; i++) {
		model_make_piece_codes(states, j->local->piece_mean, kept, w->nkept[i], &j->pieces[w->first + i]);
		states += (size_t)w->lengths[i] * D;
		kept += w->nkept[i];
	}
}

static void
compute_batch(struct encode_worker *w)
{
	struct encode_job *j = w->job;
	const struct mem_model *m = j->local->model;
	if (w->nids > w->rows) {
		model_forward_free(w->forward);
		w->rows = w->nids <= FEW ? FEW : ROWS;
		w->forward = model_forward_new(w->rows);
	}
	size_t done = model_encode_ids(w->forward, model_weights(m), mem_model_spec(m)->pool, w->ids, w->lengths,
	    w->ntexts, j->out + w->first * D);
	if (done < w->ntexts) {
		pthread_mutex_lock(&j->lock);
		j->bad = w->first + done;
		pthread_mutex_unlock(&j->lock);
	}
	if (j->pieces != NULL)
		make_batch_codes(w);
	w->first += w->ntexts;
	w->ntexts = w->nids = w->allkept = 0;
}

/* Ids of text i behind those of the batch; how many. */
static size_t
add_text_ids(struct encode_worker *w, size_t i)
{
	const struct encode_job *j = w->job;
	const struct model_local *l = j->local;
	size_t max = mem_model_spec(l->model)->max_ids;
	uint32_t *ids = w->ids + w->nids;
	bool *cut = j->cut != NULL ? &j->cut[i] : NULL;
	if (j->pieces == NULL)
		return mem_tokenize(l->tokenizer, j->prefix, j->texts[i], ids, max, cut);
	w->places.at = w->at;
	size_t n = mem_tokenize_places(l->tokenizer, j->prefix, j->texts[i], ids, max, cut, &w->places);
	size_t kept = model_choose_pieces(w->analyser, &w->places, j->question, w->kept + w->allkept, &j->pieces[i]);
	w->nkept[w->ntexts] = (uint32_t)kept;
	w->allkept += (uint32_t)kept;
	return n;
}

static void *
run_encoder_worker(void *arg)
{
	struct encode_worker *w = arg;
	for (size_t n; take_texts(w->job, &w->first, &n);) {
		for (size_t i = w->first, end = i + n; i < end; i++) {
			size_t len = add_text_ids(w, i);
			w->lengths[w->ntexts++] = (uint32_t)len;
			w->nids += len;
			if (w->nids >= BATCH)
				compute_batch(w);
		}
		if (w->ntexts > 0)
			compute_batch(w);
	}
	mem_buf_release(&w->places.buf);
	return NULL;
}

/* The calling thread works too; where no more can be had it works alone. */
static void
run_workers(struct encode_job *j, struct encode_worker *w, size_t nthreads)
{
	size_t started = 1;
	for (; started < nthreads; started++) {
		w[started].job = j;
		if (j->pieces != NULL && mem_analyser_open(&w[started].analyser, j->local->language, NULL) != MEM_OK)
			break;
		if (pthread_create(&w[started].thread, NULL, run_encoder_worker, &w[started]) != 0)
			break;
	}
	run_encoder_worker(&w[0]);
	for (size_t i = 1; i < started; i++) {
		pthread_join(w[i].thread, NULL);
		model_forward_free(w[i].forward);
		mem_analyser_close(w[i].analyser);
	}
}

bool
model_local_has_pieces(struct model_local *l)
{
	if (!l->pieces_tried) {
		l->pieces_tried = true;
		l->has_pieces = model_read_mean(MODEL_MEAN_PIECE, mem_model_spec(l->model)->name, l->piece_mean) &&
		    mem_analyser_open(&l->analyser, l->language, NULL) == MEM_OK;
	}
	return l->has_pieces;
}

enum mem_status
model_local_encode(struct model_local *l, enum mem_encode_as as, const struct mem_str *texts, size_t n, float **out,
    bool *cut, struct mem_text_pieces *pieces, struct mem_err *err)
{
	const struct mem_model_spec *spec = mem_model_spec(l->model);
	struct encode_job j = {
		.local = l, .texts = texts, .n = n, .cut = cut, .bad = n, .lock = PTHREAD_MUTEX_INITIALIZER,
		.pieces = pieces != NULL && model_local_has_pieces(l) ? pieces : NULL, .question = as == MEM_AS_QUERY,
		.prefix = mem_str(as == MEM_AS_QUERY ? spec->query_prefix : spec->text_prefix),
	};
	*out = NULL;
	if (n > SIZE_MAX / (D * sizeof(float)) || (j.out = mem_try_malloc(n * D * sizeof(float) + 1)) == NULL)
		return mem_err_set(err, MEM_FAIL, "no memory for %zu vectors", n);
	size_t all = 0, nthreads = 1;
	for (size_t i = 0; i < n && l->threads > 1; i++)
		all += estimate_ids(&j, i);
	j.share = BATCH;
	/* In shares so small that all are busy to the end, yet not so small that weights are read for little. */
	if (all > FEW) {
		j.share = all / l->threads / 4 < BATCH ? all / l->threads / 4 + FEW : BATCH;
		nthreads = (all + j.share - 1) / j.share < l->threads ? (all + j.share - 1) / j.share : l->threads;
	}
	struct encode_worker *w = mem_xcalloc(nthreads, sizeof *w);
	w[0].job = &j;
	w[0].analyser = l->analyser;
	w[0].forward = l->forward;
	w[0].rows = l->rows;
	run_workers(&j, w, nthreads);
	l->forward = w[0].forward;
	l->rows = w[0].rows;
	free(w);
	if (j.bad < n) {
		free(j.out);
		if (pieces != NULL)
			mem_text_pieces_release(pieces, n);
		return mem_err_set(err, MEM_FAIL, "the model '%s' makes no vector of text %zu: its weights are damaged; "
		    "install it again", l->info.name, j.bad + 1);
	}
	*out = j.out;
	return MEM_OK;
}
