/* change_points.h - planar linkages that pass poses where two branches of motion cross: all links
 * in a line, where rows of joints that were independent become redundant. Drawn in the plane xy,
 * then turned to any axes, and scaled.
 */
#ifndef FLG_TESTS_CHANGE_POINTS_H
#define FLG_TESTS_CHANGE_POINTS_H

#include "parts.h"

typedef struct drawing {
  parts *of;
  flg_pose at;       /* of the sheet in the world */
  double size, mass; /* of a length of 1, of a rod of 1 kg */
} drawing;

typedef struct pin { /* a point of the sheet and its velocity, in units of the drawing */
  double x, y, vx, vy;
} pin;

static inline flg_vec3 drawn(const drawing *on, double x, double y) {
  return flg_pose_apply(&on->at, vec(on->size * x, on->size * y, 0));
}

static inline flg_vec3 drawn_axis(const drawing *on, double x, double y, double z) {
  return flg_mat3_apply(&on->at.rotation, vec(x, y, z));
}

/* a rod of mass times its length, which moves as its ends do */
static inline int draw_rod(const drawing *on, double mass, pin from, pin end) {
  const int rod =
      add_rod(on->of, mass * on->mass, drawn(on, from.x, from.y), drawn(on, end.x, end.y));
  const double x = end.x - from.x, y = end.y - from.y;
  const double velocity_bias =
      (x * (end.vy - from.vy) - y * (end.vx - from.vx)) / (x * x + y * y); /* [rad/s] */
  on->of->component.bodies[rod].velocity = (flg_spatial){
      flg_vec3_scale(drawn_axis(on, (from.vx + end.vx) / 2, (from.vy + end.vy) / 2, 0), on->size),
      drawn_axis(on, 0, 0, velocity_bias)};
  return rod;
}

static inline void draw_hinge(const drawing *on, int a, int b, pin at) {
  add_joint(on->of, FLG_CONSTRAINT_REVOLUTE, a, b, drawn(on, at.x, at.y), drawn_axis(on, 0, 0, 1));
}

/* the end of a crank about a point, by its angle and its rate */
static inline pin crank_end(pin about, double length, double angle, double rate) {
  const double x = length * cos(angle), y = length * sin(angle);
  return (pin){about.x + x, about.y + y, about.vx - rate * y, about.vy + rate * x};
}

/* where two rods of given lengths from moving points meet, on one side or the other (+1, -1) */
static inline pin macro_run(pin a, double first, pin b, double second, double side) {
  const double x = b.x - a.x, y = b.y - a.y, square = x * x + y * y;
  const double along = (square + first * first - second * second) / (2 * square);
  const double across = side * sqrt(fmax(0, first * first / square - along * along));
  pin p = {.x = a.x + along * x - across * y, .y = a.y + along * y + across * x};
  /* (v - v_a) . (p - a) = 0, (v - v_b) . (p - b) = 0 */
  const double ax = p.x - a.x, ay = p.y - a.y, bx = p.x - b.x, by = p.y - b.y;
  const double r = a.vx * ax + a.vy * ay, s = b.vx * bx + b.vy * by, det = ax * by - ay * bx;
  p.vx = (r * by - s * ay) / det, p.vy = (ax * s - bx * r) / det;
  return p;
}

typedef struct four_bar_links {
  double crank, coupler, rocker, ground;
  double angle, rate; /* of the crank at the start */
  double side;        /* on which the coupler meets the rocker */
} four_bar_links;

/* from a crank that is there; the rocker */
static inline int draw_dyad(const drawing *on, int crank, pin top, pin foot, double coupler,
                            double rocker, double side, pin *meet) {
  *meet = macro_run(top, coupler, foot, rocker, side);
  const int first = draw_rod(on, coupler, top, *meet), second = draw_rod(on, rocker, foot, *meet);
  draw_hinge(on, crank, first, top);
  draw_hinge(on, first, second, *meet);
  draw_hinge(on, FLG_WORLD, second, foot);
  return second;
}

/* the pin of its rocker; *rocker: the body */
static inline pin draw_four_bar(const drawing *on, const four_bar_links *links, int *rocker) {
  const pin base = {0}, foot = {.x = links->ground};
  const pin top = crank_end(base, links->crank, links->angle, links->rate);
  const int crank = draw_rod(on, links->crank, base, top);
  pin meet;
  draw_hinge(on, FLG_WORLD, crank, base);
  *rocker = draw_dyad(on, crank, top, foot, links->coupler, links->rocker, links->side, &meet);
  return meet;
}

/* arms of length 1: the slider passes the crank's bearing, where it might as well stay */
static inline void draw_slider_crank(const drawing *on, double angle, double rate) {
  const pin base = {0}, top = crank_end(base, 1, angle, rate);
  const pin end = {.x = 2 * cos(angle), .vx = -2 * rate * sin(angle)};
  const int crank = draw_rod(on, 1, base, top), rod = draw_rod(on, 1, top, end);
  const int slider =
      add_body(on->of, on->mass, flg_sym3_diagonal(0.01 * on->mass * on->size * on->size),
               drawn(on, end.x, end.y), flg_quat_identity());
  on->of->component.bodies[slider].velocity.linear = drawn_axis(on, on->size * end.vx, 0, 0);
  draw_hinge(on, FLG_WORLD, crank, base);
  draw_hinge(on, crank, rod, top);
  draw_hinge(on, rod, slider, end);
  add_joint(on->of, FLG_CONSTRAINT_PRISMATIC, FLG_WORLD, slider, drawn(on, end.x, end.y),
            drawn_axis(on, 1, 0, 0));
}

/* parallelograms side by side that share their cranks: A02 */
static inline void draw_ladder(const drawing *on, int count, double angle, double rate) {
  int crank = -1;
  for (int k = 0; k <= count; k++) {
    const pin base = {.x = k}, top = crank_end(base, 1, angle, rate);
    const int next = draw_rod(on, 1, base, top);
    draw_hinge(on, FLG_WORLD, next, base);
    if (k > 0) {
      const pin before = crank_end((pin){.x = k - 1}, 1, angle, rate);
      const int coupler = draw_rod(on, 1, before, top);
      draw_hinge(on, crank, coupler, before);
      draw_hinge(on, next, coupler, top);
    }
    crank = next;
  }
}

typedef enum linkage_kind {
  PARALLELOGRAM,
  ANTIPARALLELOGRAM,
  DELTOID,
  CHANGE_POINT, /* 1-3-2-2 */
  SLIDER_CRANK,
  LADDER,
  CHAIN, /* the rocker of one is the crank of another */
  LINKAGE_KINDS
} linkage_kind;

typedef struct linkage {
  linkage_kind kind;
  int count; /* of a ladder */
  double angle, rate;
} linkage;

static inline void draw_linkage(const drawing *on, const linkage *of) {
  static const double lengths[][4] = {[PARALLELOGRAM] = {1, 2, 1, 2},
                                      [ANTIPARALLELOGRAM] = {1, 2, 1, 2},
                                      [DELTOID] = {1, 1.7, 1.7, 1},
                                      [CHANGE_POINT] = {1, 3, 2, 2},
                                      [CHAIN] = {1, 2, 1, 2}};
  if (of->kind == SLIDER_CRANK) {
    draw_slider_crank(on, of->angle, of->rate);
    return;
  }
  if (of->kind == LADDER) {
    draw_ladder(on, of->count, of->angle, of->rate);
    return;
  }
  const double *l = lengths[of->kind];
  /* the coupler of a parallelogram stays parallel to the ground: which side depends on the crank */
  const double upper = sin(of->angle) < 0 ? -1 : 1;
  const double side = of->kind == PARALLELOGRAM || of->kind == CHAIN ? upper
                      : of->kind == CHANGE_POINT                     ? 1
                                                                     : -upper;
  const four_bar_links links = {l[0], l[1], l[2], l[3], of->angle, of->rate, side};
  int rocker;
  const pin meet = draw_four_bar(on, &links, &rocker);
  if (of->kind != CHAIN) return;
  pin end;
  draw_dyad(on, rocker, meet, (pin){.x = 2 + 1.5}, 1.5, 1, upper, &end);
}

static inline parts *linkage_parts(const linkage *of, double size, double mass, flg_pose at) {
  const drawing on = {parts_new(2 * of->count + 8), at, size, mass};
  draw_linkage(&on, of);
  return on.of;
}

#endif
