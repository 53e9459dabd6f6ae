/* SPDX-License-Identifier: Apache-2.0 */
/* What a ledger makes of claims: what ends what, what is said again, who is right, what stays as it is. */
#include "belief_world.h"

#define WRITE(...) write_claims((const struct said[]){ __VA_ARGS__ }, sizeof (const struct said[]){ __VA_ARGS__ } / sizeof(struct said))

static struct said
denied(struct said s)
{
	s.c.negated = true;
	return s;
}

static struct said
trusted(struct said s, double trust)
{
	s.s.trust = trust;
	return s;
}

static struct said
sure(struct said s, double confidence)
{
	s.c.confidence = confidence;
	return s;
}

static struct said
by(struct said s, const struct episode *e)
{
	s.s.has_episode = true;
	s.s.episode = e->id;
	s.s.ord = e->ord;
	return s;
}

/* Without a triple. */
static struct said
statement(const char *text, const char *domain, const char *topic, int when)
{
	struct said s = say("x", "y", "z", when);
	s.c.statement = mem_str(text);
	s.c.subject = s.c.object = (struct mem_claim_term){ .kind = MEM_TERM_NONE };
	s.c.predicate = MEM_STR("");
	s.c.domain = mem_str(domain);
	s.c.topic = mem_str(topic);
	return s;
}

/* The fact that the claim of the last round became. */
static struct mem_id
fact_of(size_t claim)
{
	return mem_ledger_outcome(ledger, claim)->id;
}

static bool
has_edge(const char *kind, const struct mem_id *from, const struct mem_id *to)
{
	struct mem_node a, b;
	struct mem_edge e;
	assert_int_equal(mem_txn_read(&t, m.store, &err), MEM_OK);
	assert_int_equal(mem_node_by_id(t, from, &a, &err), MEM_OK);
	assert_int_equal(mem_node_by_id(t, to, &b, &err), MEM_OK);
	enum mem_status st = mem_edge_find(t, kind, a.ord, b.ord, &e, &err);
	mem_txn_end(t);
	t = NULL;
	return st == MEM_OK;
}

/* ---- ends ------------------------------------------------------------------------ */

static void
test_a_b_a_ends_with_a(void **state)
{
	(void)state;
	WRITE(say("Alice", "works_at", "acme", 1));
	WRITE(say("Alice", "works_at", "globex", 3));
	WRITE(say("Alice", "works_at", "acme", 5));
	assert_string_equal(timeline("Alice", "works_at"), "[1,3)acme superseded 0.6 1 [3,5)globex superseded 0.6 1 [5,)acme active 0.6 1 ");
}

static void
test_a_late_one_splits_a_run(void **state)
{
	(void)state;
	WRITE(say("Alice", "works_at", "acme", 1));
	WRITE(say("Alice", "works_at", "acme", 5));
	assert_string_equal(timeline("Alice", "works_at"), "[1,)acme active 0.72 2 ");
	WRITE(say("Alice", "works_at", "globex", 3));
	assert_string_equal(timeline("Alice", "works_at"), "[1,3)acme superseded 0.6 1 [3,5)globex superseded 0.6 1 [5,)acme active 0.6 1 ");
}

static void
test_an_earlier_one_takes_over(void **state)
{
	(void)state;
	WRITE(say("Alice", "works_at", "acme", 3));
	struct mem_id late = fact_of(0);
	WRITE(say("Alice", "works_at", "acme", 1));
	assert_string_equal(timeline("Alice", "works_at"), "[1,)acme active 0.72 2 ");
	assert_string_equal(field_of(&late, "superseded_reason"), "\"restated\"");
	assert_string_equal(field_of(&late, "sources"), "[]");
}

static void
test_many_valued_ones_stand_together(void **state)
{
	(void)state;
	WRITE(say("Alice", "uses", "vim", 1), say("Alice", "uses", "emacs", 2), say("Alice", "uses", "vim", 3));
	assert_string_equal(timeline("Alice", "uses"), "[1,)vim active 0.72 2 [2,)emacs active 0.6 1 ");
}

static void
test_opposites_and_exclusive_values(void **state)
{
	(void)state;
	WRITE(say("Alice", "likes", "tea", 1));
	WRITE(say("Alice", "dislikes", "tea", 3), say("Alice", "dislikes", "rain", 3));
	assert_string_equal(timeline("Alice", "likes"), "[1,3)tea superseded 0.6 1 ");
	assert_string_equal(timeline("Alice", "dislikes"), "[3,)rain active 0.6 1 [3,)tea active 0.6 1 ");
	WRITE(say("build", "marked", "blocked", 1), say("build", "marked", "urgent", 1));
	WRITE(say("build", "marked", "done", 2));
	assert_string_equal(timeline("build", "marked"), "[1,)urgent active 0.6 1 [1,2)blocked superseded 0.6 1 [2,)done active 0.6 1 ");
}

static void
test_denied_and_affirmed(void **state)
{
	(void)state;
	WRITE(say("Alice", "uses", "vim", 1));
	WRITE(denied(say("Alice", "uses", "vim", 3)));
	assert_string_equal(timeline("Alice", "uses"), "[1,3)vim superseded 0.6 1 [3,)!vim active 0.6 1 ");
	/* The denied one stands for itself, and does not touch others. */
	WRITE(denied(say("Bob", "works_at", "acme", 2)), say("Bob", "works_at", "globex", 1));
	assert_string_equal(timeline("Bob", "works_at"), "[1,)globex active 0.6 1 [2,)!acme active 0.6 1 ");
}

static struct said
say_version(struct said s, const char *detail)
{
	s.c.detail = mem_str(detail);
	return s;
}

/* Another version of a thing is another value, and takes the place of the one before, whichever is said first. */
static void
test_newer_version_ends_the_older(void **state)
{
	static const char *const both = "[1,4)mysql-15 superseded 0.6 1 [4,)mysql-16 active 0.6 1 ";
	(void)state;
	WRITE(say_version(say("Thornbury", "runs", "mysql", 1), "15"));
	WRITE(say_version(say("Thornbury", "runs", "mysql", 4), "16"));
	assert_string_equal(timeline("Thornbury", "runs"), both);
	WRITE(say_version(say("Hexham", "runs", "mysql", 4), "16"));
	WRITE(say_version(say("Hexham", "runs", "mysql", 1), "15"));
	assert_string_equal(timeline("Hexham", "runs"), both);
	WRITE(say_version(say("Corby", "runs", "mysql", 4), "16"), say_version(say("Corby", "runs", "mysql", 1), "15"));
	assert_string_equal(timeline("Corby", "runs"), both);
	struct mem_id late = fact_of(0), early = fact_of(1);
	assert_string_equal(field_of(&early, "superseded_reason"), "\"newer\"");
	assert_string_equal(field_of(&late, "detail"), "\"16\"");
}

static void
test_version_said_again(void **state)
{
	(void)state;
	WRITE(say_version(say("Thornbury", "runs", "mysql", 1), "15"));
	WRITE(say_version(say("Thornbury", "runs", "mysql", 2), "v15"));
	assert_string_equal(timeline("Thornbury", "runs"), "[1,)mysql-15 active 0.72 2 ");
	/* Back to it, another version in between, is a validity of its own. */
	WRITE(say_version(say("Thornbury", "runs", "mysql", 5), "15"), say_version(say("Thornbury", "runs", "mysql", 4), "16"));
	assert_string_equal(timeline("Thornbury", "runs"),
	    "[1,4)mysql-15 superseded 0.72 2 [4,5)mysql-16 superseded 0.6 1 [5,)mysql-15 active 0.6 1 ");
}

/* Who names no version neither confirms one nor ends it; who denies the thing denies them all. */
static void
test_thing_without_version(void **state)
{
	(void)state;
	WRITE(say_version(say("Thornbury", "runs", "mysql", 1), "15"));
	WRITE(say("Thornbury", "runs", "mysql", 2));
	assert_string_equal(timeline("Thornbury", "runs"), "[1,)mysql-15 active 0.6 1 [2,)mysql active 0.6 1 ");
	WRITE(say_version(say("Thornbury", "runs", "mysql", 3), "16"));
	assert_string_equal(timeline("Thornbury", "runs"),
	    "[1,3)mysql-15 superseded 0.6 1 [2,)mysql active 0.6 1 [3,)mysql-16 active 0.6 1 ");
	WRITE(denied(say_version(say("Thornbury", "runs", "mysql", 4), "15")));
	WRITE(denied(say("Thornbury", "runs", "mysql", 5)));
	assert_string_equal(timeline("Thornbury", "runs"), "[1,3)mysql-15 superseded 0.6 1 [2,5)mysql superseded 0.6 1 "
	    "[3,5)mysql-16 superseded 0.6 1 [4,)!mysql-15 active 0.6 1 [5,)!mysql active 0.6 1 ");
}

/* At one instant, of one who owns things, and of one who has two of a kind, none ends another. */
static void
test_versions_that_stand_together(void **state)
{
	(void)state;
	WRITE(say_version(say("Thornbury", "runs", "python", 1), "2"), say_version(say("Thornbury", "runs", "python", 1), "3"));
	assert_string_equal(timeline("Thornbury", "runs"), "[1,)python-2 active 0.6 1 [1,)python-3 active 0.6 1 ");
	WRITE(say_version(say("Thornbury", "owns", "phone", 1), "14"), say_version(say("Thornbury", "owns", "phone", 2), "15"));
	assert_string_equal(timeline("Thornbury", "owns"), "[1,)phone-14 active 0.6 1 [2,)phone-15 active 0.6 1 ");
}

static void
test_corrections(void **state)
{
	(void)state;
	struct said whole = say("Alice", "uses", "ed", 5), one = say("Bob", "uses", "ed", 5);
	whole.c.corrects = one.c.corrects = true;
	one.c.was = MEM_STR("vim");
	WRITE(say("Alice", "uses", "vim", 1), say("Alice", "uses", "emacs", 2), say("Bob", "uses", "vim", 1), say("Bob", "uses", "emacs", 2));
	WRITE(whole, one);
	assert_string_equal(timeline("Alice", "uses"), "[1,5)vim superseded 0.6 1 [2,5)emacs superseded 0.6 1 [5,)ed active 0.6 1 ");
	assert_string_equal(timeline("Bob", "uses"), "[1,5)vim superseded 0.6 1 [2,)emacs active 0.6 1 [5,)ed active 0.6 1 ");
	/* What comes late of the time before is corrected as well, what is said of the time behind is not. */
	WRITE(say("Alice", "uses", "nano", 3), say("Alice", "uses", "vim", 7));
	assert_string_equal(timeline("Alice", "uses"),
	    "[1,5)vim superseded 0.6 1 [2,5)emacs superseded 0.6 1 [3,5)nano superseded 0.6 1 [5,)ed active 0.6 1 [7,)vim active 0.6 1 ");
}

static void
test_a_correction_and_what_it_corrects_in_one_batch(void **state)
{
	struct said one = say("Bob", "uses", "ed", 5);
	(void)state;
	one.c.corrects = true;
	one.c.was = MEM_STR("vim");
	WRITE(one, say("Bob", "uses", "vim", 1), say("Bob", "uses", "emacs", 2));
	assert_string_equal(timeline("Bob", "uses"), "[1,5)vim superseded 0.6 1 [2,)emacs active 0.6 1 [5,)ed active 0.6 1 ");
	assert_int_equal(WRITE(one, say("Bob", "uses", "vim", 1), say("Bob", "uses", "emacs", 2)), 0);
}

/* A fact that begins earlier by now still corrects what it corrected, and what it corrects is known since it says so. */
static void
test_a_correction_lasts(void **state)
{
	struct said one = say("Alice", "uses", "ed", 5), late = say("Alice", "uses", "vim", 1);
	(void)state;
	one.c.corrects = true;
	one.c.was = MEM_STR("vim");
	one.s.created_at = day(10);
	late.s.created_at = day(7);
	WRITE(one);
	WRITE(say("Alice", "uses", "ed", 3));
	WRITE(late);
	struct mem_id vim = fact_of(0);
	assert_string_equal(timeline("Alice", "uses"), "[1,5)vim superseded 0.6 1 [3,)ed active 0.72 2 ");
	assert_string_equal(field_of(&vim, "superseded_at"), "\"2024-06-11T00:00:00.000Z\"");
	assert_int_equal(WRITE(one, say("Alice", "uses", "ed", 3), late), 0);
}

/* What ended it may be said to begin earlier: that it does not stand was known before. */
static void
test_an_end_that_moves(void **state)
{
	struct said acme = say("Alice", "works_at", "acme", 1), june = say("Alice", "works_at", "globex", 6), may = say("Alice", "works_at", "globex", 5);
	(void)state;
	acme.s.created_at = day(1);
	june.s.created_at = day(7);
	may.s.created_at = day(20);
	WRITE(acme);
	struct mem_id ended = fact_of(0);
	WRITE(june);
	WRITE(may);
	assert_string_equal(timeline("Alice", "works_at"), "[1,5)acme superseded 0.6 1 [5,)globex active 0.72 2 ");
	assert_string_equal(field_of(&ended, "superseded_at"), "\"2024-06-08T00:00:00.000Z\"");
}

static void
test_what_ends_by_itself(void **state)
{
	struct said s = say("Alice", "works_at", "acme", 1);
	(void)state;
	s.c.valid_to = day(4);
	WRITE(s);
	assert_string_equal(timeline("Alice", "works_at"), "[1,4)acme active 0.6 1 ");
	WRITE(say("Alice", "works_at", "globex", 2));
	assert_string_equal(timeline("Alice", "works_at"), "[1,2)acme superseded 0.6 1 [2,)globex active 0.6 1 ");
	s.c.valid_to = day(1);
	WRITE(s);
	assert_int_equal(mem_ledger_outcome(ledger, 0)->verdict, MEM_REJECTED);
	assert_string_equal(mem_ledger_outcome(ledger, 0)->reason, "bad_value");
}

/* ---- said again ---------------------------------------------------------------------- */

static void
test_said_again_it_gains_a_source(void **state)
{
	struct episode a = put_episode("one"), b = put_episode("two");
	(void)state;
	assert_true(WRITE(by(say("Alice", "uses", "vim", 1), &a)) > 0);
	struct mem_id id = fact_of(0);
	assert_int_equal(WRITE(by(say("Alice", "uses", "vim", 1), &a)), 0);
	assert_int_equal(mem_ledger_outcome(ledger, 0)->verdict, MEM_UNCHANGED);
	WRITE(by(say("Alice", "uses", "vim", 2), &b));
	assert_int_equal(mem_ledger_outcome(ledger, 0)->verdict, MEM_CHANGED);
	assert_memory_equal(&mem_ledger_outcome(ledger, 0)->id, &id, sizeof id);
	assert_string_equal(timeline("Alice", "uses"), "[1,)vim active 0.72 2 ");
	assert_true(has_edge("supports", &b.id, &id) && has_edge("derived_from", &id, &b.id));
	struct mem_id alice = entity_id("Alice");
	assert_true(has_edge("about", &id, &alice));
}

static void
test_many_sources(void **state)
{
	enum { MANY = MEM_FACT_SOURCES_MAX + 20 };
	struct said v[MANY];
	static struct episode e[MANY];
	char name[40], want[60];
	(void)state;
	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof name, "episode %d", i);
		e[i] = put_episode(name);
		v[i] = by(say("Alice", "works_at", "acme", 1 + i), &e[i]);
	}
	write_claims(v, MANY);
	snprintf(want, sizeof want, "[1,)acme active 1 %d ", MANY);
	assert_string_equal(timeline("Alice", "works_at"), want);
	assert_int_equal(write_claims(v, MANY), 0);
	/* The latest of them is known, so that one in between does not end it for good. */
	WRITE(say("Alice", "works_at", "globex", MANY - 1));
	assert_true(strstr(timeline("Alice", "works_at"), "globex superseded") != NULL);
}

/* ---- who is right ----------------------------------------------------------------------- */

static void
test_at_the_same_instant_the_stronger_is_right(void **state)
{
	(void)state;
	WRITE(trusted(say("Alice", "works_at", "acme", 1), .6));
	WRITE(trusted(say("Alice", "works_at", "globex", 1), .5));
	struct mem_id loser = fact_of(0);
	assert_string_equal(timeline("Alice", "works_at"), "[1,)acme active 0.6 1 ");
	assert_string_equal(field_of(&loser, "status"), "\"superseded\"");
	assert_string_equal(field_of(&loser, "superseded_reason"), "\"tie\"");
	WRITE(trusted(say("Bob", "works_at", "acme", 1), .5));
	loser = fact_of(0);
	WRITE(trusted(say("Bob", "works_at", "globex", 1), .9));
	struct mem_id winner = fact_of(0);
	assert_string_equal(timeline("Bob", "works_at"), "[1,)globex active 0.6 1 ");
	assert_string_equal(field_of(&loser, "status"), "\"quarantined\"");
	assert_true(has_edge("contradicts", &loser, &winner));
	WRITE(say("Carol", "uses", "vim", 1), denied(say("Carol", "uses", "vim", 1)));
	assert_string_equal(timeline("Carol", "uses"), "[1,)!vim active 0.6 1 [1,)vim active 0.6 1 "); /* the edge alone */
}

/* Who is right at an instant is known from all that was said of it, also from what lost before. */
static void
test_at_the_same_instant_all_count(void **state)
{
	static const char *const denied_alone = "[3,)!acme active 0.6 1 ";
	(void)state;
	WRITE(trusted(denied(say("Alice", "works_at", "acme", 3)), .9), say("Alice", "works_at", "acme", 3));
	WRITE(trusted(say("Alice", "works_at", "globex", 3), .4));
	assert_string_equal(timeline("Alice", "works_at"), denied_alone);
	struct mem_id loser = fact_of(0);
	assert_string_equal(field_of(&loser, "superseded_reason"), "\"tie\"");
	WRITE(trusted(say("Bob", "works_at", "globex", 3), .4));
	WRITE(trusted(denied(say("Bob", "works_at", "acme", 3)), .9));
	WRITE(say("Bob", "works_at", "acme", 3));
	assert_string_equal(timeline("Bob", "works_at"), denied_alone);
}

/* An extractor's claim that lost is another one's, too: it is judged as that. */
static void
test_what_an_extractor_lost_somebody_says(void **state)
{
	struct episode one = put_episode("one");
	struct said found = trusted(say("Alice", "works_at", "globex", 2), .3), stated = by(found, &one);
	(void)state;
	found.s.via = MEM_STR("with:mine");
	WRITE(say("Alice", "works_at", "initech", 0), denied(say("Alice", "works_at", "globex", 2)), found);
	assert_string_equal(timeline("Alice", "works_at"), "[0,)initech active 0.6 1 [2,)!globex active 0.6 1 ");
	WRITE(stated);
	assert_string_equal(timeline("Alice", "works_at"), "[0,2)initech superseded 0.6 1 [2,)!globex active 0.6 1 [2,)globex active 0.72 2 ");
}

/* The world changes, whoever says so first. */
static void
test_what_is_newer_counts_whatever_its_trust(void **state)
{
	(void)state;
	WRITE(trusted(say("Alice", "works_at", "acme", 1), 1));
	struct mem_id former = fact_of(0);
	WRITE(trusted(say("Alice", "works_at", "globex", 3), .5));
	assert_string_equal(timeline("Alice", "works_at"), "[1,3)acme superseded 0.6 1 [3,)globex active 0.6 1 ");
	assert_string_equal(field_of(&former, "superseded_reason"), "\"newer\"");
}

static void
test_an_extractor_ends_nothing_of_higher_trust(void **state)
{
	struct said s = trusted(say("Alice", "works_at", "globex", 3), .4);
	(void)state;
	s.s.via = MEM_STR("with:mine");
	WRITE(trusted(say("Alice", "works_at", "acme", 1), .5));
	struct mem_id stands = fact_of(0);
	WRITE(s);
	struct mem_id loser = fact_of(0);
	assert_string_equal(timeline("Alice", "works_at"), "[1,)acme active 0.6 1 ");
	assert_string_equal(field_of(&loser, "superseded_reason"), "\"less_trusted\"");
	assert_true(has_edge("contradicts", &loser, &stands));
}

/* What is had from others ends nothing that somebody vouches for, however it is trusted, and in whatever order they come. */
static void
test_hearsay_ends_nothing_that_is_stated(void **state)
{
	static const char *const names[] = { "Alice", "Bob" };
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(names); i++) {
		struct said stated = trusted(say(names[i], "works_at", "acme", 1), .3), told = trusted(say(names[i], "works_at", "globex", 3), .7);
		told.c.veracity = MEM_VERACITY_INFERRED;
		WRITE(i == 0 ? stated : told);
		struct mem_id stands = fact_of(0);
		WRITE(i == 0 ? told : stated);
		struct mem_id loser = i == 0 ? fact_of(0) : stands;
		stands = i == 0 ? stands : fact_of(0);
		assert_string_equal(timeline(names[i], "works_at"), "[1,)acme active 0.6 1 ");
		assert_string_equal(field_of(&loser, "superseded_reason"), "\"less_trusted\"");
		assert_true(has_edge("contradicts", &loser, &stands));
		WRITE(say(names[i], "works_at", "initech", 5));
		assert_string_equal(timeline(names[i], "works_at"), "[1,5)acme superseded 0.6 1 [5,)initech active 0.6 1 ");
	}
}

/* It is believed where nothing else is known, and ends what is no better. */
static void
test_hearsay_alone(void **state)
{
	struct said told = say("Alice", "works_at", "globex", 3), again = say("Alice", "works_at", "initech", 4);
	(void)state;
	told.c.veracity = again.c.veracity = MEM_VERACITY_INFERRED;
	WRITE(told, again);
	assert_string_equal(timeline("Alice", "works_at"), "[3,4)globex superseded 0.6 1 [4,)initech active 0.6 1 ");
	WRITE(say("Alice", "works_at", "acme", 6));
	assert_string_equal(timeline("Alice", "works_at"), "[3,4)globex superseded 0.6 1 [4,6)initech superseded 0.6 1 [6,)acme active 0.6 1 ");
}

static void
test_a_hint_replaces_what_only_that_source_said(void **state)
{
	struct episode a = put_episode("one"), b = put_episode("two"), c = put_episode("three");
	struct said hint = by(say("Alice", "uses", "ed", 5), &c), weak = trusted(by(say("Bob", "uses", "ed", 5), &c), .1);
	(void)state;
	hint.s.supersedes = weak.s.supersedes = &a.id;
	WRITE(by(say("Alice", "uses", "vim", 1), &a), by(say("Alice", "uses", "emacs", 1), &a), by(say("Bob", "uses", "vim", 1), &a));
	WRITE(by(say("Alice", "uses", "emacs", 2), &b));
	WRITE(hint, weak);
	assert_string_equal(timeline("Alice", "uses"), "[1,)emacs active 0.72 2 [1,5)vim superseded 0.6 1 [5,)ed active 0.6 1 ");
	assert_string_equal(timeline("Bob", "uses"), "[1,)vim active 0.6 1 [5,)ed active 0.6 1 ");
	assert_int_equal(WRITE(hint, weak), 0);
}

/* ---- statements -------------------------------------------------------------------------- */

static void
test_statements_of_one_topic(void **state)
{
	(void)state;
	WRITE(statement("We deploy on Friday", "ops", "deploy", 1));
	struct mem_id friday = fact_of(0);
	WRITE(statement("We deploy on Monday", "ops", "Deploy", 3));
	struct mem_id monday = fact_of(0);
	assert_string_equal(field_of(&friday, "status"), "\"superseded\"");
	assert_string_equal(field_of(&friday, "superseded_reason"), "\"outweighed\"");
	assert_string_equal(field_of(&monday, "status"), "\"active\"");
	/* Of less weight: it is born superseded; of another topic, or about something else, it stands. */
	WRITE(sure(statement("We deploy on Tuesday", "ops", "deploy", 5), .5));
	struct mem_id tuesday = fact_of(0);
	assert_string_equal(field_of(&tuesday, "status"), "\"superseded\"");
	WRITE(statement("We deploy on Sunday", "ops", "games", 5), statement("Rollbacks need two people", "ops", "deploy", 5));
	for (size_t i = 0; i < 2; i++) {
		struct mem_id id = fact_of(i);
		assert_string_equal(field_of(&id, "status"), "\"active\"");
	}
	WRITE(statement("WE deploy on monday!", "ops", "deploy", 6));
	assert_int_equal(mem_ledger_outcome(ledger, 0)->verdict, MEM_CHANGED);
	assert_string_equal(field_of(&monday, "mentions"), "2");
	assert_string_equal(field_of(&monday, "confidence"), "0.72");
	WRITE(statement("nothing but this", "", "", 1));
	WRITE(statement("nothing but That", "", "", 2));
	assert_int_equal(mem_ledger_outcome(ledger, 0)->verdict, MEM_NEW);
	assert_true(mem_ledger_outcome(ledger, 0)->current);
}

static void
test_keys(void **state)
{
	struct mem_buf b = { 0 };
	(void)state;
	mem_fact_slug(&b, MEM_STR("  My_code -- base (Döner) 2!"));
	assert_string_equal(b.data, "my-code-base-dner-2");
	mem_buf_reset(&b);
	mem_fact_slug(&b, MEM_STR("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa bbb"));
	assert_int_equal(b.len, 63);
	mem_buf_release(&b);
	assert_float_equal(mem_fact_jaccard(MEM_STR("The build is green"), MEM_STR("the build is RED")), .6, 1e-9);
	assert_float_equal(mem_fact_confirm(.6, MEM_VERACITY_STATED), .72, 1e-9);
	assert_float_equal(mem_fact_confirm(.6, MEM_VERACITY_TOOL), .66, 1e-9);
}

/* ---- what stays -------------------------------------------------------------------------- */

static void
set_field(const struct mem_id *id, const char *name, struct mem_clean_text value)
{
	const struct mem_clean_field set = { name, value };
	const struct mem_write_edit edit = { .set = &set, .n = 1, .op = "changed" };
	const struct mem_write_input in = { .ns = NS };
	assert_int_equal(mem_write_change(w, &in, id, 0, &edit, &err), MEM_OK);
	commit_round();
}

static void
test_what_a_person_forgot_stays_forgotten(void **state)
{
	(void)state;
	WRITE(say("Alice", "works_at", "acme", 1));
	struct mem_id id = fact_of(0);
	set_field(&id, "expired_at", mem_clean_time(mem_writer_arena(w), NOW));
	assert_int_equal(WRITE(say("Alice", "works_at", "acme", 1)), 0);
	assert_int_equal(mem_ledger_outcome(ledger, 0)->verdict, MEM_UNCHANGED);
	WRITE(say("Alice", "works_at", "globex", 3));
	assert_string_equal(timeline("Alice", "works_at"), "[1,)acme active 0.6 1 [3,)globex active 0.6 1 ");
}

static void
test_what_a_person_replaced_stays_replaced(void **state)
{
	struct said s = say("Alice", "uses", "emacs", 4);
	(void)state;
	WRITE(say("Alice", "uses", "vim", 1));
	struct mem_id old = fact_of(0);
	s.s.ends = &old;
	WRITE(s);
	struct mem_id new = fact_of(0);
	assert_string_equal(timeline("Alice", "uses"), "[1,4)vim superseded 0.6 1 [4,)emacs active 0.6 1 ");
	assert_string_equal(field_of(&old, "superseded_reason"), "\"by_hand\"");
	assert_true(has_edge("superseded_by", &old, &new));
	/* Another source that says the old one again makes a fact of its own. */
	WRITE(say("Alice", "uses", "vim", 6));
	assert_string_equal(timeline("Alice", "uses"), "[1,4)vim superseded 0.6 1 [4,)emacs active 0.6 1 [6,)vim active 0.6 1 ");
	/* Missing, own, cyclic. */
	struct mem_id none = { { 1 } };
	s.s.ends = &none;
	WRITE(s);
	assert_string_equal(mem_ledger_outcome(ledger, 0)->reason, "not_found");
	s.s.ends = &new;
	WRITE(s);
	assert_string_equal(mem_ledger_outcome(ledger, 0)->reason, "cycle");
	struct said back = say("Alice", "uses", "vim", 1);
	back.s.ends = &new;
	WRITE(back);
	assert_string_equal(mem_ledger_outcome(ledger, 0)->reason, "cycle");
}

static void
test_facts_of_a_merged_entity(void **state)
{
	struct mem_clean_object o = { 0 };
	(void)state;
	WRITE(say("Alice", "works_at", "acme", 1), say("Alicia", "uses", "vim", 1));
	struct mem_id id = fact_of(0), alicia = entity_id("Alicia");
	mem_clean_object_put(&o, "id", mem_clean_id(mem_writer_arena(w), &alicia));
	set_field(&id, "subject", mem_clean_object_end(&o, mem_writer_arena(w)));
	WRITE(say("Alicia", "works_at", "acme", 2));
	assert_int_equal(mem_ledger_outcome(ledger, 0)->verdict, MEM_CHANGED);
	assert_memory_equal(&mem_ledger_outcome(ledger, 0)->id, &id, sizeof id);
	WRITE(say("Alicia", "works_at", "globex", 3));
	assert_string_equal(timeline("Alicia", "works_at"), "[1,3)acme superseded 0.72 2 [3,)globex active 0.6 1 ");
}

/* What was planned on has changed by the time of the commit: nothing is written, and the plan is made anew. */
static void
test_a_plan_that_no_longer_holds(void **state)
{
	struct said acme = say("Alice", "works_at", "acme", 1), globex = say("Alice", "works_at", "globex", 3);
	struct mem_ledger *other = NULL;
	struct mem_writer *w2;
	struct mem_entities *e2 = NULL;
	static const struct mem_write_options plain = { .via = "test", .batch_max = 1000 };
	static const struct mem_entities_options exact = { .similar = false };
	(void)state;
	WRITE(say("Alice", "works_at", "initech", 0));
	begin_round();
	state_claim(&globex);
	queue_round();
	w2 = mem_writer_new(&m, &plain);
	assert_int_equal(mem_writer_sanitise(w2, NULL, NULL, &err), MEM_OK);
	assert_int_equal(mem_entities_new(&e2, w2, &exact, &err), MEM_OK);
	assert_int_equal(mem_ledger_new(&other, w2, e2, RULES, &err), MEM_OK);
	struct mem_writer *mine = w;
	struct mem_entities *mine_entities = entities;
	struct mem_ledger *mine_ledger = ledger;
	w = w2, entities = e2, ledger = other;
	write_claims(&acme, 1);
	w = mine, entities = mine_entities, ledger = mine_ledger;
	assert_int_equal(mem_write_commit(w, mem_receipts_drop, NULL, &total, &err), MEM_STALE);
	assert_string_equal(timeline("Alice", "works_at"), "[0,1)initech superseded 0.6 1 [1,)acme active 0.6 1 ");
	write_claims(&globex, 1);
	assert_string_equal(timeline("Alice", "works_at"),
	    "[0,1)initech superseded 0.6 1 [1,3)acme superseded 0.6 1 [3,)globex active 0.6 1 ");
	mem_ledger_free(other);
	mem_entities_free(e2);
	mem_writer_free(w2);
}

static void
test_what_is_no_claim(void **state)
{
	struct said s = say("Alice", "works_at", "acme", 1);
	char text[20000];
	(void)state;
	memset(text, 'a', sizeof text);
	s.c.statement = (struct mem_str){ text, sizeof text };
	WRITE(s, statement("", "", "", 1), say("Alice", "Works At", "acme", 1), sure(say("Alice", "works_at", "acme", 1), 0), say(" ", "works_at", "acme", 1));
	static const char *const reasons[] = { "too_long", "empty", "bad_value", "bad_value", "empty" };
	for (size_t i = 0; i < MEM_COUNT(reasons); i++)
		assert_string_equal(mem_ledger_outcome(ledger, i)->reason, reasons[i]);
}

static void
test_an_episode_that_claims_too_much(void **state)
{
	enum { MANY = MEM_FACT_CLAIMS_MAX + 6 };
	static struct said v[MANY];
	static char names[MANY][16];
	struct episode e = put_episode("one");
	(void)state;
	for (size_t i = 0; i < MANY; i++) {
		snprintf(names[i], sizeof names[i], "firm %zu", i);
		v[i] = by(say("Alice", "works_at", names[i], 1), &e);
	}
	write_claims(v, MANY);
	assert_int_equal(mem_ledger_outcome(ledger, MEM_FACT_CLAIMS_MAX - 1)->verdict, MEM_NEW);
	assert_string_equal(mem_ledger_outcome(ledger, MEM_FACT_CLAIMS_MAX)->reason, "too_many");
	assert_string_equal(timeline("Alice", "works_at"), "[1,)firm 0 active 0.6 1 ");
	assert_int_equal(write_claims(v, MANY), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, world_setup, world_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_b_a_ends_with_a), TEST(a_late_one_splits_a_run), TEST(an_earlier_one_takes_over), TEST(many_valued_ones_stand_together),
		TEST(opposites_and_exclusive_values), TEST(denied_and_affirmed), TEST(newer_version_ends_the_older),
		TEST(version_said_again), TEST(thing_without_version), TEST(versions_that_stand_together), TEST(corrections),
		TEST(a_correction_and_what_it_corrects_in_one_batch), TEST(a_correction_lasts), TEST(an_end_that_moves), TEST(what_ends_by_itself), TEST(said_again_it_gains_a_source),
		TEST(many_sources), TEST(at_the_same_instant_the_stronger_is_right), TEST(at_the_same_instant_all_count),
		TEST(what_an_extractor_lost_somebody_says), TEST(what_is_newer_counts_whatever_its_trust),
		TEST(an_extractor_ends_nothing_of_higher_trust), TEST(hearsay_ends_nothing_that_is_stated), TEST(hearsay_alone),
		TEST(a_hint_replaces_what_only_that_source_said), TEST(statements_of_one_topic), TEST(keys),
		TEST(what_a_person_forgot_stays_forgotten), TEST(what_a_person_replaced_stays_replaced), TEST(a_plan_that_no_longer_holds),
		TEST(facts_of_a_merged_entity),
		TEST(what_is_no_claim), TEST(an_episode_that_claims_too_much),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
