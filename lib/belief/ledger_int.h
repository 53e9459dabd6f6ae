/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to the room: how a ledger works out what claims make of facts.
 *
 *   ledger.c          rounds; a claim is checked, cleaned, and its terms are looked up
 *   ledger_read.c     reading that is noted, so that the commit can tell whether all of it still holds; facts as stored
 *   ledger_window.c   which stored facts of a lane may matter to a claim
 *   ledger_hint.c     what episodes that replace another end, and which lanes have to be looked at together for it: ledger_hint_int.h
 *   ledger_sweep.c    assertions to runs: the one rule of what is true when
 *   ledger_topic.c    the same for statements without a triple
 *   ledger_lane.c     a lane from its claims to its runs
 *   ledger_merged.c   claims that say what was merged away
 *   ledger_write.c    what differs from what is stored, into the batch, with ledger_fields.c and ledger_edges.c
 */
#ifndef MEM_LEDGER_INT_H
#define MEM_LEDGER_INT_H

#include "base/base.h"
#include "belief/claim.h"
#include "belief/entity.h"
#include "belief/fact.h"
#include "belief/rules.h"
#include "clean/clean_text.h"
#include "record/record.h"
#include "store/fact_keys.h"
#include "store/node.h"
#include "store/store.h"
#include "write/write.h"

/* Facts of a lane that are passed over, or taken, in one direction at most. */
#define LEDGER_WALK_MAX 256

/* ---- values --------------------------------------------------------------- */

/* Subject or object, as a value of its field. */
struct ledger_term {
	struct mem_str key;          /* as mem_fact_put_object; of a subject its id */
	bool is_entity;
	struct mem_entity_ref ref;   /* of an entity */
	struct mem_clean_text value; /* null: there is none */
};
/* What can be asserted.  Strings are ARENA of the round. */
struct ledger_value {
	struct mem_str key;          /* what ids are made of, but for the time */
	struct mem_str subject, predicate, object;
	struct mem_str version;      /* of the object, without its "v"; empty: whichever */
	bool negated;
};

/* What a source is against others: what is weak ends nothing of higher standing. */
struct ledger_standing {
	bool weak;                   /* of a user's extractor, or inferred: hedged, or told by somebody else */
	double rank;                 /* the trust, and 1 more unless it is inferred: then it is below all that is stated.  What an
	                              * extractor finds is all inferred, and counts by its trust */
};

/* ---- what is stored --------------------------------------------------------- */

struct ledger_fact {
	struct mem_id id;
	uint32_t ord;
	struct mem_rec rec;          /* OWNS its list of fields; text in the arena of the round */
	struct ledger_value value;
	int64_t at, valid_to, created_at, superseded_at; /* MEM_TIME_NONE: open, and it is not */
	enum mem_node_status status;
	struct mem_str reason;       /* superseded_reason; empty: none */
	bool has_ender;
	struct mem_id ender;         /* superseded_by */
	double trust, confidence;
	int64_t mentions;
	struct ledger_standing standing; /* of what it begins with: weak if all of it is, and the highest rank */
	bool absorbed, resourced;    /* it is a part of another one, which has its sources; they are others since its other fields were written */
	bool frozen;                 /* forgotten, or put aside by other than the ledger: it stays as it is */
	size_t nsources;             /* in its text */
	struct ledger_run *run;      /* that it is, after a sweep */
	struct ledger_run *covered_by; /* of a fact that is no run: the one that has its assertions */
	const struct ledger_claim *ended_by; /* by hand */
};

/* ---- assertions and runs ------------------------------------------------------ */

struct ledger_claim {
	size_t number;
	struct mem_claim c;          /* its texts are clean */
	const struct mem_fact_source *s;
	struct mem_finding_list found;
	struct ledger_term subject, object, former; /* former: what a correction names as such */
	struct ledger_value value;
	const struct mem_predicate *predicate; /* NULL: unknown, or no triple */
	struct mem_clean_text statement, detail, domain, topic, type;
	struct mem_str domain_text, topic_text, statement_text;
	int64_t at;
	struct mem_str lane;         /* name of the lane in which it is worked out */
	struct mem_clean_text corrects, replaces; /* entries of the field, replaces: of a hint; absent: none */
	struct mem_str was;          /* the object that it corrects; empty: whatever stood */
	struct ledger_run *run;      /* after a sweep; NULL: nothing new */
	struct ledger_claim *twin;   /* the next one that says just the same for the same source, and nothing but a correction of its own */
	struct ledger_fact *ends;    /* by hand */
	const struct ledger_assertion *restates; /* what its source, a person, said less of before; NULL: nothing */
	struct ledger_fact *judges;  /* it says nothing of its own: the facts beside this one are worked out anew */
};
struct ledger_assertion {
	struct ledger_claim *claim;  /* NULL: it is stored */
	struct ledger_fact *fact;    /* in which it is stored */
	struct mem_clean_text source; /* an element of field sources */
	const struct ledger_value *value;
	int64_t at, to, captured_at, created_at;
	double trust, confidence;
	enum mem_veracity veracity;
	struct mem_id episode;       /* all zero: by hand */
	bool of_extractor;
	struct ledger_standing standing;
	struct ledger_hint *hint; /* its source was to replace another; NULL: none */
	const struct ledger_run *run; /* after a sweep */
	int64_t hidden;              /* mentions that stand in no text */
};
struct ledger_run {
	const struct ledger_value *value;
	struct ledger_assertion **v; /* ARENA, in order of time */
	size_t n, cap;
	int64_t at, last_at, to;     /* to: the end that the last one says */
	double trust;                /* the highest, and that of what was said last */
	double last_trust, rank;     /* the highest rank of all */
	bool open, lost;             /* lost: it was never true */
	int64_t end;                 /* MEM_TIME_NONE: open */
	struct ledger_run *ender;    /* of this lane; or */
	const struct ledger_claim *ender_claim; /* the run of this one; or */
	const struct ledger_assertion *replaced_by; /* that of this one, by a hint; or */
	bool has_ender_id;
	struct mem_id ender_id;      /* a fact that was not read, */
	int64_t ended_known_at;      /* and when it came to be known that it ends this */
	const char *reason;          /* NULL: it stands */
	const struct ledger_run *clash; /* which it contradicts; NULL: none */
	double clash_trust;
	struct mem_id id;
	struct ledger_fact *fact;    /* that is stored with this id; NULL: new */
};
/* What ends what in a lane. */
enum ledger_rule { LEDGER_VALUES, LEDGER_FUNCTIONAL, LEDGER_EXCLUDING, LEDGER_STATEMENT };
/* An end from outside of what is swept, of the runs that are open at that time. */
struct ledger_end {
	int64_t at, known_at;        /* known_at: since when that is known; not of a claim's */
	struct mem_str key;          /* of this value; or */
	const struct ledger_value *corrected_by; /* of any that this one corrects: with its predicate, and this object; */
	struct mem_str of;           /* empty: each but its own; or */
	struct ledger_hint *hint;    /* of what this one replaces */
	bool has_by;
	struct mem_id by;
	const struct ledger_claim *by_claim;
	const char *reason;
	struct ledger_standing standing;
	bool later;                  /* it was not known yet: it ends nothing */
};

/* ---- lanes -------------------------------------------------------------------- */

/* Zero initialise with `rule`; all in the arena of the round. */
struct ledger_lane {
	enum ledger_rule rule;
	struct mem_str name;
	const struct mem_predicate *mixed; /* lanes of both rules for values of this one were joined; NULL: they were not */
	struct ledger_lane *joined_to; /* it is a part of this one; NULL: it stands alone */
	bool one_version;            /* of an object one at a time: a later one ends the earlier */
	size_t order;                /* of its first probe: what comes first is written first */
	struct mem_str ns, domain, topic;
	struct ledger_claim **claims;
	size_t nclaims, claims_cap;
	struct ledger_fact **facts;  /* those read, each once */
	size_t nfacts, facts_cap;
	struct ledger_assertion **v;
	size_t n, cap;
	struct ledger_end *ends;
	size_t nends, ends_cap;
	struct ledger_run **runs;    /* in order of time */
	size_t nruns, runs_cap;
	struct ledger_run **live;    /* those that what comes next can continue or end */
	size_t nlive, live_cap;
};
/* A claim and the name of a lane in which it is to be looked at, or an end for one. */
struct ledger_probe {
	struct mem_str lane, ns;
	size_t order;
	enum ledger_rule rule;
	bool one_version;
	struct ledger_claim *claim;  /* NULL: only the end */
	bool has_end;
	struct ledger_end end;
	struct ledger_fact *target;  /* of an end: the fact that it is about; NULL: none that is stored */
};

/* ---- reading that is noted ------------------------------------------------------ */

enum ledger_look { LEDGER_STEP, LEDGER_NODE, LEDGER_ID, LEDGER_SUPPORTED };
struct ledger_reading {
	enum ledger_look look;
	enum mem_fact_lane lane;
	bool backwards;
	struct mem_str ns, name;     /* LASTING */
	int64_t at, found_at;
	uint32_t ord, found_ord;     /* UINT32_MAX: nothing */
	struct mem_id id;
	uint64_t hash;               /* of the text, or of the facts that are supported */
};

struct mem_ledger {
	struct mem_writer *w;
	struct mem_entities *entities;
	const struct mem_belief_rules *rules;
	struct mem_txn *t;
	uint64_t seq;
	struct mem_arena arena;      /* of the round */
	struct ledger_reading *readings;
	size_t nreadings, readings_cap;
	struct ledger_fact **facts;  /* all that were read: ARENA, their records are OWNED */
	size_t nfacts, facts_cap;
	struct ledger_claim **claims; /* ARENA; NULL: refused */
	struct mem_fact_outcome *outcomes;
	size_t nclaims, claims_cap, outcomes_cap;
	struct mem_id last_episode;  /* whose claims come now, and how many have come */
	size_t of_episode;
	struct ledger_probe *probes;
	size_t nprobes, probes_cap;
	struct ledger_lane **lanes;
	size_t nlanes, lanes_cap;
	struct ledger_hint **hints;  /* ARENA */
	struct ledger_supported **supported; /* ARENA; of the episodes that they are to replace */
	size_t nhints, hints_cap, nsupported, supported_cap;
	int64_t known_at;            /* only what was known then is read; MEM_TIME_NONE: all of it */
	bool later, moved;           /* something was passed over that came to be known later; claims went over to facts in other lanes, made anew */
	bool merges;                 /* two entities became one, */
	struct mem_id merged;        /* this one being merged */
	struct mem_id *judged;       /* OWNS; facts that were changed by it */
	size_t njudged, judged_cap;
};

/* Room for one more pointer at the end of a list in the arena of the round. */
void ledger_push(struct mem_arena *a, void ***v, size_t *n, size_t *cap, void *p);
#define LEDGER_PUSH(a, list, count, cap, p) do { \
	void **list_ = (void **)(list); \
	ledger_push((a), &list_, &(count), &(cap), (p)); \
	(list) = (void *)list_; \
} while (0)

#endif
