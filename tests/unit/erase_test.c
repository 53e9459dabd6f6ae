/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was removed, or was there before a change, is gone: after compact no file of the store holds a byte pattern of
 * it, wherever a text, a piece of it, its words, codes, rows or hashes may stand.  Log and audit, packed or not, keep the
 * id alone.
 *
 * `places` is the table of all these.  What finds a new place for something of a node adds a line there.  The names of
 * namespaces stay, since log and audit point at them; of a compartment its number stays.
 */
#include "own_check.h"
#include "own_values.h"

#include "embed/embed.h"
#include "store/log.h"
#include "store/node.h"
#include "upkeep/upkeep.h"
#include "vector/vector.h"
#include "vectors/vectors.h"
#include "words/words.h"
#include "write/entry.h"
#include "write/tidy.h"
#include "write/write.h"

#include <dirent.h>
#include <math.h>
#include <fcntl.h>
#include <sys/stat.h>

enum { DIMS = 1024, OTHERS = 400 };

/* ---- the store ---------------------------------------------------------- */

static struct mem_index m;
static struct mem_writer *w;
static struct mem_write_total total;

static void
commit_batch(void)
{
	if (mem_write_commit(w, mem_receipts_drop, NULL, &total, &err) != MEM_OK)
		fail_msg("commit: %s", err.msg);
	assert_int_equal(total.rejected, 0);
}

/* ---- what is removed ----------------------------------------------------- */

/* Nodes whose every field is unlike anything else; `letter` makes them unlike those of other rounds. */
static const struct field {
	enum mem_kind kind;
	const char *name, *json;
} fields[] = {
	{ MEM_KIND_EPISODE, "content", "\"quokka%c-alpha walked to the zanthoxylum%c hedge and back#\"" },
	{ MEM_KIND_EPISODE, "speaker", "\"Speaker Vantablack%c\"" },
	{ MEM_KIND_EPISODE, "session_id", "\"session-umbrageous-%c\"" },
	{ MEM_KIND_EPISODE, "ref", "\"ref-of-the-mystagogue-%c-that-is-longer-than-a-key-holds\"" },
	{ MEM_KIND_EPISODE, "tags", "[\"tagxylophone%c\",\"tagperspicacious%c\"]" },
	{ MEM_KIND_EPISODE, "captured_at", "\"2019-03-0%cT07:08:09.123Z\"" },
	{ MEM_KIND_EPISODE, "expires_at", "\"2091-03-0%cT07:08:09.456Z\"" },
	{ MEM_KIND_ENTITY, "name", "\"Name Of Halcyonic%c\"" },
	{ MEM_KIND_ENTITY, "aliases", "[\"aliasgossamer%c\",\"aliaslimerence%c\"]" },
	{ MEM_KIND_ENTITY, "title", "\"titlepetrichor%c\"" },
	{ MEM_KIND_ENTITY, "slug", "\"slugapricity%c\"" },
	{ MEM_KIND_ENTITY, "path", "\"path/to/susurrus%c.md\"" },
	{ MEM_KIND_ENTITY, "description", "\"descriptionsonder%c of a thing\"" },
	{ MEM_KIND_FACT, "statement", "\"statementmellifluous%c walked to the ultracrepidarian%c hedge of sesquipedalian%c things\"" },
	{ MEM_KIND_FACT, "topic", "\"topicsempiternal%c\"" },
	{ MEM_KIND_FACT, "domain", "\"quiddity-of-slugs-%c\"" },
	{ MEM_KIND_FACT, "valid_from", "\"2031-03-0%cT07:08:09.789Z\"" },
	{ MEM_KIND_PAGE, "ref", "\"vaultluminescent/pages/insouciant%c.md\"" },
	{ MEM_KIND_PAGE, "title", "\"pagetitleeffulgent%c\"" },
	{ MEM_KIND_PAGE, "slug", "\"pageslugdenouement%c\"" },
	{ MEM_KIND_PAGE, "aliases", "[\"pagealiaspalimpsest%c\"]" },
	{ MEM_KIND_PAGE, "path", "\"pages/insouciant%c.md\"" },
	{ MEM_KIND_PAGE, "note_id", "\"noteidcynosure%c\"" },
	{ MEM_KIND_PAGE, "links", "[{\"form\":\"formwikilink%c\",\"target\":\"folder/targetlassitude%c\",\"text\":\"[[linktextpulchritude%c]]\"}]" },
	{ MEM_KIND_PAGE, "content", "\"contentquixotic%c walked to the incarnadine%c hedge#\"" },
};

struct subject {
	enum mem_kind kind;
	struct mem_id id;
	uint32_t ord;
	float rows[2][DIMS];       /* two passages */
};
enum { SUBJECTS = 4 };
static struct subject subjects[SUBJECTS];

/* The field's value with the letter in it. */
static struct mem_clean_text
field_value(const struct field *f, char letter)
{
	struct mem_buf b = { 0 };
	for (const char *p = f->json; *p != '\0'; p++) {
		bool mark = p[0] == '%' && p[1] == 'c';
		if (p[0] == '#') /* so long that it has a page of its own */
			for (int i = 0; i < 300; i++)
				mem_buf_printf(&b, " l%cong%c%d", letter, letter, i);
		else
			mem_buf_putc(&b, mark ? letter : *p);
		p += mark;
	}
	mem_buf_putc(&b, '\0');
	struct mem_clean_text t = clean_value(mem_writer_arena(w), b.data);
	mem_buf_release(&b);
	return t;
}

static size_t
fields_of(enum mem_kind kind, char letter, struct mem_clean_field *out)
{
	size_t n = 0;
	for (size_t i = 0; i < MEM_COUNT(fields); i++)
		if (fields[i].kind == kind)
			out[n++] = (struct mem_clean_field){ fields[i].name, field_value(&fields[i], letter) };
	return n;
}

static void
make_row(float *v, uint64_t seed)
{
	double sum = 0;
	for (size_t i = 0; i < DIMS; i++) {
		seed = seed * 6364136223846793005U + 1442695040888963407U;
		v[i] = (float)(seed >> 40) / 0x1p23f - 1;
		sum += (double)v[i] * (double)v[i];
	}
	for (size_t i = 0; i < DIMS; i++)
		v[i] /= (float)sqrt(sum);
}

/* Inside of both records, or mem-check would tell them. */
static const struct mem_vectors_span spans[2] = { { 211, 233, 0 }, { 227, 251, 0 } };
static const struct mem_vectors_span other_spans[2] = { { 0, 30, 0 }, { 20, 50, 0 } };

/* Like no sign code of a vector. */
enum { PIECES = 2 };
static void
make_pieces(const float *row, uint8_t codes[PIECES * DIMS / 8])
{
	for (size_t i = 0; i < PIECES * DIMS / 8; i++)
		codes[i] = (uint8_t)(fabsf(row[i]) * 7919 + (float)i);
}

static enum mem_status
put_subject_rows(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	const struct subject *s = ctx;
	const struct mem_vectors_span *where = s->kind == MEM_KIND_NONE ? other_spans : spans;
	uint8_t codes[2][PIECES * DIMS / 8];
	struct mem_vectors_passage p[2];
	for (size_t i = 0; i < 2; i++) {
		make_pieces(s->rows[i], codes[i]);
		p[i] = (struct mem_vectors_passage){ .span = where[i], .v = s->rows[i], .pieces = codes[i], .npieces = PIECES };
	}
	return mem_vectors_put(t, s->ord, p, 2, e);
}

static enum mem_status
put_model(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	const struct mem_vectors_model model = { .name = "erase", .dims = DIMS, .near = 0.9f, .weight = 0.5 };
	(void)ctx;
	return mem_vectors_model_put(t, &model, e);
}


static void
link_nodes(const struct mem_id *from, const struct mem_id *to, const char *json)
{
	const struct mem_write_input in = { .line = 1, .ns = MEM_STR("agent:ada") };
	const struct mem_clean_field why = { "why", clean_value(mem_writer_arena(w), json) };
	const struct mem_write_edge e = { .kind = "about", .from.id = *from, .to.id = *to, .fields = &why, .nfields = 1 };
	mem_write_link(w, &in, &e);
	commit_batch();
}

static struct mem_id other_id;

static void
find_ord(struct subject *s)
{
	struct mem_txn *t = NULL;
	struct mem_node node;
	assert_int_equal(mem_txn_read(&t, m.store, &err), MEM_OK);
	assert_int_equal(mem_node_by_id(t, &s->id, &node, &err), MEM_OK);
	s->ord = node.ord;
	mem_txn_end(t);
}

/* The nodes with vectors, and an edge each way that says something. */
static void
add_subjects(char letter)
{
	const enum mem_kind kinds[SUBJECTS] = { MEM_KIND_EPISODE, MEM_KIND_ENTITY, MEM_KIND_FACT, MEM_KIND_PAGE };
	const struct mem_write_input in = { .line = 1, .ns = MEM_STR("agent:ada") };
	for (size_t i = 0; i < SUBJECTS; i++) {
		struct mem_clean_field set[MEM_COUNT(fields)];
		char content[] = { (char)('u' + i), letter, '\0' };
		const struct mem_write_node n = { .kind = kinds[i], .id_of = mem_str(content), .fields = set,
			.nfields = fields_of(kinds[i], letter, set), .audit.word = "captured",
			.memory = { .importance = .5, .type = clean_value(mem_writer_arena(w), "\"typevitreous\"") } };
		subjects[i] = (struct subject){ .kind = kinds[i], .id = mem_id_v8(in.ns, mem_str(content)) };
		mem_write_add(w, &in, &n);
		commit_batch();
		find_ord(&subjects[i]);
		for (uint64_t k = 0; k < 2; k++)
			make_row(subjects[i].rows[k], (uint64_t)letter * 100 + i * 10 + k);
		assert_int_equal(mem_store_write(m.store, put_subject_rows, &subjects[i], &err), MEM_OK);
		link_nodes(&subjects[i].id, &other_id, "\"edgeoutsaudade\"");
		link_nodes(&other_id, &subjects[i].id, "\"edgeinvellichor\"");
	}
}

/* ---- patterns ------------------------------------------------------------ */

struct pattern {
	size_t place;              /* in the table */
	struct mem_str bytes;      /* ARENA */
	bool seen;
};
static struct pattern *patterns;
static size_t npatterns, patterns_cap, place_now;
static struct mem_arena arena;

static void
expect_bytes(const void *p, size_t n)
{
	assert_true(n >= 4);
	patterns = mem_grow(patterns, &patterns_cap, npatterns + 1, sizeof *patterns);
	patterns[npatterns++] = (struct pattern){ place_now, mem_arena_str(&arena, (struct mem_str){ p, n }), false };
}

/* What is known of a node when its patterns are made. */
struct scene {
	const struct subject *s;
	struct mem_txn *t;
	struct mem_node node;
	struct mem_rec rec;
	struct mem_entry entry;
	struct mem_arena arena;    /* of entry */
};

/* A text, and pieces of a long one, one of which may be left where the whole is not. */
static void
gather_string(struct mem_json v)
{
	enum { PIECE = 24 };
	if (v.type == MEM_JSON_STRING && v.raw.n - 2 <= 100)
		expect_bytes(v.raw.p + 1, v.raw.n - 2);
	for (size_t i = 1; v.type == MEM_JSON_STRING && v.raw.n > 102 && i + PIECE < v.raw.n; i += PIECE)
		expect_bytes(v.raw.p + i, PIECE);
	for (struct mem_json_iter it = mem_json_each(v); mem_json_next(&it);)
		gather_string(it.value);
}

static void
gather_text(const struct scene *c)
{
	gather_string(mem_rec_value(&c->rec, "type"));
	for (size_t i = 0; i < MEM_COUNT(fields); i++)
		if (fields[i].kind == c->s->kind)
			gather_string(mem_rec_value(&c->rec, fields[i].name));
}

static void
gather_times(const struct scene *c)
{
	if (c->s->kind != MEM_KIND_EPISODE)
		return;
	expect_bytes(&c->entry.draft.attr.captured_at, 8);
	expect_bytes(&c->entry.draft.attr.expires_at, 8);
}

static void
gather_session(const struct scene *c)
{
	if (c->s->kind == MEM_KIND_EPISODE)
		expect_bytes(&c->entry.draft.attr.session, 4);
}

/* Without the namespace before and the ord behind. */
static void
gather_row_keys(const struct scene *c)
{
	struct mem_node_keys_row row = { 0 };
	size_t n = 0;
	for (; mem_node_keys_next(&c->entry.draft, c->s->ord, &row); n++) {
		size_t lead = row.table == MEM_T_DUE ? 0 : 4;
		expect_bytes(row.key + lead, row.len - lead - 4);
	}
	assert_true(n > 0);
}

static void
gather_edges(const struct scene *c)
{
	(void)c;
	expect_bytes("edgeoutsaudade", 14);
	expect_bytes("edgeinvellichor", 15);
}

/* In the tail the upper halves of a document's terms lie side by side, then the lower ones. */
static void
gather_tail_terms(const struct scene *c)
{
	uint32_t high[512], low[512];
	assert_true(c->entry.doc.nterms > 3 && c->entry.doc.nterms < MEM_COUNT(high));
	for (size_t i = 0; i < c->entry.doc.nterms; i++) {
		high[i] = (uint32_t)(c->entry.doc.terms[i].hash >> 32);
		low[i] = (uint32_t)c->entry.doc.terms[i].hash;
	}
	expect_bytes(high, 4 * c->entry.doc.nterms);
	expect_bytes(low, 4 * c->entry.doc.nterms);
}

/* The hash of each word and filter's term that no other node has, whole as in a segment's dictionary. */
static void
gather_terms(const struct scene *c)
{
	struct mem_ns ns[8];
	struct mem_ns *visible = NULL;
	size_t n, own = 0;
	assert_int_equal(mem_ns_visible(c->t, &visible, &n, &err), MEM_OK);
	assert_true(n <= MEM_COUNT(ns));
	for (size_t i = 0; i < c->entry.doc.nterms; i++) {
		uint64_t df;
		assert_int_equal(mem_words_df(c->t, visible, n, &c->entry.doc.terms[i].hash, 1, &df, &err), MEM_OK);
		if (df == 1)
			expect_bytes(&c->entry.doc.terms[i].hash, 8);
		own += df == 1;
	}
	free(visible);
	assert_true(own >= 3);
}

static void
gather_rows(const struct scene *c)
{
	for (size_t i = 0; i < 2; i++)
		for (size_t k = 0; k < DIMS; k += 16)
			expect_bytes(c->s->rows[i] + k, 64);
}

static void
make_codes(const struct scene *c, size_t row, uint8_t *code)
{
	struct mem_vectors_model model;
	struct mem_code_mean mean;
	assert_int_equal(mem_vectors_model_get(c->t, &model, &err), MEM_OK);
	mem_code_mean_init(&mean, model.mean, DIMS);
	mem_code_make(&mean, c->s->rows[row], code);
	mem_code_mean_release(&mean);
}

static void
gather_codes(const struct scene *c)
{
	uint8_t code[8192];
	assert_true(mem_code_bytes(DIMS) <= sizeof code);
	for (size_t i = 0; i < 2; i++) {
		make_codes(c, i, code);
		expect_bytes(code, mem_code_bytes(DIMS));
	}
}

/* Which a segment keeps apart from the signs. */
static void
gather_fine_codes(const struct scene *c)
{
	uint8_t code[8192];
	for (size_t i = 0; i < 2; i++) {
		make_codes(c, i, code);
		expect_bytes(mem_code_fine_part(code, DIMS), mem_code_fine_bytes(DIMS));
	}
}

static void
gather_pieces(const struct scene *c)
{
	uint8_t codes[PIECES * DIMS / 8];
	for (size_t i = 0; i < 2 && mem_kind_info(c->s->kind)->pieces; i++) {
		make_pieces(c->s->rows[i], codes);
		for (size_t k = 0; k < sizeof codes; k += 64)
			expect_bytes(codes + k, 64);
	}
}

static void
gather_spans(const struct scene *c)
{
	(void)c;
	for (size_t i = 0; i < 2; i++)
		expect_bytes(&spans[i], 8);
}

/* ---- the table ----------------------------------------------------------- */

static const struct place {
	const char *name;
	void (*gather)(const struct scene *c);
} places[] = {
	{ "node, ref, name: the text of fields", gather_text },
	{ "attr, seg: times", gather_times },
	{ "attr, tail, code, seg: the session's number", gather_session },
	{ "ref, dup, name, sess, due: keys with their hashes", gather_row_keys },
	{ "out: what an edge says", gather_edges },
	{ "tail: halves of terms", gather_tail_terms },
	{ "seg: terms in the dictionary", gather_terms },
	{ "row, vectors.new: floats", gather_rows },
	{ "code: the sign code", gather_codes },
	{ "seg: the fine part of a code", gather_fine_codes },
	{ "code, seg: where passages lie", gather_spans },
	{ "piece: codes of word pieces", gather_pieces },
};

static void
gather_patterns(const struct subject *s)
{
	struct scene c = { .s = s };
	assert_int_equal(mem_txn_read(&c.t, m.store, &err), MEM_OK);
	assert_int_equal(mem_node_by_id(c.t, &s->id, &c.node, &err), MEM_OK);
	if (mem_rec_scan(&c.rec, c.node.json, &err) != MEM_OK)
		fail_msg("%s: %.*s", err.msg, (int)c.node.json.n, c.node.json.p);
	assert_int_equal(mem_entry_make(&c.entry, &m, &c.arena, c.node.json, MEM_FILL_NOTHING, &err), MEM_OK);
	c.entry.draft.attr.ns = c.node.attr->ns;
	for (place_now = 0; place_now < MEM_COUNT(places); place_now++)
		places[place_now].gather(&c);
	mem_txn_end(c.t);
	mem_rec_release(&c.rec);
	mem_arena_release(&c.arena);
}

static void
forget_patterns(void)
{
	free(patterns);
	patterns = NULL;
	npatterns = patterns_cap = 0;
	mem_arena_reset(&arena);
}

/* ---- looking into the files ----------------------------------------------- */

/* As text, or where it is none in hex; at most 24 bytes of it. */
static const char *
show_bytes(struct mem_str s)
{
	static char out[60];
	size_t n = s.n < 24 ? s.n : 24;
	bool text = true;
	for (size_t i = 0; i < n; i++)
		text &= s.p[i] >= ' ' && s.p[i] <= '~';
	for (size_t i = 0; i < n; i++)
		snprintf(out + (text ? i : 2 * i), 3, text ? "%c" : "%02x", (unsigned char)s.p[i]);
	return out;
}

static void
look_into_file(const char *name, bool gone)
{
	char path[500];
	struct mem_buf all = { 0 };
	struct stat st;
	snprintf(path, sizeof path, "%s/%s", at, name);
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	assert_int_equal(fstat(fileno(f), &st), 0);
	mem_buf_reserve(&all, (size_t)st.st_size + 1);
	all.len = fread(all.data, 1, (size_t)st.st_size, f);
	fclose(f);
	for (size_t i = 0; i < npatterns; i++) {
		struct pattern *p = &patterns[i];
		const char *found = all.len > 0 ? memmem(all.data, all.len, p->bytes.p, p->bytes.n) : NULL;
		if (found != NULL && gone)
			fail_msg("%s holds '%s' (%zu bytes) of %s at %zd", name, show_bytes(p->bytes), p->bytes.n,
			    places[p->place].name, found - all.data);
		p->seen |= found != NULL;
	}
	mem_buf_release(&all);
}

static void
look_into_store(bool gone)
{
	struct dirent *e;
	DIR *d = opendir(at);
	assert_non_null(d);
	while ((e = readdir(d)) != NULL)
		if (e->d_name[0] != '.')
			look_into_file(e->d_name, gone);
	closedir(d);
}

/* Each place held something of them at one of the looks. */
static void
assert_all_seen(void)
{
	for (size_t place = 0; place < MEM_COUNT(places); place++) {
		bool any = false;
		for (size_t i = 0; i < npatterns; i++)
			any |= patterns[i].place == place && patterns[i].seen;
		if (!any)
			fail_msg("nothing was ever seen of %s", places[place].name);
	}
	for (size_t i = 0; i < npatterns; i++)
		if (!patterns[i].seen)
			fail_msg("never seen: %zu bytes of %s", patterns[i].bytes.n, places[patterns[i].place].name);
}

/* ---- moving it about ------------------------------------------------------ */

static void
flush_all(void)
{
	enum mem_status st = mem_words_flush(m.store, &err);
	assert_true(st == MEM_OK || st == MEM_END);
	st = mem_vectors_flush(m.store, &err);
	assert_true(st == MEM_OK || st == MEM_END);
}

static bool packed;        /* rows of log and audit, in this test */

static void
run_compact(void)
{
	uint64_t done = 0;
	assert_int_equal(mem_rows_pack(m.store, 0, &done, &err), MEM_OK);
	assert_true(done > 0 || packed);
	packed = true;
	for (size_t i = 0; mem_jobs[i] != NULL; i++)
		if (strcmp(mem_jobs[i]->name, "compact") == 0 && mem_jobs[i]->run(&m, &done, &err) != MEM_OK)
			fail_msg("compact: %s", err.msg);
	assert_int_equal(own_store_check(&m), MEM_OK);
}

static void
remove_subjects(void)
{
	static const struct mem_write_removal removal = { .op = "removed", .audit = { .word = "erased" } };
	const struct mem_write_input in = { .line = 1, .ns = MEM_STR("agent:ada") };
	for (size_t i = 0; i < SUBJECTS; i++)
		mem_write_remove(w, &in, &subjects[i].id, 0, &removal);
	commit_batch();
}

/* A node whose text fills a good half of a page of its own, behind which no rest of another may stay. */
static void
add_long_text(char letter, int i)
{
	const struct mem_write_input in = { .line = 1, .ns = MEM_STR("agent:ada") };
	char id[20], text[2400];
	snprintf(id, sizeof id, "long%c%d", letter, i);
	memset(text, 'x', sizeof text);
	text[0] = text[sizeof text - 2] = '"';
	text[sizeof text - 1] = '\0';
	const struct mem_clean_field set[] = { { "content", clean_value(mem_writer_arena(w), text) } };
	char *kept = mem_arena_dup(mem_writer_arena(w), id, strlen(id));
	const struct mem_write_node n = { .kind = MEM_KIND_EPISODE, .id_of = { kept, strlen(id) }, .fields = set, .nfields = 1,
		.audit.word = "captured" };
	mem_write_add(w, &in, &n);
	commit_batch();
}

/* Other nodes with vectors, so many that rows are packed to blocks. */
static void
add_others(char letter)
{
	const struct mem_write_input in = { .line = 1, .ns = MEM_STR("agent:ada") };
	for (int i = 0; i < OTHERS; i++) {
		char id[20];
		snprintf(id, sizeof id, "other%c%d", letter, i);
		const struct mem_clean_field set[] = { { "content", clean_value(mem_writer_arena(w), "\"another one walked to the hedge of a thing and back\"") } };
		char *kept = mem_arena_dup(mem_writer_arena(w), id, strlen(id));
		const struct mem_write_node n = { .kind = MEM_KIND_EPISODE, .id_of = { kept, strlen(id) }, .fields = set, .nfields = 1,
			.audit.word = "captured" };
		mem_write_add(w, &in, &n);
		struct subject s = { .id = mem_id_v8(in.ns, n.id_of) };
		other_id = s.id;
		commit_batch();
		find_ord(&s);
		make_row(s.rows[0], (uint64_t)letter * 100000 + (uint64_t)i);
		make_row(s.rows[1], (uint64_t)letter * 100000 + (uint64_t)i + 50000);
		assert_int_equal(mem_store_write(m.store, put_subject_rows, &s, &err), MEM_OK);
	}
}

/* ---- the tests ------------------------------------------------------------ */

/* So many that log and audit are packed with those of the subjects among them. */
static enum mem_status
put_many_rows(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	enum mem_status st = MEM_OK;
	(void)ctx;
	for (int i = 0; i < 1100 && st == MEM_OK; i++) {
		const struct mem_audit_row row = { .kind = MEM_STR("shown"), .actor = MEM_STR("ada"), .ns = MEM_STR("agent:ada"),
			.subject = subjects[i % SUBJECTS].id };
		st = mem_audit_put(t, &row, e);
		if (st == MEM_OK)
			st = mem_log_put(t, "shown", &row.subject, 1, subjects[i % SUBJECTS].kind, e);
	}
	return st;
}

static void
begin_scene(char letter)
{
	packed = false;
	add_others(letter);
	add_subjects(letter);
	assert_int_equal(mem_store_write(m.store, put_many_rows, NULL, &err), MEM_OK);
	for (size_t i = 0; i < SUBJECTS; i++)
		gather_patterns(&subjects[i]);
	for (int i = 0; i < 20; i++)
		add_long_text(letter, i);
	look_into_store(false);
}

static void
as_it_came(void **state)
{
	(void)state;
	begin_scene('1');
	remove_subjects();
	look_into_store(false);
	run_compact();
	look_into_store(true);
	forget_patterns();
}

/* From segments and blocks of rows, after all was written again more than once. */
static void
from_segments(void **state)
{
	bool did = true;
	(void)state;
	begin_scene('2');
	flush_all();
	look_into_store(false);
	while (did)
		assert_int_equal(mem_index_tidy(m.store, UINT32_MAX, &did, &err), MEM_OK);
	run_compact();
	look_into_store(false);
	assert_all_seen();
	remove_subjects();
	run_compact();
	look_into_store(true);
	forget_patterns();
}

/* What a node said before. */
static void
of_changed_texts(void **state)
{
	const struct mem_write_input in = { .line = 1, .ns = MEM_STR("agent:ada") };
	(void)state;
	begin_scene('3');
	flush_all();
	look_into_store(false);
	assert_all_seen();
	for (size_t i = 0; i < SUBJECTS; i++) {
		struct mem_clean_field set[MEM_COUNT(fields) + 1];
		struct mem_write_edit edit = { .set = set, .n = fields_of(subjects[i].kind, '7', set), .op = "changed" };
		set[edit.n++] = (struct mem_clean_field){ "type", clean_value(mem_writer_arena(w), "\"another\"") };
		assert_int_equal(mem_write_change(w, &in, &subjects[i].id, 0, &edit, &err), MEM_OK);
		commit_batch();
	}
	for (size_t i = 0; i < SUBJECTS; i++) {
		link_nodes(&subjects[i].id, &other_id, "\"another\"");
		link_nodes(&other_id, &subjects[i].id, "\"another\"");
	}
	run_compact();
	look_into_store(true);
	forget_patterns();
}

/* vectors.new as lib/upkeep/vectors_rebuild.c says it: a head, then rows. */
static void
put_rebuild_row(FILE *f, const struct subject *s, const float *v)
{
	struct { uint64_t text_hash; uint32_t ord, passage, n, zero; struct mem_vectors_span span; float v[DIMS]; uint32_t end; } row = { .n = 1 };
	struct mem_txn *t = NULL;
	struct mem_node node;
	struct mem_rec rec = { 0 };
	struct mem_buf text = { 0 };
	assert_int_equal(mem_txn_read(&t, m.store, &err), MEM_OK);
	assert_int_equal(mem_node_by_id(t, &s->id, &node, &err), MEM_OK);
	assert_int_equal(mem_rec_scan(&rec, node.json, &err), MEM_OK);
	assert_true(mem_node_text(&text, &rec));
	row.text_hash = mem_hash_fast(text.data, text.len);
	row.ord = node.ord;
	mem_txn_end(t);
	mem_rec_release(&rec);
	mem_buf_release(&text);
	memcpy(row.v, v, sizeof row.v);
	uint64_t sum = mem_hash_fast(&row, sizeof row);
	assert_int_equal(fwrite(&sum, sizeof sum, 1, f), 1);
	assert_int_equal(fwrite(&row, sizeof row, 1, f), 1);
}

/* Vectors by another model, gathered in a file that the next run goes on with. */
static void
from_a_rebuild_under_way(void **state)
{
	struct { char magic[8]; uint32_t dims, zero; char rest[136]; } head = { "memvec2", DIMS, 0, "" };
	struct subject other = { 0 };
	struct mem_str left;
	char path[120];
	(void)state;
	begin_scene('4');
	other.id = other_id;
	make_row(other.rows[0], 4711);
	snprintf(path, sizeof path, "%s/vectors.new", at);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(&head, sizeof head, 1, f), 1);
	put_rebuild_row(f, &other, other.rows[0]);
	for (size_t i = 0; i < SUBJECTS; i++)
		put_rebuild_row(f, &subjects[i], subjects[i].rows[0]);
	assert_int_equal(fclose(f), 0);
	remove_subjects();
	run_compact();
	look_into_store(true);
	forget_patterns();
	left = (struct mem_str){ (const char *)other.rows[0], sizeof other.rows[0] };
	expect_bytes(left.p, left.n);
	look_into_file("vectors.new", false);
	assert_true(patterns[0].seen);
	forget_patterns();
}

static int
setup(void **state)
{
	static const struct mem_write_options plain = { .via = "test" };
	struct mem_store_options ask = MEM_STORE_OPTIONS_INIT;
	(void)state;
	if (own_store_make(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", "ada") != 0)
		return -1;
	ask.dir = at;
	ask.agent = "ada";
	ask.write = true;
	assert_int_equal(mem_index_open(&m, &ask, &err), MEM_OK);
	assert_int_equal(mem_store_write(m.store, put_model, NULL, &err), MEM_OK);
	w = mem_writer_new(&m, &plain);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	forget_patterns();
	mem_arena_release(&arena);
	mem_writer_free(w);
	mem_index_close(&m);
	return own_store_remove();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(as_it_came, setup, teardown),
		cmocka_unit_test_setup_teardown(from_segments, setup, teardown),
		cmocka_unit_test_setup_teardown(of_changed_texts, setup, teardown),
		cmocka_unit_test_setup_teardown(from_a_rebuild_under_way, setup, teardown),
	};
	return cmocka_run_group_tests_name("erase", tests, NULL, NULL);
}
