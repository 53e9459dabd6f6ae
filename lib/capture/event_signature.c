/* SPDX-License-Identifier: Apache-2.0 */
/* The signature of an event: checked before anything is cleaned, since it is of what was sent. */
#include "capture/capture_int.h"
#include "trust/trust.h"

/* A field as it was sent; empty where it is not there, or is no string. */
static struct mem_str
read_sent_field(struct capture_run *c, const char *name)
{
	struct mem_json v = mem_rec_value(&c->rec, name);
	return v.type == MEM_JSON_STRING && mem_json_there(v) ? mem_json_text(mem_writer_arena(c->writer), v) : MEM_STR("");
}

/* What is signed: mem-records(5), "Signatures". */
static const char *
verify_sent_fields(struct capture_run *c, int64_t at, struct mem_str content, struct mem_str signature)
{
	char time[MEM_TIME_LEN + 1];
	struct mem_store *s = mem_writer_store(c->writer);
	struct mem_str ns = read_sent_field(c, "ns"), role = read_sent_field(c, "role");
	mem_time_format(at, time);
	const struct mem_str fields[] = {
		MEM_STR("memkit.capture.v1"), mem_str(mem_store_principal(s)->agent), ns.n > 0 ? ns : c->ns,
		read_sent_field(c, "session_id"), role.n > 0 ? role : MEM_STR("user"), read_sent_field(c, "ref"), mem_str(time), content,
	};
	return mem_trust_verify(s, at, fields, MEM_COUNT(fields), signature);
}

/* Takes it out of the event: to the sanitiser it would be some secret. */
static void
drop_signature_field(struct capture_run *c)
{
	struct mem_buf line = { 0 };
	struct mem_err err;
	mem_rec_edit(&line, &c->rec, &(struct mem_edit){ "signature", { NULL, 0 } }, 1);
	/* Leaving a field out cannot break the record. */
	enum mem_status st = mem_rec_scan(&c->rec, mem_arena_str(mem_writer_arena(c->writer), mem_buf_span(&line)), &err);
	(void)st;
	mem_buf_release(&line);
}

static const char *
check_sent_signature(struct capture_run *c, struct mem_str content, int64_t at, struct mem_clean_text *signature)
{
	struct mem_json v = mem_rec_value(&c->rec, "signature");
	struct mem_str text = read_sent_field(c, "signature");
	if (!mem_json_there(v) || v.type == MEM_JSON_NULL || mem_json_is(v, ""))
		return mem_trust_required(mem_writer_store(c->writer)) ? "bad_signature" : NULL;
	if (text.n == 0 || at == MEM_TIME_NONE)
		return "bad_signature";
	const char *refused = verify_sent_fields(c, at, content, text);
	if (refused != NULL)
		return refused;
	*signature = mem_clean_word(mem_writer_arena(c->writer), text);
	drop_signature_field(c);
	return NULL;
}

const char *
capture_check_signature(struct capture_run *c, struct mem_str content, struct mem_clean_text *signature, struct mem_clean_text *refusal)
{
	int64_t at;
	if (!mem_time_parse(read_sent_field(c, "captured_at"), &at))
		at = MEM_TIME_NONE;
	const char *refused = check_sent_signature(c, content, at, signature);
	if (refused != NULL)
		*refusal = mem_trust_refusal(mem_writer_store(c->writer), mem_writer_arena(c->writer), at);
	return refused;
}
