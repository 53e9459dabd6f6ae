/* SPDX-License-Identifier: Apache-2.0 */
/* The models that mem-model lists and verifies. */
#ifndef MEM_CMD_MODEL_CHECK_H
#define MEM_CMD_MODEL_CHECK_H

#include <stdio.h>

#include "cli/cli.h"
#include "install/install.h"
#include "model/model.h"

struct model_command {
	struct mem_common c;
	struct mem_install_options in;
	int precision;
	struct mem_grid grid;
};

static inline const struct mem_model_spec *
find_model_spec(const char *name)
{
	const struct mem_model_spec *spec = mem_model_find(mem_str(name));
	if (spec == NULL)
		mem_die(MEM_USAGE, "there is no model '%s': those there are: e5, me5, minilm, bge", name);
	return spec;
}

/* Prints and releases. */
static inline enum mem_status
print_record(struct mem_buf *record)
{
	mem_out_line(mem_buf_span(record));
	mem_buf_release(record);
	return MEM_OK;
}

static inline void
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
static inline enum mem_status
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

/* Those that are named, else all that there may be. */
static inline enum mem_status
check_models(struct model_command *a, bool verify, char **names, int n)
{
	static const struct mem_column columns[] = {
		{ .name = "NAME" }, { .name = "MODEL", .min = 8, .leave_out = 2 }, { .name = "PRECISION", .min = 4, .leave_out = 3 },
		{ .name = "SIZE", .right = true }, { .name = "LICENSE", .min = 4, .leave_out = 1 }, { .name = "FILE", .min = 20 }, { 0 }
	};
	enum mem_status st = MEM_OK;
	if (mem_text_wanted(a->c.format))
		mem_grid_begin(&a->grid, columns);
	for (int i = 0; i < n; i++)
		st = mem_status_worse(st, check_model(a, find_model_spec(names[i]), verify, false));
	for (size_t i = 0; n == 0 && mem_model_at(i) != NULL; i++)
		st = mem_status_worse(st, check_model(a, mem_model_at(i), verify, true));
	mem_grid_end(&a->grid);
	return st;
}

#endif
