#include "compile/forward_terms.h"

/* motion of an element while a is zero, in its own axes */
typedef struct motion {
  flg_term3 w, alpha, a;
  flg_term9 B; /* acceleration of a point of it, less that of its origin: alpha x + w x w x */
  flg_term xy, xz, yz, xx, yy, zz; /* products of w */
} motion;

typedef struct builder {
  flg_terms *graph;
  const flg_elements *elements;
  flg_element_terms *terms;      /* (elements) */
  motion *motions;               /* (elements) */
  flg_term_force *forces;        /* (elements) */
  flg_term_inertia *composites;  /* (elements) */
  const flg_motion_terms *given; /* NULL: efforts and gravity are inputs */
  flg_forward_terms *made;
} builder;

/* --- bias ---------------------------------------------------------------------------------------
 */

static flg_term sum(flg_terms *graph, flg_term a, flg_term b) {
  return flg_terms_add(graph, a, b);
}

static flg_term product_of_terms(flg_terms *graph, flg_term a, flg_term b) {
  return flg_terms_multiply(graph, a, b);
}

static flg_term minus(flg_terms *graph, flg_term a, flg_term b) {
  return flg_terms_subtract(graph, a, b);
}

/* B = [alpha]x + [w]x [w]x, written out: its entries share the six products of w, which `gyrate`
 * uses again. */
static void find_turning(flg_terms *graph, motion *of) {
  const flg_term3 w = of->w, t = of->alpha;
  of->xy = product_of_terms(graph, w.x, w.y), of->xz = product_of_terms(graph, w.x, w.z);
  of->yz = product_of_terms(graph, w.y, w.z), of->xx = product_of_terms(graph, w.x, w.x);
  of->yy = product_of_terms(graph, w.y, w.y), of->zz = product_of_terms(graph, w.z, w.z);
  of->B.column[0] = (flg_term3){flg_terms_negate(graph, sum(graph, of->yy, of->zz)),
                                sum(graph, of->xy, t.z), minus(graph, of->xz, t.y)};
  of->B.column[1] =
      (flg_term3){minus(graph, of->xy, t.z), flg_terms_negate(graph, sum(graph, of->xx, of->zz)),
                  sum(graph, of->yz, t.x)};
  of->B.column[2] = (flg_term3){sum(graph, of->xz, t.y), minus(graph, of->yz, t.x),
                                flg_terms_negate(graph, sum(graph, of->xx, of->yy))};
}

/* Gravity enters as an acceleration of the ground upwards: all links then inherit it from their
 * parents, and no weight has to be added link by link (Luh, Walker and Paul 1980). */
static flg_term3 forward_terms_gravity(const builder *of) {
  flg_term g[3];
  if (of->given != NULL) return of->given->gravity;
  for (int k = 0; k < 3; k++) g[k] = flg_terms_input(of->graph, FLG_INPUT_GRAVITY, k);
  return (flg_term3){g[0], g[1], g[2]};
}

static flg_term3 joint_spin(flg_terms *graph, const flg_element *element) {
  flg_term v[3] = {0, 0, 0};
  for (int k = 0; k < flg_element_velocities(element); k++) {
    v[k] = flg_terms_input(graph, FLG_INPUT_VELOCITIES, element->velocity + k);
  }
  if (element->kind == FLG_ELEMENT_SLIDE) return FLG_TERM3_ZERO;
  if (element->kind == FLG_ELEMENT_BALL) return (flg_term3){v[0], v[1], v[2]};
  return (flg_term3){0, 0, v[0]};
}

/* speed along its own z */
static flg_term joint_speed(flg_terms *graph, const flg_element *element) {
  if (element->kind == FLG_ELEMENT_BALL) return 0;
  const flg_term v = flg_terms_input(graph, FLG_INPUT_VELOCITIES, element->velocity);
  if (element->kind == FLG_ELEMENT_SLIDE) return v;
  return product_of_terms(graph, flg_terms_constant(graph, element->pitch), v);
}

/* what a travel along z and its speed u add to the origin's acceleration; w, alpha: of the axes
 * that it travels in */
static flg_term3 travelling(flg_terms *graph, const flg_element_terms *of,
                            const motion *joint_frame) {
  const flg_term u = joint_speed(graph, of->element);
  const flg_term twice = product_of_terms(graph, flg_terms_constant(graph, 2), u);
  const flg_term3 along = flg_term3_scale(graph, of->travel, joint_frame->B.column[2]);
  const flg_term3 coriolis = flg_term3_cross(graph, joint_frame->w, (flg_term3){0, 0, twice});
  return flg_term3_add(graph, along, coriolis);
}

/* From the parent's axes into the joint's own, where its axis is z. B of the parent is applied in
 * the parent's axes, where the placement is a constant with many zeros. */
static void forward_terms_move(builder *of, int i) {
  flg_terms *graph = of->graph;
  const flg_element_terms *terms = &of->terms[i];
  const int parent = terms->element->parent;
  const flg_term3 spin = joint_spin(graph, terms->element);
  motion joint_frame = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {{{0, 0, 0}}}, 0, 0, 0, 0, 0, 0};
  flg_term3 a;
  if (parent == FLG_WORLD) {
    a = flg_term3_subtract(graph, FLG_TERM3_ZERO, forward_terms_gravity(of));
  } else {
    const motion *from = &of->motions[parent];
    a = flg_term3_add(graph, from->a, flg_term9_apply(graph, &from->B, terms->position));
    joint_frame.w = flg_element_down(graph, terms, from->w);
    joint_frame.alpha = flg_element_down(graph, terms, from->alpha);
  }
  motion *own = &of->motions[i];
  own->a = flg_element_down(graph, terms, a);
  /* A plain turn does not travel: this whole part is not generated for it. */
  if (terms->travel != 0) {
    find_turning(graph, &joint_frame);
    own->a = flg_term3_add(graph, own->a, travelling(graph, terms, &joint_frame));
  }
  own->w = flg_term3_add(graph, joint_frame.w, spin);
  own->alpha = flg_term3_add(graph, joint_frame.alpha, flg_term3_cross(graph, joint_frame.w, spin));
  find_turning(graph, own);
}

/* I alpha + w x I w, by what B holds of the products */
static flg_term3 gyrate(flg_terms *graph, const flg_term_inertia *I, const motion *of) {
  const flg_term3 t = of->alpha, *B = of->B.column;
  const flg_term x[5] = {product_of_terms(graph, I->xx, t.x),
                         product_of_terms(graph, minus(graph, I->zz, I->yy), of->yz),
                         flg_terms_negate(graph, product_of_terms(graph, I->xy, B[0].z)),
                         product_of_terms(graph, I->xz, B[0].y),
                         product_of_terms(graph, I->yz, minus(graph, of->yy, of->zz))};
  const flg_term y[5] = {product_of_terms(graph, I->yy, t.y),
                         product_of_terms(graph, minus(graph, I->xx, I->zz), of->xz),
                         product_of_terms(graph, I->xy, B[1].z),
                         flg_terms_negate(graph, product_of_terms(graph, I->yz, B[1].x)),
                         product_of_terms(graph, I->xz, minus(graph, of->zz, of->xx))};
  const flg_term z[5] = {product_of_terms(graph, I->zz, t.z),
                         product_of_terms(graph, minus(graph, I->yy, I->xx), of->xy),
                         product_of_terms(graph, I->yz, B[2].x),
                         flg_terms_negate(graph, product_of_terms(graph, I->xz, B[2].y)),
                         product_of_terms(graph, I->xy, minus(graph, of->xx, of->yy))};
  flg_term3 moment = FLG_TERM3_ZERO;
  for (int k = 0; k < 5; k++) {
    moment = flg_term3_add(graph, moment, (flg_term3){x[k], y[k], z[k]});
  }
  return moment;
}

/* Force and moment that the element's motion takes, at its origin (Newton and Euler). The moment h
 * = m c stands in for the centre of mass: it stays meaningful where regrouping leaves a mass of
 * zero. */
static flg_term_force own_force(flg_terms *graph, const flg_term_inertia *I, const motion *of) {
  const flg_term3 h = I->moment;
  const flg_term3 swing = flg_term9_apply(graph, &of->B, h);
  const flg_term3 force = flg_term3_add(graph, flg_term3_scale(graph, I->mass, of->a), swing);
  const flg_term3 moment = gyrate(graph, I, of);
  return (flg_term_force){force, flg_term3_add(graph, moment, flg_term3_cross(graph, h, of->a))};
}

static flg_term_force forward_terms_join(flg_terms *graph, flg_term_force a, flg_term_force b) {
  return (flg_term_force){flg_term3_add(graph, a.force, b.force),
                          flg_term3_add(graph, a.moment, b.moment)};
}

/* a = f - c, for now */
static void find_bias(builder *of) {
  flg_terms *graph = of->graph;
  const int count = of->elements->count;
  for (int i = 0; i < count; i++) {
    forward_terms_move(of, i);
    const flg_term_inertia I = flg_term_inertia_constant(graph, &of->elements->list[i].regrouped);
    of->forces[i] = own_force(graph, &I, &of->motions[i]);
    if (of->given == NULL) continue;
    const flg_term_force *pushed = &of->given->pushed[i];
    of->forces[i].force = flg_term3_subtract(graph, of->forces[i].force, pushed->force);
    of->forces[i].moment = flg_term3_subtract(graph, of->forces[i].moment, pushed->moment);
  }
  /* towards the base: when an element is reached, all that it carries has been added to its
   * force */
  for (int i = count - 1; i >= 0; i--) {
    const flg_element *element = &of->elements->list[i];
    for (int k = 0; k < flg_element_velocities(element); k++) {
      const int at = element->velocity + k;
      const flg_term f =
          of->given != NULL ? of->given->efforts[at] : flg_terms_input(graph, FLG_INPUT_FORCES, at);
      of->made->a[at] = minus(graph, f, flg_element_feel(graph, element, k, &of->forces[i]));
    }
    if (element->parent == FLG_WORLD) continue;
    const flg_term_force felt = flg_element_hand_force(graph, &of->terms[i], of->forces[i]);
    flg_term_force *parent = &of->forces[element->parent];
    *parent = forward_terms_join(graph, *parent, felt);
  }
}

/* --- mass ---------------------------------------------------------------------------------------
 */

/* the force for a unit acceleration of one of its coordinates */
static flg_term_force forward_terms_resist(flg_terms *graph, const flg_element *element, int index,
                                           const flg_term_inertia *I) {
  const flg_term one = flg_terms_constant(graph, 1);
  const flg_term3 units[3] = {{one, 0, 0}, {0, one, 0}, {0, 0, one}};
  const flg_term3 h = I->moment, z = units[2];
  if (element->kind == FLG_ELEMENT_SLIDE) {
    return (flg_term_force){flg_term3_scale(graph, I->mass, z), flg_term3_cross(graph, h, z)};
  }
  const flg_term3 axis = element->kind == FLG_ELEMENT_BALL ? units[index] : z;
  flg_term_force force = {flg_term3_cross(graph, axis, h), flg_term_inertia_spin(graph, I, axis)};
  if (element->pitch == 0) return force;
  const flg_term3 advance = {0, 0, flg_terms_constant(graph, element->pitch)};
  const flg_term_force slides = {flg_term3_scale(graph, I->mass, advance),
                                 flg_term3_cross(graph, h, advance)};
  return forward_terms_join(graph, force, slides);
}

/* Everything that a joint moves, as one rigid body (composite rigid bodies, Walker and Orin
 * 1982). */
static void find_composites(builder *of) {
  flg_terms *graph = of->graph;
  for (int i = 0; i < of->elements->count; i++) {
    of->composites[i] = flg_term_inertia_constant(graph, &of->elements->list[i].regrouped);
  }
  for (int i = of->elements->count - 1; i >= 0; i--) {
    const int parent = of->elements->list[i].parent;
    if (parent == FLG_WORLD) continue;
    const flg_term_inertia felt =
        flg_element_hand_inertia(graph, &of->terms[i], &of->composites[i]);
    of->composites[parent] = flg_term_inertia_add(graph, &of->composites[parent], &felt);
  }
}

/* row k of the mass: towards the base */
static void find_row(builder *of, int i, int index) {
  flg_terms *graph = of->graph;
  const flg_element *element = &of->elements->list[i];
  flg_term *row = of->made->mass + of->made->rows[element->velocity + index];
  flg_term_force force = forward_terms_resist(graph, element, index, &of->composites[i]);
  int last = index;
  for (;;) {
    for (int k = last; k >= 0; k--) *row++ = flg_element_feel(graph, element, k, &force);
    if (element->parent == FLG_WORLD) return;
    force = flg_element_hand_force(graph, &of->terms[i], force);
    i = element->parent;
    element = &of->elements->list[i];
    last = flg_element_velocities(element) - 1;
  }
}

/* After all rows: the armature is part of the diagonal alone, and so is what damping adds in a
 * step. */
static void find_mass(builder *of, const bool *is_added) {
  flg_terms *graph = of->graph;
  find_composites(of);
  for (int i = 0; i < of->elements->count; i++) {
    const flg_element *element = &of->elements->list[i];
    for (int k = 0; k < flg_element_velocities(element); k++) {
      const int at = element->velocity + k;
      find_row(of, i, k);
      flg_term *diagonal = of->made->mass + of->made->rows[at];
      *diagonal = sum(graph, *diagonal, flg_terms_constant(graph, element->armature));
      if (is_added == NULL || !is_added[at]) continue;
      *diagonal = sum(graph, *diagonal, flg_terms_input(graph, FLG_INPUT_ADDED, at));
    }
  }
}

/* --- factors and solution -----------------------------------------------------------------------
 */

/* M = L^T D L from the last coordinate to the first. In this order no element fills up: those that
 * are zero because two coordinates lie on different branches stay zero (Featherstone 2008, section
 * 6.5). */
static void forward_terms_factor(builder *of) {
  flg_terms *graph = of->graph;
  const flg_forward_terms *made = of->made;
  const flg_term one = flg_terms_constant(graph, 1);
  for (int k = made->count - 1; k >= 0; k--) {
    const flg_term *row = of->made->mass + of->made->rows[k];
    made->yields[k] = flg_terms_divide(graph, one, row[0]);
    int d = 1;
    for (int i = made->before[k]; i >= 0; i = made->before[i], d++) {
      const flg_term share = product_of_terms(graph, row[d], made->yields[k]);
      flg_term *upper = of->made->mass + of->made->rows[i];
      int e = 0;
      for (int j = i; j >= 0; j = made->before[j], e++) {
        upper[e] = minus(graph, upper[e], product_of_terms(graph, share, row[d + e]));
      }
      made->factors[made->first[k] + d - 1] = share;
    }
  }
}

/* First L^T from the tips to the base, then D and L back to the tips. */
static void forward_terms_solve(builder *of) {
  flg_terms *graph = of->graph;
  const flg_forward_terms *made = of->made;
  flg_term *a = made->a;
  for (int k = made->count - 1; k >= 0; k--) {
    const flg_term *row = made->factors + made->first[k];
    for (int i = made->before[k]; i >= 0; i = made->before[i]) {
      a[i] = minus(graph, a[i], product_of_terms(graph, *row++, a[k]));
    }
  }
  for (int k = 0; k < made->count; k++) {
    const flg_term *row = made->factors + made->first[k];
    a[k] = product_of_terms(graph, a[k], made->yields[k]);
    for (int i = made->before[k]; i >= 0; i = made->before[i]) {
      a[k] = minus(graph, a[k], product_of_terms(graph, *row++, a[i]));
    }
  }
}

/* --- layout -------------------------------------------------------------------------------------
 */

/* Coordinates of one joint count as a chain: the second is carried by the first. */
/* which coordinate carries which, and where rows begin */
static int lay_out_rows(builder *of) {
  flg_forward_terms *made = of->made;
  int depth = 0, mass_count = 0;
  for (int i = 0; i < of->elements->count; i++) {
    const flg_element *element = &of->elements->list[i];
    int carrier = -1;
    if (element->parent != FLG_WORLD) {
      const flg_element *parent = &of->elements->list[element->parent];
      carrier = parent->velocity + flg_element_velocities(parent) - 1;
    }
    for (int k = element->velocity; k < element->velocity + flg_element_velocities(element); k++) {
      made->before[k] = carrier;
      carrier = k;
    }
  }
  for (int k = 0; k < made->count; k++) {
    depth = 0;
    for (int i = made->before[k]; i >= 0; i = made->before[i]) depth++;
    made->first[k] = made->factor_count;
    made->factor_count += depth;
    of->made->rows[k] = mass_count;
    mass_count += depth + 1;
  }
  return mass_count;
}

/* M, and f - c in place of a */
static bool find_equations(builder *of, const bool *is_added, flg_region *region) {
  const flg_elements *elements = of->elements;
  flg_forward_terms *made = of->made;
  const size_t n = (size_t)elements->robot->velocity_count, m = (size_t)elements->count;
  *made = (flg_forward_terms){.count = (int)n};
  made->before = flg_region_take(region, n, sizeof(int));
  made->first = flg_region_take(region, n, sizeof(int));
  made->a = flg_region_take(region, n, sizeof(flg_term));
  made->rows = flg_region_take(region, n, sizeof(int));
  of->terms = flg_region_take(region, m, sizeof *of->terms);
  of->motions = flg_region_take(region, m, sizeof *of->motions);
  of->forces = flg_region_take(region, m, sizeof *of->forces);
  of->composites = flg_region_take(region, m, sizeof *of->composites);
  if (region->failed) return false;
  made->mass = flg_region_take(region, (size_t)lay_out_rows(of), sizeof(flg_term));
  if (region->failed) return false;
  for (int i = 0; i < elements->count; i++) {
    of->terms[i] = flg_element_terms_of(of->graph, &elements->list[i]);
  }
  find_bias(of);
  find_mass(of, is_added);
  return !region->failed;
}

bool flg_motion_terms_build(flg_forward_terms *forward, flg_terms *graph,
                            const flg_elements *elements, const flg_motion_terms *given,
                            flg_region *region) {
  builder of = {.graph = graph, .elements = elements, .given = given, .made = forward};
  return find_equations(&of, NULL, region);
}

bool flg_motion_terms_solve(flg_forward_terms *forward, flg_terms *graph, flg_region *region) {
  builder of = {.graph = graph, .made = forward};
  forward->yields = flg_region_take(region, (size_t)forward->count, sizeof(flg_term));
  forward->factors = flg_region_take(region, (size_t)forward->factor_count, sizeof(flg_term));
  if (region->failed) return false;
  forward_terms_factor(&of);
  forward_terms_solve(&of);
  return !region->failed;
}

bool flg_forward_terms_build(flg_forward_terms *forward, flg_terms *graph,
                             const flg_elements *elements, const bool *is_added,
                             flg_region *region) {
  builder of = {.graph = graph, .elements = elements, .made = forward};
  return find_equations(&of, is_added, region) && flg_motion_terms_solve(forward, graph, region);
}
