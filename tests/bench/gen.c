/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen: events and queries for the bench, the same bytes for the same seed and count.
 *
 *   gen events COUNT SEED                    NDJSON for mem-capture, about 300 bytes a line
 *   gen queries COUNT SEED HOWMANY KIND      NDJSON for --queries; KIND mixed or frequent
 *   gen window COUNT                         "SINCE UNTIL": the window that holds 1 % of the events
 *
 * Words: 40 English function words, then 200,000 made-up forms (roots with English
 * endings, so that stemming has work to do) under Zipf's law as Mandelbrot wrote it,
 * p(rank) ~ 1 / (rank + 2.7).  A quarter of the content words of an event come from the
 * 40 words of its session's topic, so words clump as they do in talk.  One event in a
 * hundred is in session "standup" and as many carry the tag "release": both lie scattered.
 * Query words are never stop words: the peers know none, and would pay for them.
 */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	FORMS = 200000, FUNCTION_WORDS = 40, TOPIC = 40, SESSION = 50, SLOTS = 1 << 19,
	STEP_S = 20, SPEAKERS = 40, WORDS_MAX = 128
};
#define EPOCH_S INT64_C(1748736000) /* 2025-06-01T00:00:00Z */

static const char *const function_words[FUNCTION_WORDS] = {
	"the", "of", "and", "to", "a", "in", "is", "it", "you", "that", "he", "was", "for",
	"on", "are", "with", "as", "his", "they", "be", "at", "this", "have", "from", "or",
	"had", "by", "but", "not", "what", "all", "were", "we", "when", "your", "can", "there",
	"an", "which", "she"
};
/* Never made up: they would be stop words to some. */
static const char *const taken_words[] = {
	"about", "above", "after", "again", "against", "also", "another", "because", "been",
	"before", "being", "below", "between", "both", "cannot", "could", "does", "doing", "down",
	"during", "each", "even", "ever", "every", "few", "further", "have", "having", "here",
	"hers", "herself", "himself", "into", "itself", "just", "like", "many", "more", "most",
	"much", "must", "myself", "never", "none", "once", "only", "other", "ought", "ours",
	"ourselves", "over", "same", "should", "since", "some", "still", "such", "than",
	"their", "theirs", "them", "themselves", "then", "these", "those", "though", "through", "under",
	"until", "upon", "very", "well", "where", "whether", "while", "whom", "will",
	"within", "without", "would", "yours", "yourself", "yourselves"
};
static const char *const names[SPEAKERS] = {
	"Alma", "Bruno", "Celia", "Dario", "Edith", "Felix", "Greta", "Hugo", "Irma", "Jonas",
	"Karla", "Linus", "Marta", "Nils", "Olga", "Paulo", "Quinn", "Rosa", "Sofia", "Tomas",
	"Ursula", "Viktor", "Wanda", "Xenia", "Yusuf", "Zoltan", "Amira", "Boris", "Clara", "Dmitri",
	"Elena", "Farid", "Gloria", "Hanna", "Ivan", "Jamila", "Kofi", "Lotte", "Mateo", "Nadia"
};

/* ---- numbers: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014) ---------- */

struct rng {
	uint64_t state;
};

static uint64_t
next(struct rng *r)
{
	uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static double
unit(struct rng *r)
{
	return (double)(next(r) >> 11) * 0x1p-53;
}

static unsigned
below(struct rng *r, unsigned n)
{
	return (unsigned)(((next(r) >> 32) * n) >> 32);
}

/* Every event has a stream of its own, so that any of them can be made alone. */
static struct rng
stream(uint64_t seed, uint64_t what, uint64_t i)
{
	struct rng r = { seed ^ (what << 56) };
	r.state = next(&r) ^ i;
	r.state = next(&r);
	return r;
}

/* ---- words ------------------------------------------------------------ */

struct form {
	char text[24];
	double place; /* forms are ranked by it: an inflected one comes later than its root */
};
static struct form forms[FORMS];
static double cumulated[FORMS];
static char (*slots)[24];

/* False when it was there before. */
static bool
claim(const char *word)
{
	uint64_t h = UINT64_C(14695981039346656037);
	for (const char *p = word; *p != '\0'; p++)
		h = (h ^ (unsigned char)*p) * UINT64_C(1099511628211);
	for (uint64_t i = h >> 20;; i++) {
		char *slot = slots[i % SLOTS];
		if (slot[0] == '\0') {
			strcpy(slot, word);
			return true;
		}
		if (strcmp(slot, word) == 0)
			return false;
	}
}

static void
make_root(struct rng *r, int syllables, char *out)
{
	static const char *const heads[] = { "b", "br", "c", "ch", "d", "dr", "f", "fl", "g", "gr", "h",
		"j", "k", "l", "m", "n", "p", "pl", "pr", "qu", "r", "s", "sh", "sl", "st", "t", "th",
		"tr", "v", "w", "z" };
	static const char *const vowels[] = { "a", "e", "i", "o", "u", "ai", "ea", "oo", "ou" };
	static const char *const tails[] = { "", "", "", "", "", "", "", "", "", "l", "m", "n", "nd", "p", "r", "rk", "sk",
		"ss", "t", "x" };
	size_t n = 0;
	for (int i = 0; i < syllables; i++)
		n += (size_t)sprintf(out + n, "%s%s%s", heads[below(r, sizeof heads / sizeof *heads)],
		    vowels[below(r, sizeof vowels / sizeof *vowels)],
		    tails[below(r, sizeof tails / sizeof *tails)]);
}

static int
by_place(const void *a, const void *b)
{
	const struct form *x = a, *y = b;
	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	return strcmp(x->text, y->text);
}

/* Roots with up to four inflected forms each, until there are enough. */
static void
make_forms(void)
{
	static const char *const endings[] = { "s", "ed", "ing", "er", "ly", "ness", "ation", "able" };
	struct rng r = stream(0, 1, 0);
	size_t n = 0;
	for (size_t root = 1; n < FORMS; root++) {
		char text[24], form[32];
		make_root(&r, root < 200 ? 1 + (int)below(&r, 2) : 2 + (root > 3000 && below(&r, 2) == 0), text);
		size_t len = strlen(text);
		if (len < 4 || len > 12 || !claim(text))
			continue;
		strcpy(forms[n].text, text);
		forms[n++].place = (double)root;
		for (unsigned more = below(&r, 5); more > 0 && n < FORMS; more--) {
			const char *ending = endings[below(&r, sizeof endings / sizeof *endings)];
			snprintf(form, sizeof form, "%s%s", text, ending);
			if (strlen(form) >= sizeof text || !claim(form))
				continue;
			strcpy(forms[n].text, form);
			forms[n++].place = (double)root * (1.3 + 8 * unit(&r));
		}
	}
	qsort(forms, FORMS, sizeof *forms, by_place);
}

static void
make_words(void)
{
	slots = calloc(SLOTS, sizeof *slots);
	if (slots == NULL)
		exit(3);
	for (size_t i = 0; i < FUNCTION_WORDS; i++)
		claim(function_words[i]);
	for (size_t i = 0; i < sizeof taken_words / sizeof *taken_words; i++)
		claim(taken_words[i]);
	make_forms();
	free(slots);
	double sum = 0;
	for (size_t i = 0; i < FORMS; i++)
		cumulated[i] = sum += 1 / ((double)i + 1 + 2.7);
}

static unsigned
zipf(struct rng *r)
{
	double u = unit(r) * cumulated[FORMS - 1];
	size_t lo = 0, hi = FORMS - 1;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (cumulated[mid] <= u)
			lo = mid + 1;
		else
			hi = mid;
	}
	return (unsigned)lo;
}

static const char *
word(unsigned rank)
{
	return rank < FUNCTION_WORDS ? function_words[rank] : forms[rank - FUNCTION_WORDS].text;
}

/* Log-uniform over the content words: as many of the rare as of the frequent. */
static unsigned
log_uniform(struct rng *r, double first, double end)
{
	return (unsigned)(first * pow(end / first, unit(r)));
}

/* ---- events ----------------------------------------------------------- */

struct event {
	char content[1600];
	unsigned ranks[WORDS_MAX]; /* of its words, in order */
	size_t nwords;
	const char *speaker, *role;
	char session[24];
	int64_t at_ms;
	bool release;
};

static unsigned
event_word(struct rng *r, const unsigned topic[TOPIC])
{
	unsigned rank = zipf(r);
	if (rank >= FUNCTION_WORDS && below(r, 4) == 0)
		return topic[below(r, TOPIC)];
	return rank;
}

/* Puts one word, a name or a number behind what is there; `first` of its sentence. */
static size_t
put_token(struct event *e, size_t n, struct rng *r, const unsigned topic[TOPIC], bool first)
{
	unsigned dice = below(r, 200);
	if (dice < 2)
		return n + (size_t)sprintf(e->content + n, "%s", names[below(r, SPEAKERS)]);
	if (dice == 2 && !first)
		return n + (size_t)sprintf(e->content + n, "%u", 1 + below(r, 2000));
	unsigned rank = event_word(r, topic);
	if (e->nwords < WORDS_MAX)
		e->ranks[e->nwords++] = rank;
	size_t len = (size_t)sprintf(e->content + n, "%s", word(rank));
	if (first)
		e->content[n] = (char)(e->content[n] - 'a' + 'A');
	return n + len;
}

static void
make_content(struct event *e, struct rng *r, const unsigned topic[TOPIC])
{
	/* Log-normal lengths: median 112 bytes, mean about 130, the longest cut at 1,200. */
	double u = unit(r), v = unit(r);
	double normal = sqrt(-2 * log(u + 1e-300)) * cos(2 * 3.14159265358979 * v);
	double want = 112 * exp(.55 * normal);
	size_t n = 0;
	e->nwords = 0;
	do {
		unsigned words = 4 + below(r, 11);
		for (unsigned i = 0; i < words; i++) {
			if (n > 0)
				e->content[n++] = ' ';
			n = put_token(e, n, r, topic, i == 0);
			if (i + 1 < words && below(r, 12) == 0)
				e->content[n++] = ',';
		}
		unsigned end = below(r, 20);
		e->content[n++] = end == 0 ? '!' : end < 4 ? '?' : '.';
	} while ((double)n < want && n < 1200);
	e->content[n] = '\0';
}

static void
make_event(struct event *e, uint64_t seed, uint64_t i)
{
	struct rng t = stream(seed, 2, i / SESSION), r = stream(seed, 3, i);
	unsigned topic[TOPIC];
	for (size_t k = 0; k < TOPIC; k++)
		topic[k] = log_uniform(&t, FUNCTION_WORDS, FORMS);
	unsigned pair[2] = { below(&t, SPEAKERS), below(&t, SPEAKERS) };
	bool standup = below(&r, 100) == 0;
	e->release = below(&r, 100) == 0;
	unsigned who = below(&r, 2);
	e->speaker = names[pair[who]];
	e->role = who == 0 ? "user" : "assistant";
	e->at_ms = (EPOCH_S + (int64_t)i * STEP_S) * 1000 + below(&r, STEP_S * 1000);
	snprintf(e->session, sizeof e->session, standup ? "standup" : "s%" PRIu64, i / SESSION);
	make_content(e, &r, topic);
}

static void
format_time(int64_t ms, char *out, size_t size)
{
	time_t s = (time_t)(ms / 1000);
	struct tm tm;
	gmtime_r(&s, &tm);
	size_t n = strftime(out, size, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(out + n, size - n, ".%03dZ", (int)(ms % 1000));
}

static void
print_events(uint64_t count, uint64_t seed)
{
	static struct event e;
	for (uint64_t i = 0; i < count; i++) {
		char at[40];
		make_event(&e, seed, i);
		format_time(e.at_ms, at, sizeof at);
		printf("{\"content\":\"%s\",\"role\":\"%s\",\"speaker\":\"%s\",\"session_id\":\"%s\","
		    "\"captured_at\":\"%s\",\"ref\":\"turn-%" PRIu64 "\"%s}\n",
		    e.content, e.role, e.speaker, e.session, at, i,
		    e.release ? ",\"tags\":[\"release\"]" : "");
	}
}

/* ---- queries ---------------------------------------------------------- */

enum { QUERY_TERMS = 5 };

static bool
add_rank(unsigned *ranks, size_t *n, unsigned rank)
{
	for (size_t i = 0; i < *n; i++)
		if (ranks[i] == rank)
			return false;
	if (rank < FUNCTION_WORDS)
		return false;
	ranks[(*n)++] = rank;
	return true;
}

/* Most mixed queries take their words from one event, as who remembers it would. */
static size_t
make_query(struct rng *r, uint64_t count, uint64_t seed, bool frequent, unsigned *ranks)
{
	static struct event e;
	size_t want = 1 + below(r, QUERY_TERMS), n = 0;
	bool from_event = !frequent && below(r, 10) < 7;
	if (from_event)
		make_event(&e, seed, next(r) % count);
	for (int tries = 0; n < want && tries < 200; tries++) {
		if (from_event && e.nwords > 0)
			add_rank(ranks, &n, e.ranks[below(r, (unsigned)e.nwords)]);
		else if (frequent)
			add_rank(ranks, &n, FUNCTION_WORDS + below(r, 200));
		else
			add_rank(ranks, &n, log_uniform(r, FUNCTION_WORDS, FORMS));
	}
	if (n == 0)
		ranks[n++] = FUNCTION_WORDS;
	return n;
}

static void
print_queries(uint64_t count, uint64_t seed, uint64_t howmany, bool frequent)
{
	struct rng r = stream(seed, frequent ? 5 : 4, count);
	for (uint64_t q = 0; q < howmany; q++) {
		unsigned ranks[QUERY_TERMS];
		size_t n = make_query(&r, count, seed, frequent, ranks);
		printf("{\"qid\":\"%c%" PRIu64 "\",\"query\":\"", frequent ? 'f' : 'm', q);
		for (size_t i = 0; i < n; i++)
			printf("%s%s", i > 0 ? " " : "", word(ranks[i]));
		printf("\"}\n");
	}
}

static void
print_window(uint64_t count)
{
	char since[40], until[40];
	int64_t from = (int64_t)(count / 2), to = from + (int64_t)(count / 100);
	format_time((EPOCH_S + from * STEP_S) * 1000, since, sizeof since);
	format_time((EPOCH_S + to * STEP_S) * 1000, until, sizeof until);
	printf("%s %s\n", since, until);
}

int
main(int argc, char **argv)
{
	uint64_t arg[3] = { 0 };
	for (int i = 2; i < argc && i < 5; i++)
		arg[i - 2] = strtoull(argv[i], NULL, 10);
	bool events = argc == 4 && strcmp(argv[1], "events") == 0;
	bool queries = argc == 6 && strcmp(argv[1], "queries") == 0;
	bool window = argc == 3 && strcmp(argv[1], "window") == 0;
	if (!(events || queries || window) || arg[0] == 0) {
		fputs("usage: gen events COUNT SEED | gen queries COUNT SEED HOWMANY mixed|frequent | "
		      "gen window COUNT\n", stderr);
		return 2;
	}
	if (!window)
		make_words();
	if (events)
		print_events(arg[0], arg[1]);
	else if (queries)
		print_queries(arg[0], arg[1], arg[2], strcmp(argv[5], "frequent") == 0);
	else
		print_window(arg[0]);
	return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 3;
}
