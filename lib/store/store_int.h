/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of the store room: what its files share and nobody else sees.
 */
#ifndef MEM_STORE_INT_H
#define MEM_STORE_INT_H

#include <lmdb.h>
#include <sys/stat.h>

#include "store/attr_ahead_int.h"
#include "store/store.h"
#include "store/node.h"
#include "store/page_tree.h"

#define STORE_DATA_FILE  "data.mdb"
#define STORE_LMDB_LOCK_FILE  "lock.mdb"
#define STORE_GATE_FILE  "store.gate"
#define STORE_LOCK_FILE "store.lock"
#define STORE_WRITE_LOCK_FILE "write.lock"
#define STORE_WAKE_FILE  "wake"
#define STORE_MAINTAIN_LOCK_FILE "maintain.lock"
/* A copy that takes the place of data.mdb once it is right, made under write.lock; LMDB's locks of it. */
#define STORE_FRESH_FILE "data.mdb.new"
#define STORE_FRESH_LOCK_FILE "data.mdb.new-lock"

/* Numbers that every change moves; one value in table meta, host byte order. */
struct store_counters {
	uint64_t seq;          /* of the last change in the log */
	uint64_t audit_seq;    /* of the last row of the audit */
	int64_t id_ms;         /* of the last id given here */
	uint32_t next_ord;
	uint32_t next_ns;      /* from 1 */
	uint16_t id_counter;
	uint16_t next_edge;    /* from 1 */
	uint32_t repairing;    /* 1: what is derived is not all there, since a repair is under way or was broken off */
};

/* First value in table meta.  The mark reads 0x01020304 on the machine that made it. */
struct store_format_mark {
	char magic[8];
	uint32_t mark;
	uint32_t schema;
};

/* Damage that readers passed over. */
struct store_damage {
	mem_damage_fn *fn;      /* NULL: it is only counted */
	void *ctx;
	uint64_t count;
	struct mem_buf lines;   /* messages that are not told yet, each with a zero byte behind it */
	uint8_t *told;          /* bits by ord */
	size_t ntold, told_cap;
	bool ns_told, repair_told;
};

/* Who holds what of one store in this process.  One thread, and one struct
 * mem_store a store: LMDB forbids to open the same file twice. */
struct mem_store {
	int dirfd;
	char *path;             /* absolute, without symbolic links */
	bool write, every_namespace, scan;
	bool readonly_fs;       /* no locks can be taken there, and none are needed */
	int64_t wait_ms, now;
	struct mem_conf *conf;
	struct mem_principal who;
	struct mem_arena arena; /* of `who` */
	uint8_t secret[MEM_SECRET_LEN];
	struct store_damage damage;
	mem_breach_fn *pages_fn; /* NULL: pages are believed, or were looked at */
	void *pages_ctx;
	bool mend;

	/* From here: while it is open, and not paused. */
	MDB_env *env;
	size_t page_size;
	const char *map_start;  /* NULL: where the map begins is not known for certain */
	struct mem_mapped map;  /* as a handler of faults sees it; at NULL: where it begins is not known */
	MDB_dbi dbi[MEM_T_COUNT]; /* 0: a table that is not there yet */
	int lock_fd;            /* store.lock, shared */
	int write_fd, wake_fd;  /* opened at the first write, and kept */
	uint32_t *write_word;   /* the first bytes of write.lock, read-only */
	int lock_fds[MEM_LOCK_COUNT]; /* of the locks that last as long as a descriptor; -1: not ours */
	unsigned snapshots, pages_ahead; /* reads that have not ended; pages that mem_attrs_read_ahead has read */
	bool writing;
	bool held;              /* write.lock is ours over several transactions */
	bool aside;             /* what is opened is STORE_FRESH_FILE, which nobody else has */
	bool grow;              /* the map was full while a snapshot forbade to grow it */
};

/* Value in table ns, host byte order. */
struct store_ns_row {
	uint32_t number;
	uint32_t root;          /* of a compartment: number of its namespace; else 0 */
	uint64_t nodes, length;
};

/* A namespace as one transaction knows it. */
struct store_ns_entry {
	struct mem_ns ns;
	bool readable, dirty;
};

struct mem_txn {
	struct mem_store *s;
	MDB_txn *txn;
	MDB_dbi dbi[MEM_T_COUNT]; /* 0: a table that is not there in what this transaction sees */
	bool write, full, counters_dirty; /* full: LMDB said so, whatever the caller made of it */
	int64_t now;            /* one time for all that it writes */
	struct store_counters c;
	const char *pages;      /* where the map begins, of a snapshot whose tables are read from it (page_tree.h); NULL: LMDB reads */
	uint64_t page_count;
	struct store_tree tables, free_list, trees[MEM_T_COUNT];
	struct store_before *was; /* OWNS; of a write: page_tree.c; NULL: what was committed cannot be told */
	struct store_known_attrs attrs; /* of a snapshot */
	struct store_ns_entry **ns; /* OWNS, in the order in which they were met */
	uint32_t *ns_places;    /* by number: place in ns + 1; 0: not met */
	size_t nns, ns_cap, ns_last, ns_places_n, ns_places_cap;
};

/* ---- errors ------------------------------------------------------------ */

/* Does what LMDB returned mean a full disk?  It reports a short write as EIO; then the file system of `fd` is asked. */
bool store_is_disk_full(int fd, int rc);
/* What LMDB or the system said, in words that say what to do.  MDB_NOTFOUND gives MEM_NOTFOUND. */
enum mem_status store_mdb_err(struct mem_store *s, int rc, const char *what, struct mem_err *err) MEM_CHECKED;
/* The same inside a transaction, which remembers that the map was full. */
enum mem_status store_txn_err(struct mem_txn *t, int rc, const char *what, struct mem_err *err) MEM_CHECKED;

/* ---- finding ----------------------------------------------------------- */

struct store_place {
	struct mem_buf path;   /* as named or found; made absolute by store_open_folder */
	bool walked;           /* found by walking up: needs the trusted list */
	bool fallback;         /* neither named nor found: the user's default */
};
/* MEM_ABSENT: nothing is named, and no place of the user's own is known. */
enum mem_status store_find_place(struct store_place *out, const char *dir, struct mem_err *err) MEM_CHECKED;

/* Opens the folder at `path` when it is ours alone, no symbolic link, and on a local file system.
 * MEM_FAIL: there is none.  `path` becomes absolute. */
enum mem_status store_open_folder(struct mem_buf *path, int *dirfd, bool *readonly_fs, struct mem_err *err) MEM_CHECKED;
/* A path by which the folder that is open is reached, whatever is by now at `path`, which is the next best where /proc is not
 * mounted: for what takes paths alone, as LMDB does. */
void store_put_folder_path(struct mem_buf *out, int dirfd, const char *path);
/* Are the files in it plain files of ours?  MEM_FAIL: no data.mdb. */
enum mem_status store_check_files(int dirfd, const char *path, struct mem_err *err) MEM_CHECKED;
/* The same of data.mdb alone, which a compaction exchanges. */
enum mem_status store_check_data_file(int dirfd, const char *path, struct stat *data, struct mem_err *err) MEM_CHECKED;
bool store_is_refused_fs(uint64_t type, const char **name);

/* Is the folder in the list?  With `settings`, only under that hash. */
enum mem_status store_check_trust(int dirfd, const char *path, const struct mem_hash *settings, struct mem_err *err) MEM_CHECKED;
enum mem_status store_add_trust(int dirfd, const char *path, const struct mem_hash *settings, struct mem_err *err) MEM_CHECKED;

/* ---- opening ----------------------------------------------------------- */

/* Takes store.lock and opens LMDB, which reads no table yet. */
enum mem_status store_open_env_in_place(struct mem_store *s, struct mem_err *err) MEM_CHECKED;
/* Takes store.lock and opens LMDB and the tables unless that is done. */
enum mem_status store_open_env(struct mem_store *s, struct mem_err *err) MEM_CHECKED;
/* The same of the copy that stands aside; the caller looks at its tables. */
enum mem_status store_open_env_aside(struct mem_store *s, struct mem_err *err) MEM_CHECKED;
/* Exchanges STORE_FRESH_FILE, complete and synced, for data.mdb; readers only wait for the rename.  With write.lock. */
enum mem_status store_swap_data(struct mem_store *s, struct mem_err *err) MEM_CHECKED;
/* Removes STORE_FRESH_FILE and its locks.  With write.lock. */
void store_remove_fresh_data(struct mem_store *s);
/* The same of one that a killed process left; without waiting for who is at it. */
void store_remove_left_data(struct mem_store *s);
/* The pages of a lock file of LMDB's, so that a full disk is told before its map is written to. */
enum mem_status store_take_lock_room(struct mem_store *s, const char *name, struct mem_err *err) MEM_CHECKED;
/* Makes the map larger: twice the file or the map, whichever is more. */
enum mem_status store_grow_map(struct mem_store *s, struct mem_err *err) MEM_CHECKED;
/* Opens LMDB in `path` with the largest map that can be had. */
int store_map_env(MDB_env **out, const char *path, unsigned flags, int64_t file_size);
/* Does every page that is in use lie inside the file? */
enum mem_status store_check_truncation(MDB_env *env, const char *path, struct mem_err *err) MEM_CHECKED;
/* Tables by their pages. */
struct store_page_report {
	bool tables_lost;           /* which there are cannot be read */
	bool there[MEM_T_COUNT];
	bool lost[MEM_T_COUNT];     /* rows of it cannot be read, or it is not there though it always is */
};
/* All pages of the snapshot, read without LMDB; tells fn of each fault.  MEM_REFUSED: there were any.  `report` may be NULL. */
enum mem_status store_check_pages(struct mem_store *s, MDB_txn *txn, mem_breach_fn *fn, void *ctx, struct store_page_report *report,
    struct mem_err *err) MEM_CHECKED;
void store_pass_over_breach(void *ctx, const struct mem_breach *b);
/* Does it hold what nothing else tells? */
bool store_is_true_table(int tab);
/* After store_check_pages said MEM_REFUSED: begins work aside (mem_store_aside_begin) on a copy with all that can be read, with
 * MEM_LOCK_WRITERS.  The store is not open.  MEM_FAIL: something is lost that nothing else tells; s->pages_fn is told of all
 * faults. */
enum mem_status store_mend_pages(struct mem_store *s, struct mem_err *err) MEM_CHECKED;
/* Begins a repair of table meta: what is damaged goes, or is made of the row that tells it. */
enum mem_status store_mend_meta(struct mem_txn *t, struct mem_err *err) MEM_CHECKED;
/* mem_store_check of table meta. */
enum mem_status store_check_meta(struct mem_txn *t, mem_breach_fn *fn, void *ctx, struct mem_err *err) MEM_CHECKED;
/* In a compacted copy of so many bytes: zeros behind values that have pages of their own. */
enum mem_status store_wipe_page_rests(int fd, uint32_t psize, uint64_t bytes, struct mem_err *err) MEM_CHECKED;
/* From the first to mem_mapped_drop(&s->map) faults in this store are told as damage; the second is for a new s->env. */
void store_watch_faults(struct mem_store *s);
void store_watch_assertions(struct mem_store *s);
/* A value that was read in a transaction that has written nothing: it lies in the map. */
void store_note_map(struct mem_store *s, const void *at);
/* Between the two any fault of this thread is one of damaged pages. */
void store_enter_lmdb(void);
void store_leave_lmdb(void);
/* Is it of this schema, byte order and kind?  Fills the secret. */
enum mem_status store_check_format(struct mem_store *s, MDB_txn *txn, struct mem_err *err) MEM_CHECKED;
/* Writes the tables of an empty store into the folder `at`, inside the one that is open; `path` names that in messages. */
enum mem_status store_make_data(int dirfd, const char *at, const char *path, struct mem_err *err) MEM_CHECKED;
extern const char *const store_table_names[MEM_T_COUNT];
/*
 * The tables that meta lists; a table that may come later (store_comes_later) is there from its first row on.  Handles
 * of those that are not listed are 0.
 */
enum mem_status store_open_tables(struct mem_store *s, MDB_txn *txn, struct mem_err *err) MEM_CHECKED;
bool store_comes_later(enum mem_table tab);
/* Makes a table within a write, and lists it. */
enum mem_status store_make_table(struct mem_txn *t, enum mem_table tab, struct mem_err *err) MEM_CHECKED;

enum mem_status store_make_principal(struct mem_store *s, const char *agent, struct mem_err *err) MEM_CHECKED;
/* The agent's name when neither option nor store says: LOGNAME, USER, uid-N. */
void store_user_name(char out[65]);
bool store_is_valid_agent(struct mem_str name);

/* Takes write.lock and has the store open; lets go of store.lock while it queues. */
enum mem_status store_lock_for_write(struct mem_store *s, int64_t wait_ms, struct mem_err *err) MEM_CHECKED;
/* A whole config.yaml, lock files and the rest around data.mdb. */
enum mem_status store_fill_folder(int dirfd, const char *path, struct mem_str config, struct mem_err *err) MEM_CHECKED;

/* False: a value as long as its page says would not lie where it does, so it is damaged and must not be read. */
bool store_value_has_room(const struct mem_txn *t, const MDB_val *v);

/* ---- damage ------------------------------------------------------------ */

/* MEM_DAMAGED into err, with a message that names the node by what is left of it. */
void store_describe_damage(struct mem_txn *t, uint32_t ord, struct mem_err *err);
/* The id of a damaged node, by what is left of it; false: nothing tells it. */
bool store_damaged_id(struct mem_txn *t, uint32_t ord, struct mem_id *id);
/* A row of log or audit was passed over. */
void store_note_row_damage(struct mem_txn *t, enum mem_table tab, struct mem_str key);
/* The same of a block of rows. */
void store_note_block_damage(struct mem_txn *t, enum mem_table tab, uint64_t first, uint64_t last);
/* Nobody knows who may read what is in this namespace. */
void store_note_ns_damage(struct mem_txn *t, uint32_t number);
/* The same where what is derived is not all there, since a repair is under way or was broken off. */
void store_note_open_repair(struct mem_store *s);
/* Hands on what was noted, unless a transaction is open. */
void store_tell_damage(struct mem_store *s);
/* The namespace that the log has for an id; MEM_NOTFOUND: none. */
enum mem_status store_log_find_ns(struct mem_txn *t, const struct mem_id *id, uint32_t *ns) MEM_CHECKED;

/* ---- inside a transaction ---------------------------------------------- */

MDB_val store_mdb_val(struct mem_str s);
/* Writes counters and namespaces that changed. */
enum mem_status store_flush_txn(struct mem_txn *t, struct mem_err *err) MEM_CHECKED;
enum mem_status store_next_id(struct mem_txn *t, struct mem_id *out, struct mem_err *err) MEM_CHECKED;
/* The entry of a namespace; `make` numbers a new one, else that is MEM_NOTFOUND. */
enum mem_status store_ns_by_name(struct mem_txn *t, struct mem_str name, bool make,
    struct store_ns_entry **out, struct mem_err *err) MEM_CHECKED;
/* The same of a compartment; an empty one is the namespace itself. */
enum mem_status store_ns_by_key(struct mem_txn *t, struct mem_str name, struct mem_str compartment, bool make,
    struct store_ns_entry **out, struct mem_err *err) MEM_CHECKED;
/* A key of table ns that is none of a number: name, or name 0x1f compartment.  False: it is neither. */
bool store_ns_key_parse(struct mem_str key, struct mem_str *name, struct mem_str *compartment);
void store_ns_key_put(struct mem_buf *out, struct mem_str name, struct mem_str compartment);
void store_ns_release(struct mem_txn *t);
enum mem_status store_ns_by_number(struct mem_txn *t, uint32_t number, struct store_ns_entry **out,
    struct mem_err *err) MEM_CHECKED;
enum mem_status store_drop_edges(struct mem_txn *t, uint32_t ord, struct mem_err *err) MEM_CHECKED;

/* Rows that one call may pass over: a snapshot is short. */
#define STORE_SCAN_MAX 20000

/* A row of table log: at (8 bytes), ns (4), kind (2), id (16), op (the rest); numbers big-endian. */
#define STORE_LOG_ID 14
#define STORE_LOG_OP 30

/* Middles of keys; their lengths. */
uint16_t store_ref_key(const struct mem_store *s, struct mem_str ref, uint8_t key[MEM_REF_KEY_MAX]);
uint16_t store_name_key(const struct mem_store *s, struct mem_str type, struct mem_str name, uint8_t key[MEM_NAME_KEY_MAX]);
/* The names of a node, folded, as keys of table name: node_names.c. */
struct store_name_list {
	const struct mem_store *s;
	mem_fold_fn *fold;
	struct mem_arena *arena;  /* of the keys */
	struct mem_buf folded;
	struct mem_str *keys;
	size_t n, cap;
};
void store_name_add(struct store_name_list *l, struct mem_str type, struct mem_str name); /* an empty one is none */
void store_name_add_folded(struct store_name_list *l, struct mem_str type, struct mem_str name);
void store_fact_names(struct store_name_list *l, const struct mem_rec *fact, const struct mem_attr *a); /* fact_keys.c */
void store_about_names(struct store_name_list *l, const struct mem_rec *node, const struct mem_attr *a);  /* about_keys.c */
void store_page_names(struct store_name_list *l, const struct mem_rec *page);  /* page_keys.c */
void store_names_end(struct store_name_list *l, struct mem_node_keys *d);  /* each once, into d->names; releases the list */
uint64_t store_session_hash(const struct mem_store *s, struct mem_str session_id);
void store_put_key_time(uint8_t *p, int64_t ms);
int64_t store_get_key_time(const uint8_t *p);

#endif
