/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server of embeddings on this machine, for tests: POST /v1/embeddings as OpenAI describes it.
 *
 *	embed_server LOG [BEHAVIOUR...]
 *
 * Prints its port and serves until it is killed, or for ten minutes.  Each request takes the next behaviour, the
 * last one for good; LOG gets every request as it came, and a newline.
 *
 *	ok  reversed (by index)  noindex  dims=N
 *	slow (never an answer)  trickle (a byte a second)  429  429=SECONDS  500  503  401  302
 *	half (of the body)  nojson  nodata  nan  huge (a number)  null  zero  unequal  few  many  twice
 *	flood (without end)
 *
 * A text's vector counts its words: each adds 1 to one of the dimensions or takes 1 away, by its hash.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <ctype.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { TEXTS_MAX = 4096, DIMS_MAX = 65536 };

static int dims = 64, log_fd;
static const char **ways;
static int nways;
static int *requests; /* shared by the children */

static void
fail(const char *what)
{
	perror(what);
	exit(1);
}

static void
send_all(int fd, const char *p, size_t n)
{
	while (n > 0) {
		ssize_t k = write(fd, p, n);
		if (k <= 0)
			exit(0);
		p += k;
		n -= (size_t)k;
	}
}

/* A request's bytes into *buf, NUL-terminated; its body's start, or NULL at the end. */
static char *
receive(int fd, char **buf, size_t *cap, size_t *len)
{
	char *body = NULL;
	size_t want = 0;
	*len = 0;
	for (;;) {
		if (*cap - *len < 70000 && (*buf = realloc(*buf, *cap = *cap * 2 + 140000)) == NULL)
			fail("realloc");
		ssize_t k = read(fd, *buf + *len, 65536);
		if (k <= 0)
			return NULL;
		*len += (size_t)k;
		(*buf)[*len] = '\0';
		if (want == 0 && (body = strstr(*buf, "\r\n\r\n")) != NULL) {
			const char *length = strcasestr(*buf, "\r\nContent-Length:");
			want = (size_t)(body + 4 - *buf) + (length != NULL ? strtoul(length + 17, NULL, 10) : 0);
		}
		if (want > 0 && *len >= want)
			return strstr(*buf, "\r\n\r\n") + 4;
	}
}

static void
count_words(const char *p, const char *end, float *v, int n)
{
	memset(v, 0, sizeof *v * (size_t)n);
	while (p < end) {
		uint64_t h = 14695981039346656037u;
		while (p < end && !isalnum((unsigned char)*p))
			p++;
		if (p == end)
			break;
		for (; p < end && isalnum((unsigned char)*p); p++)
			h = (h ^ (uint64_t)tolower((unsigned char)*p)) * 1099511628211u;
		h ^= h >> 29;
		v[h % (uint64_t)n] += (h >> 40 & 1) != 0 ? 1 : -1;
	}
	float sum = 0;
	for (int i = 0; i < n; i++)
		sum += v[i] * v[i];
	if (sum < 0.5f)
		v[0] = 1;
}

/* The strings of "input":[…], their ends in `ends`. */
static int
inputs(const char *body, const char **texts, const char **ends)
{
	const char *p = strstr(body, "\"input\":[");
	int n = 0;
	if (p == NULL)
		return 0;
	for (p += 9; *p == '"' && n < TEXTS_MAX; n++) {
		texts[n] = ++p;
		for (; *p != '"' && *p != '\0'; p++)
			p += *p == '\\' && p[1] != '\0';
		ends[n] = p;
		p += *p == '"';
		p += *p == ',';
	}
	return n;
}

static int
is(const char *way, const char *name)
{
	return strcmp(way, name) == 0;
}

static void
put_data(FILE *f, const char *body, const char *way)
{
	static const char *texts[TEXTS_MAX], *ends[TEXTS_MAX];
	static float v[DIMS_MAX];
	int n = inputs(body, texts, ends);
	int rows = is(way, "few") ? n - 1 : is(way, "many") ? n + 1 : n;
	fputs("{\"object\":\"list\",\n \"data\": [", f);
	for (int k = 0; k < rows; k++) {
		int i = is(way, "reversed") ? n - 1 - k : k;
		int d = is(way, "unequal") && k == rows - 1 ? dims + 8 : dims;
		count_words(texts[i < n ? i : 0], ends[i < n ? i : 0], v, d);
		if (is(way, "zero"))
			v[0] = 0, memset(v, 0, sizeof *v * (size_t)d);
		fprintf(f, "%s{\"object\":\"embedding\",", k > 0 ? "," : "");
		if (!is(way, "noindex"))
			fprintf(f, "\"index\":%d,", is(way, "twice") ? 0 : i);
		fputs("\"embedding\":[", f);
		for (int j = 0; j < d; j++) {
			const char *odd = j != 1 ? NULL : is(way, "nan") ? "NaN" : is(way, "huge") ? "1e39" : is(way, "null") ? "null" : NULL;
			fputs(j > 0 ? "," : "", f);
			odd != NULL ? fputs(odd, f) : fprintf(f, "%g", (double)v[j]);
		}
		fputs("]}", f);
	}
	fputs("],\"model\":\"x\",\"usage\":{\"prompt_tokens\":1,\"total_tokens\":1}}\n", f);
}

static void
answer(int fd, const char *body, const char *way)
{
	char *text = NULL, head[300];
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	int code = 200, after = -1;
	if (f == NULL)
		fail("open_memstream");
	if (strncmp(way, "dims=", 5) == 0)
		dims = atoi(way + 5);
	if (isdigit((unsigned char)way[0]))
		code = atoi(way);
	if (strncmp(way, "429=", 4) == 0)
		after = atoi(way + 4);
	if (is(way, "nojson"))
		fputs("<html>welcome</html>", f);
	else if (is(way, "nodata"))
		fputs("{\"error\":{\"message\":\"no\"}}", f);
	else if (code != 200)
		fputs("{\"error\":{\"message\":\"sk-test-key is not welcome\"}}", f);
	else
		put_data(f, body, way);
	fclose(f);
	while (is(way, "slow"))
		pause();
	int h = snprintf(head, sizeof head, "HTTP/1.1 %d X\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n", code,
	    is(way, "flood") ? (size_t)1 << 40 : n);
	if (after >= 0)
		h += snprintf(head + h, sizeof head - (size_t)h, "Retry-After: %d\r\n", after);
	if (code == 302)
		h += snprintf(head + h, sizeof head - (size_t)h, "Location: http://127.0.0.1:1/elsewhere\r\n");
	h += snprintf(head + h, sizeof head - (size_t)h, "\r\n");
	send_all(fd, head, (size_t)h);
	for (size_t i = 0; is(way, "trickle") && i < n; i++, sleep(1))
		send_all(fd, text + i, 1);
	send_all(fd, text, is(way, "half") ? n / 2 : n);
	while (is(way, "flood"))
		send_all(fd, text, n);
	free(text);
	if (is(way, "half"))
		exit(0);
}

static void
serve(int fd)
{
	char *buf = NULL, *body;
	size_t cap = 0, len;
	while ((body = receive(fd, &buf, &cap, &len)) != NULL) {
		int k = __atomic_fetch_add(requests, 1, __ATOMIC_SEQ_CST);
		send_all(log_fd, buf, len);
		send_all(log_fd, "\n", 1);
		answer(fd, body, nways == 0 ? "ok" : ways[k < nways ? k : nways - 1]);
	}
	exit(0);
}

int
main(int argc, char **argv)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof a;
	int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (argc < 2 || s < 0 || bind(s, (struct sockaddr *)&a, n) != 0 || listen(s, 16) != 0 ||
	    getsockname(s, (struct sockaddr *)&a, &n) != 0)
		fail("embed_server");
	ways = (const char **)argv + 2;
	nways = argc - 2;
	log_fd = open(argv[1], O_WRONLY | O_CREAT | O_APPEND, 0600);
	requests = mmap(NULL, sizeof *requests, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (log_fd < 0 || requests == MAP_FAILED)
		fail(argv[1]);
	signal(SIGCHLD, SIG_IGN);
	signal(SIGPIPE, SIG_DFL);
	alarm(600);
	printf("%d\n", ntohs(a.sin_port));
	fflush(stdout);
	for (;;) {
		int c = accept(s, NULL, NULL);
		if (c < 0)
			continue;
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			serve(c);
		}
		close(c);
	}
}
