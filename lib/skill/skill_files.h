/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files that are skills, as they lie in folders.
 *
 * A file called SKILL.md (in any case) is a skill, and so is a file that is named itself.  Another file whose name ends in .md is one
 * if its front matter has a name and a description, and neither its folder nor one above has a SKILL.md: a skill's folder holds
 * what the skill refers to.  What begins with a dot is left out below the folder that was named.  A symbolic link is followed only where it
 * was named itself; one that leads out of the folder is refused, another means a file that is found anyway.
 */
#ifndef MEM_SKILL_FILES_H
#define MEM_SKILL_FILES_H

#include "base/base.h"

/* The largest front matter.  A file is this and MEM_SKILL_BODY_MAX at most. */
#define MEM_SKILL_FRONT_MAX ((size_t)64 << 10)

struct mem_skill_file {
	struct mem_str path;        /* absolute; NUL-terminated */
	const char *refused;        /* why it is not read (static), else NULL */
	bool folder;                /* refused, and so is all that is below it */
	bool loose;                 /* a skill only if its front matter says so */
};
/* Zero initialised; all ARENA. */
struct mem_skill_files {
	struct mem_skill_file *v;   /* in the order of their bytes, each once */
	size_t n, cap;
	struct mem_str *roots;      /* folders that were read, absolute: skills below them whose files are not listed are gone */
	size_t nroots, roots_cap;
	struct mem_arena arena;
};
/* The file or what is in the folder.  MEM_FAIL: it is not there, or the folder cannot be read. */
enum mem_status mem_skill_files_add(struct mem_skill_files *f, const char *path, struct mem_err *err) MEM_CHECKED;
/* After the last one. */
void mem_skill_files_sort(struct mem_skill_files *f);
void mem_skill_files_release(struct mem_skill_files *f);
/* Is a path below a folder? */
bool mem_skill_path_below(struct mem_str path, struct mem_str folder);

/* The bytes of a file, appended.  MEM_REFUSED, with its reason: too_long, unreadable. */
enum mem_status mem_skill_file_read(struct mem_buf *out, const struct mem_skill_file *f, struct mem_err *err) MEM_CHECKED;

#endif
