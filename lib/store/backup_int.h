/* SPDX-License-Identifier: Apache-2.0 */
/* A backup that takes the place of an older one. */
#ifndef MEM_STORE_BACKUP_INT_H
#define MEM_STORE_BACKUP_INT_H

#include "store/store.h"

/* May this folder be replaced by a backup of `s`?  It is a store, another one than `s`, and holds nothing else. */
enum mem_status store_check_old_backup(const struct mem_store *s, const char *path, struct mem_err *err) MEM_CHECKED;
/* Is it a file that mem_file_replace had not yet put in its place when it was killed?  A name of a store's, a dot, 16 digits. */
bool store_is_unplaced_file(const char *name);
/* Gives the folder `fresh` the name `path`, and that one the name `fresh`. */
enum mem_status store_exchange_backup(const char *fresh, const char *path, struct mem_err *err) MEM_CHECKED;
/* Removes the files of a store and its folder.  Failures tell that some of it is left. */
enum mem_status store_remove_backup(const char *path, struct mem_err *err) MEM_CHECKED;
/* Removes folders beside `path` in which killed runs were making a backup of that name, or removing an old one. */
void store_remove_left_backups(const char *path);

/* How many values of tables with checksums are not what was written. */
enum mem_status store_count_damaged_values(struct mem_store *s, uint64_t *damaged, struct mem_err *err) MEM_CHECKED;

#endif
