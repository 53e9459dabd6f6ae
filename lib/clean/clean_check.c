/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of what a rule's pattern found: cards, IBANs, addresses, e-mail, phone numbers. */
#include "clean/clean_int.h"

#include <ctype.h>
#include <string.h>

bool
clean_has_only(struct mem_str s, const char *set)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] == '\0' || strchr(set, s.p[i]) == NULL)
			return false;
	return s.n > 0;
}

bool
clean_is_one_of(struct mem_str s, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(words[i]) == s.n && strncasecmp(words[i], s.p, s.n) == 0)
			return true;
	return false;
}

/* ---- cards ------------------------------------------------------------- */

/* ISO/IEC 7812-1 annex B: from the right, every second digit doubled, its digits summed. */
static bool
is_luhn_number(struct mem_str s)
{
	unsigned sum = 0, n = 0;
	for (size_t i = s.n; i-- > 0;) {
		if (!clean_is_digit(s.p[i]))
			continue;
		unsigned d = (unsigned)(s.p[i] - '0');
		if (n++ % 2 == 1)
			d = d * 2 > 9 ? d * 2 - 9 : d * 2;
		sum += d;
	}
	return n > 1 && sum % 10 == 0;
}

/*
 * Do issuers give out numbers of this beginning and length?  An IMEI passes Luhn too,
 * and so does every tenth order number, so the ranges are kept to those in use
 * (ISO/IEC 7812 major industries 3 to 6, Mastercard's 2221-2720, Mir's 2200, UnionPay's 81).
 */
static bool
is_card_prefix(const char *d, size_t n)
{
	unsigned two = (unsigned)(d[0] - '0') * 10 + (unsigned)(d[1] - '0');
	switch (d[0]) {
	case '2':
		return n == 16 && two >= 22 && two <= 27;
	case '3':
		if (two == 34 || two == 37)
			return n == 15;
		if (two == 30 || two == 36 || two == 38 || two == 39)
			return n >= 14 && n != 15;
		return two == 35 && n >= 16;
	case '4':
		return n == 13 || n == 16 || n == 19;
	case '5':
	case '6':
		return n != 15 && n != 14;
	case '8':
		return n == 16 && two == 81;
	default:
		return false;
	}
}

/* The longest run of digit groups from *start that is a card number. */
static bool
check_card(struct mem_str text, const size_t *start, size_t *end)
{
	char d[19];
	size_t n = 0, best = 0;
	for (size_t i = *start; i < *end; i++) {
		if (clean_is_digit(text.p[i]) && n < sizeof d)
			d[n++] = text.p[i];
		bool edge = clean_is_digit(text.p[i]) && (i + 1 == *end || !clean_is_digit(text.p[i + 1]));
		if (edge && n >= 13 && is_card_prefix(d, n) && is_luhn_number((struct mem_str){ d, n }) &&
		    !mem_str_is((struct mem_str){ d, n }, "4242424242424242")) /* of Stripe's documentation */
			best = i + 1;
	}
	*end = best;
	return best > 0;
}

/* ---- IBAN -------------------------------------------------------------- */

/* Lengths from the IBAN registry (SWIFT, ISO 13616-1), by country. */
static const struct {
	char country[3];
	uint8_t length;
} ibans[] = {
	{ "AD", 24 }, { "AE", 23 }, { "AL", 28 }, { "AT", 20 }, { "AZ", 28 }, { "BA", 20 }, { "BE", 16 },
	{ "BG", 22 }, { "BH", 22 }, { "BI", 27 }, { "BR", 29 }, { "BY", 28 }, { "CH", 21 }, { "CR", 22 },
	{ "CY", 28 }, { "CZ", 24 }, { "DE", 22 }, { "DJ", 27 }, { "DK", 18 }, { "DO", 28 }, { "EE", 20 },
	{ "EG", 29 }, { "ES", 24 }, { "FI", 18 }, { "FK", 18 }, { "FO", 18 }, { "FR", 27 }, { "GB", 22 },
	{ "GE", 22 }, { "GI", 23 }, { "GL", 18 }, { "GR", 27 }, { "GT", 28 }, { "HN", 28 }, { "HR", 21 },
	{ "HU", 28 }, { "IE", 22 }, { "IL", 23 }, { "IQ", 23 }, { "IS", 26 }, { "IT", 27 }, { "JO", 30 },
	{ "KW", 30 }, { "KZ", 20 }, { "LB", 28 }, { "LC", 32 }, { "LI", 21 }, { "LT", 20 }, { "LU", 20 },
	{ "LV", 21 }, { "LY", 25 }, { "MC", 27 }, { "MD", 24 }, { "ME", 22 }, { "MK", 19 }, { "MN", 20 },
	{ "MR", 27 }, { "MT", 31 }, { "MU", 30 }, { "NI", 28 }, { "NL", 18 }, { "NO", 15 }, { "OM", 23 },
	{ "PK", 24 }, { "PL", 28 }, { "PS", 29 }, { "PT", 25 }, { "QA", 29 }, { "RO", 24 }, { "RS", 22 },
	{ "RU", 33 }, { "SA", 24 }, { "SC", 31 }, { "SD", 18 }, { "SE", 24 }, { "SI", 19 }, { "SK", 24 },
	{ "SM", 27 }, { "SO", 23 }, { "ST", 25 }, { "SV", 28 }, { "TL", 23 }, { "TN", 24 }, { "TR", 26 },
	{ "UA", 29 }, { "VA", 22 }, { "VG", 24 }, { "XK", 20 }, { "YE", 30 },
};

static size_t
iban_length(const char *s)
{
	for (size_t i = 0; i < MEM_COUNT(ibans); i++)
		if (ibans[i].country[0] == s[0] && ibans[i].country[1] == s[1])
			return ibans[i].length;
	return 0;
}

/* ISO 7064 mod 97-10 of the number with its first four characters moved to the end. */
static bool
is_mod97_number(const char *s, size_t n)
{
	unsigned r = 0;
	for (size_t i = 0; i < n; i++) {
		char c = s[(i + 4) % n];
		r = clean_is_digit(c) ? (r * 10 + (unsigned)(c - '0')) % 97 : (r * 100 + (unsigned)(c - 'A') + 10) % 97;
	}
	return r == 1;
}

static bool
check_iban(struct mem_str text, const size_t *start, size_t *end)
{
	char s[34];
	size_t n = 0, need = 0;
	for (size_t i = *start; i < *end; i++) {
		char c = clean_is_lower(text.p[i]) ? (char)(text.p[i] - 32) : text.p[i];
		if (!clean_is_digit(c) && !clean_is_upper(c))
			continue;
		s[n++] = c;
		if (n == 2 && (need = iban_length(s)) == 0)
			return false;
		if (n == need) {
			bool whole = i + 1 == text.n || !isalnum((unsigned char)text.p[i + 1]);
			*end = i + 1;
			return whole && is_mod97_number(s, n);
		}
	}
	return false;
}

/* ---- addresses --------------------------------------------------------- */

/*
 * Four numbers under 256 without leading zeros.  Loopback, "any" and net masks say
 * nothing about anybody.
 */
static bool
check_ipv4(struct mem_str text, const size_t *start, const size_t *end)
{
	unsigned part[4] = { 0 }, n = 0;
	size_t i = *start;
	while (i < *end && n < 4) {
		size_t first = i;
		while (i < *end && clean_is_digit(text.p[i]) && i - first < 4)
			part[n] = part[n] * 10 + (unsigned)(text.p[i++] - '0');
		if (i == first || part[n] > 255 || (text.p[first] == '0' && i - first > 1))
			return false;
		n++;
		if (i < *end && text.p[i++] != '.')
			return false;
	}
	return n == 4 && i == *end && part[0] != 127 && part[0] != 0 && part[0] != 255;
}

/* Length of an IPv4 address that ends an IPv6 one, at p; 0: none. */
static size_t
ipv4_tail_length(const char *p, size_t n)
{
	size_t start = 0, end = 0;
	while (end < n && (clean_is_digit(p[end]) || p[end] == '.'))
		end++;
	if (memchr(p, '.', end) == NULL)
		return 0;
	return check_ipv4((struct mem_str){ p, n }, &start, &end) ? end : 0;
}

/*
 * RFC 4291 §2.2.  Of what is well formed, "a::b", "1::2" and "dead::beef" are more often
 * code than addresses: a digit is asked for and a group of three or more, or all eight.
 */
static bool
is_ipv6_text(const char *p, size_t n)
{
	unsigned groups = 0;
	bool gap = false, digits = false, wide = false, pairs = true; /* "f9:2a:…": a hardware address */
	size_t i = 0;
	if (n >= 2 && p[0] == ':' && p[1] == ':') {
		gap = true;
		i = 2;
	}
	while (i < n) {
		size_t v4 = ipv4_tail_length(p + i, n - i);
		if (v4 > 0) {
			groups += 2;
			digits = wide = true;
			i += v4;
			break;
		}
		size_t first = i;
		while (i < n && isxdigit((unsigned char)p[i])) {
			digits |= clean_is_digit(p[i]);
			i++;
		}
		if (i == first || i - first > 4)
			return false;
		wide |= i - first >= 3;
		pairs &= i - first == 2;
		groups++;
		if (i == n)
			break;
		if (p[i] != ':' || i + 1 == n)
			return false;
		if (p[++i] == ':') {
			if (gap)
				return false;
			gap = true;
			i++;
		}
	}
	return i == n && digits && (gap ? groups < 8 && wide : groups == 8 && !pairs);
}

static bool
check_ipv6(struct mem_str text, const size_t *start, size_t *end)
{
	/* "2001:db8::1: timeout" and "… 2001:db8::1." */
	for (int i = 0; i < 2; i++) {
		if (is_ipv6_text(text.p + *start, *end - *start))
			return true;
		if (*end - *start < 3 || (text.p[*end - 1] != ':' && text.p[*end - 1] != '.'))
			return false;
		(*end)--;
	}
	return false;
}

/* ---- mail and telephone ------------------------------------------------ */

bool
clean_is_in_userinfo(struct mem_str text, size_t at)
{
	size_t q = at;
	while (q > 0 && at - q < 256 && text.p[q - 1] != '\0' && strchr(" \t\r\n\"'<>(),;/", text.p[q - 1]) == NULL)
		q--;
	return q >= 3 && memcmp(text.p + q - 3, "://", 3) == 0;
}

/* What stands between the last `word` of the line before `at` and there; p NULL: no such word. */
static struct mem_str
text_after_word(struct mem_str text, size_t at, const char *word)
{
	size_t n = strlen(word), line = at;
	while (line > 0 && text.p[line - 1] != '\n' && at - line < 200)
		line--;
	for (size_t i = at >= n ? at - n + 1 : 0; i-- > line;)
		if (strncasecmp(text.p + i, word, n) == 0 && (i == line || isalnum((unsigned char)text.p[i - 1]) == 0))
			return (struct mem_str){ text.p + i + n, at - i - n };
	return (struct mem_str){ NULL, 0 };
}

/* The name of a message in its head (RFC 5322 §3.6.4), or a login of another machine behind a command and its options. */
static bool
names_no_mailbox(struct mem_str text, size_t start, size_t end)
{
	static const char *const heads[] = { "message-id:", "in-reply-to:", "references:" };
	static const char *const logins[] = { "ssh ", "sftp ", "ssh-copy-id " };
	static const char *const copies[] = { "scp ", "rsync " };
	for (size_t i = 0; i < MEM_COUNT(heads); i++)
		if (text_after_word(text, start, heads[i]).p != NULL)
			return true;
	for (size_t i = 0; i < MEM_COUNT(logins); i++) {
		struct mem_str between = text_after_word(text, start, logins[i]);
		if (between.p != NULL && (between.n == 0 || between.p[0] == '-'))
			return true;
	}
	for (size_t i = 0; i < MEM_COUNT(copies) && end < text.n && text.p[end] == ':'; i++)
		if (text_after_word(text, start, copies[i]).p != NULL)
			return true;
	return false;
}

/*
 * Not the user's part of a URL: its password has a rule of its own.  Not
 * git@host:path or git@host/path; not icon@2x.png, nor name@1.2.3-rc of a package.
 */
static bool
check_email(struct mem_str text, const size_t *start, const size_t *end)
{
	static const char *const files[] = { "png", "jpg", "jpeg", "gif", "svg", "webp", "ico", "js",
		"ts", "css", "html", "json", "txt", "pdf" };
	const char *p = text.p + *start, *e = text.p + *end;
	const char *at = memchr(p, '@', (size_t)(e - p));
	if (at == NULL)
		return false;
	if (at - p == 3 && memcmp(p, "git", 3) == 0 && *end < text.n && (*e == ':' || *e == '/'))
		return false;
	if (clean_is_in_userinfo(text, *start) || names_no_mailbox(text, *start, *end))
		return false;
	if (e - at > 2 && ((clean_is_digit(at[1]) && (at[2] == '.' || (at[2] == 'x' && e - at > 3 && at[3] == '.'))) ||
	    (at[1] == 'v' && clean_is_digit(at[2]))))
		return false;
	const char *tld = e;
	while (tld > at && tld[-1] != '.')
		tld--;
	for (size_t i = 0; i < MEM_COUNT(files); i++)
		if (strlen(files[i]) == (size_t)(e - tld) && strncasecmp(tld, files[i], (size_t)(e - tld)) == 0)
			return false;
	return true;
}

/* "2026-11-27 …", "20261127", "27.11.2026 …", "27/11/2026": no number to call. */
static bool
is_date_text(const char *p, size_t n)
{
	if (n < 8)
		return false;
	if (n == 8 && (memcmp(p, "19", 2) == 0 || memcmp(p, "20", 2) == 0) &&
	    clean_has_only((struct mem_str){ p, n }, "0123456789"))
		return true;
	bool iso = (p[0] == '1' || p[0] == '2') && clean_is_digit(p[3]) && (p[4] == '-' || p[4] == '/' || p[4] == '.') &&
	    clean_is_digit(p[6]) && p[7] == p[4];
	bool dotted = p[0] <= '3' && (p[2] == '.' || p[2] == '/' || p[2] == '-') && p[5] == p[2] &&
	    n >= 10 && (p[6] == '1' || p[6] == '2') && clean_is_digit(p[8]) && clean_is_digit(p[9]);
	return iso || dotted;
}

/* At most 15 digits (ITU-T E.164). */
static bool
check_phone(struct mem_str text, const size_t *start, const size_t *end, enum clean_check check)
{
	const char *p = text.p + *start;
	size_t n = *end - *start, digits = 0;
	for (size_t i = 0; i < n; i++)
		digits += clean_is_digit(p[i]);
	if (check == CLEAN_CHECK_PHONE_NATIONAL && (digits < 9 || digits > 13))
		return false;
	if (check == CLEAN_CHECK_PHONE_E164 && digits + 1 == n && digits < 10) /* "+12345678" */
		return false;
	return digits >= (check == CLEAN_CHECK_PHONE_E164 ? 8 : 7) && digits <= 15 && !is_date_text(p, n);
}

bool
clean_check_match(enum clean_check check, struct mem_str text, size_t *start, size_t *end)
{
	switch (check) {
	case CLEAN_CHECK_NONE:
	case CLEAN_CHECK_BARE: return true; /* clean_search.c looks at what stands before */
	case CLEAN_CHECK_CARD: return check_card(text, start, end);
	case CLEAN_CHECK_IBAN: return check_iban(text, start, end);
	case CLEAN_CHECK_IPV4: return check_ipv4(text, start, end);
	case CLEAN_CHECK_IPV6: return check_ipv6(text, start, end);
	case CLEAN_CHECK_EMAIL: return check_email(text, start, end);
	case CLEAN_CHECK_PHONE:
	case CLEAN_CHECK_PHONE_NATIONAL:
	case CLEAN_CHECK_PHONE_E164: return check_phone(text, start, end, check);
	case CLEAN_CHECK_VALUE:
	case CLEAN_CHECK_SECRET:
	case CLEAN_CHECK_PASSWORD:
	case CLEAN_CHECK_TOKEN:
	case CLEAN_CHECK_SHAPED:
	case CLEAN_CHECK_NAMED:
	case CLEAN_CHECK_CHOSEN:
	case CLEAN_CHECK_PASSWORD_SAID: return clean_check_secret(check, text, start, end);
	case CLEAN_CHECK_KEY:
	case CLEAN_CHECK_OWN:
	case CLEAN_CHECK_STEUER_ID:
	case CLEAN_CHECK_DNI:
	case CLEAN_CHECK_NIR:
		return clean_check_number(check, (struct mem_str){ text.p + *start, *end - *start });
	case CLEAN_CHECK_ORDER: return clean_check_order(text, *start);
	case CLEAN_CHECK_COUNT: break;
	}
	return false;
}
