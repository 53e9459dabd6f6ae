/* SPDX-License-Identifier: Apache-2.0 */
/* The encoder of a store's vectors, by which queries are embedded. */
#include "embed/embed.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The encoder at hand must be the one that made the vectors. */
static enum mem_status
compare_encoder(const struct mem_encoder_info *have, const struct mem_vectors_model *made, struct mem_err *err)
{
	if (strcmp(have->name, made->name) == 0 && strcmp(have->sha256, made->sha256) == 0)
		return MEM_OK;
	return mem_err_set(err, MEM_FAIL, "the vectors of this store were made by %s (%.12s), and the model at hand is "
	    "%s (%.12s): run mem-embed --rebuild", made->name, made->sha256[0] != '\0' ? made->sha256 : "remote",
	    have->name, have->sha256[0] != '\0' ? have->sha256 : "remote");
}

static enum mem_status
open_recorded_encoder(struct mem_query_encoder *q, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_vectors_model made = { 0 };
	enum mem_status st = mem_txn_read(&t, q->store, err);
	if (st != MEM_OK)
		return st;
	st = mem_vectors_model_get(t, &made, err);
	mem_txn_end(t);
	made.mean = NULL; /* the snapshot has ended */
	q->model = made;
	if (mem_str_is(mem_conf_str(mem_store_conf(q->store), "embed.model"), "none"))
		return mem_err_set(err, MEM_ABSENT, "the settings want no model (embed.model: none)");
	if (st == MEM_NOTFOUND)
		return mem_err_set(err, MEM_ABSENT, "the store has no vectors: run mem-model install if no model is there, and mem-embed --pending");
	/* What a remote route calls its model is no name of an installed one. */
	if (st == MEM_OK)
		st = mem_encoder_open(&q->encoder, mem_store_conf(q->store), made.sha256[0] != '\0' ? made.name : NULL, err);
	if (st == MEM_USAGE)
		st = mem_model_record_unknown(made.name, err);
	/* It may be one that is not installed but named by its file. */
	if (st == MEM_ABSENT && made.sha256[0] != '\0' && mem_encoder_open(&q->encoder, mem_store_conf(q->store), NULL, err) == MEM_OK) {
		st = compare_encoder(mem_encoder_info(q->encoder), &made, err) == MEM_OK ? MEM_OK : MEM_ABSENT;
		if (st != MEM_OK) {
			mem_encoder_close(q->encoder);
			q->encoder = NULL;
		}
	}
	if (st == MEM_ABSENT)
		return mem_err_set(err, MEM_ABSENT, "the vectors of this store were made by %s, which is not installed: "
		    "run mem-model install %s", made.name, made.name);
	return st == MEM_OK ? compare_encoder(mem_encoder_info(q->encoder), &made, err) : st;
}

enum mem_status
mem_encoder_for_query(struct mem_query_encoder *q, struct mem_encoder **out, struct mem_err *err)
{
	if (!q->tried) {
		q->tried = true;
		q->encoder_close = mem_encoder_close;
		q->open_err = (struct mem_err){ 0 };
		q->open_err.status = open_recorded_encoder(q, &q->open_err);
	}
	if (q->open_err.status != MEM_OK && err != NULL)
		*err = q->open_err;
	*out = q->encoder;
	return q->open_err.status;
}

/* ---- queries ------------------------------------------------------------ */

enum { RETRY_MS = 60000 };

/* mem-embed beside this program, else the one in PATH. */
static void
find_embed_program(struct mem_buf *to)
{
	static const char name[] = "mem-embed";
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self);
	while (n > 0 && self[n - 1] != '/')
		n--;
	if (n > 0) {
		mem_buf_put(to, self, (size_t)n);
		mem_buf_puts(to, name);
		if (mem_child_there(to->data))
			return;
	}
	mem_buf_reset(to);
	mem_buf_puts(to, name);
}

/* This program does without libcurl, so mem-embed asks the server, within its own time limits. */
static enum mem_status
embed_by_child(struct mem_query_encoder *q, enum mem_encode_as as, struct mem_str text, float **out, struct mem_err *err)
{
	struct mem_buf program = { 0 }, input = { 0 };
	size_t bytes = q->model.dims * sizeof **out;
	find_embed_program(&program);
	mem_buf_putc(&input, '{');
	mem_json_put_field(&input, "text", text);
	mem_buf_puts(&input, "}\n");
	const char *const argv[] = { program.data, "-S", mem_store_path(q->store), "--format", "f32", as == MEM_AS_QUERY ? "--query" : NULL, NULL };
	const struct mem_child c = { .argv = argv, .input = mem_buf_span(&input), .out_max = 1 << 20, .stop_fd = -1 };
	struct mem_child_end end = { 0 };
	enum mem_status st = mem_child_run(&end, &c, err);
	if (st == MEM_OK && end.code != 0) {
		while (end.errors.len > 0 && end.errors.data[end.errors.len - 1] == '\n')
			end.errors.len--;
		st = mem_err_set(&q->server_err, MEM_FAIL, "%.*s", (int)end.errors.len, end.errors.len > 0 ? end.errors.data : "");
		(void)mem_err_set(err, st, "%s", q->server_err.msg);
		if (end.code != 1) /* which refuses this query alone */
			q->retry_at = mem_clock_ms() + RETRY_MS;
	} else if (st == MEM_OK && end.out.len != bytes) {
		st = mem_err_set(err, MEM_FAIL, "%s gives vectors of %zu numbers, those of this store have %u: run "
		    "mem-embed --rebuild", q->model.name, end.out.len / sizeof **out, q->model.dims);
	} else if (st == MEM_OK) {
		*out = mem_xmalloc(bytes);
		memcpy(*out, end.out.data, bytes);
	}
	mem_child_release(&end);
	mem_buf_release(&program);
	mem_buf_release(&input);
	return st;
}

enum mem_status
mem_embed_query(struct mem_query_encoder *q, enum mem_encode_as as, struct mem_str text, float **out, double *weight, bool *cut,
    struct mem_text_pieces *pieces, struct mem_err *err)
{
	struct mem_encoder *e;
	if (pieces != NULL)
		*pieces = (struct mem_text_pieces){ 0 };
	enum mem_status st = mem_encoder_for_query(q, &e, err);
	if (st != MEM_OK)
		return st;
	*weight = mem_encoder_info(e)->weight;
	*cut = false;
	/* One that is down is not waited for by each of a thousand queries. */
	if (mem_encoder_needs_child(e) && q->retry_at > mem_clock_ms())
		return mem_err_set(err, q->server_err.status, "%s", q->server_err.msg);
	if (mem_encoder_needs_child(e))
		return embed_by_child(q, as, text, out, err);
	if (pieces != NULL && !mem_pieces_wanted(mem_store_conf(q->store), e))
		pieces = NULL;
	st = mem_encode_pieces(e, as, &text, 1, out, cut, pieces, err);
	if (st == MEM_OK && mem_encoder_info(e)->dims != q->model.dims) {
		free(*out);
		*out = NULL;
		st = mem_err_set(err, MEM_FAIL, "%s gives vectors of %u numbers, those of this store have %u: run "
		    "mem-embed --rebuild", q->model.name, mem_encoder_info(e)->dims, q->model.dims);
	}
	return st;
}

enum mem_status
mem_embed_centred(struct mem_query_encoder *q, struct mem_str text, float **out, struct mem_err *err)
{
	struct mem_vectors_model m;
	struct mem_txn *t = NULL;
	double weight;
	bool cut;
	*out = NULL;
	enum mem_status st = mem_embed_query(q, MEM_AS_TEXT, text, out, &weight, &cut, NULL, err);
	if (st == MEM_OK)
		st = mem_txn_read(&t, q->store, err);
	if (st == MEM_OK)
		st = mem_vectors_model_get(t, &m, err);
	if (st == MEM_OK && m.dims != q->model.dims)
		st = mem_err_set(err, MEM_STALE, "the model of the store's vectors changed meanwhile: try again");
	if (st == MEM_OK)
		mem_vectors_centre(&m, *out);
	mem_txn_end(t);
	if (st != MEM_OK) {
		free(*out);
		*out = NULL;
	}
	return st;
}

void
mem_query_encoder_close(struct mem_query_encoder *q)
{
	if (q->encoder != NULL)
		q->encoder_close(q->encoder);
	*q = (struct mem_query_encoder){ 0 };
}
