/* SPDX-License-Identifier: Apache-2.0 */
/* Secrets that their names give away, in the words of code, settings, commands and people; and what is only said of secrets. */
#include "clean_fixture.h"
#include "base/base.h"
#include "clean/clean.h"

/* What is to go stands between « and ». */
static const char *const named[] = {
	"os.environ['DB_PASSWORD'] = '«Herbst-laub42»'",
	"ENV[\"SECRET_TOKEN\"] = \"«Zx3mPw9TqXv2JsU7aEo5Qb8n»\"",
	"os.Setenv(\"DB_PASSWORD\", \"«Herbst-laub42»\")",
	"std::env::set_var(\"DB_PASSWORD\", \"«Herbst-laub42»\");",
	"System.setProperty(\"db.password\", \"«Herbst-laub42»\");",
	"config.set('password', '«Herbst-laub42»')",
	"settings.put(\"api.key\", \"«Zx3mPw9TqXv2JsU7aEo5Qb8n»\")",
	"client.password(\"«Herbst-laub42»\")",
	"builder.withPassword(\"«Herbst-laub42»\")",
	"#define DB_PASSWORD \"«Herbst-laub42»\"",
	"#define WIFI_PASS \"«Herbst-laub42»\"",
	"(setq password \"«Herbst-laub42»\")",
	"{:password \"«Herbst-laub42»\"}",
	"let token: string = \"«Zx3mPw9TqXv2JsU7aEo5Qb8n»\";",
	"var secret string = \"«Zx3mPw9TqXv2JsU7aEo5Qb8n»\"",
	"const PASSWORD: &str = \"«Herbst-laub42»\";",
	"static const char SECRET[] = \"«Zx3mPw9TqXv2JsU7aEo5Qb8n»\";",
	"requests.get(u, auth=('anna', '«Herbst-laub42»'))",
	"HTTPBasicAuth('anna', '«Herbst-laub42»')",
	"jwt.sign(claims, '«Zx3mPw9TqXv2JsU7aEo5Qb8n»')",
	"password: |\n  «Herbst-laub42»\nuser: anna",
	"passphrase: >-\n  «Herbst-laub42»",
	"token:\n    «Zx3mPw9TqXv2JsU7aEo5Qb8n»",
	"<password>\n  «Herbst-laub42»\n</password>",
	"<entry key=\"password\">«Herbst-laub42»</entry>",
	"ENV DB_PASSWORD «Herbst-laub42»",
	"ARG NPM_TOKEN «Zx3mPw9TqXv2JsU7aEo5Qb8n»",
	"setenv API_TOKEN «Zx3mPw9TqXv2JsU7aEo5Qb8n»",
	"setx DB_PASSWORD «Herbst-laub42»",
	"set -gx GITHUB_TOKEN «Zx3mPw9TqXv2JsU7aEo5Qb8n»",
	"SSHPASS=«Herbst-laub42» sshpass -e ssh root@box",
	"DBPASS=\"«Herbst-laub42»\" make",
	"gh secret set API_TOKEN --body \"«Zx3mPw9TqXv2JsU7aEo5Qb8n»\"",
	"aws secretsmanager create-secret --name db --secret-string '«Herbst-laub42»'",
	"aws ssm put-parameter --name /db --type SecureString --value \"«Herbst-laub42»\"",
	"az keyvault secret set --vault-name v --name db --value «Herbst-laub42»",
	"echo '«Herbst-laub42»' | sudo -S apt update",
	"echo «Herbst-laub42» | sudo -S -k whoami",
	"printf '%s' '«Herbst-laub42»' | docker login -u anna --password-stdin",
	"echo anna:«Herbst-laub42» | chpasswd",
	"kinit anna <<< «Herbst-laub42»",
	"sqlplus scott/«Herbst-laub42»@orcl",
	"snmpwalk -v3 -u anna -A «Herbst-laub42 -X Kp9xLm2vQ4z» host",
	"snmpget -v2c -c «Herbst-laub42» host oid",
	"psexec srv -u anna -p «Herbst-laub42» cmd",
	"cmdkey /add:srv /user:anna /pass:«Herbst-laub42»",
	"http -a anna:«Herbst-laub42» example.net",
	"openssl rsa -in k.pem -passin 'pass:«Herbst-laub42»'",
	"ansible-vault encrypt_string '«Herbst-laub42»' --name pw",
	"'db_pass' => '«Herbst-laub42»',",
	"$dbpass = \"«Herbst-laub42»\";",
	"smtp.PlainAuth(\"\", \"anna\", \"«Herbst-laub42»\", host)",
	"credentials.NewStaticCredentials(\"AK\", \"«Zx3mPw9TqXv2JsU7aEo5Qb8n»\", \"\")",
	"echo '«Herbst-laub42»' | gpg --batch --passphrase-fd 0 -d x",
	"printf '«Herbst-laub42»' | docker secret create db -",
	"printf '«Herbst-laub42»' | kubectl create secret generic x --from-file=p=/dev/stdin",
	"pulumi config set --secret dbPassword «Herbst-laub42»",
	"npm config set //registry.example.net/:_authToken «Zx3mPw9TqXv2JsU7aEo5Qb8n»",
	"wrangler secret put TOKEN <<< «Zx3mPw9TqXv2JsU7aEo5Qb8n»",
	"rabbitmqctl add_user anna «Herbst-laub42»",
	"xfreerdp /u:anna /p:«Herbst-laub42» /v:h",
	"expect \"password:\"; send \"«Herbst-laub42»\\r\"",
	"password - «Herbst-laub42»",
	"useradd -m -p '«Herbst-laub42»' anna",
	"The admin password was changed to «Herbst-laub42» yesterday.",
	"password for root = «Herbst-laub42»",
	"The root password will be «Herbst-laub42» from Monday",
	"password should be «Herbst-laub42»",
	"new password -> «Herbst-laub42»",
	"API key (prod): «Zx3mPw9TqXv2JsU7aEo5Qb8n»",
	"API key - «Zx3mPw9TqXv2JsU7aEo5Qb8n»",
	"log in with the password «Herbst-laub42»",
	"Password («Herbst-laub42»)",
	"the box (pw «Herbst-laub42»)",
	"the admin pw on the nas is «Kp9xLm2vQ4z»",
	"It's «Herbst-laub42» (the wifi password)",
	"«Herbst-laub42» is the wifi password",
	"WLAN-Schlüssel: «Herbst-laub42»",
	"WiFi key is «Herbst-laub42»",
	"PSK: «Herbst-laub42»",
	"accès : anna / «Herbst-laub42»",
	"user/pass: anna/«Herbst-laub42»",
	"Password:\n\n    «Herbst-laub42»",
};

static const char *const spoken_of[] = {
	"password: required",
	"\"password\": \"${DB_PASSWORD}\"",
	"the password is at least 12 characters long",
	"password must contain a digit, e.g. one of 0-9",
	"ENV PYTHONUNBUFFERED 1",
	"ENV TOKEN_FILE /run/secrets/token1",
	"ENV SECRET_NAME my-secret-name",
	"set -x PATH /usr/local/bin2",
	"os.Setenv(\"TOKEN_TTL\", \"3600s\")",
	"os.environ[\"TOKEN_URL\"] = \"https://auth2.example.net/token\"",
	"#define PASSWORD_MAX_LEN 128",
	"#define SECRET_KEY_SIZE \"32 bytes\"",
	"config.set('password', 'password_field_22')",
	"expect(token(\"foo1\")).toBe(2)",
	"x.password(\"Enter your password2: \")",
	"prompt_password(\"Password for user1: \")",
	"gh secret set API_TOKEN --body \"$TOKEN\"",
	"aws ssm get-parameter --name /db/pass1 --with-decryption",
	"aws ssm put-parameter --name /size --type String --value t3.large2",
	"echo $PASS | sudo -S apt update",
	"echo \"deb http://x bookworm main2\" | sudo tee /etc/apt/x1.list",
	"sqlplus scott/$PASS@orcl",
	"snmpwalk -v2c -c public host1 system",
	"docker run -u 1000 -p 8080:80 nginx1",
	"sudo -u postgres mkdir -p /var/lib/pg15",
	"wlan key exchange uses 802.11w",
	"GNUTLS_KX_DHE_PSK: DHE-PSK key exchange",
	"password:\n  type: string\n  minLength: 8",
	"password: |\n  A password of 12 characters.",
	"token:\n    required: true",
	"password\nP2P networking",
	"Password:\nLast login: Tue Dec  1 09:22:49 on ttys001",
	"password -> hashed with argon2id",
	"reset the password to v2 format",
	"node-1234 is the password reset server",
	"server-2024 is our password manager",
	"the password was changed to comply with ISO27001",
	"COMPASS=north2",
	"BYPASS=1a",
	"with password authentication disabled",
	"Password (again):",
	"password - at least 12 characters",
	"first_pass = run(2)",
	"npm config set registry https://r1.example.net/",
	"pulumi config set aws:region eu-west-1",
	"docker secret create db2 ./file",
	"Password (sha256)",
	"password (min 8 chars):",
	"auth=('user1', getpass())",
};

static void
test_named(void **state)
{
	(void)state;
	unsigned bad = 0;
	for (size_t i = 0; i < MEM_COUNT(named); i++)
		bad += !marked_goes(named[i], "password");
	assert_int_equal(bad, 0);
}

static void
test_spoken_of(void **state)
{
	(void)state;
	unsigned bad = 0;
	for (size_t i = 0; i < MEM_COUNT(spoken_of); i++)
		bad += !stays(spoken_of[i]);
	assert_int_equal(bad, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_named),
		cmocka_unit_test(test_spoken_of),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
