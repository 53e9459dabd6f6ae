/* SPDX-License-Identifier: Apache-2.0 */
/* A user's own extractor as a process: episodes in, its answer out. */
#include "belief/extract_with_int.h"

#include <stdio.h>

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
	mem_json_put_text(out, "role", mem_str(role != NULL ? role : ""));
	mem_json_put_text(out, "speaker", s->speaker);
	mem_json_put_text(out, "listener", s->listener);
	mem_json_put_text(out, "session_id", s->session_id);
	mem_json_put_time(out, "captured_at", s->captured_at);
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
