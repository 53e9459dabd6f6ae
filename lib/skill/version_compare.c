/* SPDX-License-Identifier: Apache-2.0 */
/* Which of two releases does better. */
#include "skill/version.h"

#include <string.h>

#include "skill/ab.h"
#include "skill/fisher.h"

/* Outcomes since the comparison began. */
static void
count_since(int64_t out[MEM_SKILL_OUTCOMES], const struct mem_skill *release, struct mem_json from)
{
	struct mem_skill_uses u;
	mem_skill_uses_read(&u, release->node);
	size_t i = 0;
	memcpy(out, u.n, sizeof u.n);
	for (struct mem_json_iter it = mem_json_each(from); i < MEM_SKILL_OUTCOMES && mem_json_next(&it); i++) {
		int64_t n = 0;
		mem_json_int(it.value, &n);
		out[i] -= n > 0 && n <= out[i] ? n : 0;
	}
}

static void
judge_comparison(struct mem_skill_comparison *c)
{
	bool enough = true;
	for (int i = 0; i < 2; i++) {
		int64_t half = c->n[i][MEM_SKILL_PARTIAL] / 2;
		c->good[i] = c->n[i][MEM_SKILL_SUCCESS] + half;
		c->bad[i] = c->n[i][MEM_SKILL_FAILURE] + c->n[i][MEM_SKILL_PARTIAL] - half;
		int64_t sum = c->good[i] + c->bad[i];
		c->missing[i] = sum < MEM_SKILL_AB_LEAST ? MEM_SKILL_AB_LEAST - sum : 0;
		enough = enough && c->missing[i] == 0;
	}
	c->p = mem_fisher_two_sided((int64_t[2]){ c->good[0], c->bad[0] }, (int64_t[2]){ c->good[1], c->bad[1] });
	c->winner = -1;
	if (enough && c->p < MEM_SKILL_AB_P)
		c->winner = (double)c->good[1] / (double)(c->good[1] + c->bad[1]) > (double)c->good[0] / (double)(c->good[0] + c->bad[0]);
}

const char *
mem_skill_comparison_reason(const struct mem_skill_comparison *c, struct mem_arena *a)
{
	const int64_t sum[2] = { c->good[0] + c->bad[0], c->good[1] + c->bad[1] };
	if (c->winner >= 0)
		return NULL;
	if (c->missing[0] + c->missing[1] > 0)
		return mem_arena_printf(a, "%.*s has %lld outcomes and %.*s has %lld, each needs %d; so far p = %.3g", (int)c->active.n, c->active.p,
		    (long long)sum[0], (int)c->variant.n, c->variant.p, (long long)sum[1], MEM_SKILL_AB_LEAST, c->p);
	return mem_arena_printf(a, "p = %.3g is not below %g: %lld of %lld outcomes of %.*s were successes, and %lld of %lld of %.*s", c->p, MEM_SKILL_AB_P,
	    (long long)c->good[0], (long long)sum[0], (int)c->active.n, c->active.p, (long long)c->good[1], (long long)sum[1], (int)c->variant.n,
	    c->variant.p);
}

enum mem_status
mem_skill_compare(struct mem_skill_comparison *out, const struct mem_skill_releases *l, struct mem_arena *a, struct mem_err *err)
{
	const struct mem_skill *active = &l->v[l->active];
	struct mem_skill_ab ab;
	struct mem_json field = mem_json_member(active->node, "ab");
	const struct mem_skill *variant = mem_skill_ab_read(&ab, active->node, a) ? mem_skill_releases_find(l, ab.release) : NULL;
	if (variant == NULL || variant == active)
		return mem_err_set(err, MEM_NOTFOUND, "no comparison of releases of %.*s runs", (int)active->name.n, active->name.p);
	*out = (struct mem_skill_comparison){ .active = active->release, .variant = variant->release, .share = ab.share };
	count_since(out->n[0], active, mem_json_member(field, "active_from"));
	count_since(out->n[1], variant, mem_json_member(field, "variant_from"));
	judge_comparison(out);
	return MEM_OK;
}
