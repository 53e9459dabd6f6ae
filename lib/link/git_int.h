/* SPDX-License-Identifier: Apache-2.0 */
/* One call of git: what the files that read from it share. */
#ifndef MEM_LINK_GIT_INT_H
#define MEM_LINK_GIT_INT_H

#include "link/git.h"

struct git_call {
	const char *const *arguments; /* NULL behind the last */
	struct mem_str input;
	size_t out_max;
};
/* MEM_OK: git ended by itself, with whatever status.  `end` is to be released in any case. */
enum mem_status git_call_run(struct mem_child_end *end, const struct mem_git *g, const struct git_call *call, struct mem_err *err) MEM_CHECKED;
/* MEM_FAIL, with the first line that git said. */
enum mem_status git_call_failed(const struct mem_child_end *end, const char *command, struct mem_err *err);

#endif
