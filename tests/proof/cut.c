/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rebuilds the file that shim.c watched as it may stand after the power failed behind the K-th record:
 *
 *	cut LOG BASE OUT K SEED [noop]
 *	cut LOG
 *
 * The second form prints the cuts worth looking at, one a line: at every barrier, synced write and receipt, one
 * before and one behind it, and at one in 16 of the others.
 *
 * BASE is the file before the run.  What was written before the last barrier is there, and so is what
 * went through an O_DSYNC descriptor; of the rest each 512 bytes are there or not, by SEED.  The K-th
 * record itself is not finished: its bytes are part of the rest, and a barrier has not come back.
 * Prints the receipts up to there.  Exit 1 when the log has no K-th record.
 *
 * With "noop" no barrier holds anything back and O_DSYNC means nothing: what a store
 * that forgot its barriers would leave.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct head {
	uint64_t type, offset, length;
};

struct write {
	uint64_t offset, length;
	const uint8_t *bytes;
};

static uint8_t *image;
static size_t size, room;
static uint64_t state;

static uint64_t
random64(void)
{
	/* xorshift64* (Vigna, "An experimental exploration of Marsaglia's xorshift generators", 2016) */
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * 0x2545F4914F6CDD1Du;
}

static void
die(const char *what)
{
	perror(what);
	exit(2);
}

static uint8_t *
slurp(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	uint8_t *p = NULL;
	size_t cap = 0, got;
	*n = 0;
	if (f == NULL)
		die(path);
	do {
		cap = cap == 0 ? 1 << 20 : 2 * cap;
		p = realloc(p, cap);
		if (p == NULL)
			die("realloc");
		got = fread(p + *n, 1, cap - *n, f);
		*n += got;
	} while (*n == cap);
	fclose(f);
	return p;
}

static void
put(uint64_t offset, const uint8_t *p, uint64_t n)
{
	if (offset + n > room) {
		size_t more = 2 * (size_t)(offset + n);
		image = realloc(image, more);
		if (image == NULL)
			die("realloc");
		memset(image + room, 0, more - room);
		room = more;
	}
	memcpy(image + offset, p, n);
	if (offset + n > size)
		size = (size_t)(offset + n);
}

/* Each sector by the toss of a coin. */
static void
put_some(const struct write *w)
{
	for (uint64_t at = 0; at < w->length;) {
		uint64_t n = 512 - (w->offset + at) % 512;
		n = n < w->length - at ? n : w->length - at;
		if ((random64() >> 33 & 1) != 0)
			put(w->offset + at, w->bytes + at, n);
		at += n;
	}
}

static void
list_cuts(const uint8_t *log, size_t nlog)
{
	char before = 'B', type = 'B';
	struct head h;
	long k = 1;
	for (size_t at = 0; at + sizeof h <= nlog; k++) {
		memcpy(&h, log + at, sizeof h);
		at += sizeof h + (h.type == 'T' ? 0 : h.length);
		if (k > 1 && (before != 'W' || type != 'W' || h.type != 'W' || (k - 1) % 16 == 0))
			printf("%ld\n", k - 1);
		before = type;
		type = (char)h.type;
	}
	printf("%ld\n", k - 1);
}

int
main(int argc, char **argv)
{
	size_t nlog, npending = 0, cap = 0;
	struct write *pending = NULL;
	if (argc != 2 && argc < 6)
		return 2;
	uint8_t *log = slurp(argv[1], &nlog);
	if (argc == 2) {
		list_cuts(log, nlog);
		free(log);
		return 0;
	}
	image = slurp(argv[2], &size);
	room = size;
	long k = atol(argv[4]), n = 0;
	state = strtoull(argv[5], NULL, 10) * 0x9E3779B97F4A7C15u + (uint64_t)k + 1;
	int noop = argc > 6;
	for (size_t at = 0; n < k && at + sizeof(struct head) <= nlog; n++) {
		struct head h;
		memcpy(&h, log + at, sizeof h);
		const uint8_t *bytes = log + at + sizeof h;
		int last = n + 1 == k;
		at += sizeof h + (h.type == 'T' ? 0 : h.length);
		if (h.type == 'R')
			fwrite(bytes, 1, h.length, stdout);
		else if (h.type == 'S' && !noop && !last)
			put(h.offset, bytes, h.length);
		else if (h.type == 'W' || h.type == 'S') {
			if (npending == cap) {
				cap = cap == 0 ? 64 : 2 * cap;
				pending = realloc(pending, cap * sizeof *pending);
				if (pending == NULL)
					die("realloc");
			}
			pending[npending++] = (struct write){ h.offset, h.length, bytes };
		} else if (h.type == 'B' && !noop && !last) {
			for (size_t i = 0; i < npending; i++)
				put(pending[i].offset, pending[i].bytes, pending[i].length);
			npending = 0;
		} else if (h.type == 'T' && h.length < size)
			size = (size_t)h.length;
	}
	for (size_t i = 0; i < npending; i++)
		put_some(&pending[i]);
	FILE *out = fopen(argv[3], "wb");
	if (out == NULL || fwrite(image, 1, size, out) != size || fclose(out) != 0)
		die(argv[3]);
	free(pending);
	free(image);
	free(log);
	return n < k ? 1 : 0;
}
