/* SPDX-License-Identifier: Apache-2.0 */
/* One worker thread beside the caller's. */
#include "base/base.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

enum { IDLE, WORK, DONE, END };

/* Rounds of looking before it sleeps: some fifth of a millisecond, in which the next work mostly comes. */
#define SPIN_ROUNDS 10000

struct mem_helper {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int state;
	mem_helper_fn *fn;
	void *ctx;
};

static int
load_worker_state(const struct mem_helper *h)
{
	return __atomic_load_n(&h->state, __ATOMIC_ACQUIRE);
}

/* The state once it is another than `from`. */
static int
await_state_change(struct mem_helper *h, int from)
{
	for (int i = 0; i < SPIN_ROUNDS; i++) {
		if (load_worker_state(h) != from)
			return load_worker_state(h);
#ifdef __x86_64__
		__builtin_ia32_pause();
#endif
	}
	pthread_mutex_lock(&h->lock);
	while (load_worker_state(h) == from)
		pthread_cond_wait(&h->changed, &h->lock);
	pthread_mutex_unlock(&h->lock);
	return load_worker_state(h);
}

static void
set_worker_state(struct mem_helper *h, int state)
{
	pthread_mutex_lock(&h->lock);
	__atomic_store_n(&h->state, state, __ATOMIC_RELEASE);
	pthread_cond_broadcast(&h->changed);
	pthread_mutex_unlock(&h->lock);
}

static void *
run_worker(void *p)
{
	struct mem_helper *h = p;
	for (;;) {
		int state = load_worker_state(h);
		if (state == END)
			return NULL;
		if (state == WORK) {
			h->fn(h->ctx);
			set_worker_state(h, DONE);
		}
		await_state_change(h, state == WORK ? DONE : state);
	}
}

struct mem_helper *
mem_helper_start(void)
{
	cpu_set_t may;
	if (sched_getaffinity(0, sizeof may, &may) != 0 || CPU_COUNT(&may) < 2)
		return NULL;
	struct mem_helper *h = mem_xcalloc(1, sizeof *h);
	pthread_attr_t attr;
	pthread_mutex_init(&h->lock, NULL);
	pthread_cond_init(&h->changed, NULL);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 256 << 10);
	int rc = pthread_create(&h->thread, &attr, run_worker, h);
	pthread_attr_destroy(&attr);
	if (rc == 0)
		return h;
	free(h);
	return NULL;
}

void
mem_helper_give(struct mem_helper *h, mem_helper_fn *fn, void *ctx)
{
	if (h == NULL) {
		fn(ctx);
		return;
	}
	h->fn = fn;
	h->ctx = ctx;
	set_worker_state(h, WORK);
}

void
mem_helper_wait(struct mem_helper *h)
{
	if (h != NULL)
		await_state_change(h, WORK);
}

void
mem_helper_dismiss(struct mem_helper *h)
{
	if (h != NULL)
		set_worker_state(h, END);
}

void
mem_helper_end(struct mem_helper *h)
{
	if (h == NULL)
		return;
	if (load_worker_state(h) != END)
		set_worker_state(h, END);
	pthread_join(h->thread, NULL);
	pthread_cond_destroy(&h->changed);
	pthread_mutex_destroy(&h->lock);
	free(h);
}
