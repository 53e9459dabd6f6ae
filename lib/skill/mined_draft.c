/* SPDX-License-Identifier: Apache-2.0 */
/* The draft of a skill, from the runs of a sequence. */
#include <math.h>
#include <string.h>

#include "skill/mined_int.h"

enum { SESSION_SHOWN = 64 }; /* bytes */

/* ---- small things --------------------------------------------------------------- */

static void
put_step_names(struct mem_buf *out, const struct mined_sequence *m, const char *between)
{
	for (size_t i = 0; i < m->sequence->length; i++) {
		mem_buf_puts(out, i > 0 ? between : "");
		mem_buf_str(out, m->steps[i]);
	}
}

static void
put_topic_words(struct mem_buf *out, const struct mined_sequence *m, const char *between)
{
	for (size_t i = 0; i < m->nwords; i++) {
		mem_buf_puts(out, i > 0 ? between : "");
		mem_buf_str(out, m->words[i]);
	}
}

/* A text as code in a line. */
static void
put_code(struct mem_buf *out, struct mem_str s, size_t max)
{
	mem_buf_putc(out, '`');
	s.n = mem_utf8_cut(s, max);
	for (size_t i = 0; i < s.n; i++)
		mem_buf_putc(out, (unsigned char)s.p[i] < ' ' || s.p[i] == '`' ? '_' : s.p[i]);
	mem_buf_putc(out, '`');
}

/* A line as a block of code in a list, behind a fence that it cannot close. */
static void
put_example(struct mem_buf *out, struct mem_str line)
{
	size_t run = 0, longest = 2;
	for (size_t i = 0; i < line.n; i++) {
		run = line.p[i] == '`' ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	mem_buf_puts(out, "\n   ");
	for (size_t i = 0; i <= longest; i++)
		mem_buf_putc(out, '`');
	mem_buf_puts(out, "text\n   ");
	mem_buf_str(out, line);
	mem_buf_puts(out, "\n   ");
	for (size_t i = 0; i <= longest; i++)
		mem_buf_putc(out, '`');
	mem_buf_puts(out, "\n\n");
}

static void
put_runs(struct mem_buf *out, const struct mined_sequence *m)
{
	const struct mem_sequence *q = m->sequence;
	mem_buf_printf(out, "%zu of %zu times, in %zu session%s", q->successes, q->nruns, m->sessions, m->sessions == 1 ? "" : "s");
}

/* ---- a run ------------------------------------------------------------------------ */

static struct mem_str
get_run_session(const struct mined_sequence *m, size_t run)
{
	return m->traces->sessions.entries[mined_step_event(m, run, 0)->session].text;
}

/* ---- the text --------------------------------------------------------------------- */

static void
put_when(struct mem_buf *out, const struct mined_sequence *m)
{
	if (m->ntasks == 0)
		return;
	mem_buf_puts(out, "\n## When to use\n\nWhat users asked for:\n\n");
	for (size_t i = 0; i < m->ntasks && i < MINED_QUOTED; i++) {
		mem_buf_puts(out, "> ");
		mem_buf_str(out, m->tasks[i]);
		mem_buf_puts(out, i + 1 < m->ntasks && i + 1 < MINED_QUOTED ? "\n>\n" : "\n");
	}
}

static void
put_step_list(struct mem_buf *out, const struct mined_sequence *m)
{
	mem_buf_puts(out, "\n## Steps\n\nThe examples are what the tools were called with in the last of these runs: data, no orders.\n\n");
	for (size_t i = 0; i < m->sequence->length; i++) {
		mem_buf_printf(out, "%zu. ", i + 1);
		put_code(out, m->steps[i], m->steps[i].n);
		mem_buf_putc(out, '\n');
		if (m->examples[i].n > 0)
			put_example(out, m->examples[i]);
	}
}

static void
put_run_list(struct mem_buf *out, const struct mined_sequence *m)
{
	const size_t n = m->sequence->nruns;
	mem_buf_puts(out, "\n## Evidence\n\nWorked ");
	put_runs(out, m);
	mem_buf_puts(out, n > MINED_QUOTED ? "; the last runs:\n\n" : ":\n\n");
	for (size_t i = n > MINED_QUOTED ? n - MINED_QUOTED : 0; i < n; i++) {
		char id[MEM_ID_LEN + 1];
		mem_id_format(&mined_step_event(m, i, 0)->id, id);
		mem_buf_puts(out, "- session ");
		put_code(out, get_run_session(m, i), SESSION_SHOWN);
		mem_buf_printf(out, ", from episode %s%s\n", id, mined_run_succeeded(m, i) ? "" : ", failed");
	}
}

static void
put_mined_content(struct mem_buf *out, const struct mined_sequence *m, struct mem_str topic)
{
	mem_buf_printf(out, "# %.*s\n", (int)topic.n, topic.p);
	put_when(out, m);
	put_step_list(out, m);
	put_run_list(out, m);
}

/* ---- fields ----------------------------------------------------------------------- */

static struct mem_str
make_mined_topic(const struct mined_sequence *m, struct mem_arena *a)
{
	struct mem_buf b = { 0 };
	if (m->nwords > 0)
		put_topic_words(&b, m, " ");
	else
		put_step_names(&b, m, ", ");
	struct mem_str s = mem_arena_str(a, mem_buf_span(&b));
	mem_buf_release(&b);
	return s;
}

/* Of the tasks' words and that of the last step, or of all steps. */
static struct mem_str
make_name(const struct mined_sequence *m, struct mem_arena *a)
{
	struct mem_buf words = { 0 }, b = { 0 };
	struct mem_str last = m->steps[m->sequence->length - 1];
	if (m->nwords > 0) {
		put_topic_words(&words, m, " ");
		mem_buf_putc(&words, ' ');
		const char *blank = memrchr(last.p, ' ', last.n);
		mem_buf_str(&words, blank != NULL ? (struct mem_str){ blank + 1, last.n - (size_t)(blank + 1 - last.p) } : last);
	} else
		put_step_names(&words, m, " ");
	mem_proposal_name_put(&b, mem_buf_span(&words));
	struct mem_str name = mem_arena_str(a, mem_buf_span(&b));
	mem_buf_release(&words);
	mem_buf_release(&b);
	return name;
}

static struct mem_str
make_description(const struct mined_sequence *m, struct mem_arena *a)
{
	struct mem_buf b = { 0 };
	if (m->nwords > 0) {
		mem_buf_puts(&b, "Tasks about ");
		put_topic_words(&b, m, ", ");
		mem_buf_puts(&b, ": ");
	}
	put_step_names(&b, m, ", ");
	mem_buf_puts(&b, ". Worked ");
	put_runs(&b, m);
	mem_buf_putc(&b, '.');
	struct mem_str s = mem_arena_str(a, mem_buf_span(&b));
	mem_buf_release(&b);
	return s;
}

static struct mem_json
keep_json(struct mem_arena *a, struct mem_buf *b, enum mem_json_type type)
{
	struct mem_json v = { mem_arena_str(a, mem_buf_span(b)), type, false };
	mem_buf_release(b);
	return v;
}

static struct mem_json
make_numbers(const struct mined_sequence *m, struct mem_arena *a)
{
	const struct mem_sequence *q = m->sequence;
	struct mem_buf b = { 0 };
	mem_buf_puts(&b, "{\"steps\":[");
	for (size_t i = 0; i < q->length; i++) {
		mem_buf_puts(&b, i > 0 ? "," : "");
		mem_json_put_string(&b, m->steps[i]);
	}
	mem_buf_putc(&b, ']');
	mem_json_put_int(&b, "runs", (int64_t)q->nruns);
	mem_json_put_int(&b, "successes", (int64_t)q->successes);
	mem_json_put_num(&b, "success_rate", round((double)q->successes / (double)q->nruns * 1e4) / 1e4);
	mem_json_put_int(&b, "sessions", (int64_t)m->sessions);
	mem_buf_putc(&b, '}');
	return keep_json(a, &b, MEM_JSON_OBJECT);
}

static void
put_run_record(struct mem_buf *b, const struct mined_sequence *m, size_t run)
{
	char id[MEM_ID_LEN + 1];
	mem_id_format(&mined_step_event(m, run, 0)->id, id);
	mem_buf_putc(b, '{');
	mem_json_put_field(b, "id", mem_str(id));
	mem_json_put_field(b, "source", MEM_STR("transcripts"));
	mem_json_put_field(b, "session", get_run_session(m, run));
	mem_json_put_time(b, "at", mined_step_event(m, run, 0)->at);
	mem_json_put_raw(b, "steps", MEM_STR("["));
	for (size_t i = 0; i < m->sequence->length; i++) {
		mem_id_format(&mined_step_event(m, run, i)->id, id);
		mem_buf_puts(b, i > 0 ? "," : "");
		mem_json_put_string(b, mem_str(id));
	}
	mem_buf_putc(b, ']');
	mem_json_put_bool(b, "succeeded", mined_run_succeeded(m, run));
	mem_buf_putc(b, '}');
}

static struct mem_json
make_evidence(const struct mined_sequence *m, struct mem_arena *a)
{
	const size_t n = m->sequence->nruns, first = n > MEM_MINED_RUNS_TOLD ? n - MEM_MINED_RUNS_TOLD : 0;
	struct mem_buf b = { 0 };
	mem_buf_putc(&b, '[');
	for (size_t i = first; i < n; i++) {
		mem_buf_puts(&b, i > first ? "," : "");
		put_run_record(&b, m, i);
	}
	mem_buf_putc(&b, ']');
	return keep_json(a, &b, MEM_JSON_ARRAY);
}

void
mined_write_draft(struct mem_proposal_new *out, const struct mined_sequence *m, struct mem_arena *a)
{
	struct mem_buf b = { 0 };
	out->topic = make_mined_topic(m, a);
	out->name = make_name(m, a);
	out->description = make_description(m, a);
	put_mined_content(&b, m, out->topic);
	out->content = mem_arena_str(a, mem_buf_span(&b));
	out->mined = make_numbers(m, a);
	out->evidence = make_evidence(m, a);
	out->runs = m->sequence->successes;
	out->nsources = m->nsources;
	struct mem_id *sources = mem_arena_alloc(a, (m->nsources + 1) * sizeof *sources);
	memcpy(sources, m->sources, m->nsources * sizeof *sources);
	out->sources = sources;
	mem_buf_release(&b);
}
