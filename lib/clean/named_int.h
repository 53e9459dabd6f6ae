/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clean, inside: strings of JSON that something beside them names, in an event's fields as in a text that is JSON.
 */
#ifndef MEM_CLEAN_NAMED_INT_H
#define MEM_CLEAN_NAMED_INT_H

#include "clean/clean_int.h"
#include "record/record.h"

/* A string as rules are to read it: `before`, its characters, `after`. */
struct clean_named {
	size_t index;           /* among keys, strings and numbers, as mem_json_map goes through them */
	struct mem_str raw;     /* between its quotes, as written */
	struct mem_str before;
	const char *after;
};
typedef void clean_named_fn(void *ctx, const struct clean_named *n);

/*
 * Tells of the strings of a checked value that are named by a sibling ({"name":"DB_PASSWORD","value":…}, in any order), by the
 * key of the object or list around them ({"password":{"value":…}}, {"tokens":[…]}), by the first of two (["token",…]), or by
 * what stands before them in a command (["sshpass","-p",…]).  `before` BORROWS until the function returns.
 */
void clean_each_named(struct mem_json v, clean_named_fn *tell, void *ctx);

/* The same strings of all JSON in `parent`, each as rules are to read it, in a line of its own.  False: there is none. */
bool clean_view_named(struct mem_view *v, const struct mem_view *parent);

#endif
