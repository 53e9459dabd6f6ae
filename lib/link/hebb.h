/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hebb: what occurs together grows together (Hebb 1949), by the turns of sessions.
 *
 *   occurrences   the tags of a turn, and the entities and skills that it mentions
 *   activation    a tag that occurs in a session is used: its weight grows by delta, up to 1
 *   pairs         two that occur in one session at most `window` apart have an edge co_occurs, which leads both ways and whose
 *                 weight grows by delta, up to 1
 *   pending tags  a tag that no one made is a draft with its first use, and active after use in `sessions` sessions
 *
 * A session counts once for a tag or pair, and once more when `window` has passed since it last did.  A weight that grows
 * is first what it has faded to:
 *
 *	weight(t) = weight · decay^d of an edge, weight · (1 - rate)^d of a tag, d = days from reinforced_at to t, to the ms
 *
 * and reinforced_at becomes the time of the turn; of a turn that is later than the run and than its own capture, the later of these.
 * A tag that has decayed, its weight below `least`, is in use again by a turn: it grows from `least`.  Nothing fades by itself: who
 * reads a weight fades it, so that a run that is repeated, or comes late, changes no more.  Tags, and edges, lie in the namespace of
 * the session.  All that a run writes goes by the turns alone: but for turns of the future neither the time of the run nor how many
 * turns one takes makes a difference, where turns come in the order of their times.  What comes later than that is added as it has
 * faded; the sum is the same but where a weight has reached 1, or a tag had decayed, in between: what it would have been there is
 * not kept.
 *
 * How far each namespace was looked at stands in the marks of the jobs, as a place in the log.  Of a session the first 256
 * different tags, entities and skills count.
 */
#ifndef MEM_HEBB_H
#define MEM_HEBB_H

#include "base/base.h"
#include "conf/conf.h"
#include "store/job.h"

struct mem_index;
struct mem_write_run;
struct mem_hebb_options {
	const char *via;            /* origin.via of new tags: the command's name */
	int64_t window;             /* ms */
	double delta, decay, rate, reinforce;
	double least;               /* weight below which a tag has decayed */
	int64_t sessions;
};
/* As the settings hebb.* have it. */
void mem_hebb_options_read(struct mem_hebb_options *out, const struct mem_conf *conf);
/* A weight after so long; MEM_TIME_NONE: it never was reinforced and stays. */
double mem_hebb_fade(double weight, double per_day, int64_t reinforced_at, int64_t now);

struct mem_hebb_done {
	uint64_t turns;             /* new ones */
	uint64_t tags, edges;       /* that have grown */
	uint64_t activated;
};
/* In the namespaces that the caller may write to.  Each adds to *done.  Without options (NULL) they go by the settings. */
enum mem_status mem_hebb_activate(struct mem_index *m, const struct mem_hebb_options *o, struct mem_hebb_done *done, struct mem_err *err) MEM_CHECKED;
enum mem_status mem_hebb_link(struct mem_index *m, const struct mem_hebb_options *o, struct mem_hebb_done *done, struct mem_err *err) MEM_CHECKED;
/*
 * One input of a run: a tag is used, by a person's word or an agent's: its weight w, faded to now, becomes w + reinforce · (1 - w).
 * The node is meant as mem_link_end_find says.
 */
enum mem_status mem_hebb_reinforce(struct mem_write_run *r, const struct mem_hebb_options *o, struct mem_str node, struct mem_err *err) MEM_CHECKED;
/* Makes those draft tags active that may be. */
enum mem_status mem_hebb_settle(struct mem_index *m, const struct mem_hebb_options *o, struct mem_hebb_done *done, struct mem_err *err) MEM_CHECKED;
/* What mem_hebb_activate and mem_hebb_settle would make of the draft tags, stored ones and new: appends a record for each,
 * {"id":…,"ns":…,"name":…,"sessions":N,"becomes":"active"|"draft"}.  Nothing is kept. */
enum mem_status mem_hebb_foresee(struct mem_index *m, const struct mem_hebb_options *o, struct mem_buf *lines, struct mem_err *err) MEM_CHECKED;

extern const struct mem_job mem_job_activation, mem_job_cooccurrence, mem_job_tags;

#endif
