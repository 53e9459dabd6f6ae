/* SPDX-License-Identifier: Apache-2.0 */
/* The signals of a hit, read back. */
#include "stage/signals_int.h"
#include "query/class.h"
#include "query/rank.h"

#include <math.h>

static double
read_signal_score(struct mem_json signal)
{
	double v;
	return mem_json_num(mem_json_member(signal, "score"), &v) && fabs(v) <= STAGE_SCORE_MAX ? v : (double)NAN;
}

unsigned
stage_read_signals(struct mem_candidate *c, const struct mem_rec *r)
{
	unsigned there = 0;
	struct mem_json signals = mem_rec_value(r, "signals");
	for (enum mem_signal s = 0; s < MEM_SIGNALS; s++) {
		struct mem_json signal = mem_json_member(signals, mem_signal_name(s));
		int64_t rank;
		there |= (unsigned)mem_json_there(signal) << s;
		c->signal[s].score = read_signal_score(signal);
		if (mem_json_int(mem_json_member(signal, "rank"), &rank) && rank > 0 && rank <= UINT32_MAX)
			c->signal[s].rank = (uint32_t)rank;
	}
	for (enum mem_rank_step i = 0; i < MEM_RANK_STEPS; i++)
		c->step[i] = read_signal_score(mem_json_member(signals, mem_rank_step_name(i)));
	c->anchor = c->signal[MEM_SIGNAL_ANCHOR].score > 0;
	return there;
}

bool
stage_has_ranks(const struct mem_rec *r)
{
	struct mem_json signals = mem_rec_value(r, "signals");
	for (enum mem_signal s = 0; s < MEM_SIGNALS; s++)
		if (mem_json_there(mem_json_member(mem_json_member(signals, mem_signal_name(s)), "rank")))
			return true;
	return false;
}

bool
stage_read_class(const struct mem_rec *r, enum mem_class *out)
{
	struct mem_json name = mem_rec_value(r, "class");
	for (enum mem_class c = 0; c < MEM_CLASSES; c++)
		if (mem_json_is(name, mem_class_names[c])) {
			*out = c;
			return true;
		}
	return false;
}

void
stage_put_step_note(struct mem_buf *out, double score)
{
	mem_buf_putc(out, '{');
	mem_json_put_num(out, "score", score);
	mem_buf_putc(out, '}');
}
