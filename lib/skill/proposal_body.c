/* SPDX-License-Identifier: Apache-2.0 */
/* The draft of a skill's text, from what is known of its topic. */
#include "skill/propose.h"

/* A list of what one source gave; nothing where it gave nothing. */
static void
put_section(struct mem_buf *out, const char *heading, const struct mem_research *r, enum mem_research_source source)
{
	size_t n = 0;
	for (size_t i = 0; i < r->n; i++) {
		const struct mem_finding *f = &r->v[i];
		if (f->source != source || (f->text.n == 0 && f->name.n == 0) || n == MEM_RESEARCH_FINDINGS)
			continue;
		if (n++ == 0)
			mem_buf_printf(out, "\n## %s\n\n", heading);
		mem_buf_puts(out, "- ");
		mem_buf_str(out, f->name);
		if (f->name.n > 0 && f->text.n > 0)
			mem_buf_puts(out, ": ");
		mem_buf_str(out, f->text);
		mem_buf_putc(out, '\n');
	}
}

void
mem_proposal_body(struct mem_buf *out, struct mem_str title, const struct mem_research *r)
{
	mem_buf_printf(out, "# %.*s\n", (int)title.n, title.p);
	put_section(out, "What was learned", r, MEM_RESEARCH_LEARNINGS);
	put_section(out, "What is remembered", r, MEM_RESEARCH_MEMORIES);
	put_section(out, "Notes", r, MEM_RESEARCH_NOTES);
	put_section(out, "Tools", r, MEM_RESEARCH_TOOLS);
	put_section(out, "Questions without an answer", r, MEM_RESEARCH_GAPS);
	put_section(out, "Related skills", r, MEM_RESEARCH_SKILLS);
}
