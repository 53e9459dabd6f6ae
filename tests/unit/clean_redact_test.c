/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of redaction: what they find, and what they leave alone. */
#include "clean_fixture.h"
#include "base/base.h"
#include "clean/clean.h"
#include "record/record.h"

#include <stdio.h>

/* What is to go stands between « and »; the first of them is of `kind`. */
static const struct {
	const char *kind;
	const char *text;
} secrets[] = {
	{ "aws_access_key_id", "id «AKIAEXAMPLE0EXAMPLE1», region eu-west-1" },
	{ "aws_access_key_id", "session key «ASIAEXAMPLEEXAMPLE77» has expired" },
	{ "aws_access_key_id", "{\"AccessKeyId\": \"«AKIAEXAMPLE0EXAMPLE1»\"}" },
	{ "aws_secret_access_key", "export AWS_SECRET_ACCESS_KEY=«EXAMPLE/EXAMPLE+EXAMPLE/EXAMPLE+EXAMPLE0»" },
	{ "aws_secret_access_key", "\"SecretAccessKey\": \"«EXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLE+/012»\"," },
	{ "aws_access_key_id", "«AKIAEXAMPLE0EXAMPLE1»:«EXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLE+/012»" },
	{ "github_token", "(«ghp_EXAMPLEexampleEXAMPLEexampleEXAMPLE0»)" },
	{ "github_token", "url = https://x-access-token:«ghs_EXAMPLEexampleEXAMPLEexampleEXAMPLE0»@github.com/a/b" },
	{ "github_fine_grained_token", "«github_pat_11EXAMPLE0EXAMPLE0EXAM_EXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXA»" },
	{ "slack_token", "token: «xoxb-123456789012-123456789012-EXAMPLEEXAMPLEEXAMPLEEXA»." },
	{ "slack_token", "«xapp-1-A0EXAMPLE00-123456789012-0123456789abcdef0123456789abcdef»" },
	{ "slack_webhook", "curl -d @x «https://hooks.slack.com/services/T0EXAMPLE/B0EXAMPLE/EXAMPLEexampleEXAMPLEexa»" },
	{ "google_api_key", "?key=«AIzaSyEXAMPLE0EXAMPLE_EXAMPLE-EXAMPLE01»&q=1" },
	{ "stripe_key", "STRIPE=«sk_test_EXAMPLEEXAMPLEEXAMPLE0000»" },
	{ "stripe_key", "«rk_live_EXAMPLEEXAMPLEEXAMPLE0000»" },
	{ "secret_key", "use «sk-EXAMPLEexampleEXAMPLEexample»!" },
	{ "secret_key", "OPENAI_API_KEY='«sk-proj-EXAMPLE_EXAMPLE-EXAMPLE_EXAMPLE01»'" },
	{ "jwt", "cookie=«eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJleGFtcGxlIn0.EXAMPLE-EXAMPLE_EXAMPLE»; path=/" },
	{ "jwt", "Bearer «eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJleGFtcGxlIn0.EXAMPLE-EXAMPLE_EXAMPLE»" },
	{ "bearer_token", "authorization: bearer «EXAMPLE0exampleEXAMPLE1example=»" },
	{ "bearer_token", "-H 'Authorization: Basic «dXNlcjpFWEFNUExFMTIz»'" },
	{ "private_key", "a\n«-----BEGIN EC PRIVATE KEY-----\nRVhBTVBMRUVYQU1QTEVFWEFNUExF\nRVhB\n-----END EC PRIVATE KEY-----»\nb" },
	{ "private_key", "KEY=\"«-----BEGIN PRIVATE KEY-----\\nRVhBTVBMRUVYQU1QTEVFWEFNUExF\\n-----END PRIVATE KEY-----»\\n\"" },
	{ "private_key", "«-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n\nRVhBTVBMRUVYQU1QTEVFWEFNUExF\n=abcd\n-----END PGP PRIVATE KEY BLOCK-----»" },
	{ "private_key", "cut off:\n«-----BEGIN OPENSSH PRIVATE KEY-----\nRVhBTVBMRUVYQU1QTEVFWEFNUExF\nRVhBTVBMRUVYQU1QTEVFWEFNUExF»\n\nand so on (more)" },
	{ "url_password", "mysql://root:«s3cr3t-EXAMPLE»@localhost/db" },
	{ "url_password", "https://anna:«EXAMPLE@home»@example.org/x" },
	{ "password", "DB_PASSWORD=«hunter2EXAMPLE»" },
	{ "password", "postgres: user=app password=«EXAMPLE0» host=db" },
	{ "password", "{\"user\": \"anna\", \"password\": \"«EXAMPLE-horse»\"}" },
	{ "password", "api_key: «EXAMPLE0EXAMPLE1EXAMPLE2»" },
	{ "password", "client_secret => '«EXAMPLE0example»'," },
	{ "password", "GET /login?user=a&token=«EXAMPLE0EXAMPLE»&next=/" },
	{ "password", "mysqldump --password=«EXAMPLE-0» shop" },
	{ "password", "deploy --token «EXAMPLE0EXAMPLE»" },
	{ "password", "The password is «hunter2», do not tell." },
	{ "password", "Das Passwort lautet «Sommer2024!» bis Montag" },
	{ "password", "curl -u anna:«EXAMPLE0» https://example.org" },
	{ "password", "machine example.org login anna password «EXAMPLE0x»" },
	{ "password", "contraseña: «EXAMPLE0casa»" },
	{ "password", "DB_PASS=«EXAMPLE0» make" },
	{ "password", "{\"pass\": \"«EXAMPLE-0x»\"}" },
	{ "password", "SECRET_KEY_BASE=«0example0example0example»" },
	{ "password", "secret=«EXAMPLEKEY»" },
	{ "password", "token: «EXAMPLEEXAMPLEEXAMPLE»" },
	{ "password", "passphrase: \"«correct horse battery example»\"" },
	{ "password", "{\"accessToken\":\"«EXAMPLE.example»\",\"apiKey\":\"«exampleEXAMPLE»\"}" },
	{ "password", "https://example.org/cb?code=1&access_token=«EXAMPLE0»&x=1" },
	{ "iban", "IBAN «DE89 3704 0044 0532 0130 00»." },
	{ "iban", "pay to «GB82WEST12345698765432» today" },
	{ "iban", "«DE89 3704 0044 0532 0130 00» DE" },
	{ "iban", "«de89370400440532013000»" },
	{ "credit_card", "Visa «4111-1111-1111-1111» 12/29" },
	{ "credit_card", "amex «3782 822463 10005» cvc 1234" },
	{ "credit_card", "pan=«5105105105105100»" },
	{ "credit_card", "4 cards: «4012 8888 8888 1881» and more" },
	{ "ssn", "SSN «078-05-1120»" },
	{ "ssn", "ssn: «078051120»" },
	{ "email", "mail «anna.b+c@mail.example.org», soon" },
	{ "email", "<«a@b.io»>" },
	{ "email", "écrivez à «andré@exämple.org» demain" },
	{ "email", "git@github.com:x/y and «git@example.org» too" },
	{ "phone", "call «415-555-0132» or «(415) 555-0132»" },
	{ "phone", "«+1 (415) 555-0132» ext 5" },
	{ "phone", "«1-800-555-0199», free" },
	{ "phone", "«+44 20 7946 0018»." },
	{ "phone", "«+49 (0)30 23125-014»" },
	{ "phone", "«+33 1 99 00 12 34»" },
	{ "phone", "«+14155550132»" },
	{ "phone", "London: «020 7946 0018»" },
	{ "phone", "«01 99 00 12 34» le soir" },
	{ "phone", "Tel.: «030 23125 014»" },
	{ "phone", "«030/23125014»" },
	{ "phone", "Call me at «4155550132» tonight" },
	{ "phone", "«0049 30 23125 014»" },
	{ "credit_card", "Card #«6011 1111 1111 1117»" },
	{ "credit_card", "diners «3056 930902 5904»" },
	{ "credit_card", "unionpay «6205500000000000004»" },
	{ "phone", "tel:«+12125550199»" }, { "phone", "«212.555.0199»" }, { "phone", "«1 212 555 0199»" },
	{ "phone", "mobile «+44 7700 900123»" }, { "phone", "«07700 900123»" }, { "phone", "«+61 491 570 156»" },
	{ "phone", "«0491 570 156»" }, { "phone", "«+46 8 465 004 23»" }, { "phone", "ring «555-0150» today" },
	{ "phone", "«(020) 7946 0018»" }, { "phone", "Mobil: «0151 23456789»" },
	{ "email", "MAILTO:«ANNA@EXAMPLE.ORG»?subject=x" }, { "email", "x «a_b@sub-domain.example.co.uk»:" },
	{ "ipv4", "«192.0.2.1»-«192.0.2.9»" },
	{ "ipv4", "from «192.0.2.1»:443 to «198.51.100.254»." },
	{ "ipv4", "http://«203.0.113.9»/x and «10.1.2.3»/24" },
	{ "ipv6", "[«2001:db8::1»]:80 and «fe80::1:2»%eth0" },
	{ "ipv6", "«2001:db8:1:2:3:4:5:6»: timeout" },
	{ "ipv6", "«::ffff:192.0.2.33», mapped" },
};

static const char *const kept[] = {
	"AKIA is a prefix; AKIAEXAMPLE is too short",
	"ghp_short and ghp_xxxxxxxxxxxxxxxxxxxx",
	"class=\"sk-fading-circle-container-wrapper sk-child\"",
	"https://hooks.slack.com/services/ takes a POST",
	"xoxb-your-token-here",
	"pk_live_EXAMPLEEXAMPLEEXAMPLE is public",
	"eyJhbGciOiJIUzI1NiJ9 alone",
	"Bearer <token>", "Authorization: Bearer $TOKEN", "Bearer YOUR_ACCESS_TOKEN_HERE",
	"the bearer authentication scheme", "Bearer authentication/authorization",
	"-----BEGIN PRIVATE KEY----- starts the block",
	"-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
	"-----BEGIN CERTIFICATE-----\nRVhBTVBMRUVYQU1QTEVFWEFNUExF\n-----END CERTIFICATE-----",
	"https://user:${PASSWORD}@example.org", "ftp://user:<password>@example.org", "ssh://git@example.org:22/x",
	"http://example.org:8080/@anna", "https://example.org/a:b@c",
	"password: required", "password=", "password: string;", "password = os.environ[\"X\"]",
	"password = get_password()", "token = self.token", "password=None", "PASSWORD=${DB_PASSWORD}",
	"password: ********", "token: <your token>", "The token: the smallest unit of text.",
	"password: 12-character minimum", "Password: must not be empty", "password_hash = hash(password)",
	"token = tokens[i]", "if (password == null)", "the password is stored hashed", "secret = nextSecret",
	"The secret is patience.", "a token was issued", "const token = await getToken();",
	"password=password", "\"password\": \"Password\"", "label password: \"Enter your password\"",
	"DE89 3704 0044 0532 0130 01", "GB12 ABCD 34", "DE12345", "sort by de1234 and gb5678",
	"order 4111 1111 1111 1112", "isbn 9780306406157", "1764212400001", "9400100000000000000000",
	"imei 490154203237518", "356938035643809 is an IMEI", "0000 0000 0000 0000",
	"000-12-3456", "666-12-3456", "912-34-5678", "12-34-5678", "123-45-67890", "2026-11-27",
	"@anna", "a@b", "lodash@4.17.21", "icon@2x.png", "git@github.com:a/b.git", "@types/node@18", "foo @ bar.com",
	"1764212400", "2026-11-27 10:30:00", "27.11.2026 10.30", "1-2-3", "555-01", "100-200-3000",
	"123-456-7890", "+12345 lines", "1.234.567.890", "3.14159265358979", "order 415-555-01322",
	"192.0.2", "192.0.2.256", "v1.2.3.4", "1.2.3.4.5", "version 1.2.3.4", "127.0.0.1", "01.02.03.04", "255.255.255.0",
	"12:34:56", "00:1a:2b:3c:4d:5e", "std::string", "a::b", "x[1::2]", "::1", "dead::beef", "10:30", "2001:db8", "key: value",
	"call 20260511", "<Buffer 01 02 03 04 05>", "U+0028 0036 0029", "2e54 4820 5858 4420 3120 2241 0a", "f9:2a:c2:77:29:f9:5c:00",
	"6053 6047 6049 605B 5425 2334 3010 3000 6061", "+35236450.6", "if token == \"#bygroup\"", "rewardsToken = IERC20(x)",
	"AsmToken::Identifier", "TOKEN = 0x000D", "'Pod::PullParserToken' => '3.20'", "\"PWD\": \"/home/anna/project\"",
	"- social login\n- Password reset", "be16 and be32 types follow", "fuzzer-5390364397928448 and detail/5667125715927040",
	"https://example.org:80?x=a@b.co", "{\"token\": \"running\"}", "token=foobar", "consumer_secret=\"consumer.secret\"", "pass: 12, fail: 3", "PASS: gas/i386/x86-64-relax-2", "-Rpass=inline", "max_tokens=4096", "token_limit: 4096", "token: 123456",
	"password=%(password)s", "token: ${{ secrets.GITHUB_TOKEN }}", "password: !vault |", "password policy: 12 characters",
	"secret_name: my-secret", "Passwort: siehe Tresor", "mongodb://user:<password>@h/db", "https://u:[redacted]@h/",
	"ZIP 12345-6789", "ISBN 0-306-40615-2", "1-800-FLOWERS", "1,234,567,890", "order no. 2025550123", "1.2.3.4-rc1",
	"pkg@2.0.0-beta.next", "@scope/pkg@latest", "deploy@prod-01", "a@b.c", "20:26:11:27", "pass: REQUIRED",
	"3f2504e0-4f89-11d3-9a0c-0305e82c3301", "#ff8800", "1a2b3c4d5e6f", "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
};

/* Take the « » out of `marked`; where they stood are spans. */
static size_t
unmark(const char *marked, struct mem_buf *text, size_t spans[][2])
{
	size_t n = 0;
	for (const char *p = marked; *p != '\0';) {
		if (memcmp(p, "«", 2) == 0) {
			spans[n][0] = text->len;
			p += 2;
		} else if (memcmp(p, "»", 2) == 0) {
			spans[n++][1] = text->len;
			p += 2;
		} else {
			mem_buf_putc(text, *p++);
		}
	}
	return n;
}

static void
test_secrets(void **state)
{
	(void)state;
	struct fixture x = fixture(MEM_REDACT_ALL, MEM_MARKERS_EXCISE);
	unsigned bad = 0;
	for (size_t i = 0; i < MEM_COUNT(secrets); i++) {
		struct mem_buf text = { 0 };
		size_t spans[8][2], n = unmark(secrets[i].text, &text, spans);
		cleaned(&x, mem_buf_span(&text));
		bool same = x.found.nredactions == n && (n == 0 || mem_str_is(x.found.redactions[0].kind, secrets[i].kind));
		for (size_t k = 0; same && k < n; k++)
			same = x.found.redactions[k].start == spans[k][0] && x.found.redactions[k].end == spans[k][1] &&
			    mem_str_is(x.found.redactions[k].field, "content");
		if (!same) {
			bad++;
			print_message("%s\n  -> %s\n", secrets[i].text, x.out.data);
		}
		mem_buf_release(&text);
	}
	assert_int_equal(bad, 0);
	drop(&x);
}

static void
test_kept(void **state)
{
	(void)state;
	struct fixture x = fixture(MEM_REDACT_ALL, MEM_MARKERS_EXCISE);
	unsigned bad = 0;
	for (size_t i = 0; i < MEM_COUNT(kept); i++)
		if (strcmp(cleaned(&x, mem_str(kept[i])), kept[i]) != 0 || x.found.nredactions > 0) {
			bad++;
			print_message("%s\n  -> %s\n", kept[i], x.out.data);
		}
	assert_int_equal(bad, 0);
	drop(&x);
}

struct tally {
	unsigned expected, exact, extra;
};

static void
count_spans(void *ctx, const struct fixture *x, const struct mem_rec *rec)
{
	struct tally *t = ctx;
	size_t n = 0;
	for (struct mem_json_iter it = mem_json_each(mem_rec_find(rec, "expect")->value); mem_json_next(&it); n++) {
		const struct mem_redaction *r = n < x->found.nredactions ? &x->found.redactions[n] : NULL;
		int64_t start = 0, end = 0;
		char kind[64] = "";
		assert_true(mem_json_int(mem_json_member(it.value, "start"), &start));
		assert_true(mem_json_int(mem_json_member(it.value, "end"), &end));
		if (r != NULL)
			snprintf(kind, sizeof kind, "%.*s", (int)r->kind.n, r->kind.p);
		t->exact += r != NULL && r->start == (size_t)start && r->end == (size_t)end &&
		    mem_json_is(mem_json_member(it.value, "kind"), kind);
	}
	t->expected += (unsigned)n;
	t->extra += x->found.nredactions > n;
}

/* Every span exact, no look-alike touched. */
static void
test_labelled(void **state)
{
	(void)state;
	struct tally t = { 0 };
	struct fixture x = fixture(MEM_REDACT_ALL, MEM_MARKERS_EXCISE);
	each_labelled("redaction", &x, count_spans, &t);
	drop(&x);
	assert_true(t.expected > 0);
	assert_int_equal(t.exact, t.expected);
	assert_int_equal(t.extra, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_secrets),
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_labelled),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
