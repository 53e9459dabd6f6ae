/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: a skill's file as a record, and its edges. */
#ifndef MEM_SKILL_INT_H
#define MEM_SKILL_INT_H

#include "base/base.h"
#include "clean/clean_text.h"
#include "conf/conf.h"
#include "record/record.h"
#include "skill/skill.h"
#include "store/store.h"
#include "write/write.h"

/* ---- a file as a record: skill_draft.c, skill_front.c, skill_relations.c ------------------------- */

struct skill_source {
	struct mem_str path, bytes;
	struct mem_str name;       /* of a skill that gives itself none; empty: that of its path */
	char sha256[65];           /* of the bytes */
	bool loose;                /* as struct mem_skill_file */
};
/* Zero initialise; reusable. */
struct skill_draft {
	struct mem_buf record;     /* before it is cleaned; without the release */
	struct mem_buf faults;     /* of the front matter, as list `faults` of a receipt; empty: none */
	struct mem_str name;       /* ARENA */
	bool named_by_place;       /* the front matter gives none: it is that of the folder or the file */
	struct mem_str release;    /* ARENA: that the front matter names; empty: none */
	struct mem_arena arena;
};
/* MEM_END: a loose file that is no skill.  MEM_REFUSED, with its reason: too_long, nul, bad_utf8; empty; bad_value of a name that is none,
 * of a `name` that is no text, or of front matter that cannot be read. */
enum mem_status skill_draft_read(struct skill_draft *out, const struct skill_source *source, struct mem_err *err) MEM_CHECKED;
void skill_draft_release(struct skill_draft *d);

/* Does front matter's key become a field of the same name?  Else it is a member of `extra`. */
bool skill_front_is_field(struct mem_str key);
/* Appends the members for all keys of front matter but name, description, category and tags. */
void skill_front_put(struct mem_buf *record, const struct mem_yaml *front);
/* Appends what is wrong in the front matter's names of skills to list `faults`: a weight that is no number from 0 to 1. */
void skill_relations_check(struct mem_buf *faults, const struct mem_yaml *front);
/* Appends list `relations`: of front matter, and of links in the body. */
struct mem_md_links;
void skill_relations_put(struct mem_buf *record, const struct mem_yaml *front, const struct mem_md_links *links, struct mem_str path);

/* ---- status: skill_status.c --------------------------------------------------- */

/* Refuses what is done with a skill that was forgotten, with the way back: MEM_REFUSED. */
struct mem_write_run;
enum mem_status skill_refuse_forgotten(struct mem_write_run *r, const struct mem_write_input *in);
/* The value of a skill's field status_changes with one more; reason absent: none.  Of the batch's arena. */
struct mem_clean_text skill_status_changes(struct mem_txn *t, struct mem_writer *w, const struct mem_rec *rec, enum mem_node_status from,
    enum mem_node_status to, struct mem_clean_text reason);

/* ---- releases: version_change.c ---------------------------------------------- */

/* Queues what is active now, as it stands in *skill, as a release beside it: a node of its own, or a change to the one that it has. */
enum mem_status skill_release_keep(struct mem_write_run *r, const struct mem_write_input *in, const struct mem_skill *skill, bool rolled_back,
    struct mem_err *err) MEM_CHECKED;
/* The fields `ref`, `name` and `release_of` of a node that keeps a release of the skill.  ARENA of the batch. */
#define SKILL_RELEASE_NAMES 3
enum mem_status skill_release_names(struct mem_write_run *r, const struct mem_skill *skill, struct mem_str ref,
    struct mem_clean_field out[SKILL_RELEASE_NAMES], struct mem_err *err) MEM_CHECKED;

/* ---- relations: relation_find.c ------------------------------------------------ */

#define SKILL_LINK "references" /* the edge of a link in the body */
/*
 * What a member of `relations` means: a skill of the namespace, by its name or the path of its file, or what that was merged into; by the
 * name of a link also the one page that has it.  MEM_NOTFOUND: nothing yet; a skill that was forgotten is not there.
 */
enum mem_status skill_relation_find(struct mem_txn *t, struct mem_str ns, struct mem_json relation, struct mem_arena *a, uint32_t *to,
    struct mem_err *err) MEM_CHECKED;
/* The page that alone has the name of a link. */
enum mem_status skill_link_page_find(struct mem_txn *t, struct mem_str name, struct mem_arena *a, uint32_t *to, struct mem_err *err) MEM_CHECKED;
/* Its name, or the path where that is a skill's file: what is missing where nothing is found.  Not there for another path, which may be
 * that of any file. */
struct mem_json skill_relation_end(struct mem_json relation, struct mem_arena *a);

/* ---- edges: skill_edges.c ---------------------------------------------------- */

/*
 * Makes the edges that leave the skill at this number those of its tags and relations: what an earlier file declared and this one does
 * not goes; edges that others made stay.  Its field `missing` follows.  What is no skill, or not the caller's to write, stays as it is.
 */
enum mem_status skill_edges_write(struct mem_txn *t, struct mem_writer *w, uint32_t ord, struct mem_err *err) MEM_CHECKED;
/* The same whoever the caller is: a review granted it. */
enum mem_status skill_edges_write_granted(struct mem_txn *t, struct mem_writer *w, uint32_t ord, struct mem_err *err) MEM_CHECKED;

#endif
