/* SPDX-License-Identifier: Apache-2.0 */
/* A user's own extractor as a process: episodes in, its answer out. */
#include "belief/extract_with_int.h"

#include <stdio.h>

static void
put_text_or_null(struct mem_buf *out, const char *name, struct mem_str s)
{
	if (s.n > 0)
		mem_json_put_field(out, name, s);
	else
		mem_json_put_raw(out, name, MEM_STR("null"));
}

static void
put_episode_line(struct mem_buf *out, const struct mem_with_episode *e)
{
	const struct mem_extract_source *s = &e->source;
	const char *role = mem_role_name(s->role);
	char id[MEM_ID_LEN + 1];
	mem_id_format(&e->id, id);
	mem_buf_putc(out, '{');
	mem_json_put_field(out, "id", mem_str(id));
	mem_json_put_field(out, "content", s->content);
	put_text_or_null(out, "role", mem_str(role != NULL ? role : ""));
	put_text_or_null(out, "speaker", s->speaker);
	put_text_or_null(out, "listener", s->listener);
	put_text_or_null(out, "session_id", s->session_id);
	if (s->captured_at != MEM_TIME_NONE)
		mem_json_put_time(out, "captured_at", s->captured_at);
	else
		mem_json_put_raw(out, "captured_at", MEM_STR("null"));
	mem_buf_puts(out, "}\n");
}

static void
tell_failure(const struct mem_with_options *o, const struct mem_err *why)
{
	char message[sizeof why->msg + 64];
	snprintf(message, sizeof message, "no claims of the extractor: %s", why->msg);
	if (o->tell != NULL)
		o->tell(o->ctx, message);
}

void
mem_extract_with(struct mem_with_answer *out, struct mem_arena *arena, const struct mem_with_options *o,
    const struct mem_with_episode *episodes, size_t n)
{
	struct mem_buf in = { 0 }, printed = { 0 };
	struct mem_err why;
	*out = (struct mem_with_answer){ 0 };
	for (size_t i = 0; i < n; i++)
		put_episode_line(&in, &episodes[i]);
	if (n == 0)
		;
	else if (mem_command_run_within(&printed, o->command, mem_buf_span(&in), o->timeout_ms, &why) == MEM_OK)
		mem_extract_with_read(out, arena, o, episodes, n, mem_buf_span(&printed));
	else {
		out->failed = true;
		tell_failure(o, &why);
	}
	mem_buf_release(&in);
	mem_buf_release(&printed);
}
