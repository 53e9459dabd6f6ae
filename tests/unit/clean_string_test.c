/* SPDX-License-Identifier: Apache-2.0 */
/* One string through the sanitiser. */
#include "clean_fixture.h"
#include "base/base.h"
#include "clean/clean.h"
#include "record/record.h"

static void
test_groups(void **state)
{
	(void)state;
	unsigned g;
	struct mem_err err;
	assert_int_equal(mem_redact_parse(MEM_STR("secrets,network"), &g, &err), MEM_OK);
	assert_int_equal(g, MEM_REDACT_SECRETS | MEM_REDACT_NETWORK);
	assert_int_equal(mem_redact_parse(MEM_STR("secrets, personal"), &g, &err), MEM_OK);
	assert_int_equal(g, MEM_REDACT_DEFAULT);
	assert_int_equal(mem_redact_parse(MEM_STR("all"), &g, &err), MEM_OK);
	assert_int_equal(g, MEM_REDACT_ALL);
	assert_int_equal(mem_redact_parse(MEM_STR("none"), &g, &err), MEM_OK);
	assert_int_equal(g, 0);
	assert_int_equal(mem_redact_parse(MEM_STR("secrets,card"), &g, &err), MEM_USAGE);
	assert_non_null(strstr(err.msg, "'card'"));
	assert_int_equal(mem_redact_parse(MEM_STR(""), &g, &err), MEM_USAGE);
	assert_int_equal(mem_redact_parse(MEM_STR("secrets,"), &g, &err), MEM_USAGE);

	static const char text[] = "card 4012888888881881 mail a@example.org host 192.0.2.1";
	static const char *const want[] = {
		text,
		"card [redacted:credit_card] mail a@example.org host 192.0.2.1",
		"card 4012888888881881 mail [redacted:email] host 192.0.2.1",
		"card [redacted:credit_card] mail [redacted:email] host 192.0.2.1",
		"card 4012888888881881 mail a@example.org host [redacted:ipv4]",
	};
	for (g = 0; g < MEM_COUNT(want); g++) {
		struct fixture x = fixture(g, MEM_MARKERS_EXCISE);
		assert_string_equal(cleaned(&x, mem_str(text)), want[g]);
		drop(&x);
	}
}

/* A secret behind JSON's escapes, once, twice and thrice, and what is around stays JSON. */
static void
test_json_inside(void **state)
{
	(void)state;
	struct fixture x = fixture(MEM_REDACT_DEFAULT, MEM_MARKERS_EXCISE);
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "{\"k\":\"\\u0067hp_EXAMPLEexampleEXAMPLEexampleEXAMPLE0\"}", "{\"k\":\"[redacted:github_token]\"}" },
		{ "{\"k\":\"a\\nghp_EXAMPLEexampleEXAMPLEexampleEXAMPLE0\\n\"}", "{\"k\":\"a\\n[redacted:github_token]\\n\"}" },
		{ "{\"password\":\"a\\\"b0\\\\\"}", "{\"password\":\"[redacted:password]\"}" },
		{ "body: {\\\"password\\\": \\\"EXAMPLE-horse0\\\"} sent", "body: {\\\"password\\\": \\\"[redacted:password]\\\"} sent" },
		{ "[\"{\\\"m\\\":\\\"\\\\u0061nna@example.org\\\"}\"]", "[\"{\\\"m\\\":\\\"[redacted:email]\\\"}\"]" },
		{ "[\"{\\\"m\\\":\\\"[\\\\\\\"anna\\\\\\\\u0040example.org\\\\\\\"]\\\"}\"]",
		    "[\"{\\\"m\\\":\\\"[\\\\\\\"[redacted:email]\\\\\\\"]\\\"}\"]" },
		{ "{\"card\":\"4111 1111\\u00a01111 1111\"}", "{\"card\":\"[redacted:credit_card]\"}" },
		/* Not from or to the middle of an escape. */
		{ "{\"m\":\"\\nanna@example.org\\u0000bob@example.org\"}", "{\"m\":\"\\n[redacted:email]\\u0000[redacted:email]\"}" },
		{ "\\ud83danna@example.org", "\\ud83d[redacted:email]" },
		{ "C:\\temp\\new\\users", "C:\\temp\\new\\users" },
	};
	for (size_t i = 0; i < MEM_COUNT(cases); i++)
		assert_string_equal(cleaned(&x, mem_str(cases[i].text)), cases[i].want);
	drop(&x);
}

/* As a reader sees it: no-break spaces, full-width digits, zero-width characters, accents. */
static void
test_plain_view(void **state)
{
	(void)state;
	struct fixture x = fixture(MEM_REDACT_ALL, MEM_MARKERS_EXCISE);
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "nº 4111\u00a01111\u00a01111\u00a01111 ça", "nº [redacted:credit_card] ça" },
		{ "４１１１１１１１１１１１１１１１。", "[redacted:credit_card]。" },
		{ "tel +49\u202f30\u202f23125\u202f014", "tel [redacted:phone]" },
		{ "415\u2011555\u20110132", "[redacted:phone]" },
		{ "ghp_EXAMPLEexample\u200bEXAMPLEexampleEXAMPLE0", "[redacted:github_token]" },
		{ "é anna@exa\u00admple.org", "é [redacted:email]" },
		{ "größe, naïve, Straße: ok", "größe, naïve, Straße: ok" },
	};
	for (size_t i = 0; i < MEM_COUNT(cases); i++)
		assert_string_equal(cleaned(&x, mem_str(cases[i].text)), cases[i].want);
	drop(&x);
}

/* The name of a field says what its value is. */
static void
test_field_names(void **state)
{
	(void)state;
	struct fixture x = fixture(MEM_REDACT_DEFAULT, MEM_MARKERS_EXCISE);
	assert_string_equal(cleaned_at(&x, "extra.password", mem_str("hunter2")), "[redacted:password]");
	assert_int_equal(x.found.redactions[0].start, 0);
	assert_int_equal(x.found.redactions[0].end, 7);
	assert_true(mem_str_is(x.found.redactions[0].field, "extra.password"));
	assert_string_equal(cleaned_at(&x, "extra.db.API_KEY.0", mem_str("EXAMPLE\"0\\x")), "[redacted:password]");
	assert_string_equal(cleaned_at(&x, "extra.password", mem_str("required")), "required");
	assert_string_equal(cleaned_at(&x, "extra.token_count", mem_str("12345678")), "12345678");
	assert_string_equal(cleaned(&x, mem_str("hunter2")), "hunter2");
	drop(&x);
}

/* A value that its name alone betrays goes whole, also where a marker that is cut parts it, or one in another. */
static void
test_cut_in_value(void **state)
{
	(void)state;
	struct fixture x = fixture(MEM_REDACT_DEFAULT, MEM_MARKERS_EXCISE);
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "aws_secret_access_key = EXAMPLEexample0EXAMP<|im_start|>LEexample1EXAMPLEexa", "aws_secret_access_key = [redacted:aws_secret_access_key]" },
		{ "FLY_API_TOKEN=EXAMPLEexample0<|im_<|im_start|>start|>EXAMPLEexample1 x", "FLY_API_TOKEN=[redacted:password] x" },
		{ "FLY_API_TOKEN=EXAMPLEexample0-<|im_end|>EXAMPLEexample1 x", "FLY_API_TOKEN=[redacted:password] x" },
		{ "Authorization: Basic RVhBTVBMRTpFWEFN<|im_end|>UExFMDEyMw==", "Authorization: Basic [redacted:bearer_token]" },
		{ "otpauth://totp/x?secret=KRSXG5CTMVRX<|im_start|>EZLUKRSXG5A7&issuer=x", "otpauth://totp/x?secret=[redacted:password]&issuer=x" },
		{ "https://e.example/c?sr=b&sig=EXAMPLEexample0EXAMP<|im_start|>LEexample1EXAMPLEexample2%3D&x",
		    "https://e.example/c?sr=b&sig=[redacted:secret_key]&x" },
	};
	for (size_t i = 0; i < MEM_COUNT(cases); i++)
		assert_string_equal(cleaned(&x, mem_str(cases[i].text)), cases[i].want);
	assert_string_equal(cleaned_at(&x, "extra.password", mem_str("EXAMPLE0exam<|im_start|>EXAMPLE1exam")), "[redacted:password]");
	drop(&x);
}

/* By start, the longer first; what overlaps partly still loses its tail. */
static void
test_walk(void **state)
{
	(void)state;
	struct fixture x = fixture(MEM_REDACT_DEFAULT, MEM_MARKERS_EXCISE);
	struct mem_err err;
	assert_int_equal(mem_clean_add(x.clean, MEM_STR(
	    "redact:\n"
	    "  - {name: long, pattern: 'abcdef', literals: [abc]}\n"
	    "  - {name: short, pattern: 'abc', literals: [abc]}\n"
	    "  - {name: tail, pattern: 'efgh', literals: [efg]}\n"
	    "  - {name: same, pattern: 'abcdef', literals: [abc]}\n"), "w.yaml", &err), MEM_OK);
	assert_string_equal(cleaned_at(&x, "c", mem_str("-abcdefgh-")), "-[redacted:long][redacted:tail]-");
	assert_int_equal(x.found.nredactions, 2);
	assert_int_equal(x.found.redactions[1].start, 5);
	assert_int_equal(x.found.redactions[1].end, 9);
	assert_string_equal(cleaned_at(&x, "c", mem_str("abcabcdef")), "[redacted:short][redacted:long]");
	drop(&x);
}

static void
expect_refused(const char *yaml, const char *place, const char *why)
{
	struct fixture x = fixture(MEM_REDACT_DEFAULT, MEM_MARKERS_EXCISE);
	struct mem_err err = { 0 };
	assert_int_equal(mem_clean_add(x.clean, mem_str(yaml), "u.yaml", &err), MEM_FAIL);
	if (strstr(err.msg, place) == NULL || strstr(err.msg, why) == NULL)
		fail_msg("'%s' has not '%s' and '%s'", err.msg, place, why);
	/* And it goes on as before. */
	assert_string_equal(cleaned_at(&x, "c", mem_str("a@example.org")), "[redacted:email]");
	drop(&x);
}

static void
test_bad_rules(void **state)
{
	(void)state;
	expect_refused("redact:\n  - name: broken\n    pattern: 'a(b'\n", "u.yaml:2: rule broken", "missing closing parenthesis");
	expect_refused("redact:\n  - {name: ok, pattern: b}\n  - {name: bad, pattern: '['}\n", "u.yaml:3: rule bad", "missing terminating ]");
	expect_refused("redact:\n  - {name: c, pattern: '\\C'}\n", "rule c", "\\C");
	expect_refused("redact:\n  - {name: c, pattern: 'a(?C1)b'}\n", "rule c", "callouts");
	expect_refused("redact:\n  - {name: c, pattern: '(*NO_JIT)a'}\n", "rule c", "(*NO_JIT)");
	expect_refused("redact:\n  - {name: c, pattern: '(*UTF)(*LIMIT_MATCH=5)a'}\n", "rule c", "(*LIMIT_MATCH=5)");
	expect_refused("redact:\n  - {pattern: a}\n", "u.yaml:2", "without a name");
	expect_refused("redact:\n  - {name: c}\n", "rule c", "no pattern");
	expect_refused("redact:\n  - {name: c, pattern: a, color: red}\n", "rule c", "no such field: color");
	expect_refused("redact:\n  - {name: c, pattern: a, check: luhm}\n", "rule c", "no such check: luhm");
	expect_refused("redact:\n  - {name: c, pattern: a, group: all}\n", "rule c", "group must be");
	expect_refused("redact:\n  - {name: c, pattern: a, capture: 10}\n", "rule c", "capture");
	expect_refused("redact:\n  - {name: c, pattern: a, literals: ['']}\n", "rule c", "literal");
	expect_refused("redact:\n  - {name: 'a b', pattern: a}\n", "u.yaml:2", "name must be");
	expect_refused("redact:\n  - {name: c, pattern: '<<nothing>>'}\n", "rule c", "no such word");
	expect_refused("words: {a: '<<b>>', b: '<<a>>'}\nredact:\n  - {name: c, pattern: '<<a>>'}\n", "rule c", "too deep");
	expect_refused("words: {a: aaaaaaaaaaaaaaaaaaaa, b: '<<a>><<a>><<a>><<a>><<a>><<a>>', c: '<<b>><<b>><<b>><<b>><<b>><<b>>',"
	    " d: '<<c>><<c>><<c>><<c>><<c>><<c>>', e: '<<d>><<d>><<d>><<d>><<d>><<d>>'}\n"
	    "redact:\n  - {name: c, pattern: '<<e>>'}\n", "rule c", "too long");
	expect_refused("redact:\n  - {name: c, pattern: a}\n  - {name: c, pattern: b}\n", "u.yaml:3: rule c", "line 2");
	expect_refused("rules: []\n", "u.yaml:1", "no such part: rules");
	expect_refused("redact: {a: b}\n", "u.yaml:1", "redact must be a list");
	expect_refused("[a]\n", "u.yaml:1", "a map of");
	expect_refused("redact: [\n", "u.yaml:2", "");
}

static void
test_user_rules(void **state)
{
	(void)state;
	struct fixture x = fixture(MEM_REDACT_SECRETS, MEM_MARKERS_EXCISE);
	struct mem_err err;
	assert_int_equal(mem_clean_add(x.clean, MEM_STR(
	    "words: {n: '\\d{4}'}\n"
	    "redact:\n"
	    "  - {name: staff_number, pattern: 'EMP-(<<n>>)', literals: [EMP-0], capture: 1}\n"
	    "  - {name: street, kind: address, group: personal, pattern: '\\w+ Lane', literals: [' lane'], before: 20}\n"
	    "  - {name: badge2, pattern: 'badge\\d?'}\n"
	    "  - {name: shout, pattern: 'zeta', ignore_case: true}\n"), "a.yaml", &err), MEM_OK);
	assert_int_equal(mem_clean_add(x.clean, MEM_STR(
	    "markers:\n  - {name: parrot, action: cut, pattern: 'polly wants', literals: [polly]}\n"
	    "  - {name: crow, pattern: 'nevermore', literals: [nevermore]}\n"), "b.yaml", &err), MEM_OK);
	assert_string_equal(cleaned_at(&x, "c", mem_str("EMP-1234 in Penny Lane, ZETA")), "EMP-[redacted:staff_number] in Penny Lane, [redacted:shout]");
	assert_true(mem_str_is(x.found.redactions[0].kind, "staff_number"));
	/* A rule that would find the name of its own mark does not. */
	assert_string_equal(cleaned_at(&x, "c", mem_str("badge7, [redacted:badge2]")), "[redacted:badge2], [redacted:badge2]");
	assert_string_equal(cleaned_at(&x, "c", mem_str("So: Polly wants a cracker. Fine.")), "So: [cut] Fine.");
	assert_int_equal(x.found.nflags, 1);
	assert_true(mem_str_is(x.found.flags[0].marker, "parrot"));
	assert_int_equal(x.found.flags[0].start, 4);
	assert_int_equal(x.found.flags[0].end, 26);
	struct mem_str cut = MEM_STR("Polly wants a cracker.");
	struct mem_hash hash = mem_hash128(NULL, &cut, 1);
	assert_memory_equal(&x.found.flags[0].hash, &hash, sizeof hash);
	/* Flagged where no action is given, and where it is told of. */
	assert_string_equal(cleaned_at(&x, "c", mem_str("Quoth: Nevermore.")), "Quoth: Nevermore.");
	assert_true(x.found.nflags == 1 && !x.found.flags[0].cut && mem_str_is(x.found.flags[0].marker, "crow"));
	assert_string_equal(cleaned_at(&x, "c", mem_str("He said Polly wants a cracker.")), "He said Polly wants a cracker.");
	assert_true(x.found.nflags == 1 && !x.found.flags[0].cut);
	drop(&x);
	x = fixture(MEM_REDACT_DEFAULT, MEM_MARKERS_FLAG);
	assert_int_equal(mem_clean_add(x.clean, MEM_STR(
	    "markers:\n  - {name: parrot, action: cut, pattern: 'polly wants', literals: [polly]}\n"), "b.yaml", &err), MEM_OK);
	assert_string_equal(cleaned_at(&x, "c", mem_str("So: Polly wants a cracker.")), "So: Polly wants a cracker.");
	assert_int_equal(x.found.nflags, 1);
	drop(&x);
}

/* A pattern that goes wrong on a text is refused, with JIT too, however short each try is. */
static void
test_budget(void **state)
{
	(void)state;
	static const struct {
		const char *pattern, *unit;
		size_t times;
	} cases[] = {
		{ "(a+)+$", "a", 40 },                 /* one start, exponential */
		{ "(?:a|a)+z", "a", 60 },
		{ "\\d+[a-f]", "1", 1 << 20 },         /* many starts, each runs to the end */
		{ "\\w+\\s*\\w+\\s*\\w+!", "a", 20000 },
		{ "(.*)x\\1y", "x", 60000 },
	};
	for (size_t i = 0; i < MEM_COUNT(cases); i++) {
		struct fixture x = fixture(MEM_REDACT_DEFAULT, MEM_MARKERS_EXCISE);
		struct mem_buf yaml = { 0 }, text = { 0 };
		struct mem_err err;
		mem_buf_printf(&yaml, "redact:\n  - {name: slow, pattern: '%s'}\n", cases[i].pattern);
		assert_int_equal(mem_clean_add(x.clean, mem_buf_span(&yaml), "s", &err), MEM_OK);
		for (size_t k = 0; k < cases[i].times; k++)
			mem_buf_puts(&text, cases[i].unit);
		mem_buf_puts(&text, "?.!.y.z"); /* what the patterns want at their end is there */
		mem_findings_begin(&x.found, x.clean, text.len);
		assert_false(mem_clean_string(&x.found, "c", false, mem_buf_span(&text), &x.out, &err));
		assert_int_equal(err.status, MEM_REFUSED);
		assert_string_equal(err.reason, "budget");
		assert_int_equal(x.found.steps_left, 0);
		/* The next string of the same input is refused too, the next input is not. */
		assert_false(mem_clean_string(&x.found, "d", false, MEM_STR("a"), &x.out, &err));
		assert_string_equal(err.reason, "budget");
		assert_string_equal(cleaned_at(&x, "c", mem_str("a@example.org 5")), "[redacted:email] 5");
		mem_buf_release(&yaml);
		mem_buf_release(&text);
		drop(&x);
	}
}

/* What is left of the budget after 1 MiB of `unit`, of 1. */
static double
left_after(struct fixture *x, const char *unit)
{
	struct mem_buf text = { 0 };
	struct mem_err err;
	size_t n = strlen(unit);
	while (text.len + n <= (size_t)1 << 20)
		mem_buf_puts(&text, unit);
	mem_findings_begin(&x->found, x->clean, text.len);
	mem_buf_reset(&x->out);
	(void)mem_clean_string(&x->found, "c", false, mem_buf_span(&text), &x->out, &err);
	mem_buf_release(&text);
	return err.status == MEM_OK ? (double)x->found.steps_left / (double)MEM_CLEAN_STEPS : 0;
}

/* Honest texts of 1 MiB, of any kind, never use it up, nor do odd ones. */
static void
test_honest_megabyte(void **state)
{
	(void)state;
	static const char *const ordinary[] = {
		"1", "1 ", "1-", "1.", ".", "-", "@", "a", "a ", ":", "=", "\\", "\\n", "/", "\"", "(", "+", "\u00e9", "\u4f60\u597d",
		"U2FsdGVkX1+vupppZksvRf5pq5g5XjFRIipRkwB0K1Y", "The quick brown fox jumps over the lazy dog. ",
		"2026-11-27T10:30:00.123Z INFO [main] a.b.C: took 12 ms (id=42, ip=192.0.2.1)\n",
		"\tif (a[i] == b->c && !d(e, \"f\")) { return x ? y : z; } /* why */\n",
		"{\"id\":17,\"name\":\"Anna\",\"tags\":[\"a\",\"b\"],\"at\":\"2026-11-27T10:30:00Z\"}\n",
		"4f2a 0000 ffff 1c2b 0003 7f45 4c46 0201\n", "Please do not forget to follow the instructions. ",
	};
	static const char *const odd[] = {
		"a@", "f:", "f::", "://", "+12345678901234567890123456789012345678901234567890x ", "+49 12345678901234567890123456789012345678901234567890x ",
		"0049 3012345678901234567890123456789012345678901234567890x ", "tel 12345678901234567890123456789012345678901234567890x ",
		"{\"a\":", "password", "password=", "password: ", "token token ",
		"ignore ", "ignore all ", "forget everything ", "now ", "prompt ", "your prompt ", "what ", "instructions ", "task ",
		"eyJ", "eyJa.", "sk-", "sk-A", "ghp_", "+1 ", "0 ", "00 ", "000 000 ", "415-555-", "DE00", "DE12 3456 ", "AKIA",
		"-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----AAAAAAAAAAAAAAAAAAAA\n", "PRIVATE KEY",
		"bearer ", "bearer: ", "Authorization: ", "http://a:", "http://a:b@", "login x password ", "tel ", "tel 1", "ssn ",
		"<system>", "you are ", "act as ", "i g n o r e ", "role\nA:", "\\\"", "\u200b", "a\u0430", "\U0001F600", "curl -u ", "I want you to act as ",
	};
	struct fixture x = fixture(MEM_REDACT_ALL, MEM_MARKERS_EXCISE);
	for (size_t i = 0; i < MEM_COUNT(ordinary); i++)
		if (left_after(&x, ordinary[i]) < 0.5)
			fail_msg("'%.40s' used more than a half", ordinary[i]);
	for (size_t i = 0; i < MEM_COUNT(odd); i++)
		if (left_after(&x, odd[i]) <= 0)
			fail_msg("'%.40s' was refused", odd[i]);
	drop(&x);
}

/* What is cut out joins nothing, and what it kept apart is found. */
static void
test_rounds(void **state)
{
	(void)state;
	struct fixture x = fixture(MEM_REDACT_DEFAULT, MEM_MARKERS_STRICT);
	static const struct {
		const char *text, *want;
		size_t redactions, flags;
	} cases[] = {
		{ "key AKIA<|im_end|>QYLPMN5HFIQR7XYB here", "key [redacted:aws_access_key_id] here", 1, 1 },
		{ "a <|im_<|im_start|>start|> b", "a [cut] b", 0, 2 },
		{ "a <|im_<|im_<|im_start|>start|>start|> b", "a [cut] b", 0, 3 },
		{ "ghp_EXAMPLEexample<|im_end|>EXAMPLE<|im_start|>exampleEXAMPLE0", "[redacted:github_token]", 1, 2 },
		{ "{\"k\":\"AKIA<|im_end|>QYLPMN5\\u0048FIQR7XYB\"}", "{\"k\":\"[redacted:aws_access_key_id]\"}", 1, 1 },
		{ "AKIA[cut]QYLPMN5HFIQR7XYB", "[redacted:aws_access_key_id]", 1, 0 },
		/* What is cut stays apart. */
		{ "we ca<|im_end|>me at nine [cut] o'clock", "we ca[cut]me at nine [cut] o'clock", 0, 1 },
	};
	for (size_t i = 0; i < MEM_COUNT(cases); i++) {
		assert_string_equal(cleaned(&x, mem_str(cases[i].text)), cases[i].want);
		assert_int_equal(x.found.nredactions, cases[i].redactions);
		assert_int_equal(x.found.nflags, cases[i].flags);
		char *once = strdup(cases[i].want);
		assert_string_equal(cleaned(&x, mem_str(once)), once);
		assert_int_equal(x.found.nredactions + x.found.nflags, 0);
		free(once);
	}
	drop(&x);
}

/* Places are those of the text as it came, in every round. */
static void
test_places_of_rounds(void **state)
{
	(void)state;
	static const char text[] = "mail a@example.org, AKIA<|im_end|>QYLPMN5HFIQR7XYB, b@example.org";
	struct fixture x = fixture(MEM_REDACT_DEFAULT, MEM_MARKERS_STRICT);
	assert_string_equal(cleaned(&x, mem_str(text)), "mail [redacted:email], [redacted:aws_access_key_id], [redacted:email]");
	assert_int_equal(x.found.nredactions, 3);
	static const char *const want[] = { "a@example.org", "AKIA<|im_end|>QYLPMN5HFIQR7XYB", "b@example.org" };
	for (size_t i = 0; i < MEM_COUNT(want); i++) {
		const struct mem_redaction *r = &x.found.redactions[i];
		assert_ptr_equal(text + r->start, strstr(text, want[i]));
		assert_int_equal(r->end - r->start, strlen(want[i]));
	}
	assert_int_equal(x.found.nflags, 1);
	assert_memory_equal(text + x.found.flags[0].start, "<|im_end|>", 10);
	struct mem_str cut = MEM_STR("<|im_end|>");
	struct mem_hash hash = mem_hash128(NULL, &cut, 1);
	assert_memory_equal(&x.found.flags[0].hash, &hash, sizeof hash);
	drop(&x);
}

/* Nested deeper than anybody does by accident. */
static void
test_too_many_rounds(void **state)
{
	(void)state;
	struct fixture x = fixture(MEM_REDACT_DEFAULT, MEM_MARKERS_STRICT);
	struct mem_buf text = { 0 };
	for (int i = 0; i < 12; i++)
		mem_buf_puts(&text, "<|im_");
	for (int i = 0; i < 12; i++)
		mem_buf_puts(&text, "start|>");
	mem_findings_begin(&x.found, x.clean, text.len);
	assert_false(mem_clean_string(&x.found, "c", false, mem_buf_span(&text), &x.out, &x.err));
	assert_int_equal(x.err.status, MEM_REFUSED);
	assert_string_equal(x.err.reason, "residue");
	mem_buf_release(&text);
	drop(&x);
}

/* A whole event: nested values, keys, escapes; the secret is in no byte of what comes out. */
static void
test_event(void **state)
{
	(void)state;
	static const char event[] = "{\"content\":\"mail anna@example.org\",\"n\":1e400,\"extra\":{\"list\":[[\"x\",\"\\u0061nna@example.org\"]],"
	    "\"anna@example.org\":true,\"inner\":\"{\\\"to\\\":\\\"anna\\\\u0040example.org\\\"}\",\"api_key\":\"EXAMPLE-horse0\"}}";
	struct fixture x = fixture(MEM_REDACT_DEFAULT, MEM_MARKERS_EXCISE);
	struct mem_json v;
	mem_findings_begin(&x.found, x.clean, sizeof event);
	assert_int_equal(mem_json_scan(&v, mem_str(event), &x.err), MEM_OK);
	assert_int_equal(mem_json_map(&x.out, v, mem_clean_string, &x.found, &x.err), MEM_OK);
	assert_string_equal(x.out.data, "{\"content\":\"mail [redacted:email]\",\"n\":1e400,\"extra\":{\"list\":[[\"x\",\"[redacted:email]\"]],"
	    "\"[redacted:email]\":true,\"inner\":\"{\\\"to\\\":\\\"[redacted:email]\\\"}\",\"api_key\":\"[redacted:password]\"}}");
	assert_int_equal(x.found.nredactions, 5);
	assert_true(mem_str_is(x.found.redactions[1].field, "extra.list.0.1"));
	assert_true(x.found.redactions[2].in_key);
	assert_int_equal(x.found.redactions[3].start, 7);
	drop(&x);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_json_inside),
		cmocka_unit_test(test_plain_view),
		cmocka_unit_test(test_field_names),
		cmocka_unit_test(test_cut_in_value),
		cmocka_unit_test(test_walk),
		cmocka_unit_test(test_bad_rules),
		cmocka_unit_test(test_user_rules),
		cmocka_unit_test(test_budget),
		cmocka_unit_test(test_honest_megabyte),
		cmocka_unit_test(test_rounds),
		cmocka_unit_test(test_places_of_rounds),
		cmocka_unit_test(test_too_many_rounds),
		cmocka_unit_test(test_event),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
