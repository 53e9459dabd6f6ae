/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Notes: what is known of one subject, in a few sentences that stand in its facts.
 *
 *   touched   subjects of facts that the log has since the last run (note_touched.c)
 *   cluster   the current facts of a subject: at least MEM_NOTE_FACTS over MEM_NOTE_ENTITIES (note_cluster.c)
 *   note      their newest statements, in the order in which they became true (note_write.c)
 *   links     relates_to, from a note to the notes nearest to it, and to it from those to which it is among the nearest; those of a
 *             note that was superseded or retired end then (note_link.c)
 *
 * A note has edges derived_from to each of its facts and about to the subject, and the facts' ids in `sources`.  It is
 * made again, and the old one superseded, only when other facts are its sources, be it because one begins or ends to be true; where too few are left it is
 * retired.  A note that somebody has edited is left as it is.  Its id is made of its facts and of the note that it supersedes.
 */
#ifndef MEM_NOTE_H
#define MEM_NOTE_H

#include "base/base.h"
#include "write/write.h"

#define MEM_NOTE_FACTS     3    /* of a cluster at least */
#define MEM_NOTE_ENTITIES  2    /* that they are about, at least: the subject and one more */
#define MEM_NOTE_SOURCES   12   /* facts in a note: the newest */
#define MEM_NOTE_BYTES     1000 /* of its text; what does not fit is left out */
#define MEM_NOTE_READ      512  /* facts about a subject that are looked at: the last ones */

#define MEM_NOTE_SIMILAR   .6   /* of two notes that are linked */
#define MEM_NOTE_CANDIDATES 8   /* nearest notes that one is linked to, at most */
#define MEM_NOTE_LINKS     256  /* new links of one run */

struct mem_note_scope {
	const uint32_t *ns;         /* [nns] numbers of the namespaces whose notes are made */
	size_t nns;
	int stop_fd;                /* -1, or readable once to finish the transaction in hand and end */
	struct mem_write_total *total; /* what is written is added to it */
};
struct mem_note_done {
	uint64_t notes, links;
};
/*
 * Makes what is due, in transactions of some notes each; how far it has come stands in meta.  One process does it at a time: take
 * MEM_LOCK_BELIEF first.  The writer's batch must be empty.
 */
enum mem_status mem_notes_make(struct mem_writer *w, const struct mem_note_scope *scope, struct mem_note_done *done, struct mem_err *err) MEM_CHECKED;

#endif
