/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libcurl, opened when a text is sent: loading it takes longer than all else that a command does
 * (11 ms), so nothing is linked to it.
 */
#include "model/model_int.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

static struct {
	void *lib;
	__typeof__(&curl_global_init) global_init;
	__typeof__(&curl_easy_init) init;
	__typeof__(&curl_easy_setopt) setopt;
	__typeof__(&curl_easy_perform) perform;
	__typeof__(&curl_easy_getinfo) getinfo;
	__typeof__(&curl_easy_strerror) strerror;
	__typeof__(&curl_easy_cleanup) cleanup;
	__typeof__(&curl_slist_append) append;
	__typeof__(&curl_slist_free_all) free_all;
} curl;

struct model_http {
	CURL *easy;                 /* one for all requests: its connection stays open */
	size_t max;                 /* of the answer in hand */
	struct mem_buf *body;
	bool too_long;
	char why[CURL_ERROR_SIZE];
};

static enum mem_status
load_libcurl(struct mem_err *err)
{
	static const char *const names[] = { "libcurl.so.4", NULL };
	const struct mem_symbol symbols[] = {
		{ "curl_global_init", (void **)&curl.global_init, false }, { "curl_easy_init", (void **)&curl.init, false },
		{ "curl_easy_setopt", (void **)&curl.setopt, false }, { "curl_easy_perform", (void **)&curl.perform, false },
		{ "curl_easy_getinfo", (void **)&curl.getinfo, false }, { "curl_easy_strerror", (void **)&curl.strerror, false },
		{ "curl_easy_cleanup", (void **)&curl.cleanup, false }, { "curl_slist_append", (void **)&curl.append, false },
		{ "curl_slist_free_all", (void **)&curl.free_all, false },
	};
	void *lib;
	if (curl.lib != NULL)
		return MEM_OK;
	struct mem_err why;
	enum mem_status st = mem_library_open(&lib, names, symbols, MEM_COUNT(symbols), &why);
	if (st == MEM_ABSENT)
		return mem_err_set(err, MEM_FAIL, "a remote encoder needs libcurl (Debian: libcurl4): %s", why.msg);
	if (st != MEM_OK)
		return mem_err_set(err, MEM_FAIL, "%s", why.msg);
	if (curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
		mem_library_close(lib);
		return mem_err_set(err, MEM_FAIL, "libcurl cannot start");
	}
	curl.lib = lib;
	return MEM_OK;
}

static size_t
take_answer_bytes(char *p, size_t size, size_t n, void *ctx)
{
	struct model_http *h = ctx;
	n *= size;
	h->too_long = n > h->max - h->body->len;
	if (h->too_long)
		return 0;
	mem_buf_put(h->body, p, n);
	return n;
}

/* What holds for every request. */
static bool
set_curl_options(struct model_http *h)
{
	const char *ca = getenv("SSL_CERT_FILE");
	CURLcode rc = curl.setopt(h->easy, CURLOPT_PROTOCOLS_STR, "http,https");
	rc = rc != CURLE_OK ? rc : curl.setopt(h->easy, CURLOPT_SSL_VERIFYPEER, 1L);
	rc = rc != CURLE_OK ? rc : curl.setopt(h->easy, CURLOPT_SSL_VERIFYHOST, 2L);
	/* A redirection could lead the key to another host. */
	rc = rc != CURLE_OK ? rc : curl.setopt(h->easy, CURLOPT_FOLLOWLOCATION, 0L);
	rc = rc != CURLE_OK ? rc : curl.setopt(h->easy, CURLOPT_WRITEFUNCTION, take_answer_bytes);
	rc = rc != CURLE_OK ? rc : curl.setopt(h->easy, CURLOPT_WRITEDATA, h);
	rc = rc != CURLE_OK ? rc : curl.setopt(h->easy, CURLOPT_ERRORBUFFER, h->why);
	rc = rc != CURLE_OK ? rc : curl.setopt(h->easy, CURLOPT_USERAGENT, "memkit/" MEM_VERSION);
	rc = rc != CURLE_OK ? rc : curl.setopt(h->easy, CURLOPT_ACCEPT_ENCODING, "");
	if (rc == CURLE_OK && ca != NULL && ca[0] != '\0')
		rc = curl.setopt(h->easy, CURLOPT_CAINFO, ca);
	return rc == CURLE_OK;
}

enum mem_status
model_http_open(struct model_http **out, struct mem_err *err)
{
	enum mem_status st = load_libcurl(err);
	if (st != MEM_OK)
		return st;
	struct model_http *h = mem_xcalloc(1, sizeof *h);
	h->easy = curl.init();
	if (h->easy == NULL || !set_curl_options(h)) {
		model_http_close(h);
		return mem_err_set(err, MEM_FAIL, "libcurl cannot do what is needed");
	}
	*out = h;
	return MEM_OK;
}

void
model_http_close(struct model_http *h)
{
	if (h == NULL)
		return;
	if (h->easy != NULL)
		curl.cleanup(h->easy);
	free(h);
}

/* The key stands in it. */
static void
forget_headers(struct curl_slist *list)
{
	for (struct curl_slist *at = list; at != NULL; at = at->next)
		explicit_bzero(at->data, strlen(at->data));
	curl.free_all(list);
}

static struct curl_slist *
add_header(struct curl_slist *list, const char *line)
{
	struct curl_slist *more = curl.append(list, line);
	if (more == NULL)
		forget_headers(list);
	return more;
}

/* NULL: no memory. */
static struct curl_slist *
make_headers(const char *key)
{
	struct mem_buf line = { 0 };
	struct curl_slist *list = add_header(NULL, "Content-Type: application/json");
	if (list != NULL)
		list = add_header(list, "Accept: application/json");
	/* A body of over 1 MB would wait a second for leave to be sent. */
	if (list != NULL)
		list = add_header(list, "Expect:");
	if (list != NULL && key != NULL) {
		mem_buf_printf(&line, "Authorization: Bearer %s", key);
		list = add_header(list, line.data);
		explicit_bzero(line.data, line.len);
	}
	mem_buf_release(&line);
	return list;
}

static CURLcode
perform_request(struct model_http *h, const struct model_http_request *request, struct curl_slist *list)
{
	CURLcode rc = curl.setopt(h->easy, CURLOPT_URL, request->url);
	rc = rc != CURLE_OK ? rc : curl.setopt(h->easy, CURLOPT_HTTPHEADER, list);
	rc = rc != CURLE_OK ? rc : curl.setopt(h->easy, CURLOPT_PROXY, request->no_proxy ? "" : NULL);
	rc = rc != CURLE_OK ? rc : curl.setopt(h->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body.n);
	rc = rc != CURLE_OK ? rc : curl.setopt(h->easy, CURLOPT_POSTFIELDS, request->body.p);
	rc = rc != CURLE_OK ? rc : curl.setopt(h->easy, CURLOPT_CONNECTTIMEOUT_MS, (long)request->connect_ms);
	rc = rc != CURLE_OK ? rc : curl.setopt(h->easy, CURLOPT_TIMEOUT_MS, (long)request->timeout_ms);
	return rc != CURLE_OK ? rc : curl.perform(h->easy);
}

enum mem_status
model_http_post(struct model_http *h, const struct model_http_request *request, struct model_http_answer *answer, struct mem_err *err)
{
	struct curl_slist *list = make_headers(request->key);
	curl_off_t after = 0;
	if (list == NULL)
		return mem_err_set(err, MEM_FAIL, "no memory");
	mem_buf_reset(&answer->body);
	answer->code = 0;
	answer->retry_ms = 0;
	h->body = &answer->body;
	h->max = request->max;
	h->too_long = false;
	h->why[0] = '\0';
	CURLcode rc = perform_request(h, request, list);
	forget_headers(list);
	if (h->too_long)
		return mem_err_set(err, MEM_FAIL, "an answer of over %zu bytes", request->max);
	if (rc != CURLE_OK)
		return mem_err_set(err, MEM_FAIL, "%s", h->why[0] != '\0' ? h->why : curl.strerror(rc));
	if (curl.getinfo(h->easy, CURLINFO_RESPONSE_CODE, &answer->code) != CURLE_OK)
		return mem_err_set(err, MEM_FAIL, "no status");
	if (curl.getinfo(h->easy, CURLINFO_RETRY_AFTER, &after) == CURLE_OK && after > 0)
		answer->retry_ms = after > INT32_MAX ? (int64_t)INT32_MAX * 1000 : (int64_t)after * 1000;
	return MEM_OK;
}
