/* SPDX-License-Identifier: Apache-2.0 */
/* The progress bar. */
#include "cli/cli_int.h"

#include <stdio.h>
#include <unistd.h>

enum { BAR = 30, FIRST_MS = 1000, STEP_MS = 100 };

static struct {
	int64_t began, drawn;
	bool shown;
} bar;

static void
draw_progress_bar(const char *label, uint64_t done, uint64_t total)
{
	char line[160], fill[BAR + 1];
	int n;
	if (total == 0) {
		n = snprintf(line, sizeof(line), "\r%.40s: %llu", label, (unsigned long long)done);
	} else {
		double part = (double)done / (double)total;
		int full = (int)(part * BAR);
		for (int i = 0; i < BAR; i++)
			fill[i] = i < full ? '#' : '.';
		fill[BAR] = '\0';
		n = snprintf(line, sizeof(line), "\r%.40s [%s] %3d%%", label, fill, (int)(part * 100));
	}
	if (n > 0)
		(void)!write(STDERR_FILENO, line, (size_t)n);
	bar.shown = true;
}

void
mem_progress(void *ctx, uint64_t done, uint64_t total)
{
	int64_t now = mem_time_now();
	if (bar.began == 0)
		bar.began = now;
	if (total != 0 && done >= total) {
		mem_progress_end();
		return;
	}
	if (now - bar.began < FIRST_MS || now - bar.drawn < STEP_MS || !mem_err_tty())
		return;
	bar.drawn = now;
	draw_progress_bar(ctx, done, total);
}

void
cli_wipe_progress(void)
{
	static const char wipe[] = "\r\033[K";
	if (bar.shown)
		(void)!write(STDERR_FILENO, wipe, sizeof(wipe) - 1);
	bar.shown = false;
}

void
mem_progress_end(void)
{
	cli_wipe_progress();
	bar.began = bar.drawn = 0;
}
