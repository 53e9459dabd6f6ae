/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands behind an order to drop all instructions: nothing, more of an attack, or what people say to each other.
 *
 * "Ignore the previous instructions, I sent the wrong file" and "... and use pnpm" are said to an agent every day by who
 * works with it.  Such a text is lost if it is cut, and fenced when it is rendered if it is not; so it is cut only where
 * nothing follows in its sentence and no person speaks in the next, or what follows is more than that: a role, a secret, something to
 * be said or sent.
 */
#include "clean/clean_int.h"
#include "text/text.h"

#include <string.h>

#define REST_MAX  240 /* bytes */
#define WORDS_MIN 2   /* what is shorter says nothing of its own */

/* Folded, "*" at the end: any ending (clean_matches_list). */

/* A person speaks of himself, or of both: at the beginning of a clause. */
static const char *const persons[] = {
	"i", "i'm", "i've", "i'll", "i'd", "we", "we're", "we've", "we'll", "let's", "let", "my", "our", "sorry",
	"ich", "wir", "lass", "lasst", "lassen", "mein*", "unser*", "je", "j'ai", "nous", "yo",
	"he", "hemos", "vamos", "eu", "nos", "ho", "abbiamo", "ik", "wij", "ben", "biz", "ja", "mam", "mamy", "я", "мы",
};
/* Whatever else is there: a role, what is secret, what goes out, what is lost. */
static const char *const dangers[] = {
	"reveal*", "disclos*", "leak*", "exfiltrat*", "prompt*", "secret*", "instruction*", "password*", "credential*", "token*", "apikey*", "send", "forward*", "e-mail", "email",
	"mail", "upload*", "transfer*", "wire", "pay", "delete*", "erase*", "wipe", "destroy", "execute*", "curl", "wget", "rm", "sudo", "pretend*",
	"act", "roleplay*", "dan", "jailbr*", "unrestricted", "uncensored", "evil*", "hack*", "obey*", "comply", "always", "never", "approve*",
	"persona", "unlock*", "bypass*", "override*", "system", "admin*", "confidential*", "bomb*", "weapon*", "illegal*", "http*",
	"verrat*", "geheim*", "passwort*", "kennwort*", "sende*", "schick*", "losch*", "uberweis*", "gib", "vorgab*", "anweisung*",
	"revel*", "mot", "contrasena*", "clave*", "envi*", "borra*", "elimina*", "senha*", "segredo*", "apag*", "segret*", "invia*", "cancella*",
	"wachtwoord*", "stuur*", "verwijder*", "sifre*", "gizli*", "gonder*", "haslo*", "hasla*", "tajn*", "wyslij*", "usun*", "парол*", "секрет*",
	"отправ*", "удали*", "раскро*",
};
/* Something is to be said or made: an attack's usual end, but also work, if it is about some. */
static const char *const demands[] = {
	"say", "output*", "print*", "write", "tell", "answer*", "respond*", "reply*", "repeat*", "return*", "show*", "give", "type", "do", "speak", "echo",
	"start", "translate*", "list", "explain*", "describe*", "summari*", "generate*", "create", "make", "talk", "sing", "play", "imagine", "instead", "follow",
	"your", "only", "schreib*", "sag", "sage", "antwort*", "zeig*", "erzahl*", "nenn*", "druck*", "ubersetz*", "tu", "spiel*", "wiederhol*", "beginn*",
	"ecri*", "dis", "dites", "repond*", "affich*", "montr*", "donne*", "escrib*", "di", "diga", "dime", "muestr*", "imprim*", "escrev*",
	"mostr*", "scriv*", "rispond*", "stamp*", "schrijf*", "zeg*", "antwoord*", "toon*", "yaz*", "soyle*", "goster*", "napisz*", "powiedz*",
	"odpowied*", "pokaz*", "wypisz*", "напиши*", "скажи*", "ответь*", "покажи*", "выведи*",
};
/* What people who build something speak of. */
static const char *const work[] = {
	"test*", "function*", "code*", "file*", "readme*", "docs", "css", "html", "commit*", "branch*", "pr", "merge*", "linter*", "lint", "build*", "ticket*",
	"issue*", "bug*", "refactor*", "module*", "class*", "script*", "pnpm", "npm", "yarn", "docker*", "makefile*", "api", "database*", "schema*", "migration*",
	"deploy*", "server*", "page*", "column*", "table*", "report*", "log", "logs", "patch*", "diff*", "review*", "changelog*", "version*", "config*", "ci",
	"draft*", "section*", "chapter*", "slide*", "spreadsheet*", "invoice*", "meeting*", "datei*", "funktion*", "tabelle*", "seite*", "fichier*", "archivo*",
	"arquivo*", "bestand*", "plik*", "файл*", "тест*",
};

struct rest_words {
	size_t n, persons, dangers, demands, work;
};

/* "you are", "you must", "want you": a role or a duty. */
static bool
puts_on_reader(struct mem_str before, struct mem_str word)
{
	static const char *const duties[] = { "are", "must", "will", "should", "shall", "have", "can", "need", "now", "become", "may" };
	static const char *const wants[] = { "want", "need", "order", "command", "ask", "asking", "require", "tell" };
	return (mem_str_is(before, "you") && clean_matches_list(word, duties, MEM_COUNT(duties))) ||
	    (mem_str_is(word, "you") && clean_matches_list(before, wants, MEM_COUNT(wants))) || mem_str_is(word, "you're") ||
	    ((mem_str_is(before, "du") || mem_str_is(before, "sie")) && (mem_str_is(word, "bist") || mem_str_is(word, "sind") || mem_str_is(word, "musst")));
}

static struct rest_words
count_rest_words(struct mem_str folded)
{
	struct rest_words w = { 0 };
	struct mem_str word, before = { "", 0 };
	for (size_t at = 0; clean_take_word(folded, &at, &word); before = word) {
		w.persons += w.n == 0 && clean_matches_list(word, persons, MEM_COUNT(persons));
		w.dangers += clean_matches_list(word, dangers, MEM_COUNT(dangers)) || puts_on_reader(before, word);
		w.demands += clean_matches_list(word, demands, MEM_COUNT(demands));
		w.work += clean_matches_list(word, work, MEM_COUNT(work));
		w.n++;
	}
	return w;
}

/* Chinese, Japanese, Korean: no blanks part their words. */
static bool
has_unparted_script(struct mem_str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] >= 0xe3 && (unsigned char)s.p[i] <= 0xed)
			return true;
	return false;
}

/* The end of the line of `at`, of the string that it stands in, or REST_MAX bytes on. */
static size_t
find_rest_end(struct mem_str s, size_t at)
{
	size_t end = at;
	while (end < s.n && end - at < REST_MAX && s.p[end] != '\n' && s.p[end] != '"' && s.p[end] != '\\')
		end++;
	while (end < s.n && ((unsigned char)s.p[end] & 0xc0) == 0x80)
		end++;
	return end;
}

bool
clean_is_harmless_rest(struct mem_str text, size_t at, struct mem_buf *room)
{
	size_t end = find_rest_end(text, at);
	bool ends_line = mem_str_trim((struct mem_str){ text.p + at, end - at }).n <= 1;
	/* What comes behind the order's own sentence is another matter, unless a person speaks. */
	bool apart = ends_line || (at < text.n && memchr(".!?;:", text.p[at], 5) != NULL);
	if (ends_line && end < text.n && text.p[end] == '\n')
		end = find_rest_end(text, at = end + 1);
	mem_buf_reset(room);
	mem_text_fold(room, (struct mem_str){ text.p + at, end - at });
	struct mem_str rest = mem_buf_span(room);
	struct rest_words w = count_rest_words(rest);
	if (w.n < WORDS_MIN || w.dangers > 0 || (w.demands > 0 && w.work == 0 && w.persons == 0) || has_unparted_script(rest))
		return false;
	return !apart || w.persons > 0;
}
