/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store: one LMDB environment, its tables, and who may see what is in them.
 *
 *   finding and opening   discovery, trust, locks, settings, principal
 *   transactions          snapshots and replayable writes
 *   nodes                 the JSON text is the truth; all else is derived from it
 *   edges, log, audit     typed links; the change feed; why things happened
 *   authority             one function says who may read and write
 *   tables                the raw key-value room the index builds on
 *
 * mem-store files: data.mdb lock.mdb config.yaml store.gate store.lock write.lock
 * wake .gitignore, in a folder of the caller's own with mode 0700.
 */
#ifndef MEM_STORE_H
#define MEM_STORE_H

#include "base/base.h"
#include "conf/conf.h"
#include "record/record.h"

#define MEM_SCHEMA 1

struct mem_store;
struct mem_txn;

/* ---- finding and opening ---------------------------------------------- */

struct mem_store_ask {
	const char *dir;    /* -S; NULL: $MEM_STORE, the nearest .mem upward, the user's default */
	const char *agent;  /* --agent; NULL: MEM_AGENT, the store's agent:, LOGNAME, USER, uid-N */
	bool write;         /* the store must be writable */
	bool scan;          /* most of it will be read: let the kernel read ahead */
	bool every_namespace; /* --every-namespace: MEM_DENIED unless the principal is an operator */
	int64_t wait_ms;    /* for write.lock and store.lock; < 0: store.wait of the settings (10 s) */
	int64_t now;        /* ms; MEM_TIME_NONE: the clock, looked at anew each time */
};
#define MEM_STORE_ASK_INIT { .wait_ms = -1, .now = MEM_TIME_NONE }

/*
 * Opens what `ask` names.  MEM_FAIL "no store here: run mem-init"; MEM_DENIED when owner, mode,
 * symlink, file system or trust forbid it, always before data.mdb is opened; MEM_BUSY
 * when a compaction holds it past the wait.  Settings of the store's own that send data or run
 * something need trust in any store, so who has one open may act on them.
 */
enum mem_status mem_store_open(struct mem_store **out, const struct mem_store_ask *ask,
    struct mem_err *err) MEM_CHECKED;
void mem_store_close(struct mem_store *s);

/*
 * The settings alone, for filters that need no data: those of the store that `dir` or, where it is NULL, the
 * search finds, under the same conditions of owner and trust; without a store, the user's.
 */
enum mem_status mem_store_settings(struct mem_conf **out, const char *dir, struct mem_err *err) MEM_CHECKED;

/* Lets go of store.lock and the map until the next transaction, which takes them
 * again: a process that waits for input or events must not hold up a compaction. */
void mem_store_pause(struct mem_store *s);

/*
 * Housekeeping that one process does at a time.  MEM_BUSY at once when another is at it.
 * `handle` ends it, as does the end of the process.
 */
enum mem_duty { MEM_DUTY_INDEX, MEM_DUTY_EMBED, MEM_DUTY_MAINTAIN };
enum mem_status mem_store_duty_begin(struct mem_store *s, enum mem_duty duty, int *handle,
    struct mem_err *err) MEM_CHECKED;
void mem_store_duty_end(int handle);      /* < 0 is fine */

const char *mem_store_path(const struct mem_store *s);
const struct mem_conf *mem_store_conf(const struct mem_store *s);
const uint8_t *mem_store_secret(const struct mem_store *s); /* MEM_SECRET_LEN bytes */
int64_t mem_store_now(const struct mem_store *s);           /* fixed by --now, else the clock */

enum mem_init_result {
	MEM_INIT_NEW,
	MEM_INIT_NEW_UNLISTED, /* made, but not listed as trusted: err says why */
	MEM_INIT_EXISTS,
	MEM_INIT_TRUSTED
};
struct mem_init_ask {
	const char *dir;   /* DIR or -S; NULL: MEM_STORE, else ./.mem */
	bool user;         /* $XDG_DATA_HOME/memkit/default */
	bool trust;        /* list it, with the hash of its active settings, as trusted */
	const char *agent; /* NULL: MEM_AGENT, LOGNAME, USER, uid-N */
};
/*
 * Makes or trusts a store.  `path` gets its absolute path.  A folder that is there must be empty.  A run that was
 * killed leaves nothing that counts as a store, and the next run goes on from it.
 */
enum mem_status mem_store_init(const struct mem_init_ask *ask, struct mem_buf *path,
    enum mem_init_result *result, struct mem_err *err) MEM_CHECKED;

/* ---- who asks --------------------------------------------------------- */

struct mem_principal {
	const char *agent;        /* without "agent:" */
	const char **teams;       /* without "team:" */
	size_t nteams;
	const char **tasks;       /* without "task:" */
	size_t ntasks;
	const char *role;         /* NULL: none */
	bool is_operator;
};
const struct mem_principal *mem_store_principal(const struct mem_store *s);

enum mem_access { MEM_READ, MEM_WRITE };

/* What is asked for.  Fields that a question does not touch stay NULL. */
struct mem_ask {
	enum mem_access access;
	struct mem_str ns;        /* "agent:a", "team:t", "task:t", "global", "system" */
	const char *domain, *pool, *context; /* grants reach these; none are recorded yet */
};
/*
 * The one answer for every command.  Read: own agent, member teams, own tasks, global;
 * operators also system, and everything under --every-namespace.  Write: own agent,
 * member teams, own tasks; operators also global and system.
 */
bool mem_store_allows(const struct mem_store *s, const struct mem_ask *ask);
/* A well-formed namespace name: the part behind the colon is [A-Za-z0-9._-]{1,64}. */
bool mem_ns_valid(struct mem_str ns);

/* ---- transactions ----------------------------------------------------- */

/* A snapshot.  At most 1 s or 1,000 records; never over output, a wait or a child. */
enum mem_status mem_txn_read(struct mem_txn **out, struct mem_store *s,
    struct mem_err *err) MEM_CHECKED;
void mem_txn_end(struct mem_txn *t);      /* ends a read; NULL is fine */
/* One more snapshot, maybe a later one, for another thread to read with beside this one; NULL: there is none to be had. */
struct mem_txn *mem_txn_twin(const struct mem_txn *t);

/*
 * One write transaction around fn, which may run again from the start (the map was full and has grown),
 * so it changes nothing outside the transaction that a second run does not set
 * again.  fn computes nothing slow, spawns nothing, writes to no pipe.  When it returns other than
 * MEM_OK nothing is kept.  After the commit (synced) `wake` is written.
 * MEM_BUSY: "busy: process N is writing" once the wait is over.
 */
typedef enum mem_status mem_write_fn(struct mem_txn *t, void *ctx, struct mem_err *err);
enum mem_status mem_store_write(struct mem_store *s, mem_write_fn *fn, void *ctx,
    struct mem_err *err) MEM_CHECKED;
/* The same without waiting at all: MEM_BUSY at once (--touch, housekeeping). */
enum mem_status mem_store_try_write(struct mem_store *s, mem_write_fn *fn, void *ctx,
    struct mem_err *err) MEM_CHECKED;
/* Keeps all other writers out over several transactions, for work that must not see
 * anything change between them.  Readers go on. */
enum mem_status mem_store_hold(struct mem_store *s, struct mem_err *err) MEM_CHECKED;
void mem_store_unhold(struct mem_store *s);
/* The lock of maintenance, beside the others and independent of them: kept until the store is
 * closed.  MEM_BUSY when another process keeps it past wait_ms (< 0: as for other locks). */
enum mem_status mem_store_lock_task(struct mem_store *s, int64_t wait_ms,
    struct mem_err *err) MEM_CHECKED;
uint64_t mem_txn_seq(struct mem_txn *t);  /* of the last change that this transaction sees */
int64_t mem_txn_now(const struct mem_txn *t); /* one time for the whole transaction */

/* Keys are big-endian, so that byte order is number order.  lib/store/tables.txt has the forms. */
enum mem_table {
	MEM_T_META, MEM_T_NS, MEM_T_ID, MEM_T_NODE, MEM_T_ATTR, MEM_T_REF, MEM_T_DUP,
	MEM_T_NAME, MEM_T_SESS, MEM_T_OUT, MEM_T_IN, MEM_T_DUE, MEM_T_LOG, MEM_T_AUDIT,
	MEM_T_TAIL, MEM_T_PEND, MEM_T_ROW, MEM_T_CODE, MEM_T_SEG, MEM_T_SEGS, MEM_T_TOMB, MEM_T_COUNT
};

/* ---- copies, compaction, following ------------------------------------ */

/*
 * A copy of one snapshot without its free pages, to descriptor `fd` from its position, synced.  Readers and
 * writers go on meanwhile.
 */
enum mem_status mem_store_copy(struct mem_store *s, int fd, uint64_t *bytes,
    struct mem_err *err) MEM_CHECKED;
/* The same as a store of its own, with its settings, in the folder `dir`, which is made and
 * must not be there; it appears whole or not at all.  `path` gets its absolute path. */
enum mem_status mem_store_backup(struct mem_store *s, const char *dir, struct mem_buf *path,
    uint64_t *bytes, struct mem_err *err) MEM_CHECKED;

/*
 * Copies and renames the copy into place.  Writers wait while it copies; readers only
 * for the rename, which needs the store alone: MEM_BUSY when others hold it past the wait (at most 5 s of it, since
 * nobody can open the store meanwhile).  No snapshot of `s` may be open.
 */
enum mem_status mem_store_compact(struct mem_store *s, uint64_t *before, uint64_t *after,
    struct mem_err *err) MEM_CHECKED;

/*
 * Waits for commits of other processes.  Read the log to its end, mem_store_pause, wait, read
 * again: a commit between reading and waiting ends the wait at once, since the watch began
 * before.  Where the system gives no watch, waiting just takes its time.
 */
struct mem_watch;
struct mem_watch *mem_watch_new(const struct mem_store *s); /* OWNS */
void mem_watch_free(struct mem_watch *w);
/* At most timeout_ms; ends early when something was committed or `other_fd` (-1: none) can be read. */
void mem_watch_wait(struct mem_watch *w, int timeout_ms, int other_fd);

/* ---- nodes ------------------------------------------------------------ */

enum mem_kind {
	MEM_KIND_NONE, MEM_KIND_EPISODE, MEM_KIND_FACT, MEM_KIND_CORE, MEM_KIND_ENTITY,
	MEM_KIND_NOTE, MEM_KIND_LEARNING, MEM_KIND_SKILL, MEM_KIND_BAD_PATTERN,
	MEM_KIND_PAGE, MEM_KIND_TAG, MEM_KIND_CONTEXT, MEM_KIND_ENTRY, MEM_KIND_POOL,
	MEM_KIND_KB, MEM_KIND_DOCUMENT, MEM_KIND_CHUNK, MEM_KIND_REVIEW, MEM_KIND_CONFLICT,
	MEM_KIND_POLICY, MEM_KIND_DOMAIN, MEM_KIND_GRANT, MEM_KIND_PROPOSAL, MEM_KIND_WORK,
	MEM_KIND_GOAL, MEM_KIND_OBSERVATION, MEM_KIND_ESCALATION, MEM_KIND_AGENT,
	MEM_KIND_TEAM, MEM_KIND_SESSION, MEM_KIND_PROMOTION, MEM_KIND_COUNT
};
const char *mem_kind_name(enum mem_kind k);
enum mem_kind mem_kind_parse(struct mem_str s);          /* MEM_KIND_NONE: no such kind */
/* Kinds a search looks at unless asked otherwise, as bits 1 << kind. */
uint32_t mem_kind_searched(void);

enum mem_role { MEM_ROLE_NONE, MEM_ROLE_USER, MEM_ROLE_ASSISTANT, MEM_ROLE_TOOL, MEM_ROLE_EVENT };
const char *mem_role_name(enum mem_role r);              /* MEM_ROLE_NONE: NULL */
enum mem_role mem_role_parse(struct mem_str s);

enum mem_node_status { MEM_STATUS_ACTIVE, MEM_STATUS_SUPERSEDED, MEM_STATUS_QUARANTINED,
	MEM_STATUS_ARCHIVED, MEM_STATUS_OTHER };

/* What ranking and filters read without parsing: fixed size, host byte order
 * (meta records it).  Derived from the node's text; mem-check compares.  Packed, since LMDB aligns
 * values to two bytes only and it is read in place. */
struct mem_attr {
	struct mem_id id;
	int64_t created_at, captured_at;      /* captured_at falls back on created_at */
	int64_t expired_at, expires_at;       /* MEM_TIME_NONE: not */
	int64_t valid_from, valid_to;
	int64_t last_access;
	uint32_t ns;                          /* number in table ns */
	uint32_t session;                     /* mem_session_number; 0: none */
	uint32_t access_count;
	float importance, trust, confidence;
	uint8_t kind, role, status, pinned;
} __attribute__((packed, aligned(2)));

/* A node as stored.  BORROWS from the snapshot. */
struct mem_node {
	uint32_t ord;              /* position in commit order; never on the wire */
	const struct mem_attr *attr;
	struct mem_str json;
};
enum mem_status mem_node_by_id(struct mem_txn *t, const struct mem_id *id,
    struct mem_node *out, struct mem_err *err) MEM_CHECKED;      /* MEM_NONE: unknown */
enum mem_status mem_node_at(struct mem_txn *t, uint32_t ord,
    struct mem_node *out, struct mem_err *err) MEM_CHECKED;
enum mem_status mem_attr_at(struct mem_txn *t, uint32_t ord,
    const struct mem_attr **out, struct mem_err *err) MEM_CHECKED;
/* Live (not forgotten, not expired, not superseded, not archived) at `now`? */
bool mem_attr_live(const struct mem_attr *a, int64_t now);
/* May the principal read it?  An unseen node is the same as an unknown one. */
bool mem_node_readable(struct mem_txn *t, const struct mem_attr *a);

/* What attr.session holds for a session_id: never 0.  Keyed by the store's secret. */
uint32_t mem_session_number(const struct mem_store *s, struct mem_str session_id);

/*
 * Everything the store derives from a node's text, worked out before the lock is
 * taken; writers, import, check and repair all use it, so they cannot disagree.
 *
 * Read from the text: id, kind, ns, created_at; captured_at, expired_at, expires_at, valid_from,
 * valid_to, last_access (RFC 3339 or null); session_id, ref, role, status; access_count, importance,
 * trust, confidence, pinned; of an episode also content (for dup); of other kinds name or, where
 * it differs from name in ASCII lower case, name_key, with type before it.  A known field
 * with a value of the wrong form is MEM_NONE with bad_value or bad_time.
 *
 * With `fresh` the 36 characters of id and the 24 of created_at are placeholders in writable memory, which
 * mem_node_add fills in place.
 */
#define MEM_REF_PREFIX    32
#define MEM_REF_KEY_MAX   (MEM_REF_PREFIX + 8)
#define MEM_NAME_PREFIX   300
#define MEM_NAME_TYPE_MAX 64
#define MEM_NAME_KEY_MAX  (MEM_NAME_TYPE_MAX + 1 + MEM_NAME_PREFIX + 1 + 16)
struct mem_draft {
	struct mem_str json;       /* BORROWS */
	char *fill_id, *fill_created; /* inside json; NULL unless fresh */
	struct mem_attr attr;      /* ns is filled when added; when fresh, id and created_at too */
	struct mem_str ns;         /* BORROWS from json */
	uint64_t session;          /* keyed hash of session_id; 0: none */
	bool has_captured, has_dup;
	struct mem_hash dup;       /* of ns, session, role, ref and content */
	int64_t due;               /* expires_at unless forgotten already, or MEM_TIME_NONE */
	uint16_t ref_len, name_len; /* 0: none */
	uint8_t ref_key[MEM_REF_KEY_MAX], name_key[MEM_NAME_KEY_MAX];
};
enum mem_status mem_draft_make(struct mem_draft *d, const struct mem_store *s,
    const struct mem_rec *node, bool fresh, struct mem_err *err) MEM_CHECKED;

/* The rows of tables ref, dup, name, sess and due that belong to a node (attr.ns known). */
#define MEM_DRAFT_ROWS 5
struct mem_draft_row {
	enum mem_table table;
	uint16_t len;
	uint8_t key[4 + MEM_NAME_KEY_MAX + 4];
	struct mem_str value;
};
size_t mem_draft_rows(const struct mem_draft *d, uint32_t ord, struct mem_draft_row rows[MEM_DRAFT_ROWS]);

/* The live node with the same namespace, session, role, ref and text; MEM_NONE: there is none. */
enum mem_status mem_node_duplicate(struct mem_txn *t, const struct mem_draft *d,
    struct mem_node *out, struct mem_err *err) MEM_CHECKED;
/* Numbers it and writes every table of the store room and the log; `op` "new" or "import".
 * The same id already there: MEM_NONE (fresh ids never are). */
enum mem_status mem_node_add(struct mem_txn *t, struct mem_draft *d, const char *op,
    uint32_t *ord, struct mem_err *err) MEM_CHECKED;
/* Replaces the text (same id, kind and ns, else MEM_FAIL); attr and all rows follow; logs `op`. */
enum mem_status mem_node_replace(struct mem_txn *t, uint32_t ord, struct mem_str json,
    const char *op, struct mem_err *err) MEM_CHECKED;

/* Takes a node out of every table of this room, with its edges; logs `op`.  Log and audit keep
 * the id.  The index is the caller's.  Its ord is never given again. */
enum mem_status mem_node_remove(struct mem_txn *t, uint32_t ord, const char *op,
    struct mem_err *err) MEM_CHECKED;

/* A key of table due: when, and which node. */
bool mem_due_parse(struct mem_str key, int64_t *when, uint32_t *ord);

/* Nodes by a caller's ref, newest first; `ord` of the next one before `*ord`
 * (start with UINT32_MAX).  MEM_NONE: no more. */
enum mem_status mem_node_by_ref(struct mem_txn *t, struct mem_str ns, struct mem_str ref,
    uint32_t *ord, struct mem_err *err) MEM_CHECKED;
/* The same by name and type ("" where there is none), folded as the writer of the node folded it. */
enum mem_status mem_node_by_name(struct mem_txn *t, struct mem_str ns, struct mem_str type,
    struct mem_str name, uint32_t *ord, struct mem_err *err) MEM_CHECKED;
/* The turns of a session in order of captured_at: *at and *ord are of the last one seen (MEM_TIME_NONE and 0 to
 * begin; backwards: MEM_TIME_MAX and UINT32_MAX) and become those of the next. */
enum mem_status mem_node_in_session(struct mem_txn *t, struct mem_str ns, struct mem_str session_id,
    bool backwards, int64_t *at, uint32_t *ord, struct mem_err *err) MEM_CHECKED;

/* Namespaces that the principal may read and that exist, with what ranking needs. */
struct mem_ns {
	uint32_t number;
	char name[80];
	uint64_t nodes;            /* indexed documents in it */
	uint64_t length;           /* their summed length in terms */
};
enum mem_status mem_ns_visible(struct mem_txn *t, struct mem_ns **out, size_t *n,
    struct mem_err *err) MEM_CHECKED;         /* OWNS: free() */
enum mem_status mem_ns_by_number(struct mem_txn *t, uint32_t number, struct mem_ns *out,
    struct mem_err *err) MEM_CHECKED;
/* Used by the index inside a write: adds to nodes and length. */
enum mem_status mem_ns_count(struct mem_txn *t, uint32_t number, int64_t nodes, int64_t length,
    struct mem_err *err) MEM_CHECKED;

/* ---- reading for commands --------------------------------------------- */

/* Copies that outlive their snapshot. */
struct mem_found_nodes {
	struct mem_str *json;              /* ARENA */
	size_t n;
	struct mem_arena arena;
};
void mem_found_release(struct mem_found_nodes *f);
/* MEM_NONE: no id, unknown, or nothing that the principal may read. */
enum mem_status mem_nodes_by_id(struct mem_store *s, struct mem_str id, struct mem_found_nodes *out,
    struct mem_err *err) MEM_CHECKED;
/* All with that ref in the namespaces named (nns 0: all visible), live ones first, newest first. */
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
enum mem_status mem_node_counts(struct mem_store *s, struct mem_count **out, size_t *n,
    struct mem_err *err) MEM_CHECKED;  /* OWNS: free() */
uint64_t mem_store_bytes(const struct mem_store *s); /* of data.mdb on disk */

/* ---- edges ------------------------------------------------------------ */

struct mem_edge {
	uint32_t from, to;         /* ords */
	uint16_t kind;             /* number of the name in meta: names are open */
	uint64_t seq;              /* of its last change: export goes by it */
	struct mem_str json;       /* {"edge":kind,"from":id,"to":id,…} exactly as exported */
};
/* Adds or replaces the edge (from, kind, to); written to tables out and in, and logged as "edge"
 * under its source's id. */
enum mem_status mem_edge_put(struct mem_txn *t, const char *kind, uint32_t from, uint32_t to,
    struct mem_str json, struct mem_err *err) MEM_CHECKED;
enum mem_status mem_edge_remove(struct mem_txn *t, const char *kind, uint32_t from, uint32_t to,
    struct mem_err *err) MEM_CHECKED;  /* MEM_NONE: was not there */
enum mem_status mem_edge_kind_name(struct mem_txn *t, uint16_t kind, struct mem_str *out,
    struct mem_err *err) MEM_CHECKED;  /* BORROWS from the snapshot */
/* Edges leaving (`out`) or entering a node, in key order; fn returns false to stop. */
typedef bool mem_edge_fn(void *ctx, const struct mem_edge *e);
enum mem_status mem_edge_each(struct mem_txn *t, uint32_t ord, bool out, mem_edge_fn *fn,
    void *ctx, struct mem_err *err) MEM_CHECKED;

/* ---- log and audit ---------------------------------------------------- */

/* One change: never content. */
struct mem_log_row {
	uint64_t seq;
	char op[16];
	struct mem_id id;
	uint32_t ns;
	uint8_t kind;
	int64_t at;
};
/* Rows with seq > *after that the principal may see, at most `max`; *after moves on
 * past the unseen too.  Rows are written by mem_node_add, mem_node_replace and mem_log_put. */
enum mem_status mem_log_put(struct mem_txn *t, const char *op, const struct mem_id *id,
    uint32_t ns, enum mem_kind kind, struct mem_err *err) MEM_CHECKED;
enum mem_status mem_log_read(struct mem_txn *t, uint64_t *after, struct mem_log_row *rows,
    size_t max, size_t *n, struct mem_err *err) MEM_CHECKED;

/* As mem-log prints it, without a newline. */
void mem_log_row_json(struct mem_buf *out, const struct mem_log_row *row, const char *ns);

/* One audited event; kind is a word of mem-records(5) (capture, namespace_denied, …). */
struct mem_audit_row {
	uint64_t seq;
	struct mem_str kind, actor, reason, ns;  /* reason may be empty */
	struct mem_id subject;                   /* all zero: none */
	int64_t at;                              /* set by put: the transaction's time */
	struct mem_str detail;                   /* a JSON object, or empty; never content */
};
enum mem_status mem_audit_put(struct mem_txn *t, const struct mem_audit_row *row,
    struct mem_err *err) MEM_CHECKED;
/* As mem_log_read; strings live in `arena`. */
enum mem_status mem_audit_read(struct mem_txn *t, uint64_t *after, struct mem_arena *arena,
    struct mem_audit_row *rows, size_t max, size_t *n, struct mem_err *err) MEM_CHECKED;
bool mem_audit_has_subject(const struct mem_audit_row *row);
/* As mem-audit prints it, without a newline. */
void mem_audit_row_json(struct mem_buf *out, const struct mem_audit_row *row);

/* ---- tables ----------------------------------------------------------- */

enum mem_status mem_tab_get(struct mem_txn *t, enum mem_table tab, struct mem_str key,
    struct mem_str *value, struct mem_err *err) MEM_CHECKED;   /* MEM_NONE: not there */
enum mem_status mem_tab_put(struct mem_txn *t, enum mem_table tab, struct mem_str key,
    struct mem_str value, struct mem_err *err) MEM_CHECKED;
/* Puts a key that is usually the highest: pages fill to the brim.  `fresh`: MEM_NONE when it
 * is there. */
enum mem_status mem_tab_append(struct mem_txn *t, enum mem_table tab, struct mem_str key,
    struct mem_str value, bool fresh, struct mem_err *err) MEM_CHECKED;
/* Room for n bytes that the caller fills before its next call: no copy. */
enum mem_status mem_tab_reserve(struct mem_txn *t, enum mem_table tab, struct mem_str key,
    size_t n, void **room, struct mem_err *err) MEM_CHECKED;
enum mem_status mem_tab_del(struct mem_txn *t, enum mem_table tab, struct mem_str key,
    struct mem_err *err) MEM_CHECKED;                          /* MEM_NONE: was not there */
uint64_t mem_tab_count(struct mem_txn *t, enum mem_table tab);
/*
 * n bytes at `at`, inside a value of this transaction, by a read of the file in place of the map where that
 * can be: a row here and there costs a microsecond, and half of what a page fault does.
 */
enum mem_status mem_txn_pread(struct mem_txn *t, const void *at, void *out, size_t n,
    struct mem_err *err) MEM_CHECKED;
/* All of a value is about to be read: has the kernel fetch it in one piece where it is not in memory, which on a
 * store opened without `scan` it else does page by page. */
void mem_txn_ahead(struct mem_txn *t, struct mem_str value);

struct mem_cursor;
enum mem_status mem_cursor_open(struct mem_cursor **out, struct mem_txn *t,
    enum mem_table tab, struct mem_err *err) MEM_CHECKED;
void mem_cursor_close(struct mem_cursor *c);
/* First key >= `key`; n 0 is the first of all. MEM_NONE: no more. */
enum mem_status mem_cursor_seek(struct mem_cursor *c, struct mem_str key, struct mem_err *err) MEM_CHECKED;
enum mem_status mem_cursor_next(struct mem_cursor *c, struct mem_err *err) MEM_CHECKED;
enum mem_status mem_cursor_prev(struct mem_cursor *c, struct mem_err *err) MEM_CHECKED;
enum mem_status mem_cursor_last(struct mem_cursor *c, struct mem_err *err) MEM_CHECKED;
struct mem_str mem_cursor_key(const struct mem_cursor *c);   /* BORROWS until the next call */
struct mem_str mem_cursor_value(const struct mem_cursor *c);

/* ---- space ------------------------------------------------------------ */

/* Bytes of data.mdb in use or waiting to be used again, and the latter alone. */
struct mem_space {
	uint64_t file, free;
};
enum mem_status mem_store_space(struct mem_txn *t, struct mem_space *out,
    struct mem_err *err) MEM_CHECKED;

/* ---- checking and repair ---------------------------------------------- */

/* One breach of an invariant.  `check` is a word of mem-check(1). */
struct mem_breach {
	const char *check, *table;
	struct mem_str key;            /* its bytes */
	const char *message;
};
typedef void mem_breach_fn(void *ctx, const struct mem_breach *b);
/*
 * Every invariant among the tables of this room: each node with its attributes, id, rows and log; nothing
 * that belongs to no node; both ways of each edge; no gap in log and audit; counters ahead of
 * all that they count.  What only follows from another breach is not told.
 */
enum mem_status mem_store_check(struct mem_txn *t, mem_breach_fn *fn, void *ctx,
    struct mem_err *err) MEM_CHECKED;

/*
 * Rebuilding all that is derived from nodes, out, log and audit.  begin empties the derived
 * tables and sets the counters right; then every node that has a readable text is put
 * once.  Between the transactions the store is whole but not complete: a run that
 * was killed is simply run again.
 */
enum mem_status mem_store_rebuild_begin(struct mem_txn *t, struct mem_err *err) MEM_CHECKED;
enum mem_status mem_store_rebuild_node(struct mem_txn *t, uint32_t ord, struct mem_draft *d,
    struct mem_err *err) MEM_CHECKED;

#endif
