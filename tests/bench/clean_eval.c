/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recall and false positives of the cleaning rules on a labelled set, NDJSON with
 * either {"text","expect":[{"start","end","kind"}]} or {"text","label"}.
 *
 *	make build/release/bench/clean_eval
 *	build/release/bench/clean_eval [-stv] [-k K/N | -K K/N] FILE...
 *
 * -v prints every miss and false positive (of texts without labels, what was found); -k
 * takes the K-th of N parts, drawn by a hash of the text, and -K all but it: to tune on one
 * part and look at the other.  -t prints what making a cleaner and cleaning a text costs.  -s prints for each text, in
 * order, its markers as MARKER:cut or MARKER:flag and nothing else; scripts/marker-report counts them by family.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clean/clean.h"
#include "record/record.h"

struct score {
	unsigned expected, found, extra;     /* spans */
	unsigned keep, touched;              /* texts to be left alone */
	unsigned attacks, caught, benign, flagged;
	unsigned texts;
	size_t bytes;
	double us;
};

static bool verbose, timed, markers_only;
static unsigned part, parts;
static bool all_but;

static void
show(const char *what, struct mem_str text, struct mem_str by)
{
	if (verbose)
		printf("%s [%.*s] %.*s\n", what, (int)by.n, by.p, (int)text.n, text.p);
}

static void
judge_spans(struct score *s, const struct mem_findings *f, struct mem_json expect, struct mem_str text)
{
	bool used[256] = { false };
	unsigned n = 0;
	struct mem_json_iter it = mem_json_each(expect);
	while (mem_json_next(&it)) {
		int64_t start = -1, end = -1;
		bool hit = false;
		n++;
		if (!mem_json_int(mem_json_member(it.value, "start"), &start) ||
		    !mem_json_int(mem_json_member(it.value, "end"), &end))
			continue;
		for (size_t i = 0; i < f->nredactions && i < MEM_COUNT(used); i++)
			if (f->redactions[i].start == (size_t)start && f->redactions[i].end == (size_t)end)
				hit = used[i] = true;
		s->expected++;
		s->found += hit;
		if (!hit)
			show("MISS", text, (struct mem_str){ text.p + start, (size_t)(end - start) });
	}
	for (size_t i = 0; i < f->nredactions && i < MEM_COUNT(used); i++)
		if (!used[i]) {
			s->extra++;
			show("EXTRA", text, f->redactions[i].kind);
		}
	s->keep += n == 0;
	s->touched += n == 0 && f->nredactions > 0;
}

static void
judge_label(struct score *s, const struct mem_findings *f, bool attack, struct mem_str text)
{
	bool caught = f->nflags > 0;
	s->attacks += attack;
	s->caught += attack && caught;
	s->benign += !attack;
	s->flagged += !attack && caught;
	if (attack != caught)
		show(attack ? "MISSED" : "FALSE", text, caught ? f->flags[0].marker : MEM_STR("-"));
	else if (attack)
		show("CAUGHT", text, f->flags[0].marker);
}

static double
now_us(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void
show_markers(const struct mem_findings *f)
{
	for (size_t i = 0; i < f->nflags; i++)
		printf("%s%.*s:%s", i > 0 ? " " : "", (int)f->flags[i].marker.n, f->flags[i].marker.p, f->flags[i].cut ? "cut" : "flag");
	printf("\n");
}

static void
judge(struct score *s, struct mem_clean *c, const struct mem_rec *rec, struct mem_arena *arena)
{
	struct mem_findings f = { 0 };
	struct mem_buf out = { 0 };
	struct mem_err err;
	const struct mem_field *text = mem_rec_find(rec, "text");
	const struct mem_field *expect = mem_rec_find(rec, "expect"), *label = mem_rec_find(rec, "label");
	struct mem_str t = text != NULL ? mem_json_text(arena, text->value) : (struct mem_str){ NULL, 0 };
	bool in = parts == 0 || mem_hash_fast(t.p, t.n) % parts == part;
	if (t.p == NULL || in == all_but)
		return;
	double begun = now_us();
	mem_findings_begin(&f, c, t.n);
	if (!mem_clean_string(&f, "content", false, t, &out, &err) && err.status != MEM_OK)
		printf("REFUSED %s: %.*s\n", err.msg, (int)t.n, t.p);
	s->us += now_us() - begun;
	s->bytes += t.n;
	s->texts++;
	if (markers_only)
		show_markers(&f);
	if (expect != NULL)
		judge_spans(s, &f, expect->value, t);
	if (label != NULL)
		judge_label(s, &f, mem_json_is(label->value, "injection"), t);
	if (expect == NULL && label == NULL && f.nflags + f.nredactions > 0)
		show("FOUND", t, f.nflags > 0 ? f.flags[0].marker : f.redactions[0].kind);
	mem_findings_release(&f);
	mem_buf_release(&out);
}

static void
report(const char *file, const struct score *s)
{
	if (markers_only)
		return;
	if (s->expected + s->keep > 0)
		printf("%s: spans %u of %u (%.1f %%), extra %u; look-alikes touched %u of %u\n", file,
		    s->found, s->expected, s->expected > 0 ? 100.0 * s->found / s->expected : 0, s->extra,
		    s->touched, s->keep);
	if (s->attacks + s->benign > 0)
		printf("%s: attacks caught %u of %u (%.1f %%), false %u of %u\n", file, s->caught, s->attacks,
		    s->attacks > 0 ? 100.0 * s->caught / s->attacks : 0, s->flagged, s->benign);
}

static int
eval(struct mem_clean *c, const char *path, struct score *s)
{
	struct mem_lines lines;
	struct mem_line line;
	struct mem_rec rec = { 0 };
	struct mem_arena arena = { 0 };
	struct mem_err err;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		perror(path);
		return 3;
	}
	mem_lines_init(&lines, fd, MEM_LINE_MAX);
	while (mem_lines_next(&lines, &line, &err) == MEM_OK) {
		mem_arena_reset(&arena);
		if (mem_rec_scan(&rec, line.text, &err) == MEM_OK)
			judge(s, c, &rec, &arena);
		else
			printf("%s:%llu: %s\n", path, (unsigned long long)line.number, err.msg);
	}
	mem_rec_release(&rec);
	mem_arena_release(&arena);
	mem_lines_release(&lines);
	close(fd);
	return 0;
}

int
main(int argc, char **argv)
{
	int ch, status = 0;
	while ((ch = getopt(argc, argv, "stvk:K:")) != -1) {
		if (ch == 't')
			timed = true;
		else if (ch == 's')
			markers_only = true;
		else if (ch == 'v')
			verbose = true;
		else if (ch == '?' || sscanf(optarg, "%u/%u", &part, &parts) != 2 || parts == 0)
			return 2;
		else
			all_but = ch == 'K';
	}
	double begun = now_us();
	struct mem_clean *c = mem_clean_new(MEM_REDACT_ALL, MEM_MARKERS_EXCISE);
	if (timed)
		printf("a cleaner: %.1f us\n", now_us() - begun);
	for (int i = optind; i < argc; i++) {
		struct score s = { 0 };
		status |= eval(c, argv[i], &s);
		report(argv[i], &s);
		if (!timed || s.texts == 0)
			continue;
		struct score warm = { 0 };
		bool loud = verbose;
		verbose = false;
		status |= eval(c, argv[i], &warm);
		verbose = loud;
		printf("%s: %u texts of %.0f bytes: %.2f us each at first, %.2f us warm\n", argv[i], s.texts,
		    (double)s.bytes / s.texts, s.us / s.texts, warm.us / warm.texts);
	}
	mem_clean_free(c);
	return status;
}
