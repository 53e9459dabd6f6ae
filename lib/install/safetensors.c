/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Weights out of a safetensors file (github.com/huggingface/safetensors, README, "Format"): the length of
 * a JSON object as 8 bytes, the object, then the numbers.
 */
#include "install/install_int.h"
#include "record/record.h"

#define HEADER_MAX ((uint64_t)16 << 20)

static uint64_t
read_u64(const unsigned char *p)
{
	uint64_t v = 0;
	for (int i = 7; i >= 0; i--)
		v = v << 8 | p[i];
	return v;
}

/* Two numbers at most; false: not such an array.  Shapes of more dimensions are told by *n 3. */
static bool
read_json_numbers(struct mem_json v, uint64_t out[2], unsigned *n)
{
	if (v.type != MEM_JSON_ARRAY)
		return false;
	*n = 0;
	for (struct mem_json_iter it = mem_json_each(v); mem_json_next(&it);) {
		int64_t x;
		if (!mem_json_int(it.value, &x) || x < 0)
			return false;
		if (*n < 2)
			out[*n] = (uint64_t)x;
		if (*n < 3)
			++*n;
	}
	return true;
}

static enum mem_status
read_tensor_entry(struct install_checkpoint *c, struct mem_str name, struct mem_json v, struct mem_str data, struct mem_err *err)
{
	struct install_tensor t = { .name = name };
	struct mem_json type = mem_json_member(v, "dtype");
	uint64_t at[2];
	unsigned two;
	int shown = name.n < 80 ? (int)name.n : 80;
	if (v.type != MEM_JSON_OBJECT || !read_json_numbers(mem_json_member(v, "shape"), t.dims, &t.ndims) ||
	    !read_json_numbers(mem_json_member(v, "data_offsets"), at, &two) || two != 2)
		return install_refuse_checkpoint(c, err, "what it says about the tensor '%.*s' makes no sense", shown, name.p);
	if (at[0] > at[1] || at[1] > data.n)
		return install_refuse_checkpoint(c, err, "the tensor '%.*s' reaches past the end of the file", shown, name.p);
	t.bytes = (struct mem_str){ data.p + at[0], (size_t)(at[1] - at[0]) };
	if (mem_json_is(type, "F16"))
		t.form = INSTALL_TENSOR_F16;
	else if (!mem_json_is(type, "F32"))
		return MEM_OK; /* integers, that nobody asks for */
	if (t.ndims < 1 || t.ndims > 2)
		return MEM_OK;
	return install_add_tensor(c, &t, err);
}

enum mem_status
install_read_safetensors(struct install_checkpoint *c, struct mem_err *err)
{
	struct mem_rec head = { 0 };
	struct mem_err why;
	uint64_t n = read_u64((const unsigned char *)c->file.p);
	if (n > HEADER_MAX || n > c->file.n - 8)
		return install_refuse_checkpoint(c, err, "its header is longer than the file, or than %u MiB", (unsigned)(HEADER_MAX >> 20));
	struct mem_str json = { c->file.p + 8, (size_t)n };
	struct mem_str data = { json.p + n, c->file.n - 8 - (size_t)n };
	enum mem_status st = mem_rec_scan(&head, json, &why);
	if (st != MEM_OK)
		st = install_refuse_checkpoint(c, err, "its header is not JSON: %s", why.msg);
	for (size_t i = 0; st == MEM_OK && i < head.nfields; i++) {
		const struct mem_field *f = &head.fields[i];
		if (!mem_str_is(f->key, "__metadata__"))
			st = read_tensor_entry(c, f->key, f->value, data, err);
	}
	mem_rec_release(&head);
	return st;
}
