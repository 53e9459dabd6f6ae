#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Text that nobody cleaned does not compile where the writer asks for text.
load helper

# compiles BODY: a function that queues a page whose title is the value of its body.
compiles() {
	cat > use.c <<END
#include "clean/clean_text.h"
#include "write/write.h"
void use(struct mem_writer *w, struct mem_str text, struct mem_json value, const struct mem_clean_rec *rec);
void
use(struct mem_writer *w, struct mem_str text, struct mem_json value, const struct mem_clean_rec *rec)
{
	const struct mem_clean_field title = { "title", $1 };
	const struct mem_write_input in = { .ns = text };
	const struct mem_write_node node = { .kind = MEM_KIND_PAGE, .fields = &title, .nfields = 1 };
	(void)value, (void)rec;
	mem_write_add(w, &in, &node);
}
END
	"${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -I"$TOP/lib" -fsyntax-only -Werror=int-conversion use.c
}

@test "what was cleaned compiles, what was not does not" {
	compiles 'mem_clean_value(rec, "title")'
	compiles 'mem_clean_part(rec, value)'
	compiles 'mem_clean_null()'
	run ! compiles 'text'
	run ! compiles 'value'
	run ! compiles '"title"'
	run ! compiles 'mem_rec_value(rec->rec, "title")'
}
