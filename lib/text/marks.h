/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a ranking wants to know of a text or a question, read in one pass over its words.
 *
 * Words are listed in mark_words.txt for English, German, French and Spanish.  A text is read in one language,
 * whatever that of the analyser: in that of which most stop words (text.h) and listed words stand in it; of equal ones
 * the analyser's, then English.  In any other language no word is listed, and what is told goes by characters alone.  An apostrophe parts words: Mary's is Mary
 * and s, l'été is l and été.
 */
#ifndef MEM_MARKS_H
#define MEM_MARKS_H

#include "base/base.h"
#include "text/text.h"

/* ---- texts ---------------------------------------------------------------- */

#define MEM_TEXT_DAYS 3
struct mem_text_marks {
	bool has_question;         /* a question mark (also ？ ؟), but not one within a word, as of a URL */
	bool ends_question;        /* the text's last character but closing quotes and brackets, or that before a last [caption], is one */
	bool time_word;            /* yesterday, ago, last, week, Monday, May, a number of digits … (class time), or a day of `days` */
	bool number_word;          /* digits, or one, twice, first, several … (class number) */
	/*
	 * How many different words begin with a capital, from 0 to 3 (more are 3).  What may have one for another reason
	 * does not count: a sentence's first word; one of a single letter; one of `names`; and a name that is only called:
	 * after a greeting (Hi Ann, thanks, Ann), or between a comma and the sentence's end (Well done, Ann!) unless the
	 * comma follows another such word, as in a list.  German nouns all have capitals: there only words with a
	 * second capital or a digit count (BMW, GmbH, A4).
	 */
	uint8_t capitals;
	/*
	 * The days that its words mean, seen from the day on which it was said: yesterday, last night, today, tomorrow, so many
	 * days, weeks, months or years ago, last, next or this week, month, year, weekend, weekday, month of a name or
	 * season; and dates by their parts, of the nearest year if they name none, but for a month alone.  A day is that day, a week 3 days
	 * around it, a month 15, a year 180.  The first three that differ; behind them none.
	 */
	struct mem_day_span days[MEM_TEXT_DAYS];
};
/* `names`: of who says it and who hears it, each maybe of several words; those are not counted in `capitals`.  `at`: when it
 * is said; MEM_TIME_NONE: not known, and it means no days. */
void mem_text_mark(struct mem_text_marks *out, struct mem_analyser *a, struct mem_str text, const struct mem_str *names,
    size_t nnames, int64_t at);

/* ---- questions ------------------------------------------------------------ */

struct mem_question_marks {
	bool asks_when;      /* when; what (or which) date, day, month, year, time; how long ago */
	bool asks_how_long;  /* how long */
	bool first_person;   /* I, me, my … (class me) */
	bool second_person;  /* you, your … (class you) */
	/*
	 * A word that is a name of something in a machine: letters and digits together (E1234, sha256, but no ordinal, no
	 * 3pm, 90s), two joined by _ or ::, a path, a URL, an address, a dotted name (notes.md, 1.2.3, but neither 3.14
	 * nor e.g.), #123, or small letters with a capital behind two of them (getName).
	 */
	bool identifier;
	uint32_t words;      /* of letters and digits; two characters of a run (text.h, rule 1) are a word */
};
void mem_question_mark(struct mem_question_marks *out, struct mem_analyser *a, struct mem_str question);

#endif
