/* SPDX-License-Identifier: Apache-2.0 */
/* What skill-propose drafts: of topics and records, or of what transcripts hold. */
#ifndef MEM_PROPOSED_H
#define MEM_PROPOSED_H

#include <stdlib.h>

#include "cli/cli.h"
#include "record/record.h"
#include "skill/draft_with.h"
#include "skill/mined.h"
#include "skill/propose.h"
#include "write_run.h"

/* A topic, a record or a sequence, with what is known of it. */
struct proposed {
	struct mem_proposal_new what;
	struct mem_research research;
	struct mem_arena arena;      /* of its text */
	bool known;                  /* it is proposed already */
	const char *refused;         /* why; NULL: it is not */
	uint64_t offset;
};
struct proposed_list {
	struct proposed *v;          /* OWNS */
	size_t n, room;
	struct mem_mined mined;      /* that the texts of sequences are in */
};

static inline struct proposed *
add_proposed(struct proposed_list *l)
{
	l->v = mem_grow(l->v, &l->room, l->n + 1, sizeof *l->v);
	l->v[l->n] = (struct proposed){ 0 };
	return &l->v[l->n++];
}

static inline void
release_proposed(struct proposed_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		mem_research_release(&l->v[i].research);
		mem_arena_release(&l->v[i].arena);
	}
	free(l->v);
	mem_mined_release(&l->mined);
}

/* ---- topics and records ----------------------------------------------------- */

static inline void
read_proposed_record(struct proposed_list *l, const struct mem_line *line)
{
	struct proposed *p = add_proposed(l);
	struct mem_rec rec = { 0 };
	struct mem_err err = { 0 };
	enum mem_status st = line->too_long ? mem_err_record(&err, "too_long", line->text.n, "a line of over 16 MiB")
	    : mem_rec_scan(&rec, mem_arena_str(&p->arena, line->text), &err);
	if (st == MEM_OK)
		st = mem_rec_refuse_nul(&rec, &err);
	if (st == MEM_OK)
		st = mem_proposal_read(&p->what, &p->arena, &rec, &err);
	if (st != MEM_OK) {
		p->refused = err.reason != NULL ? err.reason : "bad_value";
		p->offset = err.offset;
	}
	mem_rec_release(&rec);
}

static inline enum mem_status
read_topics(struct proposed_list *l, int argc, char **argv)
{
	struct mem_input in;
	struct mem_line line;
	if (argc != 1 || argv[0][0] != '-' || argv[0][1] != '\0') {
		struct mem_buf text = { 0 };
		struct proposed *p = add_proposed(l);
		read_operand_text(&text, argc, argv);
		p->what.topic = mem_arena_str(&p->arena, mem_buf_span(&text));
		p->refused = text.len == 0 ? "empty" : NULL;
		mem_buf_release(&text);
		return MEM_OK;
	}
	mem_input_init(&in, argc, argv);
	while (mem_input_next(&in, &line))
		read_proposed_record(l, &line);
	return mem_input_status(&in);
}

/* ---- transcripts -------------------------------------------------------------- */

/* `ns` empty: the caller's own. */
static inline void
mine_transcripts(struct proposed_list *l, struct mem_store *s, struct mem_mined_options *o)
{
	struct mem_err err;
	struct mem_buf own = { 0 };
	mem_buf_printf(&own, "agent:%s", mem_store_principal(s)->agent);
	if (o->traces.ns.n == 0)
		o->traces.ns = mem_buf_span(&own);
	if (mem_mine_drafts(&l->mined, s, o, &err) != MEM_OK)
		mem_die_err(&err);
	for (size_t i = 0; i < l->mined.n; i++) {
		struct proposed *p = add_proposed(l);
		p->what = l->mined.v[i].what;
		p->known = l->mined.v[i].known;
	}
	if (l->mined.cut)
		mem_warn("only the newest %d episodes were looked at", MEM_TRACE_EVENTS_MAX);
	if (l->mined.left_out > 0)
		mem_warn("%zu more sequences: run it again, or with -n", l->mined.left_out);
	mem_buf_release(&own);
}

/* ---- research ------------------------------------------------------------------- */

/* Before anything is written: what is proposed in one run knows nothing of each other. */
static inline void
research_proposed(struct proposed_list *l, struct mem_searcher *searcher, bool skills_alone)
{
	struct mem_research_gaps *gaps = NULL;
	struct mem_err err;
	for (size_t i = 0; i < l->n && !mem_interrupted(); i++) {
		struct proposed *p = &l->v[i];
		p->what.research = &p->research; /* the list grows no more */
		if (p->refused != NULL || p->known)
			continue;
		enum mem_status st = skills_alone ? mem_research_skills(&p->research, searcher, p->what.topic, &err)
		    : mem_research_topic(&p->research, searcher, &gaps, p->what.topic, &err);
		if (st != MEM_OK)
			mem_die_err(&err);
	}
	mem_research_gaps_free(gaps);
}

/* ---- a dry run ------------------------------------------------------------------ */

/* What there would be: the name and what it is for, then the body, behind an empty line each. */
static inline void
print_draft(struct mem_str receipt)
{
	const struct mem_json draft = mem_json_member(mem_json_object(receipt), "draft");
	struct mem_arena a = { 0 };
	struct mem_buf text = { 0 };
	if (mem_json_there(draft)) {
		mem_buf_putc(&text, '\n');
		mem_show(&text, mem_json_text(&a, mem_json_member(draft, "name")), false);
		mem_buf_puts(&text, ": ");
		mem_show(&text, mem_json_text(&a, mem_json_member(draft, "description")), false);
		mem_buf_puts(&text, "\n\n");
		mem_show(&text, mem_json_text(&a, mem_json_member(draft, "content")), true);
		mem_out_line(mem_buf_span(&text));
	}
	mem_buf_release(&text);
	mem_arena_release(&a);
}

/* ---- a command ------------------------------------------------------------------ */

/* Of the option, else of the settings; empty: the template alone drafts. */
static inline void
draft_proposed_with(struct proposed_list *l, const char *command)
{
	struct mem_err why;
	for (size_t i = 0; command[0] != '\0' && i < l->n && !mem_interrupted(); i++) {
		struct proposed *p = &l->v[i];
		if (p->refused == NULL && !p->known && !mem_draft_with(&p->what, &p->arena, command, &why))
			mem_warn("--with: %s; the template drafts", why.msg);
	}
}

#endif
