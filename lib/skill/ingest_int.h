/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: a run over the files of skills. */
#ifndef MEM_SKILL_INGEST_INT_H
#define MEM_SKILL_INGEST_INT_H

#include "base/base.h"
#include "base/text_map.h"
#include "clean/clean_text.h"
#include "skill/ingest.h"
#include "skill/skill_int.h"
#include "write/run.h"

/* What tells skills apart; of a skill that is there, or of one of this run. */
struct skill_head {
	struct mem_id id;
	enum mem_node_status status;
	bool forgotten;
	int64_t version;           /* of the node; 0: it is new */
	struct mem_str name, ref, path, release, sha256, file_sha256;
	bool seen;                 /* a file of this run is it */
};
/* A name, or the path of a file, that a skill's file gives. */
struct skill_want {
	size_t head;               /* who */
	size_t next;               /* of the same name or path; SIZE_MAX: none */
	bool missing;              /* it was not there when the edges of the skill were made */
	bool untold;               /* a path that may be that of any file, which is never kept as missing */
	struct mem_str link;       /* the name of a link, which a page may have; empty: it is none */
};

/* A file, read and cleaned.  All but what says otherwise lives until the reader goes to the next group. */
struct skill_reading {
	const struct mem_skill_file *file;
	struct mem_str known;      /* file_sha256 of the skill that has this path; empty: none */
	enum mem_status state;     /* MEM_REFUSED: `why` says it; MEM_END: a loose file that is no skill */
	struct mem_err why;
	bool read;                 /* else its bytes are not to be had */
	bool unchanged;            /* it is what is known, and no record was made of it */
	size_t bytes;
	char sha256[65];
	struct mem_str name, release; /* as struct skill_draft has them, as the next one */
	bool named_by_place;
	struct mem_str faults;     /* of the front matter; empty: none */
	struct mem_rec rec;        /* reused from one file to the next, as `cleaned` */
	struct mem_clean_rec cleaned;
	struct mem_finding_list found;
};

struct mem_skill_ingest {
	struct mem_write_run *run;
	struct mem_skill_ingest_options o;
	const struct mem_skill_files *files;
	struct mem_str ns;
	struct mem_skill into;     /* of o.skill: its name and id, in the run's arena */
	struct mem_arena arena;    /* as long as the run */
	char mark_name[48];

	struct skill_head *heads;
	size_t nheads, heads_cap;
	struct mem_text_map by_ref, by_path; /* numbers of heads */
	struct mem_text_map listed; /* paths of this run; 1: refused, so that its skill stays */
	struct mem_text_map tags;  /* that are queued or there */
	struct mem_text_map wanted; /* refs and paths: the first want */
	struct skill_want *wants;
	size_t nwants, wants_cap;

	/* Skills whose edges are made again. */
	size_t *touched;
	size_t ntouched, touched_cap;
	struct mem_text_map is_touched;
	size_t next, done;         /* written before this transaction, and with it */

	struct skill_reader *reader; /* OWNS */
	struct skill_reading *hand; /* the file in hand */
};

/* ---- heads: ingest_heads.c ---------------------------------------------------- */

/* All skills of the namespace. */
enum mem_status skill_heads_read(struct mem_skill_ingest *r, struct mem_err *err) MEM_CHECKED;
/* One more; texts are copied.  Returns its number. */
size_t skill_head_add(struct mem_skill_ingest *r, const struct skill_head *head);
struct skill_head *skill_head_find(struct mem_skill_ingest *r, const struct mem_text_map *by, struct mem_str text); /* NULL: none */
/* The one that was read from the file there; NULL: none, or all files are of one skill. */
struct skill_head *skill_head_of_file(struct mem_skill_ingest *r, struct mem_str path);
void skill_head_touch(struct mem_skill_ingest *r, size_t number);
/* Whoever wants what has this ref or path has its edges made again. */
void skill_wants_touch(struct mem_skill_ingest *r, struct mem_str text);

/* ---- reading ahead: ingest_read.c ---------------------------------------------- */

enum { SKILL_FILES_A_GROUP = 512 };

/* `redact`: groups, as mem_write_cleaner has them. */
struct skill_reader;
enum mem_status skill_reader_open(struct skill_reader **out, struct mem_skill_ingest *run, const char *redact, struct mem_err *err) MEM_CHECKED;
void skill_reader_free(struct skill_reader *x); /* NULL is fine */
/* A file of the run's list, which come in their order.  What was queued is committed where the next group begins.  NULL: that failed. */
struct skill_reading *skill_reading_next(struct skill_reader *x, const struct mem_skill_file *file, struct mem_err *err);
/* The same file anew, with its record, where it was unchanged and the skill that had it is another by now. */
void skill_reading_again(struct skill_reader *x, struct skill_reading *f);

/* ---- releases: ingest_release.c ------------------------------------------------- */

/* A release as a text of the node.  It is a stranger's, of front matter: absent where the sanitiser refuses it, or would change it. */
struct mem_clean_text skill_release_clean(struct mem_skill_ingest *r, struct mem_str release);
/* The release that the file in hand is.  ARENA of the batch. */
struct skill_release {
	struct mem_str number;
	bool there;                /* the text is that of the active one; of an experimental change it may be a draft's */
	struct mem_id id;          /* of the node that has it */
};
enum mem_status skill_release_choose(struct mem_skill_ingest *r, const struct skill_head *was, struct skill_release *out,
    struct mem_err *err) MEM_CHECKED;
/*
 * Queues the skill's change to the file in hand, and what it was as a release; of an experimental change the file as a draft beside it.
 * Of one that is there only the place is another.  MEM_REFUSED with a reason: damaged.
 */
enum mem_status skill_change_queue(struct mem_skill_ingest *r, const struct mem_write_input *in, const struct skill_head *was,
    const struct skill_release *release, struct mem_err *err) MEM_CHECKED;

#endif
