/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The class of a question: what kind of answer it wants, by its words alone.
 *
 * The first that fits counts:
 *   quote      something in quotes, a path or the name of a file, or two words with a hyphen or underscore in them
 *   temporal   words of time (when, before, ago, last week, ...) or a year
 *   entity     one or two words, those of letters capitalised, none a question word
 *   multi_hop  words that ask for a connection (why, how, because, between, led to, ...)
 *   factual    all else
 * The words are English ones.  A class changes nothing but the weights of signals: what search.class.NAME says is added to
 * them, and as shipped that is 0.
 */
#ifndef MEM_CLASS_H
#define MEM_CLASS_H

#include "base/base.h"
#include "conf/signal_names.h"

extern const char *const mem_class_names[]; /* in that order, NULL behind them */

/* Of a question in valid UTF-8, as query_parse_text leaves it: fields and what must not stand there are no part of it. */
enum mem_class mem_class_find(struct mem_str question);

#endif
