/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the room: a strict reader of XML 1.0 without a document type (https://www.w3.org/TR/xml/).
 *
 * One element, text or end after the other; no recursion, and time that grows with the text alone.  Declarations, comments and
 * processing instructions are passed over.  A document type, and so every entity of a document's own, is a fault.
 */
#ifndef MEM_XML_INT_H
#define MEM_XML_INT_H

#include "base/base.h"

enum { XML_DEPTH_MAX = 64, XML_ATTRIBUTES_MAX = 64 };

enum xml_event { XML_START, XML_TEXT, XML_END, XML_DONE, XML_FAULT };
struct xml_attribute {
	struct mem_str name;       /* as written, with its prefix */
	struct mem_str value;      /* ARENA: decoded */
};
struct xml_reader {
	struct mem_str text;       /* BORROWS; UTF-8 */
	struct mem_arena *arena;   /* of attribute values */
	size_t at;                 /* what was read last ends here, */
	size_t begin;              /* and begins here; the place of a fault */
	size_t depth;              /* elements that are open */
	struct mem_str open[XML_DEPTH_MAX]; /* their names */
	bool empty;                /* the last one was <NAME/>: its end comes next */
	bool rooted;               /* the root has been */
	struct mem_str name;       /* START, END: without its prefix */
	struct xml_attribute attributes[XML_ATTRIBUTES_MAX]; /* START */
	size_t nattributes;
	struct mem_buf content;    /* TEXT: decoded */
	const char *fault;         /* a reason of mem-records(5) */
};
enum xml_event xml_next(struct xml_reader *r);
/* The value of an attribute; { NULL, 0 }: it is not there. */
struct mem_str xml_attribute_value(const struct xml_reader *r, const char *name);

#endif
