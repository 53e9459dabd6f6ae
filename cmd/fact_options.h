/* SPDX-License-Identifier: Apache-2.0 */
/* One fact, of the options of mem-fact, as the record that it is. */
#ifndef MEM_FACT_OPTIONS_H
#define MEM_FACT_OPTIONS_H

#include "cli/cli.h"
#include "record/record.h"

static const char *subject, *subject_type, *predicate, *object, *object_type, *detail, *domain, *topic, *type, *veracity, *supersede, *was;
static double confidence = -1;
static int64_t from = MEM_TIME_NONE, to = MEM_TIME_NONE, due = MEM_TIME_NONE;
static bool negated, corrects;

static inline void
put_text(struct mem_buf *out, const char *name, const char *text)
{
	if (text != NULL)
		mem_json_put_field(out, name, mem_str(text));
}

/* `{"name":"Alice","type":"person"}` */
static inline void
put_term(struct mem_buf *out, const char *field, const char *name, const char *word)
{
	struct mem_buf term = { 0 };
	if (name == NULL)
		return;
	mem_buf_putc(&term, '{');
	put_text(&term, "name", name);
	put_text(&term, "type", word);
	mem_buf_putc(&term, '}');
	mem_json_put_raw(out, field, mem_buf_span(&term));
	mem_buf_release(&term);
}

static inline void
put_when(struct mem_buf *out, const char *name, int64_t ms)
{
	if (ms != MEM_TIME_NONE)
		mem_json_put_time(out, name, ms);
}

/* Statement and options as a record. */
static inline void
put_record(struct mem_buf *out, const char *statement)
{
	mem_buf_putc(out, '{');
	put_text(out, "statement", statement);
	put_term(out, "subject", subject, subject_type);
	put_text(out, "predicate", predicate);
	put_term(out, "object", object, object_type);
	put_text(out, "detail", detail);
	put_text(out, "domain", domain);
	put_text(out, "topic", topic);
	put_text(out, "type", type);
	put_text(out, "veracity", veracity);
	put_text(out, "was", was);
	put_text(out, "supersede", supersede);
	if (confidence >= 0)
		mem_json_put_num(out, "confidence", confidence);
	if (negated)
		mem_json_put_bool(out, "negated", true);
	if (corrects || was != NULL)
		mem_json_put_bool(out, "corrects", true);
	put_when(out, "valid_from", from);
	put_when(out, "valid_to", to);
	put_when(out, "due", due);
	mem_buf_putc(out, '}');
}

static inline bool
has_fact_options(void)
{
	const char *const texts[] = { subject, subject_type, predicate, object, object_type, detail, domain, topic, type, veracity, supersede, was };
	bool any = confidence >= 0 || negated || corrects || from != MEM_TIME_NONE || to != MEM_TIME_NONE || due != MEM_TIME_NONE;
	for (size_t i = 0; i < MEM_COUNT(texts); i++)
		any = any || texts[i] != NULL;
	return any;
}

static inline void
check_triple(const char *statement)
{
	int terms = (subject != NULL) + (predicate != NULL) + (object != NULL);
	if (terms != 0 && terms != 3)
		mem_die(MEM_USAGE, "--subject, --predicate and --object belong together");
	if (terms == 0 && statement == NULL)
		mem_die(MEM_USAGE, "a STATEMENT, or --subject, --predicate and --object; - reads records");
	if (from != MEM_TIME_NONE && to != MEM_TIME_NONE && to <= from)
		mem_die(MEM_USAGE, "--to: the fact would end before it begins");
	if (confidence == 0)
		mem_die(MEM_USAGE, "--confidence: what nobody is sure of is no fact: give more than 0");
}

#endif
