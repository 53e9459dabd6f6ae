/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of base share. */
#ifndef MEM_BASE_INT_H
#define MEM_BASE_INT_H

#include "base/base.h"

#include <signal.h>

/* The process group of the child that runs; 0: none does. */
extern volatile sig_atomic_t base_child_group;

/* A pipe whose ends are not among the three standard descriptors, which a child puts in order; no program that is started has them. */
bool base_pipe_open(int ends[2]);

/* Compresses n blocks into a state of SHA-256 (FIPS 180-4 §6.2.2).  False: the processor has no instructions for it. */
#define BASE_SHA256_BLOCK 64    /* bytes */
bool base_sha256_blocks(uint32_t state[8], const uint8_t *p, size_t n);

#endif
