/* SPDX-License-Identifier: Apache-2.0 */
/* One worker thread beside the caller's. */
#include "base/base.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

enum { IDLE, WORK, DONE };

/* Rounds of looking before it sleeps: some fifth of a millisecond, in which the next work mostly comes. */
#define SPIN_ROUNDS 10000

struct mem_worker {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int state;
	int ending;    /* once it is set it stays, whatever the state: the work at hand is done first */
	mem_worker_fn *fn;
	void *ctx;
};

static bool
has_worker_work(const struct mem_worker *w)
{
	return __atomic_load_n(&w->state, __ATOMIC_ACQUIRE) == WORK;
}

static bool
has_worker_rest(const struct mem_worker *w)
{
	return !has_worker_work(w);
}

static bool
has_worker_call(const struct mem_worker *w)
{
	return has_worker_work(w) || __atomic_load_n(&w->ending, __ATOMIC_ACQUIRE) != 0;
}

static void
await_worker(struct mem_worker *w, bool (*is_so)(const struct mem_worker *w))
{
	for (int i = 0; i < SPIN_ROUNDS; i++) {
		if (is_so(w))
			return;
#ifdef __x86_64__
		__builtin_ia32_pause();
#endif
	}
	pthread_mutex_lock(&w->lock);
	while (!is_so(w))
		pthread_cond_wait(&w->changed, &w->lock);
	pthread_mutex_unlock(&w->lock);
}

static void
set_worker_word(struct mem_worker *w, int *word, int value)
{
	pthread_mutex_lock(&w->lock);
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->lock);
}

static void *
run_worker(void *p)
{
	struct mem_worker *w = p;
	for (;;) {
		await_worker(w, has_worker_call);
		if (!has_worker_work(w))
			return NULL;
		w->fn(w->ctx);
		set_worker_word(w, &w->state, DONE);
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
	set_worker_word(w, &w->state, WORK);
}

void
mem_worker_wait(struct mem_worker *w)
{
	if (w != NULL)
		await_worker(w, has_worker_rest);
}

void
mem_worker_detach(struct mem_worker *w)
{
	if (w != NULL)
		set_worker_word(w, &w->ending, 1);
}

void
mem_worker_end(struct mem_worker *w)
{
	if (w == NULL)
		return;
	mem_worker_detach(w);
	pthread_join(w->thread, NULL);
	pthread_cond_destroy(&w->changed);
	pthread_mutex_destroy(&w->lock);
	free(w);
}
