/* SPDX-License-Identifier: Apache-2.0 */
/* Does a question hold a word of a node's name?  Where nothing is near it by meaning, -m graph begins at such nodes. */
#include "query/question_int.h"

static bool
asks_for_word(const struct query_parsed *p, uint64_t hash)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->clauses[i].scored && p->clauses[i].occur != MEM_MUST_NOT && p->clauses[i].hash == hash)
			return true;
	return false;
}

static bool
has_word_of(const struct mem_question *q, struct mem_json name)
{
	const struct mem_index *index = &q->searcher->index;
	struct mem_buf text = { 0 };
	const struct mem_term *terms;
	size_t n = 0;
	bool has = false;
	if (mem_json_decode(&text, name))
		mem_analyse(index->analyser, mem_buf_span(&text), &terms, &n);
	for (size_t i = 0; i < n && !has; i++)
		has = !terms[i].stop && asks_for_word(&q->parsed, mem_term_word(mem_store_secret(index->store), terms[i].text));
	mem_buf_release(&text);
	return has;
}

bool
query_names_node(const struct mem_question *q, struct mem_json node)
{
	static const char *const names[] = { "name", "title" };
	for (size_t i = 0; i < MEM_COUNT(names); i++)
		if (has_word_of(q, mem_json_member(node, names[i])))
			return true;
	for (struct mem_json_iter it = mem_json_each(mem_json_member(node, "aliases")); mem_json_next(&it);)
		if (has_word_of(q, it.value))
			return true;
	return false;
}
