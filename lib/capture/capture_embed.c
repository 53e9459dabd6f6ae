/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/capture_int.h"

#include <stdlib.h>

enum { FEW_LINES = 32 };        /* what somebody may wait for */

enum mem_status
capture_encoder(struct capture *c, struct mem_err *err)
{
	c->tried = true;
	return mem_encoder_for_writing(&c->encoder, c->memory.store, NULL, err);
}

static size_t
gather(struct capture *c, struct mem_entry **entries)
{
	size_t n = 0;
	for (size_t i = 0; i < c->nitems; i++)
		if (c->items[i].refused == NULL && c->items[i].entry.embeds)
			entries[n++] = &c->items[i].entry;
	return n;
}

void
capture_embed(struct capture *c, struct mem_write_total *total)
{
	struct mem_err err = { 0 };
	enum mem_capture_embed when = c->ask->embed;
	enum mem_status st = MEM_OK;
	if (when == MEM_CAPTURE_EMBED_NONE || (when == MEM_CAPTURE_EMBED_FEW && c->nitems > FEW_LINES))
		return;
	struct mem_entry **entries = mem_xcalloc(c->nitems, sizeof *entries);
	size_t n = gather(c, entries);
	if (n > 0 && !c->tried)
		st = capture_encoder(c, &err);
	if (n > 0 && c->encoder != NULL)
		st = mem_entries_embed(&c->memory, c->encoder, entries, n, &c->arena, &err);
	if (st != MEM_OK) {
		/* Not again for every batch: whoever captures may be waiting. */
		mem_encoder_close(c->encoder);
		c->encoder = NULL;
	}
	/* That none is installed is no fault. */
	if (st != MEM_OK && st != MEM_NONE) {
		total->unembedded = err;
		total->unembedded.status = st;
	}
	free(entries);
}
