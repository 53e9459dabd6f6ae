/* SPDX-License-Identifier: Apache-2.0 */
/* What kg-link says of a vault as a whole. */
#ifndef MEM_CMD_LINK_OUTPUT_H
#define MEM_CMD_LINK_OUTPUT_H

#include "cli/cli.h"
#include "file_receipts.h"
#include "link/vault.h"
#include "record/record.h"

static inline void
print_vault_summary(struct mem_vault_run *run)
{
	struct mem_vault_summary s;
	struct mem_buf b = { 0 };
	struct mem_err err;
	if (mem_vault_summarise(run, &s, &err) != MEM_OK)
		mem_die_err(&err);
	const struct { const char *name; uint64_t n; } counts[] = { { "notes", s.notes }, { "wikilinks", s.wikilinks }, { "embeds", s.embeds },
		{ "md_links", s.md_links }, { "resolved", s.resolved }, { "ambiguous", s.ambiguous }, { "unresolved", s.unresolved },
		{ "attachments", s.attachments }, { "not_counted", s.not_counted }, { "edges", s.edges }, { "tags", s.tags } };
	mem_buf_putc(&b, '{');
	for (size_t i = 0; i < MEM_COUNT(counts); i++)
		mem_json_put_int(&b, counts[i].name, (int64_t)counts[i].n);
	mem_buf_putc(&b, '}');
	mem_out_line(mem_buf_span(&b));
	mem_buf_release(&b);
}

#endif
