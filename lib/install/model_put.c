/* SPDX-License-Identifier: Apache-2.0 */
/* Models as records. */
#include "install/install_int.h"
#include "record/record.h"

static void
begin_model_record(struct mem_buf *b, const char *name)
{
	mem_buf_putc(b, '{');
	mem_json_put_field(b, "name", mem_str(name));
}

void
mem_model_put(struct mem_buf *out, const struct mem_model_info *info, const char *path, bool more)
{
	const struct mem_model_spec *spec = mem_model_find(mem_str(info->name));
	begin_model_record(out, info->name);
	mem_json_put_field(out, "file", mem_str(path));
	mem_json_put_field(out, "sha256", mem_str(info->sha256));
	mem_json_put_int(out, "bytes", (int64_t)info->bytes);
	mem_json_put_field(out, "precision", mem_str(mem_precision_name(info->precision)));
	if (more && spec != NULL) {
		mem_json_put_field(out, "title", mem_str(spec->title));
		mem_json_put_field(out, "license", mem_str(spec->license));
	}
	mem_buf_putc(out, '}');
}

void
mem_model_put_plan(struct mem_buf *out, const struct mem_model_spec *spec)
{
	const struct mem_model_source *s = &spec->sources[0];
	struct mem_buf package = { 0 };
	mem_package_name(&package, s);
	begin_model_record(out, spec->name);
	mem_json_put_field(out, "registry", mem_str(s->registry == MEM_PYPI ? "PyPI" : "Maven"));
	mem_json_put_field(out, "package", mem_buf_span(&package));
	mem_json_put_int(out, "bytes", (int64_t)s->bytes);
	mem_json_put_field(out, "license", mem_str(spec->license));
	mem_buf_putc(out, '}');
	mem_buf_release(&package);
}

void
mem_model_put_removed(struct mem_buf *out, const struct mem_model_spec *spec, const char *path)
{
	begin_model_record(out, spec->name);
	mem_json_put_field(out, "file", mem_str(path));
	mem_json_put_field(out, "verdict", MEM_STR("removed"));
	mem_buf_putc(out, '}');
}
