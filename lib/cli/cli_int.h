/* SPDX-License-Identifier: Apache-2.0 */
/* Shared inside cli: what the process is called and how it is told. */
#ifndef MEM_CLI_INT_H
#define MEM_CLI_INT_H

#include "cli/cli.h"

void mem_cli_start(const char *usage);
const char *mem_cli_name(void);
void mem_now_fix(int64_t ms);
void mem_help_print(const struct mem_opt *opts, const char *usage, const char *about);
void mem_complete_print(const struct mem_opt *opts, const char *usage, const char *about);
/* Raises what was held back; returns when nothing was. */
void mem_interrupt_raise(void);
/* Wipes a progress bar, so that a message does not run into it. */
void mem_progress_wipe(void);

/* The longest beginning of s that fits `columns`; *width gets its width. */
size_t mem_width_cut(struct mem_str s, size_t columns, size_t *width);

#endif
