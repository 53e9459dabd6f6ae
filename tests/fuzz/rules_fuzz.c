/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a file of rules: refused with its name in the message, or usable on any text. */
#include <stdlib.h>
#include <string.h>

#include "clean/clean.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
use(struct mem_clean *c, struct mem_str text)
{
	struct mem_findings f = { 0 };
	struct mem_buf out = { 0 };
	struct mem_err err;
	mem_findings_begin(&f, c, text.n);
	f.steps_left = f.again_left = 20000;
	bool changed = mem_clean_string(&f, "extra.password", false, text, &out, &err);
	if (changed && err.status != MEM_OK)
		abort();
	if (err.status != MEM_OK && (err.reason == NULL || strcmp(err.reason, "budget") != 0))
		abort();
	for (size_t i = 0; i < f.nredactions; i++)
		if (f.redactions[i].start >= f.redactions[i].end || f.redactions[i].end > text.n)
			abort();
	mem_findings_release(&f);
	mem_buf_release(&out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mem_clean *c = mem_clean_new(MEM_REDACT_ALL, MEM_MARKERS_EXCISE);
	struct mem_err err = { 0 };
	struct mem_str rules = { (const char *)data, size };
	if (mem_clean_add(c, rules, "fuzz", &err) != MEM_OK && strncmp(err.msg, "fuzz:", 5) != 0)
		abort();
	use(c, MEM_STR("abc 123 \u00e9\u4f60 aaaaaaaaaaaaaaaaaaaa \"x\": \\u0041 foo@bar.org\n"));
	use(c, rules.n == mem_utf8_valid(rules.p, rules.n) ? rules : MEM_STR("a"));
	mem_clean_free(c);
	return 0;
}
