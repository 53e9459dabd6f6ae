/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns by PCRE2, each within a budget of steps. */
#include "text/pattern.h"
#include "text/text_int.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#define JIT_STACK_MIN ((size_t)32 << 10)
#define JIT_STACK_MAX ((size_t)4 << 20)
#define HEAP_KIB_MAX  (16u << 10) /* the interpreter's, where JIT is not to be had */
#define DEPTH_MAX     100000u
/* Per start position only, hence no bound on an input; kept above any honest match. */
#define START_STEPS_MAX 10000000u

/* Translating takes about as long as so many steps of the interpreter, measured with the rules of clean. */
#define LATE_STEPS ((uint64_t)10000)
#define LATE_RANGE 4096               /* bytes */

/* Of MEM_PATTERN_LATE. */
struct late_use {
	uint64_t steps;   /* that were interpreted */
	bool tried, jit;  /* to translate it, and with success */
};
struct mem_pattern {
	pcre2_code *code;
	bool jit;
	struct late_use *late; /* NULL: it was translated at once, if it can be */
};

struct mem_matcher {
	pcre2_match_context *context;
	pcre2_match_data *data;
	pcre2_jit_stack *stack;
	uint64_t left;
	size_t previous;  /* where the item before stood */
};

/* ---- compiling --------------------------------------------------------- */

/* The start item at p ("(*UTF)"), or an empty span. */
static struct mem_str
find_start_item(const char *p, const char *end)
{
	const char *q = p;
	if (end - p < 4 || p[0] != '(' || p[1] != '*' || !isupper((unsigned char)p[2]))
		return (struct mem_str){ p, 0 };
	for (q = p + 2; q < end && (isupper((unsigned char)*q) || isdigit((unsigned char)*q) || *q == '_' || *q == '='); q++)
		;
	if (q == end || *q != ')')
		return (struct mem_str){ p, 0 };
	return (struct mem_str){ p, (size_t)(q + 1 - p) };
}

static enum mem_status
refuse_start_items(struct mem_str source, struct mem_err *err)
{
	const char *p = source.p, *end = source.p + source.n;
	for (;;) {
		struct mem_str item = find_start_item(p, end);
		if (item.n == 0)
			return MEM_OK;
		if ((item.n > 5 && memcmp(item.p + 2, "NO_", 3) == 0) ||
		    (item.n > 8 && memcmp(item.p + 2, "LIMIT_", 6) == 0))
			return mem_err_set(err, MEM_USAGE, "%.*s is not allowed", (int)item.n, item.p);
		p += item.n;
	}
}

static uint32_t
choose_compile_options(unsigned flags)
{
	uint32_t options = PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C | PCRE2_USE_OFFSET_LIMIT;
	if ((flags & MEM_PATTERN_CASELESS) != 0)
		options |= PCRE2_CASELESS;
	if ((flags & MEM_PATTERN_EXTENDED) != 0)
		options |= PCRE2_EXTENDED;
	if ((flags & MEM_PATTERN_WINDOWED) != 0)
		options |= PCRE2_NO_START_OPTIMIZE;
	return options;
}

static pcre2_code *
compile_pattern(struct mem_str source, uint32_t options, struct mem_err *err)
{
	int code;
	PCRE2_SIZE at;
	pcre2_code *c = pcre2_compile((PCRE2_SPTR)source.p, source.n, options, &code, &at, NULL);
	if (c == NULL) {
		PCRE2_UCHAR msg[256];
		pcre2_get_error_message(code, msg, sizeof msg);
		mem_err_set(err, MEM_USAGE, "%s at offset %zu", (const char *)msg, at);
		if (err != NULL)
			err->offset = at;
	}
	return c;
}

static int
stop_at_callout(pcre2_callout_enumerate_block *block, void *ctx)
{
	(void)block;
	(void)ctx;
	return 1;
}

/* Our own callouts are automatic ones; the pattern's can be seen only before those are added. */
static enum mem_status
refuse_callouts(struct mem_str source, uint32_t options, struct mem_err *err)
{
	if (memmem(source.p, source.n, "(?C", 3) == NULL)
		return MEM_OK;
	pcre2_code *c = compile_pattern(source, options, err);
	if (c == NULL)
		return MEM_USAGE;
	int found = pcre2_callout_enumerate(c, stop_at_callout, NULL);
	pcre2_code_free(c);
	return found == 0 ? MEM_OK : mem_err_set(err, MEM_USAGE, "callouts are not allowed");
}

enum mem_status
mem_pattern_new(struct mem_pattern **out, struct mem_str source, unsigned flags, struct mem_err *err)
{
	uint32_t options = choose_compile_options(flags);
	*out = NULL;
	if (source.n > MEM_PATTERN_MAX)
		return mem_err_set(err, MEM_USAGE, "the pattern is longer than %zu bytes", MEM_PATTERN_MAX);
	bool marked = (flags & MEM_PATTERN_MARKED) != 0;
	enum mem_status st = refuse_start_items(source, err);
	if (st == MEM_OK && !marked)
		st = refuse_callouts(source, options, err);
	if (st != MEM_OK)
		return st;
	pcre2_code *code = compile_pattern(source, options | (marked ? 0 : PCRE2_AUTO_CALLOUT), err);
	if (code == NULL)
		return MEM_USAGE;
	*out = mem_xcalloc(1, sizeof **out);
	(*out)->code = code;
	if ((flags & MEM_PATTERN_LATE) != 0)
		(*out)->late = mem_xcalloc(1, sizeof *(*out)->late);
	else /* where the system forbids it, the interpreter does the same, slower */
		(*out)->jit = pcre2_jit_compile(code, PCRE2_JIT_COMPLETE) == 0;
	return MEM_OK;
}

void
mem_pattern_free(struct mem_pattern *p)
{
	if (p == NULL)
		return;
	pcre2_code_free(p->code);
	free(p->late);
	free(p);
}

unsigned
mem_pattern_group(const struct mem_pattern *p, const char *name)
{
	int n = pcre2_substring_number_from_name(p->code, (PCRE2_SPTR)name);
	return n > 0 ? (unsigned)n : 0;
}

struct item_listing {
	text_item_fn *tell;
	void *ctx;
};

static int
tell_item(pcre2_callout_enumerate_block *block, void *ctx)
{
	const struct item_listing *l = ctx;
	l->tell(l->ctx, block->pattern_position, block->next_item_length);
	return 0;
}

void
text_pattern_items(const struct mem_pattern *p, text_item_fn *tell, void *ctx)
{
	struct item_listing l = { tell, ctx };
	pcre2_callout_enumerate(p->code, tell_item, &l);
}

bool
text_pattern_first_bytes(const struct mem_pattern *p, uint8_t bytes[32])
{
	uint32_t type = 0, byte = 0;
	const uint8_t *set = NULL;
	pcre2_pattern_info(p->code, PCRE2_INFO_FIRSTCODETYPE, &type);
	pcre2_pattern_info(p->code, PCRE2_INFO_FIRSTCODEUNIT, &byte);
	pcre2_pattern_info(p->code, PCRE2_INFO_FIRSTBITMAP, &set);
	if (type == 1 && byte < 0x80) {
		/* Case may count or not. */
		for (int i = 0; i < 2; i++) {
			uint32_t b = (uint32_t)(i == 0 ? tolower((int)byte) : toupper((int)byte));
			bytes[b >> 3] |= (uint8_t)(1u << (b & 7));
		}
		return true;
	}
	if (type == 0 && set != NULL)
		memcpy(bytes, set, 32);
	return type == 0 && set != NULL;
}

/* ---- matching ---------------------------------------------------------- */

static int
charge_pattern_item(pcre2_callout_block *block, void *ctx)
{
	struct mem_matcher *m = ctx;
	size_t at = block->current_position;
	uint64_t cost = 1 + (at > m->previous ? (at - m->previous) / 4 : 0);
	m->previous = at;
	if (cost > m->left) {
		m->left = 0;
		return PCRE2_ERROR_CALLOUT;
	}
	m->left -= cost;
	return 0;
}

static void *
allocate_pcre2_memory(PCRE2_SIZE n, void *ctx)
{
	(void)ctx;
	return mem_xmalloc(n);
}

static void
free_pcre2_memory(void *p, void *ctx)
{
	(void)ctx;
	free(p);
}

struct mem_matcher *
mem_matcher_new(void)
{
	struct mem_matcher *m = mem_xcalloc(1, sizeof *m);
	pcre2_general_context *memory = pcre2_general_context_create(allocate_pcre2_memory, free_pcre2_memory, NULL);
	m->context = pcre2_match_context_create(memory);
	m->data = pcre2_match_data_create(MEM_PATTERN_GROUPS, memory);
	pcre2_general_context_free(memory);
	m->stack = pcre2_jit_stack_create(JIT_STACK_MIN, JIT_STACK_MAX, NULL); /* NULL: a smaller one */
	pcre2_set_callout(m->context, charge_pattern_item, m);
	pcre2_set_match_limit(m->context, START_STEPS_MAX);
	pcre2_set_depth_limit(m->context, DEPTH_MAX);
	pcre2_set_heap_limit(m->context, HEAP_KIB_MAX);
	if (m->stack != NULL)
		pcre2_jit_stack_assign(m->context, NULL, m->stack);
	return m;
}

void
mem_matcher_free(struct mem_matcher *m)
{
	if (m == NULL)
		return;
	pcre2_match_context_free(m->context);
	pcre2_match_data_free(m->data);
	pcre2_jit_stack_free(m->stack);
	free(m);
}

void
mem_matcher_budget(struct mem_matcher *m, uint64_t steps)
{
	m->left = steps;
}

uint64_t
mem_matcher_left(const struct mem_matcher *m)
{
	return m->left;
}

static void
read_match_groups(const struct mem_matcher *m, int n, struct mem_match *match)
{
	const PCRE2_SIZE *v = pcre2_get_ovector_pointer(m->data);
	if (n == 0 || n > MEM_PATTERN_GROUPS)
		n = MEM_PATTERN_GROUPS;
	for (int i = 0; i < MEM_PATTERN_GROUPS; i++) {
		bool there = i < n && v[2 * i] != PCRE2_UNSET && v[2 * i] <= v[2 * i + 1];
		match->start[i] = there ? v[2 * i] : 1;
		match->end[i] = there ? v[2 * i + 1] : 0;
	}
}

/* Is it machine code by now?  `range`: of places where it is tried next. */
static bool
is_translated(const struct mem_pattern *p, size_t range)
{
	struct late_use *late = p->late;
	if (late == NULL)
		return p->jit;
	if (!late->tried && (late->steps > LATE_STEPS || range > LATE_RANGE)) {
		late->jit = pcre2_jit_compile(p->code, PCRE2_JIT_COMPLETE) == 0;
		late->tried = true;
	}
	return late->jit;
}

enum mem_status
mem_pattern_find(struct mem_matcher *m, const struct mem_pattern *p, struct mem_str text,
    size_t from, size_t last, struct mem_match *match, struct mem_err *err)
{
	PCRE2_SPTR s = (PCRE2_SPTR)(text.p != NULL ? text.p : "");
	uint64_t before = m->left;
	int rc;
	while (from < text.n && (s[from] & 0xc0) == 0x80)
		from++;
	m->previous = from;
	pcre2_set_offset_limit(m->context, last);
	if (from > last || last > text.n)
		rc = PCRE2_ERROR_NOMATCH;
	else if (m->left == 0)
		rc = PCRE2_ERROR_CALLOUT;
	else if (is_translated(p, last - from))
		rc = pcre2_jit_match(p->code, s, text.n, from, 0, m->data, m->context);
	else
		rc = pcre2_match(p->code, s, text.n, from, PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT, m->data, m->context);
	if (p->late != NULL)
		p->late->steps += before - m->left;
	if (rc == PCRE2_ERROR_NOMATCH) {
		if (err != NULL)
			err->reason = NULL;
		return MEM_NOTFOUND;
	}
	if (rc >= 0) {
		read_match_groups(m, rc, match);
		return MEM_OK;
	}
	m->left = 0;
	return mem_err_record(err, "budget", from, "the text takes too many steps to search");
}
