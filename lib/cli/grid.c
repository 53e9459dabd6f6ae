/* SPDX-License-Identifier: Apache-2.0 */
/* Tables for people, in the width of the screen. */
#include "cli/cli_int.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LAST_COLUMN_MIN = 20 };

static size_t
find_screen_width(void)
{
	struct winsize w;
	int64_t n;
	if (mem_number_parse(mem_str(getenv("COLUMNS")), 1, 10000, &n))
		return (size_t)n;
	if (mem_out_tty() && ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 0)
		return w.ws_col;
	return mem_out_tty() ? 80 : SIZE_MAX;
}

void
mem_grid_head(struct mem_grid *t, const char *const *names)
{
	for (t->ncols = 0; names[t->ncols] != NULL; t->ncols++)
		continue;
	for (size_t i = 0; i < t->ncols; i++)
		mem_grid_cell(t, mem_str(names[i]));
}

void
mem_grid_cell(struct mem_grid *t, struct mem_str s)
{
	struct mem_buf shown = { 0 };
	mem_show(&shown, s, false);
	t->cells = mem_grow(t->cells, &t->cap, t->ncells + 1, sizeof(*t->cells));
	t->cells[t->ncells++] = mem_arena_str(&t->arena, mem_buf_span(&shown));
	mem_buf_release(&shown);
}

static size_t
measure_column(const struct mem_grid *t, size_t column)
{
	size_t most = 0;
	for (size_t i = column; i < t->ncells; i += t->ncols) {
		size_t w = mem_width(t->cells[i]);
		most = w > most ? w : most;
	}
	return most;
}

/* The last column gets what is left of the line; what does not fit is marked. */
static void
print_last_cell(struct mem_str cell, size_t room)
{
	size_t width;
	if (mem_width(cell) <= room) {
		mem_out_str(cell);
		return;
	}
	mem_out(cell.p, cli_cut_to_width(cell, room - 1, &width));
	mem_out_printf("…");
}

static void
print_grid_row(const struct mem_str *row, const size_t *widths, size_t ncols, size_t room)
{
	for (size_t c = 0; c + 1 < ncols; c++) {
		mem_out_str(row[c]);
		for (size_t pad = mem_width(row[c]); pad < widths[c] + 2; pad++)
			mem_out(" ", 1);
	}
	print_last_cell(row[ncols - 1], room);
}

void
mem_grid_row(struct mem_grid *t, const struct mem_str *cells, size_t n)
{
	for (size_t i = 0; i < n; i++)
		mem_grid_cell(t, cells[i]);
}

void
mem_grid_print(struct mem_grid *t)
{
	size_t *widths = mem_xcalloc(t->ncols + 1, sizeof(*widths));
	size_t used = 0, screen = find_screen_width();
	for (size_t c = 0; c + 1 < t->ncols; c++) {
		widths[c] = measure_column(t, c);
		used += widths[c] + 2;
	}
	size_t room = screen > used + LAST_COLUMN_MIN ? screen - used : LAST_COLUMN_MIN;
	for (size_t i = 0; t->ncols > 0 && i + t->ncols <= t->ncells; i += t->ncols) {
		bool head = i == 0 && mem_colour();
		mem_out_printf("%s", head ? "\033[1m" : "");
		print_grid_row(t->cells + i, widths, t->ncols, room);
		mem_out_printf("%s\n", head ? "\033[0m" : "");
	}
	free(widths);
	free(t->cells);
	mem_arena_release(&t->arena);
	*t = (struct mem_grid){ 0 };
}
