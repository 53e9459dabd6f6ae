/* SPDX-License-Identifier: Apache-2.0 */
/* Whose is a key that a check tells of? */
#include <string.h>

#include "store/store_int.h"
#include "store/edge_int.h"
#include "store/node.h"

/* May the principal see a key?  `unknown`: what is said where nobody can tell whose it is. */
typedef bool key_readable_fn(struct mem_txn *t, struct mem_str key, bool unknown);

static bool
is_readable_number(struct mem_txn *t, uint32_t number, bool unknown)
{
	struct store_ns_entry *e;
	return store_ns_by_number(t, number, &e, NULL) == MEM_OK ? e->readable : unknown;
}

static bool
is_readable_ord(struct mem_txn *t, struct mem_str key, size_t at, bool unknown)
{
	return key.n >= at + 4 ? mem_node_damage_readable(t, mem_be32_get((const uint8_t *)key.p + at), unknown) : unknown;
}

static bool
is_readable_id(struct mem_txn *t, struct mem_str key, bool unknown)
{
	struct mem_str v;
	struct mem_id id;
	uint32_t ns;
	if (mem_tab_get(t, MEM_T_ID, key, &v, NULL) == MEM_OK && v.n == 4)
		return is_readable_ord(t, v, 0, unknown);
	if (key.n != sizeof id.b)
		return unknown;
	memcpy(id.b, key.p, sizeof id.b);
	return store_log_find_ns(t, &id, &ns) == MEM_OK ? is_readable_number(t, ns, unknown) : unknown;
}

static bool
is_readable_name(struct mem_txn *t, struct mem_str key, bool unknown)
{
	struct mem_access_request ask = { .access = MEM_READ };
	if (key.n == 5 && key.p[0] == '\0')
		return is_readable_number(t, mem_be32_get((const uint8_t *)key.p + 1), unknown);
	return store_ns_key_parse(key, &ask.ns, &ask.compartment) ? mem_store_allows(t->s, &ask) : unknown;
}

static bool
is_readable_node_key(struct mem_txn *t, struct mem_str key, bool unknown)
{
	return is_readable_ord(t, key, 0, unknown);
}

static bool
is_readable_pend_key(struct mem_txn *t, struct mem_str key, bool unknown)
{
	return is_readable_ord(t, key, key.n == 8 ? 4 : 0, unknown);
}

static bool
is_readable_due_key(struct mem_txn *t, struct mem_str key, bool unknown)
{
	return is_readable_ord(t, key, 8, unknown);
}

static bool
is_readable_edge_key(struct mem_txn *t, struct mem_str key, bool unknown)
{
	return is_readable_ord(t, key, 0, unknown) && is_readable_ord(t, key, STORE_EDGE_KEY - 4, unknown);
}

/* A namespace's number stands first. */
static bool
is_readable_ns_key(struct mem_txn *t, struct mem_str key, bool unknown)
{
	return key.n >= 4 ? is_readable_number(t, mem_be32_get((const uint8_t *)key.p), unknown) : unknown;
}

/* Keys of other tables say nothing of what anybody wrote. */
static key_readable_fn *const key_readable[MEM_T_COUNT] = {
	[MEM_T_NS] = is_readable_name, [MEM_T_ID] = is_readable_id, [MEM_T_NODE] = is_readable_node_key, [MEM_T_ATTR] = is_readable_node_key,
	[MEM_T_REF] = is_readable_ns_key, [MEM_T_DUP] = is_readable_ns_key, [MEM_T_NAME] = is_readable_ns_key,
	[MEM_T_SESS] = is_readable_ns_key, [MEM_T_OUT] = is_readable_edge_key, [MEM_T_IN] = is_readable_edge_key,
	[MEM_T_DUE] = is_readable_due_key, [MEM_T_PEND] = is_readable_pend_key, [MEM_T_ROW] = is_readable_node_key,
	[MEM_T_CODE] = is_readable_node_key, [MEM_T_TAIL] = is_readable_node_key, [MEM_T_PIECE] = is_readable_node_key,
};

bool
mem_breach_key_readable(struct mem_txn *t, const struct mem_breach *b)
{
	const bool unknown = t->s->who.is_operator; /* who is to mend it */
	int tab = 0;
	while (tab < MEM_T_COUNT && strcmp(store_table_names[tab], b->table) != 0)
		tab++;
	return tab == MEM_T_COUNT || key_readable[tab] == NULL || key_readable[tab](t, b->key, unknown);
}
