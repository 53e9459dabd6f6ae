/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals of a hit and classes of a question by name, one a line.  They are listed here since each class has a setting,
 * search.class.NAME, whose members are signals, and names are checked whenever settings are read; lib/query has what
 * each of them means, and mem-records(5) says it.
 */
#ifndef MEM_SIGNAL_NAMES_H
#define MEM_SIGNAL_NAMES_H

/* In the order in which hits show them. */
#define MEM_SIGNAL_NAMES(LINE) \
	LINE(LEXICAL, lexical) \
	LINE(DENSE, dense) \
	LINE(GRAMS, grams) \
	LINE(ANCHOR, anchor) \
	LINE(TIME, time) \
	LINE(RECENCY, recency) \
	LINE(IMPORTANCE, importance) \
	LINE(TRUST, trust) \
	LINE(RELEVANCE, relevance) \
	LINE(GRAPH, graph) \
	LINE(SUPPORT, support) \
	/* here */

/* MEM_SIGNAL_LEXICAL, …: places in the list; behind them how many there are. */
enum mem_signal {
#define MEM_SIGNAL_NUMBER(upper, lower) MEM_SIGNAL_##upper,
	MEM_SIGNAL_NAMES(MEM_SIGNAL_NUMBER)
#undef MEM_SIGNAL_NUMBER
	MEM_SIGNALS
};

/* In the order in which a question is asked whether it is of the class; the last is what is left. */
#define MEM_CLASS_NAMES(LINE) \
	LINE(QUOTE, quote) \
	LINE(TEMPORAL, temporal) \
	LINE(ENTITY, entity) \
	LINE(MULTI_HOP, multi_hop) \
	LINE(FACTUAL, factual) \
	/* here */

/* MEM_CLASS_QUOTE, … likewise. */
enum mem_class {
#define MEM_CLASS_NUMBER(upper, lower) MEM_CLASS_##upper,
	MEM_CLASS_NAMES(MEM_CLASS_NUMBER)
#undef MEM_CLASS_NUMBER
	MEM_CLASSES
};

#endif
