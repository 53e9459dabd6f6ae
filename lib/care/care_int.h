/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: a run, and an id on its way through it. */
#ifndef MEM_CARE_INT_H
#define MEM_CARE_INT_H

#include "base/base.h"
#include "care/care.h"
#include "store/node.h"
#include "store/store.h"
#include "write/run.h"
#include "write/write.h"

struct mem_index;

/* Its writer has no sanitiser: nothing that is written is text. */
struct mem_care_run {
	struct mem_write_run run;
	struct mem_care_options o;
};

/* An input that is a revision; `ctx` (of n bytes) is copied into the batch's arena.  With `judges` care_judge_behind is queued, too. */
enum mem_status care_revise(struct mem_care_run *r, struct mem_str text, mem_write_revise_fn *revise, const void *ctx, size_t n,
    bool judges, struct mem_err *err) MEM_CHECKED;
/* Queues that, if the node is a fact, those beside it are judged anew: mem_fact_judge_queue. */
enum mem_status care_judge_behind(struct mem_writer *w, const struct mem_write_input *in, const struct mem_id *id,
    struct mem_err *err) MEM_CHECKED;
/* Queues the inverse of the last edit of a draft's fields; *there false: there is none, nothing is queued. */
enum mem_status edit_undo_draft(struct mem_writer *w, const struct mem_write_input *in, const struct mem_id *id, bool *there,
    struct mem_err *err) MEM_CHECKED;
/* May the edit that made this version be undone?  Not where what was said meanwhile says only the new one's text. */
enum mem_status edit_may_undo(struct mem_writer *w, const struct mem_id *new, bool *may, struct mem_err *err) MEM_CHECKED;
/* Queues, behind the undoing, what belongs to it: edit_undo.c. */
void edit_queue_undone(struct mem_writer *w, const struct mem_write_input *in, const struct mem_id *new);
/* ---- sweeps ------------------------------------------------------------ */

enum care_fate { CARE_NOT_JUDGED, CARE_SPARED, CARE_REVIEW, CARE_GOES };
struct care_judgement {
	enum care_fate fate;
	const char *reason;         /* of what is spared */
	double importance;          /* what is left of it */
	double trust, staleness;    /* 0: the rule has none */
	int64_t age, idle;          /* ms; idle < 0: never read */
};
/* What settings say of a sweep. */
struct care_rules {
	bool on;
	size_t batch;               /* how many nodes a run takes at most; 0: all */
	double importance, trust;   /* forget: floors */
	int64_t age;                /* forget: ms */
	double review, archive;     /* decay: staleness */
};
struct care_sweep_kind {
	const char *went;           /* the fate of what goes, in a list */
	bool judges;                /* what is beside a fact that goes is judged without it: care_judge_behind */
	void (*read)(struct care_rules *out, const struct mem_conf *conf);
	/* What becomes of a node. */
	enum mem_status (*judge)(struct mem_txn *t, const struct care_rules *rules, uint32_t ord, const struct mem_attr *attr, int64_t now,
	    struct care_judgement *out, struct mem_err *err);
	/* The edit of what goes. */
	void (*edit)(struct mem_writer *w, const struct care_rules *rules, const struct mem_attr *attr, const struct care_judgement *j,
	    int64_t now, struct mem_write_edit *out);
	void (*put)(struct mem_buf *out, const struct care_judgement *j); /* its own members of a line of a list */
};
extern const struct care_sweep_kind care_forget_sweep, care_decay_sweep;
/* Of a job: a whole sweep, whose receipts nobody reads.  *done: how many went. */
enum mem_status care_sweep_job(struct mem_index *m, const struct care_sweep_kind *kind, uint64_t *done, struct mem_err *err) MEM_CHECKED;

/* The importance of a node; one that has none counts as .5. */
enum mem_status care_importance(struct mem_txn *t, uint32_t ord, const struct mem_attr *a, double *out, struct mem_err *err) MEM_CHECKED;
/* What is left of it at `now`. */
double care_faded(const struct mem_attr *a, double importance, int64_t now);

/* Is it forgotten, or is its time to live over? */
bool care_is_forgotten(const struct mem_attr *a, int64_t now);

#endif
