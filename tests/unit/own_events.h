/* SPDX-License-Identifier: Apache-2.0 */
/* Events captured into the store of the test's own. */
#ifndef OWN_EVENTS_H
#define OWN_EVENTS_H

#include "own_store.h"

#include "capture/capture.h"

static inline struct mem_store_options
own_store_ask(bool write)
{
	struct mem_store_options ask = MEM_STORE_OPTIONS_INIT;
	ask.dir = at;
	ask.agent = "ada";
	ask.write = write;
	return ask;
}

static inline bool
own_receipts_skip(void *ctx, struct mem_str lines)
{
	(void)ctx;
	(void)lines;
	return true;
}

/* Each line of `events` is one, and none may be refused; how many of them were new. */
static inline uint64_t
own_events_capture(struct mem_store_options as, const char *events)
{
	const struct mem_capture_options capture = { .stop_fd = -1 };
	struct mem_write_total total = { 0 };
	FILE *f = tmpfile();
	assert_non_null(f);
	assert_int_equal(fwrite(events, 1, strlen(events), f), strlen(events));
	rewind(f);
	as.write = true;
	if (mem_capture_run(&as, &capture, fileno(f), own_receipts_skip, NULL, &total, &err) != MEM_OK)
		fail_msg("capture: %s", err.msg);
	assert_int_equal(total.rejected, 0);
	fclose(f);
	return total.stored;
}

#endif
