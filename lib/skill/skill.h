/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Skills: what agents can do, kept as data and never executed.
 *
 *   reading    a skill as its node has it
 *   finding    by name, ref, id or the beginning of an id
 *   listing    all skills of the namespaces that the principal reads
 *
 * A skill is a node of kind skill that stays the same from release to release.  It holds the active release; each other release is a
 * node of the same kind whose field `release_of` is the id of that one.  Within a namespace the folded names of skills differ.  The
 * `ref` is skill/NAME of a skill and skill-release/NAME/RELEASE of a release, NAME folded (mem_text_fold).  Bytes of the file: `front`,
 * then `content`.  mem-records(5) has all fields.
 */
#ifndef MEM_SKILL_H
#define MEM_SKILL_H

#include "base/base.h"
#include "record/record.h"
#include "store/node.h"
#include "store/store.h"

/* ---- reading ---------------------------------------------------------- */

/* Values BORROW from the node, texts are ARENA.  A field that is not there is an empty text, or a value that is not there. */
struct mem_skill {
	uint32_t ord;
	struct mem_id id;
	enum mem_node_status status;
	bool live;                  /* as mem_attr_live */
	bool forgotten;             /* by somebody, whatever its status */
	bool is_release;
	struct mem_id release_of;   /* of a release: its skill */
	int64_t created_at;
	struct mem_json node;       /* all of it */
	struct mem_str ns, ref, name, description, category;
	struct mem_str release;     /* "1.0.0" */
	struct mem_str sha256;      /* hexadecimal, of the file that the release was read from */
	struct mem_str file_sha256; /* of the file as it was read last: who activates another release leaves it, and `path`, as it is */
	struct mem_str path;        /* of the file; empty: it came from none */
	struct mem_json tags;       /* a list of strings */
	struct mem_json relations;  /* what it names: a list of objects with edge, name or path, weight?, version? (mem-records(5)) */
	struct mem_json missing;    /* ends of them that were not there when its edges were made: a list of strings */
	struct mem_json front;      /* what stands before the body, fences included */
	struct mem_json content;    /* the body; mem_json_text decodes it */
};
/* MEM_NOTFOUND: the node is no skill, or the principal may not read it. */
enum mem_status mem_skill_read(struct mem_skill *out, struct mem_txn *t, const struct mem_node *node, struct mem_arena *a) MEM_CHECKED;
/* The skill at a number, as mem_skill_read; MEM_DAMAGED too. */
enum mem_status mem_skill_at(struct mem_skill *out, struct mem_txn *t, uint32_t ord, struct mem_arena *a, struct mem_err *err) MEM_CHECKED;

/* The ends of its relations that are not there now: the kind of edge, and the name, or the path of a skill's file; and what else it keeps
 * as missing, of no kind.  Each once a kind. */
typedef void mem_skill_end_fn(void *ctx, struct mem_str edge, struct mem_str end);
enum mem_status mem_skill_missing_each(struct mem_txn *t, const struct mem_skill *skill, mem_skill_end_fn *fn, void *ctx,
    struct mem_err *err) MEM_CHECKED;

/* ---- names ------------------------------------------------------------ */

#define MEM_SKILL_REF "skill/"
#define MEM_SKILL_RELEASE_REF "skill-release/"
#define MEM_SKILL_NAME_MAX 200         /* bytes */
#define MEM_SKILL_BODY_MAX ((size_t)1 << 20)
/* Is it a name?  1 to MEM_SKILL_NAME_MAX bytes of UTF-8, not "." or "..", with something that folds to a word, without '/', '\\',
 * without ends of lines and without characters that nobody sees (mem_char_is_unseen). */
bool mem_skill_name_valid(struct mem_str name);
bool mem_skill_name_char_valid(uint32_t c); /* a character of it */
struct mem_str mem_skill_ref(struct mem_arena *a, struct mem_str name);   /* ARENA: skill/NAME */
struct mem_str mem_skill_release_ref(struct mem_arena *a, struct mem_str name, struct mem_str release); /* ARENA */
/* Its id is made of this (mem_id_v8).  ARENA. */
struct mem_str mem_skill_identity(struct mem_arena *a, struct mem_str name);
/* A category as a word: folded, what is neither letter nor digit is '_' ("Code review" is code_review); empty: there is none in it.  ARENA. */
struct mem_str mem_skill_category(struct mem_arena *a, struct mem_str text);
/* The namespace that skills are written to: `ns`, else the setting skills.ns; NULL where neither says one.  BORROWS. */
const char *mem_skill_ns(const struct mem_conf *conf, const char *ns);

/* ---- finding ---------------------------------------------------------- */

/* The skill of a name in a namespace, a live one first, then the newest; releases are none.  MEM_NOTFOUND: there is none. */
enum mem_status mem_skill_by_name(struct mem_skill *out, struct mem_txn *t, struct mem_str ns, struct mem_str name, struct mem_arena *a,
    struct mem_err *err) MEM_CHECKED;
/*
 * What an operand means: an id, a ref (skill/NAME), a name, or the beginning of an id, in this order; an id may be that of a release.
 * Names are looked for in `ns`; where that is empty in the setting skills.ns, then in all namespaces that are visible.
 * MEM_NOTFOUND: there is none, with the reason "empty" of an empty one.  MEM_REFUSED, reason "ambiguous": several have the name or the beginning.
 */
enum mem_status mem_skill_find(struct mem_skill *out, struct mem_txn *t, struct mem_str ns, struct mem_str operand, struct mem_arena *a,
    struct mem_err *err) MEM_CHECKED;

/* ---- listing ---------------------------------------------------------- */

#define MEM_SKILL_STATUS(s) (UINT32_C(1) << MEM_STATUS_##s)
struct mem_skill_filter {
	struct mem_str ns;          /* empty: all that are visible */
	uint32_t statuses;          /* a bit for each, MEM_SKILL_STATUS; 0: live ones alone (active, and neither forgotten nor expired) */
	bool releases;              /* releases too */
};
/* One skill, BORROWED until it returns.  Another status than MEM_OK ends the walk and is its answer. */
typedef enum mem_status mem_skill_fn(void *ctx, struct mem_txn *t, const struct mem_skill *skill, struct mem_err *err);
/* In commit order; in as many snapshots as it takes.  What is damaged is noted and passed over. */
enum mem_status mem_skills_each(struct mem_store *s, const struct mem_skill_filter *f, mem_skill_fn *fn, void *ctx,
    struct mem_err *err) MEM_CHECKED;
/* How many skills there are in the namespaces that the principal reads, whatever their status. */
enum mem_status mem_skills_count(struct mem_txn *t, uint64_t *n, struct mem_err *err) MEM_CHECKED;

#endif
