/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes: what is derived from their text, finding and reading them.  The JSON text is the truth; all else follows
 * from it.  kind.h has the tables of kinds, roles, statuses and types.
 */
#ifndef MEM_NODE_H
#define MEM_NODE_H

#include "base/base.h"
#include "record/record.h"
#include "store/kind.h"
#include "store/store.h"

/* ---- attributes -------------------------------------------------------- */

/*
 * Bits of mem_attr.flags.  All but the lowest are what ranking wants to know of an episode's content (text/marks.h says what
 * each means), and so is `days`; of other nodes they are not set.
 */
#define MEM_ATTR_FLAGGED       1U     /* injection_flags is a list that is not empty */
#define MEM_ATTR_HAS_QUESTION  2U
#define MEM_ATTR_ENDS_QUESTION 4U
#define MEM_ATTR_TIME_WORD     8U
#define MEM_ATTR_NUMBER_WORD   16U
#define MEM_ATTR_CAPITALS_SHIFT 5     /* two bits: words with capitals, 3 for more */
#define MEM_ATTR_CAPITALS      (3U << MEM_ATTR_CAPITALS_SHIFT)

/* What ranking and filters read without parsing: fixed size, host byte order
 * (meta records it).  Derived from the node's text; mem-check compares.  Packed, since LMDB aligns
 * values to two bytes only and it is read in place. */
struct mem_attr {
	struct mem_id id;
	int64_t created_at, captured_at;      /* captured_at falls back on created_at */
	int64_t expired_at, expires_at;       /* MEM_TIME_NONE: not */
	int64_t valid_from, valid_to;
	int64_t last_access, superseded_at;
	struct mem_day_span days[MEM_ATTR_DAYS]; /* that its words mean, seen from captured_at; those that are none come last */
	uint32_t ns;                          /* number in table ns */
	uint32_t session;                     /* mem_session_number; 0: none */
	uint32_t access_count;
	float importance, trust, confidence;
	uint16_t kind;
	uint8_t role, status;
	uint8_t type;                         /* enum mem_memory_type */
	uint8_t flags;                        /* MEM_ATTR_FLAGGED … */
	uint8_t pinned;
	uint8_t zero;
} __attribute__((packed, aligned(2)));

/* A node as stored.  BORROWS from the snapshot.  The four below: MEM_DAMAGED when what is there is not what was
 * written, err naming the node; out->ord is set even then. */
struct mem_node {
	uint32_t ord;              /* position in commit order; never on the wire */
	const struct mem_attr *attr;
	struct mem_str json;
};
enum mem_status mem_node_by_id(struct mem_txn *t, const struct mem_id *id,
    struct mem_node *out, struct mem_err *err) MEM_CHECKED;      /* MEM_NOTFOUND: unknown */
enum mem_status mem_node_at(struct mem_txn *t, uint32_t ord,
    struct mem_node *out, struct mem_err *err) MEM_CHECKED;      /* MEM_NOTFOUND: unknown */
/* Its text alone. */
enum mem_status mem_node_text_at(struct mem_txn *t, uint32_t ord,
    struct mem_str *json, struct mem_err *err) MEM_CHECKED;      /* MEM_NOTFOUND: unknown */
enum mem_status mem_attr_at(struct mem_txn *t, uint32_t ord,
    const struct mem_attr **out, struct mem_err *err) MEM_CHECKED; /* MEM_NOTFOUND: unknown */
/*
 * The attributes of these nodes (ords rising) are about to be asked for: reads what is right of them from the file, so that mem_attr_at
 * of this snapshot need not have the map bring a page for most of them, which takes twice as long.  Of a few nodes, or after some
 * thousand pages, it does nothing.
 */
void mem_attrs_read_ahead(struct mem_txn *t, const uint32_t *ords, size_t n);
/* The node of the same kind that one was merged into, or, with `superseded`, that superseded it, over any number of steps; else *ord
 * stays. */
enum mem_status mem_node_survivor(struct mem_txn *t, uint32_t *ord, bool superseded, struct mem_err *err) MEM_CHECKED;
/* Live at `now`: not forgotten, not expired, and of a status that is live? */
bool mem_attr_live(const struct mem_attr *a, int64_t now);
/* How a validity from `from` to before `to` (MEM_TIME_NONE: open) lies to that time: around it, before it, behind it. */
enum mem_validity { MEM_VALID, MEM_VALID_PAST, MEM_VALID_FUTURE };
enum mem_validity mem_validity_at(int64_t from, int64_t to, int64_t at);
/* Is it live, or a fact whose successor is known, but has not begun yet: still true at `now`? */
bool mem_attr_stands(const struct mem_attr *a, int64_t now);
/* May the principal read it?  An unseen node is the same as an unknown one.  Where its namespace is damaged: no, and
 * that is noted. */
bool mem_node_readable(struct mem_txn *t, const struct mem_attr *a);
/* Is it live now, and may the principal read it? */
bool mem_node_shown(struct mem_txn *t, const struct mem_attr *a);
/* The attributes of a node of this kind (MEM_KIND_NONE: of any) that is shown; NULL: it is none.  A damaged one is noted. */
const struct mem_attr *mem_attr_shown_at(struct mem_txn *t, uint32_t ord, enum mem_kind kind);
/* What holds of its kind, by its text.  Of a record without a kind all is false. */
const struct mem_kind_info *mem_node_kind_info(const struct mem_rec *node);
/* The same of a damaged node, by what is left of it; `unknown` when nothing tells whose it is. */
bool mem_node_damage_readable(struct mem_txn *t, uint32_t ord, bool unknown);
/* A reader of many passed over this node, for which it got MEM_DAMAGED.  Told once, and not to one who may not read it. */
void mem_node_damage_note(struct mem_txn *t, uint32_t ord);
/* The same where what is damaged is something made of it ("its vector"). */
void mem_node_part_damage_note(struct mem_txn *t, uint32_t ord, const char *part);

/* What attr.session holds for a session_id: never 0.  Keyed by the store's secret. */
uint32_t mem_session_number(const struct mem_store *s, struct mem_str session_id);

/*
 * Everything the store derives from a node's text, worked out before the lock is
 * taken; writers, import, check and repair all use it, so they cannot disagree.
 *
 * Read from the text: id, kind, ns, created_at; captured_at, expired_at, expires_at (of kinds that expire), valid_from,
 * valid_to, last_access, superseded_at (RFC 3339 or null); session_id, ref, role, status, type; access_count,
 * importance, trust, confidence (from 0 to 1), pinned, version, injection_flags, tags; of an episode also content
 * (for dup); of kinds that have compartments the field of each of their forms, of which one at most may be there; name and
 * aliases, with type before them, title, slug and path, folded by words->fold; of an episode content, speaker and
 * listener, for words->mark.  `words` NULL, or without one of the two: without names, for which alone the arena is needed, and
 * without marks.  A known field with a value of the wrong form is MEM_REFUSED with bad_value or bad_time.
 *
 * Of a new node the 36 characters of id, the 24 of created_at or both may be placeholders in writable memory, which
 * mem_node_add fills in place.
 */
enum mem_node_fill { MEM_FILL_NOTHING, MEM_FILL_TIME, MEM_FILL_ID_AND_TIME };
#define MEM_REF_PREFIX    32
#define MEM_REF_KEY_MAX   (MEM_REF_PREFIX + 8)
#define MEM_NAME_PREFIX   300
#define MEM_NAME_TYPE_MAX 64
#define MEM_NAME_KEY_MAX  (MEM_NAME_TYPE_MAX + 1 + MEM_NAME_PREFIX + 1 + 16)
struct mem_node_keys {
	struct mem_str json;       /* BORROWS */
	char *fill_id, *fill_created; /* inside json; NULL: they are not to be filled */
	struct mem_attr attr;      /* ns (its compartment's) is filled when added, and so are id and created_at where they are in the text */
	struct mem_str ns;         /* BORROWS from json */
	char compartment[MEM_COMPARTMENT_MAX + 1]; /* of it, "domain:SLUG"; empty: none */
	uint32_t root;             /* number of ns; filled with attr.ns */
	uint64_t session;          /* keyed hash of session_id; 0: none */
	bool has_captured, has_dup;
	struct mem_hash dup;       /* of ns, session, role, ref and content */
	int64_t due;               /* expires_at unless forgotten already, or MEM_TIME_NONE */
	struct mem_str *names;     /* ARENA, keys of table name, each once */
	size_t nnames;
	uint16_t ref_len;          /* 0: none */
	uint8_t ref_key[MEM_REF_KEY_MAX];
};
enum mem_status mem_node_keys_make(struct mem_node_keys *d, const struct mem_store *s,
    const struct mem_rec *node, enum mem_node_fill fill, const struct mem_word_reader *words, struct mem_arena *arena,
    struct mem_err *err) MEM_CHECKED;

/*
 * Finds the numbers of a node's namespace and compartment, attr.ns and root.  `make` numbers new ones, else that is
 * MEM_NOTFOUND.
 */
enum mem_status mem_node_keys_number(struct mem_txn *t, struct mem_node_keys *d, bool make, struct mem_err *err) MEM_CHECKED;

/* The rows of tables ref, dup, name, sess and due that belong to a node (attr.ns and root known), one after the other:
 * for (row = (struct mem_node_keys_row){ 0 }; mem_node_keys_next(d, ord, &row);) … */
struct mem_node_keys_row {
	size_t next;               /* place of the next one */
	enum mem_table table;
	uint16_t len;
	uint8_t key[4 + MEM_NAME_KEY_MAX + 4];
	struct mem_str value;
};
bool mem_node_keys_next(const struct mem_node_keys *d, uint32_t ord, struct mem_node_keys_row *row);

/* The live node with the same namespace, session, role, ref and text; MEM_NOTFOUND: there is none. */
enum mem_status mem_node_duplicate(struct mem_txn *t, const struct mem_node_keys *d,
    struct mem_node *out, struct mem_err *err) MEM_CHECKED;
/*
 * The live node that is a copy of this one in another session: the same namespace, ref, role and text.  The ref, up to '#', is
 * one that a program drew: a UUID or the like; else it has MEM_REF_OWN bytes or more, and captured_at is the same and not now
 * (so that the event told it).  Looks at the newest few with this ref.  MEM_NOTFOUND: there is none.
 */
#define MEM_REF_OWN 16
enum mem_status mem_node_copied(struct mem_txn *t, const struct mem_node_keys *d,
    struct mem_node *out, struct mem_err *err) MEM_CHECKED;
/* Numbers it and writes every table of the store room and the log; `op` "new" or "import".
 * The same id already there: MEM_EXISTS (an id that it numbers never is). */
enum mem_status mem_node_add(struct mem_txn *t, struct mem_node_keys *d, const char *op,
    uint32_t *ord, struct mem_err *err) MEM_CHECKED;
/* Replaces the text (same id, kind and namespace, else MEM_FAIL; the compartment may be another); attr and all rows
 * follow; logs `op`.  MEM_NOTFOUND: no such node.  MEM_REFUSED: a fault in the text, as of mem_node_keys_make; nothing is changed. */
enum mem_status mem_node_replace(struct mem_txn *t, uint32_t ord, struct mem_str json,
    const char *op, const struct mem_word_reader *words,
    struct mem_err *err) MEM_CHECKED;

/* Takes a node out of every table of this room, with its edges; logs `op`.  Log and audit keep
 * the id.  The index is the caller's.  Its ord is never given again.  MEM_NOTFOUND: no such node. */
enum mem_status mem_node_remove(struct mem_txn *t, uint32_t ord, const char *op, const struct mem_word_reader *words,
    struct mem_err *err) MEM_CHECKED;

/* A key of table due: when, and which node. */
bool mem_due_parse(struct mem_str key, int64_t *when, uint32_t *ord);

/* Nodes by a caller's ref, newest first; `ord` of the next one before `*ord`
 * (start with UINT32_MAX).  MEM_END: no more. */
enum mem_status mem_node_by_ref(struct mem_txn *t, struct mem_str ns, struct mem_str ref,
    uint32_t *ord, struct mem_err *err) MEM_CHECKED;
/* All nodes of a namespace (by its number) whose ref begins so, and some that only begin with its first MEM_REF_PREFIX bytes. */
typedef void mem_ord_fn(void *ctx, uint32_t ord);
enum mem_status mem_nodes_ref_begins(struct mem_txn *t, uint32_t ns, struct mem_str start, mem_ord_fn *fn, void *ctx,
    struct mem_err *err) MEM_CHECKED;
enum mem_status mem_node_ref_begins(struct mem_txn *t, uint32_t ns, struct mem_str start, bool *any, struct mem_err *err) MEM_CHECKED; /* are there such? */
/* The same by a folded name and its type: of name and aliases the node's ("" where it has none), else =title, =slug,
 * =path, or of a core block =core with its block_kind.  Whoever may choose types freely may choose these, too: look at the
 * kind.  MEM_END: no more. */
enum mem_status mem_node_by_name(struct mem_txn *t, struct mem_str ns, struct mem_str type,
    struct mem_str name, uint32_t *ord, struct mem_err *err) MEM_CHECKED;
/* All nodes of a namespace that have a name of this type, in order of the names, one maybe twice. */
enum mem_status mem_nodes_of_name_type(struct mem_txn *t, uint32_t ns, struct mem_str type, mem_ord_fn *fn, void *ctx,
    struct mem_err *err) MEM_CHECKED;
/* All nodes of a namespace that have the folded name, of whatever type, in no order, one maybe twice.  A core block's kind is
 * no name. */
enum mem_status mem_nodes_named(struct mem_txn *t, uint32_t ns, struct mem_str name, mem_ord_fn *fn, void *ctx,
    struct mem_err *err) MEM_CHECKED;
/* The same of names and aliases alone, without titles, slugs and paths. */
enum mem_status mem_nodes_called(struct mem_txn *t, uint32_t ns, struct mem_str name, mem_ord_fn *fn, void *ctx,
    struct mem_err *err) MEM_CHECKED;
/* The turns of a session in order of captured_at: *at and *ord are of the last one seen (MEM_TIME_NONE and 0 to
 * begin; backwards: MEM_TIME_MAX and UINT32_MAX) and become those of the next.  MEM_END: no more. */
enum mem_status mem_node_in_session(struct mem_txn *t, struct mem_str ns, struct mem_str session_id,
    bool backwards, int64_t *at, uint32_t *ord, struct mem_err *err) MEM_CHECKED;
/*
 * The turns of sessions around many of their turns (session_turns.c), whoever may read them.  `root` is the number of the
 * namespace that the turn's is in (struct mem_ns).  Seek stands at the turn; MEM_NOTFOUND: it has no session, or was erased.
 * Step goes on to the one before or behind in the order of captured_at; MEM_END: there is none.
 */
struct mem_turns;
enum mem_status mem_turns_open(struct mem_turns **out, struct mem_txn *t, struct mem_err *err) MEM_CHECKED;
void mem_turns_close(struct mem_turns *w); /* NULL is fine */
enum mem_status mem_turns_seek(struct mem_turns *w, uint32_t root, uint32_t ord, const struct mem_attr *a, struct mem_err *err) MEM_CHECKED;
enum mem_status mem_turns_step(struct mem_turns *w, bool backwards, uint32_t *ord, struct mem_err *err) MEM_CHECKED;
/* Does the row of table sess found under this key lead to the node that it is of?  If it does not, that is noted. */
bool mem_turn_row_fits(struct mem_txn *t, struct mem_str key);

enum mem_status mem_store_rebuild_node(struct mem_txn *t, uint32_t ord, struct mem_node_keys *d,
    struct mem_err *err) MEM_CHECKED;

/* ---- ids by their beginnings (id_prefix.c) ------------------------------ */

/*
 * Only nodes that the principal may read count: a beginning of others' ids alone is unknown, and makes none ambiguous.
 */
#define MEM_ID_PREFIX_MIN 4     /* hexadecimal digits that name an id at least */
#define MEM_ID_SHORT_MIN  8     /* and that a table shows */
/*
 * The id that people mean by `text`: an id, which need not be there, or the beginning of one.  MEM_USAGE: it is neither.
 * MEM_NOTFOUND: no node has such an id.  MEM_REFUSED, reason "ambiguous": several have, and err names the first five.
 */
enum mem_status mem_id_find(struct mem_store *s, struct mem_str text, struct mem_id *out, struct mem_err *err) MEM_CHECKED;
enum mem_status mem_id_find_at(struct mem_txn *t, struct mem_str text, struct mem_id *out, struct mem_err *err) MEM_CHECKED; /* in a snapshot */
/* How many characters of the id's text tell it from all others; MEM_ID_LEN of one that is not there.  Looks at the id's
 * neighbours in table id alone, those of the same minute: its cost does not grow with the store. */
size_t mem_id_short_length(struct mem_txn *t, const struct mem_id *id);

/* ---- reading for commands --------------------------------------------- */

/* Copies that outlive their snapshot. */
struct mem_found_nodes {
	struct mem_str *json;              /* ARENA */
	size_t n;
	struct mem_arena arena;
};
void mem_found_nodes_release(struct mem_found_nodes *f);
/* By an id or its beginning.  MEM_NOTFOUND: no id (err->status is MEM_USAGE then, and err says so), unknown, or nothing that the principal may read.  MEM_REFUSED: it begins
 * several, as of mem_id_find.  MEM_DAMAGED: it is there, and damaged. */
enum mem_status mem_nodes_by_id(struct mem_store *s, struct mem_str id, struct mem_found_nodes *out,
    struct mem_err *err) MEM_CHECKED;
/* All with that ref in the namespaces named (nns 0: all visible), live ones first, newest first; damaged ones are noted.
 * MEM_NOTFOUND: there is none. */
enum mem_status mem_nodes_by_ref(struct mem_store *s, struct mem_str ref, const char *const *ns, size_t nns,
    struct mem_found_nodes *out, struct mem_err *err) MEM_CHECKED;

/* ---- counting --------------------------------------------------------- */

/* How many nodes there are of each kind in each namespace that the principal sees, in order of kind, then of number. */
struct mem_count {
	enum mem_kind kind;
	char ns[80];
	uint64_t nodes;
	int64_t oldest;                    /* created_at */
};
/* For who wants more of the same walk: each node that is counted, in order of ord. */
typedef void mem_attr_fn(void *ctx, uint32_t ord, const struct mem_attr *a);
/* That walk alone, in as many snapshots as it takes. */
enum mem_status mem_attrs_each(struct mem_store *s, mem_attr_fn *fn, void *ctx, struct mem_err *err) MEM_CHECKED;
enum mem_status mem_node_counts(struct mem_store *s, mem_attr_fn *fn /* or NULL */, void *ctx, struct mem_count **out, size_t *n,
    struct mem_err *err) MEM_CHECKED;  /* OWNS: free() */
uint64_t mem_store_bytes(const struct mem_store *s); /* of data.mdb on disk */

#endif
