/* SPDX-License-Identifier: Apache-2.0 */
/* Which episodes are consolidated, and in what order. */
#include "belief/consolidate_int.h"
#include "base/numbers.h"
#include "base/order.h"

#include <stdlib.h>
#include <string.h>

/* ---- namespaces ---------------------------------------------------------- */

static bool
wants_ns(const struct consolidate_run *r, const char *name)
{
	for (size_t i = 0; i < r->o.nns; i++)
		if (strcmp(r->o.ns[i], name) == 0)
			return true;
	return r->o.nns == 0;
}

static enum mem_status
check_named_ns(const struct consolidate_run *r, struct mem_err *err)
{
	for (size_t i = 0; i < r->o.nns; i++) {
		const struct mem_access_request to = { .access = MEM_WRITE, .ns = mem_str(r->o.ns[i]) };
		if (!mem_ns_valid(to.ns))
			return mem_err_set(err, MEM_USAGE, "no namespace: '%s'", r->o.ns[i]);
		if (!mem_store_allows(r->store, &to))
			return mem_err_set(err, MEM_DENIED, "%s may not write to %s", mem_store_principal(r->store)->agent, r->o.ns[i]);
	}
	return MEM_OK;
}

enum mem_status
consolidate_pick_ns(struct consolidate_run *r, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_ns *seen = NULL;
	size_t n = 0;
	enum mem_status st = check_named_ns(r, err);
	if (st == MEM_OK)
		st = mem_txn_read(&t, r->store, err);
	if (st == MEM_OK)
		st = consolidate_mark_read(&r->mark, t, err);
	if (st == MEM_OK)
		st = mem_ns_visible(t, &seen, &n, err);
	mem_txn_end(t);
	consolidate_scan_begin(&r->scan, r->keeps_mark ? NULL : &r->mark, r->o.since);
	for (size_t i = 0; i < n && st == MEM_OK; i++) {
		const struct mem_access_request to = { .access = MEM_WRITE, .ns = mem_str(seen[i].name) };
		if (seen[i].number == seen[i].root && wants_ns(r, seen[i].name) && mem_store_allows(r->store, &to))
			consolidate_scan_add_ns(&r->scan, seen[i].number);
	}
	free(seen);
	return st;
}

/* ---- ords that are known beforehand ---------------------------------------- */

static void
choose_ord(struct consolidate_run *r, uint32_t ord)
{
	r->ords = mem_grow(r->ords, &r->ords_cap, r->nords + 1, sizeof *r->ords);
	r->ords[r->nords++] = ord;
}

static void
sort_chosen(struct consolidate_run *r)
{
	mem_sort(r->ords, r->nords, sizeof *r->ords, mem_number_compare);
}

/* A failure whose episode was erased is none any more. */
enum mem_status
consolidate_pick_failures(struct consolidate_run *r, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	enum mem_status st = mem_txn_read(&t, r->store, err);
	for (size_t i = r->mark.nfailures; i > 0 && st == MEM_OK; i--) {
		const struct consolidate_failure f = r->mark.failures[i - 1];
		struct mem_node node;
		if (!consolidate_scan_has_ns(&r->scan, f.ns) || (consolidate_has_failed(&f) && !r->o.retry_failed))
			continue;
		st = mem_node_by_id(t, &f.id, &node, err);
		if (st == MEM_OK || st == MEM_DAMAGED) {
			choose_ord(r, node.ord);
			r->mark.failures[i - 1].tries = f.tries < MEM_CONSOLIDATE_RETRIES ? f.tries : MEM_CONSOLIDATE_RETRIES;
		}
		else if (st == MEM_NOTFOUND)
			consolidate_mark_forgive(&r->mark, &f.id);
		st = st == MEM_DAMAGED || st == MEM_NOTFOUND ? MEM_OK : st;
	}
	mem_txn_end(t);
	sort_chosen(r);
	return st;
}

enum mem_status
consolidate_pick_session(struct consolidate_run *r, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	enum mem_status st = mem_txn_read(&t, r->store, err);
	for (size_t i = 0; i < r->scan.nns && st == MEM_OK; i++) {
		struct mem_ns ns;
		int64_t at = MEM_TIME_NONE;
		uint32_t ord = 0;
		st = mem_ns_by_number(t, r->scan.ns[i], &ns, err);
		while (st == MEM_OK && (st = mem_node_in_session(t, mem_str(ns.name), mem_str(r->o.session), false, &at, &ord, err)) == MEM_OK)
			choose_ord(r, ord);
		st = st == MEM_END ? MEM_OK : st;
	}
	mem_txn_end(t);
	sort_chosen(r);
	return st;
}

/* ---- a batch ------------------------------------------------------------- */

static enum mem_status
pick_raw_episodes(struct consolidate_run *r, size_t max, uint32_t *ords, size_t *n, struct mem_err *err)
{
	struct consolidate_raw raw[MEM_CONSOLIDATE_BATCH];
	enum mem_status st = MEM_OK;
	while (st == MEM_OK && *n < max) {
		struct mem_txn *t = NULL;
		size_t found = 0;
		st = mem_txn_read(&t, r->store, err);
		if (st == MEM_OK)
			st = consolidate_scan_next(&r->scan, t, max - *n, raw, &found, err);
		mem_txn_end(t);
		for (size_t i = 0; i < found; i++)
			ords[(*n)++] = raw[i].ord;
	}
	r->ended = st == MEM_END;
	return st == MEM_END ? MEM_OK : st;
}

enum mem_status
consolidate_pick(struct consolidate_run *r, size_t max, uint32_t *ords, size_t *n, struct mem_err *err)
{
	*n = 0;
	while (*n < max && r->ords_at < r->nords)
		ords[(*n)++] = r->ords[r->ords_at++];
	r->chosen = *n > 0;
	return !r->chosen && r->o.session == NULL ? pick_raw_episodes(r, max, ords, n, err) : MEM_OK;
}
