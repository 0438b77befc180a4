/* space_step.h - rattle of rigid bodies in space: the step (space_rows.h). Text of generated files.
 *
 * It follows functions over all joints, by shape: list_spares, see_joints, drift_joints,
 * write_joints, aim_bias, aim_left, aim_rest, couple_all; and factor_space, solve_space, by columns
 * of S.
 */
/* --- solve --------------------------------------------------------------------------------------
 */

/* forces on bodies by the right-hand sides that stand in the blocks; flat ones stay in their plane
 */
static void solve_rows(space *of) {
  for (int k = 0; k < SPACE_BODIES; k++) {
    space_body *body = &of->bodies[k];
    memset(body->force, 0, sizeof body->force);
  }
  rest_idle_blocks(of);
  solve_space(of);
  for (int k = 0; k < SPACE_BODIES && HAS_FLAT; k++) {
    space_body *body = &of->bodies[k];
    if (is_flat[k]) flg_frozen_flatten(body->normal, body->force, body->force);
  }
}

/* what their velocities without joints are in their plane, before a solve */
static void flatten_bodies(space *of) {
  for (int k = 0; k < SPACE_BODIES && HAS_FLAT; k++) {
    if (is_flat[k])
      flg_frozen_flatten(of->bodies[k].normal, of->bodies[k].bias, of->bodies[k].flat);
  }
}

static int is_asked_space(const space *of) {
  return of->impulses != NULL && *of->asks != 0;
}

/* momenta += G^T l */
static void add_impulses_space(space *of) {
  for (int k = 0; k < SPACE_BODIES; k++) {
    space_body *body = &of->bodies[k];
    if (HAS_FLAT && is_flat[k]) flg_frozen_hold_flat(body->W, body->bias, body->flat, body->force);
    body->momentum = flg_spatial_add(body->momentum, flg_spatial_load(body->force));
  }
  if (is_asked_space(of)) note_joints(of, 0);
}

/* --- the first half -----------------------------------------------------------------------------
 */

/* what is left of all joints, where bodies are */
static double measure_space(space *of) {
  space_gap most = {0, 0, 0};
  see_joints(of, &most);
  if (most.sum != most.sum) return most.sum;
  return flg_larger(most.apart / of->length, most.turned);
}

/* bodies, joints, rows and factors at q; 0: rows depend on each other there */
static int begin_space(space *of, const double *q) {
  if (of->is_known && memcmp(of->q, q, sizeof of->q) == 0) return 1;
  memcpy(of->q, q, sizeof of->q);
  for (int k = 0; k < SPACE_BODIES; k++) {
    orient_space(&of->bodies[k], q + 7 * k);
    weigh_space(&of->bodies[k]);
  }
  (void)measure_space(of);
  write_joints(of);
  open_idle_blocks(of);
  couple_all(of);
  return factor_space(of);
}

static flg_vec3 spin_on(const space *of, int body) {
  return body < 0 ? (flg_vec3){0, 0, 0} : of->bodies[body].velocity.angular;
}

/* rates that angles are foreseen by */
static void start_angles(space *of) {
  for (int k = 0; k < SPACE_ANGLES; k++) {
    const int *on = space_angle_bodies[k];
    flg_vec3 spin = spin_on(of, on[1]), z = flg_mat3_column(&of->angles[k].frame[0].rotation, 2);
    if (on[0] >= 0) {
      spin = flg_vec3_subtract(spin, spin_on(of, on[0]));
      z = flg_mat3_apply(&of->bodies[on[0]].at.rotation, z);
    }
    of->angles[k].rate = flg_vec3_dot(z, spin);
  }
}

/* the first impulses, with the factors of the start */
WIDE_VECTORS
static void set_off_space(space *of, double h, const double *v) {
  for (int k = 0; k < SPACE_BODIES; k++) {
    space_body *body = &of->bodies[k];
    body->velocity = flg_spatial_load(v + 6 * k);
    body->start = flg_body_momentum(body->mass, body->inertia, body->velocity);
    body->momentum = flg_spatial_add_scaled(body->start, h / 2, body->weight);
    const flg_spatial mean = flg_body_set_off(body->mass, body->inverse, body->velocity.angular,
                                              body->start, body->momentum, h);
    flg_spatial_store(mean, body->bias);
  }
  start_angles(of);
  drift_joints(of);
  flatten_bodies(of);
  aim_bias(of, h / 2);
  solve_rows(of);
  add_impulses_space(of);
}

WIDE_VECTORS
static int fly_space(space *of, double h) {
  for (int k = 0; k < SPACE_BODIES; k++) {
    space_body *body = &of->bodies[k];
    if (!flg_body_fly(body->mass, body->own, body->own_inverse, body->momentum, h, of->q + 7 * k,
                      of->next + 7 * k)) {
      return 0;
    }
    orient_space(body, of->next + 7 * k);
  }
  return 1;
}

/* impulses at the start such that the free step ends on all joints */
static int close_space(space *of, double h) {
  double before = INFINITY;
  for (int k = 0; k < SPACE_CORRECTIONS_MAX; k++) {
    of->open = INFINITY;
    if (!fly_space(of, h)) return 0;
    of->open = measure_space(of);
    if (of->open <= SPACE_CLOSED) return 1;
    if (!(of->open < SPACE_SLOWEST * before)) return 0;
    before = of->open;
    for (int b = 0; b < SPACE_BODIES && HAS_FLAT; b++) {
      memset(of->bodies[b].bias, 0, sizeof of->bodies[b].bias);
    }
    flatten_bodies(of);
    aim_left(of, 1 / h);
    solve_rows(of);
    add_impulses_space(of);
  }
  return 0;
}

/* --- the second half ----------------------------------------------------------------------------
 */

/* of six numbers, the largest: displacements over the length, and turns */
static double largest_motion(const double *x, double length) {
  double way = 0, turn = 0;
  for (int j = 0; j < 3; j++) way = flg_larger(way, fabs(x[j]));
  for (int j = 3; j < 6; j++) turn = flg_larger(turn, fabs(x[j]));
  return flg_larger(way / length, turn);
}

/* rows that were left out are fulfilled, up to rounding */
static int agree_space(const space *of) {
  double most = 0, size = 0;
  for (int k = 0; k < SPACE_SPARES; k++) {
    double left = -0.0;
    int slides = 0; /* the row is one of displacements */
    for (int e = 0; e < 2 && of->spare_bodies[k][e] >= 0; e++) {
      const double *y = of->bodies[of->spare_bodies[k][e]].motion;
#pragma GCC unroll 6
      for (int j = 0; j < 6; j++) left += of->spares[k][e][j] * y[j];
      for (int j = 0; j < 3; j++) slides = slides || of->spares[k][e][j] != 0;
    }
    most = flg_larger(most, slides ? fabs(left) / of->length : fabs(left));
  }
  if (most == 0) return 1;
  for (int k = 0; k < SPACE_BODIES; k++) {
    const space_body *body = &of->bodies[k];
    size = flg_larger(
        size, largest_motion(body->motion, of->length) + largest_motion(body->bias, of->length));
  }
  return most <= SPACE_AGREED * size;
}

/* velocities at the end, with its factors; 0: some are not finite, or rows that were left out are
 * not fulfilled */
WIDE_VECTORS
static int arrive_space(space *of, double h) {
  double lost = 0;
  for (int k = 0; k < SPACE_BODIES; k++) {
    space_body *body = &of->bodies[k];
    body->momentum = flg_spatial_add_scaled(body->momentum, h / 2, body->weight);
    flg_spatial_store(flg_body_velocity(body->mass, body->inertia, body->inverse, body->momentum),
                      body->bias);
  }
  flatten_bodies(of);
  aim_rest(of);
  solve_rows(of);
  if (is_asked_space(of)) note_joints(of, 1);
  for (int k = 0; k < SPACE_BODIES; k++) {
    space_body *body = &of->bodies[k];
    lost += flg_frozen_move(body->W, HAS_FLAT && is_flat[k] ? body->flat : body->bias, body->force,
                            body->motion);
  }
  return lost == 0 && agree_space(of);
}

static void store_space(space *of, double *q, double *v) {
  memcpy(of->q, of->next, sizeof of->q);
  memcpy(q, of->next, sizeof of->q);
  for (int k = 0; k < SPACE_BODIES; k++) memcpy(v + 6 * k, of->bodies[k].motion, 6 * sizeof *v);
  of->is_known = 1;
}

/* --- instances ----------------------------------------------------------------------------------
 */

static flg_sym3 load_tensor(const double *s) {
  return (flg_sym3){s[0], s[1], s[2], s[3], s[4], s[5]};
}

/* of: zeros so far */
static void space_fill(space *of, const flg_space_numbers *numbers) {
  int spares = 0;
  of->length = numbers->length, of->sound = SPACE_SOUND;
  of->push = numbers->push, of->context = numbers->context;
  of->impulses = numbers->impulses, of->asks = numbers->asks;
  list_spares(of, &spares);
  for (int k = 0; k < SPACE_BODIES; k++) {
    space_body *body = &of->bodies[k];
    const double *axial = numbers->axials + 8 * k, mass = numbers->masses[k];
    const flg_vec3 axis = flg_vec3_load(axial + 5);
    body->mass = mass;
    body->own = load_tensor(numbers->inertias + 6 * k);
    body->own_inverse = load_tensor(numbers->inverses + 6 * k);
    body->is_axial = axial[0] != 0;
    body->resists = (flg_axial){axial[1], axial[2], axis};
    body->yields = (flg_axial){axial[3], axial[4], axis};
    body->weight.linear = flg_vec3_scale(flg_vec3_load(numbers->gravities + 3 * k), mass);
    memcpy(body->normal, numbers->normals + 3 * k, sizeof body->normal);
    for (int i = 0; i < 3; i++) body->W[7 * i] = 1 / mass;
  }
  for (int k = 0; k < SPACE_JOINTS && numbers->frames != NULL; k++) {
    memcpy(of->joints[k].frame, numbers->frames + 24 * k, sizeof of->joints[k].frame);
  }
  for (int k = 0; k < SPACE_ANGLES; k++) {
    memcpy(of->angles[k].frame, numbers->angle_frames + 24 * k, sizeof of->angles[k].frame);
  }
}
