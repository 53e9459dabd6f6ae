/* SPDX-License-Identifier: Apache-2.0 */
/* All stop words of Latin languages and the words of mark_words.txt in one table: which languages have a word. */
#include "text/text_int.h"

extern const unsigned char mem_data_text_mark_words[];
extern const size_t mem_data_text_mark_words_len;

/* Where the word stands, or the free place for it.  Two words with one hash of 64 bits are not to be feared: nobody chooses
 * the listed ones, and who makes another one meet them gains a stop word. */
static struct text_word_entry *
find_word_entry(struct text_word_table *t, struct mem_str word)
{
	uint64_t h = mem_hash_fast(word.p, word.n);
	size_t i = h % MEM_COUNT(t->v);
	while (t->v[i].hash != 0 && t->v[i].hash != h)
		i = (i + 1) % MEM_COUNT(t->v);
	return &t->v[i];
}

static void
add_word_entry(struct text_word_table *t, struct mem_str word, uint32_t stops, bool listed)
{
	struct text_word_entry *e = find_word_entry(t, word);
	e->hash = mem_hash_fast(word.p, word.n);
	e->stops |= stops;
	e->listed |= listed;
}

/* The words of a list, each between blanks. */
static void
add_stop_words(struct text_word_table *t, enum text_lang lang)
{
	for (const char *p = text_languages[lang].stops + 1; *p != '\0';) {
		const char *end = strchr(p, ' ');
		add_word_entry(t, (struct mem_str){ p, (size_t)(end - p) }, (uint32_t)1 << lang, false);
		p = end + 1;
	}
}

/* The first word of each line. */
static void
add_listed_words(struct text_word_table *t, struct mem_str lines)
{
	for (size_t at = 0; at < lines.n;) {
		const char *p = lines.p + at, *end = memchr(p, '\n', lines.n - at);
		const char *blank = memchr(p, ' ', (size_t)(end - p));
		if (*p != '#' && blank != NULL)
			add_word_entry(t, (struct mem_str){ p, (size_t)(blank - p) }, 0, true);
		at = (size_t)(end - lines.p) + 1;
	}
}

void
text_word_table_fill(struct text_word_table *t)
{
	for (int i = 0; i < TEXT_LANG_LATIN_COUNT; i++)
		add_stop_words(t, (enum text_lang)i);
	add_listed_words(t, (struct mem_str){ (const char *)mem_data_text_mark_words, mem_data_text_mark_words_len });
}

struct text_word_entry
text_word_table_find(struct text_word_table *t, struct mem_str word)
{
	struct text_word_entry e = *find_word_entry(t, word);
	if (word.n > 2 && memcmp(word.p + word.n - 2, "'s", 2) == 0)
		e.stops = find_word_entry(t, (struct mem_str){ word.p, word.n - 2 })->stops;
	return e;
}
