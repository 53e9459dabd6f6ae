/* SPDX-License-Identifier: Apache-2.0 */
/* Whether word pieces are wanted. */
#include "embed/embed.h"

bool
mem_pieces_wanted(const struct mem_conf *conf, const struct mem_encoder *e)
{
	return mem_str_is(mem_conf_str(conf, "search.pieces"), "on") && mem_encoder_has_pieces(e);
}

uint64_t
mem_pieces_limit(const struct mem_conf *conf)
{
	int64_t n = mem_conf_int(conf, "search.pieces_bytes");
	return n > 0 ? (uint64_t)n : 0;
}
