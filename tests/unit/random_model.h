/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the random model of tests/data/random-model: weights in the shape of minilm, of whose six blocks two are random
 * and four change nothing, and its words.  The README there says what each number is; vectors.py computes
 * the same ones.  C library only, so that tests of commands compile it, too.
 */
#ifndef RANDOM_MODEL_H
#define RANDOM_MODEL_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RM_DIMS = 384, RM_INNER = 1536, RM_PLACES = 512, RM_ROWS = 30522, RM_RANDOM_ROWS = 1536, RM_BLOCKS = 6,
	RM_RANDOM_BLOCKS = 2 };

struct random_tensor {
	char name[96];
	unsigned rows, cols;    /* cols 0: a vector */
	unsigned filled;        /* rows that are written; the others are zero */
	unsigned shift;         /* numbers are divided by 2^shift */
	int about_one;          /* a weight of a norm */
	int random;
};

/* ---- numbers ---------------------------------------------------------- */

/* -1024 to 1023: the finaliser of MurmurHash3 (Appleby) over a counter. */
static inline int
random_mixed(uint32_t seed, uint32_t i)
{
	uint32_t h = i + seed * 0x9e3779b9u;
	h = (h ^ h >> 16) * 0x85ebca6bu;
	h = (h ^ h >> 13) * 0xc2b2ae35u;
	h ^= h >> 16;
	return (int)(h >> 21) - 1024;
}

/* k / 2^shift as a half float (IEEE 754 binary16), which is exact for |k| < 2048 and shift < 15. */
static inline uint16_t
random_half(int k, unsigned shift)
{
	unsigned m = (unsigned)abs(k), exponent = 25 - shift;
	if (k == 0)
		return 0;
	for (; m < 1024; m <<= 1)
		exponent--;
	return (uint16_t)((k < 0 ? 0x8000u : 0) | exponent << 10 | (m & 1023));
}

static inline uint16_t
random_number(const struct random_tensor *t, uint32_t seed, uint32_t i)
{
	int k = t->random ? random_mixed(seed, i) : 0;
	if (t->about_one)
		return random_half(1024 + (k + 1024) / 4 - 256, 10);
	return random_half(k, t->shift);
}

/* ---- tensors ---------------------------------------------------------- */

static inline void
random_add(struct random_tensor **at, const char *name, unsigned rows, unsigned cols, unsigned shift, int random)
{
	struct random_tensor *t = (*at)++;
	*t = (struct random_tensor){ .rows = rows, .cols = cols, .filled = random ? rows : 0, .shift = shift, .random = random };
	snprintf(t->name, sizeof t->name, "%s", name);
}

static inline void
random_add_norm(struct random_tensor **at, const char *name, int random)
{
	char full[96];
	snprintf(full, sizeof full, "%s.weight", name);
	random_add(at, full, RM_DIMS, 0, 10, random);
	(*at)[-1].about_one = 1;
	(*at)[-1].filled = RM_DIMS;
	snprintf(full, sizeof full, "%s.bias", name);
	random_add(at, full, RM_DIMS, 0, 13, random);
}

/* In the order that numbers them from 1; returns how many. */
static inline size_t
random_tensors(struct random_tensor *t)
{
	static const struct { const char *name; unsigned rows, cols, shift; } parts[] = {
		{ "attention.self.query", RM_DIMS, RM_DIMS, 13 }, { "attention.self.key", RM_DIMS, RM_DIMS, 13 },
		{ "attention.self.value", RM_DIMS, RM_DIMS, 13 }, { "attention.output.dense", RM_DIMS, RM_DIMS, 13 },
		{ "intermediate.dense", RM_INNER, RM_DIMS, 13 }, { "output.dense", RM_DIMS, RM_INNER, 14 },
	};
	struct random_tensor *at = t;
	char name[80];
	random_add(&at, "embeddings.word_embeddings.weight", RM_ROWS, RM_DIMS, 10, 1);
	at[-1].filled = RM_RANDOM_ROWS;
	random_add(&at, "embeddings.position_embeddings.weight", RM_PLACES, RM_DIMS, 11, 1);
	random_add(&at, "embeddings.token_type_embeddings.weight", 2, RM_DIMS, 11, 1);
	random_add_norm(&at, "embeddings.LayerNorm", 1);
	for (unsigned b = 0; b < RM_BLOCKS; b++) {
		int random = b < RM_RANDOM_BLOCKS;
		for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
			snprintf(name, sizeof name, "encoder.layer.%u.%s.weight", b, parts[i].name);
			random_add(&at, name, parts[i].rows, parts[i].cols, parts[i].shift, random);
			snprintf(name, sizeof name, "encoder.layer.%u.%s.bias", b, parts[i].name);
			random_add(&at, name, parts[i].rows, 0, 13, random);
		}
		snprintf(name, sizeof name, "encoder.layer.%u.attention.output.LayerNorm", b);
		random_add_norm(&at, name, random);
		snprintf(name, sizeof name, "encoder.layer.%u.output.LayerNorm", b);
		random_add_norm(&at, name, random);
	}
	return (size_t)(at - t);
}

static inline size_t
random_row_numbers(const struct random_tensor *t)
{
	return t->cols > 0 ? t->cols : 1;
}

/* ---- files ------------------------------------------------------------ */

static inline void
random_write_numbers(FILE *f, const struct random_tensor *t, uint32_t seed)
{
	size_t n = t->filled * random_row_numbers(t);
	unsigned char *bytes = malloc(2 * n + 1);
	for (size_t i = 0; bytes != NULL && i < n; i++) {
		uint16_t h = random_number(t, seed, (uint32_t)i);
		bytes[2 * i] = (unsigned char)h;
		bytes[2 * i + 1] = (unsigned char)(h >> 8);
	}
	if (bytes != NULL)
		fwrite(bytes, 2, n, f);
	free(bytes);
}

/* A safetensors file; what is zero is a hole in it.  0, or -1: it could not be written. */
static inline int
random_write_weights(const char *path)
{
	struct random_tensor *t = calloc(128, sizeof *t);
	FILE *f = fopen(path, "wb");
	char *json = calloc(128, 160);
	size_t n, len = 0, at = 0;
	if (t == NULL || f == NULL || json == NULL)
		return -1;
	n = random_tensors(t);
	for (size_t i = 0; i < n; i++) {
		size_t bytes = 2 * t[i].rows * random_row_numbers(&t[i]);
		char cols[16] = "";
		if (t[i].cols > 0)
			snprintf(cols, sizeof cols, ",%u", t[i].cols);
		len += (size_t)sprintf(json + len, "%s\"%s\":{\"dtype\":\"F16\",\"shape\":[%u%s],\"data_offsets\":[%zu,%zu]}",
		    i == 0 ? "{" : ",", t[i].name, t[i].rows, cols, at, at + bytes);
		at += bytes;
	}
	len += (size_t)sprintf(json + len, "}");
	for (unsigned i = 0; i < 8; i++)
		fputc((int)((uint64_t)len >> 8 * i & 255), f);
	fwrite(json, 1, len, f);
	for (size_t i = 0, to = 8 + len; i < n; i++) {
		fseek(f, (long)to, SEEK_SET);
		random_write_numbers(f, &t[i], (uint32_t)i + 1);
		to += 2 * t[i].rows * random_row_numbers(&t[i]);
	}
	int failed = fflush(f) != 0 || ftruncate(fileno(f), (off_t)(8 + len + at)) != 0;
	failed |= fclose(f) != 0;
	free(json);
	free(t);
	return failed ? -1 : 0;
}

/* vocab.txt: marks, what stands alone, what goes on, and words that no text has. */
static inline int
random_write_words(const char *path)
{
	static const char *const marks[] = { "[UNK]", "[CLS]", "[SEP]", "[MASK]" };
	static const char signs[] = ".,?!'-:;()", plain[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	FILE *f = fopen(path, "w");
	int id = 0;
	if (f == NULL)
		return -1;
	fprintf(f, "[PAD]\n");
	for (id = 1; id < 100; id++)
		fprintf(f, "[unused%d]\n", id);
	for (size_t i = 0; i < 4; i++, id++)
		fprintf(f, "%s\n", marks[i]);
	for (size_t i = 0; signs[i] != '\0'; i++, id++)
		fprintf(f, "%c\n", signs[i]);
	for (unsigned on = 0; on < 2; on++)
		for (size_t i = 0; plain[i] != '\0'; i++, id++)
			fprintf(f, "%s%c\n", on ? "##" : "", plain[i]);
	/* Pairs go on only if they begin with one of the first thirteen letters. */
	for (unsigned on = 0; on < 2; on++)
		for (char a = 'a'; a <= (on ? 'm' : 'z'); a++)
			for (char b = 'a'; b <= 'z'; b++, id++)
				fprintf(f, "%s%c%c\n", on ? "##" : "", a, b);
	for (; id < RM_ROWS; id++)
		fprintf(f, "[unused%d]\n", id);
	return fclose(f) == 0 ? 0 : -1;
}

#endif
