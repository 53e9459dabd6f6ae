/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a store with the analyser that its index was made with. */
#include "words/words.h"

#include <string.h>

/* In table meta, the analyser's hash and the index's form: what was made by other rules would
 * answer wrongly, and what has another form looks damaged. */
static const struct mem_str analyser_key = MEM_STR_INIT("analyser");

static uint64_t
hash_index_rules(const struct mem_analyser *a)
{
	return mem_analyser_hash(a) ^ MEM_INDEX_FORMAT;
}

enum mem_status
mem_index_rules_put(struct mem_txn *t, const struct mem_analyser *a, struct mem_err *err)
{
	uint8_t v[8];
	mem_be64(v, hash_index_rules(a));
	return mem_tab_put(t, MEM_T_META, analyser_key, (struct mem_str){ (const char *)v, sizeof v }, err);
}

static enum mem_status
record_index_rules(struct mem_txn *t, void *ctx, struct mem_err *err)
{
	struct mem_str there;
	enum mem_status st = mem_tab_get(t, MEM_T_META, analyser_key, &there, err);
	if (st != MEM_NOTFOUND)
		return st; /* somebody else was first: the next open compares */
	return mem_index_rules_put(t, ctx, err);
}

enum mem_status
mem_index_rules_differ(struct mem_txn *t, const struct mem_analyser *a, bool *known, bool *differs,
    struct mem_err *err)
{
	struct mem_str there;
	enum mem_status st = mem_tab_get(t, MEM_T_META, analyser_key, &there, err);
	*known = st == MEM_OK;
	*differs = *known && (there.n != 8 || mem_be64_get((const uint8_t *)there.p) != hash_index_rules(a));
	return st == MEM_NOTFOUND ? MEM_OK : st;
}

static enum mem_status
check_index_rules(struct mem_index *m, bool write, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	bool known = false, differs = false;
	enum mem_status st = mem_txn_read(&t, m->store, err);
	if (st != MEM_OK)
		return st;
	st = mem_index_rules_differ(t, m->analyser, &known, &differs, err);
	mem_txn_end(t);
	if (st == MEM_OK && differs)
		return mem_err_set(err, MEM_FAIL, "the index of '%s' was made by other rules (another search.language, "
		    "or an older memkit): run mem-maintain upgrade", mem_store_path(m->store));
	if (st != MEM_OK || known || !write)
		return st;
	return mem_store_write(m->store, record_index_rules, m->analyser, err);
}

enum mem_status
mem_index_open_any(struct mem_index *m, const struct mem_store_options *ask, struct mem_err *err)
{
	*m = (struct mem_index){ 0 };
	char language[32] = "";
	enum mem_status st = mem_store_open(&m->store, ask, err);
	if (st != MEM_OK)
		return st;
	struct mem_str s = mem_conf_str(mem_store_conf(m->store), "search.language");
	if (s.n < sizeof language)
		memcpy(language, s.p, s.n);
	st = mem_analyser_open(&m->analyser, language, err);
	if (st != MEM_OK)
		mem_index_close(m);
	return st;
}

enum mem_status
mem_index_open(struct mem_index *m, const struct mem_store_options *ask, struct mem_err *err)
{
	enum mem_status st = mem_index_open_any(m, ask, err);
	if (st != MEM_OK)
		return st;
	st = check_index_rules(m, ask->write, err);
	if (st != MEM_OK)
		mem_index_close(m);
	return st;
}

void
mem_index_close(struct mem_index *m)
{
	mem_analyser_close(m->analyser);
	mem_store_close(m->store);
	*m = (struct mem_index){ 0 };
}
