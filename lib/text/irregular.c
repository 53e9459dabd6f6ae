/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Irregular forms of English: past tenses, participles and plurals whose stem says nothing of their word.  Without
 * those that are mostly something else (bore, rose, ground, leaves), and those that are stop words.
 */
#include "text/text_int.h"

#include <string.h>

#include "base/order.h"

struct irregular_form {
	char form[16], base[16];
};

/* By form. */
static const struct irregular_form forms[] = {
	{ "analyses", "analysis" }, { "appendices", "appendix" }, { "arisen", "arise" }, { "arose", "arise" },
	{ "ate", "eat" }, { "awoke", "awake" }, { "awoken", "awake" }, { "bacteria", "bacterium" }, { "beaten", "beat" },
	{ "became", "become" }, { "began", "begin" }, { "begun", "begin" }, { "bent", "bend" }, { "bitten", "bite" },
	{ "bled", "bleed" }, { "blew", "blow" }, { "blown", "blow" }, { "borne", "bear" }, { "bought", "buy" },
	{ "bred", "breed" }, { "broke", "break" }, { "broken", "break" }, { "brought", "bring" }, { "built", "build" },
	{ "burnt", "burn" }, { "businessmen", "businessman" }, { "businesswomen", "businesswoman" }, { "calves", "calf" },
	{ "came", "come" }, { "caught", "catch" }, { "children", "child" }, { "chose", "choose" }, { "chosen", "choose" },
	{ "clung", "cling" }, { "crept", "creep" }, { "crises", "crisis" }, { "criteria", "criterion" },
	{ "curricula", "curriculum" }, { "dealt", "deal" }, { "diagnoses", "diagnosis" }, { "drank", "drink" },
	{ "drawn", "draw" }, { "dreamt", "dream" }, { "drew", "draw" }, { "driven", "drive" }, { "drove", "drive" },
	{ "drunk", "drink" }, { "dug", "dig" }, { "eaten", "eat" }, { "fallen", "fall" }, { "fed", "feed" },
	{ "feet", "foot" }, { "fell", "fall" }, { "felt", "feel" }, { "firemen", "fireman" }, { "fled", "flee" },
	{ "flew", "fly" }, { "flown", "fly" }, { "flung", "fling" }, { "forbade", "forbid" }, { "forbidden", "forbid" },
	{ "foresaw", "foresee" }, { "foreseen", "foresee" }, { "forgave", "forgive" }, { "forgiven", "forgive" },
	{ "forgot", "forget" }, { "forgotten", "forget" }, { "fought", "fight" }, { "found", "find" },
	{ "froze", "freeze" }, { "frozen", "freeze" }, { "gave", "give" }, { "geese", "goose" }, { "given", "give" },
	{ "gone", "go" }, { "grandchildren", "grandchild" }, { "grew", "grow" }, { "grown", "grow" }, { "halves", "half" },
	{ "heard", "hear" }, { "held", "hold" }, { "hid", "hide" }, { "hidden", "hide" }, { "hung", "hang" },
	{ "hypotheses", "hypothesis" }, { "indices", "index" }, { "kept", "keep" }, { "knelt", "kneel" },
	{ "knew", "know" }, { "knives", "knife" }, { "known", "know" }, { "leant", "lean" }, { "leapt", "leap" },
	{ "learnt", "learn" }, { "led", "lead" }, { "left", "leave" }, { "lent", "lend" }, { "lice", "louse" },
	{ "loaves", "loaf" }, { "lost", "lose" }, { "made", "make" }, { "matrices", "matrix" }, { "meant", "mean" },
	{ "men", "man" }, { "met", "meet" }, { "mice", "mouse" }, { "misled", "mislead" }, { "mistaken", "mistake" },
	{ "mistook", "mistake" }, { "misunderstood", "misunderstand" }, { "mown", "mow" }, { "overcame", "overcome" },
	{ "overheard", "overhear" }, { "oversaw", "oversee" }, { "overseen", "oversee" }, { "overslept", "oversleep" },
	{ "overtaken", "overtake" }, { "overtook", "overtake" }, { "oxen", "ox" }, { "paid", "pay" },
	{ "people", "person" }, { "phenomena", "phenomenon" }, { "policemen", "policeman" }, { "proven", "prove" },
	{ "ran", "run" }, { "rang", "ring" }, { "rebuilt", "rebuild" }, { "redid", "redo" }, { "redone", "redo" },
	{ "rethought", "rethink" }, { "rewritten", "rewrite" }, { "rewrote", "rewrite" }, { "ridden", "ride" },
	{ "risen", "rise" }, { "rode", "ride" }, { "rung", "ring" }, { "said", "say" }, { "sang", "sing" },
	{ "sank", "sink" }, { "sat", "sit" }, { "saw", "see" }, { "scarves", "scarf" }, { "seen", "see" },
	{ "sent", "send" }, { "sewn", "sew" }, { "shaken", "shake" }, { "shelves", "shelf" }, { "shone", "shine" },
	{ "shook", "shake" }, { "shot", "shoot" }, { "shown", "show" }, { "shrank", "shrink" }, { "shrunk", "shrink" },
	{ "slept", "sleep" }, { "slid", "slide" }, { "smelt", "smell" }, { "snuck", "sneak" }, { "sold", "sell" },
	{ "sought", "seek" }, { "sown", "sow" }, { "sped", "speed" }, { "spelt", "spell" }, { "spent", "spend" },
	{ "spilt", "spill" }, { "spoilt", "spoil" }, { "spoke", "speak" }, { "spoken", "speak" }, { "sprang", "spring" },
	{ "sprung", "spring" }, { "spun", "spin" }, { "stank", "stink" }, { "stimuli", "stimulus" }, { "stole", "steal" },
	{ "stolen", "steal" }, { "stood", "stand" }, { "stricken", "strike" }, { "striven", "strive" },
	{ "strove", "strive" }, { "struck", "strike" }, { "strung", "string" }, { "stuck", "stick" }, { "stung", "sting" },
	{ "stunk", "stink" }, { "sung", "sing" }, { "sunk", "sink" }, { "swam", "swim" }, { "swept", "sweep" },
	{ "swollen", "swell" }, { "swore", "swear" }, { "sworn", "swear" }, { "swum", "swim" }, { "swung", "swing" },
	{ "taken", "take" }, { "taught", "teach" }, { "teeth", "tooth" }, { "theses", "thesis" }, { "thieves", "thief" },
	{ "thought", "think" }, { "threw", "throw" }, { "thrown", "throw" }, { "told", "tell" }, { "took", "take" },
	{ "tore", "tear" }, { "torn", "tear" }, { "undergone", "undergo" }, { "understood", "understand" },
	{ "undertaken", "undertake" }, { "undertook", "undertake" }, { "underwent", "undergo" }, { "undid", "undo" },
	{ "undone", "undo" }, { "unwound", "unwind" }, { "upheld", "uphold" }, { "vertices", "vertex" }, { "went", "go" },
	{ "wept", "weep" }, { "withdrawn", "withdraw" }, { "withdrew", "withdraw" }, { "withheld", "withhold" },
	{ "withstood", "withstand" }, { "wives", "wife" }, { "woke", "wake" }, { "woken", "wake" }, { "wolves", "wolf" },
	{ "women", "woman" }, { "won", "win" }, { "wore", "wear" }, { "worn", "wear" }, { "wove", "weave" },
	{ "woven", "weave" }, { "written", "write" }, { "wrote", "write" },
};

static int
compare_with_form(const void *word, const void *element)
{
	const struct mem_str *w = word;
	const struct irregular_form *f = element;
	size_t n = strlen(f->form);
	int order = memcmp(w->p, f->form, w->n < n ? w->n : n);
	return order != 0 ? order : w->n < n ? -1 : w->n > n;
}

struct mem_str
text_find_base(enum text_lang lang, struct mem_str word)
{
	struct mem_str form = word;
	if ((lang != TEXT_LANG_ENGLISH && lang != TEXT_LANG_PORTER) || word.n == 0)
		return word;
	if (form.n > 2 && form.p[form.n - 2] == '\'' && form.p[form.n - 1] == 's')
		form.n -= 2;
	const struct irregular_form *f = mem_sorted_find(&form, forms, MEM_COUNT(forms), sizeof *forms, compare_with_form);
	return f != NULL ? mem_str(f->base) : word;
}
