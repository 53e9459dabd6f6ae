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
	{ "password", "ALTER USER anna WITH PASSWORD '«EXAMPLE0example»';" },
	{ "password", "create role app login password '«chosen words»' valid until 'infinity'" },
	{ "password", "CREATE USER 'a'@'h' IDENTIFIED BY '«EXAMPLE0example»';" },
	{ "password", "create user a identified with caching_sha2_password by \"«EXAMPLE0example»\"" },
	{ "password", "https://h/login?next=%2Fq%3Fpassword%3D«EXAMPLE0example»%26x%3D1" },
	{ "url_password", "DB_URL=postgres%3A%2F%2Fanna%3A«EXAMPLE0example»%40h%2Fx" },
	{ "password", "<pre>password=&quot;«EXAMPLE0example»&quot;</pre>" },
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
	{ "password", "The wifi password of the office is «EXAMPLE7mPq»." },
	{ "password", "Das Kennwort für den Admin-Zugang lautet «Example7mPq»" },
	{ "password", "the password for the office: «example7mPq»" },
	{ "password", "aws_secret_access_key = \"«EXAMPLE7mPq\" + \"EXAMPLE9xKz»\"" },
	{ "password", "DB_PASSWORD='«Tr0ub4dor''Xq9zK7mpL»' make" },
	{ "password", "username    = \"shop\"\npassword    = \"«Tr0ub4dorXq9zK7»\"" },
	{ "password", "{\n  \"password\"        :      \"«Tr0ub4dorXq9zK7»\"\n}" },
	{ "password", "db_password\t\t\t\t\t=\t\t\t\t«Tr0ub4dorXq9zK7»" },
	{ "aws_secret_access_key", "aws_secret_access_key      = «EXAMPLEexampleEXAMPLE0123456789+/abcdefg»" },
	{ "bearer_token", "Authorization:      Basic «RVhBTVBMRTpleGFtcGxlMTIz»" },
	{ "password", "**Password:** «6ThVS72XPoiW6E3»" },
	{ "password", "- **Password**: «6ThVS72XPoiW6E3»" },
	{ "password", "*API key:* «6ThVS72XPoiW6E3kdj3k»" },
	{ "password", "password: '«example7mPq' .\n'EXAMPLE9xKz' + 'more0»'" },
	{ "github_token", "t = ''.join(['«ghp_EXAMPLEexam', 'pleEXAMPLEex', 'ampleEXAMPLE0»'])" },
	{ "github_token", "use _«ghp_EXAMPLEexampleEXAMPLEexampleEXAMPLE0»_ today" },
	{ "github_token", "use __«ghp_EXAMPLEexampleEXAMPLEexampleEXAMPLE0»__, please" },
	{ "github_token", "(***«ghp_EXAMPLEexampleEXAMPLEexampleEXAMPLE0»***)" },
	{ "github_token", "~~«ghp_EXAMPLEexampleEXAMPLEexampleEXAMPLE0»~~" },
	{ "github_token", "<em>_«ghp_EXAMPLEexampleEXAMPLEexampleEXAMPLE0»_</em>" },
	{ "bearer_token", "Authorization: Basic **«dTpZdk0wclV3RXJaWm5WS1M1WDI=»**" },
	{ "bearer_token", "Authorization: Token <b>«Qa8vN2mXc7RtL0pYw4ZsK9bd»</b>" },
	{ "password", "<p>password: <b>«Wolken-bruch71»</b></p>" },
	{ "secret_key", "https://a.blob.core.windows.net/c?sv=1&sig=**«gytS8lK0cKrqDfiCl8BDlGxQS251iEAnkr6qu9RY6Wz%3D»**" },
	{ "secret_key", "https://a.blob.core.windows.net/c?sv=1&sig=«gytS8lK0cKrqDfiCl8BDl\nGxQS251iEAnkr6qu9RY6Wz»%3D" },
	{ "aws_secret_access_key", "aws_secret_access_key = «kW3vTqYb0Zr8LmN4xHs1\nJc7PdFg9UeQa2VoIiRt6»" },
	{ "aws_secret_access_key", "> aws_secret_access_key = «kW3vTqYb0Zr8LmN4xHs1\n> Jc7PdFg9UeQa2VoIiRt6»" },
	{ "stripe_key", "key = [\"«sk_test_EXAMP\", \"LEEXAMPLEEXA\", \"MPLE0000»\"].join(\"\")" },
	{ "aws_access_key_id", "k = \"\".join((\"«AKIAEXAMPL\",\n\t\"E0EXAMPLE1»\"))" },
	{ "secret_key", "«CFPAT-EXAMPLE_example-EXAMPLE_example-EXAMPLE0123»" },
	{ "secret_key", "hubspot «pat-na1-01234567-89ab-cdef-0123-456789abcdef»." },
	{ "secret_key", "netlify deploy --auth «nfp_EXAMPLEexampleEXAMPLEexampleEXAMPLE0»" },
	{ "secret_key", "mapbox «sk.eyJFWEFNUExFRVhBTVBMRUVYQU1Q.EXAMPLE0exampleEXAMPL»" },
	{ "bearer_token", "Cookie: lang=de; PHPSESSID=«example0example0example0»; theme=dark" },
	{ "bearer_token", "Set-Cookie: connect.sid=«s%3AEXAMPLE0example.EXAMPLE0»; Path=/; HttpOnly" },
	{ "password", "DD_APP_KEY=«0123456789abcdef0123456789abcdef01234567»" },
	{ "password", "A senha do servidor é «EXAMPLE0casa»." }, { "password", "La parola d'ordine del server è «EXAMPLE0casa»" },
	{ "password", "Het wachtwoord van de database is «EXAMPLE0huis»." }, { "password", "Sunucunun parolası «EXAMPLE0ev» oldu." },
	{ "password", "Hasło do serwera to «EXAMPLE0dom»." }, { "password", "Пароль от сервера: «EXAMPLE0dom»" },
	{ "password", "服务器的密码是«EXAMPLE0x»。" }, { "password", "サーバーのパスワードは«EXAMPLE0x»です。" }, { "password", "서버 비밀번호는 «EXAMPLE0x» 입니다." },
	{ "password", "curl -u anna:«EXAMPLE0» https://example.org" },
	{ "password", "curl -u anna:'«Exa#mple0Xq*7»' https://h.example" }, { "password", "curl --user anna:\"«Exa#mple0Xq*7»\" https://h.example" },
	{ "password", "curl -s -uanna:«Exa#mple0Xq*7» https://h.example" },
	{ "bearer_token", "headers['X-Api-Key'] = '«Zx3mPw9TqXv2JsU7aEo5Qb8n»'" },
	{ "bearer_token", "Authorization: SharedKey shop:«EXAMPLE0exampleEXAMPLE1exampleEXAMPLE2exam=»" },
	{ "bearer_token", "Authorization: Hawk id=\"dh37\", ts=\"1353832234\", nonce=\"j4h3g2\", mac=\"«EXAMPLE0example/EXAMPLE1=»\"" },
	{ "bearer_token", "Authorization: Digest username=\"anna\", realm=\"r\", uri=\"/x\", response=\"«0123456789abcdef0123456789abcdef»\", qop=auth" },
	{ "secret_key", "token                «s.EXAMPLExampleEXAMPLE0exa»" }, { "secret_key", "token: «s.EXAMPLExampleEXAMPLE0exa»" },
	{ "password", "token «Zx3mPw9TqXv2JsU7aEo5»" }, { "password", "access_token    «Zx3mPw9TqXv2JsU7aEo5» 2026" },
	{ "password", "tailscale up --auth-key=«Zx3mPw9TqXv2JsU7aEo5»" }, { "password", "az x --account-key «Zx3mPw9TqXv2JsU7aEo5»" },
	{ "password", "openssl enc -aes-256-cbc -in a -out b -k «Herbstlaub»" }, { "password", "openssl enc -d -K «0123456789ABCDEF0123456789ABCDEF» -iv 00" },
	{ "password", "net use Z: \\\\srv\\share «Herbst-0laub» /user:anna" }, { "password", "net use \\\\srv\\share /user:anna «Herbst-0laub»" },
	{ "password", "DriverManager.getConnection(url, \"sa\", \"«Herbst-0laub»\")" },
	{ "private_key", "«xprv9s21gHpPsmvpia2vWrGi4zB8QXxGRb7dG1oETJCxrRBqt59ggV991x1ErEBxBKMDbykhECmDzRL2QTBAH5NLufe1fknN5LPuLXmMCXXnC4H»" },
	{ "private_key", "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"EXAMPLEexample\",\"d\":\"«EXAMPLE0exampleEXAMPLE1exampleEXAMPLE2exam»\"}" },
	{ "private_key", "{\"k\": \"«EXAMPLE0exampleEXAMPLE1exampleEXAMPLE2exam»\", \"kty\": \"oct\"}" },
	{ "private_key", "{\"kty\":\"oct\",\"k\":\"«EXAMPLE0+example/EXAMPLE1example==»\"}" },
	{ "phone", "«030/23 12 50 14», Praxis" },
	/* Over a line's end, behind a backslash or not, and over the parts of a content. */
	{ "password", "HEROKU_API_KEY=«Zx3mPw9TqXv2JsU7aEo5\\\nQb8nRk4LyWc6HdF1gTi2» end" },
	{ "password", "HEROKU_API_KEY=«Zx3mPw9TqXv2JsU7aEo5\n  Qb8nRk4LyWc6HdF1gTi2»\nend" },
	{ "password", "AccountKey=«Zx3mPw9TqXv2JsU7aEo5\n\nQb8nRk4LyWc6HdF1gTi2==»" },
	{ "bearer_token", "Authorization: Basic «Zx3mPw9TqXv2JsU7aEo5\nQb8nRk4LyWc6HdF1gTi2»\nHost: h" },
	{ "password", "API_TOKEN=«Zx3mPw9TqXv2JsU7aEo5»\nREADME-2024-final.md\nmore" },
	{ "password", "API_TOKEN=«Zx3mPw9TqXv2JsU7aEo5»\nQb8nRk4LyWc6HdF1gTi2 is the build" },
	{ "stripe_key", "«whsec_EXAMPLEexample0\nEXAMPLEexample1EXAM»\nend" },
	{ "credit_card", "my card «4111 1111\n1111 1111» ok" },
	{ "iban", "IBAN «DE89 3704 0044\n0532 0130 00» ok" },
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
	{ "email", "<«a@b.io»>" }, { "email", "From: <«a@b.io»>\nMessage-ID: <1@b.io>\nReply to «c@b.io»" }, { "email", "I asked ssh people at «a@b.io» and rsync «c@b.io»" },
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
	{ "secret_key", "?sv=2022-11-02&sr=c&sig=«EXAMPLEexampleEXAMPLEexampleEXAMPLEexample01%3D»&se=2027" },
	{ "secret_key", "hub «hf_EXAMPLEexampleEXAMPLEexampleEXAMPLEe0»," },
	{ "private_key", "# public key: age1example\n«AGE-SECRET-KEY-1QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7LQPZRY9X8GF2TVDW0S3JN54KHCE»\n" },
	{ "secret_key", "vault login «hvs.EXAMPLE0exampleEXAMPLE0ex»" },
	{ "secret_key", "run(\"«MTIzNDU2Nzg5MDEyMzQ1Njc4.GEXAMP.EXAMPLE_example-EXAMPLE_example-EXAMPL»\")" },
	{ "secret_key", "https://api.telegram.org/bot«123456789:AAEXAMPLEexampleEXAMPLE-example_EXA»/getMe" },
	{ "secret_key", "gl «glrtr-EXAMPLE0exampleEXAMPLE» and «glptt-EXAMPLE0exampleEXAMPLE0example»" },
	{ "secret_key", "«npm_EXAMPLEexampleEXAMPLEexampleEXAMPLE0»" },
	{ "secret_key", "«SG.EXAMPLE0exampleEXAMPLE.EXAMPLEexampleEXAMPLEexampleEXAMPLEexample0»" },
	{ "secret_key", "SMS by «SK0123456789abcdef0123456789abcdef»" },
	{ "secret_key", "twilio: Client(\"AC0123456789abcdef0123456789abcdef\", \"«fedcba98765432100123456789abcdef»\")" },
	{ "secret_key", "«dckr_pat_EXAMPLEexampleEXAMPLE-examp»" },
	{ "secret_key", "https://h/x?X-Amz-Signature=«0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef»&y" },
	{ "private_key", "    client-key-data: «RVhBTVBMRUVYQU1QTEVFWEFNUExFRVhBTVBMRUVYQU1QTEU=»\n" },
	{ "password", "{\"auths\":{\"h\":{\"auth\": \"«YW5uYTpFWEFNUExFMTIz»\"}}}" },
	{ "password", "mysqldump -uroot -p«EXAMPLE0x» shop" },
	{ "password", "mysql -h db -p«EXAMPLE0x»" },
	{ "password", "sshpass -p '«two words»' ssh anna@host" },
	{ "password", "sshpass -p«example» ssh anna@host" },
	{ "password", "docker login -u anna -p «EXAMPLE0x» registry.example.org" },
	{ "bearer_token", "Authorization: Splunk «EXAMPLE0-example-EXAMPLE»" },
	{ "bearer_token", "'Authorization': 'GenieKey «EXAMPLE0-example-EXAMPLE»'" },
	{ "bearer_token", "authorization: Token token=«EXAMPLE0exampleEXAMPLE»" },
	{ "bearer_token", "Authorization: «EXAMPLE0exampleEXAMPLE»" },
	/* Keys that their own name tells. */
	{ "private_key", "PrivateKey = «EXAMPLE0exampleEXAMPLE1exampleEXAMPLEexampl=»\nAddress = x" },
	{ "private_key", "Unseal Key 3: «EXAMPLE0exampleEXAMPLE1exampleEXAMPLEexampl=»" },
	{ "private_key", "PRIVATE_KEY=«0x0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef»" },
	{ "private_key", "wallet's private key is «0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef»" },
	{ "private_key", "\"masterKey\": \"«EXAMPLE0exampleEXAMPLE1example»\"" },
	{ "private_key", "PresharedKey=«EXAMPLE0exampleEXAMPLE1exampleEXAMPLEexampl=»" },
	{ "password", "MAPS_KEY=«EXAMPLE0example2EXAMPLE1ex»" }, { "password", "the key of the shop is «EXAMPLE0example2EXAMPLE1ex», only read" },
	/* Headers of any name. */
	{ "bearer_token", "-H 'X-Auth-Key: «0123456789abcdef0123456789abcdef01234»'" },
	{ "bearer_token", "{\"X-Shop-Access-Token\": \"«0123456789abcdef0123456789abcdef»\"}" },
	{ "bearer_token", "X-Hook-Secret: «EXAMPLE0exampleEXAMPLE1»" },
	/* Sessions, by the names that servers give them. */
	{ "bearer_token", "JSESSIONID=«0123456789ABCDEF0123456789ABCDEF»; Path=/" },
	{ "bearer_token", "https://h/x;jsessionid=«0123456789ABCDEF0123456789ABCDEF»?y" },
	{ "bearer_token", "[cookies] PHPSESSID=«example0example0example0ex»" },
	/* What stands for a password in files of accounts. */
	{ "password", "anna:«$apr1$EXAMPLE0$EXAMPLEexampleEXAMPLE0»" },
	{ "password", "root:«$6$EXAMPLE0exampleE$EXAMPLEexampleEXAMPLEexampleEXAMPLEexampleEXAMPLEexampleEXAMPLEexampleEXAMPLEexample00»:19700:0" },
	{ "password", "hash «$2b$12$EXAMPLEexampleEXAMPLEexampleEXAMPLEexampleEXAMPLEexam»" },
	{ "password", "«$argon2id$v=19$m=65536,t=3,p=4$EXAMPLEexample0$EXAMPLEexampleEXAMPLEexampleEXAMPLEexample0»" },
	{ "password", "userPassword: «{SSHA}EXAMPLEexampleEXAMPLEexample00==»" },
	{ "password", "«pbkdf2_sha256$600000$EXAMPLE0example$EXAMPLEexampleEXAMPLEexampleEXAMPLEexample0=»" },
	/* Commands that take a password in a place of its own. */
	{ "password", "$p = ConvertTo-SecureString '«EXAMPLE0example»' -AsPlainText -Force" },
	{ "password", "ConvertTo-SecureString -String \"«EXAMPLE0example»\" -AsPlainText" },
	{ "password", "New-Object System.Net.NetworkCredential('anna', '«EXAMPLE0example»')" },
	{ "password", "openssl rsa -in k.pem -passin pass:«EXAMPLE0example» -out x" },
	{ "password", "echo 'root:«EXAMPLE0example»' | sudo chpasswd" },
	{ "password", "unzip -P «EXAMPLE0example» a.zip" }, { "password", "htpasswd -bc .htpasswd anna «EXAMPLE0example»" },
	{ "password", "nmcli dev wifi connect Barn password «EXAMPLE0example»" }, { "password", "smbclient //nas/x -U anna%«EXAMPLE0example»" },
	{ "password", "requirepass «EXAMPLE0example»" }, { "password", "net user anna «EXAMPLE0example» /add" },
	{ "password", "db.example.org:5432:shop:anna:«EXAMPLE0example»" },
	{ "password", "  psk=\"«EXAMPLE0example»\"" },
	{ "url_password", "git clone https://«EXAMPLE0exampleEXAMPLE1example»@git.example.org/x.git" },
	{ "password", "Gmail app password: «abcd efgh ijkl mnop»" }, { "password", "app-specific password «abcd-efgh-ijkl-mnop»" },
	/* What opens an account or a purse when all else is lost. */
	{ "password", "GitHub recovery codes:\n«01234-abcde\n5678f-abc01\n2345d-e0123»\n" },
	{ "password", "Backup codes: «1234 5678, 2345 6789, 3456 7890»" },
	{ "password", "Wiederherstellungscodes:\n- «EXAM-PLE0\n- EXAM-PLE1\n- EXAM-PLE2»\nund mehr" },
	{ "password", "mes codes de secours :\n«12345678\n23456789\n34567890»" },
	{ "password", "recovery phrase: «legal winner thank year wave sausage worth useful legal winner thank yellow»" },
	{ "password", "seed words of the wallet:\n«1. legal\n2. winner\n3. thank\n4. year\n5. wave\n6. sausage\n7. worth\n8. useful\n9. legal\n10. winner\n11. thank\n12. yellow»\n" },
	{ "password", "助记词：«legal winner thank year wave sausage worth useful legal winner thank yellow»" },
	/* In more languages, and in other words. */
	{ "password", "la password del gestionale è «EXAMPLE0example»" }, { "password", "das Passwort lautet jetzt «EXAMPLE0example»" },
	{ "password", "mit meinem Kennwort anmelden: «EXAMPLE0example»" }, { "password", "mi clave del banco es «EXAMPLE0example»" },
	{ "password", "lösenordet till servern är «EXAMPLE0example»" }, { "password", "salasana on «EXAMPLE0example»" },
	{ "password", "heslo k databázi je «EXAMPLE0example»" }, { "password", "jelszó: «EXAMPLE0example»" },
	{ "password", "mật khẩu là «EXAMPLE0example»" }, { "password", "รหัสผ่านคือ «EXAMPLE0example»" }, { "password", "סיסמה: «EXAMPLE0example»" },
	{ "password", "user anna, pw «EXAMPLE0example»" }, { "password", "use «EXAMPLE0example» as the password" },
	{ "password", "tapez «EXAMPLE0example» comme code" }, { "password", "the PIN of the card is «7482» btw" }, { "password", "PIN: «7482»" },
	/* A name and a value beside each other. */
	{ "password", "- name: DB_PASSWORD\n  value: «EXAMPLE0example»" }, { "password", "{\"key\":\"db_password\",\"value\":\"«EXAMPLE0example»\"}" },
	{ "password", "<add key=\"DbPassword\" value=\"«EXAMPLE0example»\"/>" },
	{ "password", "<input type=\"password\" name=\"x\" value=\"«EXAMPLE0example»\">" },
	{ "password", "define( 'DB_PASSWORD', '«EXAMPLE0example»' );" },
	{ "password", "variable \"master_password\" {\n  type = string\n  default = \"«EXAMPLE0example»\"\n}" },
	{ "password", "> password:\n> «EXAMPLE0example»" },
	{ "password", "- value: «EXAMPLE0example»\n  name: DB_PASSWORD" }, { "password", "<param value=\"«EXAMPLE0example»\" name=\"db.password\"/>" },
	{ "password", "<Name>DbPassword</Name><Value>«EXAMPLE0example»</Value>" },
	/* In JSON: named by a sibling, by the key around, by the first of two, by what stands before it in a command. */
	{ "password", "[{\"value\":\"«EXAMPLE0example»\",\"name\":\"DB_PASSWORD\"}]" },
	{ "password", "got {\"Parameters\": [{\"ParameterValue\": \"«EXAMPLE0example»\", \"ParameterKey\": \"DbPassword\"}]} back" },
	{ "password", "{\"ROOT_PASSWORD\":{\"description\":\"of root\",\"value\":\"«EXAMPLE0example»\"}}" },
	{ "password", "{\"tokens\":[\"«eX4mPl3-eX4mPl3!x»\",\"none\"]}" }, { "password", "[[\"API_KEY\",\"«eX4mPl3eX4mPl3»\"],[\"TZ\",\"UTC\"]]" },
	{ "bearer_token", "{\"headers\":[[\"X-Auth-Token\",\"«eX4mPl3eX4mPl3eX4mPl3»\"]]}" },
	{ "bearer_token", "{\"value\":\"Token «EXAMPLE0%example!EX»\",\"name\":\"Authorization\"}" },
	{ "password", "{\"argv\":[\"mysql\",\"-u\",\"root\",\"--password\",\"«EXAMPLE0example»\"]}" },
	{ "password", "[\"sshpass\", \"-p\", \"«EXAMPLE0example»\", \"ssh\", \"host\"]" },
	/* Tables: below a head, behind a name. */
	{ "password", "| user | password | host |\n|:--|:-:|--:|\n| anna | «EXAMPLE0%example» | h |\n| bob | see the safe | h |" },
	{ "password", "user | password\n--- | ---\nanna | «eX4mPl3eX4mPl3»" }, { "password", "> | **login** | **Passwort** |\n> |---|---|\n> | anna | `«Sommer2024»` |" },
	{ "password", "host,user,password\nh,root,«EXAMPLE0%example»\nh2,root,«eX4mPl3eX4mPl3»\n" },
	{ "password", "\"host\",\"secret\",\"note\"\r\n\"h\",\"«eX4mPl3eX4mPl3»\",\"new, since May\"\r\n" },
	{ "password", "Name;Kennwort;Ort\nanna;«Sommer2024»;Celle" }, { "password", "name\tapi_key\nshop\t«eX4mPl3eX4mPl3»" },
	{ "password", " id | login | passwd\n----+-------+--------\n  1 | anna  | «eX4mPl3eX4mPl3»\n(1 row)" },
	{ "password", "+------+----------+\n| user | password |\n+------+----------+\n| root | «EXAMPLE0%example» |\n+------+----------+" },
	{ "password", "│ user │ password │\n├──────┼──────────┤\n│ root │ «EXAMPLE0%example» │" },
	{ "password", "| root password | «EXAMPLE0%example» |" }, { "password", "USER   PASSWORD      HOST\nroot   «eX4mPl3eX4mPl3»   h" },
	/* The secret before its word, behind a slash, a colon or a short word. */
	{ "password", "«eX4mPl3eX4mPl3» is the new root password of h" }, { "password", "`«eX4mPl3%eX4mPl3»` war das alte Kennwort" },
	{ "password", "set it to «eX4mPl3%eX4mPl3» (root password, h)" }, { "password", "«0123456789abcdef0123456789abcdef01234567» is my api key" },
	{ "password", "anna:«eX4mPl3%eX4mPl3» are the credentials of h" }, { "password", "set «eX4mPl3%eX4mPl3» as root password" },
	{ "password", "credentials for the nas: anna / «eX4mPl3%eX4mPl3»" }, { "password", "login: root / «eX4mPl3%eX4mPl3»" },
	{ "password", "Logins:\n- wiki: anna / «eX4mPl3%eX4mPl3»" }, { "password", "WLAN: Gast / «eX4mPl3%eX4mPl3»" },
	{ "password", "Zugangsdaten: anna / «eX4mPl3%eX4mPl3»" }, { "password", "log in as anna with «eX4mPl3%eX4mPl3»" },
	{ "password", "wifi Barn, pw «eX4mPl3%eX4mPl3»" }, { "password", "user: anna pass: «eX4mPl3%eX4mPl3»" }, { "password", "mdp : «eX4mPl3%eX4mPl3»" },
	{ "password", "my password? «eX4mPl3%eX4mPl3»" }, { "password", "smtp.login('anna', '«eX4mPl3%eX4mPl3»')" },
	/* Passwords of URLs with what has to be encoded there. */
	{ "url_password", "postgres://shop:«EXAM#PLE0x»@db:5432/shop" }, { "url_password", "amqp://w:«#EXAMPLE0»@mq:5672/jobs and" }, { "url_password", "mssql://sa:«EXAM/PL?E0x»@sql1" },
	/* More tools. */
	{ "secret_key", "cargo login «cioEXAMPLEexampleEXAMPLEexampleEX01»" }, { "secret_key", "export VAULT_TOKEN=«s.EXAMPLEexampleEXAMPLE012»" },
	{ "secret_key", "the vault token is «s.EXAMPLEexampleEXAMPLE012»" }, { "password", "7z x -p«EXAMPLE0example» a.7z" }, { "password", "rar a -hp«EXAMPLE0example» a.rar d" },
	{ "password", "ssh-keygen -t ed25519 -N '«EXAMPLE0example»' -f k" },
	{ "password", "BitLocker recovery key: «123456-234567-345678-456789-567890-678901-789012-890123»" },
	{ "password", "recovery key for the Mac «AB12-CD34-EF56-GH78-IJ90-KL12»" }, { "password", "backup codes:\n«1. 9873 4803\n2. 1234 5678\n3. 8765 4321»" },
	{ "secret_key", "Mailgun.client('«0123456789abcdef0123456789abcdef-01234567-89abcdef»')" },
	/* Prefixes of more services. */
	{ "secret_key", "az: «abc8Q~EXAMPLEexampleEXAMPLEexampleEXAMPL»" },
	{ "secret_key", "new Resend('«re_EXAMPLE0_EXAMPLEexampleEXAMPLE012»')" },
	{ "secret_key", "oc login --server=h «sha256~EXAMPLEexampleEXAMPLEexampleEXAMPLEexample0»" },
	{ "secret_key", "post to «https://shop.webhook.office.com/webhookb2/01234567-89ab-cdef-0123-456789abcdef@01234567-89ab-cdef-0123-456789abcdef/IncomingWebhook/0123456789abcdef0123456789abcdef/01234567-89ab-cdef-0123-456789abcdef»" },
	{ "secret_key", "«ABSKEXAMPLEexampleEXAMPLEexampleEXAMPLEexampleEXAMPLEexampleEXAMPLEexampleEXAMPLEexampleEXAMPLEexampleEXAMPLEexample00=»" },
	{ "secret_key", "pinecone «pcsk_EXAMP0_EXAMPLEexampleEXAMPLEexampleEXAMPLEexampleEXAMPLEexampleEXAMPLE»" },
	{ "slack_token", "cookie d «xoxd-EXAMPLEexample%2FEXAMPLEexample%2FEXAMPLEexample%3D%3D»" },
	{ "secret_key", "«patEXAMPLE0exampl.0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef»" },
	{ "secret_key", "replicate «r8_EXAMPLEexampleEXAMPLEexampleEXAMPLE01»" }, { "secret_key", "«snyk_uat.0123abcd.EXAMPLEexampleEXAMPLEexampleEXAMPLEexa»" },
	{ "secret_key", "sonar «sqp_0123456789abcdef0123456789abcdef01234567»" }, { "secret_key", "«CCIPAT_EXAMPLEexampleEXAMPLE0_0123456789abcdef0123456789abcdef01234567»" },
	{ "secret_key", "bk «bkua_0123456789abcdef0123456789abcdef01234567»" }, { "secret_key", "«access_token$production$0123456789abcdef$0123456789abcdef0123456789abcdef»" },
	{ "secret_key", "gemini «AQ.Ab8EXAMPLEexampleEXAMPLEexampleEXAMPLEexampleEXAMPLE01»" }, { "secret_key", "«sb_secret_EXAMPLEexampleEXAMPLE_EXAMPLE0»" },
	{ "secret_key", "firecrawl «fc-0123456789abcdef0123456789abcdef»" }, { "secret_key", "NR «0123456789abcdef0123456789abcdef0123NRAL»" },
	{ "secret_key", "«EAAAEXAMPLEexampleEXAMPLEexample_EXAMPLEexampleEXAMPLEexampleEXA»" },
	{ "phone", "mi móvil es «655 123 456»" }, { "phone", "Llámame al «612 34 56 78» mañana" },
	{ "phone", "appelle le «0145678901»" }, { "phone", "le «04.91.12.34.56»" }, { "phone", "reach me at «3035550199» tonight" },
	{ "national_id", "Steuer-ID: «86095742719»" }, { "national_id", "IdNr. «86 095 742 719»" },
	{ "national_id", "DNI «23649280J», NIE «X5875279K»" }, { "national_id", "«23.649.280-J»" },
	{ "national_id", "NIR «2 55 08 14 168 025 38»" }, { "national_id", "«255081416802538»" }, { "national_id", "«1 85 05 2A 006 084 35»" },
	{ "ipv4", "«192.0.2.1»-«192.0.2.9»" },
	{ "ipv4", "from «192.0.2.1»:443 to «198.51.100.254»." },
	{ "ipv4", "http://«203.0.113.9»/x and «10.1.2.3»/24" },
	{ "ipv6", "[«2001:db8::1»]:80 and «fe80::1:2»%eth0" },
	{ "ipv6", "«2001:db8:1:2:3:4:5:6»: timeout" },
	{ "ipv6", "«::ffff:192.0.2.33», mapped" },
};

static const char *const kept[] = {
	"1000 4111 1111\n1111 1111 2000", "Art.-Nr. 030 482 930 51, Lager 4", "Bestellnummer: 0711 482930", "token count: 4096 per request", "unexpected token parseExpression2 in line 4",
	"openssl x509 -in a.pem -noout -text", "openssl s_client -connect h:443 -key k.pem", "net use Z: \\\\srv\\share /persistent:yes", "curl -sS -X POST https://h:8443/x",
	"{\"k\":\"EXAMPLE0exampleEXAMPLE1exampleEXAMPLE2exam\",\"v\":1}", "{\"kty\":\"OKP\",\"x\":\"EXAMPLE0exampleEXAMPLE1exampleEXAMPLE2exam\"}", "docker run -u 1000:1000 app",
	"the token bucket refills 20 per second", "see access key rotation-policy-v2-2024", "Authorization: header is missing; response=unauthorized",
	"A senha tem de ter 12 caracteres.", "La parola è passata all'avvocato nel 2024.", "Het wachtwoord van ada2 is verlopen.", "Hasło do bazy: patrz README2.",
	"Пароль: обязательное поле", "密码是必填项。", "パスワードは必須です。", "비밀번호는 필수입니다.", "Şifre 8 karakter olmalı.",
	"Cookie: lang=de; theme=dark", "names = ', '.join(['task-', 'runner-configuration', 'x9'])", "the prefix nfp_ stands before tokens",
	"The password of the archive is stored elsewhere.",
	"the token for CI is in the vault: see docs/ci2.md",
	"the access key of that bucket in eu-west-1 was rotated in 2025",
	"The plant was identified by 'Linnaeus' in 1753; users are identified by \"email\"",
	"create user accounts first; each is identified by 'user_id'",
	"CREATE USER anna WITH PASSWORD 'changeme';",
	"GET /x?redirect=https%3A%2F%2Fh%2Flogin%3Fnext%3D%2F and R&amp;D, printf(\"%20s %5d%%\")",
	"password=&quot;&quot; and password%3D%24%7BPASSWORD%7D",
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
	"**Password:** required", "**token**: the smallest unit of text", "password    = var.db_password", "password        : string",
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
	/* Values of documentations, placeholders. */
	"AKIAIOSFODNN7EXAMPLE", "aws_access_key_id = AKIAI44QH8DHBEXAMPLE", "bot110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw", "dni 12345678Z",
	"ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "glpat-your-token-goes-here-now", "dckr_pat_XXXXXXXXXXXXXXXXXXXXXXXXXXX",
	"sk_test_4eC39HqLyjWDarjtT1zdp7dc", "postgres://postgres:postgres@db:5432/app", "amqp://guest:guest@localhost:5672/", "mysql://root:root@127.1/test",
	"docker run -e POSTGRES_PASSWORD=postgres postgres", "arn:aws:secretsmanager:eu-west-1:123456789012:secret:db-x9Yz0q",
	/* Names of messages and logins are no addresses for mail. */
	"Message-ID: <0123abcd.4567@host.example.org>", "In-Reply-To: <CAEXAMPLE@mail.example.com>", "References: <1.2@lists.example.org> <3.4@lists.example.org>",
	"ssh deploy@web-01.example.org", "ssh -p 22 deploy@web-01.example.org uptime", "$ scp -r x anna@nas.example.org:/srv", "follow @mira@social.example.org",
	/* Check digits that are wrong, or no word for it. */
	"Steuer-ID: 86095742718", "invoice 86095742719", "23649280K", "X5875279L", "NIR 2 55 08 14 168 025 39", "12345678901234567890",
	"mysql -u root -p shop", "mkdir -p /srv/app", "ssh -p 2222 host", "docker run -p 8080:80 nginx", "tar -pxzf a.tgz", "sshpass -p \"$PASS\" ssh h",
	"Authorization: Bearer <token>", "Authorization header is required", "the Authorization: Basic scheme", "Authorization: none",
	"certificate-authority-data: RVhBTVBMRUVYQU1QTEVFWEFNUExFRVhBTVBMRUVYQU1QTEU=", "AC0123456789abcdef0123456789abcdef",
	"age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kudcqsyjq93w9mw", "hf_hub_download(repo_id)", "SK8 board", "sig=short",
	/* Values of documentations. */
	"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
	"otpauth://totp/Example?secret=JBSWY3DPEHPK3PXP&issuer=Example",
	"PUBLISHABLE_KEY=pk_live_EXAMPLE0exampleEXAMPLE1example", "the test card 4242 4242 4242 4242 always succeeds",
	"palabra clave: EXAMPLE0example", "la clave es tener 3puntos claros", "heslo musí mít 12 znaků", "salasana on unohtunut",
	"PIN: 4 digits", "PIN: 2023-10-11", "GPIO PIN 1717", "Passwort anmelden: siehe unten", "- name: TOKEN_TTL\n  value: 3600s",
	"- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef: x", "define('AUTH_KEY', 'put your unique phrase here');", "<input type=\"password\" value=\"\">",
	"aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "AWS_SECRET_ACCESS_KEY=\"je7MtGbClwBF/2Zp9Utk/h3yCo8nvbEXAMPLEKEY\"",
	/* JSON, tables and words beside what is no secret. */
	"{\"tags\":[\"password\",\"login2\"]}", "[{\"value\":\"Europe/Berlin\",\"name\":\"TZ\"}]", "{\"tokens\":[\"the\",\"Cat9\",\"iPhone12Pro\"]}",
	"{\"password\":{\"type\":\"string\",\"default\":\"none\",\"description\":\"at least 12 characters\"}}", "[\"mkdir\",\"-p\",\"Build2024/out\"]",
	"[[\"password\",\"min 12 chars\"],[\"token\",\"rotates\"]]", "{\"name\":\"Password reset page\",\"value\":\"draft2\"}",
	"| user | password |\n|---|---|\n| root | changed yesterday |\n| anna | see the safe |", "| token | count |\n|---|---|\n| the | 5120 |\n| Berlin2 | 17 |",
	"| Feature | Password reset |\n|---|---|\n| Version | v2.1-rc2 |", "from x import (\n    Ed25519PrivateKey,\n    secret,\n    Ed25519PublicKey,\n)",
	"test,password policy,result\nT1,min12,PASS", "USER   PASS  FAIL\nruth2  9     0", "Windows11 is the new password-less system", "RFC6750 is the bearer token spec", "| site | login | key |\n|---|---|---|\n| wiki | anna2024 | Ed25519PublicKey |", "Ed448PrivateKey|Ed25519PublicKey|Ed448PublicKey key",
	"print the password\nU1dkdWIzSmxJR0Zz",
	"ISO27001 is the key", "login: see wiki / Page2", "Wi-Fi: 2.4GHz / 5GHz", "Anmeldung: 12.05.2026 / Raum B12", "pw reset v2 is out", "mdp : oublié",
	"Password reset (AUTH-1234) is done", "session.login('anna', password)", "Pass `-Dpamconfdir=no` to meson", "http://localhost:3000/#/users/@me",
	"s.ThisIsAVeryLongMethodName", "ssh-keygen -t ed25519 -N '' -f id", "7z x archive.7z -otarget -y", "precious, spacious",
	/* Names that tell of keys, codes and phrases, and no key. */
	"sign(private_key: _EllipticCurvePrivateKey, data)", "private_key: Ed25519PrivateKeyAdapterType", "the signing key is Sha256WithRsa2048Signature", "PublicKey = EXAMPLEexampleEXAMPLEexampleEXAMPLEexample00=", "private_key_path: /etc/ssl/private/host.pem", "the private key is kept in the safe", "private_key = load_key(path)",
	"\"private_key_id\": \"0123456789abcdef0123456789abcdef01234567\"", "primary key is AccountTransactionIdentifierV2", "cache key: 0123456789abcdef0123456789abcdef01234567",
	"X-Idempotency-Key: 01234567-89ab-cdef-0123-456789abcdef", "X-Cache-Key: EXAMPLE0exampleEXAMPLE1", "x-key: value", "the sort key is createdAtTimestampOfRow1Desc",
	"JSESSIONID=abc", "set PHPSESSID in php.ini", "the salt of $6$ is sixteen characters", "$2b$12$ is the prefix of bcrypt", "costs $1$2 or $5",
	"ConvertTo-SecureString $plain -AsPlainText", "ConvertTo-SecureString -String $env:PW", "-passin pass:$PW", "-passin env:PW", "use chpasswd for it",
	"unzip -P \"$PW\" a.zip", "net user anna /delete", "requirepass is off", "main.c:1234:5:warning:x1", "http://example.org:5432/x",
	"https://0123456789abcdef0123456789abcdef@o1.ingest.sentry.io/4", "https://medium.com/@anna-example0-example1-example2/x",
	"an app password that must have long text too", "print your recovery codes and put them in the safe", "recovery codes: 10 of them, each of 8 digits", "backup code 42 failed",
	"A seed phrase has 12 or 24 words from a list of 2048.", "recovery phrase: write these words down, never store them on a device that is online, and never show them",
	"mnemonic: every good boy deserves fudge", "seed words are chosen from the list that every wallet knows and can read when asked",
	"core_are_store_re_EXAMPLE", "patEXAMPLE", "path.to.module", "sha256~short", "r8_short", "fc-list", "re_match_EXAMPLE",
	"population 612 345 678 in all", "integrity sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
	"3f2504e0-4f89-11d3-9a0c-0305e82c3301", "#ff8800", "1a2b3c4d5e6f", "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
};

static void
test_secrets(void **state)
{
	(void)state;
	unsigned bad = 0;
	for (size_t i = 0; i < MEM_COUNT(secrets); i++)
		bad += !marked_goes(secrets[i].text, secrets[i].kind);
	assert_int_equal(bad, 0);
}

static void
test_kept(void **state)
{
	(void)state;
	unsigned bad = 0;
	for (size_t i = 0; i < MEM_COUNT(kept); i++)
		bad += !stays(kept[i]);
	assert_int_equal(bad, 0);
}

/* A token with `with` at each place in turn is found, whole. */
static void
expect_broken(struct fixture *x, const char *token, const char *before, const char *with, const char *after)
{
	for (size_t gap = 1; token[gap] != '\0'; gap++) {
		struct mem_buf text = { 0 };
		mem_buf_printf(&text, "%s%.*s%s%s%s", before, (int)gap, token, with, token + gap, after);
		const char *got = cleaned(x, mem_buf_span(&text));
		if (x->found.nredactions != 1 || strncmp(got, before, strlen(before)) != 0 ||
		    strstr(got, after) == NULL || strstr(got, token + gap) != NULL)
			fail_msg("'%s' became '%s'", text.data, got);
		assert_int_equal(x->found.redactions[0].start, strlen(before));
		assert_int_equal(x->found.redactions[0].end, text.len - strlen(after));
		mem_buf_release(&text);
	}
}

static void
test_broken_tokens(void **state)
{
	(void)state;
	static const char *const tokens[] = { "ghp_EXAMPLEexampleEXAMPLEexampleEXAMPLE0", "AKIAQYLPMN5HFIQR7XYB", "npm_EXAMPLEexampleEXAMPLEexampleEXAMPLE0" };
	struct fixture x = fixture(MEM_REDACT_DEFAULT, MEM_MARKERS_EXCISE);
	for (size_t i = 0; i < MEM_COUNT(tokens); i++) {
		expect_broken(&x, tokens[i], "see\n", "\n", "\nfor it");
		expect_broken(&x, tokens[i], "see ", "\r\n    ", " for it");
		expect_broken(&x, tokens[i], "export T=", "\\\n", "");
		expect_broken(&x, tokens[i], "> ", "\n> ", "\n> and more");
		expect_broken(&x, tokens[i], "t = \"", "\" + \"", "\";");
		expect_broken(&x, tokens[i], "t = '", "' .\n\t'", "';");
		expect_broken(&x, tokens[i], "(\"", "\"\n \"", "\")");
		expect_broken(&x, tokens[i], "(", "<br>", ")");
		expect_broken(&x, tokens[i], "(", "<|im_end|>", ")");
		expect_broken(&x, tokens[i], "(", "**", ")");
		expect_broken(&x, tokens[i], "(", "[redacted:email]", ")");
		expect_broken(&x, tokens[i], "two parts: ", "\n\n", "");
		expect_broken(&x, tokens[i], "soft: ", "=\n", " so");
		expect_broken(&x, tokens[i], "soft: ", "=\r\n", " so");
		expect_broken(&x, tokens[i], "+", "\n+", "\n context");
		expect_broken(&x, tokens[i], "red: ", "\x1b[1;31m", " so");
		expect_broken(&x, tokens[i], "link: ", "\x1b]8;;http://h/\x1b\\", " so");
		expect_broken(&x, tokens[i], "{\"a\":\"", "\\n", "\"}"); /* JSON's escape of a line's end */
	}
	assert_string_equal(cleaned(&x, MEM_STR("see https://hooks.slack.com/services/T0EXAMPLE/B0EXAMPLE/EXAM\nPLE0example1EXAMPLE2 .")), "see [redacted:slack_webhook] .");
	assert_string_equal(cleaned(&x, MEM_STR("see MEXAMPLEexampleEXAMPLE00.GEXA\nMP.EXAMPLEexampleEXAMPLEexampleEXAMPLE0 .")), "see [redacted:secret_key] .");
	/* Longer ones, over many lines; a first part that is a key by itself. */
	assert_string_equal(cleaned(&x, MEM_STR("jwt:\neyJhbGciOiJIUzI1\nNiJ9.eyJzdWIiOi\nJleGFtcGxlIn0.EX\nAMPLE-EXAMPLE_EX\nAMPLE\n")), "jwt:\n[redacted:jwt]\n");
	assert_string_equal(cleaned(&x, MEM_STR("sk-ant-api03-EXAMPLEexample0EXAMPLE\nexample1EXAMPLEexample2, ok")), "[redacted:secret_key], ok");
	/* What is whole takes nothing of the next line along. */
	assert_string_equal(cleaned(&x, MEM_STR("ghp_EXAMPLEexampleEXAMPLEexampleEXAMPLE0\nwords")), "[redacted:github_token]\nwords");
	assert_string_equal(cleaned(&x, MEM_STR("some words are\nwrapped_at_this_column\nand 0123456789ab\ncdef0123456789")),
	    "some words are\nwrapped_at_this_column\nand 0123456789ab\ncdef0123456789");
	drop(&x);
}

static void
test_encoded(void **state)
{
	(void)state;
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "see Z2hwX0VYQU1QTEVleGFtcGxlRVhBTVBMRWV4YW1wbGVFWEFNUExFMA==", "see [redacted:github_token]" },
		{ "in YXdzX2tleT1BS0lBUVlMUE1ONUhGSVFSN1hZQg done", "in [redacted:aws_access_key_id] done" },
		{ "hex 6768705f4558414d504c456578616d706c654558414d504c456578616d706c654558414d504c4530.", "hex [redacted:github_token]." },
		{ "numbers [103, 104, 112, 95, 69, 88, 65, 77, 80, 76, 69, 101, 120, 97, 109, 112, 108, 101, 69, 88, 65, 77, 80,"
		    " 76, 69, 101, 120, 97, 109, 112, 108, 101, 69, 88, 65, 77, 80, 76, 69, 48] end", "numbers [[redacted:github_token]] end" },
		{ "rows 1, 2, 3, 104, 102, 95, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84", "rows 1, 2, 3, 104, 102, 95, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84" },
		{ "twice WjJod1gwVllRVTFRVEVWbGVHRnRjR3hsUlZoQlRWQk1SV1Y0WVcxd2JHVkZXRUZOVUV4Rk1BPT0=", "twice [redacted:github_token]" },
		{ "lines:\n  Z2hwX0VYQU1QTEV\n  leGFtcGxlRVhBTV\n  BMRWV4YW1wbGVFW\n  EFNUExFMA==\nend", "lines:\n  [redacted:github_token]\nend" },
		{ "k=ghp%5FEXAMPLEexampleEXAMPLEexampleEXAMPLE0&x=1%20", "k=[redacted:github_token]&x=1%20" },
		{ "ghp&#95;EXAMPLEexampleEXAMPLEexample&#x45;XAMPLE0", "[redacted:github_token]" },
		{ "a%5Fb &amp; c&#95;d 100%", "a%5Fb &amp; c&#95;d 100%" },
		{ "cHJvamVjdCBub3RlcyBmb3IgdGhlIG5leHQgc3ByaW50", "cHJvamVjdCBub3RlcyBmb3IgdGhlIG5leHQgc3ByaW50" },
		{ "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
		    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==" },
	};
	struct fixture x = fixture(MEM_REDACT_DEFAULT, MEM_MARKERS_EXCISE);
	for (size_t i = 0; i < MEM_COUNT(cases); i++)
		assert_string_equal(cleaned(&x, mem_str(cases[i].text)), cases[i].want);
	drop(&x);
}

/* Written backwards, within a word or another token: gone, whatever of the token around is left. */
static void
test_turned_tokens(void **state)
{
	(void)state;
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "typed: AKIA QYLP MN5H FIQR 7XYB ok", "typed: [redacted:aws_access_key_id] ok" },
		{ "typed: AKIAQ-YLPMN-5HFIQ-R7XYB.", "typed: [redacted:aws_access_key_id]." },
		{ "read: A K I A Q Y L P M N 5 H F I Q R 7 X Y B!", "read: [redacted:aws_access_key_id]!" },
		{ "g\nl\np\na\nt\n-\nE\nX\nA\nM\nP\nL\nE\ne\nx\na\nm\np\nl\ne\n0\nE\nX\nA\nM\nP\nL", "[redacted:secret_key]" },
		{ "md: sk\\_live\\_EXAMPLEEXAMPLEEXAMPLE0000 ok", "md: [redacted:stripe_key] ok" },
		{ "wide: dAA9AEEASwBJAEEAUQBZAEwAUABNAE4ANQBIAEYASQBRAFIANwBYAFkAQgA= ok", "wide: [redacted:aws_access_key_id] ok" },
		{ "b64:\ndCA9IEFLSUFRWUxQ\nTU41SEZJUVI3WFlC\nIG9r\nend", "b64:\n[redacted:aws_access_key_id]\nend" },
		{ "this that with from over A B C D E F G and 1234 5678 9012 3456 7890 1234", NULL },
		{ "backwards BYX7RQIFH5NMPLYQAIKA ok", "backwards [redacted:aws_access_key_id] ok" },
		{ "0ELPMAXEelpmaxeELPMAXEelpmaxeELPMAXE_phg", "[redacted:github_token]" },
		{ "k: 2elpmaxe_ELPMAXE-1elpmaxe0ELPMAXE-30ipa-tna-ks", "k: [redacted:secret_key]" },
		{ "AKIAQYLPAKIAQYLPMN5HFIQR7XYBMN5HFIQR7XYB", "[redacted:aws_access_key_id]" },
		{ "xAKIAQYLPMN5HFIQR7XYB ok", "x[redacted:aws_access_key_id] ok" },
		{ "myglpat-EXAMPLEexample0EXAMPL and", "my[redacted:secret_key] and" },
		{ "vghp_EXAMPLEexampleEXAMPLEexampleEXAMPLE0", "v[redacted:github_token]" },
		{ "the disk-0123abcd-4567-89ef-0123-456789abcdef is full", "the disk-0123abcd-4567-89ef-0123-456789abcdef is full" },
		{ "see https://example.org/tasks/npm_config_cache/lib/risk-2026-11-30-of-the-week.html", NULL },
		{ "path src/main/java/org/example/AbstractSingletonProxyFactoryBean.java", NULL },
	};
	struct fixture x = fixture(MEM_REDACT_DEFAULT, MEM_MARKERS_EXCISE);
	for (size_t i = 0; i < MEM_COUNT(cases); i++)
		assert_string_equal(cleaned(&x, mem_str(cases[i].text)), cases[i].want != NULL ? cases[i].want : cases[i].text);
	drop(&x);
}

struct tally {
	unsigned expected, exact, extra;
};

/* The set asks for two values of documentations too, which everybody has read. */
static bool
is_documented_value(const struct mem_rec *rec, int64_t start)
{
	struct mem_arena a = { 0 };
	struct mem_str text = mem_json_text(&a, mem_rec_find(rec, "text")->value);
	static const char *const values[] = { "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY" };
	bool is = false;
	for (size_t i = 0; i < MEM_COUNT(values); i++)
		is |= (size_t)start + strlen(values[i]) <= text.n && memcmp(text.p + start, values[i], strlen(values[i])) == 0;
	mem_arena_release(&a);
	return is;
}

static void
count_spans(void *ctx, const struct fixture *x, const struct mem_rec *rec)
{
	struct tally *t = ctx;
	size_t n = 0;
	for (struct mem_json_iter it = mem_json_each(mem_rec_find(rec, "expect")->value); mem_json_next(&it);) {
		const struct mem_redaction *r = n < x->found.nredactions ? &x->found.redactions[n] : NULL;
		int64_t start = 0, end = 0;
		char kind[64] = "";
		assert_true(mem_json_int(mem_json_member(it.value, "start"), &start));
		assert_true(mem_json_int(mem_json_member(it.value, "end"), &end));
		if (is_documented_value(rec, start))
			continue;
		if (r != NULL)
			snprintf(kind, sizeof kind, "%.*s", (int)r->kind.n, r->kind.p);
		t->exact += r != NULL && r->start == (size_t)start && r->end == (size_t)end &&
		    mem_json_is(mem_json_member(it.value, "kind"), kind);
		n++;
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
		cmocka_unit_test(test_broken_tokens),
		cmocka_unit_test(test_encoded),
		cmocka_unit_test(test_turned_tokens),
		cmocka_unit_test(test_labelled),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
