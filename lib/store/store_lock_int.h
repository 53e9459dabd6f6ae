/* SPDX-License-Identifier: Apache-2.0 */
/* Lock files of a store, inside of the room. */
#ifndef MEM_STORE_LOCK_INT_H
#define MEM_STORE_LOCK_INT_H

#include "base/base.h"
#include "store/store.h"

/* flock(fd, op) within wait_ms: MEM_BUSY when that is over (err is left alone).  Polls, because flock has no
 * time limit and a library must not take over a signal to make one. */
enum mem_status store_wait_flock(int fd, int op, int64_t wait_ms, struct mem_err *err) MEM_CHECKED;
/* A lock file of the store, made when it is missing. */
enum mem_status store_open_lock_file(struct mem_store *s, const char *name, int *fd, struct mem_err *err) MEM_CHECKED;
/*
 * One process at a time opens or closes the LMDB environment: a byte of store.lock, which goes with the descriptor.  The first
 * that opens sets lock.mdb up while LMDB has others wait for its lock on it.  When it then fails (no address space for the map)
 * or is killed, they take the file for set up though it names no newest snapshot, and read, or write, from an old one.  Closing
 * is alike where LMDB (from 0.9.26 on) has the last process destroy the mutexes.  Without store.lock (a file system mounted
 * read-only) LMDB keeps no lock.mdb either.
 */
enum mem_status store_take_opening(struct mem_store *s, struct mem_err *err) MEM_CHECKED;
void store_leave_opening(struct mem_store *s);
/* write.lock, with our pid inside. */
enum mem_status store_take_write_lock(struct mem_store *s, int64_t wait_ms, struct mem_err *err) MEM_CHECKED;
void store_drop_write_lock(struct mem_store *s);

#endif
