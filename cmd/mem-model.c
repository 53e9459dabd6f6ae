/* SPDX-License-Identifier: Apache-2.0 */
/* mem-model: the sentence encoders of this user. */
#include "model_check.h"

static const char *const precisions[] = { "float32", "float16", "int8", NULL };

static enum mem_status
install_model(struct model_command *a, const char *what)
{
	struct mem_model_info info;
	struct mem_err err;
	struct mem_buf b = { 0 }, path = { 0 };
	if (a->c.dry_run && (a->in.spec != NULL || a->in.vocab != NULL))
		mem_die(MEM_USAGE, "--dry-run is for install NAME, --model and --vocab for install FILE");
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

static const struct mem_verb verbs[] = {
	{ "install", "precision unverified model vocab dry-run quiet", 1, 1 },
	{ "list", "format", 0, 0 },
	{ "verify", "format quiet", 0, -1 },
	{ "remove", "dry-run quiet", 1, -1 },
	{ 0 }
};
enum { INSTALL, LIST, VERIFY, REMOVE };

static enum mem_status
remove_models(const struct model_command *a, char **names, int n)
{
	enum mem_status st = MEM_OK;
	for (int i = 0; i < n; i++)
		st = mem_status_worse(st, remove_model(a, find_model_spec(names[i])));
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
	int verb = (int)(mem_verb_take(&argc, &argv, verbs) - verbs);
	a.in.spec = model != NULL ? find_model_spec(model) : NULL;
	if (verb == INSTALL)
		return mem_finish(install_model(&a, argv[0]));
	return mem_finish(verb == REMOVE ? remove_models(&a, argv, argc) : check_models(&a, verb == VERIFY, argv, argc));
}
