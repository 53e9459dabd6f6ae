/* SPDX-License-Identifier: Apache-2.0 */
/* Reasons of refused lines in words: what is wrong, and what to do (mem-records(5) lists the reasons). */
#include "cli/cli_int.h"

#include <stdio.h>
#include <string.h>

/*
 * "line 3 SAYS at byte 17: HINT".  A row of a command goes before the row of all.  `detail`: the message of the refusal
 * says more than the sentence, for example which field it is.
 */
static const struct refusal_words {
	const char *reason, *command, *says, *hint;
	bool detail;
} words[] = {
	{ "bad_json", "mem-capture", "is no JSON", "for plain text use --lines or --whole", false },
	{ "bad_json", "mem-import", "is no JSON", "lines of mem-export are wanted", false },
	{ "bad_json", "mem-adapt", "is no JSON", "is FORMAT the right one?", true },
	{ "bad_json", NULL, "is no JSON", "one object a line is wanted", false },
	{ "not_an_object", "mem-capture", "is JSON but no object", "an event is an object: {\"content\":\"...\"}", false },
	{ "not_an_object", NULL, "is JSON but no object", "one object a line is wanted", false },
	{ "duplicate_key", NULL, "has a key twice", "keep one of the two", false },
	{ "bad_utf8", "mem-adapt", "is not UTF-8", "iconv converts it", true },
	{ "bad_utf8", NULL, "is not UTF-8", "iconv converts it", false },
	{ "nul", NULL, "holds a NUL character", "take it out first", false },
	{ "too_long", "mem-capture", "is too long", "divide it, or raise --max-bytes (a line has at most 16 MiB)", false },
	{ "too_long", "kg-link", "is too long", "a file has at most 64 MiB", false },
	{ "too_long", "skill-ingest", "is too long", "a body has at most 1 MiB, front matter 64 KiB", false },
	{ "too_long", NULL, "is too long", "a line has at most 16 MiB", false },
	{ "not_markdown", NULL, "is no markdown file", "names of pages end in .md or .markdown", false },
	{ "ignored", NULL, "is left out by .gitignore or the setting vault.ignore", "see vault.ignore in mem-config(5), or git add -f it", false },
	{ "unreadable", NULL, "cannot be read", "what is kept of it stays as it is", false },
	{ "outside", "skill-ingest", "is a link out of the folder", "name the folder that it leads to", false },
	{ "outside", NULL, "is a link or no file", "remove it first", false },
	{ "exists", NULL, "would replace a file of another content", "--force replaces it", false },
	{ "unwritable", NULL, "cannot be written", "look at the rights of its folder", false },
	{ "too_deep", "skill-ingest", "is nested over 32 folders deep", "name the folder itself", false },
	{ "too_deep", NULL, "is nested over 512 levels deep", "make it flatter", false },
	{ "key_too_long", NULL, "has a key of over 64 KiB", "long text belongs in a value", false },
	{ "empty", "mem-capture", "has no text", "an event needs the field content; mem-adapt jsonl --map takes it from another field", false },
	{ "empty", NULL, "has no text", "give it one", true },
	{ "reserved_field", NULL, "sets a field that only memkit sets", "leave it out, or give it another name", true },
	{ "system_role", NULL, "is a program's own prompt", "roles system and developer are not kept", false },
	{ "namespace_denied", NULL, "is for a namespace that you may not write to", "leave ns out, or see agents in mem-config(5)", false },
	{ "residue", "mem-import", "holds a secret or a planted instruction", "an operator may import it as it is", false },
	{ "residue", "kg-link", "has a secret in its path", "give the file another name", false },
	{ "residue", "skill-ingest", "has a secret in its name or path", "give it another name", false },
	{ "residue", NULL, "is a planted instruction and little else", "nothing of it is kept", false },
	{ "damaged", "mem-forget", "has something to it that is damaged", "an operator's mem-check --repair mends all but texts; of those a backup is whole", false },
	{ "damaged", NULL, "is not what was written", "mem-check(1) names what is damaged; a backup may have it", false },
	{ "budget", NULL, "takes too long to clean", "divide it into shorter texts", false },
	{ "supersedes_not_found", NULL, "replaces a memory that is not there", "check the id in supersedes with mem-get", false },
	{ "supersedes_denied", NULL, "replaces a memory that you may not change", "leave supersedes out", false },
	{ "bad_time", NULL, "has a time that cannot be read", "write times like 2026-11-28T09:00:00Z", false },
	{ "bad_value", "mem-import", "has a value that cannot be kept", "its id may be there with other bytes, an edge lacks an end, or it is an event: those go to mem-capture", true },
	{ "not_found", "kg-edge", "names a node or an edge that is not there", "kg-node list and kg-edge list show them", false },
	{ "ambiguous", "kg-edge", "has a name that means several nodes", "give the id of the one that you mean", false },
	{ "not_found", "skill-status", "names a skill that is not there", "skill-list shows them", false },
	{ "not_found", "skill-record", "names a skill that is not there", "skill-list shows them", false },
	{ "not_found", "skill-assign", "names a skill or an assignment that is not there", "skill-list and skill-show show them", false },
	{ "not_found", "skill-version", "names a skill, release or comparison that is not there", "skill-list and skill-version SKILL show them", false },
	{ "not_found", "skill-conflicts", "names a conflict that is not there", "skill-conflicts --known shows them", false },
	{ "not_found", "skill-repair", "names a conflict that is not there", "skill-conflicts --known shows them", false },
	{ "not_found", "skill-propose", "names a proposal that is not there", "mem-list --kind proposal shows them", false },
	{ "not_found", "skill-review", "names a review that is not there", "skill-review list shows them", false },
	{ "not_found", "agent-team", "names a team or a member that is not there", "agent-team list shows them", false },
	{ "ambiguous", "skill-status", "has a name that skills of several namespaces have", "give the id of the one that you mean", false },
	{ "ambiguous", "skill-record", "has a name that skills of several namespaces have", "give the id of the one that you mean", false },
	{ "ambiguous", "skill-assign", "has a name that skills of several namespaces have", "give the id of the one that you mean", false },
	{ "ambiguous", "skill-version", "has a name that skills of several namespaces have", "give the id of the one that you mean", false },
	{ "state_conflict", "skill-status", "is no step from the status that the skill has", "draft, active, deprecated, archived: one at a time", false },
	{ "state_conflict", "skill-assign", "is for an agent or a team that is not live", "mem-forget --undo may bring it back", false },
	{ "state_conflict", "skill-version", "is about the release that is active", "skill-version SKILL shows all", false },
	{ "state_conflict", "skill-review", "was decided, or a skill of its name is active", "skill-review show and skill-list show it", false },
	{ "bad_value", "kg-node", "has a value that makes no sense", "kinds are entity, tag and task; kg-node(1) says what their fields may hold", true },
	{ "empty", "kg-node", "has no name", "a record needs the field name", false },
	{ "bad_value", "mem-edit", "is not edited so", "facts, notes, learnings and bad patterns are; see mem-edit(1)", false },
	{ "state_conflict", "mem-edit", "is not live, or was changed otherwise since", "mem-get shows it as it is", false },
	{ "state_conflict", "mem-forget", "is pinned, or its time to live is over", "--force takes what is pinned", false },
	{ "too_many", "mem-forget", "has more to it than one erasing takes", "erase some of what was derived from it first", false },
	{ "state_conflict", "agent-key", "is about an agent that is retired", "it gets no other key: sign under another name", false },
	{ "state_conflict", "kg-node", "is there already and not live", "kg-node remove removes it for good", false },
	{ "bad_value", "skill-ingest", "cannot be kept", "its name and front matter must be readable: skill-ingest(1)", false },
	{ "bad_value", NULL, "has a value that makes no sense", "mem-records(5) says what each field may hold", true },
	{ "rights_denied", NULL, "gives rights", "only an operator may write it", false },
	{ "bad_signature", NULL, "is not signed as it must be", "mem-records(5), Signatures, says what is signed", false },
	{ "unattested", NULL, "has nobody's word but yours", "another agent gives it: mem-attest --edit, see mem-core(1)", false },
	{ "clock_skew", NULL, "was signed too long ago, or not yet", "sign it again now: sign.skew in mem-config(5)", false },
	{ "not_found", NULL, "names a record that is not there", "check the id with mem-get", false },
	{ "ambiguous", NULL, "names more than one record", "give more of the id", false },
	{ "conflict", "skill-ingest", "has the name of a skill in another folder", "rename one of the two", false },
	{ "conflict", NULL, "is about a version that has been replaced", "read the record again first", false },
	{ "state_conflict", NULL, "comes too late: the state has changed", "look at it again first", false },
	{ "cycle", NULL, "would close a circle", "take out one of its links first", false },
	{ "too_many", NULL, "is one too many", "remove others first", false },
};

static const struct refusal_words *
find_refusal_words(struct mem_str reason)
{
	const struct refusal_words *found = NULL;
	for (size_t i = 0; i < MEM_COUNT(words); i++) {
		const struct refusal_words *w = &words[i];
		if (!mem_str_is(reason, w->reason))
			continue;
		if (w->command != NULL && strcmp(w->command, cli_command_name()) == 0)
			return w;
		if (w->command == NULL)
			found = w;
	}
	return found;
}

void
mem_refusal_describe(struct mem_buf *out, const struct mem_refusal *r)
{
	const struct refusal_words *w = find_refusal_words(r->reason);
	bool named = r->input != NULL && strcmp(r->input, "-") != 0;
	if (named)
		mem_show(out, mem_str(r->input), false);
	mem_buf_puts(out, !named ? "" : r->line > 0 ? ": " : " ");
	if (r->line > 0)
		mem_buf_printf(out, "line %llu ", (unsigned long long)r->line);
	if (r->advice.n > 0) {
		mem_buf_printf(out, "is refused: %.*s", (int)r->advice.n, r->advice.p);
		return;
	}
	if (w != NULL)
		mem_buf_puts(out, w->says);
	else
		mem_buf_printf(out, "is refused as %.*s", (int)r->reason.n, r->reason.p);
	if (r->offset > 0)
		mem_buf_printf(out, " at byte %llu", (unsigned long long)r->offset);
	if (r->detail != NULL && r->detail[0] != '\0' && (w == NULL || w->detail))
		mem_buf_printf(out, " (%s)", r->detail);
	if (w != NULL)
		mem_buf_printf(out, ": %s", w->hint);
}

/* Lines of one input that are refused for one reason are shown so often: a wrong file must not fill the screen. */
#define MAX_ALIKE 5

/* How many refusals in a row, with this one, are of the same input and for the same reason. */
static unsigned
count_alike(const struct mem_refusal *r)
{
	static char input[256], reason[64];
	static unsigned count;
	const char *name = r->input != NULL ? r->input : "";
	if (strncmp(input, name, sizeof input - 1) != 0 || !mem_str_is(r->reason, reason))
		count = 0;
	snprintf(input, sizeof input, "%s", name);
	snprintf(reason, sizeof reason, "%.*s", (int)r->reason.n, r->reason.p);
	return count <= MAX_ALIKE + 1 ? ++count : count;
}

bool
mem_refusal_notice(const struct mem_refusal *r)
{
	struct mem_buf text = { 0 };
	if (!mem_err_tty())
		return false;
	unsigned alike = count_alike(r);
	if (alike == MAX_ALIKE + 1)
		mem_warn("more lines are refused for the same reason: only the first %d are shown", MAX_ALIKE);
	if (alike > MAX_ALIKE)
		return true;
	mem_refusal_describe(&text, r);
	mem_warn("%s", text.data);
	mem_buf_release(&text);
	return true;
}
