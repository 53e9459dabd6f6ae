/* SPDX-License-Identifier: Apache-2.0 */
/* A remote route: its settings, and texts sent to it. */
#include "model/model_int.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "record/record.h"

enum {
	CONNECT_MS = 5000,
	ATTEMPTS = 5,
	FIRST_WAIT_MS = 500,            /* before the second attempt; then twice as long each time */
	BATCH_MAX = 2048,               /* what OpenAI takes */
	REQUEST_BYTES = 1 << 20,        /* of texts */
	ANSWER_BYTES = 1 << 20,         /* and as much again for each 8 vectors */
	KEY_MAX = 4096,
};

/*
 * Nothing is known of such a model: half of the score is its own, and what is written
 * alike counts as a near duplicate, unless its cosine is low by any model's measure.
 */
#define WEIGHT 0.5
#define NEAR   0.9f

/* Linked only where mem_link_curl_and_blas is called. */
#pragma weak model_http_open
#pragma weak model_http_post
#pragma weak model_http_close

bool
model_is_curl_linked(void)
{
	return model_http_open != NULL;
}

struct model_remote {
	struct mem_encoder_info info;
	struct model_http *http;        /* NULL until the first text */
	char *url, *host, *model, *key_env, *query_prefix, *text_prefix;
	bool loopback;                  /* the host is this machine */
	bool tls;
	size_t batch, text_max;
	int64_t timeout_ms;
	int64_t until;                  /* by mem_clock_ms: no request lasts longer; 0: no such end */
	struct mem_buf body, text;
	struct model_http_answer answer;
};

/* ---- settings ---------------------------------------------------------- */

static bool
has_tail(struct mem_str s, const char *tail)
{
	size_t n = strlen(tail);
	return s.n >= n && memcmp(s.p + s.n - n, tail, n) == 0;
}

/* What stands between scheme and path: nothing but a host and, it may be, a port. */
static bool
take_host(struct model_remote *r, const char *from, size_t n)
{
	size_t host = n;
	if (memchr(from, '@', n) != NULL) /* a password would be kept with the settings */
		return false;
	if (n > 0 && from[0] == '[') {
		const char *end = memchr(from, ']', n);
		host = end != NULL ? (size_t)(end - from) + 1 : 0;
	} else {
		const char *colon = memchr(from, ':', n);
		host = colon != NULL ? (size_t)(colon - from) : n;
	}
	if (host == 0)
		return false;
	r->host = mem_xmalloc(host + 1);
	memcpy(r->host, from, host);
	r->host[host] = '\0';
	struct in_addr a;
	r->loopback = strcasecmp(r->host, "localhost") == 0 || strcmp(r->host, "[::1]") == 0 ||
	    (inet_pton(AF_INET, r->host, &a) == 1 && ntohl(a.s_addr) >> 24 == 127);
	return true;
}

/* Is every character one that a URL may hold as it is? (RFC 3986, without what programs read differently) */
static bool
is_plain_url(struct mem_str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] <= ' ' || s.p[i] >= 0x7f || strchr("\"<>\\^`{|}#", s.p[i]) != NULL)
			return false;
	return true;
}

static enum mem_status
take_url(struct model_remote *r, struct mem_str s, struct mem_err *err)
{
	struct mem_buf url = { 0 };
	size_t scheme = s.n >= 8 && strncasecmp(s.p, "https://", 8) == 0 ? 8 : s.n >= 7 && strncasecmp(s.p, "http://", 7) == 0 ? 7 : 0;
	const char *query = s.n > 0 ? memchr(s.p, '?', s.n) : NULL;
	struct mem_str path = { s.p, query != NULL ? (size_t)(query - s.p) : s.n };
	if (scheme == 0 || !is_plain_url(s))
		return mem_err_set(err, MEM_FAIL, "embed.url is no address of a server (http://... or https://...)");
	const char *slash = memchr(s.p + scheme, '/', path.n - scheme);
	size_t end = slash != NULL ? (size_t)(slash - s.p) : path.n;
	if (!take_host(r, s.p + scheme, end - scheme))
		return mem_err_set(err, MEM_FAIL, "embed.url must name a host, without user and password");
	r->tls = scheme == 8;
	while (path.n > end && path.p[path.n - 1] == '/')
		path.n--;
	mem_buf_str(&url, path);
	if (has_tail(path, "/v1"))
		mem_buf_puts(&url, "/embeddings");
	else if (!has_tail(path, "/embeddings"))
		mem_buf_puts(&url, "/v1/embeddings");
	if (query != NULL)
		mem_buf_put(&url, query, s.n - (size_t)(query - s.p));
	r->url = url.data;
	return MEM_OK;
}

static bool
is_variable_name(const char *s)
{
	size_t n = strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789");
	return s[n] == '\0' && (s[0] < '0' || s[0] > '9');
}

static size_t
bound_setting(int64_t v, size_t max)
{
	return (uint64_t)v < max ? (size_t)v : max;
}

static enum mem_status
take_settings(struct model_remote *r, const struct mem_conf *conf, struct mem_err *err)
{
	enum mem_status st = take_url(r, mem_conf_str(conf, "embed.url"), err);
	if (st != MEM_OK)
		return st;
	/* Scalars end in NUL. */
	r->model = mem_xstrdup(mem_conf_str(conf, "embed.model").p);
	r->key_env = mem_xstrdup(mem_conf_str(conf, "embed.key_env").p);
	r->query_prefix = mem_xstrdup(mem_conf_str(conf, "embed.query_prefix").p);
	r->text_prefix = mem_xstrdup(mem_conf_str(conf, "embed.text_prefix").p);
	r->batch = bound_setting(mem_conf_int(conf, "embed.batch"), BATCH_MAX);
	r->text_max = bound_setting(mem_conf_int(conf, "embed.max_bytes"), REQUEST_BYTES);
	r->timeout_ms = mem_conf_duration(conf, "embed.timeout");
	if (r->timeout_ms <= 0 || r->timeout_ms > INT32_MAX)
		return mem_err_set(err, MEM_FAIL, "embed.timeout is a limit that is needed, of less than 24 days");
	if (r->model[0] == '\0' || strlen(r->model) >= sizeof r->info.name)
		return mem_err_set(err, MEM_FAIL, "embed.url needs embed.model: what the server calls its model, in less than %zu bytes",
		    sizeof r->info.name);
	if (!is_variable_name(r->key_env))
		return mem_err_set(err, MEM_FAIL, "embed.key_env is the name of a variable, not the key");
	if (r->key_env[0] != '\0' && !r->tls && !r->loopback)
		return mem_err_set(err, MEM_FAIL, "embed.key_env: the key would go to '%s' in the clear: embed.url must begin with https", r->host);
	memcpy(r->info.name, r->model, strlen(r->model) + 1);
	r->info.weight = WEIGHT;
	r->info.near = NEAR;
	r->info.remote = true;
	r->info.text_max = r->text_max;
	return MEM_OK;
}

enum mem_status
model_remote_open(struct model_remote **out, const struct mem_conf *conf, struct mem_err *err)
{
	if (mem_conf_str(conf, "embed.url").n == 0)
		return mem_err_set(err, MEM_ABSENT, "no embed.url");
	struct model_remote *r = mem_xcalloc(1, sizeof *r);
	enum mem_status st = take_settings(r, conf, err);
	if (st != MEM_OK) {
		model_remote_close(r);
		return st;
	}
	*out = r;
	return MEM_OK;
}

void
model_remote_close(struct model_remote *r)
{
	if (r == NULL)
		return;
	if (r->http != NULL)
		model_http_close(r->http);
	mem_buf_release(&r->body);
	mem_buf_release(&r->text);
	mem_buf_release(&r->answer.body);
	char *strings[] = { r->url, r->host, r->model, r->key_env, r->query_prefix, r->text_prefix };
	for (size_t i = 0; i < MEM_COUNT(strings); i++)
		free(strings[i]);
	free(r);
}

const struct mem_encoder_info *
model_remote_info(const struct model_remote *r)
{
	return &r->info;
}

/* ---- one request -------------------------------------------------------- */

/* Ends early at a signal: whoever sent it does not want to wait. */
static bool
sleep_ms(int64_t ms)
{
	struct timespec ts = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };
	return nanosleep(&ts, NULL) == 0;
}

static void
put_request_body(struct model_remote *r, const char *prefix, const struct mem_str *texts, size_t n)
{
	mem_buf_reset(&r->body);
	mem_buf_putc(&r->body, '{');
	mem_json_put_field(&r->body, "model", mem_str(r->model));
	mem_json_put_key(&r->body, "input");
	for (size_t i = 0; i < n; i++) {
		mem_buf_reset(&r->text);
		mem_buf_puts(&r->text, prefix);
		mem_buf_str(&r->text, (struct mem_str){ texts[i].p, mem_utf8_cut(texts[i], r->text_max) });
		mem_buf_putc(&r->body, i == 0 ? '[' : ',');
		mem_json_put_string(&r->body, mem_buf_span(&r->text));
	}
	mem_buf_puts(&r->body, "]}");
}

/* NULL: none is wanted. */
static enum mem_status
find_api_key(const struct model_remote *r, const char **key, struct mem_err *err)
{
	*key = NULL;
	if (r->key_env[0] == '\0')
		return MEM_OK;
	const char *k = getenv(r->key_env);
	if (k == NULL || k[0] == '\0')
		return mem_err_set(err, MEM_FAIL, "embed.key_env: the variable %s is not set", r->key_env);
	for (size_t i = 0; k[i] != '\0'; i++)
		if (k[i] <= ' ' || k[i] >= 0x7f || i >= KEY_MAX)
			return mem_err_set(err, MEM_FAIL, "embed.key_env: what %s holds is no key", r->key_env);
	*key = k;
	return MEM_OK;
}

static enum mem_status
refuse_code(const struct model_remote *r, long code, struct mem_err *err)
{
	const char *why = code == 401 || code == 403 ? r->key_env[0] != '\0' ? ": it does not take the key" : ": it wants a key (embed.key_env)"
	    : code == 404 ? ": no such address or model"
	    : code == 400 || code == 413 || code == 422 ? ": it does not take these texts or this model"
	    : code == 429 ? ": too many requests"
	    : code >= 300 && code < 400 ? ": a redirection, which is not followed" : "";
	return mem_err_set(err, code == 429 ? MEM_BUSY : MEM_FAIL, "the encoder at '%s' answered %ld%s", r->host, code, why);
}

static bool
is_transient_code(long code)
{
	return code == 429 || code == 500 || code == 502 || code == 503 || code == 504;
}

void
model_remote_set_until(struct model_remote *r, int64_t until)
{
	r->until = until;
}

/* Sends r->body until an answer of 200 is in r->answer, or no more time is left. */
static enum mem_status
send_request(struct model_remote *r, size_t n, const char *key, struct mem_err *err)
{
	struct mem_err why;
	int64_t end = mem_clock_ms() + r->timeout_ms, back_off = FIRST_WAIT_MS;
	if (r->until > 0 && r->until < end)
		end = r->until;
	for (int attempt = 1;; attempt++, back_off *= 2) {
		int64_t left = end - mem_clock_ms();
		left = left < 1 ? 1 : left; /* 0 would be without end */
		struct model_http_request request = {
			.url = r->url, .body = mem_buf_span(&r->body), .key = key, .no_proxy = r->loopback,
			.connect_ms = left < CONNECT_MS ? left : CONNECT_MS, .timeout_ms = left,
			.max = ANSWER_BYTES * (1 + n / 8),
		};
		if (model_http_post(r->http, &request, &r->answer, &why) != MEM_OK)
			return mem_err_set(err, MEM_FAIL, "the encoder at '%s': %s", r->host, why.msg);
		if (r->answer.code == 200)
			return MEM_OK;
		int64_t wait = r->answer.retry_ms > back_off ? r->answer.retry_ms : back_off;
		/* Without a second for the next attempt there is no use in waiting for it. */
		if (!is_transient_code(r->answer.code) || attempt == ATTEMPTS || mem_clock_ms() + wait + 1000 > end || !sleep_ms(wait))
			return refuse_code(r, r->answer.code, err);
	}
}

static enum mem_status
encode_remote_batch(struct model_remote *r, const char *prefix, const struct mem_str *texts, size_t n, const char *key,
    float **out, struct mem_err *err)
{
	struct mem_err why;
	put_request_body(r, prefix, texts, n);
	enum mem_status st = send_request(r, n, key, err);
	if (st != MEM_OK)
		return st;
	st = model_read_answer(mem_buf_span(&r->answer.body), n, &r->info.dims, out, &why);
	return st == MEM_OK ? MEM_OK : mem_err_set(err, st, "the encoder at '%s' answered %s", r->host, why.msg);
}

/* How many of the texts go into one request. */
static size_t
count_batch_texts(const struct model_remote *r, const struct mem_str *texts, size_t n)
{
	size_t k = 0, bytes = 0;
	for (; k < n && k < r->batch; k++) {
		bytes += texts[k].n < r->text_max ? texts[k].n : r->text_max;
		if (k > 0 && bytes > REQUEST_BYTES)
			break;
	}
	return k;
}

enum mem_status
model_remote_encode(struct model_remote *r, enum mem_encode_as as, const struct mem_str *texts, size_t n,
    float **out, bool *cut, struct mem_err *err)
{
	const char *prefix = as == MEM_AS_QUERY ? r->query_prefix : r->text_prefix, *key;
	float *all = NULL;
	if (!model_is_curl_linked())
		return mem_err_set(err, MEM_FAIL, "this command cannot ask the encoder at '%s' itself", r->host);
	enum mem_status st = find_api_key(r, &key, err);
	if (st == MEM_OK && r->http == NULL)
		st = model_http_open(&r->http, err);
	for (size_t i = 0, k; i < n && st == MEM_OK; i += k) {
		float *some = NULL;
		k = count_batch_texts(r, texts + i, n - i);
		st = encode_remote_batch(r, prefix, texts + i, k, key, &some, err);
		if (st == MEM_OK) {
			all = mem_xrealloc(all, n, r->info.dims * sizeof *all);
			memcpy(all + i * r->info.dims, some, k * r->info.dims * sizeof *all);
		}
		free(some);
	}
	for (size_t i = 0; i < n && cut != NULL && st == MEM_OK; i++)
		cut[i] = texts[i].n > r->text_max;
	if (st != MEM_OK) {
		free(all);
		return st;
	}
	*out = all;
	return MEM_OK;
}
