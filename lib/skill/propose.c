/* SPDX-License-Identifier: Apache-2.0 */
/* Drafts of proposals, and submitting them. */
#include "skill/propose.h"

#include <math.h>

#include "base/digest.h"
#include "clean/clean_text.h"
#include "conf/conf.h"
#include "skill/proposal_int.h"
#include "skill/proposal_score.h"
#include "skill/skill.h"
#include "text/text.h"
#include "write/review.h"

const char *const mem_proposal_states[] = { [MEM_PROPOSAL_DRAFT] = "draft", [MEM_PROPOSAL_SUBMITTED] = "submitted",
	[MEM_PROPOSAL_UNDER_REVIEW] = "under_review", [MEM_PROPOSAL_CREATED] = "created", [MEM_PROPOSAL_REJECTED] = "rejected", [MEM_PROPOSAL_EXPIRED] = "expired", NULL };

/* ---- states ------------------------------------------------------------------- */

enum mem_proposal_state
mem_proposal_state_read(const struct mem_rec *proposal, int64_t now)
{
	struct mem_json word = mem_rec_value(proposal, "state");
	struct mem_arena a = { 0 };
	int64_t end;
	enum mem_proposal_state state = MEM_PROPOSAL_DRAFT;
	for (unsigned i = 0; mem_proposal_states[i] != NULL; i++)
		if (mem_json_is(word, mem_proposal_states[i]))
			state = i;
	if ((state == MEM_PROPOSAL_DRAFT || state == MEM_PROPOSAL_SUBMITTED) &&
	    mem_time_parse(mem_json_text(&a, mem_rec_value(proposal, "expires_at")), &end) && end <= now)
		state = MEM_PROPOSAL_EXPIRED;
	mem_arena_release(&a);
	return state;
}

struct mem_clean_field
proposal_expiry(struct mem_writer *w)
{
	const struct mem_store *s = mem_writer_store(w);
	int64_t keep = mem_conf_duration(mem_store_conf(s), "skills.expire");
	bool ends = keep >= 0 && keep <= MEM_TIME_MAX - mem_store_now(s);
	return (struct mem_clean_field){ "expires_at", ends ? mem_clean_time(mem_writer_arena(w), mem_store_now(s) + keep) : mem_clean_null() };
}

/* ---- from a record ----------------------------------------------------------- */

static enum mem_status
refuse_proposal(const struct mem_rec *rec, struct mem_json v, const char *reason, struct mem_err *err)
{
	mem_err_set(err, MEM_REFUSED, "a proposal has a topic, a name that a skill can have, and the fields of mem-records(5)");
	err->reason = reason;
	err->offset = v.raw.n > 0 ? (size_t)(v.raw.p - mem_rec_json(rec).raw.p) : 0;
	return MEM_REFUSED;
}

enum mem_status
mem_proposal_read(struct mem_proposal_new *out, struct mem_arena *a, const struct mem_rec *rec, struct mem_err *err)
{
	const struct { const char *name; struct mem_str *to; } texts[] = {
		{ "topic", &out->topic }, { "name", &out->name }, { "title", &out->title }, { "description", &out->description },
		{ "content", &out->content }, { "category", &out->category },
	};
	const struct { const char *name; struct mem_json *to; } lists[] = { { "dependencies", &out->dependencies }, { "evidence", &out->evidence } };
	for (size_t i = 0; i < MEM_COUNT(texts); i++) {
		struct mem_json v = mem_rec_value(rec, texts[i].name);
		if (v.type == MEM_JSON_STRING)
			*texts[i].to = mem_json_text(a, v);
		else if (v.raw.n > 0 && v.type != MEM_JSON_NULL)
			return refuse_proposal(rec, v, "bad_value", err);
	}
	for (size_t i = 0; i < MEM_COUNT(lists); i++) {
		struct mem_json v = mem_rec_value(rec, lists[i].name);
		if (v.type == MEM_JSON_ARRAY)
			*lists[i].to = v;
		else if (v.raw.n > 0 && v.type != MEM_JSON_NULL)
			return refuse_proposal(rec, v, "bad_value", err);
	}
	for (struct mem_json_iter it = mem_json_each(out->dependencies); mem_json_next(&it);)
		if (!proposal_dependency_valid(it.value))
			return refuse_proposal(rec, it.value, "bad_value", err);
	if (out->name.n > 0 && !mem_skill_name_valid(out->name))
		return refuse_proposal(rec, mem_rec_value(rec, "name"), out->name.n > MEM_SKILL_NAME_MAX ? "too_long" : "bad_value", err);
	return out->topic.n > 0 ? MEM_OK : refuse_proposal(rec, (struct mem_json){ 0 }, "bad_value", err);
}

/* ---- a draft ------------------------------------------------------------------ */

void
mem_proposal_name_put(struct mem_buf *b, struct mem_str words)
{
	struct mem_arena a = { 0 };
	struct mem_str folded = mem_text_folded(&a, words);
	size_t whole = 0; /* of the words that fit */
	for (size_t at = 0, n; at < folded.n && b->len <= MEM_PROPOSAL_NAME_MAX; at += n) {
		uint32_t c;
		n = mem_utf8_decode(folded.p + at, folded.n - at, &c);
		if (mem_char_is_word(c))
			mem_buf_put(b, folded.p + at, n);
		else if (c != '\'' && b->len > 0 && b->data[b->len - 1] != '-') { /* "don't" is one word */
			whole = b->len <= MEM_PROPOSAL_NAME_MAX ? b->len : whole;
			mem_buf_putc(b, '-');
		}
	}
	if (b->len > MEM_PROPOSAL_NAME_MAX)
		b->len = whole > 0 ? whole : mem_utf8_cut(mem_buf_span(b), MEM_PROPOSAL_NAME_MAX);
	else if (b->len > 0 && b->data[b->len - 1] == '-')
		b->len--;
	mem_arena_release(&a);
}

/* The name of the skill to be: as given, else the words of the topic. */
static void
put_proposed_name(struct mem_buf *b, const struct mem_proposal_new *what)
{
	if (what->name.n > 0)
		mem_buf_str(b, what->name);
	else
		mem_proposal_name_put(b, what->topic);
}

static void
put_finding(struct mem_buf *b, const struct mem_finding *f)
{
	char id[MEM_ID_LEN + 1];
	mem_id_format(&f->id, id);
	mem_buf_puts(b, b->data[b->len - 1] == '[' ? "{" : ",{");
	mem_json_put_field(b, "id", mem_str(id));
	if (f->name.n > 0)
		mem_json_put_field(b, "name", f->name);
	if (!isnan(f->similarity))
		mem_json_put_num(b, "similarity", f->similarity);
}

static void
put_overlaps(struct mem_buf *b, const struct mem_research *r)
{
	mem_json_put_raw(b, "overlaps", MEM_STR("["));
	for (size_t i = 0; i < r->nskills; i++) {
		const char *word = mem_proposal_overlap(r->v[i].similarity);
		if (word == NULL)
			continue;
		put_finding(b, &r->v[i]);
		mem_json_put_field(b, "overlap", mem_str(word));
		mem_buf_putc(b, '}');
	}
	mem_buf_putc(b, ']');
}

static void
put_dependencies(struct mem_buf *b, const struct mem_research *r, struct mem_str category)
{
	size_t n = 0;
	mem_json_put_raw(b, "dependencies", MEM_STR("["));
	for (size_t i = 0; i < r->nskills && n < MEM_PROPOSAL_DEPENDENCIES; i++) {
		const char *word = mem_proposal_relation(r->v[i].similarity, mem_str_eq(r->v[i].category, category));
		if (word == NULL)
			continue;
		put_finding(b, &r->v[i]);
		mem_json_put_field(b, "relation", mem_str(word));
		mem_buf_putc(b, '}');
		n++;
	}
	mem_buf_putc(b, ']');
}

static void
put_evidence(struct mem_buf *b, const struct mem_research *r)
{
	mem_json_put_raw(b, "evidence", MEM_STR("["));
	for (size_t i = 0; i < r->n; i++) {
		if (i >= MEM_RESEARCH_FINDINGS && i < r->nskills)
			continue;
		put_finding(b, &r->v[i]);
		mem_json_put_field(b, "source", mem_str(mem_research_source_word(r->v[i].source)));
		mem_buf_putc(b, '}');
	}
	mem_buf_putc(b, ']');
}

static struct mem_str
given_or(struct mem_str given, struct mem_str otherwise)
{
	return given.n > 0 ? given : otherwise;
}

/* The fields of the draft as JSON, not cleaned yet. */
static void
put_proposal_draft(struct mem_buf *b, const struct mem_proposal_new *what, struct mem_str name)
{
	struct mem_buf text = { 0 };
	size_t sources, findings = mem_research_findings(what->research, &sources);
	struct mem_str category = given_or(what->category, mem_research_category(what->research)), title = given_or(what->title, what->topic);
	mem_buf_putc(b, '{');
	mem_json_put_field(b, "topic", what->topic);
	mem_json_put_field(b, "name", name);
	mem_json_put_field(b, "title", title);
	mem_json_put_field(b, "description", given_or(what->description, what->topic));
	mem_proposal_body(&text, title, what->research);
	mem_json_put_field(b, "content", given_or(what->content, mem_buf_span(&text)));
	mem_json_put_field(b, "category", category);
	mem_json_put_num(b, "confidence",
	    mem_proposal_confidence(sources + (what->runs > 0), findings + what->runs, mem_research_overlap(what->research)));
	put_overlaps(b, what->research);
	if (mem_json_there(what->dependencies))
		mem_json_put_raw(b, "dependencies", what->dependencies.raw);
	else
		put_dependencies(b, what->research, category);
	if (mem_json_there(what->evidence))
		mem_json_put_raw(b, "evidence", what->evidence.raw);
	else
		put_evidence(b, what->research);
	if (mem_json_there(what->mined))
		mem_json_put_raw(b, "mined", what->mined.raw);
	if (what->drafter.n > 0)
		mem_json_put_field(b, "drafter", what->drafter);
	if (what->drafter_failed.n > 0)
		mem_json_put_field(b, "drafter_failed", what->drafter_failed);
	mem_buf_putc(b, '}');
	mem_buf_release(&text);
}

void
mem_proposal_put(struct mem_buf *out, const struct mem_proposal_new *what)
{
	struct mem_buf name = { 0 };
	put_proposed_name(&name, what);
	put_proposal_draft(out, what, mem_buf_span(&name));
	mem_buf_release(&name);
}

/* What the receipt says besides: of a sequence the proposal's topic and numbers, and the draft where it is to be told. */
static struct mem_str
make_draft_members(struct mem_arena *a, const struct mem_proposal_new *what, const struct mem_clean_rec *draft)
{
	struct mem_str topic = mem_clean_value(draft, "topic").value.raw, mined = mem_clean_value(draft, "mined").value.raw;
	struct mem_buf b = { 0 };
	if (mined.n > 0)
		mem_buf_printf(&b, ",\"topic\":%.*s,\"mined\":%.*s", (int)topic.n, topic.p, (int)mined.n, mined.p);
	if (what->told) {
		mem_buf_puts(&b, ",\"draft\":");
		mem_buf_str(&b, mem_rec_json(draft->rec).raw);
	}
	struct mem_str members = mem_arena_str(a, mem_buf_span(&b));
	mem_buf_release(&b);
	return members;
}

/* To all that the draft quotes: what was mined, and the findings. */
static struct mem_write_edge *
make_proposal_sources(struct mem_arena *a, const struct mem_proposal_new *what, size_t *n)
{
	struct mem_write_edge *v = mem_arena_alloc(a, (what->nsources + what->research->n + 1) * sizeof *v);
	*n = 0;
	for (size_t i = 0; i < what->nsources; i++)
		v[(*n)++] = (struct mem_write_edge){ .kind = "derived_from", .to.id = what->sources[i] };
	for (size_t i = 0; i < what->research->n; i++)
		v[(*n)++] = (struct mem_write_edge){ .kind = "derived_from", .to.id = what->research->v[i].id };
	return v;
}

static void
queue_draft(struct mem_write_run *r, const struct mem_write_input *in, const struct mem_proposal_new *what, struct mem_str id_of,
    const struct mem_clean_rec *draft)
{
	static const char *const names[] = { "topic", "name", "title", "description", "content", "category", "confidence", "overlaps",
		"dependencies", "evidence", "mined", "drafter", "drafter_failed" };
	struct mem_arena *a = mem_writer_arena(r->writer);
	struct mem_clean_field fields[MEM_COUNT(names) + 3];
	size_t n = 0;
	for (; n < MEM_COUNT(names); n++)
		fields[n] = (struct mem_clean_field){ names[n], mem_clean_value(draft, names[n]) };
	fields[n++] = (struct mem_clean_field){ "parent", mem_clean_null() };
	fields[n++] = (struct mem_clean_field){ "state", mem_clean_word(a, mem_str(mem_proposal_states[MEM_PROPOSAL_DRAFT])) };
	fields[n++] = proposal_expiry(r->writer);
	struct mem_write_node node = { .kind = MEM_KIND_PROPOSAL, .id_of = id_of, .fields = fields, .nfields = n,
		.audit = { .word = "skill_proposed" } };
	node.edges = make_proposal_sources(a, what, &node.nedges);
	mem_write_add(r->writer, in, &node);
}

/* In small letters a secret of the topic is none any longer that the sanitiser knows: the name is made of what is left of the topic. */
static void
put_clean_name(struct mem_buf *b, struct mem_write_run *r, const struct mem_proposal_new *what)
{
	struct mem_finding_list found = { 0 };
	struct mem_clean_text topic;
	if (what->name.n > 0)
		mem_buf_str(b, what->name);
	else if (mem_write_clean_text(r->writer, &topic, "topic", what->topic, &found, NULL) == MEM_OK)
		mem_proposal_name_put(b, mem_json_text(mem_writer_arena(r->writer), topic.value));
}

/* Does a proposal with this id wait: a draft, submitted or under review? */
static bool
is_proposal_open(struct mem_txn *t, const struct mem_id *id, bool *there)
{
	struct mem_node node;
	struct mem_rec rec = { 0 };
	*there = mem_node_by_id(t, id, &node, NULL) == MEM_OK;
	bool open = false;
	if (*there && mem_attr_live(node.attr, mem_txn_now(t)) && mem_rec_scan(&rec, node.json, NULL) == MEM_OK)
		open = mem_proposal_state_read(&rec, mem_txn_now(t)) <= MEM_PROPOSAL_UNDER_REVIEW;
	mem_rec_release(&rec);
	return open;
}

/* What the id of a draft is made of: what was asked for.  Asked again it is the draft that there is, and a new one only once that was
 * decided, has expired or was forgotten.  ARENA. */
static enum mem_status
make_proposal_identity(struct mem_write_run *r, const struct mem_proposal_new *what, struct mem_str *out, struct mem_err *err)
{
	const struct mem_str asked[] = { what->topic, what->name, what->title, what->description, what->content, what->category };
	struct mem_arena *a = mem_writer_arena(r->writer);
	struct mem_txn *t = NULL;
	struct mem_buf b = { 0 };
	char digest[65];
	bool there = true;
	enum mem_status st = mem_txn_read(&t, mem_writer_store(r->writer), err);
	/* A command may write another text of one topic each time. */
	for (size_t i = 0; i < (what->drafter.n > 0 ? 1 : MEM_COUNT(asked)); i++) {
		mem_buf_printf(&b, "%zu:", asked[i].n);
		mem_buf_str(&b, asked[i]);
	}
	mem_digest_text(mem_buf_span(&b), digest);
	for (unsigned n = 1; st == MEM_OK && there; n++) {
		*out = mem_write_identity(a, MEM_KIND_PROPOSAL, MEM_STR("asked"), mem_str(mem_arena_printf(a, "%s/%u", digest, n)));
		const struct mem_id id = mem_id_v8(what->ns, *out);
		if (is_proposal_open(t, &id, &there))
			break;
	}
	mem_txn_end(t);
	mem_buf_release(&b);
	return st;
}

enum mem_status
mem_propose_add(struct mem_write_run *r, const struct mem_proposal_new *what, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	struct mem_write_input in = mem_write_run_next(r, what->topic.n + what->content.n);
	struct mem_buf text = { 0 }, name = { 0 };
	struct mem_rec rec = { 0 };
	struct mem_clean_rec draft = { 0 };
	in.ns = what->ns;
	bool too_long = what->topic.n > MEM_PROPOSAL_TOPIC_MAX || what->content.n > MEM_PROPOSAL_BODY_MAX;
	if (!too_long)
		put_clean_name(&name, r, what);
	/* A topic without a word gives no name. */
	if (too_long || !mem_skill_name_valid(mem_buf_span(&name))) {
		mem_write_refuse(r->writer, &in, too_long ? "too_long" : "bad_value", 0);
		mem_buf_release(&name);
		return mem_write_run_end(r, err);
	}
	put_proposal_draft(&text, what, mem_buf_span(&name));
	mem_buf_release(&name);
	struct mem_str id_of = what->id_of;
	enum mem_status st = id_of.n == 0 ? make_proposal_identity(r, what, &id_of, err) : MEM_OK;
	if (st == MEM_OK)
		st = mem_rec_scan(&rec, mem_arena_str(a, mem_buf_span(&text)), err);
	if (st == MEM_OK)
		st = mem_write_clean(r->writer, &draft, &rec, &in.found, err);
	in.more = st == MEM_OK ? make_draft_members(a, what, &draft) : (struct mem_str){ 0 };
	if (st == MEM_OK)
		queue_draft(r, &in, what, id_of, &draft);
	else if (st == MEM_REFUSED)
		mem_write_refuse(r->writer, &in, err->reason != NULL ? err->reason : "budget", 0);
	mem_clean_rec_release(&draft);
	mem_rec_release(&rec);
	mem_buf_release(&text);
	return st == MEM_OK || st == MEM_REFUSED ? mem_write_run_end(r, err) : st;
}

enum mem_status
mem_propose_refuse(struct mem_write_run *r, const char *reason, uint64_t offset, struct mem_err *err)
{
	const struct mem_write_input in = mem_write_run_next(r, 0);
	mem_write_refuse(r->writer, &in, reason, offset);
	return mem_write_run_end(r, err);
}

/* ---- submitting ----------------------------------------------------------------- */

/* A mem_write_check_fn: of two who submit it at once one comes too late, and asks nobody. */
static enum mem_status
check_still_draft(struct mem_txn *t, void *ctx, struct mem_err *err)
{
	struct mem_node node;
	struct mem_rec rec = { 0 };
	enum mem_status st = mem_write_node_find(t, ctx, &node, err);
	if (st == MEM_OK)
		st = mem_rec_scan(&rec, node.json, err);
	if (st == MEM_OK && mem_proposal_state_read(&rec, mem_txn_now(t)) != MEM_PROPOSAL_DRAFT)
		st = mem_err_set(err, MEM_STALE, "somebody else has submitted it");
	mem_rec_release(&rec);
	return st;
}

struct mem_str
proposal_review_identity(struct mem_arena *a, const struct mem_id *proposal)
{
	char id[MEM_ID_LEN + 1];
	mem_id_format(proposal, id);
	return mem_write_identity(a, MEM_KIND_REVIEW, MEM_STR("proposal"), mem_str(id));
}

static enum mem_status
queue_submission(struct mem_write_run *r, const struct mem_write_input *in, const struct mem_write_target *proposal, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	const struct mem_write_input asking = { .quiet = true };
	const struct mem_review_question q = { .subject = &proposal->id, .asks = MEM_ASKS_PROPOSAL, .expires_at = MEM_TIME_NONE,
		.id_of = proposal_review_identity(a, &proposal->id) };
	struct mem_clean_field *set = mem_arena_alloc(a, 2 * sizeof *set);
	set[0] = (struct mem_clean_field){ "state", mem_clean_word(a, mem_str(mem_proposal_states[MEM_PROPOSAL_SUBMITTED])) };
	set[1] = proposal_expiry(r->writer);
	const struct mem_write_edit edit = { .set = set, .n = 2, .op = "submitted", .audit = { .word = "skill_submitted" } };
	struct mem_id *id = mem_arena_alloc(a, sizeof *id);
	*id = proposal->id;
	mem_write_check(r->writer, check_still_draft, id);
	enum mem_status st = mem_write_change(r->writer, in, id, proposal->version, &edit, err);
	return st == MEM_OK ? mem_review_put(r->writer, &asking, &q, err) : st;
}

/* A mem_write_plan_fn. */
static enum mem_status
plan_submission(struct mem_write_run *r, struct mem_write_input *in, const void *ctx, struct mem_err *err)
{
	const struct mem_str *operand = ctx;
	struct mem_write_target proposal;
	enum mem_status st = mem_write_run_target(r, in, *operand, MEM_KIND_PROPOSAL, &proposal, err);
	if (st != MEM_OK)
		return st;
	struct mem_store *s = mem_writer_store(r->writer);
	const struct mem_access_request to = { .access = MEM_WRITE, .ns = proposal.ns };
	in->ns = proposal.ns;
	if (!mem_store_allows(s, &to)) /* else the review, which has no receipt, would be refused and end the batch */
		mem_write_refuse(r->writer, in, "namespace_denied", 0);
	else if (mem_proposal_state_read(&proposal.rec, mem_store_now(s)) == MEM_PROPOSAL_DRAFT)
		st = queue_submission(r, in, &proposal, err);
	else
		mem_write_refuse(r->writer, in, "state_conflict", 0);
	mem_write_target_release(&proposal);
	return st;
}

enum mem_status
mem_propose_submit(struct mem_write_run *r, struct mem_str operand, struct mem_err *err)
{
	return mem_write_run_alone(r, operand.n, plan_submission, &operand, err);
}

/* ---- reviewing ------------------------------------------------------------------- */

/* A mem_write_act_fn: the reviewer's right is enough, as for a decision. */
static enum mem_status
take_up(struct mem_txn *t, struct mem_writer *w, void *ctx, struct mem_receipt *r, struct mem_err *err)
{
	const struct mem_clean_field set = { "state", mem_clean_word(mem_writer_arena(w), mem_str(mem_proposal_states[MEM_PROPOSAL_UNDER_REVIEW])) };
	const struct mem_write_edit edit = { .set = &set, .n = 1, .op = "under_review" };
	const struct mem_id *id = ctx;
	struct mem_node node;
	struct mem_rec rec = { 0 };
	struct mem_ns ns;
	enum mem_status st = mem_write_node_find(t, id, &node, err);
	if (st == MEM_OK)
		st = mem_ns_by_number(t, node.attr->ns, &ns, err);
	if (st == MEM_OK)
		st = mem_rec_scan(&rec, node.json, err);
	bool own = false;
	if (st == MEM_OK)
		st = proposal_is_own(t, &node, &own, err);
	bool submitted = st == MEM_OK && mem_proposal_state_read(&rec, mem_txn_now(t)) == MEM_PROPOSAL_SUBMITTED;
	mem_rec_release(&rec);
	if (st != MEM_OK)
		return st;
	r->ns = mem_arena_str(mem_writer_arena(w), mem_str(ns.name));
	bool may = mem_store_principal(mem_writer_store(w))->is_reviewer && !own;
	if (!may || !submitted) {
		r->verdict = MEM_REJECTED;
		r->reason = may ? "state_conflict" : "rights_denied";
		return MEM_OK;
	}
	r->verdict = MEM_CHANGED;
	r->has_id = true;
	r->id = *id;
	return mem_write_change_at(t, w, node.ord, &edit, NULL, err);
}

enum mem_status
mem_propose_take(struct mem_write_run *r, struct mem_str operand, struct mem_err *err)
{
	struct mem_write_input in = mem_write_run_next(r, operand.n);
	struct mem_write_target proposal;
	enum mem_status st = mem_write_run_target(r, &in, operand, MEM_KIND_PROPOSAL, &proposal, err);
	if (st != MEM_OK)
		return st == MEM_REFUSED ? mem_write_run_end(r, err) : st;
	struct mem_id *id = mem_arena_alloc(mem_writer_arena(r->writer), sizeof *id);
	*id = proposal.id;
	mem_write_act(r->writer, &in, take_up, id);
	mem_write_target_release(&proposal);
	return mem_write_run_end(r, err);
}

struct mem_str
mem_proposal_review(struct mem_store *s, struct mem_str operand, char room[MEM_ID_LEN + 1])
{
	struct mem_arena a = { 0 };
	struct mem_txn *t = NULL;
	struct mem_node node;
	struct mem_id id;
	struct mem_ns ns;
	struct mem_err err;
	enum mem_status st = mem_id_find(s, operand, &id, &err);
	if (st == MEM_OK)
		st = mem_txn_read(&t, s, &err);
	if (st == MEM_OK)
		st = mem_write_node_find(t, &id, &node, &err);
	if (st == MEM_OK)
		st = mem_ns_by_number(t, node.attr->ns, &ns, &err);
	bool found = st == MEM_OK && node.attr->kind == MEM_KIND_PROPOSAL;
	if (found) {
		id = mem_id_v8(mem_str(ns.name), proposal_review_identity(&a, &id));
		mem_id_format(&id, room);
	}
	mem_txn_end(t);
	mem_arena_release(&a);
	return found ? mem_str(room) : operand;
}
