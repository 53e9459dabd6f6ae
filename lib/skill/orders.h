/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Orders in a text: sentences that tell to do something, or not to.
 *
 *   Always run the tests before a commit.     do       run tests
 *   - **Never** commit secrets.               do not   commit secret
 *   You should not use inline styles.         do not   use inline style
 *   Avoid using global state                  do not   use global state
 *
 * An order has a verb and an object, both as stems.  The verb is the first word of the sentence, or the first one behind what makes it an
 * order (do not, never, avoid, always, must, should); use, prefer, choose and adopt are one verb, and what is to be avoided is
 * not to be used.  The object is up to four words behind it that are no stop words; it ends where a clause does, at
 * punctuation, a conjunction or a preposition.  English alone is read.
 *
 * A text without an order may give some: "Commit messages are short" is read as one.  Two orders are opposite if one has the verb and
 * object that the other forbids; who compares them asks besides that their sentences mean nearly the same.
 */
#ifndef MEM_SKILL_ORDERS_H
#define MEM_SKILL_ORDERS_H

#include "base/base.h"
#include "text/passages.h"
#include "text/text.h"

struct mem_order {
	struct mem_span sentence;   /* bytes of the text, without list marks and emphasis before it */
	struct mem_str key;         /* "commit secret"; BORROWED until it returns */
	bool forbids;
};
typedef void mem_order_fn(void *ctx, const struct mem_order *order);
/* In the order of the text.  The analyser knows English stems (mem_analyser_open, "english"). */
void mem_orders_each(struct mem_analyser *a, struct mem_str text, mem_order_fn *fn, void *ctx);

#endif
