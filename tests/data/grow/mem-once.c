/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"
#include "run_stage.h"

int
main(int argc, char **argv)
{
	const struct mem_opt opts[] = { MEM_OPT_END };
	mem_opts(&argc, &argv, opts, "mem-once [FILE...]", "leave each record once");
	return mem_finish(run_stage(&mem_stage_once, NULL, argc, argv));
}
