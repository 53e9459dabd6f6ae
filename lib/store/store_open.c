/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a store, and its settings alone. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "store/store_int.h"

#define WAIT_MS 10000

static struct mem_store *
new_store(const struct mem_store_options *options)
{
	struct mem_store *s = mem_xcalloc(1, sizeof *s);
	s->dirfd = s->lock_fd = s->write_fd = s->wake_fd = -1;
	for (size_t i = 0; i < MEM_COUNT(s->lock_fds); i++)
		s->lock_fds[i] = -1;
	s->write = options->write;
	s->scan = options->scan;
	s->wait_ms = options->wait_ms;
	s->now = options->now;
	s->pages_fn = options->pages;
	s->pages_ctx = options->pages_ctx;
	s->mend = options->mend;
	s->damage.fn = options->damage;
	s->damage.ctx = options->damage_ctx;
	return s;
}

/* All that can be said of the folder without opening data.mdb.  MEM_ABSENT: none was named, and the user has none. */
static enum mem_status
find_store_folder(struct mem_store *s, const char *dir, struct mem_err *err)
{
	struct store_place found = { 0 };
	enum mem_status st = store_find_place(&found, dir, err);
	if (st == MEM_OK)
		st = store_open_folder(&found.path, &s->dirfd, &s->readonly_fs, err);
	if (st == MEM_FAIL && found.fallback && s->dirfd < 0)
		st = MEM_ABSENT;
	if (st == MEM_OK && found.walked)
		st = store_check_trust(s->dirfd, found.path.data, NULL, err);
	if (st == MEM_OK)
		st = store_check_files(s->dirfd, found.path.data, err);
	if (st == MEM_OK && s->write && s->readonly_fs)
		st = mem_err_set(err, MEM_FAIL, "'%s' is on a file system that is mounted read-only", found.path.data);
	if (st == MEM_OK)
		s->path = mem_xstrdup(found.path.data);
	mem_buf_release(&found.path);
	return st;
}

/* Settings that send data or run something act only as they were trusted; nothing asks. */
static enum mem_status
check_trusted_settings(struct mem_store *s, struct mem_err *err)
{
	struct mem_hash h;
	if (!mem_conf_active_hash(s->conf, &h))
		return MEM_OK;
	return store_check_trust(s->dirfd, s->path, &h, err);
}

enum mem_status
mem_store_settings(struct mem_conf **out, const char *dir, struct mem_err *err)
{
	const struct mem_store_options options = MEM_STORE_OPTIONS_INIT;
	struct mem_store *s = new_store(&options);
	enum mem_status st = find_store_folder(s, dir, err);
	if (st == MEM_ABSENT)
		st = mem_conf_load(&s->conf, -1, err);
	else if (st == MEM_OK)
		st = mem_conf_load(&s->conf, s->dirfd, err);
	if (st == MEM_OK && s->dirfd >= 0)
		st = check_trusted_settings(s, err);
	if (st == MEM_OK) {
		*out = s->conf;
		s->conf = NULL;
	}
	mem_store_close(s);
	return st;
}

enum mem_status
mem_store_open(struct mem_store **out, const struct mem_store_options *options, struct mem_err *err)
{
	struct mem_store *s = new_store(options);
	enum mem_status st = find_store_folder(s, options->dir, err);
	if (st == MEM_ABSENT)
		st = mem_err_set(err, MEM_FAIL, "no store here: run mem-init");
	if (st == MEM_OK)
		st = mem_conf_load(&s->conf, s->dirfd, err);
	if (st == MEM_OK)
		st = check_trusted_settings(s, err);
	if (st == MEM_OK && s->wait_ms < 0) {
		s->wait_ms = mem_conf_duration(s->conf, "store.wait");
		s->wait_ms = s->wait_ms < 0 ? WAIT_MS : s->wait_ms;
	}
	if (st == MEM_OK)
		st = store_make_principal(s, options->agent, err);
	if (st == MEM_OK && s->mend && !s->who.is_operator)
		st = mem_err_set(err, MEM_DENIED, "a repair is for operators, and '%s' is none (operators: in config.yaml)", s->who.agent);
	if (st == MEM_OK && options->every_namespace && !s->who.is_operator)
		st = mem_err_set(err, MEM_DENIED, "--every-namespace is for operators, and '%s' is none (operators: in config.yaml)", s->who.agent);
	if (st == MEM_OK) {
		s->every_namespace = options->every_namespace;
		st = store_open_env(s, err);
	}
	if (st == MEM_REFUSED && s->mend) {
		st = store_mend_pages(s, err);
		s->mend = false;
		if (st == MEM_OK)
			st = store_open_env(s, err);
	}
	if (st != MEM_OK) {
		mem_store_close(s);
		return st;
	}
	*out = s;
	return MEM_OK;
}

void
mem_store_close(struct mem_store *s)
{
	if (s == NULL)
		return;
	mem_store_pause(s);
	if (s->aside) /* begun and not ended */
		store_remove_fresh_data(s);
	if (s->write_word != NULL)
		munmap(s->write_word, sizeof *s->write_word);
	int fds[] = { s->write_fd, s->wake_fd, s->dirfd };
	for (size_t i = 0; i < MEM_COUNT(s->lock_fds); i++)
		if (s->lock_fds[i] >= 0)
			close(s->lock_fds[i]);
	for (size_t i = 0; i < MEM_COUNT(fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	mem_conf_free(s->conf);
	mem_buf_release(&s->damage.lines);
	free(s->damage.told);
	mem_arena_release(&s->arena);
	free(s->path);
	free(s);
}

const char *
mem_store_path(const struct mem_store *s)
{
	return s->path;
}

int
mem_store_folder(const struct mem_store *s)
{
	return s->dirfd;
}

const struct mem_conf *
mem_store_conf(const struct mem_store *s)
{
	return s->conf;
}

const uint8_t *
mem_store_secret(const struct mem_store *s)
{
	return s->secret;
}

int64_t
mem_store_now(const struct mem_store *s)
{
	return s->now != MEM_TIME_NONE ? s->now : mem_time_now();
}
