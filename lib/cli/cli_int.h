/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of cli share: the name and the clock of the process, its help, its interrupts. */
#ifndef MEM_CLI_INT_H
#define MEM_CLI_INT_H

#include "cli/cli.h"

/* Takes the name from the first line of `usage`, sets umask 077, opens descriptors 0 to 2, reads MEM_NOW. */
void cli_start_command(const char *usage);
const char *cli_command_name(void);
/* Was damage warned of? */
bool cli_met_damage(void);
void cli_set_now(int64_t ms);
/* Is this the row that ends an option table? */
bool cli_is_table_end(const struct mem_opt *o);
/* Was it on the command line?  By its name or, of one without, its letter. */
bool cli_option_given(struct mem_str name);
void cli_print_help(const struct mem_opt *opts, const char *usage, const char *about);
void cli_print_completion(const struct mem_opt *opts, const char *usage, const char *about);
/* Raises what was held back; returns when nothing was. */
void cli_raise_interrupt(void);
/* From the first file that is mapped on, a fault in one ends the command by a message and status 3. */
void cli_catch_faults(void);
/* Standard output as far as whole lines are in the buffer, once.  Async-signal-safe, on the thread that prints. */
void cli_rescue_output(void);
/* Wipes a progress bar, so that a message does not run into it. */
void cli_wipe_progress(void);

#endif
