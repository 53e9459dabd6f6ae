/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An installed model: its file, checked and mapped.
 *
 * Measured with e5 in int8 (35 MB; AVX-512, Linux 6.18), the median of seven: opening takes 0.08 ms, 3 ms from a cold disk,
 * and 3.6 ms when all bytes are verified.  Touching all matrices then takes 1.6 ms (26 ms from a cold disk); with
 * MADV_POPULATE_READ first 2.1 ms, with MADV_WILLNEED 28 ms: of advice that of large pages alone is worth it.
 */
#include "model/model_int.h"
#include "base/digest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

struct mem_model {
	const unsigned char *map;
	size_t bytes;
	char *path;                   /* OWNS */
	struct mem_mapped mapped;
	const struct mem_model_spec *spec;
	struct mem_model_info info;
	struct mem_model_layout layout;
	struct mem_str vocab;
	struct model_weights weights;
	bool has_mean;
	float mean[MEM_MODEL_DIMS];
};

/* ---- checks ----------------------------------------------------------- */

static enum mem_status
refuse_model_file(struct mem_err *err, const char *path, const char *why)
{
	return mem_err_set(err, MEM_FAIL, "cannot use the model file '%s': %s; install the model again", path, why);
}

/* A zero-padded name, its zero included. */
static bool
is_padded_name(const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	for (size_t i = len; i < n; i++)
		if (s[i] != '\0')
			return false;
	return len < n;
}

static const char *
find_head_fault(const struct mem_model_head *h, size_t bytes)
{
	static const char none[sizeof h->reserved];
	if (memcmp(h->magic, MEM_MODEL_MAGIC, sizeof h->magic) != 0)
		return "it is no model";
	if (h->order != MEM_MODEL_ORDER)
		return "it was made on a machine with another byte order";
	if (h->version != MEM_MODEL_VERSION)
		return "it has the form of another version of memkit";
	if (h->bytes != bytes)
		return h->bytes > bytes ? "it is cut short" : "something was added at its end";
	if (!is_padded_name(h->name, sizeof h->name) || !is_padded_name(h->sha256, sizeof h->sha256) || !mem_digest_valid(h->sha256) ||
	    memcmp(h->reserved, none, sizeof none) != 0)
		return "its head is damaged";
	if (h->precision > MEM_I8)
		return "it has an unknown precision";
	return NULL;
}

static const char *
find_shape_fault(const struct mem_model_head *h, const struct mem_model_spec *spec)
{
	if (spec == NULL)
		return "it is of a model that is not known here";
	if (h->layers != spec->layers || h->rows != spec->vocab || h->dims != MEM_MODEL_DIMS ||
	    h->heads != MEM_MODEL_HEADS || h->inner != MEM_MODEL_INNER || h->places != MEM_MODEL_PLACES)
		return "its dimensions are not those of the model it names";
	return NULL;
}

/* The directory must be the one that follows from the head. */
static enum mem_status
check_directory(const struct mem_model *m, const struct mem_model_head *h, const char *path, struct mem_err *err)
{
	const struct mem_model_layout *l = &m->layout;
	if (h->nslots != l->nslots || h->vocab_at != l->vocab_at || h->bytes != l->bytes)
		return refuse_model_file(err, path, "its parts do not lie where they belong");
	for (size_t i = 0; i < l->nslots; i++) {
		struct mem_model_slot found;
		memcpy(&found, m->map + sizeof *h + i * sizeof found, sizeof found);
		if (memcmp(&found, &l->slots[i], sizeof found) != 0)
			return mem_err_set(err, MEM_FAIL, "cannot use the model file '%s': the tensor '%s' is missing there, "
			    "has another shape or lies elsewhere; install the model again", path, l->slots[i].name);
	}
	return MEM_OK;
}

uint64_t
mem_model_checksum(const void *file, size_t bytes)
{
	size_t from = offsetof(struct mem_model_head, version);
	return mem_hash_fast((const unsigned char *)file + from, bytes - from);
}

void
mem_model_make_stamp(struct timespec times[2], uint64_t sum)
{
	times[0] = (struct timespec){ .tv_nsec = UTIME_OMIT };
	times[1] = (struct timespec){ .tv_sec = time(NULL), .tv_nsec = (long)(sum % 1000000000) };
}

bool
mem_model_is_stamped(const struct stat *sb, uint64_t sum)
{
	const time_t moment = 2; /* in which a new file gets its name */
	const time_t behind = 1; /* the clock of files may be so of ours, when a second begins */
	return sb->st_mtim.tv_nsec == (long)(sum % 1000000000) && sb->st_ctim.tv_sec >= sb->st_mtim.tv_sec - behind
	    && sb->st_ctim.tv_sec - sb->st_mtim.tv_sec <= moment;
}

/* Reads all bytes, unless the file's times show that nobody wrote to it since the last time. */
static enum mem_status
check_checksum(const struct mem_model *m, const struct mem_model_head *h, int fd, const struct stat *sb, bool verify,
    const char *path, struct mem_err *err)
{
	struct timespec times[2];
	bool stamped = mem_model_is_stamped(sb, h->checksum);
	if (!verify && stamped)
		return MEM_OK;
	if (mem_model_checksum(m->map, m->bytes) != h->checksum)
		return refuse_model_file(err, path, "it is damaged (its checksum does not match)");
	if (!stamped) {
		/* Perhaps a copy: whoever opens it next need not read it, if the file is ours. */
		mem_model_make_stamp(times, h->checksum);
		(void)!futimens(fd, times);
	}
	return MEM_OK;
}

/* ---- places ----------------------------------------------------------- */

static const float *
find_floats(const struct mem_model *m, size_t slot)
{
	return (const float *)(const void *)(m->map + m->layout.slots[slot].at);
}

static struct model_linear
find_linear(const struct mem_model *m, size_t slot)
{
	const struct mem_model_slot *s = &m->layout.slots[slot];
	return (struct model_linear){
		.w = { .in = s->rows, .out = s->cols, .precision = m->info.precision, .packed = m->map + s->at },
		.bias = find_floats(m, slot + 1), /* its part is the next */
	};
}

static struct model_norm
find_norm(const struct mem_model *m, size_t slot)
{
	return (struct model_norm){ find_floats(m, slot), find_floats(m, slot + 1) };
}

static void
attach_weights(struct mem_model *m)
{
	struct model_weights *w = &m->weights;
	w->word = (struct model_table){
		.data = m->map + m->layout.slots[MEM_SLOT_WORD].at,
		.rows = m->spec->vocab,
		.form = mem_model_choose_rows(m->spec, m->info.precision),
	};
	w->position = find_floats(m, MEM_SLOT_POSITION);
	w->norm = find_norm(m, MEM_SLOT_NORM);
	w->nblocks = m->spec->layers;
	for (unsigned b = 0; b < w->nblocks; b++) {
		size_t at = MEM_SLOT_BLOCKS + b * MEM_PARTS;
		w->block[b] = (struct model_block){
			.qkv = find_linear(m, at + MEM_QKV),
			.mix = find_linear(m, at + MEM_MIX),
			.mix_norm = find_norm(m, at + MEM_MIX_NORM),
			.inner = find_linear(m, at + MEM_INNER),
			.outer = find_linear(m, at + MEM_OUTER),
			.norm = find_norm(m, at + MEM_LAST_NORM),
		};
	}
	m->has_mean = model_read_mean(MODEL_MEAN_TEXT, m->spec->name, m->mean);
}

/* ---- opening ---------------------------------------------------------- */

/*
 * What is not in memory yet comes by the 2 MB, and stays so for all who map it later: a question in a process of its own then
 * meets 40 page faults in the file instead of 360.  Of the whole file, before anything of it is read: a read ahead of the
 * vocabulary or of the word table goes on into the matrices (8 MB on some disks), and would bring them by small pages.
 * Kernels without it refuse, which does no harm.
 */
static void
advise_large_pages(void *map, size_t bytes)
{
	(void)madvise(map, bytes, MADV_HUGEPAGE);
}

static enum mem_status
map_model_file(struct mem_model *m, int fd, const struct stat *sb, const char *path, struct mem_err *err)
{
	if (!S_ISREG(sb->st_mode))
		return refuse_model_file(err, path, "it is no model");
	if ((uint64_t)sb->st_size < sizeof(struct mem_model_head))
		return refuse_model_file(err, path, sb->st_size == 0 ? "it is empty" : "it is cut short, or no model");
	void *map = mmap(NULL, (size_t)sb->st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return mem_err_sys(err, MEM_FAIL, "cannot map '%s'", path);
	advise_large_pages(map, (size_t)sb->st_size);
	m->map = map;
	m->bytes = (size_t)sb->st_size;
	m->path = mem_xstrdup(path);
	m->mapped = (struct mem_mapped){ .at = map, .n = m->bytes, .path = m->path, .word = "the model file changed while in use: run the command again" };
	mem_mapped_add(&m->mapped);
	return MEM_OK;
}

static enum mem_status
check_model_file(struct mem_model *m, int fd, const struct stat *sb, bool verify, const char *path, struct mem_err *err)
{
	struct mem_model_head h;
	memcpy(&h, m->map, sizeof h);
	const char *fault = find_head_fault(&h, m->bytes);
	if (fault == NULL) {
		m->spec = mem_model_find(mem_str(h.name));
		fault = find_shape_fault(&h, m->spec);
	}
	if (fault == NULL && h.vocab_bytes >= m->bytes)
		fault = "its vocabulary is longer than the file";
	if (fault != NULL)
		return refuse_model_file(err, path, fault);
	memcpy(m->info.name, h.name, sizeof m->info.name);
	memcpy(m->info.sha256, h.sha256, sizeof m->info.sha256);
	m->info.precision = (enum mem_precision)h.precision;
	m->info.bytes = m->bytes;
	mem_model_make_layout(&m->layout, m->spec, m->info.precision, h.vocab_bytes);
	enum mem_status st = check_directory(m, &h, path, err);
	if (st == MEM_OK)
		st = check_checksum(m, &h, fd, sb, verify, path, err);
	m->vocab = (struct mem_str){ (const char *)m->map + h.vocab_at, (size_t)h.vocab_bytes };
	return st;
}

enum mem_status
mem_model_open(struct mem_model **out, const char *path, bool verify, struct mem_err *err)
{
	enum mem_status st;
	struct stat sb;
	struct mem_model *m = mem_xcalloc(1, sizeof *m);
	*out = NULL;
	/* A FIFO would keep us waiting. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0) {
		st = errno == ENOENT ? mem_err_set(err, MEM_ABSENT, "there is no model file '%s'", path)
		    : mem_err_sys(err, MEM_FAIL, "cannot open '%s'", path);
		goto out;
	}
	/* Its vectors decide what is found, and its texts are what the caller remembers. */
	st = fstat(fd, &sb) != 0 ? mem_err_sys(err, MEM_FAIL, "cannot look at '%s'", path) : mem_fd_check_owner(fd, path, err);
	if (st == MEM_OK)
		st = map_model_file(m, fd, &sb, path, err);
	if (st == MEM_OK)
		st = check_model_file(m, fd, &sb, verify, path, err);
	if (st == MEM_OK)
		attach_weights(m);
out:
	if (fd >= 0)
		close(fd);
	if (st == MEM_OK)
		*out = m;
	else
		mem_model_close(m);
	return st;
}

enum mem_status
mem_model_open_spec(struct mem_model **out, const struct mem_model_spec *spec, bool verify, struct mem_buf *path,
    struct mem_err *err)
{
	*out = NULL;
	if (!mem_model_path(path, mem_str(spec->name)))
		return mem_err_set(err, MEM_FAIL, "there is no folder for models: neither XDG_DATA_HOME nor HOME names one");
	enum mem_status st = mem_model_open(out, path->data, verify, err);
	if (st != MEM_OK || (*out)->spec == spec)
		return st;
	st = mem_err_set(err, MEM_FAIL, "cannot use the model file '%s': it is of %s; install the model again", path->data,
	    (*out)->info.name);
	mem_model_close(*out);
	*out = NULL;
	return st;
}

enum mem_status
model_open_named(struct mem_model **out, const char *name, struct mem_err *err)
{
	struct mem_buf path = { 0 };
	enum mem_status st;
	*out = NULL;
	if (strcmp(name, "none") == 0)
		return mem_err_set(err, MEM_ABSENT, "embed.model: none");
	bool any = name[0] == '\0';
	if (any)
		name = MEM_MODEL_DEFAULT;
	bool named = strchr(name, '/') == NULL;
	const struct mem_model_spec *spec = named ? mem_model_find(mem_str(name)) : NULL;
	if (named && spec == NULL)
		return mem_err_set(err, MEM_USAGE, "there is no model '%s': mem-model list shows them", name);
	if (named && !mem_model_path(&path, mem_str(name)))
		return mem_err_set(err, MEM_ABSENT, "the model '%s' is not installed: there is no home to look in", name);
	mem_buf_reset(&path);
	st = named ? mem_model_open_spec(out, spec, false, &path, err) : mem_model_open(out, name, false, err);
	if (st == MEM_ABSENT && any)
		mem_err_set(err, MEM_ABSENT, "no model is installed: run mem-model install %s", name);
	else if (st == MEM_ABSENT && named)
		mem_err_set(err, MEM_ABSENT, "the model '%s' is not installed: run mem-model install %s", name, name);
	mem_buf_release(&path);
	return st;
}

void
mem_model_close(struct mem_model *m)
{
	if (m == NULL)
		return;
	mem_mapped_drop(&m->mapped);
	free(m->path);
	if (m->map != NULL)
		munmap((void *)(uintptr_t)m->map, m->bytes);
	free(m);
}

/* ---- looking at one --------------------------------------------------- */

bool
mem_model_path(struct mem_buf *out, struct mem_str name)
{
	if (!mem_xdg_path(out, "XDG_DATA_HOME", ".local/share", "memkit/models/"))
		return false;
	mem_buf_str(out, name);
	mem_buf_puts(out, ".model");
	return true;
}

enum mem_status
mem_model_remove(const struct mem_model_spec *spec, bool pretend, struct mem_buf *path, struct mem_err *err)
{
	if (!mem_model_path(path, mem_str(spec->name)))
		return mem_err_set(err, MEM_FAIL, "there is no folder for models: neither XDG_DATA_HOME nor HOME names one");
	if ((pretend ? access(path->data, F_OK) : unlink(path->data)) == 0)
		return MEM_OK;
	return errno == ENOENT ? mem_err_set(err, MEM_ABSENT, "%s is not installed", spec->name)
	    : mem_err_sys(err, MEM_FAIL, "cannot remove '%s'", path->data);
}

const struct mem_model_info *
mem_model_info(const struct mem_model *m)
{
	return &m->info;
}

const struct mem_model_spec *
mem_model_spec(const struct mem_model *m)
{
	return m->spec;
}

const struct model_weights *
model_weights(const struct mem_model *m)
{
	return &m->weights;
}

struct mem_str
model_vocab(const struct mem_model *m)
{
	return m->vocab;
}

const float *
model_mean(const struct mem_model *m)
{
	return m->has_mean ? m->mean : NULL;
}
