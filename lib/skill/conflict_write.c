/* SPDX-License-Identifier: Apache-2.0 */
/* What a scan found, beside the conflicts that are known: written, found again, ended. */
#include "skill/conflict_int.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "text/text.h"

static const int64_t DAY_MS = INT64_C(86400000);

/* ---- what is known -------------------------------------------------------- */

struct known_conflict {
	struct mem_conflict conflict;
	uint64_t found;             /* hash of what it says of what was found */
	bool seen;
};
struct known_conflicts {
	struct known_conflict *v;   /* by id */
	size_t n, cap;
};

/* What a scan finds of a conflict, beside its type: it may be other by the next one. */
static const char *const found_fields[] = { "over", "winner", "loser", "severity", "similarity", "likeness", "missing", "orders", "releases",
	"circle" };
enum { FOUND_FIELDS = MEM_COUNT(found_fields) };

/* null counts as nothing. */
static uint64_t
add_found_hash(uint64_t hash, struct mem_str raw)
{
	const uint64_t pair[] = { hash, mem_str_is(raw, "null") ? 0 : mem_hash_fast(raw.p, raw.n) };
	return mem_hash_fast(pair, sizeof pair);
}

/* A conflict_line_fn. */
static enum mem_status
take_known_conflict(void *ctx, const struct mem_conflict *conflict, struct mem_str line, struct mem_err *err)
{
	struct known_conflicts *k = ctx;
	struct known_conflict known = { .conflict = *conflict };
	struct mem_json node = mem_json_object(line);
	(void)err;
	for (size_t i = 0; i < FOUND_FIELDS; i++)
		known.found = add_found_hash(known.found, mem_json_member(node, found_fields[i]).raw);
	k->v = mem_grow(k->v, &k->cap, k->n + 1, sizeof *k->v);
	k->v[k->n++] = known;
	return MEM_OK;
}

static int
compare_conflict_ids(const void *a, const void *b)
{
	const struct known_conflict *x = a, *y = b;
	return mem_id_cmp(&x->conflict.id, &y->conflict.id);
}

static enum mem_status
read_known_conflicts(struct known_conflicts *k, const struct conflict_scan *c, struct mem_err *err)
{
	const char *name = c->ns;
	const struct mem_words ns = { &name, 1 };
	enum mem_status st = conflict_each(c->store, &ns, take_known_conflict, k, err);
	mem_sort(k->v, k->n, sizeof *k->v, compare_conflict_ids);
	return st;
}

static struct known_conflict *
find_known_conflict(const struct known_conflicts *k, const struct mem_id *id)
{
	const struct known_conflict key = { .conflict.id = *id };
	return mem_sorted_find(&key, k->v, k->n, sizeof *k->v, compare_conflict_ids);
}

/* ---- a new one ------------------------------------------------------------ */

/* What its id is made of: the type, and both skills in the order of their ids.  ARENA. */
static struct mem_str
conflict_identity(struct mem_arena *a, const struct scan_finding *f)
{
	char ids[2][MEM_ID_LEN + 1] = { "", "" };
	bool turn = f->has_other && mem_id_cmp(&f->other, &f->subject) < 0;
	struct mem_str missing = mem_text_folded(a, f->missing);
	mem_id_format(&f->subject, ids[turn]);
	if (f->has_other)
		mem_id_format(&f->other, ids[!turn]);
	return mem_str(mem_arena_printf(a, "skill-conflict\x1f%s\x1f%s\x1f%s\x1f%.*s", mem_conflict_types[f->type], ids[0], ids[1],
	    (int)missing.n, missing.p != NULL ? missing.p : ""));
}

/* A text that was read from a skill; absent where it holds what is not kept.  ARENA of the batch. */
static struct mem_clean_text
clean_conflict_text(struct mem_writer *w, struct mem_str text)
{
	struct mem_finding_list found = { 0 };
	struct mem_clean_text out;
	if (text.n == 0 || mem_write_clean_text(w, &out, "content", text, &found, NULL) != MEM_OK)
		return mem_clean_absent();
	return out;
}

/* The two texts as members of an object; absent: there are none. */
static struct mem_clean_text
clean_text_pair(struct mem_writer *w, const struct scan_finding *f, const char *first, const char *second)
{
	struct mem_clean_object o = { 0 };
	struct mem_clean_text texts[] = { clean_conflict_text(w, f->texts[0]), clean_conflict_text(w, f->texts[1]) };
	if (!mem_clean_there(texts[0]) || !mem_clean_there(texts[1]))
		return mem_clean_absent();
	mem_clean_object_put(&o, first, texts[0]);
	mem_clean_object_put(&o, second, texts[1]);
	return mem_clean_object_end(&o, mem_writer_arena(w));
}

static struct mem_clean_text
list_circle(struct mem_arena *a, const struct scan_finding *f)
{
	struct mem_clean_object list = { 0 };
	if (f->ncircle == 0)
		return mem_clean_absent();
	for (size_t i = 0; i < f->ncircle; i++)
		mem_clean_list_put(&list, mem_clean_id(a, &f->circle[i]));
	return mem_clean_list_end(&list, a);
}

static struct mem_clean_text
detail_new_conflict(struct mem_arena *a, const struct scan_finding *f)
{
	struct mem_clean_object o = { 0 };
	mem_clean_object_put(&o, "type", mem_clean_word(a, mem_str(mem_conflict_types[f->type])));
	mem_clean_object_put(&o, "to", mem_clean_word(a, mem_str(mem_conflict_states[MEM_CONFLICT_DETECTED])));
	return mem_clean_object_end(&o, a);
}

/* The values of found_fields.  ARENA but for texts, which are in that of the batch. */
static const struct mem_clean_field *
make_found_fields(struct mem_writer *w, struct mem_arena *a, const struct scan_finding *f)
{
	const struct mem_clean_text none = mem_clean_absent();
	bool orders = f->type == MEM_CONFLICT_CONTRADICTION, versions = f->type == MEM_CONFLICT_VERSION_MISMATCH;
	const struct mem_clean_text values[FOUND_FIELDS] = {
		mem_clean_word(a, mem_str(f->over)),
		f->has_other ? mem_clean_id(a, &f->other) : mem_clean_null(),
		mem_clean_id(a, &f->subject),
		mem_clean_word(a, mem_str(mem_severities[mem_conflict_severity(f->type)])),
		mem_clean_num(a, f->similarity),
		mem_clean_num(a, f->likeness),
		clean_conflict_text(w, f->missing),
		orders ? clean_text_pair(w, f, "does", "does_not") : none,
		versions ? clean_text_pair(w, f, "asked", "there") : none,
		list_circle(a, f),
	};
	struct mem_clean_field *fields = mem_arena_alloc(a, FOUND_FIELDS * sizeof *fields);
	for (size_t i = 0; i < FOUND_FIELDS; i++)
		fields[i] = (struct mem_clean_field){ found_fields[i], values[i] };
	return fields;
}

static void
add_conflict(struct mem_write_run *r, const struct mem_write_input *in, const struct scan_finding *f, const struct mem_clean_field *found)
{
	struct mem_writer *w = r->writer;
	struct mem_arena *a = mem_writer_arena(w);
	const struct mem_clean_field fields[] = {
		{ "subject", mem_clean_id(a, &f->subject) },
		found[0], found[1], found[2],
		{ "reason", mem_clean_null() },
		{ "state", mem_clean_word(a, mem_str(mem_conflict_states[MEM_CONFLICT_DETECTED])) },
		{ "type", mem_clean_word(a, mem_str(mem_conflict_types[f->type])) },
		found[3], found[4], found[5], found[6], found[7], found[8], found[9],
		{ "detected_at", mem_clean_time(a, mem_store_now(mem_writer_store(w))) },
	};
	_Static_assert(MEM_COUNT(fields) == FOUND_FIELDS + 5, "all that was found");
	struct mem_clean_field *kept = mem_arena_alloc(a, sizeof fields);
	memcpy(kept, fields, sizeof fields);
	const struct mem_write_node node = { .kind = MEM_KIND_CONFLICT, .id_of = conflict_identity(a, f), .fields = kept,
		.nfields = MEM_COUNT(fields), .audit = { .word = "conflict", .detail = detail_new_conflict(a, f) } };
	mem_write_add(w, in, &node);
}

/* ---- each finding --------------------------------------------------------- */

/* Is what was decided to be found again? */
static bool
is_found_again(const struct mem_conflict *known, int64_t now)
{
	if (mem_conflict_is_open(known->state))
		return false;
	return !known->by_person || known->decided_at == MEM_TIME_NONE || now - known->decided_at >= MEM_CONFLICT_QUIET_DAYS * DAY_MS;
}

/* Does what is known of an open conflict say something else than what was found? */
static bool
is_found_otherwise(struct mem_writer *w, const struct known_conflict *known, const struct scan_finding *f)
{
	struct mem_arena a = { 0 };
	uint64_t hash = 0;
	if (!mem_conflict_is_open(known->conflict.state))
		return false;
	const struct mem_clean_field *found = make_found_fields(w, &a, f);
	for (size_t i = 0; i < FOUND_FIELDS; i++)
		hash = add_found_hash(hash, found[i].value.value.raw);
	mem_arena_release(&a);
	return hash != known->found;
}

static enum mem_status
write_finding(struct conflict_scan *c, struct mem_write_run *r, struct known_conflicts *k, const struct scan_finding *f,
    struct mem_conflict_scan *sum, struct mem_err *err)
{
	struct mem_arena a = { 0 };
	struct mem_id id = mem_id_v8(mem_str(c->ns), conflict_identity(&a, f));
	struct known_conflict *known = find_known_conflict(k, &id);
	mem_arena_release(&a);
	if (known != NULL && known->seen) /* a pair may be found twice: the first finding counts */
		return MEM_OK;
	bool anew = known == NULL || is_found_again(&known->conflict, mem_store_now(c->store));
	if (known != NULL)
		known->seen = true;
	if (!anew && !is_found_otherwise(r->writer, known, f))
		return MEM_OK;
	struct mem_write_input in = mem_write_run_next(r, 0);
	const struct conflict_change again = { .state = MEM_CONFLICT_DETECTED, .nfound = FOUND_FIELDS,
		.found = make_found_fields(r->writer, mem_writer_arena(r->writer), f) };
	in.ns = mem_str(c->ns);
	in.quiet = true;
	sum->detected += anew;
	if (known != NULL)
		conflict_queue_change(r->writer, &in, &id, &again);
	else
		add_conflict(r, &in, f, again.found);
	return mem_write_run_end(r, err);
}

/* ---- what is there no more ------------------------------------------------ */

/* Is a skill live no more?  One that cannot be read may be there. */
static bool
is_conflict_skill_gone(const struct conflict_scan *c, const struct mem_id *id)
{
	struct mem_txn *t = NULL;
	struct mem_node node;
	if (conflict_find_skill(c, id) != SIZE_MAX)
		return false;
	enum mem_status st = mem_txn_read(&t, c->store, NULL);
	if (st == MEM_OK)
		st = mem_node_by_id(t, id, &node, NULL);
	bool gone = st == MEM_NOTFOUND || (st == MEM_OK && !mem_attr_live(node.attr, mem_txn_now(t)));
	mem_txn_end(t);
	return gone;
}

/* Would the scan have found a conflict of this type? */
static bool
was_skill_compared(const struct conflict_scan *c, const struct mem_id *id, bool by_vector)
{
	size_t at = conflict_find_skill(c, id);
	return at != SIZE_MAX && (!by_vector || c->skills[at].has_vector);
}
static bool
were_all_compared(const struct conflict_scan *c, enum mem_conflict_type type)
{
	if (type == MEM_CONFLICT_DUPLICATE || type == MEM_CONFLICT_OVERLAP)
		return !c->without_vectors && c->left_out == 0;
	return type != MEM_CONFLICT_CONTRADICTION || (!c->without_encoder && c->orders_left_out == 0);
}

static bool
is_conflict_over(const struct conflict_scan *c, const struct mem_conflict *known)
{
	bool by_vector = known->type == MEM_CONFLICT_DUPLICATE || known->type == MEM_CONFLICT_OVERLAP;
	/* What is required may be live now, or gone: the one that requires it was looked at. */
	bool pair = known->has_winner && known->type != MEM_CONFLICT_DEPENDENCY && known->type != MEM_CONFLICT_VERSION_MISMATCH;
	if (!mem_conflict_is_open(known->state))
		return false;
	if (is_conflict_skill_gone(c, &known->loser) || (pair && is_conflict_skill_gone(c, &known->winner)))
		return true;
	return were_all_compared(c, known->type) && was_skill_compared(c, &known->loser, by_vector) &&
	    (!pair || was_skill_compared(c, &known->winner, by_vector));
}

static enum mem_status
end_conflicts(struct conflict_scan *c, struct mem_write_run *r, const struct known_conflicts *k, struct mem_conflict_scan *sum,
    struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < k->n && st == MEM_OK; i++) {
		if (k->v[i].seen || !is_conflict_over(c, &k->v[i].conflict))
			continue;
		struct mem_write_input in = mem_write_run_next(r, 0);
		in.ns = mem_str(c->ns);
		in.quiet = true;
		const struct conflict_change change = { .state = MEM_CONFLICT_RESOLVED,
			.reason = mem_clean_word(mem_writer_arena(r->writer), MEM_STR("gone")) };
		conflict_queue_change(r->writer, &in, &k->v[i].conflict.id, &change);
		sum->ended++;
		st = mem_write_run_end(r, err);
	}
	return st;
}

enum mem_status
conflict_write_findings(struct conflict_scan *c, struct mem_write_run *r, struct mem_conflict_scan *sum, struct mem_err *err)
{
	struct known_conflicts k = { 0 };
	enum mem_status st = read_known_conflicts(&k, c, err);
	for (size_t i = 0; i < c->nfound && st == MEM_OK; i++)
		st = write_finding(c, r, &k, &c->found[i], sum, err);
	if (st == MEM_OK)
		st = end_conflicts(c, r, &k, sum, err);
	if (st == MEM_OK)
		st = mem_write_run_commit(r, err);
	free(k.v);
	return st;
}
