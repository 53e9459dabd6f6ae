/* SPDX-License-Identifier: Apache-2.0 */
/* A version of a belief as a record. */
#include <math.h>

#include "belief/history_int.h"

static void
put_version_id(struct mem_buf *out, const char *name, const struct mem_id *id)
{
	char text[MEM_ID_LEN + 1];
	mem_id_format(id, text);
	mem_json_put_field(out, name, mem_str(text));
}

static void
put_version_source(struct mem_buf *out, const struct mem_history_source *s)
{
	mem_buf_putc(out, '{');
	if (s->has_episode)
		put_version_id(out, "episode", &s->episode);
	else
		mem_json_put_null(out, "episode");
	mem_json_put_text(out, "who", s->who);
	mem_json_put_time(out, "captured_at", s->captured_at);
	mem_json_put_time(out, "at", s->at);
	mem_json_put_text(out, "veracity", s->veracity);
	mem_json_put_num(out, "confidence", s->confidence);
	mem_json_put_text(out, "excerpt", s->excerpt);
	mem_buf_putc(out, '}');
}

static void
put_version_sources(struct mem_buf *out, const struct mem_history_version *v)
{
	mem_json_put_key(out, "sources");
	mem_buf_putc(out, '[');
	for (size_t i = 0; i < v->nsources; i++) {
		if (i > 0)
			mem_buf_putc(out, ',');
		put_version_source(out, &v->sources[i]);
	}
	mem_buf_putc(out, ']');
}

static void
put_version_successor(struct mem_buf *out, const struct mem_history_version *v)
{
	if (!v->has_next) {
		mem_json_put_null(out, "superseded_by");
		return;
	}
	mem_json_put_key(out, "superseded_by");
	mem_buf_putc(out, '{');
	put_version_id(out, "id", &v->next);
	mem_json_put_text(out, "reason", v->reason);
	mem_buf_putc(out, '}');
}

static void
put_version_contradictions(struct mem_buf *out, const struct mem_history_version *v)
{
	char text[MEM_ID_LEN + 1];
	mem_json_put_key(out, "contradicts");
	mem_buf_putc(out, '[');
	for (size_t i = 0; i < v->ncontradicts; i++) {
		mem_id_format(&v->contradicts[i], text);
		mem_buf_printf(out, "%s\"%s\"", i > 0 ? "," : "", text);
	}
	mem_buf_putc(out, ']');
}

void
mem_history_put(struct mem_buf *out, const struct mem_history_version *v)
{
	mem_buf_putc(out, '{');
	put_version_id(out, "id", &v->id);
	mem_json_put_field(out, "kind", mem_str(mem_kind_name((enum mem_kind)v->kind)));
	mem_json_put_field(out, "ns", v->ns);
	mem_json_put_field(out, "status", v->status);
	mem_json_put_bool(out, "current", v->current);
	mem_json_put_text(out, "text", v->text);
	mem_json_put_time(out, "valid_from", v->valid_from);
	mem_json_put_time(out, "valid_to", v->valid_to);
	mem_json_put_time(out, "known_from", v->known_from);
	mem_json_put_time(out, "known_to", v->known_to);
	mem_json_put_time(out, "expired_at", v->expired_at);
	mem_json_put_int(out, "version", v->version);
	mem_json_put_text(out, "type", v->type);
	mem_json_put_num(out, "confidence", v->confidence);
	mem_json_put_num(out, "trust", v->trust);
	mem_json_put_bool(out, "pinned", v->pinned);
	mem_json_put_text(out, "rule", v->rule);
	mem_json_put_text(out, "via", v->via);
	mem_json_put_text(out, "agent", v->agent);
	put_version_successor(out, v);
	put_version_contradictions(out, v);
	put_version_sources(out, v);
	mem_buf_putc(out, '}');
}
