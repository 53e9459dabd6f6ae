/* SPDX-License-Identifier: Apache-2.0 */
/* Who has which skills. */
#include "skill/coverage.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/text_map.h"
#include "record/record.h"
#include "skill/manage.h"
#include "skill/skill.h"
#include "store/edge.h"
#include "store/node.h"
#include "trust/team.h"

struct covered_skill {
	struct mem_id id;
	struct mem_str name, category; /* category empty: none */
	size_t place;                  /* of the category in the list of all */
};
/* An agent or a team. */
struct skill_holder {
	bool team;
	struct mem_str name;
	size_t *skills, nskills, skills_cap; /* assigned to it; one may stand twice */
	size_t *joined, njoined, joined_cap; /* of an agent its teams, of a team its members */
};
struct mem_coverage {
	struct mem_arena arena;
	struct covered_skill *skills;
	size_t nskills, skills_cap;
	struct skill_holder *holders;
	size_t nholders, holders_cap;
	struct mem_text_map numbers;   /* of holders, by "agent/NAME" and "team/NAME" */
	const struct skill_holder **by_name; /* agents, then teams, each by name */
	struct mem_str *categories;    /* rising, each once, the empty one last */
	size_t ncategories, categories_cap;
};

static void
append_number(size_t **v, size_t *n, size_t *cap, size_t number)
{
	*v = mem_grow(*v, cap, *n + 1, sizeof **v);
	(*v)[(*n)++] = number;
}

/* ---- reading ---------------------------------------------------------------- */

static size_t
find_holder(struct mem_coverage *c, bool team, struct mem_str name)
{
	struct mem_buf key = { 0 };
	bool made;
	mem_buf_puts(&key, team ? "team/" : "agent/");
	mem_buf_str(&key, name);
	size_t number = mem_text_map_put(&c->numbers, mem_buf_span(&key), c->nholders, &made)->value;
	mem_buf_release(&key);
	if (!made)
		return number;
	c->holders = mem_grow(c->holders, &c->holders_cap, c->nholders + 1, sizeof *c->holders);
	c->holders[c->nholders] = (struct skill_holder){ .team = team, .name = mem_arena_str(&c->arena, name) };
	return c->nholders++;
}

static enum mem_status
add_skill_holder(struct mem_coverage *c, struct mem_txn *t, uint32_t ord, struct mem_err *err)
{
	struct mem_node node;
	enum mem_status st = mem_node_at(t, ord, &node, err);
	if (st != MEM_OK)
		return st == MEM_NOTFOUND || st == MEM_DAMAGED ? MEM_OK : st;
	bool team = node.attr->kind == MEM_KIND_TEAM;
	if ((!team && node.attr->kind != MEM_KIND_AGENT) || !mem_node_shown(t, node.attr))
		return MEM_OK;
	struct mem_str name = mem_json_text(&c->arena, mem_json_member(mem_json_object(node.json), "name"));
	size_t at = find_holder(c, team, name); /* which may move them */
	struct skill_holder *h = &c->holders[at];
	append_number(&h->skills, &h->nskills, &h->skills_cap, c->nskills - 1);
	return MEM_OK;
}

/* A mem_skill_fn. */
static enum mem_status
add_covered_skill(void *ctx, struct mem_txn *t, const struct mem_skill *s, struct mem_err *err)
{
	struct mem_coverage *c = ctx;
	struct mem_edge_cursor *cursor = NULL;
	struct mem_edge_row row;
	uint16_t number;
	c->skills = mem_grow(c->skills, &c->skills_cap, c->nskills + 1, sizeof *c->skills);
	c->skills[c->nskills++] = (struct covered_skill){ .id = s->id, .name = mem_arena_str(&c->arena, s->name),
		.category = mem_arena_str(&c->arena, s->category) };
	enum mem_status st = mem_edge_cursor_open_at(&cursor, t, s->ord, MEM_SKILL_ASSIGNED, false, &number, err);
	while (st == MEM_OK && (st = mem_edge_cursor_next(cursor, &row, err)) == MEM_OK && row.kind == number)
		if ((st = add_skill_holder(c, t, row.other, err)) != MEM_OK)
			break;
	mem_edge_cursor_close(cursor);
	return st == MEM_END ? MEM_OK : st;
}

static void
join_team(struct mem_coverage *c, struct mem_json line)
{
	struct mem_json members = mem_json_member(line, "members");
	size_t team = find_holder(c, true, mem_json_text(&c->arena, mem_json_member(line, "name")));
	for (struct mem_json_iter it = mem_json_each(members); mem_json_next(&it);) {
		size_t agent = find_holder(c, false, mem_json_text(&c->arena, it.value));
		append_number(&c->holders[agent].joined, &c->holders[agent].njoined, &c->holders[agent].joined_cap, team);
		append_number(&c->holders[team].joined, &c->holders[team].njoined, &c->holders[team].joined_cap, agent);
	}
}

static enum mem_status
read_teams(struct mem_coverage *c, struct mem_store *s, struct mem_err *err)
{
	const struct mem_words all = { 0 };
	struct mem_buf lines = { 0 };
	enum mem_status st = mem_teams_list(s, &all, UINT64_MAX, &lines, err);
	for (struct mem_str left = mem_buf_span(&lines); left.n > 0 && st == MEM_OK;) {
		size_t n = (size_t)((const char *)memchr(left.p, '\n', left.n) - left.p);
		join_team(c, mem_json_object((struct mem_str){ left.p, n }));
		left = (struct mem_str){ left.p + n + 1, left.n - n - 1 };
	}
	mem_buf_release(&lines);
	return st;
}

static int
compare_holders(const void *a, const void *b)
{
	const struct skill_holder *x = *(const struct skill_holder *const *)a, *y = *(const struct skill_holder *const *)b;
	return x->team != y->team ? (int)x->team - (int)y->team : mem_str_cmp(x->name, y->name);
}

static void
sort_holders(struct mem_coverage *c)
{
	c->by_name = mem_xcalloc(c->nholders + 1, sizeof *c->by_name);
	for (size_t i = 0; i < c->nholders; i++)
		c->by_name[i] = &c->holders[i];
	mem_sort(c->by_name, c->nholders, sizeof *c->by_name, compare_holders);
}

static int
compare_categories(const void *a, const void *b)
{
	const struct mem_str *x = a, *y = b;
	if ((x->n == 0) != (y->n == 0))
		return x->n == 0 ? 1 : -1;
	return mem_str_cmp(*x, *y);
}

static void
list_categories(struct mem_coverage *c)
{
	size_t n = 0;
	c->categories = mem_xcalloc(c->nskills + 1, sizeof *c->categories);
	for (size_t i = 0; i < c->nskills; i++)
		c->categories[i] = c->skills[i].category;
	mem_sort(c->categories, c->nskills, sizeof *c->categories, compare_categories);
	for (size_t i = 0; i < c->nskills; i++)
		if (n == 0 || !mem_str_eq(c->categories[n - 1], c->categories[i]))
			c->categories[n++] = c->categories[i];
	c->ncategories = n;
	for (size_t i = 0; i < c->nskills; i++) {
		const struct mem_str *at = mem_sorted_find(&c->skills[i].category, c->categories, n, sizeof *c->categories, compare_categories);
		c->skills[i].place = (size_t)(at - c->categories);
	}
}

enum mem_status
mem_coverage_read(struct mem_coverage **out, struct mem_store *s, struct mem_err *err)
{
	const struct mem_skill_filter live = { 0 };
	struct mem_coverage *c = *out = mem_xcalloc(1, sizeof *c);
	enum mem_status st = mem_skills_each(s, &live, add_covered_skill, c, err);
	if (st == MEM_OK)
		st = read_teams(c, s, err);
	sort_holders(c);
	list_categories(c);
	return st;
}

void
mem_coverage_free(struct mem_coverage *c)
{
	if (c == NULL)
		return;
	for (size_t i = 0; i < c->nholders; i++) {
		free(c->holders[i].skills);
		free(c->holders[i].joined);
	}
	free(c->holders);
	free(c->by_name);
	mem_text_map_release(&c->numbers);
	free(c->skills);
	free(c->categories);
	mem_arena_release(&c->arena);
	free(c);
}

/* ---- who has what ----------------------------------------------------------- */

/* Sets a byte for each skill that the holder has, itself and by its teams or members. */
static void
mark_held_skills(bool *marks, const struct mem_coverage *c, const struct skill_holder *h)
{
	for (size_t i = 0; i < h->nskills; i++)
		marks[h->skills[i]] = true;
	for (size_t k = 0; k < h->njoined; k++) {
		const struct skill_holder *other = &c->holders[h->joined[k]];
		for (size_t i = 0; i < other->nskills; i++)
			marks[other->skills[i]] = true;
	}
}

/* How many skills a category has, and how many of them are marked. */
struct category_count {
	size_t skills, assigned;
};

static void
count_categories(struct category_count *out, const struct mem_coverage *c, const bool *marks)
{
	memset(out, 0, c->ncategories * sizeof *out);
	for (size_t i = 0; i < c->nskills; i++) {
		out[c->skills[i].place].skills++;
		out[c->skills[i].place].assigned += marks[i];
	}
}

static void
put_coverage_lines(struct mem_buf *lines, const struct mem_coverage *c, const struct skill_holder *team, const bool *marks)
{
	struct category_count *counts = mem_xcalloc(c->ncategories + 1, sizeof *counts);
	count_categories(counts, c, marks);
	for (size_t k = 0; k < c->ncategories; k++) {
		mem_buf_putc(lines, '{');
		mem_json_put_text(lines, "team", team != NULL ? team->name : (struct mem_str){ 0 });
		mem_json_put_text(lines, "category", c->categories[k]);
		mem_json_put_int(lines, "skills", (int64_t)counts[k].skills);
		mem_json_put_int(lines, "assigned", (int64_t)counts[k].assigned);
		mem_json_put_num(lines, "share", (double)counts[k].assigned / (double)counts[k].skills);
		mem_buf_puts(lines, "}\n");
	}
	free(counts);
}

void
mem_coverage_put(struct mem_buf *lines, const struct mem_coverage *c)
{
	bool *marks = mem_xcalloc(c->nskills + 1, sizeof *marks);
	for (size_t i = 0; i < c->nholders; i++)
		for (size_t k = 0; k < c->holders[i].nskills; k++)
			marks[c->holders[i].skills[k]] = true;
	put_coverage_lines(lines, c, NULL, marks);
	for (size_t i = 0; i < c->nholders; i++) {
		if (!c->by_name[i]->team)
			continue;
		memset(marks, 0, c->nskills * sizeof *marks);
		mark_held_skills(marks, c, c->by_name[i]);
		put_coverage_lines(lines, c, c->by_name[i], marks);
	}
	free(marks);
}

/* ---- a team for a task --------------------------------------------------------- */

/* Sets a byte for each skill that was found; how many. */
static size_t
mark_found_skills(bool *wanted, const struct mem_coverage *c, const struct mem_skill_hits *found)
{
	size_t n = 0;
	for (size_t k = 0; k < found->n; k++)
		for (size_t i = 0; i < c->nskills; i++)
			if (memcmp(&found->v[k].id, &c->skills[i].id, sizeof c->skills[i].id) == 0 && !wanted[i]) {
				wanted[i] = true;
				n++;
			}
	return n;
}

/* The agent who has most of what is wanted, the first by name; NULL: nobody has any of it.  `marks` gets what it has. */
static const struct skill_holder *
choose_member(bool *marks, const struct mem_coverage *c, const bool *wanted)
{
	const struct skill_holder *best = NULL;
	size_t most = 0;
	for (size_t k = 0; k < c->nholders && !c->by_name[k]->team; k++) {
		const struct skill_holder *h = c->by_name[k];
		size_t n = 0;
		memset(marks, 0, c->nskills * sizeof *marks);
		mark_held_skills(marks, c, h);
		for (size_t i = 0; i < c->nskills; i++)
			n += marks[i] && wanted[i];
		if (n > most) {
			best = h;
			most = n;
		}
	}
	memset(marks, 0, c->nskills * sizeof *marks);
	if (best != NULL)
		mark_held_skills(marks, c, best);
	return best;
}

/* The names of those that are wanted and marked (marks NULL: all); they are wanted no more.  How many. */
static size_t
put_taken_names(struct mem_buf *line, const char *key, const struct mem_coverage *c, bool *wanted, const bool *marks)
{
	size_t n = 0;
	mem_json_put_raw(line, key, MEM_STR("["));
	for (size_t i = 0; i < c->nskills; i++) {
		if (!wanted[i] || (marks != NULL && !marks[i]))
			continue;
		mem_buf_puts(line, n++ > 0 ? "," : "");
		mem_json_put_string(line, c->skills[i].name);
		wanted[i] = false;
	}
	mem_buf_putc(line, ']');
	return n;
}

void
mem_coverage_put_team(struct mem_buf *line, const struct mem_coverage *c, const struct mem_skill_hits *found, bool *all)
{
	bool *wanted = mem_xcalloc(c->nskills + 1, sizeof *wanted), *marks = mem_xcalloc(c->nskills + 1, sizeof *marks);
	size_t n = mark_found_skills(wanted, c, found), covered = 0;
	mem_buf_puts(line, "{\"members\":[");
	for (int k = 0; k < MEM_COVERAGE_MEMBERS; k++) {
		const struct skill_holder *h = choose_member(marks, c, wanted);
		if (h == NULL)
			break;
		mem_buf_puts(line, k > 0 ? ",{" : "{");
		mem_json_put_field(line, "agent", h->name);
		covered += put_taken_names(line, "skills", c, wanted, marks);
		mem_buf_putc(line, '}');
	}
	mem_buf_putc(line, ']');
	mem_json_put_int(line, "wanted", (int64_t)n);
	mem_json_put_int(line, "covered", (int64_t)covered);
	put_taken_names(line, "missing", c, wanted, NULL);
	mem_buf_puts(line, "}\n");
	*all = covered == n;
	free(wanted);
	free(marks);
}
