/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store: one LMDB environment, its tables, and who may see what is in them.
 *
 *   finding and opening   discovery, trust, locks, settings, principal
 *   transactions          snapshots and replayable writes
 *   namespaces            which of them the principal sees
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

#define MEM_SCHEMA 3

struct mem_store;
struct mem_txn;

/* ---- finding and opening ---------------------------------------------- */

/* One value that is not what was written: what it belongs to, and what to do. */
typedef void mem_damage_fn(void *ctx, const char *message);

/* One breach of an invariant.  `check` is a word of mem-check(1). */
struct mem_breach {
	const char *check, *table;
	struct mem_str key;            /* its bytes; no address: not the caller's to see */
	const char *message;
};
typedef void mem_breach_fn(void *ctx, const struct mem_breach *b);
/* May the principal see the key, which may hold a name, a ref, an id?  Where damage lets nobody tell whose it is, operators. */
bool mem_breach_key_readable(struct mem_txn *t, const struct mem_breach *b);

struct mem_store_options {
	const char *dir;    /* -S; NULL: $MEM_STORE, the nearest .mem upward, the user's default */
	const char *agent;  /* --agent; NULL: MEM_AGENT, the store's agent:, LOGNAME, USER, uid-N */
	bool write;         /* the store must be writable */
	bool scan;          /* most of it will be read: let the kernel read ahead */
	bool every_namespace; /* --every-namespace: MEM_DENIED unless the principal is an operator */
	int64_t wait_ms;    /* for write.lock and store.lock; < 0: store.wait of the settings (10 s) */
	int64_t now;        /* ms; MEM_TIME_NONE: the clock, looked at anew each time */
	/* Told of each fault in the pages of the file, which are all read before LMDB reads a table: MEM_REFUSED when there are
	 * any, and the store is not open.  NULL: they are believed. */
	mem_breach_fn *pages;
	void *pages_ctx;
	/* With `pages` and `write`: where damaged pages hold only what is derived or counted nothing is told, and the store is open
	 * on a copy aside that begins without them (mem_store_is_aside).  MEM_FAIL: they hold something else. */
	bool mend;
	mem_damage_fn *damage; /* told of what a reader of many passes over; NULL: it is only counted */
	void *damage_ctx;
};
#define MEM_STORE_OPTIONS_INIT { .wait_ms = -1, .now = MEM_TIME_NONE }

/*
 * Opens what `options` names.  MEM_FAIL "no store here: run mem-init"; MEM_DENIED when owner, mode,
 * symlink, file system or trust forbid it, always before data.mdb is opened; MEM_BUSY
 * when a compaction holds it past the wait.  Settings of the store's own that send data or run
 * something need trust in any store, so who has one open may act on them.
 */
enum mem_status mem_store_open(struct mem_store **out, const struct mem_store_options *options,
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

const char *mem_store_path(const struct mem_store *s);
int mem_store_folder(const struct mem_store *s); /* a descriptor, BORROWED: what was checked, whatever is by now at the path */
const struct mem_conf *mem_store_conf(const struct mem_store *s);
const uint8_t *mem_store_secret(const struct mem_store *s); /* MEM_SECRET_LEN bytes */
int64_t mem_store_now(const struct mem_store *s);           /* fixed by --now, else the clock */

/*
 * Damage.  Who reads one thing gets MEM_DAMAGED, with a message that names it.  Who reads many passes over what is damaged
 * and notes it (mem_node_damage_note); it is told by options.damage, once, when the transaction has ended, and
 * counted here.  So nothing damaged is served, and it keeps nothing else from being read.
 */
uint64_t mem_store_damage_count(const struct mem_store *s);
/* Notes what an err of MEM_DAMAGED names, for whoever goes on without it. */
void mem_store_damage_note(struct mem_store *s, const struct mem_err *err);

enum mem_init_result {
	MEM_INIT_NEW,
	MEM_INIT_NEW_UNLISTED, /* made, but not listed as trusted: err says why */
	MEM_INIT_EXISTS,
	MEM_INIT_TRUSTED
};
struct mem_init_options {
	const char *dir;   /* DIR or -S; NULL: MEM_STORE, else ./.mem */
	bool user;         /* $XDG_DATA_HOME/memkit/default */
	bool trust;        /* list it, with the hash of its active settings, as trusted */
	const char *agent; /* NULL: MEM_AGENT, LOGNAME, USER, uid-N */
};
/*
 * Makes or trusts a store.  `path` gets its absolute path.  A folder that is there must be empty.  A run that was
 * killed leaves nothing that counts as a store, and the next run goes on from it.  MEM_FAIL also of a store that is
 * there and that no command could open: of another schema, say.
 */
enum mem_status mem_store_init(const struct mem_init_options *options, struct mem_buf *path,
    enum mem_init_result *result, struct mem_err *err) MEM_CHECKED;

/* ---- who asks --------------------------------------------------------- */

struct mem_principal {
	const char *agent;        /* without "agent:" */
	const char **teams;       /* without "team:", in the order of their bytes, as tasks */
	size_t nteams;
	const char **tasks;       /* without "task:" */
	size_t ntasks;
	const char *role;         /* NULL: none */
	bool is_operator;
	bool is_reviewer;         /* decides reviews: operators do, and agents of the setting reviewers */
};
const struct mem_principal *mem_store_principal(const struct mem_store *s);
/* From now on an operator sees every namespace, or only what it sees by itself: --every-namespace for a part of what a process
 * does.  Of others nothing changes.  Returns how it was, to be given back. */
bool mem_store_see_every(struct mem_store *s, bool every);
bool mem_store_sees_every(const struct mem_store *s);
/* Whose agent it is: the `owner` that config.yaml gives it, else itself.  BORROWS from the settings, or is `agent`. */
struct mem_str mem_store_agent_owner(const struct mem_store *s, struct mem_str agent);
/* The team that config.yaml gives the agent, if it is one alone; NULL: none, several, or the agent is not listed. */
const char *mem_store_only_team(const struct mem_store *s, struct mem_str agent);

enum mem_access { MEM_READ, MEM_WRITE, MEM_RESTORE, MEM_KEEP };

/* What is asked for.  Fields that a question does not touch stay NULL. */
struct mem_access_request {
	enum mem_access access;
	struct mem_str ns;        /* "agent:a", "team:t", "task:t", "global", "system" */
	struct mem_str compartment; /* of it: "domain:SLUG" and its like; grants reach these, and none are recorded yet */
};
/*
 * The one answer for every command.  Read: own agent, member teams, own tasks, global;
 * operators also system, and everything under --every-namespace.  Write: own agent,
 * member teams, own tasks; operators also global.  Restore what was exported, and keep what memkit works out itself when an
 * operator runs it: as write, operators also to system, where nobody writes by hand.
 */
bool mem_store_allows(const struct mem_store *s, const struct mem_access_request *request);
/* A well-formed namespace name: the part behind the colon is [A-Za-z0-9._-]{1,64}. */
bool mem_ns_valid(struct mem_str ns);
/* A well-formed compartment: a form of MEM_COMPARTMENTS (kind.h), a colon and [A-Za-z0-9._-]+, at most
 * MEM_COMPARTMENT_MAX bytes. */
#define MEM_COMPARTMENT_MAX 80
bool mem_compartment_valid(struct mem_str compartment);

/* ---- namespaces ------------------------------------------------------- */

/*
 * Namespaces and their compartments, each with a number of its own, which attributes, log, audit and index hold.  A
 * compartment has the name of its namespace on the wire, is read and written like it as long as nothing is granted, and
 * shares its refs, names, sessions and duplicates.
 */
struct mem_ns {
	uint32_t number;
	uint32_t root;             /* number of the namespace that it belongs to; of a namespace its own */
	char name[80];             /* of the namespace */
	char compartment[MEM_COMPARTMENT_MAX + 1]; /* "domain:SLUG"; empty: it is the namespace itself */
	uint64_t nodes;            /* indexed documents in it, without those of its compartments */
	uint64_t length;           /* their summed length in terms */
};
/* Those that the principal may read and that exist, by number. */
enum mem_status mem_ns_visible(struct mem_txn *t, struct mem_ns **out, size_t *n,
    struct mem_err *err) MEM_CHECKED;         /* OWNS: free() */
/* The namespace that a number is in, with all its compartments, whoever may read them; by number, too. */
enum mem_status mem_ns_family(struct mem_txn *t, uint32_t number, struct mem_ns **out, size_t *n,
    struct mem_err *err) MEM_CHECKED;         /* OWNS: free() */
enum mem_status mem_ns_by_number(struct mem_txn *t, uint32_t number, struct mem_ns *out,
    struct mem_err *err) MEM_CHECKED;
/*
 * Compartments in which no node is left lose their names: "domain:billing" becomes "domain:.7", with the number, which log and
 * audit go on pointing at.  One transaction, which looks at all attributes where the index has nothing of a compartment.
 */
enum mem_status mem_ns_forget_names(struct mem_store *s, struct mem_err *err) MEM_CHECKED;
/* Used by the index inside a write: adds to nodes and length. */
enum mem_status mem_ns_count(struct mem_txn *t, uint32_t number, int64_t nodes, int64_t length,
    struct mem_err *err) MEM_CHECKED;

/* ---- transactions ----------------------------------------------------- */

/* A snapshot.  At most 1 s or 1,000 records; never over output, a wait or a child. */
enum mem_status mem_txn_read(struct mem_txn **out, struct mem_store *s,
    struct mem_err *err) MEM_CHECKED;
void mem_txn_end(struct mem_txn *t);      /* ends a read; NULL is fine */
/* One more snapshot, maybe a later one, for another thread to read with beside this one; NULL: there is none to be had. */
struct mem_txn *mem_txn_open_second(const struct mem_txn *t);

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
uint64_t mem_txn_seq(struct mem_txn *t);  /* of the last change that this transaction sees */
int64_t mem_txn_now(const struct mem_txn *t); /* one time for the whole transaction */
const struct mem_store *mem_txn_store(const struct mem_txn *t);

/* Keys are big-endian, so that byte order is number order.  lib/store/tables.txt has the forms. */
enum mem_table {
	MEM_T_META, MEM_T_NS, MEM_T_ID, MEM_T_NODE, MEM_T_ATTR, MEM_T_REF, MEM_T_DUP,
	MEM_T_NAME, MEM_T_SESS, MEM_T_OUT, MEM_T_IN, MEM_T_DUE, MEM_T_LOG, MEM_T_AUDIT,
	MEM_T_TAIL, MEM_T_PEND, MEM_T_ROW, MEM_T_CODE, MEM_T_SEG, MEM_T_SEGS, MEM_T_TOMB,
	MEM_T_LOGPACK, MEM_T_AUDITPACK, MEM_T_PIECE, MEM_T_COUNT
};

/* ---- locks ------------------------------------------------------------ */

/*
 * What one process does at a time, beside what transactions lock by themselves.  None of them keeps readers out.
 *   INDEX        flushing and merging segments
 *   WRITERS      all other writers stay out over several transactions, for work that must not see anything change
 *                between them
 *   MAINTENANCE  the jobs of mem-maintain
 *   BELIEF       consolidating episodes
 *   LINKS        reading vaults
 */
enum mem_lock { MEM_LOCK_INDEX, MEM_LOCK_WRITERS, MEM_LOCK_MAINTENANCE, MEM_LOCK_BELIEF, MEM_LOCK_LINKS, MEM_LOCK_COUNT };
/*
 * MEM_BUSY: another has it past wait_ms (< 0: as long as for other locks of the store), or this store has it
 * already.  While it waits it lets go of the store, as mem_store_pause does, unless a snapshot or a transaction of `s` is
 * open.  It ends with mem_store_unlock, mem_store_close or the process.
 */
enum mem_status mem_store_lock(struct mem_store *s, enum mem_lock lock, int64_t wait_ms,
    struct mem_err *err) MEM_CHECKED;
void mem_store_unlock(struct mem_store *s, enum mem_lock lock); /* one that is not had is fine */

/* ---- copies, compaction, following ------------------------------------ */

/*
 * A copy of one snapshot without its free pages, to descriptor `fd` from its position, synced.  Readers and
 * writers go on meanwhile.  MEM_FAIL, with nothing written: its pages are damaged.
 */
enum mem_status mem_store_copy(struct mem_store *s, int fd, uint64_t *bytes,
    struct mem_err *err) MEM_CHECKED;
/* The same as a store of its own, with its settings, in the folder `dir`, which is made; it appears whole or not at all.
 * With `replace` a backup may be there: it is exchanged for the new one, once that is on disk, and then removed.  MEM_FAIL:
 * a folder is there that is no backup, or that holds other files too.  Damaged values are copied and noted, but with MEM_FAIL
 * they replace no backup.  `path` gets its absolute path. */
enum mem_status mem_store_backup(struct mem_store *s, const char *dir, bool replace, struct mem_buf *path,
    uint64_t *bytes, struct mem_err *err) MEM_CHECKED;

/*
 * Copies and renames the copy into place; nothing of what was deleted before is left in it.  Writers wait while it copies; readers only
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

/* ---- tables ----------------------------------------------------------- */

/*
 * Values of tables meta, ns, node, attr, out, in, log, audit, code and piece end in a checksum that put and append add, get and
 * mem_cursor_read verify and take off.  In ref, dup, name, pend and tomb, whose rows say all in their keys and whose values have no
 * bytes, it is one of the key.  It is there against accident (a bit that a disk or memory turned over), not against people.
 */

/* MEM_NOTFOUND: not there.  MEM_DAMAGED: not what was put. */
enum mem_status mem_tab_get(struct mem_txn *t, enum mem_table tab, struct mem_str key,
    struct mem_str *value, struct mem_err *err) MEM_CHECKED;
/* Is there such a row, damaged or not? */
bool mem_tab_has(struct mem_txn *t, enum mem_table tab, struct mem_str key);
enum mem_status mem_tab_put(struct mem_txn *t, enum mem_table tab, struct mem_str key,
    struct mem_str value, struct mem_err *err) MEM_CHECKED;
/* Puts a key that is usually the highest: pages fill to the brim.  `fresh`: MEM_EXISTS when it
 * is there. */
enum mem_status mem_tab_append(struct mem_txn *t, enum mem_table tab, struct mem_str key,
    struct mem_str value, bool fresh, struct mem_err *err) MEM_CHECKED;
/* Room for n bytes that the caller fills before its next call: no copy.  Not of a table with checksums. */
enum mem_status mem_tab_reserve(struct mem_txn *t, enum mem_table tab, struct mem_str key,
    size_t n, void **room, struct mem_err *err) MEM_CHECKED;
enum mem_status mem_tab_del(struct mem_txn *t, enum mem_table tab, struct mem_str key,
    struct mem_err *err) MEM_CHECKED;                          /* MEM_NOTFOUND: was not there */
uint64_t mem_tab_count(struct mem_txn *t, enum mem_table tab);
/*
 * n bytes at `at`, inside a value of this transaction, by a read of the file in place of the map where that
 * can be: a row here and there costs a microsecond, and half of what a page fault does.
 */
enum mem_status mem_txn_pread(struct mem_txn *t, const void *at, void *out, size_t n,
    struct mem_err *err) MEM_CHECKED;
/* All of a value is about to be read: has the kernel fetch it in one piece where it is not in memory, which on a
 * store opened without `scan` it else does page by page. */
void mem_txn_prefetch(struct mem_txn *t, struct mem_str value);

struct mem_cursor;
enum mem_status mem_cursor_open(struct mem_cursor **out, struct mem_txn *t,
    enum mem_table tab, struct mem_err *err) MEM_CHECKED;
void mem_cursor_close(struct mem_cursor *c);
/* First key >= `key`; n 0 is the first of all.  MEM_END, of the next three too: there is none. */
enum mem_status mem_cursor_seek(struct mem_cursor *c, struct mem_str key, struct mem_err *err) MEM_CHECKED;
enum mem_status mem_cursor_next(struct mem_cursor *c, struct mem_err *err) MEM_CHECKED;
enum mem_status mem_cursor_prev(struct mem_cursor *c, struct mem_err *err) MEM_CHECKED;
enum mem_status mem_cursor_last(struct mem_cursor *c, struct mem_err *err) MEM_CHECKED;
struct mem_str mem_cursor_key(const struct mem_cursor *c);   /* BORROWS until the next call */
struct mem_str mem_cursor_value(const struct mem_cursor *c); /* not of a table with checksums */
/* The value of any table.  MEM_DAMAGED: it is not what was put; the cursor can go on. */
enum mem_status mem_cursor_read(const struct mem_cursor *c, struct mem_str *value, struct mem_err *err) MEM_CHECKED;
/* Is the row at hand what was put? */
bool mem_cursor_sound(const struct mem_cursor *c);

/* ---- space ------------------------------------------------------------ */

/* Bytes of data.mdb in use or waiting to be used again, and the latter alone. */
struct mem_space {
	uint64_t file, free;
};
enum mem_status mem_store_space(struct mem_txn *t, struct mem_space *out,
    struct mem_err *err) MEM_CHECKED;

/* ---- checking and repair ---------------------------------------------- */

/* Folds a name as it is looked up, appended. */
typedef void mem_fold_fn(struct mem_buf *out, struct mem_str text);

/* What ranking wants to know of an episode's words, as struct mem_attr keeps it. */
#define MEM_ATTR_DAYS 3
struct mem_word_marks {
	uint8_t flags;                         /* MEM_ATTR_HAS_QUESTION to MEM_ATTR_CAPITALS */
	struct mem_day_span days[MEM_ATTR_DAYS];
};
/* `captured_at` MEM_TIME_NONE: not known, so that its words mean no days. */
typedef void mem_mark_fn(void *ctx, struct mem_word_marks *out, struct mem_str content, struct mem_str speaker, struct mem_str listener,
    int64_t captured_at);

/* How to read words, of which this room knows nothing; write/entry.h has the one that writers use. */
struct mem_word_reader {
	mem_fold_fn *fold;     /* NULL: names are not wanted */
	mem_mark_fn *mark;     /* NULL: nor are marks */
	void *ctx;             /* of mark */
};

/*
 * Every invariant among the tables of this room: each node with its attributes, id, rows and log; nothing
 * that belongs to no node; both ways of each edge; no gap in log and audit; counters ahead of
 * all that they count.  What only follows from another breach is not told.  `words` is that of the writers.
 */
enum mem_status mem_store_check(struct mem_txn *t, const struct mem_word_reader *words, mem_breach_fn *fn, void *ctx,
    struct mem_err *err) MEM_CHECKED;

/*
 * A copy of the data aside, for what must be done as a whole or not at all: from begin to end all transactions of `s` are
 * on the copy, which then takes the place of the data, or is thrown away.  Others read what was there before; killed, or on a
 * full disk, all is as before.  Takes as much disk as the store.  With MEM_LOCK_WRITERS and without a snapshot.
 */
enum mem_status mem_store_aside_begin(struct mem_store *s, struct mem_err *err) MEM_CHECKED;
/* Has it begun?  By mem_store_aside_begin, or as the store was opened, with MEM_LOCK_WRITERS. */
bool mem_store_is_aside(const struct mem_store *s);
/* After MEM_OK of begin.  `keep`: MEM_BUSY when others hold the store open past the wait.  Nothing is changed unless this is MEM_OK. */
enum mem_status mem_store_aside_end(struct mem_store *s, bool keep, struct mem_err *err) MEM_CHECKED;

/*
 * Rebuilding all that is derived from nodes, out, log and audit.  begin empties the derived
 * tables and sets the counters right; then every node that has a readable text is put
 * once, then end is called.  All of it is done aside, since until the end not all is found.  Older versions did it in place:
 * where that was broken off readers note it as damage, and writers get MEM_FAIL.
 */
enum mem_status mem_store_rebuild_begin(struct mem_txn *t, struct mem_err *err) MEM_CHECKED;
void mem_store_rebuild_end(struct mem_txn *t);
/* MEM_FAIL: one of those is broken off; for who neither reads nor writes nodes, and would not notice. */
enum mem_status mem_store_check_repair(struct mem_store *s, struct mem_err *err) MEM_CHECKED;

#endif
