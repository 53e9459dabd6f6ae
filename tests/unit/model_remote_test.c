/* SPDX-License-Identifier: Apache-2.0 */
/* What a server of embeddings may answer, and what the settings may say of one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/model_int.h"

static struct mem_err err;

static enum mem_status
read_answer(const char *body, size_t n, uint32_t *dims, float **v)
{
	return model_read_answer(mem_str(body), n, dims, v, &err);
}

static void
rows_come_in_the_order_of_index(void **state)
{
	uint32_t dims = 0;
	float *v;
	(void)state;
	assert_int_equal(read_answer("{\"data\":[{\"index\":1,\"embedding\":[0,2]},\n"
	    " {\"embedding\":[3, 4e0],\"index\":0}],\"model\":\"m\"}\n", 2, &dims, &v), MEM_OK);
	assert_int_equal(dims, 2);
	static const float want[] = { 0.6f, 0.8f, 0, 1 };
	for (size_t i = 0; i < 4; i++)
		assert_true(fabsf(v[i] - want[i]) < 1e-7f);
	free(v);
	/* Without index: as they come; known dimensions must come again. */
	assert_int_equal(read_answer("{\"data\":[{\"embedding\":[0,2]},{\"embedding\":[-1,0]}]}", 2, &dims, &v), MEM_OK);
	assert_true(v[1] > 0.9f && v[2] < -0.9f);
	free(v);
	dims = 3;
	assert_int_equal(read_answer("{\"data\":[{\"embedding\":[0,2]}]}", 1, &dims, &v), MEM_FAIL);
	assert_int_equal(dims, 3);
}

static void
other_answers_are_refused(void **state)
{
	static const struct { const char *body, *why; } bad[] = {
		{ "", "JSON" }, { "<html>", "JSON" }, { "{\"data\":[{\"embedding\":[1,NaN]},", "JSON" },
		{ "{\"data\":[{\"embedding\":[1,2]},{\"embedding\":[1,2]", "JSON" },
		{ "[]", "no array 'data'" }, { "{}", "no array 'data'" }, { "{\"data\":{}}", "no array 'data'" },
		{ "{\"data\":[]}", "0 vectors for 2 texts" },
		{ "{\"data\":[1,2]}", "no array 'embedding'" },
		{ "{\"data\":[{\"embedding\":\"AAAA\"},{\"embedding\":[1]}]}", "no array 'embedding'" },
		{ "{\"data\":[{\"embedding\":[]},{\"embedding\":[]}]}", "no dimensions" },
		{ "{\"data\":[{\"embedding\":[1,2]}]}", "1 vectors for 2 texts" },
		{ "{\"data\":[{\"embedding\":[1]},{\"embedding\":[1]},{\"embedding\":[1]}]}", "other texts" },
		{ "{\"data\":[{\"index\":0,\"embedding\":[1]},{\"index\":0,\"embedding\":[1]}]}", "other texts" },
		{ "{\"data\":[{\"index\":2,\"embedding\":[1]},{\"index\":0,\"embedding\":[1]}]}", "other texts" },
		{ "{\"data\":[{\"index\":-1,\"embedding\":[1]},{\"index\":0,\"embedding\":[1]}]}", "other texts" },
		{ "{\"data\":[{\"index\":1.5,\"embedding\":[1]},{\"index\":0,\"embedding\":[1]}]}", "other texts" },
		{ "{\"data\":[{\"embedding\":[1,2]},{\"embedding\":[1,2,3]}]}", "2 and of 3" },
		{ "{\"data\":[{\"embedding\":[1,2]},{\"embedding\":[1]}]}", "2 and of 1" },
		{ "{\"data\":[{\"embedding\":[1,null]},{\"embedding\":[1,2]}]}", "no number" },
		{ "{\"data\":[{\"embedding\":[1,1e39]},{\"embedding\":[1,2]}]}", "no number" },
		{ "{\"data\":[{\"embedding\":[1,1e400]},{\"embedding\":[1,2]}]}", "no number" },
		{ "{\"data\":[{\"embedding\":[1,\"2\"]},{\"embedding\":[1,2]}]}", "no number" },
		{ "{\"data\":[{\"embedding\":[0,0]},{\"embedding\":[1,2]}]}", "length 0" },
		{ "{\"data\":[{\"embedding\":[1e-30,0]},{\"embedding\":[1,2]}]}", NULL },
	};
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(bad); i++) {
		uint32_t dims = 0;
		float *v = NULL;
		enum mem_status st = read_answer(bad[i].body, 2, &dims, &v);
		if (bad[i].why == NULL) {
			/* Tiny, but a direction: in float its square would be nothing. */
			assert_int_equal(st, MEM_OK);
			assert_true(v[0] > 0.999f);
			free(v);
			continue;
		}
		if (st != MEM_FAIL || strstr(err.msg, bad[i].why) == NULL)
			fail_msg("%s: %d %s", bad[i].body, (int)st, err.msg);
		assert_null(v);
		assert_int_equal(dims, 0);
	}
}

static void
too_many_dimensions_are_refused(void **state)
{
	struct mem_buf b = { 0 };
	(void)state;
	for (uint32_t n = MODEL_REMOTE_DIMS_MAX; n <= MODEL_REMOTE_DIMS_MAX + 1; n++) {
		uint32_t dims = 0;
		float *v = NULL;
		mem_buf_reset(&b);
		mem_buf_puts(&b, "{\"data\":[{\"embedding\":[1");
		for (uint32_t i = 1; i < n; i++)
			mem_buf_puts(&b, ",0");
		mem_buf_puts(&b, "]}]}");
		assert_int_equal(read_answer(b.data, 1, &dims, &v), n == MODEL_REMOTE_DIMS_MAX ? MEM_OK : MEM_FAIL);
		free(v);
	}
	mem_buf_release(&b);
}

/* ---- settings ----------------------------------------------------------- */

static enum mem_status
open_with(const char *yaml, struct model_remote **out)
{
	char dir[] = "/tmp/memkit-remote-XXXXXX", path[80];
	struct mem_conf *conf;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(setenv("XDG_CONFIG_HOME", dir, 1), 0);
	snprintf(path, sizeof path, "%s/memkit", dir);
	assert_int_equal(mem_dir_make(path, 0700, &err), MEM_OK);
	snprintf(path, sizeof path, "%s/memkit/config.yaml", dir);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "embed: %s\n", yaml);
	fclose(f);
	assert_int_equal(mem_conf_load(&conf, -1, &err), MEM_OK);
	*out = NULL;
	enum mem_status st = model_remote_open(out, conf, &err);
	mem_conf_free(conf);
	snprintf(path, sizeof path, "rm -r '%s'", dir);
	assert_int_equal(system(path), 0);
	return st;
}

static void
settings_that_make_no_server_are_refused(void **state)
{
	static const char *const bad[] = {
		"{url: 'ftp://h', model: m}", "{url: h, model: m}", "{url: 'http://', model: m}", "{url: 'https:///v1', model: m}",
		"{url: 'https://u:p@h', model: m}", "{url: 'https://h\\@127.0.0.1', model: m}", "{url: 'https://h h', model: m}",
		"{url: 'https://h'}", "{url: 'https://h', model: m, key_env: 'sk-123'}", "{url: 'https://h', model: m, key_env: '1A'}",
		"{url: 'http://h', model: m, key_env: K}", "{url: 'http://127.0.0.1.example', model: m, key_env: K}",
		"{url: 'http://128.0.0.1', model: m, key_env: K}", "{url: 'https://h', model: m, timeout: 0s}",
		"{url: 'https://h', model: 0123456789012345678901234567890123456789012345678901234567890123}",
	};
	struct model_remote *r;
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(bad); i++)
		if (open_with(bad[i], &r) != MEM_FAIL)
			fail_msg("taken: %s", bad[i]);
}

static void
settings_of_a_server_are_taken(void **state)
{
	static const char *const good[] = {
		"{url: 'https://h', model: m, key_env: K}", "{url: 'HTTPS://h:8443/x/v1/', model: m}", "{url: 'http://h', model: m}",
		"{url: 'http://127.8.9.1:80/v1/embeddings', model: m, key_env: _k2}", "{url: 'http://[::1]:80', model: m, key_env: K}",
		"{url: 'http://LOCALHOST', model: m, key_env: K}", "{url: 'https://h/v1/embeddings?api-version=1', model: m}",
	};
	struct model_remote *r;
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(good); i++) {
		if (open_with(good[i], &r) != MEM_OK)
			fail_msg("%s: %s", good[i], err.msg);
		const struct mem_encoder_info *info = model_remote_info(r);
		assert_string_equal(info->name, "m");
		assert_int_equal(info->dims, 0);
		assert_true(info->remote && info->sha256[0] == '\0' && info->mean == NULL);
		model_remote_close(r);
	}
	assert_int_equal(open_with("{model: m}", &r), MEM_ABSENT);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_come_in_the_order_of_index),
		cmocka_unit_test(other_answers_are_refused),
		cmocka_unit_test(too_many_dimensions_are_refused),
		cmocka_unit_test(settings_that_make_no_server_are_refused),
		cmocka_unit_test(settings_of_a_server_are_taken),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
