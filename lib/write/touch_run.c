/* SPDX-License-Identifier: Apache-2.0 */
/* Has another program count reads.  No writer is linked with this file. */
#include "record/record.h"
#include "write/touch.h"

/* Beside the folder of commands, where `make install` puts it. */
#define COUNTER "/../libexec/memkit/mem-touch-nodes"

enum { EXIT_BUSY = 75 };

static void
put_touch_line(struct mem_buf *out, const struct mem_store *s, const struct mem_id *ids, size_t n)
{
	char id[MEM_ID_LEN + 1];
	mem_buf_putc(out, '{');
	mem_json_put_field(out, "store", mem_str(mem_store_path(s)));
	mem_json_put_field(out, "agent", mem_str(mem_store_principal(s)->agent));
	mem_json_put_int(out, "now", mem_store_now(s));
	mem_buf_puts(out, ",\"ids\":[");
	for (size_t i = 0; i < n; i++) {
		mem_id_format(&ids[i], id);
		mem_buf_printf(out, "%s\"%s\"", i > 0 ? "," : "", id);
	}
	mem_buf_puts(out, "]}");
}

/* `status` NULL: it is not waited for. */
static enum mem_status
send_touch_line(const struct mem_store *s, const struct mem_id *ids, size_t n, int *status, struct mem_err *err)
{
	struct mem_buf path = { 0 }, line = { 0 };
	enum mem_status st = mem_program_folder(&path) ? MEM_OK : mem_err_set(err, MEM_FAIL, "/proc does not tell where this program lies");
	mem_buf_puts(&path, COUNTER);
	put_touch_line(&line, s, ids, n);
	if (st == MEM_OK && status != NULL)
		st = mem_sibling_run(path.data, mem_buf_span(&line), status, err);
	else if (st == MEM_OK)
		st = mem_sibling_start(path.data, mem_buf_span(&line), err);
	if (st == MEM_OK && status != NULL && *status != 0 && *status != EXIT_BUSY)
		st = mem_err_set(err, MEM_FAIL, "'%s' ended with %d", path.data, *status);
	mem_buf_release(&path);
	mem_buf_release(&line);
	return st;
}

enum mem_status
mem_touch_run(const struct mem_store *s, const struct mem_id *ids, size_t n, struct mem_err *err)
{
	int status = 0;
	return send_touch_line(s, ids, n, &status, err);
}

enum mem_status
mem_touch_start(const struct mem_store *s, const struct mem_id *ids, size_t n, struct mem_err *err)
{
	return send_touch_line(s, ids, n, NULL, err);
}
