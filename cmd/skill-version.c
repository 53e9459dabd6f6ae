/* SPDX-License-Identifier: Apache-2.0 */
/* skill-version: the releases of a skill, which is active, and which of two does better. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/model.h"
#include "skill/ab.h"
#include "release_file.h"
#include "version_output.h"
#include "write_run.h"

static struct mem_common c = MEM_COMMON_INIT;
static const char *variant, *file;
static double share = (double)NAN;
static int change = -1; /* not given */
static int verb;
static char **operands; /* behind the verb */

enum { HISTORY, DIFF, ACTIVATE, ROLLBACK, AB_STATUS, AB_START, AB_PROMOTE, AB_STOP, ADD };
static const struct mem_verb verbs[] = {
	{ "history", "", 1, 1 },
	{ "diff", "", 1, 3 },
	{ "activate", "quiet dry-run", 2, 2 },
	{ "rollback", "quiet dry-run", 1, 1 },
	{ "ab status", "", 1, 1 },
	{ "ab start", "quiet dry-run variant share", 1, 1 },
	{ "ab promote", "quiet dry-run", 1, 1 },
	{ "ab stop", "quiet dry-run", 1, 1 },
	{ "--file", "quiet dry-run file change", 1, 1 }, /* without a word */
	{ 0 }
};

/* ---- reading ------------------------------------------------------------- */

/* Two releases: of the operands, else of the one before the active one and the active one. */
static enum mem_status
put_diff(struct mem_buf *out, const struct mem_skill_releases *l, int argc, char **argv, struct mem_err *err)
{
	const struct mem_skill *first = argc > 0 ? mem_skill_releases_find(l, mem_str(argv[0])) : mem_skill_releases_before(l);
	const struct mem_skill *second = argc > 1 ? mem_skill_releases_find(l, mem_str(argv[1])) : &l->v[l->active];
	if (first == NULL || second == NULL)
		return mem_err_set(err, MEM_NOTFOUND, "no such release: %s",
		    argc > 1 && first != NULL ? argv[1] : argc > 0 ? argv[0] : "there is none before the active one");
	put_differences(out, first->node, second->node);
	return MEM_OK;
}

/* All is made in a snapshot that ends before anything is printed. */
static enum mem_status
print_releases(const struct mem_store_options *ask, int argc, char **argv)
{
	struct mem_store *store = NULL;
	struct mem_txn *t = NULL;
	struct mem_arena a = { 0 };
	struct mem_buf out = { 0 };
	struct mem_skill_releases l = { 0 };
	struct mem_skill_comparison cmp;
	struct mem_err err;
	enum mem_status st = mem_store_open(&store, ask, &err);
	if (st != MEM_OK)
		mem_die_err(&err);
	st = mem_txn_read(&t, store, &err);
	if (st == MEM_OK)
		st = mem_skill_releases_read(&l, t, mem_str(argv[0]), &a, &err);
	if (st == MEM_OK && verb == HISTORY)
		put_releases(&out, &l);
	else if (st == MEM_OK && verb == DIFF)
		st = put_diff(&out, &l, argc - 1, argv + 1, &err);
	else if (st == MEM_OK && (st = mem_skill_compare(&cmp, &l, &a, &err)) == MEM_OK)
		put_comparison(&out, &cmp, &a);
	mem_txn_end(t);
	mem_store_close(store);
	if (st == MEM_NOTFOUND || st == MEM_REFUSED)
		mem_warn("%s", err.msg);
	else if (st != MEM_OK)
		mem_die_err(&err);
	print_read_lines(mem_buf_span(&out), mem_text_wanted(c.format), verb == HISTORY ? READ_HISTORY : verb == DIFF ? READ_DIFF : READ_COMPARISON);
	mem_buf_release(&out);
	mem_arena_release(&a);
	return st;
}

/* ---- writing ------------------------------------------------------------- */

/* A write_run_fn. */
static void
change_releases(struct mem_write_run *r, int argc, char **argv)
{
	static const enum mem_skill_change changes[] = { [ACTIVATE] = MEM_SKILL_ACTIVATE, [ROLLBACK] = MEM_SKILL_ROLLBACK, [AB_START] = MEM_SKILL_AB_START,
		[AB_PROMOTE] = MEM_SKILL_AB_PROMOTE, [AB_STOP] = MEM_SKILL_AB_STOP };
	const struct mem_skill_version_change q = { .skill = mem_str(argv[0]), .release = mem_str(argc > 1 ? argv[1] : variant != NULL ? variant : ""),
		.share = isnan(share) ? MEM_SKILL_AB_SHARE : share, .change = changes[verb] };
	struct mem_err err;
	if (mem_skill_version_change(r, &q, &err) != MEM_OK)
		mem_die_err(&err);
}

/* ---- operands ------------------------------------------------------------ */

/* The word behind SKILL, or the two of ab, come first, as other commands have their verbs.  `room` has place for one operand more. */
static void
put_verb_first(int *argc, char **argv, char **room)
{
	static char ab[64];
	char *word = *argc > 1 ? argv[1] : (char *)(uintptr_t)verbs[file != NULL ? ADD : HISTORY].name;
	int taken = *argc > 1 ? 2 : *argc;
	if (*argc > 1 && strcmp(word, "ab") == 0) {
		snprintf(ab, sizeof ab, "ab %s", *argc > 2 ? argv[2] : "status");
		word = ab;
		taken = *argc > 2 ? 3 : 2;
	}
	int n = 0;
	room[n++] = word;
	if (*argc > 0)
		room[n++] = argv[0];
	for (int i = taken; i < *argc; i++)
		room[n++] = argv[i];
	*argc = n;
}

int
main(int argc, char **argv)
{
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_QUIET(c), MEM_OPT_DRYRUN(c),
		{ 0, "file", "F", "make the text of F a release of SKILL", .str = &file },
		{ 0, "change", "WORD", "how its number rises (patch); experimental: a draft beside the active release", .choice = &change,
		    .choices = mem_release_changes },
		{ 0, "variant", "R", "ab start: compare this release with the active one", .str = &variant },
		{ 0, "share", "X", "ab start: so many sessions are served the variant (default .2)", .real = &share },
		MEM_OPT_FORMAT(c), MEM_OPT_EVERY(c), MEM_OPT_WAIT(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "skill-version [OPTION...] SKILL [history]\n"
	    "skill-version [OPTION...] SKILL diff [R [R]]\n"
	    "skill-version [OPTION...] [-q] [--dry-run] [--change WORD] --file F SKILL\n"
	    "skill-version [OPTION...] [-q] [--dry-run] SKILL activate R\n"
	    "skill-version [OPTION...] [-q] [--dry-run] SKILL rollback\n"
	    "skill-version [OPTION...] [-q] [--dry-run] [--share X] --variant R SKILL ab start\n"
	    "skill-version [OPTION...] SKILL ab [status]\n"
	    "skill-version [OPTION...] [-q] [--dry-run] SKILL ab promote\n"
	    "skill-version [OPTION...] [-q] [--dry-run] SKILL ab stop",
	    "see, change and compare the releases of a skill");
	operands = mem_xcalloc((size_t)argc + 1, sizeof *operands);
	put_verb_first(&argc, argv, operands);
	verb = (int)(mem_verb_take(&argc, &operands, verbs) - verbs);
	if (verb == AB_START && variant == NULL)
		mem_die(MEM_USAGE, "ab start: --variant R is expected");
	bool writes = verb != HISTORY && verb != DIFF && verb != AB_STATUS;
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .write = writes, .every_namespace = c.every_namespace,
		.wait_ms = c.wait, .now = mem_now_given(), .damage = mem_warn_damage };
	if (!writes)
		return mem_finish(print_releases(&ask, argc, operands));
	mem_link_curl_and_blas();
	if (verb == ADD)
		return mem_finish(put_release_file(&ask, &c, operands[0], file, change));
	return mem_finish(write_by_hand("skill-version", &ask, &c, true, change_releases, argc, operands));
}
