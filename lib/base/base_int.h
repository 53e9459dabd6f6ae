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

#endif
