/* SPDX-License-Identifier: Apache-2.0 */
/* Marks and dates of any text, as a turn's and as a question's, keep the promises of marks.h and dates.h, twice the same. */
#include <stdlib.h>
#include <string.h>

#include "text/dates.h"
#include "text/marks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct mem_analyser *analysers[5];

static void
open_all(void)
{
	static const char *const names[] = { "auto", "english", "german", "spanish", "french" };
	struct mem_err err;
	for (size_t i = 0; i < MEM_COUNT(names); i++)
		if (mem_analyser_open(&analysers[i], names[i], &err) != MEM_OK)
			abort();
}

static void
check_text_marks(const struct mem_text_marks *m, int64_t at)
{
	bool ended = at == MEM_TIME_NONE;
	if ((m->ends_question && !m->has_question) || m->capitals > 3)
		abort();
	for (size_t i = 0; i < MEM_TEXT_DAYS; i++) {
		bool there = m->days[i].first <= m->days[i].last;
		if (there && (ended || (int64_t)m->days[i].last - m->days[i].first > 400))
			abort();
		ended |= !there;
	}
}

static void
check_dates(const struct mem_question_dates *q)
{
	if (q->n > MEM_QUESTION_DATES)
		abort();
	for (size_t i = 0; i < q->n; i++) {
		const struct mem_named_date *d = &q->v[i];
		if (d->month < 0 || d->month > 12 || d->months < 0 || d->months > 3 || (d->months > 0) != (d->month > 0) || d->day < 0 || d->day > 31)
			abort();
		if (d->year == 0 && d->months == 0 && d->span.first > d->span.last)
			abort();
	}
}

/* The first eight bytes are a time within the years that records may have, or none. */
static int64_t
take_time(const uint8_t **data, size_t *size)
{
	uint64_t v = 0;
	size_t n = *size < sizeof v ? *size : sizeof v;
	memcpy(&v, *data, n);
	*data += n;
	*size -= n;
	return v == 0 ? MEM_TIME_NONE : MEM_TIME_MIN + (int64_t)(v % (uint64_t)(MEM_TIME_MAX - MEM_TIME_MIN));
}

static void
read_marks(struct mem_analyser *a, struct mem_str text, int64_t at)
{
	struct mem_text_marks m, again;
	struct mem_question_marks q;
	struct mem_question_dates dates;
	const struct mem_str names[] = { { text.p, text.n / 2 }, MEM_STR("Ann Lee") };
	memset(&m, 0, sizeof m);
	memset(&again, 0, sizeof again);
	mem_text_mark(&m, a, text, names, MEM_COUNT(names), at);
	mem_question_mark(&q, a, text);
	mem_question_dates_read(&dates, a, text, at == MEM_TIME_NONE ? 0 : at);
	mem_text_mark(&again, a, text, names, MEM_COUNT(names), at);
	check_text_marks(&m, at);
	check_dates(&dates);
	if (m.has_question != again.has_question || m.ends_question != again.ends_question || m.time_word != again.time_word ||
	    m.number_word != again.number_word || m.capitals != again.capitals || memcmp(m.days, again.days, sizeof m.days) != 0)
		abort();
	double match = mem_day_match(&dates, at, m.days, MEM_TEXT_DAYS);
	if (!(match >= 0 && match <= 1) || q.words > text.n)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (analysers[0] == NULL)
		open_all();
	int64_t at = take_time(&data, &size);
	struct mem_str text = { (const char *)data, mem_utf8_valid((const char *)data, size) };
	for (size_t i = 0; i < MEM_COUNT(analysers); i++)
		read_marks(analysers[i], text, at);
	return 0;
}
