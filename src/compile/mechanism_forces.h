/* mechanism_forces.h - springs, dampers, bushings and loads of a compiled mechanism: text of
 * generated files. It comes before mechanism_rows.h, and follows the kernels of coordinates and
 * bushings, which are the interpreter's, and these tables (force_tables.c):
 *
 *     BODIES, COORDINATES, ELEMENT_ANGLES, SPRINGS, LOADS, BUSHINGS
 *     coordinate_kinds, coordinate_a, coordinate_b   bodies of its frames, -1: the ground; of a sum
 *                                                    the coordinates that it adds up, before it
 *     coordinate_angles    its place among the angles of the state, -1: it is none
 *     coordinate_numbers   (24) frames A and B; of a sum two factors, and what is subtracted
 *     spring_coordinates, spring_numbers (5)   stiffness, damping, preload, slack, rest
 *     load_bodies, load_turns (1: it turns with its body), load_numbers (18)   frame, force
 *     bushing_a, bushing_b, bushing_numbers (36)   frames A and B, stiffness, damping
 */
enum { SPRING_STIFFNESS, SPRING_DAMPING, SPRING_PRELOAD, SPRING_SLACK, SPRING_REST };

typedef struct elements {
  flg_spatial loads[AT_LEAST_ONE(LOADS)]; /* in the axes that it is in */
  /* scratch: */
  flg_pose at[BODIES];
  flg_spatial velocity[BODIES], force[BODIES];
  flg_coordinate_row rows[AT_LEAST_ONE(COORDINATES)];
  double angles[AT_LEAST_ONE(ELEMENT_ANGLES)],
      rates[AT_LEAST_ONE(ELEMENT_ANGLES)]; /* at the start of the step */
} elements;

static flg_pose load_pose(const double *from) {
  flg_pose pose;
  memcpy(pose.rotation.m, from + 3, sizeof pose.rotation.m);
  pose.position = flg_vec3_load(from);
  return pose;
}

/* --- where they are -----------------------------------------------------------------------------
 */

static flg_moving_frame element_frame(const elements *of, int body, const double *numbers) {
  const flg_pose own = load_pose(numbers);
  if (body < 0) return (flg_moving_frame){.pose = own};
  const flg_vec3 arm = flg_mat3_apply(&of->at[body].rotation, own.position);
  return (flg_moving_frame){flg_pose_compose(&of->at[body], &own),
                            flg_spatial_shift_motion(of->velocity[body], arm)};
}

static flg_vec3 spin_of_element(const elements *of, int body) {
  return body < 0 ? (flg_vec3){0, 0, 0} : of->velocity[body].angular;
}

/* x of the second frame in axes of the first */
static flg_vec3 element_face(const elements *of, int a, int b, const flg_pose own[2]) {
  flg_vec3 x = flg_mat3_column(&own[1].rotation, 0);
  if (b >= 0) x = flg_mat3_apply(&of->at[b].rotation, x);
  if (a >= 0) x = flg_mat3_apply_transposed(&of->at[a].rotation, x);
  return flg_mat3_apply_transposed(&own[0].rotation, x);
}

static void see_turn(elements *of, int k, double near) {
  const int a = coordinate_a[k], b = coordinate_b[k];
  const flg_pose own[2] = {load_pose(coordinate_numbers[k]), load_pose(coordinate_numbers[k] + 12)};
  const flg_vec3 x = element_face(of, a, b, own);
  flg_mat3 A = own[0].rotation, B = own[1].rotation;
  flg_angle_sight sight;
  of->rows[k].value = flg_angle_unwrap(atan2(x.y, x.x), near);
  if (a >= 0) A = flg_mat3_multiply(&of->at[a].rotation, &A);
  if (b >= 0) {
    flg_vec3_store(flg_mat3_apply(&of->at[b].rotation, flg_mat3_column(&own[1].rotation, 0)), B.m);
  }
  flg_angle_see(&A, &B, &of->rows[k], &sight);
  flg_angle_turn(&sight, spin_of_element(of, a), spin_of_element(of, b), &of->rows[k]);
}

static void see_sum(elements *of, int k) {
  const double *numbers = coordinate_numbers[k];
  const flg_coordinate_row *a = &of->rows[coordinate_a[k]], *b = &of->rows[coordinate_b[k]];
  flg_coordinate_row *row = &of->rows[k];
  row->value = -numbers[2], row->rate = 0;
  row->value += numbers[0] * a->value, row->rate += numbers[0] * a->rate;
  row->value += numbers[1] * b->value, row->rate += numbers[1] * b->rate;
}

/* Bodies and coordinates at q and v. Of angles the turn is the one nearest to that of the state,
 * `elapsed` 0, or to where the start of the step led. */
static void see_elements(elements *of, const double *q, const double *v, const double *angles,
                         double elapsed) {
  for (int k = 0; k < BODIES; k++) {
    const flg_quat turn = {q[7 * k + 3], q[7 * k + 4], q[7 * k + 5], q[7 * k + 6]};
    of->at[k].rotation = flg_quat_to_matrix(flg_quat_normalise(turn));
    of->at[k].position = flg_vec3_load(q + 7 * k);
    of->velocity[k] = flg_spatial_load(v + 6 * k);
  }
  for (int k = 0; k < COORDINATES; k++) {
    const int kind = coordinate_kinds[k], angle = coordinate_angles[k];
    if (kind == COORDINATE_SUM) {
      see_sum(of, k);
    } else if (kind == COORDINATE_ANGLE) {
      see_turn(of, k, elapsed > 0 ? of->angles[angle] + elapsed * of->rates[angle] : angles[angle]);
    } else {
      const flg_moving_frame end[2] = {
          element_frame(of, coordinate_a[k], coordinate_numbers[k]),
          element_frame(of, coordinate_b[k], coordinate_numbers[k] + 12)};
      (kind == COORDINATE_SLIDE ? flg_slide_evaluate : flg_distance_evaluate)(end, &of->rows[k]);
    }
    if (angle < 0 || elapsed > 0) continue;
    of->angles[angle] = of->rows[k].value, of->rates[angle] = of->rows[k].rate;
  }
}

/* --- forces -------------------------------------------------------------------------------------
 */

static void push_element(elements *of, int body, const double *frame, flg_spatial force) {
  if (body < 0) return;
  const flg_vec3 arm = flg_mat3_apply(&of->at[body].rotation, flg_vec3_load(frame));
  of->force[body] =
      flg_spatial_add(of->force[body], flg_spatial_shift_force(force, flg_vec3_negate(arm)));
}

static void pull_pair(elements *of, int k, double effort) {
  push_element(of, coordinate_a[k], coordinate_numbers[k],
               flg_spatial_scale(of->rows[k].side[0], effort));
  push_element(of, coordinate_b[k], coordinate_numbers[k] + 12,
               flg_spatial_scale(of->rows[k].side[1], effort));
}

/* an effort on a coordinate; a sum hands it on */
static void pull(elements *of, int k, double effort) {
  if (coordinate_kinds[k] != COORDINATE_SUM) {
    pull_pair(of, k, effort);
    return;
  }
  pull_pair(of, coordinate_a[k], coordinate_numbers[k][0] * effort);
  pull_pair(of, coordinate_b[k], coordinate_numbers[k][1] * effort);
}

static double stretch_of(const double *spring, double away) {
  const double slack = spring[SPRING_SLACK];
  return away > slack ? away - slack : away < -slack ? away + slack : 0;
}

static double spring_effort(const elements *of, int k) {
  const double *spring = spring_numbers[k];
  const flg_coordinate_row *row = &of->rows[spring_coordinates[k]];
  const double stretch = stretch_of(spring, row->value - spring[SPRING_REST]);
  const double damping = !(spring[SPRING_SLACK] > 0) || stretch != 0 ? spring[SPRING_DAMPING] : 0;
  return spring[SPRING_PRELOAD] - spring[SPRING_STIFFNESS] * stretch - damping * row->rate;
}

/* displacements and turns along and about axes of the first end, and the forces on both */
static void find_bushing(const elements *of, int k, double left[6], flg_spatial force[2]) {
  const double *numbers = bushing_numbers[k];
  const flg_moving_frame end[2] = {element_frame(of, bushing_a[k], numbers),
                                   element_frame(of, bushing_b[k], numbers + 12)};
  flg_constraint_row rows[6];
  flg_bushing_measure(end, rows);
  force[0] = force[1] = (flg_spatial){{0, 0, 0}, {0, 0, 0}};
  for (int i = 0; i < 6; i++) {
    const double effort = -numbers[24 + i] * rows[i].left - numbers[30 + i] * rows[i].rate;
    left[i] = rows[i].left;
    for (int e = 0; e < 2; e++) {
      force[e] = flg_spatial_add_scaled(force[e], effort, rows[i].side[e]);
    }
  }
}

/* where elements are seen, in the interpreter's order: forces are sums */
static void push_elements(elements *of) {
  for (int k = 0; k < SPRINGS; k++) pull(of, spring_coordinates[k], spring_effort(of, k));
  for (int k = 0; k < LOADS; k++) {
    const int body = load_bodies[k];
    flg_spatial force = of->loads[k];
    if (load_turns[k]) {
      const flg_moving_frame frame = element_frame(of, body, load_numbers[k]);
      force = flg_spatial_rotate(force, &frame.pose.rotation);
    }
    push_element(of, body, load_numbers[k], force);
  }
  for (int k = 0; k < BUSHINGS; k++) {
    flg_spatial force[2];
    double left[6];
    find_bushing(of, k, left, force);
    push_element(of, bushing_a[k], bushing_numbers[k], force[0]);
    push_element(of, bushing_b[k], bushing_numbers[k] + 12, force[1]);
  }
}

static double energy_of_elements(const elements *of) {
  double sum = 0;
  for (int k = 0; k < SPRINGS; k++) {
    const double *spring = spring_numbers[k], value = of->rows[spring_coordinates[k]].value;
    const double stretch = stretch_of(spring, value - spring[SPRING_REST]);
    sum += spring[SPRING_STIFFNESS] * stretch * stretch / 2 - spring[SPRING_PRELOAD] * value;
  }
  for (int k = 0; k < BUSHINGS; k++) {
    flg_spatial force[2];
    double left[6];
    find_bushing(of, k, left, force);
    for (int i = 0; i < 6; i++) sum += bushing_numbers[k][24 + i] * left[i] * left[i] / 2;
  }
  return sum;
}
