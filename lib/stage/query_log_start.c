/* SPDX-License-Identifier: Apache-2.0 */
/* The query log: a query that was answered is sent to the program that writes it.  No writer is linked with this file. */
#include "stage/query_log.h"

#include <math.h>

#include "conf/conf.h"
#include "record/record.h"

/* Beside the folder of commands, where `make install` puts it. */
#define WRITER "/../libexec/memkit/mem-log-query"

bool
mem_query_log_wanted(const struct mem_store *s)
{
	return !mem_str_is(mem_conf_str(mem_store_conf(s), "queries.log"), "off");
}

static const char *
name_outcome(const struct mem_query_answer *a)
{
	if (a->failed)
		return "failed";
	if (a->results > 0)
		return "answered";
	return a->rejected ? "rejected" : "empty";
}

static void
put_query_line(struct mem_buf *out, const struct mem_store *s, const struct mem_query_answer *a)
{
	mem_buf_putc(out, '{');
	mem_json_put_field(out, "store", mem_str(mem_store_path(s)));
	mem_json_put_field(out, "agent", mem_str(mem_store_principal(s)->agent));
	mem_json_put_int(out, "now", mem_store_now(s));
	mem_json_put_field(out, "via", mem_str(a->via));
	mem_json_put_field(out, "query", a->query);
	mem_json_put_text(out, "mode", mem_str(a->mode));
	mem_json_put_text(out, "class", mem_str(a->class));
	if (a->top_k > 0)
		mem_json_put_int(out, "top_k", a->top_k);
	if (isfinite(a->threshold))
		mem_json_put_num(out, "threshold", a->threshold);
	mem_json_put_text(out, "fusion", mem_str(a->fusion));
	mem_json_put_int(out, "results", (int64_t)a->results);
	if (a->results > 0)
		mem_json_put_num(out, "avg_score", a->scores / (double)a->results);
	mem_json_put_num(out, "ms", a->ms);
	mem_json_put_text(out, "outcome", mem_str(name_outcome(a)));
	mem_buf_putc(out, '}');
}

enum mem_status
mem_query_log_start(const struct mem_store *s, const struct mem_query_answer *a, struct mem_err *err)
{
	struct mem_buf path = { 0 }, line = { 0 };
	enum mem_status st = mem_program_folder(&path) ? MEM_OK : mem_err_set(err, MEM_FAIL, "/proc does not tell where this program lies");
	mem_buf_puts(&path, WRITER);
	put_query_line(&line, s, a);
	if (st == MEM_OK)
		st = mem_sibling_start(path.data, mem_buf_span(&line), err);
	mem_buf_release(&path);
	mem_buf_release(&line);
	return st;
}
