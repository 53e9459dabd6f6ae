/* SPDX-License-Identifier: Apache-2.0 */
/* mem-attest: an agent vouches for facts. */
#include <math.h>

#include "base/digest.h"
#include "cli/cli.h"
#include "refused_id.h"
#include "trust/attest.h"
#include "write_run.h"

static struct mem_common c = MEM_COMMON_INIT;
static const char *signature, *edit;
static int64_t signed_at = MEM_TIME_NONE;
static double reliability = -1;

static void
attest_facts(struct mem_write_run *r, int argc, char **argv)
{
	const struct mem_attestation a = { mem_str(signature), signed_at };
	struct mem_err err;
	for (int i = 0; i < argc; i++) {
		if (reliability < 0) /* else they are agents */
			explain_refused_id(mem_writer_store(r->writer), mem_str(argv[i]));
		enum mem_status st = reliability >= 0 ? mem_attest_set_reliability(r, mem_str(argv[i]), reliability, &err)
		    : edit != NULL ? mem_attest_edit(r, mem_str(argv[i]), mem_str(edit), &a, &err)
		    : mem_attest_fact(r, mem_str(argv[i]), &a, &err);
		if (st != MEM_OK)
			mem_die_err(&err);
	}
}

int
main(int argc, char **argv)
{
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c), MEM_OPT_QUIET(c), MEM_OPT_DRYRUN(c),
		{ 0, "edit", "HASH", "vouch for giving a core block the text that has this SHA-256", .str = &edit },
		{ 0, "signature", "HEX", "this signature of the attestation", .str = &signature },
		{ 0, "at", "TIME", "when it was signed", .time = &signed_at },
		{ 0, "reliability", "X", "say how reliable agents are, from 0 to 1 (operators)", .real = &reliability, .low = 0, .high = 1 },
		MEM_OPT_FORMAT(c), MEM_OPT_EVERY(c), MEM_OPT_WAIT(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts,
	    "mem-attest [OPTION...] [-q] [--dry-run] ID...\n"
	    "mem-attest [OPTION...] [-q] [--dry-run] --edit HASH ID\n"
	    "mem-attest [OPTION...] [-q] [--dry-run] [--edit HASH] --signature HEX --at TIME ID\n"
	    "mem-attest [OPTION...] [-q] [--dry-run] --reliability X AGENT...",
	    "vouch for facts of a team, or for an edit of a core block");
	if (argc == 0)
		mem_die(MEM_USAGE, "an ID is wanted");
	if ((signature != NULL) != (signed_at != MEM_TIME_NONE) || (signature != NULL && (argc != 1 || reliability >= 0)))
		mem_die(MEM_USAGE, "--signature and --at belong together, and are of one ID");
	if (edit != NULL && (argc != 1 || reliability >= 0 || !mem_digest_valid(edit)))
		mem_die(MEM_USAGE, "--edit: the SHA-256 of a text is wanted, 64 digits of 0-9 and a-f, and one ID");
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .write = true, .every_namespace = c.every_namespace, .wait_ms = c.wait, .now = mem_now_given(),
		.damage = mem_warn_damage };
	return mem_finish(write_by_hand("mem-attest", &ask, &c, false, attest_facts, argc, argv));
}
