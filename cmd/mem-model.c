/* SPDX-License-Identifier: Apache-2.0 */
/* mem-model: the sentence encoders of this user. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "install/install.h"
#include "model/model.h"

struct model_command {
	struct mem_common c;
	struct mem_install_options in;
	int precision;
	struct mem_grid grid;
};

static const char *const precisions[] = { "float32", "float16", "int8", NULL };

static const struct mem_model_spec *
find_model_spec(const char *name)
{
	const struct mem_model_spec *spec = mem_model_find(mem_str(name));
	if (spec == NULL)
		mem_die(MEM_USAGE, "there is no model '%s': those there are: e5, me5, minilm, bge", name);
	return spec;
}

/* Prints and releases. */
static enum mem_status
print_record(struct mem_buf *record)
{
	mem_out_line(mem_buf_span(record));
	mem_buf_release(record);
	return MEM_OK;
}

static enum mem_status
install_model(struct model_command *a, const char *what)
{
	struct mem_model_info info;
	struct mem_err err;
	struct mem_buf b = { 0 }, path = { 0 };
	if (a->c.dry_run) {
		mem_model_put_plan(&b, find_model_spec(what));
		return print_record(&b);
	}
	mem_interrupt_catch();
	a->in.what = what;
	a->in.precision = (enum mem_precision)a->precision;
	a->in.stop_fd = mem_interrupt_fd();
	a->in.progress = mem_progress;
	enum mem_status st = mem_model_install(&info, &a->in, &err);
	mem_progress_end();
	if (st != MEM_OK && !mem_interrupted())
		mem_warn("%s", err.msg);
	if (st == MEM_OK && !a->c.quiet && mem_model_path(&path, mem_str(info.name))) {
		mem_model_put(&b, &info, path.data, false);
		print_record(&b);
	}
	mem_buf_release(&path);
	return st;
}

static void
print_model(struct model_command *a, const struct mem_model *m, const char *path)
{
	const struct mem_model_info *info = mem_model_info(m);
	const struct mem_model_spec *spec = mem_model_spec(m);
	struct mem_buf b = { 0 };
	char size[32];
	if (!mem_text_wanted(a->c.format)) {
		mem_model_put(&b, info, path, true);
		print_record(&b);
		return;
	}
	snprintf(size, sizeof size, "%llu MB", (unsigned long long)(info->bytes + 500000) / 1000000);
	const char *cells[] = { info->name, spec->title, mem_precision_name(info->precision), size, spec->license, path };
	for (size_t i = 0; i < MEM_COUNT(cells); i++)
		mem_grid_cell(&a->grid, mem_str(cells[i]));
}

/* Prints a model that is installed and sound; MEM_ABSENT otherwise, with a message unless it may be missing. */
static enum mem_status
check_model(struct model_command *a, const struct mem_model_spec *spec, bool verify, bool may_miss)
{
	struct mem_model *m = NULL;
	struct mem_buf path = { 0 };
	struct mem_err err;
	enum mem_status st = mem_model_open_spec(&m, spec, verify, &path, &err);
	if (st == MEM_FAIL && path.len == 0)
		mem_die_err(&err);
	if (st == MEM_OK && !a->c.quiet)
		print_model(a, m, path.data);
	if (st == MEM_FAIL || (st == MEM_ABSENT && !may_miss))
		mem_warn("%s", err.msg);
	mem_model_close(m);
	mem_buf_release(&path);
	return st == MEM_OK || (st == MEM_ABSENT && may_miss) ? MEM_OK : MEM_ABSENT;
}

static enum mem_status
remove_model(const struct model_command *a, const struct mem_model_spec *spec)
{
	struct mem_buf path = { 0 }, b = { 0 };
	struct mem_err err;
	enum mem_status st = mem_model_remove(spec, a->c.dry_run, &path, &err);
	mem_model_put_removed(&b, spec, path.len > 0 ? path.data : "");
	if (st != MEM_OK)
		mem_warn("%s", err.msg);
	else if (!a->c.quiet)
		print_record(&b);
	mem_buf_release(&b);
	mem_buf_release(&path);
	return st;
}

static enum mem_status
run_verb(struct model_command *a, const char *verb, char **names, int n)
{
	static const struct mem_column columns[] = {
		{ .name = "NAME" }, { .name = "MODEL", .min = 8, .leave_out = 2 }, { .name = "PRECISION", .min = 4, .leave_out = 3 },
		{ .name = "SIZE", .right = true }, { .name = "LICENSE", .min = 4, .leave_out = 1 }, { .name = "FILE", .min = 20 }, { 0 }
	};
	enum mem_status st = MEM_OK;
	bool verify = strcmp(verb, "verify") == 0, take = strcmp(verb, "remove") == 0;
	if (strcmp(verb, "install") == 0 && n == 1)
		return install_model(a, names[0]);
	if (!(verify || (take && n > 0) || (strcmp(verb, "list") == 0 && n == 0)))
		mem_die(MEM_USAGE, "expected is: install NAME, install FILE, list, verify or remove NAME");
	if (!take && mem_text_wanted(a->c.format))
		mem_grid_begin(&a->grid, columns);
	for (int i = 0; i < n; i++)
		st = mem_status_worse(st, take ? remove_model(a, find_model_spec(names[i])) : check_model(a, find_model_spec(names[i]), true, false));
	for (size_t i = 0; n == 0 && mem_model_at(i) != NULL; i++)
		st = mem_status_worse(st, check_model(a, mem_model_at(i), verify, true));
	mem_grid_end(&a->grid);
	return st;
}

int
main(int argc, char **argv)
{
	struct model_command a = { .c = MEM_COMMON_INIT, .precision = MEM_MODEL_PRECISION };
	const char *model = NULL;
	const struct mem_opt opts[] = {
		{ 0, "precision", "PRECISION", "keep weights as float32, float16 or int8", .choice = &a.precision, .choices = precisions },
		{ 0, "model", "NAME", "which model FILE is", .str = &model },
		{ 0, "vocab", "VOCAB", "the words that belong to FILE", .str = &a.in.vocab },
		{ 0, "unverified", NULL, "take what is not as its publisher gave it out", .flag = &a.in.unverified },
		MEM_OPT_DRYRUN(a.c), MEM_OPT_FORMAT(a.c), MEM_OPT_QUIET(a.c), MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts, "mem-model [-q] [--precision PRECISION] [--unverified] [--dry-run] install NAME\n"
	    "mem-model [-q] [--precision PRECISION] [--unverified] [--model NAME] [--vocab VOCAB] install FILE\n"
	    "mem-model [--format FORMAT] list\n" "mem-model [-q] [--format FORMAT] verify [NAME...]\n"
	    "mem-model [-q] [--dry-run] remove NAME...", "install, check and remove sentence encoders");
	if (argc == 0)
		mem_die(MEM_USAGE, "one of install, list, verify, remove is expected");
	a.in.spec = model != NULL ? find_model_spec(model) : NULL;
	return mem_finish(run_verb(&a, argv[0], argv + 1, argc - 1));
}
