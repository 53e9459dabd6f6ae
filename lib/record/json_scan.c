/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The strict scanner: one pass, no recursion, no allocation for ordinary records.
 * Each step takes the position and gives the next one, or NULL after a refusal.
 */
#include "record/record_int.h"

#include <stdlib.h>
#include <string.h>

#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* A key of an object that is still open. */
struct scanned_key {
	const char *p;
	uint32_t n;
	uint32_t escaped;
};

enum { KEYS_INLINE = 128, KEYS_FEW = 32 };

struct json_scanner {
	const char *start, *end;
	struct mem_rec *rec;    /* gets the fields of the outermost object, or NULL */
	struct mem_err *err;
	bool escaped;           /* the string scanned last holds a backslash */
	const char *nul;        /* the first \u0000 */
	size_t depth;
	/* Keys of all open objects; those of the innermost one are the last. */
	struct scanned_key *keys;
	size_t nkeys, cap;
	struct scan_frame {
		size_t base;    /* its first key */
		bool object, escaped;
	} frames[MEM_JSON_DEPTH_MAX];
	struct scanned_key few[KEYS_INLINE];
};

static const char *
refuse_json(struct json_scanner *s, const char *at, const char *reason, const char *what)
{
	(void)!mem_err_record(s->err, reason, (size_t)(at - s->start), "%s", what);
	return NULL;
}

static const char *
refuse_unexpected(struct json_scanner *s, const char *p, const char *wanted)
{
	size_t at = (size_t)(p - s->start);
	if (p >= s->end)
		(void)!mem_err_record(s->err, "bad_json", at, "the text ends where %s is expected", wanted);
	else
		(void)!mem_err_record(s->err, "bad_json", at, "%s expected", wanted);
	return NULL;
}

/* ---- strings ---------------------------------------------------------- */

/*
 * Over a run of characters that are not ASCII (Unicode table 3-7: no overlong forms,
 * no surrogates, nothing over U+10FFFF).  Written out here, not called in base, because
 * for most scripts this is the inner loop.
 */
static const char *
skip_multibyte(struct json_scanner *s, const char *at)
{
	const unsigned char *p = (const unsigned char *)at;
	const unsigned char *end = (const unsigned char *)s->end;
	while (p < end && *p >= 0x80) {
		unsigned c = *p;
		size_t left = (size_t)(end - p);
		if (c >= 0xc2 && c < 0xe0) {
			if (left < 2 || (p[1] & 0xc0) != 0x80)
				break;
			p += 2;
		} else if (c >= 0xe0 && c < 0xf0) {
			if (left < 3 || (p[1] & 0xc0) != 0x80 || (p[2] & 0xc0) != 0x80 ||
			    (c == 0xe0 && p[1] < 0xa0) || (c == 0xed && p[1] > 0x9f))
				break;
			p += 3;
		} else {
			if (c < 0xf0 || c > 0xf4 || left < 4 || (p[1] & 0xc0) != 0x80 ||
			    (p[2] & 0xc0) != 0x80 || (p[3] & 0xc0) != 0x80 ||
			    (c == 0xf0 && p[1] < 0x90) || (c == 0xf4 && p[1] > 0x8f))
				break;
			p += 4;
		}
	}
	if (p < end && *p >= 0x80)
		return refuse_json(s, (const char *)p, "bad_utf8", "not UTF-8");
	return (const char *)p;
}

/* `p` is at the backslash. */
static const char *
scan_escape(struct json_scanner *s, const char *p)
{
	static const char wrong[] = "not an escape of JSON";
	s->escaped = true;
	if (s->end - p < 2)
		return refuse_unexpected(s, s->end, "the end of a string");
	switch (p[1]) {
	case '"': case '\\': case '/': case 'b': case 'f': case 'n': case 'r': case 't':
		return p + 2;
	case 'u':
		break;
	default:
		return refuse_json(s, p, "bad_json", wrong);
	}
	int c = json_hex4_value(p + 2, s->end);
	if (c < 0)
		return refuse_json(s, p, "bad_json", wrong);
	if (c == 0 && s->nul == NULL)
		s->nul = p;
	if (c < 0xd800 || c > 0xdfff)
		return p + 6;
	int low = c < 0xdc00 && s->end - p >= 12 && p[6] == '\\' && p[7] == 'u'
	    ? json_hex4_value(p + 8, s->end) : -1;
	if (low < 0xdc00 || low > 0xdfff)
		return refuse_json(s, p, "bad_json", "half of a surrogate pair");
	return p + 12;
}

/* `p` is at the opening quote; gives the place behind the closing one. */
static inline const char *
scan_string(struct json_scanner *s, const char *p)
{
	s->escaped = false;
	p++;
	for (;;) {
		p = json_skip_plain(p, s->end);
		if (UNLIKELY(p == s->end))
			return refuse_unexpected(s, p, "the end of a string");
		if (*p == '"')
			return p + 1;
		if (*p == '\\')
			p = scan_escape(s, p);
		else if (*p == '\0')
			return refuse_json(s, p, "nul", "a NUL byte in a string");
		else if ((unsigned char)*p < 0x20)
			return refuse_json(s, p, "bad_json", "a control character in a string");
		else
			p = skip_multibyte(s, p);
		if (UNLIKELY(p == NULL))
			return NULL;
	}
}

/* ---- numbers and words ------------------------------------------------ */

static inline const char *
skip_digits(const char *p, const char *end)
{
	while (p < end && *p >= '0' && *p <= '9')
		p++;
	return p;
}

static const char *
scan_number(struct json_scanner *s, const char *p)
{
	const char *from = p, *end = s->end;
	if (*p == '-')
		p++;
	const char *whole = p;
	p = skip_digits(p, end);
	if (p == whole)
		return refuse_unexpected(s, whole == from ? from : p, whole == from ? "a value" : "a digit");
	if (*whole == '0' && p - whole > 1)
		return refuse_json(s, whole, "bad_json", "a number with a leading zero");
	if (p < end && *p == '.') {
		const char *fraction = ++p;
		p = skip_digits(p, end);
		if (p == fraction)
			return refuse_unexpected(s, p, "a digit");
	}
	if (p < end && (*p == 'e' || *p == 'E')) {
		p++;
		if (p < end && (*p == '+' || *p == '-'))
			p++;
		const char *exponent = p;
		p = skip_digits(p, end);
		if (p == exponent)
			return refuse_unexpected(s, p, "a digit");
	}
	return p;
}

static const char *
scan_word(struct json_scanner *s, const char *p, const char *name, size_t n)
{
	if ((size_t)(s->end - p) < n || memcmp(p, name, n) != 0)
		return refuse_unexpected(s, p, "a value");
	return p + n;
}

/* A value that holds no others. */
static inline const char *
scan_scalar(struct json_scanner *s, const char *p)
{
	switch (*p) {
	case '"': return scan_string(s, p);
	case 't': return scan_word(s, p, "true", 4);
	case 'f': return scan_word(s, p, "false", 5);
	case 'n': return scan_word(s, p, "null", 4);
	default: return scan_number(s, p);
	}
}

/* ---- keys ------------------------------------------------------------- */

static inline unsigned
mix_key(struct scanned_key k)
{
	uint32_t a = 0, b = 0;
	if (k.n >= 4) {
		memcpy(&a, k.p, 4);
		memcpy(&b, k.p + k.n - 4, 4);
	} else if (k.n > 0) {
		a = (unsigned char)k.p[0];
		b = (unsigned char)k.p[k.n - 1] + (uint32_t)(unsigned char)k.p[k.n / 2] * 256;
	}
	return ((a ^ k.n) * 0x9e3779b1u + b * 0x85ebca77u) >> 24;
}

/* The first key that was there before, or NULL.  Few keys, none with an escape. */
static const char *
find_repeat_of_few_keys(const struct scanned_key *keys, size_t n)
{
	uint64_t seen[4] = { 0 };
	for (size_t i = 0; i < n; i++) {
		unsigned h = mix_key(keys[i]);
		uint64_t bit = (uint64_t)1 << (h & 63);
		if ((seen[h >> 6] & bit) != 0) {
			for (size_t j = 0; j < i; j++)
				if (keys[j].n == keys[i].n &&
				    memcmp(keys[j].p, keys[i].p, keys[i].n) == 0)
					return keys[i].p;
		}
		seen[h >> 6] |= bit;
	}
	return NULL;
}

static const char *
find_repeat_of_many_keys(const struct scanned_key *keys, size_t n)
{
	struct json_keys set;
	struct mem_arena arena = { 0 };
	struct mem_buf plain = { 0 };
	const char *found = NULL;
	json_keys_init(&set, n);
	for (size_t i = 0; i < n && found == NULL; i++) {
		struct mem_str k = { keys[i].p, keys[i].n };
		if (keys[i].escaped) {
			mem_buf_reset(&plain);
			json_decode_string(&plain, k);
			k = mem_arena_str(&arena, mem_buf_span(&plain));
		}
		bool fresh;
		json_keys_add(&set, k, &fresh);
		if (!fresh)
			found = keys[i].p;
	}
	mem_buf_release(&plain);
	mem_arena_release(&arena);
	json_keys_release(&set);
	return found;
}

static void
push_key(struct json_scanner *s, struct scanned_key k)
{
	if (UNLIKELY(s->nkeys == s->cap)) {
		size_t cap = s->cap;
		struct scanned_key *mine = s->keys == s->few ? NULL : s->keys;
		if (mine == NULL)
			cap = 0;
		struct scanned_key *more = mem_grow(mine, &cap, s->nkeys * 2, sizeof *more);
		if (mine == NULL)
			memcpy(more, s->few, sizeof s->few);
		s->keys = more;
		s->cap = cap;
	}
	s->keys[s->nkeys++] = k;
}

static void
push_field(struct mem_rec *r, struct scanned_key k)
{
	r->fields = mem_grow(r->fields, &r->cap, r->nfields + 1, sizeof *r->fields);
	r->fields[r->nfields++] = (struct mem_field){
		.key = { k.p, k.n }, .key_escaped = k.escaped != 0,
	};
}

/* A key and its colon; gives the place where its value starts. */
static inline const char *
scan_member(struct json_scanner *s, const char *p)
{
	const char *from = p;
	if (UNLIKELY(p == s->end || *p != '"'))
		return refuse_unexpected(s, p, "a key");
	p = scan_string(s, p);
	if (UNLIKELY(p == NULL))
		return NULL;
	size_t n = (size_t)(p - from) - 2;
	if (UNLIKELY(n > MEM_JSON_KEY_MAX))
		return refuse_json(s, from, "key_too_long", "a key of over 64 KiB");
	struct scanned_key k = { from + 1, (uint32_t)n, s->escaped };
	push_key(s, k);
	s->frames[s->depth - 1].escaped |= s->escaped;
	p = json_skip_space(p, s->end);
	if (UNLIKELY(p == s->end || *p != ':'))
		return refuse_unexpected(s, p, "':'");
	p = json_skip_space(p + 1, s->end);
	if (s->depth == 1 && s->rec != NULL) {
		push_field(s->rec, k);
		s->rec->fields[s->rec->nfields - 1].value.raw.p = p;
	}
	return p;
}

/* ---- values ----------------------------------------------------------- */

/* Called behind each value: completes the field it belongs to. */
static inline void
end_value(struct json_scanner *s, const char *p, bool escaped)
{
	if (s->depth != 1 || s->rec == NULL || s->rec->nfields == 0)
		return;
	struct mem_json *v = &s->rec->fields[s->rec->nfields - 1].value;
	v->raw.n = (size_t)(p - v->raw.p);
	v->type = json_type_of_byte(*v->raw.p);
	v->escaped = v->type == MEM_JSON_STRING && escaped;
}

static inline const char *
open_container(struct json_scanner *s, const char *p)
{
	if (UNLIKELY(s->depth == MEM_JSON_DEPTH_MAX))
		return refuse_json(s, p, "too_deep", "nested more than 512 deep");
	s->frames[s->depth++] = (struct scan_frame){ s->nkeys, *p == '{', false };
	return json_skip_space(p + 1, s->end);
}

static inline const char *
close_container(struct json_scanner *s, const char *p)
{
	const struct scan_frame *f = &s->frames[--s->depth];
	size_t n = s->nkeys - f->base;
	if (f->object && n > 1) {
		const struct scanned_key *keys = s->keys + f->base;
		const char *twice = n <= KEYS_FEW && !f->escaped
		    ? find_repeat_of_few_keys(keys, n) : find_repeat_of_many_keys(keys, n);
		if (UNLIKELY(twice != NULL))
			return refuse_json(s, twice - 1, "duplicate_key", "a key that was there before");
	}
	s->nkeys = f->base;
	end_value(s, p + 1, false);
	return p + 1;
}

/* Behind a value: closes what closes; *more when another value follows at the result. */
static inline const char *
step_after_value(struct json_scanner *s, const char *p, bool *more)
{
	while (s->depth > 0) {
		bool object = s->frames[s->depth - 1].object;
		p = json_skip_space(p, s->end);
		if (p < s->end && *p == ',') {
			p = json_skip_space(p + 1, s->end);
			*more = true;
			return object ? scan_member(s, p) : p;
		}
		if (UNLIKELY(p == s->end || *p != (object ? '}' : ']')))
			return refuse_unexpected(s, p, object ? "',' or '}'" : "',' or ']'");
		p = close_container(s, p);
		if (UNLIKELY(p == NULL))
			return NULL;
	}
	*more = false;
	return p;
}

static const char *
scan_values(struct json_scanner *s, const char *p)
{
	for (bool more = true; more;) {
		if (UNLIKELY(p == s->end))
			return refuse_unexpected(s, p, "a value");
		if (*p == '{' || *p == '[') {
			char close = *p == '{' ? '}' : ']';
			p = open_container(s, p);
			if (UNLIKELY(p == NULL))
				return NULL;
			if (p == s->end || *p != close) {
				if (close == '}')
					p = scan_member(s, p);
				if (UNLIKELY(p == NULL))
					return NULL;
				continue;
			}
			p = close_container(s, p);
		} else {
			p = scan_scalar(s, p);
			if (p != NULL)
				end_value(s, p, s->escaped);
		}
		if (UNLIKELY(p == NULL))
			return NULL;
		p = step_after_value(s, p, &more);
		if (UNLIKELY(p == NULL))
			return NULL;
	}
	return p;
}

/* The whole text as one value; NULL in out->raw.p after a refusal. */
static const char *
scan_text(struct json_scanner *s, struct mem_json *out)
{
	const char *from = json_skip_space(s->start, s->end);
	const char *p = scan_values(s, from);
	if (s->keys != s->few)
		free(s->keys);
	if (p == NULL)
		return NULL;
	const char *rest = json_skip_space(p, s->end);
	if (rest != s->end)
		return refuse_unexpected(s, rest, "the end of the line");
	out->raw = (struct mem_str){ from, (size_t)(p - from) };
	out->type = json_type_of_byte(*from);
	out->escaped = out->type == MEM_JSON_STRING && s->escaped;
	return p;
}

/* Not zeroed: the frames alone are 8 KiB, more than most records. */
static void
init_scanner(struct json_scanner *s, struct mem_str text, struct mem_rec *r, struct mem_err *err)
{
	s->start = text.p != NULL ? text.p : "";
	s->end = s->start + text.n;
	s->rec = r;
	s->err = err;
	s->escaped = false;
	s->nul = NULL;
	s->depth = 0;
	s->keys = s->few;
	s->nkeys = 0;
	s->cap = KEYS_INLINE;
}

enum mem_status
mem_json_scan(struct mem_json *out, struct mem_str text, struct mem_err *err)
{
	struct json_scanner s;
	init_scanner(&s, text, NULL, err);
	*out = (struct mem_json){ 0 };
	return scan_text(&s, out) != NULL ? MEM_OK : MEM_REFUSED;
}

enum mem_status
mem_rec_scan(struct mem_rec *r, struct mem_str line, struct mem_err *err)
{
	struct json_scanner s;
	struct mem_json v = { 0 };
	init_scanner(&s, line, r, err);
	r->text = (struct mem_str){ 0 };
	r->nfields = 0;
	r->nul = false;
	const char *end = scan_text(&s, &v);
	if (end != NULL && v.type != MEM_JSON_OBJECT)
		end = refuse_json(&s, v.raw.p, "not_an_object", "not an object");
	if (end == NULL) {
		r->nfields = 0;
		return MEM_REFUSED;
	}
	r->text = v.raw;
	r->nul = s.nul != NULL;
	r->nul_at = r->nul ? (size_t)(s.nul - s.start) : 0;
	return MEM_OK;
}

enum mem_status
mem_rec_refuse_nul(const struct mem_rec *r, struct mem_err *err)
{
	if (!r->nul)
		return MEM_OK;
	return mem_err_record(err, "nul", r->nul_at, "a NUL (\\u0000) in a string");
}

void
mem_rec_release(struct mem_rec *r)
{
	free(r->fields);
	*r = (struct mem_rec){ 0 };
}
