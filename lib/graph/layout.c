/* SPDX-License-Identifier: Apache-2.0 */
/* Places for nodes, by forces. */
#include "graph/layout_int.h"

#include <math.h>
#include <stdlib.h>

/* What a picture needs; fewer of a large graph, so that nobody waits for minutes. */
enum { ITERATIONS = 1000, ITERATIONS_MIN = 60, WORK_MAX = 6000000 };

#define REPULSION 4.0
#define GRAVITY   .15
#define BETWEEN   .1               /* of the pull of a link, where it joins two communities */
#define TOLERANCE 1.0              /* of swinging: the paper's tau */
/* Of the golden angle, 2.399963 radians: sine and cosine of a library differ from machine to machine. */
#define GOLDEN_COSINE (-0.73736887807831985)
#define GOLDEN_SINE   0.67549029426152362

struct layout_force {
	double x, y;
};
struct layout {
	const struct mem_graph_links *links;
	const uint32_t *community; /* by node */
	size_t n;
	struct layout_body *bodies; /* mass: links + 1 */
	struct layout_force *now, *before;
	struct layout_tree tree;
	double speed;
};

/* A spiral whose points lie everywhere as close. */
struct layout_spiral {
	double x, y;               /* its middle */
	double cosine, sine;       /* of the next point */
	double n;                  /* points so far */
};

static struct layout_force
take_spiral_point(struct layout_spiral *s, double apart, double more)
{
	double radius = apart * sqrt(s->n + more / 2), turned = s->cosine * GOLDEN_COSINE - s->sine * GOLDEN_SINE;
	const struct layout_force p = { s->x + radius * s->cosine, s->y + radius * s->sine };
	s->sine = s->sine * GOLDEN_COSINE + s->cosine * GOLDEN_SINE;
	s->cosine = turned;
	s->n += more;
	return p;
}

/* Communities lie on a spiral, each with as much room as it has nodes, and its nodes on one of its own. */
static void
place_on_spirals(struct layout *l)
{
	struct layout_spiral *own = mem_xcalloc(l->n + 1, sizeof *own), all = { .cosine = 1 };
	for (size_t i = 0; i < l->n; i++)
		own[l->community[i]].n++;
	for (size_t c = 0; c < l->n; c++) {
		struct layout_force middle = take_spiral_point(&all, 10, own[c].n);
		own[c] = (struct layout_spiral){ .x = middle.x, .y = middle.y, .cosine = 1 };
	}
	for (size_t i = 0; i < l->n; i++) {
		struct layout_force p = take_spiral_point(&own[l->community[i]], 6, 1);
		l->bodies[i] = (struct layout_body){ p.x, p.y, 1 + (double)(l->links->first[i + 1] - l->links->first[i]) };
	}
	free(own);
}

static void
add_forces(struct layout *l)
{
	layout_tree_make(&l->tree, l->bodies, l->n);
	for (size_t i = 0; i < l->n; i++) {
		const struct layout_body *b = &l->bodies[i];
		double fx = 0, fy = 0;
		layout_tree_repel(&l->tree, b, &fx, &fy);
		fx = REPULSION * fx - GRAVITY * b->mass * b->x;
		fy = REPULSION * fy - GRAVITY * b->mass * b->y;
		for (size_t k = l->links->first[i]; k < l->links->first[i + 1]; k++) {
			const struct layout_body *other = &l->bodies[l->links->to[k]];
			double strength = l->links->strength[k] < 1 ? l->links->strength[k] : 1;
			strength *= l->community[i] == l->community[l->links->to[k]] ? 1 : BETWEEN;
			fx += strength * (other->x - b->x);
			fy += strength * (other->y - b->y);
		}
		l->now[i] = (struct layout_force){ fx, fy };
	}
}

static double
swinging_of(const struct layout *l, size_t i)
{
	double dx = l->now[i].x - l->before[i].x, dy = l->now[i].y - l->before[i].y;
	return sqrt(dx * dx + dy * dy);
}

static double
traction_of(const struct layout *l, size_t i)
{
	double sx = l->now[i].x + l->before[i].x, sy = l->now[i].y + l->before[i].y;
	return sqrt(sx * sx + sy * sy) / 2;
}

static void
move_bodies(struct layout *l)
{
	double swinging = 0, traction = 0;
	for (size_t i = 0; i < l->n; i++) {
		swinging += l->bodies[i].mass * swinging_of(l, i);
		traction += l->bodies[i].mass * traction_of(l, i);
	}
	double wanted = swinging > 0 ? TOLERANCE * traction / swinging : l->speed;
	l->speed = wanted < 1.5 * l->speed ? wanted : 1.5 * l->speed;
	for (size_t i = 0; i < l->n; i++) {
		double factor = .1 * l->speed / (1 + l->speed * sqrt(swinging_of(l, i)));
		double force = sqrt(l->now[i].x * l->now[i].x + l->now[i].y * l->now[i].y);
		if (force * factor > 10) /* the paper's limit of a step */
			factor = 10 / force;
		l->bodies[i].x += l->now[i].x * factor;
		l->bodies[i].y += l->now[i].y * factor;
		l->before[i] = l->now[i];
	}
}

/* The middle to 0, the farthest to 1000. */
static void
fit_places(struct mem_layout_place *places, const struct layout *l)
{
	double left = HUGE_VAL, right = -HUGE_VAL, top = HUGE_VAL, low = -HUGE_VAL;
	for (size_t i = 0; i < l->n; i++) {
		left = fmin(left, l->bodies[i].x);
		right = fmax(right, l->bodies[i].x);
		top = fmin(top, l->bodies[i].y);
		low = fmax(low, l->bodies[i].y);
	}
	double width = fmax(right - left, low - top), scale = width > 0 ? 2000 / width : 1;
	for (size_t i = 0; i < l->n; i++)
		places[i] = (struct mem_layout_place){ (l->bodies[i].x - (left + right) / 2) * scale, (l->bodies[i].y - (top + low) / 2) * scale };
}

void
mem_layout_find(struct mem_layout_place *places, const struct mem_graph_links *links, const uint32_t *community)
{
	struct layout l = { .links = links, .community = community, .n = links->nnodes, .speed = 1 };
	size_t few = WORK_MAX / (l.n + links->nlinks + 1), iterations = few > ITERATIONS ? ITERATIONS : few < ITERATIONS_MIN ? ITERATIONS_MIN : few;
	l.bodies = mem_xcalloc(l.n + 1, sizeof *l.bodies);
	l.now = mem_xcalloc(l.n + 1, sizeof *l.now);
	l.before = mem_xcalloc(l.n + 1, sizeof *l.before);
	place_on_spirals(&l);
	for (size_t i = 0; i < iterations && l.n > 1; i++) {
		add_forces(&l);
		move_bodies(&l);
	}
	fit_places(places, &l);
	layout_tree_release(&l.tree);
	free(l.bodies);
	free(l.now);
	free(l.before);
}
