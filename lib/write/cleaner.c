/* SPDX-License-Identifier: Apache-2.0 */
/* The sanitiser as the settings and the caller want it. */
#include "write/write.h"

#include <fcntl.h>
#include <unistd.h>

static enum mem_status
parse_marker_mode(struct mem_str s, enum mem_marker_mode *mode, struct mem_err *err)
{
	static const char *const words[] = {
		[MEM_MARKERS_EXCISE] = "excise", [MEM_MARKERS_FLAG] = "flag", [MEM_MARKERS_STRICT] = "strict",
	};
	for (size_t i = 0; i < MEM_COUNT(words); i++)
		if (mem_str_is(s, words[i])) {
			*mode = (enum mem_marker_mode)i;
			return MEM_OK;
		}
	return mem_err_set(err, MEM_USAGE, "--markers: '%.*s' is not one of excise, flag, strict", (int)s.n, s.p);
}

static enum mem_status
load_cleaner_rules(struct mem_clean *c, struct mem_store *s, const char *setting, struct mem_err *err)
{
	struct mem_str path = mem_conf_str(mem_store_conf(s), setting);
	if (path.n == 0)
		return MEM_OK;
	return mem_clean_load(c, mem_store_folder(s), path.p, err); /* relative to it */
}

enum mem_status
mem_write_cleaner(struct mem_clean **out, struct mem_store *s, const char *redact,
    const char *markers, struct mem_err *err)
{
	const struct mem_conf *conf = mem_store_conf(s);
	unsigned groups = 0;
	enum mem_marker_mode mode = MEM_MARKERS_EXCISE;
	enum mem_status st = mem_redact_parse(redact != NULL ? mem_str(redact) : mem_conf_str(conf, "redact.groups"), &groups, err);
	if (st == MEM_OK)
		st = parse_marker_mode(markers != NULL ? mem_str(markers) : mem_conf_str(conf, "markers.mode"), &mode, err);
	if (st != MEM_OK)
		return st;
	if (!mem_store_principal(s)->is_operator) {
		if ((groups & MEM_REDACT_SECRETS) == 0)
			return mem_err_set(err, MEM_DENIED, "only an operator may keep secrets (redact.groups)");
		if (mode == MEM_MARKERS_FLAG)
			return mem_err_set(err, MEM_DENIED, "only an operator may switch the cutting of markers off (markers.mode)");
	}
	struct mem_clean *c = mem_clean_new(groups, mode);
	st = load_cleaner_rules(c, s, "redact.rules", err);
	if (st == MEM_OK)
		st = load_cleaner_rules(c, s, "markers.rules", err);
	if (st != MEM_OK) {
		mem_clean_free(c);
		return st;
	}
	*out = c;
	return MEM_OK;
}
