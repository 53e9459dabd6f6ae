/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: how far each namespace was looked at for repeats. */
#ifndef MEM_DEDUPE_INT_H
#define MEM_DEDUPE_INT_H

#include "base/base.h"
#include "store/store.h"

/* By number of namespace: nodes before `next` need no look.  Kept as the mark of the job dedupe, numbers big-endian. */
struct dedupe_mark_row {
	uint32_t ns, next;
	bool waits;                  /* a node was met that has no vector yet: `next` is the first such */
};
struct dedupe_mark {
	struct dedupe_mark_row *v;   /* OWNS; by ns */
	size_t n, cap;
	struct dedupe_mark_row *was; /* OWNS; as it was loaded, */
	size_t nwas;                 /* which is what dedupe_mark_wants goes by */
};
enum mem_status dedupe_mark_load(struct dedupe_mark *m, struct mem_store *s, struct mem_err *err);
/* Writes it, if it has moved. */
enum mem_status dedupe_mark_save(const struct dedupe_mark *m, struct mem_store *s, struct mem_err *err);
bool dedupe_mark_wants(const struct dedupe_mark *m, uint32_t ns, uint32_t ord);
void dedupe_mark_set(struct dedupe_mark *m, uint32_t ns, uint32_t ord, bool waits);
void dedupe_mark_release(struct dedupe_mark *m);

#endif
