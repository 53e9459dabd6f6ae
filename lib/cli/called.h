/* SPDX-License-Identifier: Apache-2.0 */
/* For commands that other programs call and must not be stopped by. */
#ifndef MEM_CLI_CALLED_H
#define MEM_CLI_CALLED_H

#include <stdbool.h>

/* Before the options are read: is `name` the first operand, behind no options but common ones? */
bool mem_verb_comes(int argc, char **argv, const char *name);
/* From here on the process ends with 0, whatever it finds wrong. */
void mem_end_well(void);

#endif
