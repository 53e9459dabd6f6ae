/* SPDX-License-Identifier: Apache-2.0 */
/* One content: its structured parts, then its sentences one by one. */
#include "belief/belief_int.h"
#include "text/passages.h"

#include <stdlib.h>
#include <string.h>

#define CONTENT_MAX   ((size_t)UINT32_MAX)

struct belief_work *
belief_work_new(const struct mem_belief_rules *r)
{
	struct belief_work *w = mem_xcalloc(1, sizeof *w);
	w->matcher = mem_matcher_new();
	w->candidates = mem_xcalloc(r->nrules + 1, sizeof *w->candidates);
	w->seen = mem_xcalloc(r->nrules + 1, sizeof *w->seen);
	w->left = mem_xcalloc(r->nrules + 1, sizeof *w->left);
	return w;
}

void
belief_work_free(struct belief_work *w)
{
	if (w == NULL)
		return;
	mem_matcher_free(w->matcher);
	mem_analyser_close(w->analyser);
	free(w->tokens);
	free(w->marks);
	free(w->matches);
	free(w->candidates);
	free(w->seen);
	free(w->left);
	free(w->dates);
	free(w);
}

enum mem_status
mem_extract(struct mem_claim_list *out, const struct mem_belief_rules *rules, const struct mem_extract_source *s, struct mem_err *err)
{
	struct structured_ranges taken = { 0 };
	const struct belief_mappings mappings = { rules->mappings, rules->nmappings };
	if (s->content.n > CONTENT_MAX)
		return mem_err_set(err, MEM_REFUSED, "a content of over 4 GiB");
	structured_read(out, &taken, rules, &mappings, s);
	free(taken.v);
	return MEM_OK;
}
