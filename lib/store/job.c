/* SPDX-License-Identifier: Apache-2.0 */
/* What table meta keeps of a job: "job:" NAME, or "job:" NAME ":" AGENT, when it last began (8 bytes, big-endian)
 * and the outcome; "mark:" NAME. */
#include "store/job.h"

#include <stdio.h>

enum { KEY_MAX = 128 };

int64_t
mem_job_now(const struct mem_store *s)
{
	int64_t now = mem_store_now(s), clock = mem_time_now();
	return mem_store_principal(s)->is_operator || now < clock ? now : clock;
}

static struct mem_str
job_row_key(char key[KEY_MAX], const char *form, const char *name, const char *agent)
{
	int n = snprintf(key, KEY_MAX, "%s:%s%s%s", form, name, agent != NULL ? ":" : "", agent != NULL ? agent : "");
	return (struct mem_str){ key, n < KEY_MAX ? (size_t)n : KEY_MAX - 1 };
}

enum mem_status
mem_job_last_get(struct mem_txn *t, const char *name, const char *agent, struct mem_job_last *out, struct mem_err *err)
{
	char key[KEY_MAX];
	struct mem_str v;
	*out = (struct mem_job_last){ .at = MEM_TIME_NONE };
	enum mem_status st = mem_tab_get(t, MEM_T_META, job_row_key(key, "job", name, agent), &v, err);
	if (st == MEM_NOTFOUND)
		return MEM_OK;
	/* One of another form is as none: the job runs once more, and the row is right again. */
	if (st == MEM_OK && v.n >= 8 && v.n - 8 < sizeof out->outcome) {
		out->at = (int64_t)mem_be64_get((const uint8_t *)v.p);
		memcpy(out->outcome, v.p + 8, v.n - 8);
	}
	return st;
}

enum mem_status
mem_job_last_put(struct mem_txn *t, const char *name, const char *agent, const struct mem_job_last *last, struct mem_err *err)
{
	char key[KEY_MAX];
	uint8_t v[8 + sizeof last->outcome];
	size_t n = strnlen(last->outcome, sizeof last->outcome);
	mem_be64(v, (uint64_t)last->at);
	memcpy(v + 8, last->outcome, n);
	return mem_tab_put(t, MEM_T_META, job_row_key(key, "job", name, agent), (struct mem_str){ (const char *)v, 8 + n }, err);
}

enum mem_status
mem_job_mark_get(struct mem_txn *t, const char *name, struct mem_str *out, struct mem_err *err)
{
	char key[KEY_MAX];
	enum mem_status st = mem_tab_get(t, MEM_T_META, job_row_key(key, "mark", name, NULL), out, err);
	if (st == MEM_NOTFOUND)
		*out = MEM_STR("");
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

enum mem_status
mem_job_mark_put(struct mem_txn *t, const char *name, struct mem_str mark, struct mem_err *err)
{
	char key[KEY_MAX];
	return mem_tab_put(t, MEM_T_META, job_row_key(key, "mark", name, NULL), mark, err);
}
