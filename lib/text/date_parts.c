/* SPDX-License-Identifier: Apache-2.0 */
/* The days, months and years that a question names. */
#include "text/marks_int.h"

enum { YEAR_MIN = 1900, YEAR_MAX = 2099, MONTHS = 12, MONTH_DAYS = 31 };

struct part_reader {
	struct mem_str text;
	const struct text_tokens *t;
	struct mem_date_part *out;
	size_t n, max;
};

static void
add_part(struct part_reader *r, enum mem_date_kind kind, int value, size_t i)
{
	const struct text_token *k = &r->t->v[i];
	if (r->n < r->max)
		r->out[r->n++] = (struct mem_date_part){ kind, value, k->start, k->end };
}

/* Of a number from `least` to `most`; 0: it is none. */
static int
read_number(const struct part_reader *r, size_t i, int least, int most)
{
	if (i >= r->t->n || (r->t->v[i].bits & TEXT_TOKEN_NUMBER) == 0)
		return 0;
	int v = r->t->v[i].number;
	return v >= least && v <= most ? v : 0;
}

static int
read_year(const struct part_reader *r, size_t i)
{
	return read_number(r, i, YEAR_MIN, YEAR_MAX);
}

/* May without its capital is a month where a number stands beside it; without one it is a verb. */
static int
read_month(const struct part_reader *r, size_t i)
{
	if (i >= r->t->n)
		return 0;
	uint16_t classes = text_token_classes(r->t, i);
	if (text_mark_role(classes) == TEXT_ROLE_MONTH)
		return text_mark_value(classes);
	bool beside_number = read_number(r, i + 1, 1, YEAR_MAX) > 0 || (i > 0 && read_number(r, i - 1, 1, MONTH_DAYS) > 0);
	return r->t->lang == TEXT_LANG_ENGLISH && beside_number && mem_str_is(text_token_str(r->text, &r->t->v[i]), "may") ? 5 : 0;
}

static bool
is_dash(const struct part_reader *r, size_t i)
{
	const struct text_token *v = r->t->v;
	return i + 1 < r->t->n && v[i + 1].start == v[i].end + 1 && r->text.p[v[i].end] == '-';
}

/* 2023-05 or 2023-05-08 at i: how many tokens; 0: there is none. */
static size_t
read_iso_date(struct part_reader *r, size_t i)
{
	int month = is_dash(r, i) ? read_number(r, i + 1, 1, MONTHS) : 0;
	if (read_year(r, i) == 0 || month == 0)
		return 0;
	int day = is_dash(r, i + 1) ? read_number(r, i + 2, 1, MONTH_DAYS) : 0;
	add_part(r, MEM_DATE_YEAR, read_year(r, i), i);
	add_part(r, MEM_DATE_MONTH, month, i + 1);
	if (day > 0)
		add_part(r, MEM_DATE_DAY, day, i + 2);
	return day > 0 ? 3 : 2;
}

/* The number before a month or behind it, "8 May", "8th of May", "8 de mayo", "May 8". */
static void
add_day_of_month(struct part_reader *r, size_t i)
{
	size_t before = i > 1 && (text_mark_role(text_token_classes(r->t, i - 1)) == TEXT_ROLE_OF ||
	    mem_str_is(text_token_str(r->text, &r->t->v[i - 1]), "of")) ? i - 2 : i - 1;
	if (i > 0 && read_number(r, before, 1, MONTH_DAYS) > 0)
		add_part(r, MEM_DATE_DAY, read_number(r, before, 1, MONTH_DAYS), before);
	else if (read_number(r, i + 1, 1, MONTH_DAYS) > 0)
		add_part(r, MEM_DATE_DAY, read_number(r, i + 1, 1, MONTH_DAYS), i + 1);
}

size_t
mem_text_date_parts(struct mem_analyser *a, struct mem_str text, struct mem_date_part *out, size_t max)
{
	struct part_reader r = { .text = text, .t = text_read_tokens(a, text), .out = out, .max = max };
	for (size_t i = 0; i < r.t->n;) {
		size_t iso = read_iso_date(&r, i);
		if (iso == 0 && read_year(&r, i) > 0)
			add_part(&r, MEM_DATE_YEAR, read_year(&r, i), i);
		if (iso == 0 && read_month(&r, i) > 0) {
			add_part(&r, MEM_DATE_MONTH, read_month(&r, i), i);
			add_day_of_month(&r, i);
		}
		i += iso > 0 ? iso : 1;
	}
	return r.n;
}

size_t
mem_date_parts_of(int64_t at, struct mem_date_part out[MEM_DATE_PARTS])
{
	enum { MONTH = 5, DAY = 8 };
	char text[MEM_TIME_LEN + 1];
	mem_time_format(at, text);
	int year = 0, month = 0, day = 0;
	for (int i = 0; i < MONTH - 1; i++)
		year = year * 10 + (text[i] - '0');
	month = (text[MONTH] - '0') * 10 + (text[MONTH + 1] - '0');
	day = (text[DAY] - '0') * 10 + (text[DAY + 1] - '0');
	out[0] = (struct mem_date_part){ .kind = MEM_DATE_DAY, .value = day };
	out[1] = (struct mem_date_part){ .kind = MEM_DATE_MONTH, .value = month };
	out[2] = (struct mem_date_part){ .kind = MEM_DATE_YEAR, .value = year };
	return MEM_DATE_PARTS;
}
