/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as config.yaml: settings whose values are of their types, or a refusal that names the file. */
#include "fuzz_store.h"

#include <fcntl.h>
#include <string.h>

#include "conf/conf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check(const struct mem_conf *c)
{
	static const char *const texts[] = { "agent", "documents.ns", "markers.rules", "redact.groups", "redact.rules",
		"search.language", "skills.ns", "vault.ns" };
	struct mem_hash hash;
	for (size_t i = 0; i < MEM_COUNT(texts); i++) {
		struct mem_str s = mem_conf_str(c, texts[i]);
		MUST(s.p != NULL && strlen(s.p) == s.n && mem_utf8_valid(s.p, s.n) == s.n);
	}
	MUST(mem_conf_int(c, "capture.commit_every") >= 1 && mem_conf_int(c, "capture.max_bytes") >= 1);
	double trust = mem_conf_num(c, "capture.trust"), most = mem_conf_num(c, "capture.trust_max");
	MUST(trust >= 0 && trust <= 1 && most >= 0 && most <= 1);
	struct mem_str mode = mem_conf_str(c, "markers.mode");
	MUST(mem_str_is(mode, "excise") || mem_str_is(mode, "flag"));
	MUST(mem_conf_duration(c, "store.wait") >= -1);
	const struct mem_yaml *operators = mem_conf_node(c, "operators"), *agents = mem_conf_node(c, "agents");
	MUST(operators == NULL || operators->type == MEM_YAML_SEQ);
	MUST(agents == NULL || agents->type == MEM_YAML_MAP);
	bool sets = mem_conf_node(c, "redact.rules") != NULL || mem_conf_node(c, "markers.rules") != NULL;
	MUST(mem_conf_active_hash(c, &hash) == sets);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int dir = -1;
	struct mem_conf *c = NULL;
	struct mem_err err;
	if (dir < 0) {
		fuzz_dir_make();
		dir = open(fuzz_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	int fd = openat(dir, "config.yaml", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	MUST(fd >= 0 && mem_fd_write(fd, data, size, &err) == MEM_OK);
	close(fd);
	if (mem_conf_load(&c, dir, &err) == MEM_OK)
		check(c);
	else
		MUST(strstr(err.msg, "config.yaml") != NULL);
	mem_conf_free(c);
	return 0;
}
