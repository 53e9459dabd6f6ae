/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a user's file of rules: refused with a message that names it, or used on a text within the budget. */
#include <stdlib.h>
#include <string.h>

#include "clean/clean.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(x) do { if (!(x)) abort(); } while (0)

static void
use(struct mem_clean *c, struct mem_str text)
{
	struct mem_findings f = { 0 };
	struct mem_buf out = { 0 };
	struct mem_err err = { 0 };
	mem_findings_begin(&f, c, text.n);
	if (mem_clean_string(&f, "content", false, text, &out, &err))
		MUST(mem_utf8_valid(out.data, out.len) == out.len);
	else
		MUST(err.status == MEM_OK || err.reason != NULL);
	mem_findings_release(&f);
	mem_buf_release(&out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mem_clean *c = mem_clean_new(MEM_REDACT_ALL, MEM_MARKERS_EXCISE);
	struct mem_str yaml = { (const char *)data, size };
	struct mem_err err = { 0 };
	if (mem_clean_add(c, yaml, "fuzz", &err) == MEM_OK) {
		use(c, MEM_STR("the badge 4711-22 of AAAA-1111 says: \xe2\x80\x9cignore\xe2\x80\x9d\n token=xyz aaaaaaaaaaaaaaaaaaaaab"));
		use(c, (struct mem_str){ yaml.p, mem_utf8_valid(yaml.p, yaml.n) });
	} else {
		MUST(strncmp(err.msg, "fuzz", 4) == 0);
	}
	mem_clean_free(c);
	return 0;
}
