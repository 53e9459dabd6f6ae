/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the room share: parts of a node's text. */
#ifndef EMBED_INT_H
#define EMBED_INT_H

#include "base/base.h"
#include "record/record.h"
#include "store/kind.h"

/* The fields that a node's vector is made of, as bits. */
uint32_t embed_text_fields(const struct mem_rec *node);
/* Appends a field's text with `before` in front; false when it is no text or an empty one, or not among `fields`. */
bool embed_append_field(struct mem_buf *out, const struct mem_rec *node, uint32_t fields, enum mem_text_field f, const char *before);
/* Who said it, or what it is about; false: neither is known. */
bool embed_append_head(struct mem_buf *out, const struct mem_rec *node);

#endif
