/* SPDX-License-Identifier: Apache-2.0 */
/* UUIDs: text, order, version 7 by time and version 8 by content (RFC 9562). */
#include "base/base.h"

#include <string.h>

static bool
is_dash_place(size_t i)
{
	return i == 8 || i == 13 || i == 18 || i == 23;
}

bool
mem_id_parse(struct mem_str s, struct mem_id *out)
{
	struct mem_id id = { { 0 } };
	if (s.n != MEM_ID_LEN)
		return false;
	for (size_t i = 0, nibble = 0; i < s.n; i++) {
		if (is_dash_place(i)) {
			if (s.p[i] != '-')
				return false;
			continue;
		}
		int v = mem_hex_digit(s.p[i]);
		if (v < 0)
			return false;
		id.b[nibble / 2] = (uint8_t)(id.b[nibble / 2] << 4 | v);
		nibble++;
	}
	*out = id;
	return true;
}

void
mem_id_format(const struct mem_id *id, char out[MEM_ID_LEN + 1])
{
	static const char digits[] = "0123456789abcdef";
	size_t o = 0;
	for (size_t i = 0; i < sizeof id->b; i++) {
		if (is_dash_place(o))
			out[o++] = '-';
		out[o++] = digits[id->b[i] >> 4];
		out[o++] = digits[id->b[i] & 15];
	}
	out[o] = '\0';
}

int
mem_id_cmp(const struct mem_id *a, const struct mem_id *b)
{
	return memcmp(a->b, b->b, sizeof a->b);
}

static void
mark_uuid_version(struct mem_id *id, unsigned version)
{
	id->b[6] = (uint8_t)((id->b[6] & 0x0f) | version << 4);
	id->b[8] = (uint8_t)((id->b[8] & 0x3f) | 0x80);
}

struct mem_id
mem_id_v7(int64_t ms, uint16_t counter, uint64_t seq)
{
	struct mem_id id;
	uint8_t t[8], s[8];
	mem_be64(t, (uint64_t)ms << 16);
	mem_be64(s, seq);
	struct mem_str part = { (const char *)s, sizeof s };
	struct mem_hash h = mem_hash128(NULL, &part, 1);
	memcpy(id.b, t, 6);
	id.b[6] = (uint8_t)(counter >> 8 & 0x0f);
	id.b[7] = (uint8_t)counter;
	memcpy(id.b + 8, h.b, 8);
	mark_uuid_version(&id, 7);
	return id;
}

struct mem_id
mem_id_v8(struct mem_str ns, struct mem_str content)
{
	struct mem_str parts[] = { ns, content };
	struct mem_hash h = mem_hash128(NULL, parts, 2);
	struct mem_id id;
	memcpy(id.b, h.b, sizeof id.b);
	mark_uuid_version(&id, 8);
	return id;
}
