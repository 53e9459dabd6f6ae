/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A call of a tool as a step of a procedure: the tool's name and, where it runs commands, which one.
 *
 *   Read {"file_path":"a.c"}                       Read
 *   Bash {"command":"cd src && git push -q"}       Bash git push
 *   shell {"command":["bash","-lc","make test"]}   shell make test
 *
 * The command is member `command` or `cmd` of the arguments, or the arguments where they are a list of strings; of a shell with -c the
 * text behind that.  cd, variables that are set, and programs that start another one (sudo, env, timeout …) are passed over.  Of the
 * program the name without its folders counts, and where it has commands of its own (git, cargo, make …) the first of its words that
 * looks like one.
 */
#ifndef MEM_TOOL_STEP_H
#define MEM_TOOL_STEP_H

#include "base/base.h"

#define MEM_TOOL_STEP_MAX 80 /* bytes of a step's name */

/* Appends the step's name.  `call` is the text of the call as adapters write it: the tool's name, a blank, the arguments; one that
 * begins in another way has no arguments. */
void mem_tool_step_put(struct mem_buf *out, struct mem_str tool, struct mem_str call);
/* The arguments in such a text; empty: none. */
struct mem_str mem_tool_arguments(struct mem_str tool, struct mem_str call);

#endif
