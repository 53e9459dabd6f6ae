/* SPDX-License-Identifier: Apache-2.0 */
/* What a person should know of a search beside its hits. */
#include "query/query_int.h"
#include "store/node.h"

#include <stdlib.h>
#include <string.h>

enum { UNKNOWN_FIELD_MAX = 32, PENDING_PIECE = 4096 };

struct mem_str
query_find_unknown_field(struct mem_str word)
{
	size_t n = 0;
	while (n < word.n && n <= UNKNOWN_FIELD_MAX && ((word.p[n] >= 'a' && word.p[n] <= 'z') || word.p[n] == '_'))
		n++;
	bool field = n >= 2 && n <= UNKNOWN_FIELD_MAX && n + 1 < word.n && word.p[n] == ':';
	/* An address (https://) and a name (std::sort) are none. */
	if (!field || word.p[n + 1] == '/' || word.p[n + 1] == ':')
		return (struct mem_str){ "", 0 };
	return (struct mem_str){ word.p, n };
}

/* A node that went, or whose attributes are damaged, is not waited for. */
static enum mem_status
is_searched_node(struct mem_txn *t, uint32_t ord, const struct mem_search_query *iq, int64_t now, bool *searched, struct mem_err *err)
{
	const struct mem_attr *attr;
	enum mem_status st = mem_attr_at(t, ord, &attr, err);
	*searched = st == MEM_OK && query_searches_ns(iq, attr->ns);
	if (*searched)
		st = mem_filter_attr(iq->filter, t, attr, now, searched, err);
	return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
}

enum mem_status
query_count_unembedded(uint64_t *out, struct mem_txn *t, const struct mem_search_query *iq, int64_t now, struct mem_err *err)
{
	uint32_t *ords = mem_xcalloc(PENDING_PIECE, sizeof *ords);
	uint32_t after = UINT32_MAX;
	size_t n = 0;
	enum mem_status st;
	*out = 0;
	do {
		st = mem_vectors_pending(t, ords, PENDING_PIECE, after, &n, err);
		for (size_t i = 0; i < n && st == MEM_OK; i++) {
			bool searched;
			st = is_searched_node(t, ords[i], iq, now, &searched, err);
			*out += searched;
		}
		after = n > 0 ? ords[n - 1] : after;
	} while (st == MEM_OK && n == PENDING_PIECE);
	free(ords);
	return st;
}
