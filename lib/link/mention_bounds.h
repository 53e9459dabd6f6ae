/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: whether a name that stands in prose is meant as one, or is a part of something that is written together. */
#ifndef MEM_LINK_MENTION_BOUNDS_H
#define MEM_LINK_MENTION_BOUNDS_H

#include "base/base.h"

/*
 * Does text[start, end), whole words, stand by itself?  It does not as a part of an address, path or file's name ("ada@oslo.example",
 * "docs/oslo", "oslo.md", "C:\Oslo"), of an option, setting, tag, block id or footnote ("--oslo", "oslo=1", "#oslo", "^oslo"), of a number,
 * date or time ("2024-01"), or of a longer name ("c++x"); nor where brackets around a link would read as something else ("![[oslo]]",
 * "[[oslo]](x)").  Words that hyphens join are one word; what is beside that decides.
 */
bool mention_stands_alone(struct mem_str text, size_t start, size_t end);

#endif
