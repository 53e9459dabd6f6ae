/* SPDX-License-Identifier: Apache-2.0 */
/* Who pinned, boosted, archived, forgot or changed a node, by the audit. */
#include "belief/why_int.h"
#include "store/log.h"

/*
 * The audit is kept in order of time and by no other key.  Its newest rows are read in any case; the others only where the node's own
 * state says that there is something to find.
 */
enum { RECENT_ROWS = 10000, DEEDS_MAX = 6 };

static const struct {
	const char *kind, *words;
} deeds[] = {
	{ "pin", "pinned it" }, { "unpin", "unpinned it" }, { "boost", "changed its importance" }, { "forget", "forgot it" },
	{ "unforget", "brought it back" }, { "archive", "archived it" }, { "edit", "edited it" }, { "node_changed", "changed it" },
	{ "core_edit", "wrote it" }, { "merge", "merged it" }, { "unmerge", "took its merging back" }, { "dedupe", "took it for a repeat" },
	{ "attest", "attested it" }, { "promote", "promoted it" }, { "demote", "took its promotion back" },
};

struct care_search {
	struct mem_buf sentences[DEEDS_MAX]; /* newest first */
	size_t n;
	bool pin, forget, archive;  /* still to be found */
};

static const char *
find_deed(struct mem_str kind)
{
	for (size_t i = 0; i < MEM_COUNT(deeds); i++)
		if (mem_str_is(kind, deeds[i].kind))
			return deeds[i].words;
	return NULL;
}

/* A mem_audit_fn. */
static bool
note_deed(void *ctx, const struct mem_audit_row *row)
{
	struct care_search *s = ctx;
	const char *words = find_deed(row->kind);
	s->pin = s->pin && !mem_str_is(row->kind, "pin");
	s->forget = s->forget && !mem_str_is(row->kind, "forget");
	s->archive = s->archive && !mem_str_is(row->kind, "archive");
	if (words == NULL)
		return true;
	struct mem_buf *b = &s->sentences[s->n++];
	mem_buf_printf(b, " %.*s %s on ", (int)row->actor.n, row->actor.p, words);
	why_put_day(b, row->at);
	if (row->reason.n > 0 && !mem_str_is(row->reason, "manual"))
		mem_buf_printf(b, " (%.*s)", (int)row->reason.n, row->reason.p);
	mem_buf_puts(b, ".");
	return s->n < DEEDS_MAX;
}

/* The same, but only until what the node's state tells of is found. */
static bool
note_needed_deed(void *ctx, const struct mem_audit_row *row)
{
	const struct care_search *s = ctx;
	return note_deed(ctx, row) && (s->pin || s->forget || s->archive);
}

enum mem_status
why_put_care(struct mem_buf *out, struct mem_txn *t, const struct mem_history_version *v, struct mem_err *err)
{
	struct care_search s = { .pin = v->pinned, .forget = v->expired_at != MEM_TIME_NONE, .archive = mem_str_is(v->status, "archived") };
	uint64_t last = mem_audit_seq(t), recent = last > RECENT_ROWS ? last - RECENT_ROWS : 0;
	enum mem_status st = mem_audit_each_back(t, &v->id, recent, note_deed, &s, err);
	if (st == MEM_OK && recent > 0 && s.n < DEEDS_MAX && (s.pin || s.forget || s.archive)) {
		for (size_t i = 0; i < s.n; i++)
			mem_buf_reset(&s.sentences[i]);
		s.n = 0;
		st = mem_audit_each_back(t, &v->id, 0, note_needed_deed, &s, err);
	}
	if (st == MEM_OK && v->pinned && s.pin)
		mem_buf_puts(out, " It is pinned.");
	for (size_t i = DEEDS_MAX; i-- > 0;) {
		if (st == MEM_OK && i < s.n)
			mem_buf_str(out, mem_buf_span(&s.sentences[i]));
		mem_buf_release(&s.sentences[i]);
	}
	return st;
}
