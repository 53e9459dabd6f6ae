/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Model files.  The input is changes to a sound one of minilm whose numbers are all zero (each three bytes of place,
 * then one of value, most of them in the head and the directory), behind one byte: its low bit says whether the file
 * ends where the last place is.  What opens can be read to its last byte.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/model_int.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct mem_model_layout layout;

static void
put(int fd, const void *p, size_t n, uint64_t at)
{
	if (pwrite(fd, p, n, (off_t)at) != (ssize_t)n)
		abort();
}

static int
sound(void)
{
	const struct mem_model_spec *spec = mem_model_find(MEM_STR("minilm"));
	struct mem_model_head h = { .magic = MEM_MODEL_MAGIC, .version = MEM_MODEL_VERSION, .order = MEM_MODEL_ORDER,
		.name = "minilm", .precision = MEM_I8, .dims = MEM_MODEL_DIMS, .layers = spec->layers,
		.heads = MEM_MODEL_HEADS, .inner = MEM_MODEL_INNER, .places = MEM_MODEL_PLACES, .rows = spec->vocab };
	int fd = memfd_create("model", MFD_CLOEXEC);
	mem_model_make_layout(&layout, spec, MEM_I8, 100);
	h.nslots = (uint32_t)layout.nslots;
	h.bytes = layout.bytes;
	h.vocab_at = layout.vocab_at;
	h.vocab_bytes = 100;
	memset(h.sha256, '0', 64);
	if (fd < 0 || ftruncate(fd, (off_t)layout.bytes) != 0)
		abort();
	put(fd, &h, sizeof h, 0);
	put(fd, layout.slots, layout.nslots * sizeof layout.slots[0], sizeof h);
	return fd;
}

static void
look(const void *p, size_t n)
{
	const volatile unsigned char *bytes = p;
	(void)bytes[0];
	(void)bytes[n - 1];
}

static void
read_all(const struct mem_model *m)
{
	const struct model_weights *w = model_weights(m);
	float row[MEM_MODEL_DIMS];
	model_read_row(&w->word, w->word.rows - 1, row);
	look(w->position, sizeof(float) * MEM_MODEL_PLACES * MEM_MODEL_DIMS);
	look(w->norm.bias, sizeof row);
	for (unsigned b = 0; b < w->nblocks; b++) {
		const struct model_block *k = &w->block[b];
		const struct model_linear *l[] = { &k->qkv, &k->mix, &k->inner, &k->outer };
		for (size_t i = 0; i < MEM_COUNT(l); i++) {
			look(l[i]->w.packed, mem_mat_bytes(l[i]->w.precision, l[i]->w.in, l[i]->w.out));
			look(l[i]->bias, sizeof(float) * l[i]->w.out);
		}
		look(k->norm.bias, sizeof row);
		look(k->mix_norm.weight, sizeof row);
	}
	struct mem_str vocab = model_vocab(m);
	if (vocab.n > 0)
		look(vocab.p, vocab.n);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mem_model *m;
	struct mem_err err = { 0 };
	struct mem_model_head h;
	char path[32];
	size_t at = 0;
	if (size == 0)
		return 0;
	int fd = sound();
	for (size_t i = 1; i + 4 <= size; i += 4) {
		at = ((size_t)(data[i] & 0x3f) << 16 | (size_t)data[i + 1] << 8 | data[i + 2]) % layout.bytes;
		put(fd, &data[i + 3], 1, data[i] & 0x40 ? at : at % (layout.vocab_at + 100));
	}
	if ((data[0] & 1) != 0 && ftruncate(fd, (off_t)at) != 0)
		abort();
	/* Its time says that the checksum is right: shape is all that is looked at. */
	if (pread(fd, &h, sizeof h, 0) == sizeof h) {
		struct timespec times[2];
		mem_model_make_stamp(times, h.checksum);
		if (futimens(fd, times) != 0)
			abort();
	}
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (mem_model_open(&m, path, false, &err) == MEM_OK)
		read_all(m);
	else if (strstr(err.msg, path) == NULL)
		abort();
	mem_model_close(m);
	close(fd);
	return 0;
}
