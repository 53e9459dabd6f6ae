/* SPDX-License-Identifier: Apache-2.0 */
/* Flushing and merging the index when it is due, and sweeping away segments without a manifest. */
#include "write/tidy.h"

#include "segment/segment_write.h"
#include "vectors/vectors.h"
#include "words/words.h"

#include <stdlib.h>

/* ---- segments that killed or overtaken builders left ---------- */

struct orphan_sweep {
	uint32_t from;    /* segment to look at first */
	uint32_t orphan;  /* found there or later; UINT32_MAX: none */
	bool more;        /* parts of it are left */
};

/* First segment from s->from on that has parts and no manifest. */
static enum mem_status
find_orphan_segment(struct mem_txn *t, struct orphan_sweep *s, struct mem_err *err)
{
	struct mem_cursor *c = NULL;
	uint8_t key[4];
	uint32_t at = s->from;
	s->orphan = UINT32_MAX;
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_SEG, err);
	while (st == MEM_OK) {
		struct mem_str v;
		mem_be32(key, at);
		st = mem_cursor_seek(c, mem_key(key, sizeof key), err);
		if (st != MEM_OK || mem_cursor_key(c).n < 4)
			break;
		at = mem_be32_get((const uint8_t *)mem_cursor_key(c).p);
		mem_be32(key, at);
		st = mem_tab_get(t, MEM_T_SEGS, mem_key(key, sizeof key), &v, err);
		if (st == MEM_NOTFOUND) {
			s->orphan = at;
			st = MEM_OK;
			break;
		}
		at++;
	}
	mem_cursor_close(c);
	return st == MEM_END ? MEM_OK : st;
}

/* Key of the orphan's first part; MEM_END: it has none. */
static enum mem_status
find_first_part(struct mem_txn *t, uint32_t segment, uint8_t *key, size_t room, size_t *n,
    struct mem_err *err)
{
	struct mem_cursor *c = NULL;
	mem_be32(key, segment);
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_SEG, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, mem_key(key, 4), err);
	if (st == MEM_OK) {
		struct mem_str at = mem_cursor_key(c);
		if (at.n < 4 || at.n > room || memcmp(at.p, key, 4) != 0) {
			st = MEM_END;
		} else {
			memcpy(key, at.p, at.n);
			*n = at.n;
		}
	}
	mem_cursor_close(c);
	return st;
}

/* A part costs a line in the list of free pages, so that many go at a time. */
static enum mem_status
drop_orphan_parts(struct mem_txn *t, void *ctx, struct mem_err *err)
{
	enum { PARTS = 256 };
	struct orphan_sweep *s = ctx;
	enum mem_status st = MEM_OK;
	for (int i = 0; i < PARTS && st == MEM_OK; i++) {
		uint8_t key[16];
		size_t n;
		st = find_first_part(t, s->orphan, key, sizeof key, &n, err);
		if (st == MEM_OK)
			st = mem_tab_del(t, MEM_T_SEG, mem_key(key, n), err);
	}
	s->more = st == MEM_OK;
	return st == MEM_END ? MEM_OK : st;
}

static enum mem_status
sweep_orphans(struct mem_store *store, struct mem_err *err)
{
	struct orphan_sweep s = { 0 };
	enum mem_status st = MEM_OK;
	while (st == MEM_OK) {
		struct mem_txn *t = NULL;
		st = mem_txn_read(&t, store, err);
		if (st == MEM_OK)
			st = find_orphan_segment(t, &s, err);
		mem_txn_end(t);
		if (st != MEM_OK || s.orphan == UINT32_MAX)
			break;
		s.more = true;
		while (st == MEM_OK && s.more)
			st = mem_store_write(store, drop_orphan_parts, &s, err);
		s.from = s.orphan + 1;
	}
	return st;
}

/* ---- what is due ------------------------------------------------------ */

static bool
fit_one_segment(const struct mem_segment_info *segs, size_t n, uint32_t max_docs)
{
	uint64_t docs = 0, parts = 0;
	for (size_t i = 0; i < n; i++) {
		docs += segs[i].m.docs;
		parts += segs[i].m.sec[MEM_SEC_POST].parts;
	}
	return docs <= max_docs && docs <= MEM_SEG_DOCS && parts < 1 << 14;
}

static bool
have_one_level(const struct mem_segment_info *segs, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (segs[i].m.level != segs[0].m.level)
			return false;
	return true;
}

/* Writers merge seldom: eight neighbours of the lowest level that has so many. */
static size_t
choose_writer_merge(const struct mem_segment_info *segs, size_t n, uint32_t max_docs, size_t *from)
{
	bool found = false;
	for (size_t i = 0; i + MEM_MERGE <= n; i++)
		if (have_one_level(segs + i, MEM_MERGE) && fit_one_segment(segs + i, MEM_MERGE, max_docs)
		    && (!found || segs[i].m.level < segs[*from].m.level)) {
			*from = i;
			found = true;
		}
	return found ? MEM_MERGE : 0;
}

/* Maintenance has time to spare searches segments, each of which costs every word of theirs some
 * page faults: the oldest that is not larger than all since goes into one with them.  So
 * a document is written again when what holds it has doubled. */
static size_t
choose_large_merge(const struct mem_segment_info *segs, size_t n, size_t *from)
{
	uint64_t since = 0;
	*from = n;
	for (size_t i = n; i-- > 0; since += segs[i].m.docs)
		if (segs[i].m.docs <= since && fit_one_segment(segs + i, n - i, UINT32_MAX))
			*from = i;
	return n - *from;
}

/* How many segments from *from on are to become one; 0: nothing is due. */
static size_t
choose_due_merge(const struct mem_segment_info *segs, size_t n, uint32_t max_docs, size_t *from)
{
	*from = 0;
	return max_docs == UINT32_MAX ? choose_large_merge(segs, n, from) : choose_writer_merge(segs, n, max_docs, from);
}

/* Documents that count no more cost every search a look at each: from an eighth of a segment on, or so many, it is
 * written anew without them. */
static size_t
count_tombs_too_many(const struct mem_segment_info *seg)
{
	enum { SHARE = 8, MANY = 4096 };
	size_t share = (seg->m.docs + SHARE - 1) / SHARE;
	return share < MANY ? share : MANY;
}

/* The first segment that has to be written anew; n: none has. */
static enum mem_status
find_due_rewrite(struct mem_txn *t, const struct mem_segment_info *segs, size_t n, uint32_t max_docs, size_t *at, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	bool due = false;
	for (*at = 0; *at < n && mem_tab_count(t, MEM_T_TOMB) > 0; ++*at) {
		if (segs[*at].m.docs > max_docs)
			continue;
		st = mem_tombs_reach(t, segs[*at].number, count_tombs_too_many(&segs[*at]), &due, err);
		if (st != MEM_OK || due)
			return st;
	}
	*at = n;
	return st;
}

static bool
is_flush_due(struct mem_txn *t, bool vectors, uint32_t max_docs)
{
	enum { SMALL_TAIL = 256 };
	uint64_t docs, bytes;
	if (vectors) {
		docs = mem_tab_count(t, MEM_T_CODE);
		return docs >= MEM_WORDS_TAIL_DOCS || (max_docs == UINT32_MAX && docs >= SMALL_TAIL);
	}
	if (mem_words_tail_size(t, &docs, &bytes, NULL) != MEM_OK)
		return false;
	return docs >= MEM_WORDS_TAIL_DOCS || bytes >= MEM_WORDS_TAIL_BYTES
	    || (max_docs == UINT32_MAX && docs >= SMALL_TAIL);
}

bool
mem_index_due(struct mem_txn *t)
{
	enum { FEW_TOMBS = 512 };
	uint64_t docs, bytes;
	return mem_tab_count(t, MEM_T_CODE) >= MEM_WORDS_TAIL_DOCS || mem_tab_count(t, MEM_T_TOMB) >= FEW_TOMBS
	    || (mem_words_tail_size(t, &docs, &bytes, NULL) == MEM_OK
	    && (docs >= MEM_WORDS_TAIL_DOCS || bytes >= MEM_WORDS_TAIL_BYTES));
}

bool
mem_index_tidy_due(struct mem_txn *t, uint32_t max_docs)
{
	bool due = false;
	for (int vectors = 0; vectors < 2 && !due; vectors++) {
		struct mem_segment_info *segs = NULL;
		size_t n, from;
		due = is_flush_due(t, vectors, max_docs) || (mem_segment_list(t, vectors, &segs, &n, NULL) == MEM_OK
		    && (choose_due_merge(segs, n, max_docs, &from) > 0
		        || (find_due_rewrite(t, segs, n, max_docs, &from, NULL) == MEM_OK && from < n)));
		free(segs);
	}
	return due;
}

/* What is to be done next. */
struct tidy_step {
	struct mem_segment_info *segs;   /* OWNS */
	size_t from, n;                  /* of them become one; n 0: none */
	uint64_t epoch;
	bool flush;
};

static enum mem_status
choose_tidy_step(struct mem_store *s, bool vectors, uint32_t max_docs, struct tidy_step *step, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	size_t n = 0;
	*step = (struct tidy_step){ 0 };
	enum mem_status st = mem_txn_read(&t, s, err);
	if (st == MEM_OK) {
		step->flush = is_flush_due(t, vectors, max_docs);
		st = mem_segment_epoch(t, &step->epoch, err);
	}
	if (st == MEM_OK)
		st = mem_segment_list(t, vectors, &step->segs, &n, err);
	if (st == MEM_OK)
		step->n = choose_due_merge(step->segs, n, max_docs, &step->from);
	if (st == MEM_OK && step->n == 0) {
		st = find_due_rewrite(t, step->segs, n, max_docs, &step->from, err);
		step->n = step->from < n;
	}
	mem_txn_end(t);
	return st;
}

static enum mem_status
merge_segments(struct mem_store *s, bool vectors, const struct mem_segment_info *segs, size_t n, uint64_t epoch, bool group,
    struct mem_err *err)
{
	return vectors ? mem_vectors_merge(s, segs, n, epoch, group, err) : mem_words_merge(s, segs, n, epoch, err);
}

/* One flush or one merge of words or of vectors.  MEM_END: nothing is due; MEM_STALE: another process was faster. */
static enum mem_status
run_tidy_step(struct mem_store *s, bool vectors, uint32_t max_docs, struct mem_err *err)
{
	struct tidy_step step;
	enum mem_status st = choose_tidy_step(s, vectors, max_docs, &step, err);
	if (st == MEM_OK && step.flush)
		st = vectors ? mem_vectors_flush(s, err) : mem_words_flush(s, err);
	else if (st == MEM_OK)
		st = step.n == 0 ? MEM_END : merge_segments(s, vectors, step.segs + step.from, step.n, step.epoch,
		    max_docs == UINT32_MAX, err);
	free(step.segs);
	return st;
}

enum mem_status
mem_index_tidy(struct mem_store *s, uint32_t max_docs, bool *did, struct mem_err *err)
{
	*did = false;
	enum mem_status st = mem_store_lock(s, MEM_LOCK_INDEX, 0, err);
	if (st != MEM_OK)
		return st == MEM_BUSY ? MEM_OK : st; /* somebody else tidies */
	st = sweep_orphans(s, err);
	for (int vectors = 0; vectors < 2 && (st == MEM_OK || st == MEM_END || st == MEM_STALE); vectors++)
		do {
			st = run_tidy_step(s, vectors, max_docs, err);
			*did |= st == MEM_OK;
		} while (st == MEM_OK);
	if (st == MEM_END || st == MEM_STALE) /* what was built in vain goes too */
		st = sweep_orphans(s, err);
	mem_store_unlock(s, MEM_LOCK_INDEX);
	/* Somebody writes so long that this may wait until the next time. */
	return st == MEM_BUSY ? MEM_OK : st;
}

enum mem_status
mem_write_tidy(struct mem_index *m, struct mem_err *err)
{
	/* A hook that adds one event must not wait for more than this; the rest is mem-maintain's. */
	enum { MERGE_ANY = 32768, MERGE_OF_MADE = 8 };
	struct mem_txn *t = NULL;
	enum mem_status st = mem_txn_read(&t, m->store, err);
	if (st != MEM_OK)
		return st;
	bool due = mem_index_due(t), did = true;
	uint64_t max = m->made * MERGE_OF_MADE;
	if (max < MERGE_ANY)
		max = MERGE_ANY;
	if (max >= UINT32_MAX)
		max = UINT32_MAX - 1;
	mem_txn_end(t);
	while (st == MEM_OK && due && did)
		st = mem_index_tidy(m->store, (uint32_t)max, &did, err);
	return st;
}

/* ---- what was removed -------------------------------------------------- */

/* Writes the first segment that has a tomb anew.  MEM_END: none has. */
static enum mem_status
rewrite_one_segment(struct mem_store *s, bool vectors, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_segment_info *segs = NULL;
	size_t n = 0, at = 0;
	uint64_t epoch = 0;
	bool any = false;
	enum mem_status st = mem_txn_read(&t, s, err);
	if (st == MEM_OK)
		st = mem_segment_epoch(t, &epoch, err);
	if (st == MEM_OK)
		st = mem_segment_list(t, vectors, &segs, &n, err);
	for (; at < n && st == MEM_OK; at++) {
		st = mem_tombs_reach(t, segs[at].number, 1, &any, err);
		if (any)
			break;
	}
	mem_txn_end(t);
	if (st == MEM_OK)
		st = any ? merge_segments(s, vectors, segs + at, 1, epoch, true, err) : MEM_END;
	free(segs);
	return st;
}

enum mem_status
mem_index_drop_removed(struct mem_store *s, struct mem_err *err)
{
	enum { TRIES = 100 }; /* others may remove nodes all the time */
	enum mem_status st = mem_store_lock(s, MEM_LOCK_INDEX, -1, err);
	if (st != MEM_OK)
		return st;
	for (int vectors = 0; vectors < 2 && (st == MEM_OK || st == MEM_END); vectors++) {
		int tries = 0;
		do
			st = rewrite_one_segment(s, vectors, err);
		while (st == MEM_OK || (st == MEM_STALE && ++tries < TRIES));
	}
	if (st == MEM_END)
		st = sweep_orphans(s, err);
	mem_store_unlock(s, MEM_LOCK_INDEX);
	return st == MEM_STALE ? mem_err_set(err, MEM_BUSY, "busy: others change the index all the time") : st;
}
