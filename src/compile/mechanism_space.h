/* mechanism_space.h - steps of a compiled mechanism in space by rows that are frozen
 * (space_step.h), with forces on its ports: text of generated files. It follows mechanism_step.h,
 * and these tables:
 *
 *     space_joints[]    (SPACE_JOINTS) numbers of its joints in the mechanism
 *     space_axials[], space_normals[]   as of flg_space_numbers
 */
/* of: zeros so far; frames of joints are known. R: by columns, the turn of the mechanism */
static void start_space(mechanism *of, const double R[9]) {
  space *in = &of->in_space;
  const flg_space_numbers numbers = {
      masses, &inertias[0][0], &inverses[0][0], space_axials, &of->gravity[0][0], space_normals, 0,
      0,      LENGTH};
  space_fill(in, &numbers);
  for (int k = 0; k < SPACE_BODIES; k++) rotate(R, in->bodies[k].normal, in->bodies[k].normal);
  for (int k = 0; k < SPACE_JOINTS; k++) {
    for (int e = 0; e < 2; e++) {
      const double *frame = of->ground[space_joints[k]][e];
      flg_pose *to = &in->joints[k].frame[e];
      memcpy(to->rotation.m, frame + 3, sizeof to->rotation.m);
      to->position = flg_vec3_load(frame);
    }
  }
}

static void push_space(mechanism *of, const double *q, int is_pushed) {
  push(of, q, is_pushed);
  for (int k = 0; k < BODIES; k++) {
    of->in_space.bodies[k].weight = flg_spatial_load(of->bodies[k].force);
  }
}

static int step_space(mechanism *of, double h, int is_pushed) {
  space *in = &of->in_space;
  double *v = of->state + 7 * BODIES;
  push_space(of, of->state, is_pushed);
  if (!depart_space(in, h, of->state, v)) return 0;
  push_space(of, in->next, is_pushed);
  if (!land_space(in, h)) return 0;
  store_space(in, of->state, v);
  return 1;
}
