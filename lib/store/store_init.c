/* SPDX-License-Identifier: Apache-2.0 */
/* Making a store. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/backup_int.h"
#include "store/store_int.h"
#include "store/store_lock_int.h"

#define WORKSHOP "init.tmp" /* where data.mdb is built: it is renamed into place whole */
#define WAIT_MS  10000
#define CONFIG_FILE "config.yaml"
#define IGNORE_FILE ".gitignore"
#define FIRST_AGENT "agent: \""
#define IGNORE_TEXT "*\n"
#define WAKE_TEXT   "0\n"

enum { CONFIG_MAX = 4096 };

static enum mem_status
choose_store_path(const struct mem_init_options *options, struct mem_buf *path, struct mem_err *err)
{
	const char *env = getenv("MEM_STORE");
	if (options->user) {
		if (!mem_xdg_path(path, "XDG_DATA_HOME", ".local/share", "memkit/default"))
			return mem_err_set(err, MEM_FAIL, "no home folder to make a store in: name one");
	} else if (options->dir != NULL)
		mem_buf_puts(path, options->dir);
	else
		mem_buf_puts(path, env != NULL && env[0] != '\0' ? env : ".mem");
	while (path->len > 1 && path->data[path->len - 1] == '/')
		path->data[--path->len] = '\0';
	return path->len > 0 ? MEM_OK : mem_err_set(err, MEM_USAGE, "an empty name names no folder");
}

/* Would a run of ours have left it?  A link is never ours, and is followed by what clears up. */
static bool
is_left_by_init(int dirfd, const char *name)
{
	struct stat st;
	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || st.st_uid != mem_user_id())
		return false;
	bool folder = strcmp(name, WORKSHOP) == 0 || strcmp(name, ".") == 0;
	return folder ? S_ISDIR(st.st_mode) : S_ISREG(st.st_mode);
}

static void
put_first_config(struct mem_buf *b, const char *agent)
{
	/* Quoted, since an agent may be called "no" or "1". */
	mem_buf_printf(b,
	    "# Settings of this store: mem-config(5).\n"
	    "# Who speaks when neither --agent nor MEM_AGENT says.\n"
	    FIRST_AGENT "%s\"\n"
	    "# Who may write to global, read system and use --every-namespace.\n"
	    "operators: [\"%s\"]\n"
	    "# Where pages, skills and documents go.\n"
	    "vault:\n  ns: global\n"
	    "skills:\n  ns: global\n"
	    "documents:\n  ns: global\n", agent, agent);
}

/* Are these settings as a run of ours writes them, for whomever? */
static bool
is_first_config(const struct mem_buf *text)
{
	struct mem_buf ours = { 0 };
	char agent[65] = "";
	const char *line = text->len > 0 ? strstr(text->data, FIRST_AGENT) : NULL;
	size_t n = line != NULL ? strcspn(line + sizeof FIRST_AGENT - 1, "\"\n") : 0;
	if (n >= sizeof agent)
		return false;
	memcpy(agent, line != NULL ? line + sizeof FIRST_AGENT - 1 : "", n);
	put_first_config(&ours, agent);
	bool same = store_is_valid_agent(mem_str(agent)) && mem_str_eq(mem_buf_span(&ours), mem_buf_span(text));
	mem_buf_release(&ours);
	return same;
}

/* A file that making a store replaces: does it hold what a run of ours put there?  Of another file nothing is lost. */
static bool
holds_our_text(int dirfd, const char *name)
{
	struct mem_buf text = { 0 };
	bool config = strcmp(name, CONFIG_FILE) == 0, ignore = strcmp(name, IGNORE_FILE) == 0, wake = strcmp(name, STORE_WAKE_FILE) == 0;
	if (!config && !ignore && !wake)
		return true;
	bool ours = mem_file_read(dirfd, name, CONFIG_MAX, &text, NULL) == MEM_OK &&
	    (config ? is_first_config(&text) : mem_str_is(mem_buf_span(&text), ignore ? IGNORE_TEXT : WAKE_TEXT));
	mem_buf_release(&text);
	return ours;
}

/* Is there nothing but what a killed run of ours may have left? */
static enum mem_status
check_empty_folder(int dirfd, const char *path, bool *bare, struct mem_err *err)
{
	static const char *const ours[] = { ".", "..", WORKSHOP, CONFIG_FILE, IGNORE_FILE, STORE_GATE_FILE, STORE_LOCK_FILE,
		STORE_WRITE_LOCK_FILE, STORE_WAKE_FILE };
	enum mem_status st = MEM_OK;
	int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	if (d == NULL) {
		if (fd >= 0)
			close(fd);
		return mem_err_sys(err, MEM_FAIL, "cannot read '%s'", path);
	}
	*bare = true;
	for (struct dirent *e; st == MEM_OK && (e = readdir(d)) != NULL;) {
		bool known = store_is_unplaced_file(e->d_name);
		for (size_t i = 0; i < MEM_COUNT(ours); i++)
			known = known || strcmp(e->d_name, ours[i]) == 0;
		*bare = *bare && e->d_name[0] == '.' && strcmp(e->d_name, IGNORE_FILE) != 0;
		if (!known || (strcmp(e->d_name, "..") != 0 && !is_left_by_init(dirfd, e->d_name)))
			st = mem_err_set(err, MEM_FAIL, "'%s' is no store and holds '%s': name a new or an empty folder", path, e->d_name);
		else if (!holds_our_text(dirfd, e->d_name))
			st = mem_err_set(err, MEM_FAIL, "'%s/%s' was not written by mem-init: move it away, and back once the store is made", path, e->d_name);
	}
	closedir(d);
	return st;
}

static void
remove_unplaced_files(int dirfd)
{
	int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	if (d == NULL && fd >= 0)
		close(fd);
	for (const struct dirent *e; d != NULL && (e = readdir(d)) != NULL;)
		if (store_is_unplaced_file(e->d_name) && is_left_by_init(dirfd, e->d_name))
			unlinkat(dirfd, e->d_name, 0);
	if (d != NULL)
		closedir(d);
}

static enum mem_status
choose_first_agent(const struct mem_init_options *options, char out[65], struct mem_err *err)
{
	struct mem_str name = mem_str(options->agent != NULL ? options->agent : getenv("MEM_AGENT"));
	if (options->agent == NULL && name.n == 0) {
		store_user_name(out);
		return MEM_OK;
	}
	if (!store_is_valid_agent(name))
		return mem_err_set(err, MEM_USAGE, "an agent's name is 1 to 64 of A-Z a-z 0-9 . _ -");
	memcpy(out, name.p, name.n + 1);
	return MEM_OK;
}

static void
clear_workshop(int dirfd)
{
	int fd = openat(dirfd, WORKSHOP, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return;
	unlinkat(fd, "data.mdb", 0);
	unlinkat(fd, "lock.mdb", 0);
	close(fd);
	unlinkat(dirfd, WORKSHOP, AT_REMOVEDIR);
}

static enum mem_status
write_data_file(int dirfd, const char *path, struct mem_err *err)
{
	struct mem_buf dir = { 0 };
	enum mem_status st;
	clear_workshop(dirfd);
	if (mkdirat(dirfd, WORKSHOP, 0700) != 0)
		return mem_err_sys(err, MEM_FAIL, "cannot make a folder in '%s'", path);
	store_put_folder_path(&dir, dirfd, path);
	mem_buf_puts(&dir, "/" WORKSHOP);
	st = store_make_data(dirfd, dir.data, path, err);
	if (st == MEM_OK && (renameat(dirfd, WORKSHOP "/data.mdb", dirfd, STORE_DATA_FILE) != 0 || fsync(dirfd) != 0))
		st = mem_err_sys(err, MEM_FAIL, "cannot put '" STORE_DATA_FILE "' into '%s'", path);
	clear_workshop(dirfd);
	mem_buf_release(&dir);
	return st;
}

/* Says where it could not be written: which disk is full, the store's or the one of a copy? */
static enum mem_status
put_folder_file(int dirfd, const char *path, const char *name, struct mem_str text, struct mem_err *err)
{
	struct mem_err why;
	enum mem_status st = mem_file_replace(dirfd, name, text.p, text.n, 0600, &why);
	return st == MEM_OK ? st : mem_err_set(err, st, "'%s/%s': %s", path, name, why.msg);
}

enum mem_status
store_fill_folder(int dirfd, const char *path, struct mem_str config, struct mem_err *err)
{
	static const char *const locks[] = { STORE_GATE_FILE, STORE_LOCK_FILE, STORE_WRITE_LOCK_FILE };
	enum mem_status st = put_folder_file(dirfd, path, IGNORE_FILE, MEM_STR(IGNORE_TEXT), err);
	if (st == MEM_OK)
		st = put_folder_file(dirfd, path, CONFIG_FILE, config, err);
	if (st == MEM_OK)
		st = put_folder_file(dirfd, path, STORE_WAKE_FILE, MEM_STR(WAKE_TEXT), err);
	for (size_t i = 0; i < MEM_COUNT(locks) && st == MEM_OK; i++) {
		int fd = openat(dirfd, locks[i], O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd < 0)
			return mem_err_sys(err, MEM_FAIL, "cannot make '%s/%s'", path, locks[i]);
		close(fd);
	}
	return st;
}

/* Makes what is missing, under a lock on the folder, so that two at once make one store. */
static enum mem_status
make_store_folder(struct mem_buf *path, const char *agent, int *dirfd, enum mem_init_result *result, struct mem_err *err)
{
	bool bare, readonly_fs;
	struct stat st;
	enum mem_status status = mem_dir_make(path->data, 0700, err);
	if (status == MEM_OK && lstat(path->data, &st) != 0)
		status = mem_err_sys(err, MEM_FAIL, "cannot look at '%s'", path->data);
	/* An empty folder of ours may have been made under a wider umask. */
	if (status == MEM_OK && S_ISDIR(st.st_mode) && st.st_uid == mem_user_id() && (st.st_mode & 077) != 0) {
		int fd = open(path->data, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd >= 0 && faccessat(fd, STORE_DATA_FILE, F_OK, AT_SYMLINK_NOFOLLOW) != 0)
			status = check_empty_folder(fd, path->data, &bare, err);
		else
			bare = false; /* a store, or nothing that can be opened: store_open_folder says what is wrong */
		if (status == MEM_OK && bare && fchmod(fd, 0700) != 0)
			status = mem_err_sys(err, MEM_FAIL, "cannot change the mode of '%s'", path->data);
		if (fd >= 0)
			close(fd);
	}
	if (status == MEM_OK)
		status = store_open_folder(path, dirfd, &readonly_fs, err);
	if (status != MEM_OK)
		return status;
	status = store_wait_flock(*dirfd, LOCK_EX, WAIT_MS, err);
	if (status == MEM_BUSY)
		mem_err_set(err, MEM_BUSY, "busy: another process makes '%s'", path->data);
	if (status != MEM_OK)
		return status;
	*result = MEM_INIT_EXISTS;
	if (faccessat(*dirfd, STORE_DATA_FILE, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return MEM_OK;
	status = check_empty_folder(*dirfd, path->data, &bare, err);
	if (status == MEM_OK) {
		struct mem_buf config = { 0 };
		remove_unplaced_files(*dirfd);
		put_first_config(&config, agent);
		status = store_fill_folder(*dirfd, path->data, mem_buf_span(&config), err);
		mem_buf_release(&config);
	}
	if (status == MEM_OK)
		status = write_data_file(*dirfd, path->data, err);
	*result = MEM_INIT_NEW;
	return status;
}

/* Lists the store with the hash of its active settings as they are now. */
static enum mem_status
trust_store_folder(int dirfd, const char *path, struct mem_err *err)
{
	struct mem_conf *conf = NULL;
	struct mem_hash h;
	enum mem_status st = mem_conf_load(&conf, dirfd, err);
	if (st != MEM_OK)
		return st;
	bool active = mem_conf_active_hash(conf, &h);
	mem_conf_free(conf);
	return store_add_trust(dirfd, path, active ? &h : NULL, err);
}

/* MEM_FAIL: nobody can use the store that is there.  Whose settings want trust, or who is busy, is as good as usable. */
static enum mem_status
check_store_opens(const char *path, struct mem_err *err)
{
	struct mem_store_options options = MEM_STORE_OPTIONS_INIT;
	struct mem_store *s = NULL;
	options.dir = path;
	options.wait_ms = 0;
	enum mem_status st = mem_store_open(&s, &options, err);
	mem_store_close(s);
	return st == MEM_FAIL ? st : MEM_OK;
}

enum mem_status
mem_store_init(const struct mem_init_options *options, struct mem_buf *path, enum mem_init_result *result, struct mem_err *err)
{
	int dirfd = -1;
	bool readonly_fs;
	char agent[65];
	enum mem_status st = choose_store_path(options, path, err);
	if (st == MEM_OK)
		st = choose_first_agent(options, agent, err);
	if (st == MEM_OK && options->trust)
		st = store_open_folder(path, &dirfd, &readonly_fs, err);
	else if (st == MEM_OK)
		st = make_store_folder(path, agent, &dirfd, result, err);
	if (st == MEM_OK)
		st = store_check_files(dirfd, path->data, err);
	if (st == MEM_OK && !options->trust && *result == MEM_INIT_EXISTS)
		st = check_store_opens(path->data, err);
	if (st == MEM_OK && options->trust) {
		st = trust_store_folder(dirfd, path->data, err);
		*result = MEM_INIT_TRUSTED;
	} else if (st == MEM_OK && *result == MEM_INIT_NEW && trust_store_folder(dirfd, path->data, err) != MEM_OK)
		*result = MEM_INIT_NEW_UNLISTED;
	if (dirfd >= 0)
		close(dirfd);
	return st;
}
