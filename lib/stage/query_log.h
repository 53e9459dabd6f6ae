/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The query log: what was asked, how it was answered and how long that took, as nodes of kind query (mem-records(5)).
 *
 * Off unless the setting queries.log says hash (the text is left out) or text.  The asker's answer does not wait for it: once all
 * is printed, a program of its own (libexec/mem-log-query.c) is started, gets the record on standard input, and writes it to the asker's
 * own namespace.  Where another process writes, it gives up, and the record is lost.  A record has an expires_at, the setting queries.keep
 * from now; once that has passed, the job expire removes it.
 */
#ifndef MEM_QUERY_LOG_H
#define MEM_QUERY_LOG_H

#include "base/base.h"
#include "store/store.h"

/* ---- asking ------------------------------------------------------------ */

struct mem_query_answer {
	const char *via;            /* the command that answered: of letters and "-" */
	struct mem_str query;
	const char *mode, *class;   /* words of mem-records(5) */
	const char *fusion;         /* NULL: by one signal, nothing was fused */
	int64_t top_k;              /* how many hits were asked for; 0: all */
	double threshold;           /* not finite: none */
	size_t results;
	double scores;              /* the sum of theirs */
	double ms;
	bool rejected;              /* there were hits, and none of them answers: a stage found so, or the search for skills */
	bool failed;                /* no answer came */
};
/* Does the store keep a log? */
bool mem_query_log_wanted(const struct mem_store *s);
/* Starts the writing, and does not wait for it.  MEM_FAIL: it cannot be started. */
enum mem_status mem_query_log_start(const struct mem_store *s, const struct mem_query_answer *a, struct mem_err *err) MEM_CHECKED;

/* ---- writing ----------------------------------------------------------- */

/* What mem_query_log_start sends.  MEM_BUSY: another process writes.  MEM_REFUSED: the line is none of its kind. */
enum mem_status mem_query_log_write(struct mem_str line, struct mem_err *err) MEM_CHECKED;

/* ---- figures ----------------------------------------------------------- */

/*
 * Appends one record of what the principal may read of the log: how many queries, and for each mode and class how many, the mean time
 * in ms, the mean score, and the shares of those that found nothing, were rejected and failed.
 */
enum mem_status mem_query_log_sum_up(struct mem_buf *out, struct mem_store *s, int64_t since, int64_t until, struct mem_err *err) MEM_CHECKED;

#endif
