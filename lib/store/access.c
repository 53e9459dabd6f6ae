/* SPDX-License-Identifier: Apache-2.0 */
/* Who asks, and what he may read and write. */
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/order.h"
#include "store/kind.h"
#include "store/store_int.h"

static bool
is_name_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	    c == '.' || c == '_' || c == '-';
}

bool
store_is_valid_agent(struct mem_str name)
{
	for (size_t i = 0; i < name.n; i++)
		if (!is_name_byte(name.p[i]))
			return false;
	return name.n >= 1 && name.n <= 64;
}

/* Cuts "agent:", "team:" or "task:" off; false for the other two and for what is no namespace. */
static bool
split_ns(struct mem_str ns, const char **kind, struct mem_str *name)
{
	static const char *const kinds[] = { "agent", "team", "task" };
	for (size_t i = 0; i < MEM_COUNT(kinds); i++) {
		size_t n = strlen(kinds[i]);
		if (ns.n > n && memcmp(ns.p, kinds[i], n) == 0 && ns.p[n] == ':') {
			*kind = kinds[i];
			*name = (struct mem_str){ ns.p + n + 1, ns.n - n - 1 };
			return store_is_valid_agent(*name);
		}
	}
	return false;
}

bool
mem_ns_valid(struct mem_str ns)
{
	const char *kind;
	struct mem_str name;
	return mem_str_is(ns, "global") || mem_str_is(ns, "system") || split_ns(ns, &kind, &name);
}

bool
mem_compartment_valid(struct mem_str compartment)
{
	const char *colon = compartment.n > 0 ? memchr(compartment.p, ':', compartment.n) : NULL;
	if (colon == NULL || compartment.n > MEM_COMPARTMENT_MAX || colon + 1 == compartment.p + compartment.n)
		return false;
	for (const char *p = colon + 1; p < compartment.p + compartment.n; p++)
		if (!is_name_byte(*p))
			return false;
	for (int i = 0; i < MEM_COMPARTMENT_COUNT; i++)
		if (mem_str_is((struct mem_str){ compartment.p, (size_t)(colon - compartment.p) }, mem_compartment_word((enum mem_compartment)i)))
			return true;
	return false;
}

/* ---- the principal ----------------------------------------------------- */

void
store_user_name(char out[65])
{
	static const char *const vars[] = { "LOGNAME", "USER" };
	for (size_t i = 0; i < MEM_COUNT(vars); i++) {
		struct mem_str name = mem_str(getenv(vars[i]));
		if (store_is_valid_agent(name)) {
			memcpy(out, name.p, name.n + 1);
			return;
		}
	}
	snprintf(out, 65, "uid-%u", mem_user_id());
}

/* One of --agent, MEM_AGENT and agent: of the store, checked; else the user's name. */
static enum mem_status
choose_agent_name(struct mem_store *s, const char *agent, struct mem_err *err)
{
	const char *from = "--agent";
	struct mem_str name = mem_str(agent);
	if (agent == NULL) {
		from = "MEM_AGENT";
		name = mem_str(getenv("MEM_AGENT"));
		if (name.n == 0) {
			from = "agent: of config.yaml";
			name = mem_conf_str(s->conf, "agent");
		}
	}
	if (agent == NULL && name.n == 0) {
		char user[65];
		store_user_name(user);
		s->who.agent = mem_arena_dup(&s->arena, user, strlen(user));
		return MEM_OK;
	}
	if (!store_is_valid_agent(name))
		return mem_err_set(err, MEM_USAGE, "%s: an agent's name is 1 to 64 of A-Z a-z 0-9 . _ -, not '%.*s'",
		    from, (int)(name.n < 80 ? name.n : 80), name.p);
	s->who.agent = mem_arena_dup(&s->arena, name.p, name.n);
	return MEM_OK;
}

static enum mem_status
add_membership(struct mem_store *s, struct mem_str name, const char *from, const char ***list, size_t *n, enum mem_status bad,
    struct mem_err *err)
{
	if (!store_is_valid_agent(name))
		return mem_err_set(err, bad, "%s: '%.*s' is no name of a team or task", from,
		    (int)(name.n < 80 ? name.n : 80), name.p);
	if ((*n & (*n - 1)) == 0) { /* full, since its room is a power of two */
		const char **longer = mem_arena_alloc(&s->arena, (*n > 0 ? 2 * *n : 1) * sizeof *longer);
		if (*n > 0)
			memcpy(longer, *list, *n * sizeof *longer);
		*list = longer;
	}
	(*list)[(*n)++] = mem_arena_dup(&s->arena, name.p, name.n);
	return MEM_OK;
}

static enum mem_status
memberships_from_env(struct mem_store *s, const char *var, const char ***list, size_t *n, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (const char *p = getenv(var); st == MEM_OK && p != NULL && *p != '\0';) {
		size_t len = strcspn(p, ",");
		if (len > 0)
			st = add_membership(s, (struct mem_str){ p, len }, var, list, n, MEM_USAGE, err);
		p += len + (p[len] == ',');
	}
	return st;
}

static enum mem_status
memberships_from_conf(struct mem_store *s, const struct mem_yaml *list, const char *from, const char ***names, size_t *n,
    struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	if (list->type != MEM_YAML_SEQ)
		return mem_err_set(err, MEM_FAIL, "config.yaml:%u: %s must be a list", list->line, from);
	for (const struct mem_yaml *m = list->child; st == MEM_OK && m != NULL; m = m->next)
		st = m->type == MEM_YAML_SCALAR ? add_membership(s, m->scalar, from, names, n, MEM_FAIL, err)
		    : mem_err_set(err, MEM_FAIL, "config.yaml:%u: %s must be a list of names, without lists or maps in it", m->line, from);
	return st;
}

static const struct mem_yaml *
find_yaml_member(const struct mem_yaml *map, const char *name)
{
	for (const struct mem_yaml *m = map != NULL && map->type == MEM_YAML_MAP ? map->child : NULL; m != NULL; m = m->next)
		if (mem_str_is(m->key, name))
			return m;
	return NULL;
}

/* What agents: says of the principal; a slip in a name must not pass in silence. */
static enum mem_status
read_agent_settings(struct mem_store *s, const struct mem_yaml *self, const char **role, struct mem_err *err)
{
	struct mem_principal *who = &s->who;
	enum mem_status st = MEM_OK;
	for (const struct mem_yaml *m = self->type == MEM_YAML_MAP ? self->child : NULL; st == MEM_OK && m != NULL; m = m->next) {
		if (mem_str_is(m->key, "teams"))
			st = memberships_from_conf(s, m, "teams", &who->teams, &who->nteams, err);
		else if (mem_str_is(m->key, "tasks"))
			st = memberships_from_conf(s, m, "tasks", &who->tasks, &who->ntasks, err);
		else if (mem_str_is(m->key, "role") && m->type == MEM_YAML_SCALAR)
			*role = m->scalar.p;
		else if (!mem_str_is(m->key, "owner") || m->type != MEM_YAML_SCALAR)
			st = mem_err_set(err, MEM_FAIL, "config.yaml:%u: of an agent one can say teams, tasks, role and owner (mem-config(5))", m->line);
	}
	return st;
}

/* Is the principal in this list of agents? */
static bool
is_agent_in_setting(const struct mem_store *s, const char *setting)
{
	const struct mem_yaml *list = mem_conf_node(s->conf, setting);
	bool found = false;
	for (const struct mem_yaml *m = list != NULL ? list->child : NULL; m != NULL; m = m->next)
		found = found || mem_str_is(m->scalar, s->who.agent);
	return found;
}

static int
compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

enum mem_status
store_make_principal(struct mem_store *s, const char *agent, struct mem_err *err)
{
	struct mem_principal *who = &s->who;
	enum mem_status st = choose_agent_name(s, agent, err);
	if (st != MEM_OK)
		return st;
	who->is_operator = is_agent_in_setting(s, "operators");
	who->is_reviewer = who->is_operator || is_agent_in_setting(s, "reviewers");
	const struct mem_yaml *self = find_yaml_member(mem_conf_node(s->conf, "agents"), who->agent);
	const char *role = NULL;
	if (self != NULL)
		st = read_agent_settings(s, self, &role, err);
	else {
		st = memberships_from_env(s, "MEM_TEAMS", &who->teams, &who->nteams, err);
		if (st == MEM_OK)
			st = memberships_from_env(s, "MEM_TASKS", &who->tasks, &who->ntasks, err);
		role = getenv("MEM_AGENT_ROLE");
	}
	mem_sort(who->teams, who->nteams, sizeof *who->teams, compare_names);
	mem_sort(who->tasks, who->ntasks, sizeof *who->tasks, compare_names);
	if (role != NULL && role[0] != '\0')
		who->role = mem_arena_dup(&s->arena, role, strlen(role));
	return st;
}

const struct mem_principal *
mem_store_principal(const struct mem_store *s)
{
	return &s->who;
}

static const struct mem_yaml *
find_agent_setting(const struct mem_store *s, struct mem_str agent, const char *setting)
{
	char name[65];
	if (agent.n >= sizeof name)
		return NULL;
	snprintf(name, sizeof name, "%.*s", (int)agent.n, agent.p);
	return find_yaml_member(find_yaml_member(mem_conf_node(s->conf, "agents"), name), setting);
}

struct mem_str
mem_store_agent_owner(const struct mem_store *s, struct mem_str agent)
{
	const struct mem_yaml *owner = find_agent_setting(s, agent, "owner");
	return owner != NULL && owner->type == MEM_YAML_SCALAR && owner->scalar.n > 0 ? owner->scalar : agent;
}

const char *
mem_store_only_team(const struct mem_store *s, struct mem_str agent)
{
	const struct mem_yaml *teams = find_agent_setting(s, agent, "teams");
	const struct mem_yaml *only = teams != NULL && teams->type == MEM_YAML_SEQ ? teams->child : NULL;
	bool good = only != NULL && only->next == NULL && only->type == MEM_YAML_SCALAR && store_is_valid_agent(only->scalar);
	return good ? only->scalar.p : NULL;
}

bool
mem_store_see_every(struct mem_store *s, bool every)
{
	bool before = s->every_namespace;
	s->every_namespace = every && s->who.is_operator;
	return before;
}

bool
mem_store_sees_every(const struct mem_store *s)
{
	return s->every_namespace;
}

/* ---- the answer -------------------------------------------------------- */

/* The names are in order: it is asked for every namespace. */
static bool
is_listed_name(const char *const *names, size_t n, struct mem_str name)
{
	for (size_t low = 0, high = n; low < high;) {
		size_t mid = low + (high - low) / 2;
		int side = strncmp(name.p, names[mid], name.n);
		if (side == 0 && names[mid][name.n] == '\0')
			return true;
		if (side > 0)
			low = mid + 1;
		else
			high = mid;
	}
	return false;
}

bool
mem_store_allows(const struct mem_store *s, const struct mem_access_request *request)
{
	const struct mem_principal *who = &s->who;
	const char *kind;
	struct mem_str name;
	if (!mem_ns_valid(request->ns) || (request->compartment.n > 0 && !mem_compartment_valid(request->compartment)))
		return false;
	if (mem_str_is(request->ns, "system"))
		return who->is_operator && request->access != MEM_WRITE;
	if (s->every_namespace)
		return true; /* mem_store_open grants it to operators only */
	if (mem_str_is(request->ns, "global"))
		return request->access == MEM_READ || who->is_operator;
	if (!split_ns(request->ns, &kind, &name))
		return false;
	if (strcmp(kind, "agent") == 0)
		return mem_str_is(name, who->agent);
	if (strcmp(kind, "team") == 0)
		return is_listed_name(who->teams, who->nteams, name);
	return is_listed_name(who->tasks, who->ntasks, name);
}
