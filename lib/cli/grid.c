/* SPDX-License-Identifier: Apache-2.0 */
/* Tables for people, in the width of the screen. */
#include "cli/cli_int.h"
#include "text/width.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define DOTS "\xe2\x80\xa6" /* … */
enum { GAP = 2, DAY_MS = 86400000 };

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

/* ---- cells -------------------------------------------------------------- */

void
mem_grid_begin(struct mem_grid *t, const struct mem_column *columns)
{
	*t = (struct mem_grid){ .columns = columns };
	while (columns[t->ncols].name != NULL)
		t->ncols++;
	t->widths = mem_xcalloc(t->ncols + 1, sizeof *t->widths);
	for (size_t c = 0; c < t->ncols; c++)
		t->widths[c] = strlen(columns[c].name);
}

void
mem_grid_cell_at(struct mem_grid *t, struct mem_str s, size_t focus)
{
	struct mem_buf shown = { 0 };
	focus = mem_utf8_cut(s, focus < s.n ? focus : 0);
	mem_show(&shown, (struct mem_str){ s.p, focus }, false);
	size_t at = shown.len;
	mem_show(&shown, (struct mem_str){ s.p + focus, s.n - focus }, false);
	t->cells = mem_grow(t->cells, &t->cap, t->ncells + 1, sizeof *t->cells);
	t->cells[t->ncells++] = (struct mem_grid_cell){ mem_arena_str(&t->arena, mem_buf_span(&shown)), at };
	mem_buf_release(&shown);
}

void
mem_grid_cell(struct mem_grid *t, struct mem_str s)
{
	mem_grid_cell_at(t, s, 0);
}

/* "09:12" or "2026-11-28", with `due` "2026-11-28 09:12". */
static void
put_time_cell(struct mem_grid *t, int64_t ms, bool due)
{
	char at[MEM_TIME_LEN + 1], now[MEM_TIME_LEN + 1], cell[20];
	enum { DATE = 10, CLOCK = 11, CLOCK_LEN = 5 };
	if (ms == MEM_TIME_NONE) {
		mem_grid_cell(t, MEM_STR("-"));
		return;
	}
	mem_time_format(ms, at);
	mem_time_format(mem_now(), now);
	bool today = memcmp(at, now, DATE) == 0;
	struct mem_str s = { at, DATE };
	if (today)
		s = (struct mem_str){ at + CLOCK, CLOCK_LEN };
	else if (due)
		s = (struct mem_str){ memcpy(cell, at, CLOCK + CLOCK_LEN), CLOCK + CLOCK_LEN };
	if (!today && due)
		cell[DATE] = ' ';
	mem_grid_cell(t, s);
}

void
mem_grid_time(struct mem_grid *t, int64_t ms)
{
	put_time_cell(t, ms, false);
}

void
mem_grid_time_text(struct mem_grid *t, struct mem_str s)
{
	int64_t ms;
	if (mem_time_parse(s, &ms))
		put_time_cell(t, ms, false);
	else
		mem_grid_cell(t, s);
}

void
mem_grid_due(struct mem_grid *t, struct mem_str s)
{
	int64_t ms;
	if (mem_time_parse(s, &ms))
		put_time_cell(t, ms, true);
	else
		mem_grid_cell(t, s);
}

/* ---- widths ------------------------------------------------------------- */

/* What the rows at hand need; never less than rows before them had. */
static void
widen_columns(struct mem_grid *t, size_t *natural)
{
	for (size_t c = 0; c < t->ncols; c++) {
		natural[c] = t->widths[c];
		if (t->widths[c] == 0)
			continue; /* left out */
		for (size_t i = c; i < t->ncells; i += t->ncols) {
			size_t w = mem_text_width(t->cells[i].text);
			natural[c] = w > natural[c] ? w : natural[c];
		}
	}
}

/* The line's width, where the last column has no more than `most`. */
static size_t
measure_line(const struct mem_grid *t, const size_t *widths, size_t most)
{
	size_t sum = 0;
	for (size_t c = 0; c < t->ncols; c++) {
		size_t w = widths[c];
		if (c + 1 == t->ncols && w > most)
			w = most;
		sum += w > 0 ? w + GAP : 0;
	}
	return sum > GAP ? sum - GAP : 0;
}

/* Takes one from the widest column that may be cut; false: there is none. */
static bool
narrow_column(const struct mem_grid *t, size_t *widths)
{
	size_t widest = t->ncols;
	for (size_t c = 0; c + 1 < t->ncols; c++)
		if (t->columns[c].min > 0 && widths[c] > t->columns[c].min && (widest == t->ncols || widths[c] > widths[widest]))
			widest = c;
	if (widest < t->ncols)
		widths[widest]--;
	return widest < t->ncols;
}

/* False: none may be left out. */
static bool
leave_out_column(const struct mem_grid *t, size_t *natural)
{
	size_t found = t->ncols;
	for (size_t c = 0; c < t->ncols; c++)
		if (natural[c] > 0 && t->columns[c].leave_out > 0 && (found == t->ncols || t->columns[c].leave_out < t->columns[found].leave_out))
			found = c;
	if (found < t->ncols)
		natural[found] = 0;
	return found < t->ncols;
}

/* Once the head stands, no column is left out any more. */
static void
fit_columns(struct mem_grid *t, size_t screen)
{
	size_t *natural = mem_xcalloc(t->ncols + 1, sizeof *natural);
	size_t bytes = t->ncols * sizeof *natural;
	const struct mem_column *last = &t->columns[t->ncols - 1];
	size_t want = last->want > last->min ? last->want : last->min;
	widen_columns(t, natural);
	do {
		memcpy(t->widths, natural, bytes);
		while (measure_line(t, t->widths, want) > screen && narrow_column(t, t->widths))
			continue;
	} while (measure_line(t, t->widths, last->min) > screen && !t->begun && leave_out_column(t, natural));
	free(natural);
	t->widths[t->ncols - 1] = 0;
	size_t used = measure_line(t, t->widths, 0);
	used += used > 0 ? GAP : 0;
	t->widths[t->ncols - 1] = screen > used ? screen - used : 1;
}

/* ---- lines -------------------------------------------------------------- */

/* The first byte from which on all is at most `room` wide. */
static size_t
find_tail_start(struct mem_str s, size_t room)
{
	size_t at = s.n, width = 0;
	while (at > 0) {
		size_t before = mem_utf8_cut(s, at - 1);
		width += mem_text_width((struct mem_str){ s.p + before, at - before });
		if (width > room)
			break;
		at = before;
	}
	return mem_text_cluster_start(s, at);
}

/* Where the shown part begins, so that the focus is seen: at the start of a word, if one is near. */
static size_t
find_focus_start(struct mem_str s, size_t focus, size_t room)
{
	size_t back = room / 4;
	if (mem_text_width((struct mem_str){ s.p, focus }) + room / 3 < room)
		return 0;
	size_t at = focus;
	while (at > 0 && mem_text_width((struct mem_str){ s.p + at, focus - at }) < back)
		at = mem_utf8_cut(s, at - 1);
	at = mem_text_cluster_start(s, at);
	for (size_t i = at; i <= focus; i++)
		if (i > 0 && s.p[i - 1] == ' ')
			return i;
	return at;
}

/* A cell in `room` columns; returns how many it took. */
static size_t
put_cell(struct mem_buf *line, const struct mem_grid_cell *cell, size_t room)
{
	struct mem_str s = cell->text;
	size_t width = mem_text_width(s), taken = 0;
	if (width <= room) {
		mem_buf_str(line, s);
		return width;
	}
	size_t start = find_focus_start(s, cell->focus, room), tail = start > 0 ? find_tail_start(s, room - 1) : 0;
	start = tail < start ? tail : start; /* no room is left empty */
	if (start > 0) {
		mem_buf_puts(line, DOTS);
		taken = 1;
	}
	s = (struct mem_str){ s.p + start, s.n - start };
	width = mem_text_width(s);
	bool cut = width + taken > room;
	if (cut)
		s.n = mem_text_cut_to_width(s, room > taken + 1 ? room - taken - 1 : 0, &width);
	mem_buf_str(line, s);
	if (cut && width + taken < room) {
		mem_buf_puts(line, DOTS);
		width++;
	}
	return taken + width;
}

static void
put_blanks(struct mem_buf *line, size_t n)
{
	for (size_t i = 0; i < n; i++)
		mem_buf_putc(line, ' ');
}

static void
print_grid_row(const struct mem_grid *t, const struct mem_grid_cell *row, size_t screen, bool bold)
{
	struct mem_buf line = { 0 }, cell = { 0 };
	size_t pad = 0, width;
	for (size_t c = 0; c < t->ncols; c++) {
		size_t room = t->widths[c];
		if (room == 0)
			continue;
		mem_buf_reset(&cell);
		size_t taken = put_cell(&cell, &row[c], room);
		put_blanks(&line, pad + (t->columns[c].right && c + 1 < t->ncols ? room - taken : 0));
		mem_buf_str(&line, mem_buf_span(&cell));
		pad = t->columns[c].right ? GAP : room - taken + GAP;
	}
	/* Where not even what is never cut has room. */
	line.len = mem_text_cut_to_width(mem_buf_span(&line), screen, &width);
	mem_out_str(bold ? MEM_STR("\033[1m") : MEM_STR(""));
	mem_out_str(mem_buf_span(&line));
	mem_out_str(bold ? MEM_STR("\033[0m\n") : MEM_STR("\n"));
	mem_buf_release(&line);
	mem_buf_release(&cell);
}

static void
print_grid_head(struct mem_grid *t, size_t screen)
{
	struct mem_grid_cell *head = mem_xcalloc(t->ncols + 1, sizeof *head);
	for (size_t c = 0; c < t->ncols; c++)
		head[c].text = mem_str(t->columns[c].name);
	print_grid_row(t, head, screen, mem_colour());
	free(head);
	t->begun = true;
}

void
mem_grid_flush(struct mem_grid *t)
{
	size_t screen = find_screen_width();
	if (t->ncells == 0)
		return;
	fit_columns(t, screen);
	if (!t->begun)
		print_grid_head(t, screen);
	for (size_t i = 0; i + t->ncols <= t->ncells; i += t->ncols)
		print_grid_row(t, t->cells + i, screen, false);
	t->ncells = 0;
	mem_arena_reset(&t->arena);
}

void
mem_grid_end(struct mem_grid *t)
{
	mem_grid_flush(t);
	free(t->widths);
	free(t->cells);
	mem_arena_release(&t->arena);
	*t = (struct mem_grid){ 0 };
}
