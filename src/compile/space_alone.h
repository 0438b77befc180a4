/* space_alone.h - steps in space that leave the work of joints and turns of angles, besides the
 * state (space_step.h): text of generated files, for components that are interpreted otherwise. */
WIDE_VECTORS
static void find_work_space(const space *of, double h, double work[3]) {
  flg_part_work sum = {0};
  for (int k = 0; k < SPACE_BODIES; k++) {
    const space_body *body = &of->bodies[k];
    const flg_spatial velocity = flg_spatial_load(body->motion);
    const flg_part_motion start = {body->velocity, body->start, body->weight};
    const flg_part_motion end = {velocity, flg_body_momentum(body->mass, body->inertia, velocity),
                                 body->weight};
    flg_part_work_add(&sum, body->mass, h, &start, &end);
  }
  work[0] = sum.joints, work[1] = sum.before, work[2] = sum.after;
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
    angles[k] = flg_joint_unwrap(atan2(x.y, x.x), angles[k] + h * angle->rate);
  }
}

static int space_step(void *instance, double h, double *q, double *v, double *angles,
                      double work[3]) {
  space *of = instance;
  if (!depart_space(of, h, q, v) || !land_space(of, h)) return 0;
  find_work_space(of, h, work);
  follow_angles(of, h, angles);
  store_space(of, q, v);
  return 1;
}
