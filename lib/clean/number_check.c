/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of what states and services number: check digits, placeholders, values of documentations. */
#include "clean/clean_int.h"

#include <string.h>

/* Digits of `s` alone, at most `max`; their number. */
static size_t
read_digits(struct mem_str s, unsigned char *to, size_t max)
{
	size_t n = 0;
	for (size_t i = 0; i < s.n && n < max; i++)
		if (clean_is_digit(s.p[i]))
			to[n++] = (unsigned char)(s.p[i] - '0');
	return n;
}

/*
 * Of the first ten digits one stands there twice or three times, which no three of a row are, and the eleventh checks them by
 * ISO 7064 mod 11,10 (bzst.de, "Aufbau der Identifikationsnummer").
 */
static bool
is_steuer_id(struct mem_str s)
{
	unsigned char d[12];
	unsigned count[10] = { 0 }, many = 0, product = 10;
	if (read_digits(s, d, sizeof d) != 11)
		return false;
	for (size_t i = 0; i < 10; i++) {
		many += ++count[d[i]] == 2;
		unsigned sum = (d[i] + product) % 10;
		product = 2 * (sum == 0 ? 10 : sum) % 11;
	}
	return many == 1 && (11 - product) % 10 == d[10];
}

/* Eight digits, or X, Y, Z for 0, 1, 2 and seven; the letter is their rest modulo 23 (interior.gob.es, "Cálculo del dígito de control"). */
static bool
is_dni(struct mem_str s)
{
	static const char letters[] = "TRWAGMYFPDXBNJZSQVHLCKE";
	unsigned number = s.p[0] >= 'X' ? (unsigned)(s.p[0] - 'X') : 0;
	for (size_t i = 0; i + 1 < s.n; i++)
		if (clean_is_digit(s.p[i]))
			number = number * 10 + (unsigned)(s.p[i] - '0');
	/* 12345678Z is the one of every manual. */
	return number != 12345678 && number > 99 && s.p[s.n - 1] == letters[number % 23];
}

/* 97 less the number modulo 97; 2A and 2B (Corsica) count as 19 and 18 (insee.fr, "Numéro de sécurité sociale"). */
static bool
is_nir(struct mem_str s)
{
	uint64_t number = 0;
	unsigned n = 0, key = 0;
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		if (c == 'A' || c == 'B') /* 2A: 20 less 1; 2B: 20 less 2 */
			number = number * 10 - (c == 'A' ? 1 : 2);
		else if (clean_is_digit(c) && n < 13)
			number = number * 10 + (unsigned)(c - '0');
		else if (clean_is_digit(c))
			key = key * 10 + (unsigned)(c - '0');
		n += c != ' ';
	}
	return n == 15 && 97 - number % 97 == key;
}

bool
clean_holds(struct mem_str s, const char *word)
{
	const size_t n = strlen(word);
	for (size_t i = 0; i + n <= s.n; i++)
		if ((s.p[i] | 32) == (word[0] | 32) && strncasecmp(s.p + i, word, n) == 0)
			return true;
	return false;
}

/* AKIAIOSFODNN7EXAMPLE and its like, secrets that end with EXAMPLEKEY (docs.aws.amazon.com), Telegram's token, Stripe's keys,
 * the signature of jwt.io, the secret of the form of otpauth addresses. */
bool
clean_is_documented(struct mem_str s)
{
	static const char *const values[] = {
		"AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw", "sk_test_4eC39HqLyjWDarjtT1zdp7dc", "sk_test_BQokikJOvBiI2HlWgH4olfQ2",
		"SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c", "JBSWY3DPEHPK3PXP",
	};
	bool found = (s.n == 20 && memcmp(s.p + 1, "KIA", 3) == 0 && memcmp(s.p + 13, "EXAMPLE", 7) == 0) ||
	    (s.n == 40 && memcmp(s.p + 30, "EXAMPLEKEY", 10) == 0);
	for (size_t i = 0; i < MEM_COUNT(values) && !found; i++)
		found = clean_holds(s, values[i]);
	return found;
}

static bool
is_own(struct mem_str s)
{
	return !clean_is_documented(s);
}

static bool
is_key(struct mem_str s)
{
	return !clean_holds(s, "xxxx") && !clean_holds(s, "your") && !clean_is_documented(s);
}

bool
clean_check_number(enum clean_check check, struct mem_str match)
{
	static bool (*const checks[CLEAN_CHECK_COUNT])(struct mem_str) = {
		[CLEAN_CHECK_KEY] = is_key, [CLEAN_CHECK_OWN] = is_own, [CLEAN_CHECK_STEUER_ID] = is_steuer_id,
		[CLEAN_CHECK_DNI] = is_dni, [CLEAN_CHECK_NIR] = is_nir,
	};
	return checks[check] != NULL && checks[check](match);
}
