/* SPDX-License-Identifier: Apache-2.0 */
/* A run over the queue of reviews: ids in, decisions and questions, a receipt for each out. */
#include "upkeep/upkeep.h"
#include "clean/clean_text.h"
#include "record/record.h"
#include "write/write.h"

#include <stdlib.h>

struct mem_review_run {
	struct mem_review_run_options o;
	mem_emit_fn *emit;
	void *ctx;
	struct mem_writer *writer;
	struct mem_write_total total;
	uint64_t number;           /* of the last operand */
	/* Of the batch in hand, in its arena. */
	bool cleaned;
	struct mem_clean_text note; /* absent: there is none, or it is refused */
	struct mem_finding_list found;
	const char *refused;       /* why */
};

enum mem_status
mem_review_run_open(struct mem_review_run **out, const struct mem_store_options *store, const struct mem_review_run_options *o,
    mem_emit_fn *emit, void *ctx, struct mem_err *err)
{
	const struct mem_write_options writing = { .via = "mem-review", .audit_refusals = true, .dry_run = o->dry_run };
	const struct mem_review_effect *effect = mem_review_find_effect(mem_review_effects, o->asks);
	if (o->question && (effect == NULL || !effect->by_hand))
		return mem_err_set(err, MEM_USAGE, "nobody asks for a %s by hand: only for an escalation", mem_review_asks_words[o->asks]);
	struct mem_review_run *r = mem_xcalloc(1, sizeof *r);
	*r = (struct mem_review_run){ .o = *o, .emit = emit, .ctx = ctx };
	enum mem_status st = mem_writer_open(&r->writer, store, &writing, err);
	if (st == MEM_OK)
		st = mem_writer_sanitise(r->writer, NULL, NULL, err);
	if (st != MEM_OK) {
		mem_writer_free(r->writer);
		free(r);
		return st;
	}
	*out = r;
	return MEM_OK;
}

struct mem_store *
mem_review_run_store(const struct mem_review_run *r)
{
	return mem_writer_store(r->writer);
}

/* Once a batch: text lives as long as that. */
static enum mem_status
clean_run_note(struct mem_review_run *r, struct mem_err *err)
{
	if (r->cleaned || r->o.note == NULL)
		return MEM_OK;
	r->refused = NULL;
	enum mem_status st = mem_write_clean_text(r->writer, &r->note, "note", mem_str(r->o.note), &r->found, err);
	r->cleaned = st == MEM_OK || st == MEM_REFUSED;
	if (st == MEM_REFUSED) {
		r->note = mem_clean_absent();
		r->refused = err->reason;
	}
	return r->cleaned ? MEM_OK : st;
}

static enum mem_status
queue_question(struct mem_review_run *r, const struct mem_write_input *in, const struct mem_id *subject, struct mem_err *err)
{
	const struct mem_review_question q = { .subject = subject, .asks = r->o.asks, .reason = r->note,
		.id_of = r->o.once != NULL ? mem_write_identity(mem_writer_arena(r->writer), MEM_KIND_REVIEW,
		    mem_str(mem_review_asks_words[r->o.asks]), mem_str(r->o.once)) : (struct mem_str){ 0 },
		.expires_at = r->o.expires > 0 ? mem_store_now(mem_writer_store(r->writer)) + r->o.expires : MEM_TIME_NONE };
	if (mem_clean_there(r->note))
		return mem_review_put(r->writer, in, &q, err);
	mem_write_refuse(r->writer, in, "empty", 0); /* nobody can answer a question that is not there */
	return MEM_OK;
}

/* A decision on the review with this id or, where the run asks and it is another node, a question about it. */
static enum mem_status
queue_review_id(struct mem_review_run *r, const struct mem_write_input *in, struct mem_str text, struct mem_err *err)
{
	const struct mem_review_decision d = { .state = r->o.decision, .note = r->note, .effects = mem_review_effects };
	struct mem_id id;
	bool question = r->o.question;
	enum mem_status found = mem_id_find(mem_writer_store(r->writer), text, &id, err);
	if (found != MEM_OK && found != MEM_USAGE && found != MEM_NOTFOUND && found != MEM_REFUSED)
		return found;
	if (found != MEM_OK) {
		mem_write_refuse(r->writer, in, found == MEM_REFUSED ? "ambiguous" : "not_found", 0);
		return MEM_OK;
	}
	if (r->o.decision == MEM_REVIEW_CHANGES_ASKED && !question) {
		bool is_review;
		enum mem_status st = mem_review_is_one(mem_writer_store(r->writer), &id, &is_review, err);
		if (st != MEM_OK && st != MEM_NOTFOUND)
			return st;
		question = st == MEM_OK && !is_review;
	}
	if (question)
		return queue_question(r, in, &id, err);
	return mem_review_decide(r->writer, in, &id, &d, err);
}

enum mem_status
mem_review_run_add(struct mem_review_run *r, const struct mem_str *id, struct mem_err *err)
{
	enum mem_status st = clean_run_note(r, err);
	if (st != MEM_OK)
		return st;
	const struct mem_write_input in = { .line = ++r->number, .found = r->found };
	if (r->refused != NULL)
		mem_write_refuse(r->writer, &in, r->refused, 0);
	else
		st = id != NULL ? queue_review_id(r, &in, *id, err) : queue_question(r, &in, NULL, err);
	return st == MEM_OK && mem_write_full(r->writer) ? mem_review_run_commit(r, err) : st;
}

enum mem_status
mem_review_run_commit(struct mem_review_run *r, struct mem_err *err)
{
	enum mem_status st = mem_write_commit(r->writer, r->emit, r->ctx, &r->total, err);
	r->cleaned = false;
	r->note = mem_clean_absent();
	r->found = (struct mem_finding_list){ 0 };
	return st;
}

enum mem_status
mem_review_run_outcome(const struct mem_review_run *r, struct mem_err *err)
{
	if (r->total.denied > 0)
		return mem_err_set(err, MEM_DENIED, "%llu of the input denied", (unsigned long long)r->total.denied);
	return mem_write_outcome(&r->total, err);
}

const struct mem_write_total *
mem_review_run_total(const struct mem_review_run *r)
{
	return &r->total;
}

bool
mem_review_explain(struct mem_buf *out, struct mem_str receipt)
{
	static const struct {
		const char *reason, *words;
	} reasons[] = {
		{ "ambiguous", "begins several ids: give more of the one that you mean" },
		{ "not_found", "no such review, or no such node to ask about" },
		{ "rights_denied", "operators and reviewers decide, and nobody what they asked for themselves" },
		{ "namespace_denied", "the question would lie where you may not write: ask without an ID, and name it in the note" },
		{ "state_conflict", "it is decided already, or has expired: see mem-review show" },
		{ "bad_value", "nothing here can carry out what it asks for" },
		{ "empty", "say with --note what you ask" },
		{ "residue", "the note reads like an instruction to its reader" },
	};
	struct mem_rec rec = { 0 };
	bool found = false;
	bool reads = mem_rec_scan(&rec, receipt, NULL) == MEM_OK;
	for (size_t i = 0; reads && i < MEM_COUNT(reasons) && !found; i++) {
		struct mem_str line = mem_rec_value(&rec, "line").raw;
		found = mem_json_is(mem_rec_value(&rec, "reason"), reasons[i].reason);
		if (found)
			mem_buf_printf(out, "%.*s: %s", (int)line.n, line.p, reasons[i].words);
	}
	mem_rec_release(&rec);
	return found;
}

void
mem_review_run_free(struct mem_review_run *r)
{
	if (r == NULL)
		return;
	mem_writer_free(r->writer);
	free(r);
}
