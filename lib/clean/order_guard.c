/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The guard of a cut: is what a marker found an order to the reader, or is it quoted, told of, or meant for a person?
 *
 * A cut loses text, so each doubt keeps it.  What is kept is flagged all the same.  The guard reads the sentence of the
 * match and 300 bytes around it:
 *
 *   quotation   an open quotation mark, code, a quoted line, an item of a list, a row of a table
 *   report      a word that tells of sayings or conditions before the match ("told", "if"), a word of the trade
 *               anywhere around it ("injection", "refused")
 *   position    an order begins its clause, or only words like "please" and "you must" stand before it
 *   aim         no "my" in it, no question, no place behind it ("... in section 3")
 *   rest        nothing behind it, or what is more than people say to each other (order_rest.c)
 */
#include "clean/clean_int.h"
#include "text/text.h"

#include <ctype.h>
#include <string.h>

#define AROUND      300  /* bytes */
#define CLAUSE_MAX  1024 /* bytes */
#define QUOTE_REACH 4096 /* bytes */

/* ---- words --------------------------------------------------------------
 * Folded as mem_text_fold does, "*" at the end: any ending.  Each list has the languages of the markers: en de fr es pt
 * it nl tr pl ru; zh ja ko, which write no blanks, have lists of their own. */

/* Before an order in its sentence: somebody tells, asks, tries, or it is a condition. */
static const char *const reports[] = {
	"told", "tell", "tells", "telling", "tried", "tries", "try", "trying", "ask", "asks", "asked", "asking", "assert*", "claim*",
	"explain*", "describ*", "mention*", "wrote", "writes", "written", "writing", "said", "says", "saying", "reads", "contain*",
	"includ*", "instructs", "instructed", "instructing", "demand*", "ordered", "wants", "wanted", "attempt*", "tested", "testing",
	"if", "when", "whenever", "how", "why", "whether", "because", "who", "which", "example*", "phrase*", "called", "titled",
	"string", "pattern*", "means", "never", "not", "don't", "doesn't", "didn't", "won't", "can", "could", "may", "might",
	"sagte*", "sagt", "gesagt", "erzahl*", "versuch*", "bat", "gebeten", "fragt*", "gefragt", "behaupt*", "erklar*", "beschreib*",
	"schrieb*", "schreibt", "geschrieben", "steht", "enthalt*", "wenn", "falls", "ob", "weil", "wie", "beispiel*", "nicht", "nie",
	"dit", "disait", "demand*", "essa*", "affirm*", "expliqu*", "decri*", "ecri*", "contient", "si", "quand", "comment", "exemple*",
	"pas", "jamais", "dije", "dijo", "dice", "pedi*", "pide*", "intent*", "trat*", "explic*", "escrib*", "contiene", "cuando", "como",
	"ejemplo*", "no", "nunca", "disse", "diz", "pediu", "tent*", "escrev*", "contem", "se", "quando", "exemplo*", "nao",
	"detto", "dice", "chiest*", "provat*", "spieg*", "scritt*", "contiene", "esempi*", "non", "mai", "vroeg", "zei", "zegt", "probeer*",
	"geprobeerd", "uitleg*", "schreef", "bevat", "als", "wanneer", "voorbeeld*", "niet", "nooit", "dedi*", "soyle*", "denedi*", "iste*",
	"acikla*", "yazdi*", "eger", "nasil", "ornek*", "powiedzia*", "mowi*", "prosi*", "probowa*", "wyjasni*", "napisa*", "zawiera*",
	"jesli", "gdy", "kiedy", "przyklad*", "nie", "сказа*", "говор*", "попроси*", "пыта*", "попроб*", "утвержда*", "объясн*", "написа*",
	"содерж*", "если", "когда", "как", "пример*", "не", "никогда",
};
/* Anywhere around an order: talk about orders. */
static const char *const subjects[] = {
	"injection*", "inject*", "jailbreak*", "attack*", "payload*", "refus*", "malicious*", "adversar*", "phish*", "exploit*", "vulnerab*",
	"classif*", "detect*", "blocked", "filter*", "flagged", "example*", "regex*", "benchmark*", "dataset*", "red-team*", "redteam*",
	"injektion*", "angriff*", "angreif*", "verweiger*", "beispiel*", "weigert*", "attaque*", "exemple*", "inyeccion*", "ataque*", "atacante*",
	"ejemplo*", "rechaz*", "nego", "injecao", "injecoes", "atacante*", "exemplo*", "recus*", "iniezion*", "attacc*", "esempi*", "rifiut*",
	"injectie*", "aanval*", "voorbeeld*", "weiger*", "saldir*", "enjeksiyon*", "ornek*", "redde*", "reddet*", "wstrzyk*", "atak*",
	"przyklad*", "odmow*", "инъекци*", "атак*", "пример*", "отказ*", "взлом*",
};
static const char *const glued_subjects[] = {
	"注入", "攻击", "攻擊", "越狱", "越獄", "例如", "例子", "比如", "拒绝", "拒絕", "告诉", "告訴", "说了", "试图", "尝试", "写着", "解释", "如果",
	"インジェクション", "攻撃", "例えば", "たとえば", "拒否", "断", "と言", "と書", "試", "説明", "もし", "という", "ように",
	"인젝션", "주입", "공격", "탈옥", "예를", "예시", "거부", "거절", "라고", "다고", "하라는", "시도", "설명", "만약", "하면",
};
/* What may stand before an order in its clause. */
static const char *const openings[] = {
	"please", "kindly", "now", "and", "then", "so", "but", "ok", "okay", "hey", "hi", "hello", "dear", "also", "just", "simply", "instead",
	"first", "finally", "important", "importantly", "attention", "urgent", "warning", "notice", "note", "system", "admin", "administrator",
	"user", "assistant", "ai", "model", "claude", "chatgpt", "gpt", "copilot", "gemini", "agent", "bot", "you", "i", "want", "need", "command",
	"order", "would", "like", "to", "must", "should", "shall", "have", "will", "lets", "let's", "listen", "well", "very", "good", "great",
	"stop", "from", "here", "on", "instruction", "instructions", "message", "update", "override", "new", "immediately", "completely",
	"bitte", "nun", "jetzt", "also", "und", "dann", "du", "sie", "ich", "mochte", "will", "dass", "musst", "sollst", "mussen", "sollen",
	"wichtig", "achtung", "por", "favor", "ahora", "y", "entonces", "quiero", "que", "debes", "importante", "atencion", "s'il", "il", "te", "vous",
	"plait", "maintenant", "et", "puis", "je", "veux", "tu", "dois", "devez", "veuillez", "per", "favore", "ora", "adesso", "e", "poi", "voglio",
	"che", "devi", "agora", "deve", "voce", "quero", "alsjeblieft", "nu", "en", "dan", "je", "moet", "belangrijk", "lutfen", "simdi", "ve",
	"artik", "onemli", "prosze", "teraz", "i", "musisz", "wazne", "пожалуиста", "теперь", "сеичас", "и", "ты", "должен", "важно", "внимание",
	"請", "请", "现在", "現在", "今", "지금", "이제",
};
/* After it: a place, a part, a quality.  Then it is about certain instructions, or a sentence about the phrase. */
static const char *const places[] = {
	"in", "on", "about", "of", "from", "for", "by", "is", "was", "are", "were", "as", "when", "if", "regarding", "concerning", "within",
	"inside", "who", "unless", "except", "im", "aus", "zu", "zum", "zur", "von", "uber", "ist", "war", "sind", "fur", "wenn", "dans", "sur",
	"concernant", "est", "pour", "de", "del", "du", "des", "sobre", "es", "para", "en", "em", "no", "na", "do", "da", "per", "nel", "nella",
	"della", "sul", "sulla", "uit", "van", "over", "voor", "w", "z", "o", "dla", "в", "из", "о", "для", "на", "по",
};
/* In it: it is meant for everything that the reader was told.  Or after it: something is to be done instead. */
static const char *const wholes[] = {
	"all", "any", "every", "everything", "each", "whole", "your", "system", "alle*", "samtliche*", "jegliche*", "deine*", "ihre*", "todo", "todos",
	"toda", "todas", "tus", "sus", "tout", "tous", "toutes", "tes", "vos", "tutto", "tutti", "tutte", "tue", "vostre", "suas", "tuas", "quaisquer",
	"al", "jouw", "uw", "tum", "butun", "wszystk*", "swoje", "swoich", "twoje", "sve", "sva", "vsechn*", "все", "всех", "всё", "всем", "твои", "ваши",
};
static const char *const glued_wholes[] = { "所有", "全部", "一切", "你的", "您的", "すべて", "全て", "全部", "모든", "모두", "전부" };
static const char *const continuations[] = {
	"and", "then", "instead", "now", "but", "und", "dann", "stattdessen", "nun", "y", "ahora", "et", "maintenant", "e", "ora", "agora", "en", "nu",
	"ve", "simdi", "i", "teraz", "a", "и", "теперь",
};
/* In it: the speaker takes back what he said himself. */
static const char *const own[] = {
	"my", "our", "mine", "meine", "meinen", "meiner", "unsere", "unseren", "mes", "mon", "ma", "nos", "mis", "mi", "nuestras", "minhas", "meus",
	"miei", "mie", "mijn", "onze", "moje", "moich", "мои", "моих", "наши", "said", "told", "wrote",
};

bool
clean_matches_list(struct mem_str word, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (word.n == 0 || list[i][0] != word.p[0])
			continue;
		size_t len = strlen(list[i]);
		bool prefix = list[i][len - 1] == '*';
		len -= prefix;
		if (word.n >= len && (prefix || word.n == len) && memcmp(word.p, list[i], len) == 0)
			return true;
	}
	return false;
}

static bool
is_letter_at(struct mem_str s, size_t at)
{
	return at < s.n && (isalnum((unsigned char)s.p[at]) || (s.p[at] & 0x80) != 0);
}

/* Letters, digits and all beyond ASCII make words, joined by one of '-.@ (an address is one word); false: there are no more. */
bool
clean_take_word(struct mem_str s, size_t *at, struct mem_str *word)
{
	while (*at < s.n && !is_letter_at(s, *at))
		++*at;
	size_t start = *at;
	while (is_letter_at(s, *at) || (*at < s.n && strchr("'-.@", s.p[*at]) != NULL && is_letter_at(s, *at + 1)))
		++*at;
	*word = (struct mem_str){ s.p + start, *at - start };
	return word->n > 0;
}

/* Is one of the folded text's words listed, or, with `all`, is each of them? */
static bool
has_listed_words(struct mem_str folded, const char *const *list, size_t n, bool all)
{
	struct mem_str word;
	for (size_t at = 0; clean_take_word(folded, &at, &word);)
		if (clean_matches_list(word, list, n) != all)
			return !all;
	return all;
}

static bool
has_glued_words(struct mem_str folded, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (folded.n > 0 && memmem(folded.p, folded.n, list[i], strlen(list[i])) != NULL)
			return true;
	return false;
}

static struct mem_str
fold_part(struct mem_buf *room, struct mem_str text, size_t start, size_t end)
{
	mem_buf_reset(room);
	mem_text_fold(room, (struct mem_str){ text.p + start, end - start });
	return mem_buf_span(room);
}

/* ---- quotation ---------------------------------------------------------- */

/* Is the quotation mark at `at` that of a JSON value, "name": "..."?  Then the value is a text, not a quotation. */
static bool
opens_json_value(struct mem_str s, size_t at)
{
	while (at > 0 && s.p[at - 1] == ' ')
		at--;
	if (at == 0 || s.p[at - 1] != ':')
		return false;
	for (at--; at > 0 && s.p[at - 1] == ' ';)
		at--;
	return at > 0 && s.p[at - 1] == '"';
}

/* Depth changes of marks that open and close: typographic, angular, and those of Chinese and Japanese. */
static int
quote_depth_change(uint32_t c)
{
	switch (c) {
	case 0x201c: case 0x201e: case 0xab: case 0x2039: case 0x300c: case 0x300e: case 0x2018: case 0x201a: case 0xff02: return 1;
	case 0x201d: case 0xbb: case 0x203a: case 0x300d: case 0x300f: return -1;
	default: return 0;
	}
}

/* Where the line of `at` begins. */
static size_t
find_line_start(struct clean_guard *g, size_t at)
{
	struct mem_str s = g->walk.text;
	for (; g->line_at < at; g->line_at++)
		if (s.p[g->line_at] == '\n')
			g->line = g->line_at + 1;
	return g->line;
}

/* Reads the character at `i`, which is before `end`, and returns its length. */
static size_t
read_quote(struct clean_quotes *q, struct mem_str s, size_t i, size_t end)
{
	uint32_t c;
	size_t n = mem_utf8_decode(s.p + i, s.n - i, &c);
	if (c == '\\' && i + 1 < end && s.p[i + 1] == '"') {
		q->inner = !q->inner;
		n = 2;
	} else if (c == '"') {
		q->outer = !q->outer;
		q->inner = false;
		q->json = q->outer && opens_json_value(s, i);
	} else if (c == '`') {
		q->tick = !q->tick;
	} else if (c == '\'' || c == 0x2019) {
		q->single = !q->single ? c == '\'' && !(i > 0 && is_letter_at(s, i - 1)) : is_letter_at(s, i + n);
		q->depth -= c == 0x2019 && q->depth > 0 && !is_letter_at(s, i + n);
	} else {
		q->depth += quote_depth_change(c);
	}
	return n;
}

/*
 * Is a quotation open at `at` that was begun in the same line, at most QUOTE_REACH to twice that before?  »...« and „...“
 * count as well: any mark of theirs will do.
 */
static bool
is_in_quotes(struct clean_guard *g, size_t at)
{
	struct mem_str s = g->walk.text;
	struct clean_quotes *q = &g->quotes;
	size_t line = find_line_start(g, at), from = at - line > QUOTE_REACH ? at - QUOTE_REACH : line;
	if (g->quotes_from < line || at - g->quotes_from > 2 * QUOTE_REACH) {
		*q = (struct clean_quotes){ 0 };
		g->quotes_from = g->quotes_at = from;
	}
	while (g->quotes_at < at)
		g->quotes_at += read_quote(q, s, g->quotes_at, at);
	return (q->outer && !q->json) || q->inner || q->tick || q->single || q->depth != 0;
}

/* A line that is quoted, listed, or a row of a table. */
static bool
is_in_set_apart_line(struct clean_guard *g, size_t at)
{
	struct mem_str s = g->walk.text;
	size_t i = find_line_start(g, at), line = i;
	while (i < at && i - line < AROUND && (s.p[i] == ' ' || s.p[i] == '\t'))
		i++;
	if (i < s.n && strchr(">|", s.p[i]) != NULL)
		return true;
	if (i + 1 < s.n && strchr("-*+", s.p[i]) != NULL && s.p[i + 1] == ' ')
		return true;
	size_t digits = i;
	while (digits < at && digits - i < AROUND && isdigit((unsigned char)s.p[digits]))
		digits++;
	return (digits > i && digits < at && strchr(".)", s.p[digits]) != NULL) || (at - i >= 3 && memcmp(s.p + i, "\xe2\x80\xa2", 3) == 0);
}

/* ---- the guard ---------------------------------------------------------- */

void
clean_guard_begin(struct clean_guard *g, struct mem_str text)
{
	*g = (struct clean_guard){ .walk = { .text = text } };
}

void
clean_guard_release(struct clean_guard *g)
{
	mem_buf_release(&g->room);
}

static void
seek_sentence(struct clean_guard *g, size_t at)
{
	while (g->now.span.end <= at) {
		g->before = g->now;
		if (!mem_sentences_next(&g->walk, &g->now))
			break;
	}
}

static bool
ends_in_colon(struct mem_str text, struct mem_span s)
{
	uint32_t c = 0;
	size_t i = s.end;
	while (i > s.start && c == 0)
		if ((text.p[--i] & 0xc0) != 0x80)
			mem_utf8_decode(text.p + i, s.end - i, &c);
	return c == ':' || c == 0xff1a;
}

/* Where the clause of `at` begins, from `start` on; the value of a JSON string is one by itself. */
static size_t
find_clause_start(struct mem_str text, size_t start, size_t at)
{
	size_t i = at;
	while (i > start && !(i > start + 1 && text.p[i - 2] == '\\' && strchr("nrt", text.p[i - 1]) != NULL) && strchr(",;:!?.([{<>|=#*\"\n", text.p[i - 1]) == NULL && (unsigned char)text.p[i - 1] != 0x94)
		i--;
	return i;
}

/*
 * It begins its clause, and a colon before that follows no more than such words either ("IMPORTANT:").  What is longer than
 * CLAUSE_MAX says more than that.
 */
static bool
begins_clause(struct clean_guard *g, size_t from, size_t at)
{
	struct mem_str text = g->walk.text;
	size_t low = at - from > CLAUSE_MAX ? at - CLAUSE_MAX : from, clause = find_clause_start(text, low, at);
	bool colon = clause > from && text.p[clause - 1] == ':';
	if (low > from && (clause == low || colon))
		return false;
	if (colon)
		clause = from;
	return has_listed_words(fold_part(&g->room, text, clause, at), openings, MEM_COUNT(openings), true);
}

/* Is it a demand on the reader: by its place, its end and what it is about? */
static bool
is_demand(struct clean_guard *g, size_t from, const struct clean_span *s)
{
	struct mem_str text = g->walk.text, word = { NULL, 0 };
	size_t end = s->match_end, last = g->now.span.end, at = 0;
	if (!begins_clause(g, from, s->start) || (last > end && text.p[last - 1] == '?'))
		return false;
	struct mem_str match = fold_part(&g->room, text, s->start, end);
	if (has_listed_words(match, own, MEM_COUNT(own), false))
		return false;
	bool whole = has_listed_words(match, wholes, MEM_COUNT(wholes), false) || has_glued_words(match, glued_wholes, MEM_COUNT(glued_wholes));
	size_t more = text.n - end < 32 ? text.n : end + mem_utf8_cut((struct mem_str){ text.p + end, text.n - end }, 32);
	struct mem_str after = fold_part(&g->room, text, end, more);
	if (clean_take_word(after, &at, &word) && after.p[0] == ' ' && clean_matches_list(word, places, MEM_COUNT(places)))
		return false;
	if (!whole && (word.n == 0 || !clean_matches_list(word, continuations, MEM_COUNT(continuations))))
		return false;
	return !clean_is_harmless_rest(text, end, &g->room);
}

bool
clean_guard_allows(struct clean_guard *g, const struct clean_span *s)
{
	struct mem_str text = g->walk.text;
	seek_sentence(g, s->start);
	if (g->now.code || is_in_quotes(g, s->start) || is_in_set_apart_line(g, s->start))
		return false;
	size_t from = g->now.span.start < s->start ? g->now.span.start : s->start;
	if (g->before.span.end > 0 && ends_in_colon(text, g->before.span))
		from = g->before.span.start;
	if (s->start - from > AROUND)
		from = s->start - AROUND;
	while (from < s->start && (text.p[from] & 0xc0) == 0x80)
		from++;
	if (has_listed_words(fold_part(&g->room, text, from, s->start), reports, MEM_COUNT(reports), false))
		return false;
	size_t low = s->start > AROUND ? s->start - AROUND : 0, high = text.n - s->match_end > AROUND ? s->match_end + AROUND : text.n;
	while (low < s->start && (text.p[low] & 0xc0) == 0x80)
		low++;
	while (high < text.n && (text.p[high] & 0xc0) == 0x80)
		high++;
	struct mem_str around = fold_part(&g->room, text, low, high);
	if (has_listed_words(around, subjects, MEM_COUNT(subjects), false) || has_glued_words(around, glued_subjects, MEM_COUNT(glued_subjects)))
		return false;
	return s->rule->check != CLEAN_CHECK_ORDER || is_demand(g, g->now.span.start < s->start ? g->now.span.start : s->start, s);
}
