/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the stage gate: the choice (gate.c), the entropies of a text (gate_entropy.c). */
#ifndef MEM_GATE_INT_H
#define MEM_GATE_INT_H

#include "base/base.h"

/* Counts what a text is made of. */
struct gate_meter;
struct gate_meter *gate_meter_open(void); /* OWNS */
void gate_meter_close(struct gate_meter *m);
/* Bits a character; 0 of no text. */
double gate_char_entropy(struct gate_meter *m, struct mem_str text);
/* Bits a word; *n: how many words there are. */
double gate_word_entropy(struct gate_meter *m, struct mem_str text, size_t *n);
/* The score of gate.h, from 0 to 1, six decimals. */
double gate_entropy_score(struct gate_meter *m, struct mem_str text);
const char *gate_band_name(double score);
bool gate_is_low(double score);

#endif
