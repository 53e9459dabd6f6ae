/* SPDX-License-Identifier: Apache-2.0 */
/* The hypothetical answer that vectors search with. */
#include "query/question_int.h"

static struct mem_str
trim_blanks(struct mem_str s)
{
	while (s.n > 0 && (unsigned char)s.p[s.n - 1] <= ' ')
		s.n--;
	while (s.n > 0 && (unsigned char)s.p[0] <= ' ')
		s = (struct mem_str){ s.p + 1, s.n - 1 };
	return s;
}

static enum mem_status
take_answer_text(struct query_hyde *h, struct mem_str given)
{
	struct mem_str text = trim_blanks(given);
	if (text.n == 0)
		return mem_err_set(&h->failure, MEM_REFUSED, "no hypothetical answer came");
	if (mem_utf8_valid(text.p, text.n) < text.n)
		return mem_err_set(&h->failure, MEM_REFUSED, "the hypothetical answer is not UTF-8");
	mem_buf_str(&h->text, text);
	return MEM_OK;
}

void
query_question_suppose(struct mem_question *q)
{
	const struct mem_search_options *o = q->options;
	struct mem_buf out = { 0 };
	struct mem_encoder *e;
	struct mem_err why;
	bool given = o->hypothetical.p != NULL;
	q->hyde.asked = (given || o->hyde_with != NULL) && o->mode != MEM_MODE_KEYWORD;
	if (!q->hyde.asked || q->parsed.question.len == 0 || mem_encoder_for_query(&q->searcher->encoder, &e, NULL) != MEM_OK)
		return; /* nothing is asked, or nobody could read an answer */
	if (given || mem_command_run(&out, o->hyde_with, mem_buf_span(&q->parsed.question), &why) == MEM_OK)
		(void)take_answer_text(&q->hyde, given ? o->hypothetical : mem_buf_span(&out));
	else
		(void)mem_err_set(&q->hyde.failure, MEM_FAIL, "no hypothetical answer: %s", why.msg);
	mem_buf_release(&out);
}
