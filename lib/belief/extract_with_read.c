/* SPDX-License-Identifier: Apache-2.0 */
/* The answer of a user's extractor, line by line: what is refused is told, the others count. */
#include "belief/claim_residue.h"
#include "belief/extract_with_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"

#define WITH_TOLD_MAX 20 /* refused lines that are told one by one; the others as a number */

/* An episode by its id. */
struct with_place {
	struct mem_id id;
	size_t at;                      /* among those given */
};
struct with_reader {
	const struct mem_with_options *opts;
	const struct mem_with_episode *episodes;
	size_t n;
	struct with_place *by_id;       /* [n] in order of their ids */
	size_t *taken;                  /* [n] claims of each */
	struct mem_arena *arena;
	struct mem_rec rec;
	struct mem_clean_rec cleaned;
	struct mem_findings found;
	struct mem_with_claim *v;       /* OWNS until they go into the arena */
	size_t nclaims, cap, refused, line;
	struct mem_str name, version;
};

/* ---- whose claims they are ----------------------------------------------- */

static enum mem_status
read_extractor(struct with_reader *r, struct mem_err *err)
{
	struct mem_str name = mem_json_text(r->arena, mem_rec_value(&r->rec, "extractor"));
	struct mem_json version = mem_rec_value(&r->rec, "version");
	struct mem_str v = version.type == MEM_JSON_NUMBER ? mem_arena_str(r->arena, version.raw) : mem_json_text(r->arena, version);
	if (!mem_command_word_valid(name) || (mem_json_there(version) && !mem_command_word_valid(v)))
		return mem_err_record(err, "bad_value", 0, "extractor and version are words of letters, digits, . _ and -");
	r->name = name;
	if (mem_json_there(version))
		r->version = v;
	return MEM_OK;
}

/* ---- the episodes -------------------------------------------------------- */

static int
compare_places_by_id(const void *a, const void *b)
{
	const struct with_place *x = a, *y = b;
	return mem_id_cmp(&x->id, &y->id);
}

static void
sort_with_episodes(struct with_reader *r)
{
	r->by_id = mem_xcalloc(r->n + 1, sizeof *r->by_id);
	r->taken = mem_xcalloc(r->n + 1, sizeof *r->taken);
	for (size_t i = 0; i < r->n; i++)
		r->by_id[i] = (struct with_place){ r->episodes[i].id, i };
	mem_sort(r->by_id, r->n, sizeof *r->by_id, compare_places_by_id);
}

static enum mem_status
read_claim_episode(struct with_reader *r, size_t *at, struct mem_err *err)
{
	struct mem_str text = mem_json_text(r->arena, mem_rec_value(&r->rec, "episode"));
	struct mem_id id;
	if (!mem_id_parse(text, &id))
		return mem_err_record(err, "bad_value", 0, "episode is the id of one that was given");
	const struct with_place asked = { .id = id }, *found = mem_sorted_find(&asked, r->by_id, r->n, sizeof *r->by_id, compare_places_by_id);
	if (found == NULL)
		return mem_err_record(err, "not_found", 0, "an episode that was not given: %.*s", (int)text.n, text.p);
	*at = found->at;
	if (r->taken[*at] >= MEM_WITH_CLAIMS_MAX)
		return mem_err_record(err, "too_many", 0, "more than %d claims of one episode", MEM_WITH_CLAIMS_MAX);
	return MEM_OK;
}

/* Does a character begin at this byte, or the text end there? */
static bool
is_boundary(struct mem_str s, size_t at)
{
	return at == s.n || ((unsigned char)s.p[at] & 0xC0) != 0x80;
}

static enum mem_status
read_claim_span(const struct with_reader *r, struct mem_str content, struct mem_claim *c, struct mem_err *err)
{
	struct mem_json from = mem_rec_value(&r->rec, "start"), to = mem_rec_value(&r->rec, "end");
	int64_t start = 0, end = (int64_t)content.n;
	bool given = mem_json_there(from) || mem_json_there(to);
	if (given && (!mem_json_int(from, &start) || !mem_json_int(to, &end)))
		return mem_err_record(err, "bad_value", 0, "start and end are bytes of the content");
	if (start < 0 || start > end || end > (int64_t)content.n || (given && start == end))
		return mem_err_record(err, "bad_value", 0, "start and end are not inside of the content");
	if (!is_boundary(content, (size_t)start) || !is_boundary(content, (size_t)end))
		return mem_err_record(err, "bad_value", 0, "start or end is inside of a character");
	c->start = (size_t)start;
	c->end = (size_t)end;
	return MEM_OK;
}

/* ---- lines --------------------------------------------------------------- */

/* As of what a person writes: a text of which cleaning leaves nothing is no claim. */
static enum mem_status
check_claim_findings(const struct with_reader *r, const struct mem_finding_list *found, struct mem_err *err)
{
	const char *field = claim_residue_field(r->arena, &r->rec, r->cleaned.rec, found);
	return field == NULL ? MEM_OK : mem_err_record(err, "residue", 0, "%s holds nothing that may be kept", field);
}

static enum mem_status
read_claim_line(struct with_reader *r, struct mem_err *err)
{
	size_t at = 0;
	r->v = mem_grow(r->v, &r->cap, r->nclaims + 1, sizeof *r->v);
	struct mem_with_claim *w = &r->v[r->nclaims];
	*w = (struct mem_with_claim){ 0 };
	enum mem_status st = with_fields_check(&r->rec, err);
	if (st == MEM_OK)
		st = mem_rec_refuse_nul(&r->rec, err);
	if (st == MEM_OK)
		st = read_claim_episode(r, &at, err);
	if (st == MEM_OK)
		st = mem_clean_record(&r->cleaned, &r->found, r->opts->clean, &r->rec, r->arena, err);
	if (st == MEM_OK)
		mem_findings_keep(&w->found, &r->found, r->arena);
	if (st == MEM_OK)
		st = check_claim_findings(r, &w->found, err);
	struct with_line l = { .rec = r->cleaned.rec, .arena = r->arena, .out = w };
	if (st == MEM_OK)
		st = with_claim_read(&l, r->opts->rules, err);
	if (st == MEM_OK)
		st = read_claim_span(r, r->episodes[at].source.content, &w->claim, err);
	if (st != MEM_OK)
		return st;
	w->episode = at;
	r->taken[at]++;
	r->nclaims++;
	return MEM_OK;
}

static void
tell_refused_line(struct with_reader *r, const struct mem_err *why)
{
	char message[sizeof why->msg + 128];
	if (++r->refused > WITH_TOLD_MAX || r->opts->tell == NULL)
		return;
	snprintf(message, sizeof message, "'%.60s': line %zu: %s: %s", r->opts->command, r->line, why->reason != NULL ? why->reason : "bad_value",
	    why->msg);
	r->opts->tell(r->opts->ctx, message);
}

static void
read_extractor_line(struct with_reader *r, struct mem_str line)
{
	struct mem_err why = { 0 };
	enum mem_status st = mem_rec_scan(&r->rec, line, &why);
	if (st == MEM_OK && r->line == 1 && mem_rec_find(&r->rec, "extractor") != NULL)
		st = read_extractor(r, &why);
	else if (st == MEM_OK)
		st = read_claim_line(r, &why);
	if (st != MEM_OK)
		tell_refused_line(r, &why);
}

static void
read_answer_lines(struct with_reader *r, struct mem_str out)
{
	while (out.n > 0) {
		const char *nl = memchr(out.p, '\n', out.n);
		struct mem_str line = { out.p, nl != NULL ? (size_t)(nl - out.p) : out.n };
		size_t step = line.n + (nl != NULL);
		r->line++;
		if (line.n > 0)
			read_extractor_line(r, line);
		out = (struct mem_str){ out.p + step, out.n - step };
	}
}

/* ---- the answer ---------------------------------------------------------- */

static void
tell_more_refused(struct with_reader *r)
{
	char message[160];
	if (r->refused <= WITH_TOLD_MAX || r->opts->tell == NULL)
		return;
	snprintf(message, sizeof message, "'%.60s': %zu more lines refused", r->opts->command, r->refused - WITH_TOLD_MAX);
	r->opts->tell(r->opts->ctx, message);
}

/* In order of the episodes, those of one as they came: by counting, since qsort keeps no order of equals. */
static void
put_claims_in_order(struct with_reader *r, struct mem_with_answer *out)
{
	struct mem_with_claim *v = mem_arena_alloc(r->arena, (r->nclaims + 1) * sizeof *v);
	size_t *place = mem_xcalloc(r->n + 1, sizeof *place);
	struct mem_str rule = mem_str(mem_arena_printf(r->arena, "%.*s@%.*s", (int)r->name.n, r->name.p, (int)r->version.n, r->version.p));
	for (size_t i = 0; i < r->n; i++)
		place[i + 1] = place[i] + r->taken[i];
	for (size_t i = 0; i < r->nclaims; i++) {
		struct mem_with_claim *w = &v[place[r->v[i].episode]++];
		*w = r->v[i];
		w->claim.rule = rule;
	}
	out->v = v;
	out->n = r->nclaims;
	out->refused = r->refused;
	out->via = mem_str(mem_arena_printf(r->arena, "with:%.*s", (int)r->name.n, r->name.p));
	free(place);
}

void
mem_extract_with_read(struct mem_with_answer *out, struct mem_arena *arena, const struct mem_with_options *o,
    const struct mem_with_episode *episodes, size_t n, struct mem_str printed)
{
	struct with_reader r = { .opts = o, .episodes = episodes, .n = n, .arena = arena, .name = mem_command_name(o->command), .version = MEM_STR("0") };
	*out = (struct mem_with_answer){ 0 };
	sort_with_episodes(&r);
	read_answer_lines(&r, printed);
	tell_more_refused(&r);
	put_claims_in_order(&r, out);
	mem_clean_rec_release(&r.cleaned);
	mem_findings_release(&r.found);
	mem_rec_release(&r.rec);
	free(r.by_id);
	free(r.taken);
	free(r.v);
}
