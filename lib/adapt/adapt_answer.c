/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A person's words that programs record as a tool's result: answers to the agent's questions, and why a call was refused.
 */
#include "adapt/adapt_int.h"

void
adapt_put_answer(struct mem_adapt_input *in, struct mem_buf *out, struct mem_str question, struct mem_json answer)
{
	static const char note[] = "user_note: ";
	struct mem_json many = mem_json_member(answer, "answers");
	struct mem_json list = mem_json_there(many) ? many : answer;
	struct mem_json_iter it = mem_json_each(list);
	size_t before = out->len;
	if (before > 0)
		mem_buf_putc(out, '\n');
	mem_buf_str(out, question);
	size_t start = out->len;
	for (bool more = true; more && (list.type != MEM_JSON_ARRAY || mem_json_next(&it)); more = list.type == MEM_JSON_ARRAY) {
		struct mem_str text = adapt_decode_string(in, list.type == MEM_JSON_ARRAY ? it.value : list);
		if (adapt_has_prefix(text, note))
			text = (struct mem_str){ text.p + sizeof note - 1, text.n - (sizeof note - 1) };
		if (adapt_is_blank_text(text))
			continue;
		mem_buf_puts(out, out->len > start ? ", " : question.n > 0 ? " " : "");
		mem_buf_str(out, text);
	}
	if (out->len == start)
		out->len = before;
}

void
adapt_send_words(struct mem_adapt_input *in, struct mem_str words)
{
	struct adapt_event *ev = &in->ev;
	ev->by_agent = ev->private_talk = false; /* a sub-agent's question, too, is answered by the person */
	mem_buf_puts(&ev->ref, "#words");
	mem_buf_str(&ev->text, words);
	adapt_send_event(in);
}

struct mem_str
adapt_find_refusal_words(struct mem_adapt_input *in, struct mem_str text)
{
	const struct adapt_wrappers *w = &in->a->wrappers;
	for (size_t i = 0; i < w->nrefusals; i++) {
		size_t n = adapt_match_sentence(w->refusals[i].text, text);
		struct mem_str words = { text.p + n, text.n - n };
		if (n > 0 && !adapt_is_blank_text(words) && !adapt_skip_program_text(in, words))
			return words;
	}
	return (struct mem_str){ 0 };
}
