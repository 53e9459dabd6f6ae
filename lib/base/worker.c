/* SPDX-License-Identifier: Apache-2.0 */
/* One worker thread beside the caller's. */
#include "base/base.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

enum { IDLE, WORK, DONE, END };

/* Rounds of looking before it sleeps: some fifth of a millisecond, in which the next work mostly comes. */
#define SPIN_ROUNDS 10000

struct mem_worker {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int state;
	mem_worker_fn *fn;
	void *ctx;
};

static int
load_worker_state(const struct mem_worker *w)
{
	return __atomic_load_n(&w->state, __ATOMIC_ACQUIRE);
}

/* The state once it is another than `from`. */
static int
await_state_change(struct mem_worker *w, int from)
{
	for (int i = 0; i < SPIN_ROUNDS; i++) {
		if (load_worker_state(w) != from)
			return load_worker_state(w);
#ifdef __x86_64__
		__builtin_ia32_pause();
#endif
	}
	pthread_mutex_lock(&w->lock);
	while (load_worker_state(w) == from)
		pthread_cond_wait(&w->changed, &w->lock);
	pthread_mutex_unlock(&w->lock);
	return load_worker_state(w);
}

static void
set_worker_state(struct mem_worker *w, int state)
{
	pthread_mutex_lock(&w->lock);
	__atomic_store_n(&w->state, state, __ATOMIC_RELEASE);
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->lock);
}

static void *
run_worker(void *p)
{
	struct mem_worker *w = p;
	for (;;) {
		int state = load_worker_state(w);
		if (state == END)
			return NULL;
		if (state == WORK) {
			w->fn(w->ctx);
			set_worker_state(w, DONE);
		}
		await_state_change(w, state == WORK ? DONE : state);
	}
}

struct mem_worker *
mem_worker_start(void)
{
	cpu_set_t may;
	if (sched_getaffinity(0, sizeof may, &may) != 0 || CPU_COUNT(&may) < 2)
		return NULL;
	struct mem_worker *w = mem_xcalloc(1, sizeof *w);
	pthread_attr_t attr;
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->changed, NULL);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 256 << 10);
	int rc = pthread_create(&w->thread, &attr, run_worker, w);
	pthread_attr_destroy(&attr);
	if (rc == 0)
		return w;
	free(w);
	return NULL;
}

void
mem_worker_give(struct mem_worker *w, mem_worker_fn *fn, void *ctx)
{
	if (w == NULL) {
		fn(ctx);
		return;
	}
	w->fn = fn;
	w->ctx = ctx;
	set_worker_state(w, WORK);
}

void
mem_worker_wait(struct mem_worker *w)
{
	if (w != NULL)
		await_state_change(w, WORK);
}

void
mem_worker_detach(struct mem_worker *w)
{
	if (w != NULL)
		set_worker_state(w, END);
}

void
mem_worker_end(struct mem_worker *w)
{
	if (w == NULL)
		return;
	if (load_worker_state(w) != END)
		set_worker_state(w, END);
	pthread_join(w->thread, NULL);
	pthread_cond_destroy(&w->changed);
	pthread_mutex_destroy(&w->lock);
	free(w);
}
