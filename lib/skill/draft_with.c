/* SPDX-License-Identifier: Apache-2.0 */
/* A draft through a user's command, and its answer. */
#include "skill/draft_with.h"

#include "skill/skill.h"

/* ---- who wrote it ---------------------------------------------------------------- */

struct draft_answer {          /* ARENA; empty: not said */
	struct mem_str name, description, content, drafter, version;
};

static enum mem_status
read_drafter(struct draft_answer *out, struct mem_arena *a, const struct mem_rec *rec, struct mem_err *err)
{
	struct mem_json name = mem_rec_value(rec, "drafter"), version = mem_rec_value(rec, "version");
	if (mem_json_there(name))
		out->drafter = mem_json_text(a, name);
	if (mem_json_there(version))
		out->version = version.type == MEM_JSON_NUMBER ? mem_arena_str(a, version.raw) : mem_json_text(a, version);
	if (!mem_command_word_valid(out->drafter) || !mem_command_word_valid(out->version))
		return mem_err_record(err, "bad_value", 0, "drafter and version are words of letters, digits, . _ and -");
	return MEM_OK;
}

/* ---- what it says ------------------------------------------------------------------ */

static enum mem_status
read_drafted_text(struct mem_str *out, struct mem_arena *a, const struct mem_rec *rec, const char *name, size_t max, struct mem_err *err)
{
	struct mem_json v = mem_rec_value(rec, name);
	if (!mem_json_there(v) || v.type == MEM_JSON_NULL)
		return MEM_OK;
	if (v.type != MEM_JSON_STRING)
		return mem_err_record(err, "bad_value", 0, "name, description and content are strings");
	*out = mem_json_text(a, v);
	return out->n <= max ? MEM_OK : mem_err_record(err, "too_long", 0, "more than fits into a skill");
}

static enum mem_status
read_draft_record(struct draft_answer *out, struct mem_arena *a, const struct mem_rec *rec, struct mem_err *err)
{
	enum mem_status st = mem_rec_refuse_nul(rec, err);
	if (st == MEM_OK)
		st = read_drafter(out, a, rec, err);
	if (st == MEM_OK)
		st = read_drafted_text(&out->name, a, rec, "name", MEM_PROPOSAL_NAME_MAX, err);
	if (st == MEM_OK)
		st = read_drafted_text(&out->description, a, rec, "description", MEM_DRAFT_DESCRIPTION_MAX, err);
	if (st == MEM_OK)
		st = read_drafted_text(&out->content, a, rec, "content", MEM_PROPOSAL_BODY_MAX, err);
	if (st == MEM_OK && ((out->name.n > 0 && !mem_skill_name_valid(out->name)) || out->name.n + out->description.n + out->content.n == 0))
		st = mem_err_record(err, "bad_value", 0, "a name that no skill can have, or nothing at all");
	return st;
}

/* Names the command in front of what was wrong with its answer; the reason stays. */
static void
name_command_of_fault(struct mem_err *why, enum mem_status status, const char *command)
{
	const char *reason = why->reason;
	struct mem_err fault = *why;
	(void)mem_err_set(why, status, "'%.80s' printed no record: %s", command, fault.msg);
	why->reason = reason;
}

static enum mem_status
read_draft_answer(struct draft_answer *out, struct mem_arena *a, const char *command, struct mem_str printed, struct mem_err *why)
{
	struct mem_rec rec = { 0 };
	*out = (struct draft_answer){ .drafter = mem_command_name(command), .version = MEM_STR("0") };
	enum mem_status st = mem_rec_scan(&rec, mem_arena_str(a, mem_str_trim(printed)), why);
	if (st != MEM_OK)
		name_command_of_fault(why, st, command);
	else if ((st = read_draft_record(out, a, &rec, why)) != MEM_OK)
		mem_command_blame(why, command, 0);
	mem_rec_release(&rec);
	return st;
}

bool
mem_draft_with(struct mem_proposal_new *what, struct mem_arena *a, const char *command, struct mem_err *why)
{
	struct mem_buf draft = { 0 }, printed = { 0 };
	struct draft_answer answer = { 0 };
	mem_proposal_put(&draft, what);
	mem_buf_putc(&draft, '\n');
	*why = (struct mem_err){ 0 };
	enum mem_status st = mem_command_run(&printed, command, mem_buf_span(&draft), why);
	if (st != MEM_OK)
		what->drafter_failed = MEM_STR("failed");
	else if ((st = read_draft_answer(&answer, a, command, mem_buf_span(&printed), why)) != MEM_OK)
		what->drafter_failed = mem_str(why->reason != NULL ? why->reason : "bad_value");
	else {
		what->name = answer.name.n > 0 ? answer.name : what->name;
		what->description = answer.description.n > 0 ? answer.description : what->description;
		what->content = answer.content.n > 0 ? answer.content : what->content;
		what->drafter = mem_str(mem_arena_printf(a, "%.*s@%.*s", (int)answer.drafter.n, answer.drafter.p, (int)answer.version.n, answer.version.p));
	}
	mem_buf_release(&draft);
	mem_buf_release(&printed);
	return st == MEM_OK;
}
