/* SPDX-License-Identifier: Apache-2.0 */
/* The words that dates are made of. */
#include "text/dates_int.h"

/* The classes of a token; of a question also those of another language, if it is a month, weekday or season, or a day seen
 * from today. */
static uint16_t
find_date_classes(const struct text_date_reader *r, size_t i)
{
	uint16_t classes = text_token_classes(r->t, i);
	if (i >= r->t->n || !r->question || text_mark_role(classes) != TEXT_ROLE_NONE)
		return classes;
	for (size_t k = 0; k < TEXT_MARK_LANGS; k++) {
		uint16_t c = r->t->v[i].classes[k];
		switch (text_mark_role(c)) {
		case TEXT_ROLE_MONTH: case TEXT_ROLE_WEEKDAY: case TEXT_ROLE_SEASON: case TEXT_ROLE_DAY:
			return c;
		default:
			break;
		}
	}
	return classes;
}

enum text_role
text_date_role(const struct text_date_reader *r, size_t i)
{
	return text_mark_role(find_date_classes(r, i));
}

int
text_date_value(const struct text_date_reader *r, size_t i)
{
	return text_mark_value(find_date_classes(r, i));
}

bool
text_date_goes_on(const struct text_date_reader *r, size_t i)
{
	return i < r->t->n && (r->t->v[i].bits & TEXT_TOKEN_BEGINS) == 0;
}

size_t
text_date_skip(const struct text_date_reader *r, size_t i)
{
	for (int k = 0; k < 2 && text_date_goes_on(r, i) && text_date_role(r, i) == TEXT_ROLE_OF; k++)
		i++;
	return i;
}

bool
text_date_joined(const struct text_date_reader *r, size_t i, char by)
{
	return i + 1 < r->t->n && r->t->v[i + 1].start == r->t->v[i].end + 1 && r->text.p[r->t->v[i].end] == by;
}

/* Figures that are no part of a longer number, a sum or a clock. */
static bool
is_bare_number(const struct text_date_reader *r, size_t i)
{
	if (i >= r->t->n || (r->t->v[i].bits & TEXT_TOKEN_NUMBER) == 0)
		return false;
	const struct text_token *k = &r->t->v[i];
	char before = k->start > 0 ? r->text.p[k->start - 1] : ' ', after = k->end < r->text.n ? r->text.p[k->end] : ' ';
	return strchr("$#:%", before) == NULL && strchr("%:", after) == NULL;
}

int
text_date_year(const struct text_date_reader *r, size_t i)
{
	if (!is_bare_number(r, i) || r->t->v[i].end - r->t->v[i].start != 4)
		return 0;
	int n = r->t->v[i].number;
	return n >= 1900 && n <= 2099 ? n : 0;
}

int
text_date_day(const struct text_date_reader *r, size_t i)
{
	if (!is_bare_number(r, i))
		return 0;
	int n = r->t->v[i].number;
	return n >= 1 && n <= 31 ? n : 0;
}

int
text_date_count(const struct text_date_reader *r, size_t i)
{
	if (i < r->t->n && (r->t->v[i].bits & TEXT_TOKEN_NUMBER) != 0)
		return r->t->v[i].number <= 999 ? r->t->v[i].number : 0;
	return text_date_role(r, i) == TEXT_ROLE_COUNT ? text_date_value(r, i) : 0;
}
