/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of hook share: the table of programs, files that are edited in place, command lines of hooks. */
#ifndef MEM_HOOK_INT_H
#define MEM_HOOK_INT_H

#include "hook/hook.h"

/* ---- programs ------------------------------------------------------------- */

/* One hook of a program: the name that the program has for the event, and memkit's. */
struct hook_event {
	const char *theirs, *ours;
	int timeout_s;          /* 0: the program knows none */
};
/* A program whose settings are a JSON object with a member "hooks", as those of Claude Code and Codex. */
struct hook_agent {
	const char *home_variable, *home, *file; /* $home_variable/file, else ~/home/file */
	const char *project;    /* below the project's folder */
};
enum { HOOK_EVENTS_MAX = 4 };
struct mem_hook_program {
	const char *name;
	struct hook_event events[HOOK_EVENTS_MAX];
	size_t nevents;
	const struct hook_agent *agent; /* NULL: another kind of file */
	const char *adapter;    /* FORMAT of mem-adapt(1) for its transcripts; NULL: it has none */
	/* Fills path, before, after, was_there, stays, mode and verdict. */
	enum mem_status (*plan)(struct mem_hook_change *c, bool install, const struct mem_hook_options *o, struct mem_err *err);
	/* NULL: the file is written as files are. */
	enum mem_status (*apply)(const struct mem_hook_change *c, struct mem_err *err);
	/* The command that runs at `event` by what `before` says, appended; nothing: none does.  In *problem, which comes empty, what keeps
	 * it from running. */
	void (*find_command)(const struct mem_hook_change *c, const struct hook_event *event, struct mem_buf *command, struct mem_buf *problem);
	/* Gets what such a command calls and for which store; false: it is not one of ours. */
	bool (*read_command)(struct mem_str command, const char *program, const char *event, struct mem_buf *tool, struct mem_buf *store);
	bool by_file;           /* its lines of the log name the hook's file, not its event: each repository has its own */
	bool may_be_project;    /* has settings of a person and of a project */
	const char *const *calls; /* what its hooks call, beside what runs them; NULL behind the last */
};
extern const struct mem_hook_program hook_claude_code, hook_codex, hook_codex_notify, hook_git, hook_cron;
const struct mem_hook_program *hook_find_program(const char *name); /* NULL: none */

/* ---- files: hook_file.c ---------------------------------------------------- */

enum { HOOK_FILE_MAX = 16 << 20 };
/* Reads the file at c->path, or what a link there names, into c->before; one that is not there is no fault. */
enum mem_status hook_read_file(struct mem_hook_change *c, struct mem_err *err) MEM_CHECKED;
/* Is the folder of a path there? */
bool hook_folder_there(const char *path);
/* A file that goes takes its folder along if nothing else is in it, unless c->folder_stays. */
enum mem_status hook_write_file(const struct mem_hook_change *c, struct mem_err *err) MEM_CHECKED;

/* ---- how it stands: hook_program.c ------------------------------------------ */

/* Appends the record of one hook of c->program. */
void hook_put_event_status(struct mem_buf *lines, const struct mem_hook_change *c, const struct hook_event *event,
    const struct mem_hook_options *o);

/* ---- command lines: hook_command.c ------------------------------------------ */

/* Appends the command of a hook, for sh. */
enum mem_status hook_put_command(struct mem_buf *out, const char *program, const char *event, const struct mem_hook_options *o,
    struct mem_err *err) MEM_CHECKED;
/* Is it one that hook_put_command made, on any machine, for any store?  Gets its own program (mem-hook) and the store. */
bool hook_read_command(struct mem_str command, const char *program, const char *event, struct mem_buf *tool, struct mem_buf *store);

/* The next word at *p as sh takes it, of what mem_buf_shell_word writes; false: there is none. */
bool hook_take_word(const char **p, const char *end, struct mem_buf *word);

/* ---- a block between marks: hook_marks.c ------------------------------------ */

/* What begins and ends the lines of a block, and the command whose they are. */
struct hook_mark {
	const char *begin, *end, *page;
};
extern const struct hook_mark hook_mark_own, hook_mark_vault; /* of mem-hook, of kg-hooks */
enum hook_made { HOOK_MADE_BLOCK, HOOK_MADE_FILE, HOOK_MADE_FOLDER }; /* what is ours as a whole: no more, the file, its folder, too */
struct hook_block {
	const struct hook_mark *mark;
	size_t at;              /* the byte of the text that it is put at, if there is none yet */
	enum hook_made made;
	struct mem_str lines;
};
/* Lines of ours in a file of lines, between two marks that are comments; a block that is there is replaced.  MEM_FAIL: a mark lacks the other. */
enum mem_status hook_put_block(struct mem_buf *text, const struct hook_block *new, enum mem_hook_verdict *verdict, struct mem_err *err) MEM_CHECKED;
/* Takes it out; *made tells whether it was put into a file of ours.  Verdict unchanged: there was none. */
enum mem_status hook_take_block(struct mem_buf *text, const struct hook_mark *mark, bool *made, enum mem_hook_verdict *verdict,
    struct mem_err *err) MEM_CHECKED;
/* The lines between the marks; n 0: there are none. */
struct mem_str hook_find_block(struct mem_str text, const struct hook_mark *mark);
/* Does one of the blocks say that the file is ours as a whole?  And its folder? */
bool hook_file_made(struct mem_str text);
bool hook_folder_made(struct mem_str text);

/* ---- settings as JSON: hook_json.c ------------------------------------------ */

/* Sees to it that `command` runs at the event.  `text` empty: a new file.  MEM_FAIL: it is not such settings. */
enum mem_status hook_json_put(struct mem_buf *text, const char *program, const struct hook_event *event, struct mem_str command,
    enum mem_hook_verdict *verdict, struct mem_err *err) MEM_CHECKED;
/* Takes our command out.  An empty text after that: nothing else was in it. */
enum mem_status hook_json_take(struct mem_buf *text, const char *program, const struct hook_event *event,
    enum mem_hook_verdict *verdict, struct mem_err *err) MEM_CHECKED;
/* Appends the command of ours that runs at the event; false: there is none. */
bool hook_json_find(struct mem_str text, const char *program, const struct hook_event *event, struct mem_buf *command);

/* ---- running: hook_run.c ----------------------------------------------------- */

void hook_log_failure(const char *program, const char *event, const char *message);
/* Appends the last line of the log that is about this event; false: there is none. */
bool hook_last_error(struct mem_buf *out, const char *program, const char *event);

/* ---- notify of Codex: hook_notify.c ------------------------------------------- */

/* Appends Codex's folder, $CODEX_HOME or ~/.codex; false: there is no home. */
bool hook_put_codex_home(struct mem_buf *out);
/* Appends the path of the transcript that such a record is about.  MEM_END: it is about none. */
struct mem_rec;
enum mem_status hook_find_thread(struct mem_buf *out, const struct mem_rec *r, struct mem_err *err) MEM_CHECKED;

/* ---- TOML: hook_toml.c -------------------------------------------------------- */

/* MEM_EXISTS: `key` is set outside of all tables.  MEM_FAIL: it is no TOML, at *line, or, 0, since something is in it twice. */
enum mem_status hook_toml_find(struct mem_str text, const char *key, size_t *line) MEM_CHECKED;

/* ---- git: hook_git.c --------------------------------------------------------- */

/* How many bytes the first line of a script has, if it says that a shell runs it; else 0. */
size_t hook_measure_shell_line(struct mem_str text);
/* Says of a hook of git that git does not run it, if so. */
void hook_check_script(const struct mem_hook_change *c, struct mem_buf *problem);
/* Of the path of a hook: is its folder not there yet, or was it made for hooks of ours, one of which says so? */
bool hook_folder_is_ours(const char *path);
/* The event of the newest commit, appended as a line. */
enum mem_status hook_put_commit(struct mem_buf *out, struct mem_err *err) MEM_CHECKED;

#endif
