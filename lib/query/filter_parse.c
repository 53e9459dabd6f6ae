/* SPDX-License-Identifier: Apache-2.0 */
/* A filter from words: options, fields of a query and of a line of --queries by the same rules and messages. */
#include "query/query.h"
#include "store/node.h"

/* What is being read, and how its name is written where somebody will look for it. */
struct filter_demand {
	struct mem_filter *f;
	enum mem_filter_field field;
	struct mem_str value;
	bool negative;
	int64_t now;
	const char *dashes;
	struct mem_err *err;
};

/* ---- one value ---------------------------------------------------------- */

static bool
add_kind_demand(const struct filter_demand *d)
{
	enum mem_kind k = mem_kind_parse(d->value);
	if (k != MEM_KIND_NONE)
		mem_kind_set_add(d->negative ? &d->f->not_kinds : &d->f->kinds, k);
	return k != MEM_KIND_NONE;
}

static bool
add_role_demand(const struct filter_demand *d)
{
	enum mem_role r = mem_role_parse(d->value);
	*(d->negative ? &d->f->not_roles : &d->f->roles) |= r != MEM_ROLE_NONE ? UINT32_C(1) << r : 0;
	return r != MEM_ROLE_NONE;
}

static void
add_demand_name(struct mem_filter_names *list, struct mem_str value)
{
	list->v = mem_grow(list->v, &list->cap, list->n + 1, sizeof *list->v);
	list->v[list->n++] = value;
}

static bool
add_ns_demand(const struct filter_demand *d)
{
	bool valid = mem_ns_valid(d->value);
	if (valid)
		add_demand_name(d->negative ? &d->f->not_ns : &d->f->ns, d->value);
	return valid;
}

static bool
add_status_demand(const struct filter_demand *d)
{
	enum mem_node_status status;
	bool known = mem_node_status_parse(d->value, &status);
	d->f->statuses |= known ? UINT32_C(1) << status : 0;
	return known;
}

static bool
add_type_demand(const struct filter_demand *d)
{
	if (d->value.n > 0)
		add_demand_name(&d->f->types, d->value);
	return d->value.n > 0;
}

static bool
add_name_demand(const struct filter_demand *d)
{
	if (d->value.n > 0)
		add_demand_name(&d->f->names, d->value);
	return d->value.n > 0;
}

static bool
add_category_demand(const struct filter_demand *d)
{
	if (d->value.n > 0)
		add_demand_name(&d->f->categories, d->value);
	return d->value.n > 0;
}

static bool
add_term_demand(const struct filter_demand *d, enum mem_field_term field)
{
	struct mem_filter *f = d->f;
	if (d->value.n == 0)
		return false;
	f->terms = mem_grow(f->terms, &f->terms_cap, f->nterms + 1, sizeof *f->terms);
	f->terms[f->nterms++] = (struct mem_filter_term){ .field = field, .negative = d->negative, .value = d->value };
	return true;
}

static bool
add_speaker_demand(const struct filter_demand *d)
{
	return add_term_demand(d, MEM_TERM_SPEAKER);
}

static bool
add_tag_demand(const struct filter_demand *d)
{
	return add_term_demand(d, MEM_TERM_TAG);
}

static bool
add_ref_demand(const struct filter_demand *d)
{
	return add_term_demand(d, MEM_TERM_REF);
}

/* Of two sessions that differ there is no node. */
static bool
add_session_demand(const struct filter_demand *d)
{
	struct mem_filter one = MEM_FILTER_INIT;
	one.session = d->value;
	mem_filter_narrow(d->f, &one);
	return true;
}

static bool
add_time_demand(const struct filter_demand *d)
{
	struct mem_filter one = MEM_FILTER_INIT;
	int64_t *at = d->field == MEM_FILTER_SINCE ? &one.since : &one.until;
	if (!mem_time_parse_user(d->value, d->now, at))
		return false;
	mem_filter_narrow(d->f, &one);
	return true;
}

static bool
set_past_moment(const struct filter_demand *d)
{
	int64_t *at = d->field == MEM_FILTER_AS_OF ? &d->f->past.as_of : &d->f->past.known_at;
	return mem_time_parse_user(d->value, d->now, at);
}

/* ---- all of them -------------------------------------------------------- */

static const struct {
	const char *name, *wanted, *reason;
	bool may_be_negative;      /* by a '-' before it */
	bool (*take)(const struct filter_demand *d);
} fields[MEM_FILTER_FIELDS] = {
	[MEM_FILTER_KIND] = { "kind", "a kind of node", "bad_value", true, add_kind_demand },
	[MEM_FILTER_ROLE] = { "role", "one of user, assistant, tool, event", "bad_value", true, add_role_demand },
	[MEM_FILTER_NS] = { "ns", "a namespace: agent:ID, team:ID, task:ID, global or system", "bad_value", true, add_ns_demand },
	[MEM_FILTER_SPEAKER] = { "speaker", "a speaker", "bad_value", true, add_speaker_demand },
	[MEM_FILTER_TAG] = { "tag", "a tag", "bad_value", true, add_tag_demand },
	[MEM_FILTER_REF] = { "ref", "a ref", "bad_value", true, add_ref_demand },
	[MEM_FILTER_SESSION] = { "session", "a session", "bad_value", false, add_session_demand },
	[MEM_FILTER_SINCE] = { "since", MEM_TIME_WANTED, "bad_time", false, add_time_demand },
	[MEM_FILTER_UNTIL] = { "until", MEM_TIME_WANTED, "bad_time", false, add_time_demand },
	[MEM_FILTER_STATUS] = { "status", "one of active, draft, superseded, quarantined, deprecated, archived, retired, merged", "bad_value",
		false, add_status_demand },
	[MEM_FILTER_TYPE] = { "type", "a type", "bad_value", false, add_type_demand },
	[MEM_FILTER_NAME] = { "name", "a name", "bad_value", false, add_name_demand },
	[MEM_FILTER_CATEGORY] = { "category", "a category", "bad_value", false, add_category_demand },
	[MEM_FILTER_AS_OF] = { "as_of", MEM_TIME_WANTED, "bad_time", false, set_past_moment },
	[MEM_FILTER_KNOWN_AT] = { "known_at", MEM_TIME_WANTED, "bad_time", false, set_past_moment },
};

const char *
mem_filter_field_name(enum mem_filter_field field)
{
	return fields[field].name;
}

static enum mem_status
refuse_value(const struct filter_demand *d, const char *reason, const char *wanted)
{
	int n = (int)mem_utf8_cut(d->value, 60);
	mem_err_set(d->err, MEM_USAGE, "%s%s: '%.*s' is not %s", d->dashes, fields[d->field].name, n, d->value.p, wanted);
	if (d->err != NULL)
		d->err->reason = reason;
	return MEM_USAGE;
}

static enum mem_status
add_demand(const struct filter_demand *d)
{
	if (mem_utf8_valid(d->value.p, d->value.n) < d->value.n)
		return refuse_value(d, "bad_utf8", "UTF-8");
	if (d->negative && !fields[d->field].may_be_negative) {
		mem_err_set(d->err, MEM_USAGE, "%s: no '-' may stand before it", fields[d->field].name);
		if (d->err != NULL)
			d->err->reason = "bad_value";
		return MEM_USAGE;
	}
	return fields[d->field].take(d) ? MEM_OK : refuse_value(d, fields[d->field].reason, fields[d->field].wanted);
}

enum mem_status
mem_filter_add(struct mem_filter *f, enum mem_filter_field field, struct mem_str value, bool negative, int64_t now,
    struct mem_err *err)
{
	return add_demand(&(struct filter_demand){ f, field, value, negative, now, "", err });
}

enum mem_status
mem_filter_refuse(enum mem_filter_field field, struct mem_str value, struct mem_err *err)
{
	return refuse_value(&(struct filter_demand){ .field = field, .value = value, .dashes = "", .err = err },
	    fields[field].reason, fields[field].wanted);
}

enum mem_status
mem_filter_read(struct mem_filter *f, const struct mem_filter_options *o, struct mem_err *err)
{
	const char *session[] = { o->session };
	const struct mem_words sessions = { session, o->session != NULL };
	const struct {
		enum mem_filter_field field;
		const struct mem_words *words;
	} lists[] = {
		{ MEM_FILTER_KIND, &o->kinds }, { MEM_FILTER_ROLE, &o->roles }, { MEM_FILTER_NS, &o->ns },
		{ MEM_FILTER_TAG, &o->tags }, { MEM_FILTER_SESSION, &sessions }, { MEM_FILTER_STATUS, &o->statuses },
		{ MEM_FILTER_TYPE, &o->types }, { MEM_FILTER_NAME, &o->names }, { MEM_FILTER_CATEGORY, &o->categories },
	};
	enum mem_status st = MEM_OK;
	*f = (struct mem_filter)MEM_FILTER_INIT;
	for (size_t i = 0; i < MEM_COUNT(lists); i++)
		for (size_t k = 0; k < lists[i].words->n && st == MEM_OK; k++)
			st = add_demand(&(struct filter_demand){ f, lists[i].field, mem_str(lists[i].words->v[k]), false, 0, "--", err });
	f->since = o->since > MEM_TIME_MIN ? o->since : MEM_TIME_NONE;
	f->until = o->until <= MEM_TIME_MAX ? o->until : MEM_TIME_NONE;
	if (o->past != NULL)
		f->past = *o->past;
	f->live = o->live || f->past.as_of != MEM_TIME_NONE || f->past.known_at != MEM_TIME_NONE;
	f->flagged = o->flagged;
	if (st != MEM_OK)
		mem_filter_release(f);
	return st;
}
