/* space_alone.h - steps in space that leave the work of joints and turns of angles, besides the
 * state (space_step.h): text of generated files, for components that are interpreted otherwise. */
/* forces at the start of a step or at its end, where others than gravity push */
static void ask_forces(space *of, int is_end, const double *q, const double *v) {
  if (of->push == NULL) return;
  of->push(of->context, is_end, q, v, of->forces);
  for (int k = 0; k < SPACE_BODIES; k++) {
    of->bodies[k].weight = flg_spatial_load(of->forces + 6 * k);
  }
}

/* The first half, from q and v to where the free step ends; 0: it is not for it. */
static int depart_space(space *of, double h, const double *q, const double *v) {
  const int has_begun = begin_space(of, q);
  of->is_known = 0;
  if (!has_begun) return 0;
  ask_forces(of, 0, q, v);
  if (is_asked_space(of)) memset(of->impulses, 0, 12 * SPACE_JOINTS * sizeof(double));
  set_off_space(of, h, v);
  for (int k = 0; k < SPACE_BODIES; k++) {
    of->bodies[k].pushed = of->bodies[k].weight, of->bodies[k].aimed = of->bodies[k].momentum;
  }
  return close_space(of, h);
}

/* Velocities at the end for forces that depend on them: as far again from the start as the first
 * impulses led. */
static void look_ahead_space(space *of) {
  for (int k = 0; k < SPACE_BODIES && of->push != NULL; k++) {
    const space_body *body = &of->bodies[k];
    const flg_spatial change = flg_spatial_subtract(body->aimed, body->start);
    const flg_spatial aimed = flg_spatial_add(body->aimed, change);
    flg_spatial_store(flg_body_velocity(body->mass, body->inertia, body->inverse, aimed),
                      of->ahead + 6 * k);
  }
}

/* The second half: velocities there; 0: it is not for it. */
static int land_space(space *of, double h) {
  for (int k = 0; k < SPACE_BODIES; k++) weigh_space(&of->bodies[k]);
  write_joints(of);
  open_idle_blocks(of);
  couple_all(of);
  if (!factor_space(of)) return 0;
  look_ahead_space(of);
  ask_forces(of, 1, of->next, of->ahead);
  return arrive_space(of, h);
}

WIDE_VECTORS
static void find_work_space(const space *of, double h, double work[4]) {
  flg_part_work sum = {0};
  for (int k = 0; k < SPACE_BODIES; k++) {
    const space_body *body = &of->bodies[k];
    const flg_spatial velocity = flg_spatial_load(body->motion);
    const flg_part_motion start = {body->velocity, body->start, body->pushed};
    const flg_part_motion end = {velocity, flg_body_momentum(body->mass, body->inertia, velocity),
                                 body->weight};
    flg_part_work_add(&sum, body->mass, h, &start, &end);
  }
  work[0] = sum.joints, work[1] = sum.before, work[2] = sum.after, work[3] = sum.least;
}

/* x of the second frame in axes of the first */
static flg_vec3 face_of(const space *of, int k) {
  const int *on = space_angle_bodies[k];
  const space_angle *angle = &of->angles[k];
  flg_vec3 x = flg_mat3_column(&angle->frame[1].rotation, 0);
  if (on[1] >= 0) x = flg_mat3_apply(&of->bodies[on[1]].at.rotation, x);
  if (on[0] >= 0) x = flg_mat3_apply_transposed(&of->bodies[on[0]].at.rotation, x);
  return flg_mat3_apply_transposed(&angle->frame[0].rotation, x);
}

/* The state has an angle within half a turn of that of the frames (assembly/assembly_motion.c). */
static void follow_angles(space *of, double h, double *angles) {
  for (int k = 0; k < SPACE_ANGLES; k++) {
    space_angle *angle = &of->angles[k];
    const flg_vec3 x = face_of(of, k);
    if (angle->marked != angles[k] || !angle->is_marked) {
      angle->cosine = cos(angles[k]), angle->sine = sin(angles[k]);
      angle->marked = angles[k], angle->is_marked = 1;
    }
    if (fabs(h * angle->rate) < 1 && x.x * angle->cosine + x.y * angle->sine > 0.5) continue;
    angles[k] = flg_angle_unwrap(atan2(x.y, x.x), angles[k] + h * angle->rate);
  }
}

static int space_step(void *instance, double h, double *q, double *v, double *angles,
                      double work[4]) {
  space *of = instance;
  if (!depart_space(of, h, q, v) || !land_space(of, h)) return 0;
  find_work_space(of, h, work);
  follow_angles(of, h, angles);
  store_space(of, q, v);
  return 1;
}
