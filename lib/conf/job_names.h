/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs of mem-maintain(1) by name, one a line, in the order in which they run where `after` says nothing else.  They are
 * listed here since each is a setting, maintain.NAME, whose name is checked whenever settings are read; lib/upkeep/jobs.c
 * makes the table of jobs of it, and mem-maintain(1) has a paragraph for each.
 */
#ifndef MEM_JOB_NAMES_H
#define MEM_JOB_NAMES_H

#define MEM_JOB_NAMES(JOB) \
	JOB(upgrade) \
	JOB(expire) \
	JOB(reembed) \
	JOB(consolidate) \
	JOB(embed) \
	JOB(dedupe) \
	JOB(learn) \
	JOB(decay) \
	JOB(forget) \
	JOB(promote) \
	JOB(activation) \
	JOB(cooccurrence) \
	JOB(tags) \
	JOB(mining) \
	JOB(tiers) \
	JOB(sync) \
	JOB(proposals) \
	JOB(gaps) \
	JOB(conflicts) \
	JOB(stale) \
	JOB(index) \
	JOB(pack) \
	JOB(compact) \
	/* here */

/* MEM_JOB_upgrade, …: places in the list; behind them how many there are. */
#define MEM_JOB_PLACE(name) MEM_JOB_##name,
enum mem_job_place { MEM_JOB_NAMES(MEM_JOB_PLACE) MEM_JOBS };

#endif
