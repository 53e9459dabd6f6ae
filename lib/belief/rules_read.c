/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of belief out of a file: which fields they have, and what those mean. */
#include "belief/belief_int.h"
#include "conf/conf.h"

#include <string.h>

#define WORD_MAX_BYTES 64
#define TYPE_MAX_BYTES 32

static const char *const effects[] = {
	[BELIEF_NOTHING] = "nothing", [BELIEF_ASKS] = "asks", [BELIEF_UNREAL] = "unreal", [BELIEF_NEGATES] = "negates",
	[BELIEF_HEDGES] = "hedges", [BELIEF_TELLS] = "tells", [BELIEF_STOPS] = "stops", [BELIEF_PLAIN] = "plain", [BELIEF_CORRECTS] = "corrects", [BELIEF_FUTURE] = "future",
	[BELIEF_BREAKS] = "breaks", [BELIEF_ENDS] = "ends", [BELIEF_JOINS] = "joins", [BELIEF_TRIMS] = "trims",
	[BELIEF_LEADS] = "leads", [BELIEF_NOBODY] = "nobody", [BELIEF_SPEAKER] = "speaker", [BELIEF_LISTENER] = "listener",
	[BELIEF_SPEAKER_OWNS] = "speaker_owns", [BELIEF_LISTENER_OWNS] = "listener_owns", [BELIEF_KIN] = "kin",
	[BELIEF_SINCE] = "since", [BELIEF_UNTIL] = "until", [BELIEF_BY] = "by", [BELIEF_AT] = "at", [BELIEF_KIND] = "kind",
	[BELIEF_GIVEN] = "given", [BELIEF_TITLE] = "title", [BELIEF_ASKS_LAST] = "asks_last", [BELIEF_RECURS] = "recurs",
	[BELIEF_EFFECTS] = NULL,
};
static const char *const subject_words[] = {
	[BELIEF_SUBJECT_ANY] = "any", [BELIEF_SUBJECT_PERSON] = "person", [BELIEF_SUBJECT_THING] = "thing", NULL,
};

enum { FILE_VERSION, FILE_LANGUAGE, FILE_LEADER };
static const struct mem_rule_field file_fields[] = {
	[FILE_VERSION] = { .name = "version", .type = MEM_RULE_NUMBER, .required = true, .max = 1000000 },
	[FILE_LANGUAGE] = { .name = "language", .type = MEM_RULE_NAME },
	[FILE_LEADER] = { .name = "leader", .type = MEM_RULE_TEXT, .max = MEM_PATTERN_MAX },
};

enum { P_SUBJECT, P_OBJECT, P_FUNCTIONAL, P_SYMMETRIC, P_EXCLUSIVE, P_OPPOSITE, P_INVERSE, P_TYPE, P_DOMAIN, P_CONFIDENCE, P_ADDITIVE, P_DUE,
	P_DETAIL, P_LIST, P_SAYS, P_SAYS_NOT };
static const struct mem_rule_field predicate_fields[] = {
	[P_SUBJECT] = { .name = "subject", .type = MEM_RULE_LIST, .required = true, .max = TYPE_MAX_BYTES, .expected = "a type" },
	[P_OBJECT] = { .name = "object", .type = MEM_RULE_LIST, .required = true, .max = TYPE_MAX_BYTES, .expected = "a type" },
	[P_FUNCTIONAL] = { .name = "functional", .type = MEM_RULE_BOOL },
	[P_SYMMETRIC] = { .name = "symmetric", .type = MEM_RULE_BOOL },
	[P_EXCLUSIVE] = { .name = "exclusive", .type = MEM_RULE_LIST, .max = WORD_MAX_BYTES, .expected = "a value" },
	[P_OPPOSITE] = { .name = "opposite", .type = MEM_RULE_NAME },
	[P_INVERSE] = { .name = "inverse", .type = MEM_RULE_NAME },
	[P_TYPE] = { .name = "type", .type = MEM_RULE_NAME },
	[P_DOMAIN] = { .name = "domain", .type = MEM_RULE_NAME },
	[P_CONFIDENCE] = { .name = "confidence", .type = MEM_RULE_FRACTION },
	[P_ADDITIVE] = { .name = "additive", .type = MEM_RULE_BOOL },
	[P_DUE] = { .name = "due", .type = MEM_RULE_BOOL },
	[P_DETAIL] = { .name = "detail", .type = MEM_RULE_BOOL },
	[P_LIST] = { .name = "list", .type = MEM_RULE_BOOL },
	[P_SAYS] = { .name = "says", .type = MEM_RULE_TEXT, .max = 200 },
	[P_SAYS_NOT] = { .name = "says_not", .type = MEM_RULE_TEXT, .max = 200 },
};

enum { R_PATTERN, R_WORDS, R_PREDICATE, R_TYPE, R_SUBJECT_TYPE, R_OBJECT_TYPE, R_OBJECT, R_CONFIDENCE, R_VERACITY, R_NEGATED, R_CORRECTS,
	R_IGNORE_CASE, R_ALSO, R_SINGLE, R_UNTIL, R_OFF, R_EFFECT, R_SUBJECT_IS, R_AHEAD, R_READS,
	R_SUBJECT_IN, R_SUBJECT_NOT_IN, R_OBJECT_IN, R_OBJECT_NOT_IN, R_WAS_IN, R_WAS_NOT_IN };
static const struct mem_rule_field rule_fields[] = {
	[R_PATTERN] = { .name = "pattern", .type = MEM_RULE_TEXT, .max = MEM_PATTERN_MAX },
	[R_WORDS] = { .name = "words", .type = MEM_RULE_LIST, .max = WORD_MAX_BYTES, .expected = "a word" },
	[R_PREDICATE] = { .name = "predicate", .type = MEM_RULE_NAME },
	[R_TYPE] = { .name = "type", .type = MEM_RULE_NAME },
	[R_SUBJECT_TYPE] = { .name = "subject_type", .type = MEM_RULE_NAME },
	[R_OBJECT_TYPE] = { .name = "object_type", .type = MEM_RULE_NAME },
	[R_OBJECT] = { .name = "object", .type = MEM_RULE_TEXT, .max = 80 },
	[R_CONFIDENCE] = { .name = "confidence", .type = MEM_RULE_FRACTION },
	[R_VERACITY] = { .name = "veracity", .type = MEM_RULE_WORD, .words = mem_veracity_names },
	[R_NEGATED] = { .name = "negated", .type = MEM_RULE_BOOL },
	[R_CORRECTS] = { .name = "corrects", .type = MEM_RULE_BOOL },
	[R_IGNORE_CASE] = { .name = "ignore_case", .type = MEM_RULE_BOOL },
	[R_ALSO] = { .name = "also", .type = MEM_RULE_BOOL },
	[R_SINGLE] = { .name = "single", .type = MEM_RULE_BOOL },
	[R_UNTIL] = { .name = "until", .type = MEM_RULE_LIST, .max = WORD_MAX_BYTES, .expected = "a word" },
	[R_OFF] = { .name = "off", .type = MEM_RULE_BOOL },
	[R_EFFECT] = { .name = "effect", .type = MEM_RULE_WORD, .words = effects },
	[R_AHEAD] = { .name = "ahead", .type = MEM_RULE_BOOL },
	[R_READS] = { .name = "reads", .type = MEM_RULE_TEXT, .max = 80 },
	[R_SUBJECT_IS] = { .name = "subject_is", .type = MEM_RULE_WORD, .words = subject_words },
	[R_SUBJECT_IN] = { .name = "subject_in", .type = MEM_RULE_LIST, .max = WORD_MAX_BYTES, .expected = "a vocabulary" },
	[R_SUBJECT_NOT_IN] = { .name = "subject_not_in", .type = MEM_RULE_LIST, .max = WORD_MAX_BYTES, .expected = "a vocabulary" },
	[R_OBJECT_IN] = { .name = "object_in", .type = MEM_RULE_LIST, .max = WORD_MAX_BYTES, .expected = "a vocabulary" },
	[R_OBJECT_NOT_IN] = { .name = "object_not_in", .type = MEM_RULE_LIST, .max = WORD_MAX_BYTES, .expected = "a vocabulary" },
	[R_WAS_IN] = { .name = "was_in", .type = MEM_RULE_LIST, .max = WORD_MAX_BYTES, .expected = "a vocabulary" },
	[R_WAS_NOT_IN] = { .name = "was_not_in", .type = MEM_RULE_LIST, .max = WORD_MAX_BYTES, .expected = "a vocabulary" },
};
/* Which of them say what of which group. */
static const struct {
	int in, not_in;
	enum belief_group group;
} vocabulary_groups[] = {
	{ R_SUBJECT_IN, R_SUBJECT_NOT_IN, BELIEF_SUBJECT }, { R_OBJECT_IN, R_OBJECT_NOT_IN, BELIEF_OBJECT }, { R_WAS_IN, R_WAS_NOT_IN, BELIEF_WAS },
};

enum { C_WORDS, C_EFFECT, C_TYPE };
static const struct mem_rule_field cue_fields[] = {
	[C_WORDS] = { .name = "words", .type = MEM_RULE_LIST, .required = true, .max = WORD_MAX_BYTES, .expected = "a word" },
	[C_EFFECT] = { .name = "effect", .type = MEM_RULE_WORD, .required = true, .words = effects },
	[C_TYPE] = { .name = "type", .type = MEM_RULE_NAME },
};

enum { PREDICATES, VOCABULARIES, RULES, CUES, OBJECTS, MAPPINGS, LISTS };

/* What is being read. */
struct rules_reader {
	struct mem_belief_rules *r;
	const struct belief_file *file;
	struct mem_err *err;
};

/* What is to claim something that no predicate read so far is. */
static enum mem_status
refuse_predicate(struct rules_reader *in, unsigned line, struct mem_str rule, struct mem_str predicate)
{
	return mem_rule_refuse(in->err, in->file->name.p, line, rule, "no such predicate: %.*s", (int)predicate.n, predicate.p);
}

/* ---- predicates --------------------------------------------------------------- */

/* They are in no order before all are read. */
static struct belief_predicate *
find_read_predicate(const struct mem_belief_rules *r, struct mem_str name)
{
	for (size_t i = 0; i < r->npredicates; i++)
		if (mem_str_eq(r->predicates[i].shown.name, name))
			return &r->predicates[i];
	return NULL;
}

static void
add_predicate(struct rules_reader *in, const struct mem_rule *rule)
{
	const struct mem_rule_value *v = rule->values;
	struct mem_belief_rules *r = in->r;
	struct belief_predicate p = {
		.shown = {
			.name = rule->name, .subject_types = v[P_SUBJECT].list, .nsubject_types = v[P_SUBJECT].n,
			.object_types = v[P_OBJECT].list, .nobject_types = v[P_OBJECT].n,
			.functional = v[P_FUNCTIONAL].number != 0, .symmetric = v[P_SYMMETRIC].number != 0,
			.additive = v[P_ADDITIVE].number != 0, .detail = v[P_DETAIL].number != 0,
			.exclusive = v[P_EXCLUSIVE].list, .nexclusive = v[P_EXCLUSIVE].n,
			.opposite = v[P_OPPOSITE].text, .inverse = v[P_INVERSE].text,
			.memory_type = v[P_TYPE].given ? v[P_TYPE].text : MEM_STR("fact"), .domain = v[P_DOMAIN].text,
			.confidence = v[P_CONFIDENCE].given ? v[P_CONFIDENCE].fraction : .8,
		},
		.due = v[P_DUE].number != 0, .list = v[P_LIST].number != 0, .says = v[P_SAYS].text, .says_not = v[P_SAYS_NOT].text,
	};
	p.shown.object_is_value = p.shown.nobject_types > 0 && mem_claim_is_value_type(p.shown.object_types[0]);
	struct belief_predicate *earlier = find_read_predicate(r, rule->name);
	if (earlier == NULL) {
		r->predicates = mem_grow(r->predicates, &r->predicates_cap, r->npredicates + 1, sizeof *r->predicates);
		earlier = &r->predicates[r->npredicates++];
	}
	*earlier = p;
}

static enum mem_status
check_predicate(struct rules_reader *in, const struct mem_rule *rule)
{
	const struct mem_rule_value *v = rule->values;
	if (v[P_SUBJECT].n == 0 || v[P_OBJECT].n == 0)
		return mem_rule_refuse(in->err, in->file->name.p, rule->line, rule->name, "no type of %s", v[P_SUBJECT].n == 0 ? "subject" : "object");
	if (mem_str_eq(v[P_OPPOSITE].text, rule->name))
		return mem_rule_refuse(in->err, in->file->name.p, v[P_OPPOSITE].line, rule->name, "its own opposite");
	return MEM_OK;
}

/* ---- rules ---------------------------------------------------------------------- */

static struct belief_rule
belief_rule_from_fields(struct rules_reader *in, const struct mem_rule *rule)
{
	const struct mem_rule_value *v = rule->values;
	const struct belief_file *f = in->file;
	return (struct belief_rule){
		.name = rule->name, .file = f, .line = rule->line, .source = v[R_PATTERN].text, .predicate_name = v[R_PREDICATE].text,
		.label = mem_str(mem_arena_printf(&in->r->arena, "%.*s@%.*s", (int)rule->name.n, rule->name.p, (int)f->version.n, f->version.p)),
		.type = v[R_TYPE].text, .subject_type = v[R_SUBJECT_TYPE].text, .object_type = v[R_OBJECT_TYPE].text, .object = v[R_OBJECT].text,
		.reads = v[R_READS].text,
		.effect = v[R_EFFECT].given ? (enum belief_effect)v[R_EFFECT].number : BELIEF_EFFECTS,
		.subject_is = (enum belief_subject_is)v[R_SUBJECT_IS].number,
		.confidence = v[R_CONFIDENCE].fraction,
		.veracity = v[R_VERACITY].given ? (enum mem_veracity)v[R_VERACITY].number : MEM_VERACITY_COUNT,
		.negated = v[R_NEGATED].number != 0, .corrects = v[R_CORRECTS].number != 0, .caseless = v[R_IGNORE_CASE].number != 0,
		.also = v[R_ALSO].number != 0, .single = v[R_SINGLE].number != 0, .ahead = v[R_AHEAD].number != 0, .off = v[R_OFF].number != 0,
		.words = v[R_WORDS].list, .nwords = v[R_WORDS].n, .until = v[R_UNTIL].list, .nuntil = v[R_UNTIL].n,
	};
}

/* What is wrong with a rule that reads its match as another sentence; NULL: nothing is. */
static const char *
find_reading_fault(const struct belief_rule *rule)
{
	if (rule->predicate_name.n > 0 || rule->effect != BELIEF_EFFECTS)
		return "reads, and a predicate or an effect";
	bool ends = rule->reads.n >= 3 && memcmp(rule->reads.p + rule->reads.n - 3, "{o}", 3) == 0;
	return ends ? NULL : "reads does not end with {o}";
}

/* What is wrong with the effect of a rule; NULL: nothing is. */
static const char *
find_effect_fault(const struct belief_rule *rule)
{
	switch (rule->effect) {
	case BELIEF_EFFECTS:
		return rule->predicate_name.n == 0 && rule->type.n == 0 ? "no predicate, and no type of a statement without one" : NULL;
	case BELIEF_PLAIN:
	case BELIEF_GIVEN: /* which are looked up by words */
		return "that effect is of cues alone";
	default:
		if (rule->predicate_name.n > 0)
			return "a predicate and an effect";
		return rule->effect == BELIEF_KIND && rule->type.n == 0 ? "no type" : NULL;
	}
}

static enum mem_status
check_rule(struct rules_reader *in, const struct belief_rule *rule)
{
	const char *file = in->file->name.p;
	if (rule->off)
		return MEM_OK;
	if (rule->source.n == 0)
		return mem_rule_refuse(in->err, file, rule->line, rule->name, "no pattern");
	const char *fault = rule->reads.n > 0 ? find_reading_fault(rule) : find_effect_fault(rule);
	if (fault != NULL)
		return mem_rule_refuse(in->err, file, rule->line, rule->name, "%s", fault);
	if (rule->predicate_name.n > 0 && rule->predicate == NULL)
		return refuse_predicate(in, rule->line, rule->name, rule->predicate_name);
	return MEM_OK;
}

static enum mem_status
find_rule_vocabularies(struct rules_reader *in, const struct mem_rule *rule, struct belief_rule *out)
{
	const struct mem_rule_value *v = rule->values;
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < MEM_COUNT(vocabulary_groups) && st == MEM_OK; i++) {
		enum belief_group g = vocabulary_groups[i].group;
		st = belief_vocabularies_find(in->r, rule, &v[vocabulary_groups[i].in], in->file, &out->in[g], in->err);
		if (st == MEM_OK)
			st = belief_vocabularies_find(in->r, rule, &v[vocabulary_groups[i].not_in], in->file, &out->not_in[g], in->err);
	}
	return st;
}

static enum mem_status
add_rule(struct rules_reader *in, const struct mem_rule *rule)
{
	struct mem_belief_rules *r = in->r;
	struct belief_rule one = belief_rule_from_fields(in, rule);
	one.predicate = one.predicate_name.n > 0 ? find_read_predicate(r, one.predicate_name) : NULL;
	enum mem_status st = check_rule(in, &one);
	if (st == MEM_OK)
		st = find_rule_vocabularies(in, rule, &one);
	if (st != MEM_OK)
		return st;
	/* A built-in rule is compiled when it is first tried; of a user's one the fault must be told at once. */
	if (!one.off && !in->file->builtin && !belief_rule_compile(r, &one)) {
		mem_pattern_free(one.pattern);
		return MEM_OK;
	}
	size_t i = 0;
	while (i < r->nrules && !mem_str_eq(r->rules[i].name, rule->name))
		i++;
	if (i == r->nrules) {
		r->rules = mem_grow(r->rules, &r->rules_cap, r->nrules + 1, sizeof *r->rules);
		r->nrules++;
	} else {
		mem_pattern_free(r->rules[i].pattern);
	}
	r->rules[i] = one;
	return MEM_OK;
}

/* ---- the other lists ---------------------------------------------------------------- */

static enum mem_status
add_cue(struct rules_reader *in, const struct mem_rule *rule)
{
	const struct mem_rule_value *v = rule->values;
	struct mem_belief_rules *r = in->r;
	enum belief_effect effect = (enum belief_effect)v[C_EFFECT].number;
	if (effect == BELIEF_KIND && !v[C_TYPE].given)
		return mem_rule_refuse(in->err, in->file->name.p, rule->line, rule->name, "no type");
	r->cues = mem_grow(r->cues, &r->cues_cap, r->ncues + 1, sizeof *r->cues);
	r->cues[r->ncues++] = (struct belief_cue){
		.name = rule->name, .type = v[C_TYPE].text, .effect = effect, .words = v[C_WORDS].list, .nwords = v[C_WORDS].n, .file = in->file,
	};
	return MEM_OK;
}

static enum mem_status
add_mapping(struct rules_reader *in, const struct mem_rule *rule)
{
	struct mem_belief_rules *r = in->r;
	struct belief_mapping one;
	enum mem_status st = belief_mapping_read(&one, &r->arena, rule, in->file->version, in->file->name.p, in->err);
	if (st == MEM_OK && find_read_predicate(r, one.predicate) == NULL)
		st = refuse_predicate(in, rule->line, rule->name, one.predicate);
	if (st != MEM_OK)
		return st;
	size_t i = 0;
	while (i < r->nmappings && !mem_str_eq(r->mappings[i].name, rule->name))
		i++;
	if (i == r->nmappings) {
		r->mappings = mem_grow(r->mappings, &r->mappings_cap, r->nmappings + 1, sizeof *r->mappings);
		r->nmappings++;
	}
	r->mappings[i] = one;
	return MEM_OK;
}

static enum mem_status
add_limit(struct rules_reader *in, const struct mem_rule *rule)
{
	if (find_read_predicate(in->r, rule->name) == NULL)
		return refuse_predicate(in, rule->line, rule->name, rule->name);
	return belief_limit_read(in->r, rule, in->file, in->err);
}

/* ---- the file -------------------------------------------------------------------------- */

static void
warn_of_refusal(void *ctx, const struct mem_err *why)
{
	belief_warn(ctx, why->msg);
}

/* Predicates and vocabularies come first, since they are the first lists. */
static void
add_read_rule(struct rules_reader *in, const struct mem_rule *rule, bool bare)
{
	enum mem_status st = MEM_OK;
	switch (rule->list) {
	case PREDICATES:
		st = check_predicate(in, rule);
		if (st == MEM_OK)
			add_predicate(in, rule);
		break;
	case VOCABULARIES:
		st = bare ? MEM_OK : belief_vocabulary_read(in->r, rule, in->file, in->err);
		break;
	case RULES:
		st = bare ? MEM_OK : add_rule(in, rule);
		break;
	case CUES:
		st = bare ? MEM_OK : add_cue(in, rule);
		break;
	case OBJECTS:
		st = bare ? MEM_OK : add_limit(in, rule);
		break;
	case MAPPINGS:
		st = bare ? MEM_OK : add_mapping(in, rule);
		break;
	}
	if (st != MEM_OK)
		belief_warn(in->r, in->err->msg);
}

static struct belief_file *
add_file(struct mem_belief_rules *r, const char *name, bool builtin, const struct mem_rules *read)
{
	const struct mem_rule_value *v = read->values;
	struct belief_file *f = mem_arena_alloc(&r->arena, sizeof *f);
	*f = (struct belief_file){
		.name = mem_arena_str(&r->arena, mem_str(name)), .builtin = builtin,
		.version = mem_str(mem_arena_printf(&r->arena, "%lld", (long long)v[FILE_VERSION].number)),
		.language = v[FILE_LANGUAGE].text, .leader = v[FILE_LEADER].text,
	};
	r->files = mem_grow(r->files, &r->files_cap, r->nfiles + 1, sizeof(struct belief_file *));
	r->files[r->nfiles++] = f;
	return f;
}

static enum mem_status
compile_leader(struct belief_file *f, struct mem_err *err)
{
	struct mem_err why;
	if (f->leader.n == 0)
		return MEM_OK;
	if (mem_pattern_new(&f->leader_pattern, f->leader, 0, &why) != MEM_OK)
		return mem_err_set(err, MEM_FAIL, "%s: leader: %s", f->name.p, why.msg);
	f->leader_group = (int)mem_pattern_group(f->leader_pattern, "subject");
	return f->leader_group > 0 ? MEM_OK : mem_err_set(err, MEM_FAIL, "%s: leader: no group (?<subject>…)", f->name.p);
}

enum mem_status
belief_rules_read(struct mem_belief_rules *r, struct mem_str yaml, const char *name, bool builtin, bool bare, struct mem_err *err)
{
	const struct mem_rule_list lists[LISTS] = {
		[PREDICATES] = { "predicates", predicate_fields, MEM_COUNT(predicate_fields) },
		[VOCABULARIES] = { BELIEF_VOCABULARY_LIST, belief_vocabulary_fields, belief_vocabulary_nfields },
		[RULES] = { "rules", rule_fields, MEM_COUNT(rule_fields) },
		[CUES] = { "cues", cue_fields, MEM_COUNT(cue_fields) },
		[OBJECTS] = { BELIEF_LIMIT_LIST, belief_limit_fields, belief_limit_nfields },
		[MAPPINGS] = { BELIEF_MAPPING_LIST, belief_mapping_fields, belief_mapping_nfields },
	};
	const struct mem_rule_shape shape = {
		.lists = lists, .nlists = LISTS, .fields = file_fields, .nfields = MEM_COUNT(file_fields), .warn = warn_of_refusal, .ctx = r,
	};
	struct mem_rules read;
	struct mem_err why = { 0 };
	enum mem_status st = mem_rules_read_shape(&read, &r->arena, &shape, yaml, name, &why);
	if (st != MEM_OK) {
		if (err != NULL)
			*err = why;
		return st;
	}
	struct belief_file *f = add_file(r, name, builtin, &read);
	if (!bare && (st = compile_leader(f, err)) != MEM_OK)
		return st;
	struct rules_reader in = { .r = r, .file = f, .err = &why };
	for (size_t i = 0; i < read.n; i++)
		add_read_rule(&in, &read.rules[i], bare);
	return MEM_OK;
}
