/* SPDX-License-Identifier: Apache-2.0 */
/* What mem-adapt prints: events, and words about what it did not take. */
#ifndef MEM_ADAPT_OUTPUT_H
#define MEM_ADAPT_OUTPUT_H

#include "adapt/adapt.h"
#include "cli/cli.h"

static bool quiet;
static const char *format;

static bool
print_event(void *ctx, struct mem_str json)
{
	(void)ctx;
	mem_out_line(json);
	return mem_out_ok();
}

static void
print_fault(void *ctx, const struct mem_adapt_fault *f)
{
	const struct mem_refusal refusal = { .input = f->input, .line = f->line, .offset = f->offset, .reason = mem_str(f->reason), .detail = f->msg };
	(void)ctx;
	if (mem_refusal_notice(&refusal))
		return;
	mem_warn("%s:%llu: byte %llu: %s: %s", f->input, (unsigned long long)f->line,
	    (unsigned long long)f->offset, f->reason, f->msg);
}

static void
print_nothing(void *ctx, const char *input)
{
	(void)ctx;
	if (!quiet)
		mem_warn("%s: nothing in it is what a person, an agent or a tool said in format %s", input, format);
}

static void
flush_output(void *ctx)
{
	(void)ctx;
	mem_out_flush();
}

/* "A 2, B 1". */
static void
put_tally(struct mem_buf *b, const struct mem_adapt_tally *t)
{
	for (size_t i = 0; i < t->ntypes; i++)
		mem_buf_printf(b, "%s%s %llu", i > 0 ? ", " : "", t->types[i].name, (unsigned long long)t->types[i].n);
}

static void
print_counts(const struct mem_adapt_counts *c, bool verbose)
{
	struct mem_buf b = { 0 };
	if (c->unknown.all > 0 && !quiet) {
		put_tally(&b, &c->unknown);
		mem_warn("%llu record%s of unknown type skipped (%s)", (unsigned long long)c->unknown.all,
		    c->unknown.all == 1 ? "" : "s", b.data);
	}
	mem_buf_reset(&b);
	if (c->undated.all > 0 && !quiet) {
		for (size_t i = 0; i < c->undated.ntypes; i++)
			mem_buf_printf(&b, "%s'%s'", i > 0 ? ", " : "", c->undated.types[i].name);
		mem_warn("%llu export%s with a date that cannot be read, or could be two days: %s", (unsigned long long)c->undated.all,
		    c->undated.all == 1 ? "" : "s", b.data);
	}
	if (c->unclaimed > 0 && !quiet)
		mem_warn("%llu call%s refused that the input does not hold: the reasons stay in the results, as words of a tool",
		    (unsigned long long)c->unclaimed, c->unclaimed == 1 ? "" : "s");
	if (verbose)
		mem_warn("%llu events; %llu records of the program's own, %llu without text, "
		    "%llu repeated, %llu left for the next time",
		    (unsigned long long)c->events, (unsigned long long)c->program,
		    (unsigned long long)c->empty, (unsigned long long)c->repeated,
		    (unsigned long long)c->held);
	mem_buf_reset(&b);
	if (c->wrappers.all > 0 && verbose) {
		put_tally(&b, &c->wrappers);
		mem_warn("%llu wrapper%s cut from what people said (%s)", (unsigned long long)c->wrappers.all,
		    c->wrappers.all == 1 ? "" : "s", b.data);
	}
	mem_buf_release(&b);
}

#endif
