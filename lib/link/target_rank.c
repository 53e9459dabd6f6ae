/* SPDX-License-Identifier: Apache-2.0 */
/* How well a page is meant by a target: the rules of targets.h. */
#include "link/targets_int.h"

#include "store/page_keys.h"
#include "text/text.h"

/* ---- names ------------------------------------------------------------------ */

static bool
is_plain_ascii(struct mem_str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] >= 0x80)
			return false;
	return true;
}

struct target_name
target_name_make(struct mem_arena *a, struct mem_str name)
{
	struct target_name out = { { mem_arena_str(a, name) } };
	struct mem_buf b = { 0 };
	out.form[TARGET_NFC] = out.form[TARGET_BYTES];
	if (!is_plain_ascii(name)) {
		mem_text_nfc(&b, name);
		out.form[TARGET_NFC] = mem_arena_str(a, mem_buf_span(&b));
	}
	mem_buf_reset(&b);
	mem_text_fold_letters(&b, name);
	out.form[TARGET_FOLDED] = mem_arena_str(a, mem_buf_span(&b));
	mem_buf_release(&b);
	return out;
}

void
mem_page_slug(struct mem_buf *out, struct mem_str name)
{
	struct mem_buf composed = { 0 };
	bool space = false;
	if (!is_plain_ascii(name)) {
		mem_text_nfc(&composed, name);
		name = mem_buf_span(&composed);
	}
	for (size_t i = 0; i < name.n; i++) {
		unsigned char c = (unsigned char)name.p[i];
		unsigned char lower = c >= 'A' && c <= 'Z' ? (unsigned char)(c + 32) : c;
		bool blank = c == ' ' || (c >= '\t' && c <= '\r');
		if (blank && !space)
			mem_buf_putc(out, '-');
		else if ((lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '-')
			mem_buf_putc(out, (char)lower);
		space = blank;
	}
	mem_buf_release(&composed);
}

void
target_key_put(struct mem_buf *out, struct mem_str name)
{
	struct mem_buf folded = { 0 };
	mem_text_fold(&folded, name);
	mem_page_key(out, mem_buf_span(&folded));
	mem_buf_release(&folded);
}

/* A letter was lost where the name's key, with the accents of its letters, has more than the slug. */
struct mem_str
target_slug(struct mem_arena *a, struct mem_str name)
{
	struct mem_buf slug = { 0 }, folded = { 0 }, key = { 0 };
	struct mem_str out = { 0 };
	size_t letters = 0;
	mem_page_slug(&slug, name);
	mem_text_fold_letters(&folded, name);
	mem_page_key(&key, mem_buf_span(&folded));
	for (size_t i = 0; i < slug.len; i++)
		letters += slug.data[i] != '-';
	if (letters > 0 && letters == key.len)
		out = mem_arena_str(a, mem_buf_span(&slug));
	mem_buf_release(&slug);
	mem_buf_release(&folded);
	mem_buf_release(&key);
	return out;
}

/* ---- pages ------------------------------------------------------------------ */

void
target_page_make(struct target_page *out, struct mem_arena *a, const struct mem_target_page *p)
{
	struct mem_str file = mem_page_stem(mem_page_file(p->path));
	*out = (struct target_page){ .path = target_name_make(a, p->path), .title = target_name_make(a, p->title), .naliases = p->naliases,
		.title_slug = target_slug(a, p->title), .file_slug = target_slug(a, file) };
	for (size_t i = 0; i < TARGET_FORMS; i++)
		out->stem[i] = mem_page_stem(out->path.form[i]);
	for (size_t i = 0; i < p->path.n; i++)
		out->depth += p->path.p[i] == '/';
	if (p->naliases > 0)
		out->aliases = mem_arena_alloc(a, p->naliases * sizeof *out->aliases);
	for (size_t i = 0; i < p->naliases; i++)
		out->aliases[i] = target_name_make(a, p->aliases[i]);
}

/* ---- targets ---------------------------------------------------------------- */

static struct mem_str
find_folder(struct mem_str path)
{
	struct mem_str file = mem_page_file(path);
	return (struct mem_str){ path.p, path.n - file.n };
}

/* Takes the last component from a path; false: it has none. */
static bool
drop_last_component(struct mem_buf *path)
{
	if (path->len == 0)
		return false;
	struct mem_str parent = find_folder((struct mem_str){ path->data, path->len - 1 });
	path->len = parent.n;
	return true;
}

/* Appends a path's components, each with a '/' behind it.  False: it leads out of the vault. */
static bool
put_components(struct mem_buf *out, struct mem_str path)
{
	for (size_t i = 0; i < path.n;) {
		size_t end = i;
		while (end < path.n && path.p[end] != '/')
			end++;
		struct mem_str part = { path.p + i, end - i };
		i = end + 1;
		if (mem_str_is(part, "..") && !drop_last_component(out))
			return false;
		if (part.n == 0 || mem_str_is(part, ".") || mem_str_is(part, ".."))
			continue;
		mem_buf_str(out, part);
		mem_buf_putc(out, '/');
	}
	return true;
}

static bool
path_begins_with(struct mem_str s, struct mem_str start)
{
	return s.n >= start.n && memcmp(s.p, start.p, start.n) == 0;
}

void
target_ask_make(struct target_ask *out, struct mem_arena *a, const struct mem_target *target)
{
	struct mem_buf path = { 0 };
	struct mem_str text = target->text.n > 0 ? target->text : target->from;
	bool from_root = target->text.n == 0 || path_begins_with(text, MEM_STR("/"));
	bool from_folder = !from_root && (target->relative || path_begins_with(text, MEM_STR("./")) || path_begins_with(text, MEM_STR("../")));
	*out = (struct target_ask){ .folder = mem_arena_str(a, find_folder(target->from)), .rooted = from_root || from_folder };
	if (from_folder)
		mem_buf_str(&path, out->folder);
	out->outside = !put_components(&path, text);
	if (path.len > 0)
		path.len--; /* the last '/' */
	out->path = target_name_make(a, mem_buf_span(&path));
	out->suffix = path.len > 0 && memchr(path.data, '/', path.len) != NULL;
	mem_buf_release(&path);
	if (out->rooted)
		return;
	out->text = target_name_make(a, text);
	out->slug = target_slug(a, text);
}

static struct mem_str
make_target_key(struct mem_arena *a, struct mem_str name)
{
	struct mem_buf key = { 0 };
	target_key_put(&key, name);
	struct mem_str s = mem_arena_str(a, mem_buf_span(&key));
	mem_buf_release(&key);
	return s;
}

size_t
target_ask_keys(struct mem_arena *a, const struct target_ask *ask, struct mem_str keys[MEM_TARGET_KEYS])
{
	keys[0] = make_target_key(a, mem_page_stem(mem_page_file(ask->path.form[TARGET_BYTES])));
	if (ask->rooted)
		return 1;
	keys[1] = make_target_key(a, ask->text.form[TARGET_BYTES]);
	return mem_str_eq(keys[0], keys[1]) ? 1 : 2;
}

/* ---- ranks ------------------------------------------------------------------ */

enum target_rule { RULE_PATH, RULE_SUFFIX, RULE_FILE, RULE_TITLE, RULE_ALIAS, RULE_SLUG };

/* The first form in which two names are one; TARGET_FORMS: in none. */
static unsigned
compare_name_forms(const struct target_name *a, const struct target_name *b)
{
	unsigned form = 0;
	while (form < TARGET_FORMS && !mem_str_eq(a->form[form], b->form[form]))
		form++;
	return form;
}

/* Is `end` the whole path, or its last components? */
static bool
path_ends_so(struct mem_str path, struct mem_str end, bool whole)
{
	if (path.n == end.n || whole || path.n < end.n)
		return mem_str_eq(path, end);
	return path.p[path.n - end.n - 1] == '/' && memcmp(path.p + path.n - end.n, end.p, end.n) == 0;
}

/* With or without the extension: paths that differ by it are not told apart. */
static unsigned
compare_paths(const struct target_page *p, const struct target_name *end, bool whole)
{
	unsigned form = 0;
	while (form < TARGET_FORMS && !path_ends_so(p->stem[form], end->form[form], whole) &&
	    !path_ends_so(p->path.form[form], end->form[form], whole))
		form++;
	return form;
}

static uint32_t
compose_rank(enum target_rule rule, bool elsewhere, size_t depth, unsigned form)
{
	uint32_t place = (uint32_t)elsewhere << 16 | (depth < UINT16_MAX ? (uint32_t)depth : UINT16_MAX);
	return (uint32_t)rule << 24 | (rule == RULE_PATH ? form << 20 | place : place << 2 | form);
}

uint32_t
target_file_rank(bool elsewhere, size_t depth)
{
	return compose_rank(RULE_FILE, elsewhere, depth, TARGET_BYTES);
}

static uint32_t
make_rank(const struct target_ask *ask, const struct target_page *p, enum target_rule rule, unsigned form)
{
	return compose_rank(rule, !mem_str_eq(find_folder(p->path.form[TARGET_BYTES]), ask->folder), p->depth, form);
}

static unsigned
compare_aliases(const struct target_ask *ask, const struct target_page *p)
{
	unsigned best = TARGET_FORMS;
	for (size_t i = 0; i < p->naliases && best > 0; i++) {
		unsigned form = compare_name_forms(&p->aliases[i], &ask->text);
		best = form < best ? form : best;
	}
	return best;
}

uint32_t
target_rank(const struct target_ask *ask, const struct target_page *p)
{
	if (ask->outside || ask->path.form[TARGET_BYTES].n == 0)
		return TARGET_UNMEANT;
	unsigned form = compare_paths(p, &ask->path, true);
	if (form < TARGET_FORMS)
		return make_rank(ask, p, RULE_PATH, form);
	if (ask->rooted)
		return TARGET_UNMEANT;
	form = compare_paths(p, &ask->path, false);
	if (form < TARGET_FORMS)
		return make_rank(ask, p, ask->suffix ? RULE_SUFFIX : RULE_FILE, form);
	form = compare_name_forms(&p->title, &ask->text);
	if (form < TARGET_FORMS)
		return make_rank(ask, p, RULE_TITLE, form);
	form = compare_aliases(ask, p);
	if (form < TARGET_FORMS)
		return make_rank(ask, p, RULE_ALIAS, form);
	bool slug = ask->slug.n > 0 && (mem_str_eq(ask->slug, p->title_slug) || mem_str_eq(ask->slug, p->file_slug));
	return slug ? make_rank(ask, p, RULE_SLUG, 0) : TARGET_UNMEANT;
}

void
target_best_offer(struct target_best *best, uint32_t rank, size_t number)
{
	struct mem_target_answer *a = &best->answer;
	if (rank == TARGET_UNMEANT || rank > best->rank)
		return;
	if (rank < best->rank)
		a->nothers = 0;
	best->rank = rank;
	for (size_t i = 0; i < a->nothers && i < MEM_TARGET_OTHERS; i++)
		if (a->others[i] == number)
			return;
	if (a->nothers < MEM_TARGET_OTHERS)
		a->others[a->nothers] = number;
	a->nothers++;
}

void
target_best_end(const struct target_best *best, struct mem_target_answer *out)
{
	*out = best->answer;
	out->found = out->nothers == 0 ? MEM_TARGET_NONE : out->nothers == 1 ? MEM_TARGET_ONE : MEM_TARGET_AMBIGUOUS;
	if (out->found != MEM_TARGET_ONE)
		return;
	out->page = out->others[0];
	out->nothers = 0;
}
