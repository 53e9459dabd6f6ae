/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mean vector of each model, of texts and of word pieces: data of the program, so that they are the same for all
 * stores and versions of a model file.  means.txt and piece_means.txt have a line for each: its name, then 384 numbers
 * in millionths.
 */
#include "model/model_int.h"

#include <stdlib.h>

extern const unsigned char mem_data_model_means[], mem_data_model_piece_means[];
static const unsigned char *const data[] = { [MODEL_MEAN_TEXT] = mem_data_model_means, [MODEL_MEAN_PIECE] = mem_data_model_piece_means };

/* Behind "NAME " at the start of a line. */
static const char *
find_mean_line(enum model_mean_of of, const char *name)
{
	const char *p = (const char *)data[of];
	size_t n = strlen(name);
	for (; p != NULL && *p != '\0'; p = strchr(p, '\n'), p += p != NULL)
		if (strncmp(p, name, n) == 0 && p[n] == ' ')
			return p + n;
	return NULL;
}

bool
model_read_mean(enum model_mean_of of, const char *name, float mean[MEM_MODEL_DIMS])
{
	const char *p = find_mean_line(of, name);
	for (size_t i = 0; p != NULL && i < MEM_MODEL_DIMS; i++) {
		char *end;
		long v = strtol(p, &end, 10);
		if (end == p)
			return false;
		mean[i] = (float)v * 1e-6f;
		p = end;
	}
	return p != NULL;
}
