/* SPDX-License-Identifier: Apache-2.0 */
/* From a publisher's weights and words to a model file. */
#include "install/install_int.h"
#include "base/digest.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define DIMS        MEM_MODEL_DIMS
#define WEIGHTS_MAX ((uint64_t)1 << 30)
#define VOCAB_MAX   ((size_t)64 << 20)

/* What each part of a block is made of, and the column where that begins. */
static const struct ingredient {
	enum mem_model_part_id part;
	uint32_t column;
	const char *name;
} ingredients[] = {
	{ MEM_QKV, 0, "attention.self.query.weight" },
	{ MEM_QKV, DIMS, "attention.self.key.weight" },
	{ MEM_QKV, 2 * DIMS, "attention.self.value.weight" },
	{ MEM_QKV_BIAS, 0, "attention.self.query.bias" },
	{ MEM_QKV_BIAS, DIMS, "attention.self.key.bias" },
	{ MEM_QKV_BIAS, 2 * DIMS, "attention.self.value.bias" },
	{ MEM_MIX, 0, "attention.output.dense.weight" },
	{ MEM_MIX_BIAS, 0, "attention.output.dense.bias" },
	{ MEM_MIX_NORM, 0, "attention.output.LayerNorm.weight" },
	{ MEM_MIX_NORM_BIAS, 0, "attention.output.LayerNorm.bias" },
	{ MEM_INNER, 0, "intermediate.dense.weight" },
	{ MEM_INNER_BIAS, 0, "intermediate.dense.bias" },
	{ MEM_OUTER, 0, "output.dense.weight" },
	{ MEM_OUTER_BIAS, 0, "output.dense.bias" },
	{ MEM_LAST_NORM, 0, "output.LayerNorm.weight" },
	{ MEM_LAST_NORM_BIAS, 0, "output.LayerNorm.bias" },
};

struct conversion {
	const struct install_make_options *options;
	const struct mem_model_spec *spec;
	struct install_checkpoint source;
	struct mem_model_layout layout;
	const char *name;               /* of the weights, in messages */
	struct mem_buf vocab;           /* the section */
	char sha256[65];
	int fd;
	size_t done;                    /* slots */
};

/* ---- what it is made from --------------------------------------------- */

/* Read, not mapped: what is converted is what was hashed, whoever writes to the file meanwhile. */
static enum mem_status
read_weights_file(const char *path, struct mem_str *out, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	struct stat sb;
	char *p = NULL;
	size_t got = 0;
	/* A FIFO would keep us waiting, whatever signal comes. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return mem_err_sys(err, MEM_FAIL, "cannot open '%s'", path);
	if (fstat(fd, &sb) != 0 || !S_ISREG(sb.st_mode) || (uint64_t)sb.st_size > WEIGHTS_MAX) {
		st = mem_err_set(err, MEM_FAIL, "cannot use the weights '%s': it is not a file of at most %llu MiB", path,
		    (unsigned long long)(WEIGHTS_MAX >> 20));
		goto out;
	}
	p = mem_try_malloc((size_t)sb.st_size + 1);
	if (p == NULL) {
		st = mem_err_set(err, MEM_FAIL, "no memory for the %lld bytes of '%s'", (long long)sb.st_size, path);
		goto out;
	}
	while (got < (size_t)sb.st_size) {
		ssize_t n = read(fd, p + got, (size_t)sb.st_size - got);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			st = n < 0 ? mem_err_sys(err, MEM_FAIL, "cannot read '%s'", path)
			    : mem_err_set(err, MEM_FAIL, "'%s' became shorter while it was read", path);
			goto out;
		}
		got += (size_t)n;
	}
	*out = (struct mem_str){ p, got };
	p = NULL;
out:
	free(p);
	close(fd);
	return st;
}

/* The model that has these weights, or (as_vocab) one that has these words. */
static const struct mem_model_spec *
find_model_by_hash(const char *sha256, bool as_vocab)
{
	const struct mem_model_spec *spec;
	for (size_t i = 0; (spec = mem_model_at(i)) != NULL; i++) {
		for (size_t k = 0; k < MEM_COUNT(spec->sources); k++) {
			const char *is = as_vocab ? spec->sources[k].vocab_sha256 : spec->sources[k].weights_sha256;
			if (is != NULL && strcmp(is, sha256) == 0)
				return spec;
		}
	}
	return NULL;
}

static enum mem_status
identify_model(struct conversion *j, struct mem_err *err)
{
	const struct install_make_options *options = j->options;
	const struct mem_model_spec *is = find_model_by_hash(j->sha256, false);
	j->spec = options->spec != NULL ? options->spec : is;
	if (is != NULL && is != j->spec)
		return mem_err_set(err, MEM_FAIL, "'%s' holds the weights of %s, not of %s", j->name, is->name, j->spec->name);
	if (j->spec == NULL)
		return mem_err_set(err, MEM_FAIL, "'%s' is not known (SHA-256 %s): say which model it is, and that it "
		    "need not be the publisher's", j->name, j->sha256);
	if (is == NULL && !options->unverified)
		return mem_err_set(err, MEM_FAIL, "'%s' is not what the publisher of %s gave out (SHA-256 %s): it is damaged or changed",
		    j->name, j->spec->name, j->sha256);
	return MEM_OK;
}

/* The three English models have the same words, so that the list of any of them serves. */
static enum mem_status
check_vocab(const struct conversion *j, const char *path, struct mem_str text, struct mem_err *err)
{
	char sha256[65];
	mem_digest_text(text, sha256);
	const struct mem_model_spec *is = find_model_by_hash(sha256, true);
	if (j->options->unverified || (is != NULL && is->tokens == j->spec->tokens))
		return MEM_OK;
	return mem_err_set(err, MEM_FAIL, "'%s' is not the vocabulary of %s (SHA-256 %s)", path, j->spec->name, sha256);
}

static bool
find_file_beside(struct mem_buf *path, const char *weights, const char *name)
{
	const char *slash = strrchr(weights, '/'), *last = strrchr(name, '/');
	mem_buf_reset(path);
	mem_buf_put(path, weights, slash != NULL ? (size_t)(slash + 1 - weights) : 0);
	mem_buf_puts(path, last != NULL ? last + 1 : name);
	return access(path->data, F_OK) == 0;
}

/* What was named, else what lies beside the weights under a name that its publishers use. */
static enum mem_status
find_vocab(const struct conversion *j, struct mem_buf *path, struct mem_err *err)
{
	const char *weights = j->options->weights;
	if (j->options->vocab != NULL) {
		mem_buf_puts(path, j->options->vocab);
		return MEM_OK;
	}
	for (size_t k = 0; k < MEM_COUNT(j->spec->sources); k++)
		if (j->spec->sources[k].vocab != NULL && find_file_beside(path, weights, j->spec->sources[k].vocab))
			return MEM_OK;
	if (find_file_beside(path, weights, "vocab.txt") || find_file_beside(path, weights, "tokenizer.json"))
		return MEM_OK;
	return mem_err_set(err, MEM_FAIL, "%s needs a vocabulary, and none lies beside '%s': name it", j->spec->name, j->name);
}

static enum mem_status
pack_wordpiece(struct conversion *j, struct mem_err *err)
{
	struct mem_buf path = { 0 }, text = { 0 };
	const struct mem_str *words;
	size_t n;
	enum mem_status st = find_vocab(j, &path, err);
	const char *name = j->options->vocab_name != NULL ? j->options->vocab_name : path.data;
	if (st == MEM_OK)
		st = mem_file_read(AT_FDCWD, path.data, VOCAB_MAX, &text, err);
	if (st == MEM_OK)
		st = check_vocab(j, name, mem_buf_span(&text), err);
	if (st == MEM_OK)
		st = install_read_words(&words, &n, &j->source.arena, name, mem_buf_span(&text), err);
	if (st == MEM_OK && n != j->spec->vocab)
		st = mem_err_set(err, MEM_FAIL, "cannot use the vocabulary '%s': it has %zu words, %s has %u", name, n,
		    j->spec->name, j->spec->vocab);
	if (st == MEM_OK)
		st = mem_wordpiece_pack(&j->vocab, words, n, err);
	mem_buf_release(&path);
	mem_buf_release(&text);
	return st;
}

static enum mem_status
pack_vocab(struct conversion *j, struct mem_err *err)
{
	const struct install_checkpoint *c = &j->source;
	bool unigram = j->spec->tokens == MEM_TOKENS_UNIGRAM;
	if (unigram != c->brings_words)
		return install_refuse_checkpoint(c, err, "it has not the form that weights of %s have", j->spec->name);
	if (!unigram)
		return pack_wordpiece(j, err);
	if (c->unigram.n > j->spec->vocab)
		return install_refuse_checkpoint(c, err, "it has more pieces than rows for them");
	return mem_unigram_pack(&j->vocab, &c->unigram, err);
}

/* ---- writing it ------------------------------------------------------- */

static enum mem_status
write_bytes_at(const struct conversion *j, const void *p, size_t n, uint64_t at, struct mem_err *err)
{
	for (const char *b = p; n > 0;) {
		ssize_t w = pwrite(j->fd, b, n, (off_t)at);
		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			return mem_err_sys(err, MEM_FAIL, "cannot write '%s'", j->options->to);
		b += w;
		n -= (size_t)w;
		at += (uint64_t)w;
	}
	return MEM_OK;
}

static enum mem_status
finish_slot(struct conversion *j, size_t slot, const void *p, struct mem_err *err)
{
	const struct mem_model_slot *s = &j->layout.slots[slot];
	enum mem_status st = write_bytes_at(j, p, (size_t)s->bytes, s->at, err);
	struct pollfd stop = { .fd = j->options->stop_fd, .events = POLLIN };
	j->done++;
	if (j->options->progress != NULL)
		j->options->progress(j->options->ctx, j->done, j->layout.nslots);
	if (st == MEM_OK && poll(&stop, 1, 0) > 0)
		st = mem_err_set(err, MEM_STOPPED, "interrupted");
	return st;
}

static enum mem_status
write_word_table(struct conversion *j, struct mem_err *err)
{
	const struct install_tensor *t;
	const struct mem_model_spec *spec = j->spec;
	enum mem_model_rows form = mem_model_choose_rows(spec, j->options->precision);
	size_t stride = mem_model_row_bytes(form);
	float *rows = NULL;
	enum mem_status st = install_find_tensor(&t, &j->source, "embeddings.word_embeddings.weight", spec->vocab, DIMS, err);
	if (st != MEM_OK)
		return st;
	if ((form == MEM_ROWS_Q4) != (t->form == INSTALL_TENSOR_Q4))
		return install_refuse_checkpoint(&j->source, err, "its word table has not the form that %s has", spec->name);
	rows = mem_try_malloc((size_t)spec->vocab * DIMS * sizeof *rows);
	unsigned char *packed = mem_try_malloc(spec->vocab * stride);
	if (rows == NULL || packed == NULL)
		st = mem_err_set(err, MEM_FAIL, "no memory for the word table");
	else
		st = install_read_numbers(&j->source, t, rows, err); /* 4-bit rows too: are they finite? */
	if (st == MEM_OK && form != MEM_ROWS_Q4)
		for (size_t i = 0; i < spec->vocab; i++)
			mem_model_pack_row(packed + i * stride, form, rows + i * DIMS);
	if (st == MEM_OK)
		st = finish_slot(j, MEM_SLOT_WORD, form == MEM_ROWS_Q4 ? (const void *)t->bytes.p : packed, err);
	free(rows);
	free(packed);
	return st;
}

static enum mem_status
read_tensor(const struct conversion *j, const char *name, uint32_t rows, uint32_t cols, float *to, struct mem_err *err)
{
	const struct install_tensor *t;
	enum mem_status st = install_find_tensor(&t, &j->source, name, rows, cols, err);
	return st == MEM_OK ? install_read_numbers(&j->source, t, to, err) : st;
}

/* Every text has token type 0, so that its row is added to the positions here. */
static enum mem_status
write_embeddings(struct conversion *j, struct mem_err *err)
{
	float types[2 * DIMS], norm[DIMS];
	float *position = mem_xmalloc(MEM_MODEL_PLACES * DIMS * sizeof *position);
	enum mem_status st = read_tensor(j, "embeddings.position_embeddings.weight", MEM_MODEL_PLACES, DIMS, position, err);
	if (st == MEM_OK)
		st = read_tensor(j, "embeddings.token_type_embeddings.weight", 2, DIMS, types, err);
	for (size_t i = 0; st == MEM_OK && i < MEM_MODEL_PLACES * DIMS; i++)
		position[i] += types[i % DIMS];
	if (st == MEM_OK)
		st = finish_slot(j, MEM_SLOT_POSITION, position, err);
	if (st == MEM_OK)
		st = read_tensor(j, "embeddings.LayerNorm.weight", DIMS, 0, norm, err);
	if (st == MEM_OK)
		st = finish_slot(j, MEM_SLOT_NORM, norm, err);
	if (st == MEM_OK)
		st = read_tensor(j, "embeddings.LayerNorm.bias", DIMS, 0, norm, err);
	if (st == MEM_OK)
		st = finish_slot(j, MEM_SLOT_NORM_BIAS, norm, err);
	free(position);
	return st;
}

/* Puts the ingredients of a part side by side: [in][out], or a vector. */
static enum mem_status
gather_part(const struct conversion *j, unsigned block, enum mem_model_part_id id, float *to, struct mem_err *err)
{
	const struct mem_model_part *part = &mem_model_parts[id];
	const struct install_tensor *t;
	enum mem_status st = MEM_OK;
	uint32_t pieces = 0;
	for (size_t i = 0; i < MEM_COUNT(ingredients); i++)
		pieces += ingredients[i].part == id;
	for (size_t i = 0; st == MEM_OK && i < MEM_COUNT(ingredients); i++) {
		const struct ingredient *g = &ingredients[i];
		char name[96];
		if (g->part != id)
			continue;
		snprintf(name, sizeof name, "encoder.layer.%u.%s", block, g->name);
		st = install_find_tensor(&t, &j->source, name, part->out / pieces, part->matrix ? part->in : 0, err);
		if (st != MEM_OK)
			break;
		st = part->matrix ? install_read_matrix(&j->source, t, to + g->column, part->out, err)
		    : install_read_numbers(&j->source, t, to + g->column, err);
	}
	return st;
}

static enum mem_status
write_model_block(struct conversion *j, unsigned block, struct mem_err *err)
{
	const size_t most = (size_t)DIMS * MEM_MODEL_INNER;
	enum mem_status st = MEM_OK;
	float *plain = mem_xmalloc(most * sizeof *plain);
	void *packed = aligned_alloc(MEM_MODEL_ALIGN, mem_mat_bytes(MEM_F32, DIMS, MEM_MODEL_INNER));
	if (packed == NULL)
		st = mem_err_set(err, MEM_FAIL, "no memory for a matrix");
	for (unsigned i = 0; st == MEM_OK && i < MEM_PARTS; i++) {
		const struct mem_model_part *part = &mem_model_parts[i];
		st = gather_part(j, block, (enum mem_model_part_id)i, plain, err);
		if (st == MEM_OK && part->matrix)
			st = mem_mat_pack(packed, j->options->precision, plain, part->in, part->out, err);
		if (st == MEM_OK)
			st = finish_slot(j, MEM_SLOT_BLOCKS + block * MEM_PARTS + i, part->matrix ? packed : (void *)plain, err);
	}
	free(plain);
	free(packed);
	return st;
}

static enum mem_status
write_model_head(const struct conversion *j, struct mem_model_head *h, struct mem_err *err)
{
	const struct mem_model_layout *l = &j->layout;
	*h = (struct mem_model_head){
		.magic = MEM_MODEL_MAGIC, .version = MEM_MODEL_VERSION, .order = MEM_MODEL_ORDER,
		.bytes = l->bytes, .vocab_at = l->vocab_at, .vocab_bytes = j->vocab.len,
		.precision = (uint32_t)j->options->precision, .nslots = (uint32_t)l->nslots,
		.dims = DIMS, .layers = j->spec->layers, .heads = MEM_MODEL_HEADS, .inner = MEM_MODEL_INNER,
		.places = MEM_MODEL_PLACES, .rows = j->spec->vocab,
	};
	snprintf(h->name, sizeof h->name, "%s", j->spec->name);
	snprintf(h->sha256, sizeof h->sha256, "%s", j->sha256);
	enum mem_status st = write_bytes_at(j, h, sizeof *h, 0, err);
	if (st == MEM_OK)
		st = write_bytes_at(j, l->slots, l->nslots * sizeof l->slots[0], sizeof *h, err);
	return st == MEM_OK ? write_bytes_at(j, j->vocab.data, j->vocab.len, l->vocab_at, err) : st;
}

/* The checksum is that of the bytes as they came back from the file. */
static enum mem_status
seal_file(const struct conversion *j, struct mem_model_head *h, struct mem_err *err)
{
	size_t bytes = (size_t)j->layout.bytes;
	void *map = mmap(NULL, bytes, PROT_READ, MAP_SHARED, j->fd, 0);
	if (map == MAP_FAILED)
		return mem_err_sys(err, MEM_FAIL, "cannot map '%s'", j->options->to);
	h->checksum = mem_model_checksum(map, bytes);
	munmap(map, bytes);
	enum mem_status st = write_bytes_at(j, h, sizeof *h, 0, err);
	struct timespec times[2];
	mem_model_make_stamp(times, h->checksum);
	if (st == MEM_OK && (futimens(j->fd, times) != 0 || fsync(j->fd) != 0))
		st = mem_err_sys(err, MEM_FAIL, "cannot write '%s'", j->options->to);
	/* What was written here and there is in memory by small pages; it is read back by larger ones. */
	(void)posix_fadvise(j->fd, 0, 0, POSIX_FADV_DONTNEED);
	return st;
}

static enum mem_status
write_parts(struct conversion *j, struct mem_err *err)
{
	struct mem_model_head h;
	enum mem_status st = MEM_OK;
	mem_model_make_layout(&j->layout, j->spec, j->options->precision, j->vocab.len);
	if (ftruncate(j->fd, (off_t)j->layout.bytes) != 0)
		st = mem_err_sys(err, MEM_FAIL, "cannot write '%s'", j->options->to);
	if (st == MEM_OK)
		st = write_model_head(j, &h, err);
	if (st == MEM_OK)
		st = write_word_table(j, err);
	if (st == MEM_OK)
		st = write_embeddings(j, err);
	for (unsigned b = 0; st == MEM_OK && b < j->spec->layers; b++)
		st = write_model_block(j, b, err);
	return st == MEM_OK ? seal_file(j, &h, err) : st;
}

/* Beside its place, then renamed: whoever looks sees the old file or the new one. */
static enum mem_status
write_model_file(struct conversion *j, struct mem_err *err)
{
	struct mem_buf tmp = { 0 };
	uint64_t r;
	mem_random(&r, sizeof r);
	mem_buf_printf(&tmp, "%s.%016llx", j->options->to, (unsigned long long)r);
	enum mem_status st = MEM_OK;
	j->fd = open(tmp.data, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (j->fd < 0) {
		st = mem_err_sys(err, MEM_FAIL, "cannot create '%s'", tmp.data);
		goto out;
	}
	st = write_parts(j, err);
	if (close(j->fd) != 0 && st == MEM_OK)
		st = mem_err_sys(err, MEM_FAIL, "cannot write '%s'", tmp.data);
	if (st == MEM_OK)
		st = mem_file_move(AT_FDCWD, tmp.data, j->options->to, err);
	if (st != MEM_OK)
		unlink(tmp.data);
out:
	mem_buf_release(&tmp);
	return st;
}

/* ---- all of it -------------------------------------------------------- */

enum mem_status
install_make_model(struct mem_model_info *out, const struct install_make_options *options, struct mem_err *err)
{
	struct conversion j = { .options = options, .fd = -1, .name = options->weights_name != NULL ? options->weights_name : options->weights };
	struct mem_str file = { 0 };
	enum mem_status st = read_weights_file(options->weights, &file, err);
	if (st != MEM_OK)
		return st;
	mem_digest_text(file, j.sha256);
	st = identify_model(&j, err);
	if (st == MEM_OK)
		st = install_checkpoint_read(&j.source, j.name, file, err);
	if (st == MEM_OK)
		st = pack_vocab(&j, err);
	if (st == MEM_OK)
		st = write_model_file(&j, err);
	if (st == MEM_OK) {
		*out = (struct mem_model_info){ .precision = options->precision, .bytes = j.layout.bytes };
		memcpy(out->sha256, j.sha256, sizeof out->sha256);
		snprintf(out->name, sizeof out->name, "%s", j.spec->name);
	}
	install_checkpoint_release(&j.source);
	mem_buf_release(&j.vocab);
	free((void *)(uintptr_t)file.p);
	return st;
}

enum mem_status
mem_model_convert(const struct mem_model_spec *spec, enum mem_precision precision, const char *weights,
    const char *vocab, const char *to, struct mem_err *err)
{
	struct mem_model_info info;
	struct install_make_options options = {
		.spec = spec, .precision = precision, .weights = weights, .vocab = vocab, .to = to,
		.unverified = true, .stop_fd = -1,
	};
	return install_make_model(&info, &options, err);
}
