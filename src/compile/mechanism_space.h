/* mechanism_space.h - steps of a compiled mechanism in space by rows that are frozen
 * (space_step.h), with forces on its ports: text of generated files. It follows mechanism_step.h,
 * and these tables:
 *
 *     space_joints[]    (SPACE_JOINTS) numbers of its joints in the mechanism
 *     space_axials[], space_normals[]   as of flg_space_numbers
 */
/* of: zeros so far */
static void start_space(mechanism *of) {
  space *in = &of->in_space;
  const flg_space_numbers numbers = {.masses = masses,
                                     .inertias = &inertias[0][0],
                                     .inverses = &inverses[0][0],
                                     .axials = &space_axials[0][0],
                                     .gravities = &of->gravity[0][0],
                                     .normals = &space_normals[0][0],
                                     .length = of->length};
  space_fill(in, &numbers);
  for (int k = 0; k < SPACE_JOINTS; k++) {
    for (int e = 0; e < 2; e++) {
      const double *frame = joints[space_joints[k]].frame[e];
      flg_pose *to = &in->joints[k].frame[e];
      memcpy(to->rotation.m, frame + 3, sizeof to->rotation.m);
      to->position = flg_vec3_load(frame);
    }
  }
}

static void push_space(mechanism *of, const double *q, const double *v, double elapsed,
                       int is_pushed) {
  push(of, q, v, elapsed, is_pushed);
  for (int k = 0; k < BODIES; k++) {
    of->in_space.bodies[k].weight = flg_spatial_load(of->bodies[k].force);
  }
}

/* what velocities at the end are foreseen by */
static void note_space(space *of) {
  for (int k = 0; k < SPACE_BODIES && HAS_ELEMENTS; k++)
    of->bodies[k].aimed = of->bodies[k].momentum;
}

/* as look_ahead, at the end of the free step */
static void look_ahead_from(mechanism *of) {
  space *in = &of->in_space;
  for (int k = 0; k < SPACE_BODIES && HAS_ELEMENTS; k++) {
    space_body *body = &in->bodies[k];
    const flg_spatial change = flg_spatial_subtract(body->aimed, body->start);
    const flg_spatial aimed = flg_spatial_add(body->aimed, change);
    weigh_space(body);
    flg_spatial_store(flg_body_velocity(body->mass, body->inertia, body->inverse, aimed),
                      of->ahead + 6 * k);
  }
}

/* momenta and the end of the free step, from one way of stepping to the other */
static void leave_space(mechanism *of) {
  for (int k = 0; k < BODIES; k++) {
    const space_body *from = &of->in_space.bodies[k];
    body *to = &of->bodies[k];
    flg_spatial_store(from->momentum, to->momentum);
    flg_spatial_store(from->start, to->start);
    flg_spatial_store(from->aimed, to->aimed);
  }
  memcpy(of->next, of->in_space.next, sizeof of->next);
}

static void enter_space(mechanism *of) {
  space *in = &of->in_space;
  memcpy(in->next, of->next, sizeof in->next);
  for (int k = 0; k < BODIES; k++) {
    in->bodies[k].momentum = flg_spatial_load(of->bodies[k].momentum);
    in->bodies[k].start = flg_spatial_load(of->bodies[k].start);
    in->bodies[k].aimed = flg_spatial_load(of->bodies[k].aimed);
    orient_space(&in->bodies[k], in->next + 7 * k);
  }
  (void)measure_space(in);
}

/* Factors of the frozen rows where bodies are, at q. Close to a singular pose, where no other rows
 * are farther from dependent, they serve as well (flg_plan_factor_steep); else rows are chosen. */
enum { FROZEN, STEEP, CHOSEN_HERE };

static int steepen(mechanism *of, const double *q) {
  space *in = &of->in_space;
  place_bodies(of, q);
  place_rows(of, q);
  if (GENERAL_ROWS < ROWS || !factor_general(of, DEPENDENT)) return CHOSEN_HERE;
  if (of->rank >= CHOSEN && of->least >= STEEP_BELOW) return CHOSEN_HERE;
  in->sound = SPACE_STEEPEST;
  write_joints(in);
  couple_all(in);
  const int is_sound = factor_space(in);
  in->sound = SPACE_SOUND;
  return is_sound ? STEEP : CHOSEN_HERE;
}

static int factor_next(mechanism *of) {
  space *in = &of->in_space;
  for (int k = 0; k < SPACE_BODIES; k++) weigh_space(&in->bodies[k]);
  write_joints(in);
  couple_all(in);
  return factor_space(in) ? FROZEN : steepen(of, in->next);
}

/* y, by which joints close that are open at the end of the free step; bodies are moved by it */
static void move_next(space *of, double *moved) {
  for (int k = 0; k < SPACE_BODIES; k++) memset(of->bodies[k].bias, 0, sizeof of->bodies[k].bias);
  flatten_bodies(of);
  aim_left(of, 1);
  solve_rows(of);
  for (int k = 0; k < SPACE_BODIES; k++) {
    space_body *body = &of->bodies[k];
    const double *b = HAS_FLAT && is_flat[k] ? body->flat : body->bias, *y = body->motion;
    double *q = of->next + 7 * k;
    (void)flg_frozen_move(body->W, b, body->force, body->motion);
    const flg_quat by = flg_quat_exp_kernel(flg_vec3_load(y + 3)), at = {q[3], q[4], q[5], q[6]};
    const flg_quat turn = flg_quat_normalise(flg_quat_normalise(flg_quat_multiply(by, at)));
    for (int i = 0; i < 3; i++) q[i] += y[i];
    q[3] = turn.w, q[4] = turn.x, q[5] = turn.y, q[6] = turn.z;
    for (int i = 0; i < 6; i++) moved[6 * k + i] += y[i];
    orient_space(body, q);
  }
}

/* as project, by frozen rows; *way: of the factors */
static int project_space(mechanism *of, int *way) {
  double before = INFINITY;
  int is_renewed = 0;
  clear(of->moved, 6 * BODIES);
  for (int k = 0; k < PROJECTIONS; k++) {
    const double left = measure_space(&of->in_space);
    if (left <= (*way == STEEP ? TIGHT : CLOSED)) return 1;
    if (!(left < INFINITY)) return 0;
    if (left > RENEWED * before) {
      if (left <= (*way == STEEP ? ROUNDED : BEARABLE)) return 1;
      if (is_renewed) return left <= NEARLY_CLOSED && left >= before;
      *way = factor_next(of), is_renewed = 1;
      if (*way == CHOSEN_HERE) return 0;
    }
    before = left;
    move_next(&of->in_space, of->moved);
  }
  return before <= NEARLY_CLOSED;
}

/* The first half from or to a pose close to a singular one, by frozen rows: positions are projected
 * where the free step ends, and momenta follow. 0: it is not for it. */
static int depart_steeply(mechanism *of, double h, int is_sound) {
  space *in = &of->in_space;
  for (int k = 0; k < SPACE_BODIES; k++) orient_space(&in->bodies[k], in->q + 7 * k);
  (void)measure_space(in);
  set_off_space(in, h, of->state + 7 * BODIES);
  note_space(in);
  if (!fly_space(in, h)) return 0;
  (void)measure_space(in);
  int way = factor_next(of);
  if (way == CHOSEN_HERE || (is_sound && way != STEEP) || !project_space(of, &way)) return 0;
  for (int k = 0; k < SPACE_BODIES; k++) {
    space_body *body = &in->bodies[k];
    const flg_spatial change = flg_spatial_load(of->moved + 6 * k);
    const flg_spatial kick = {flg_vec3_scale(change.linear, body->mass / h),
                              flg_vec3_scale(flg_sym3_apply(body->inertia, change.angular), 1 / h)};
    body->momentum = flg_spatial_add(body->momentum, kick);
  }
  return 1;
}

/* The first half as the interpreter takes it: by frozen rows, if they are sound at the start and
 * close the joints, or close to a singular pose; else the general way. */
static int depart_from(mechanism *of, double h, int is_pushed) {
  space *in = &of->in_space;
  push_space(of, of->state, of->state + 7 * BODIES, 0, is_pushed);
  const int is_sound = begin_space(in, of->state);
  in->is_known = 0;
  if (is_sound) {
    set_off_space(in, h, of->state + 7 * BODIES);
    note_space(in);
    if (close_space(in, h) || in->open <= BEARABLE) return 1;
  }
  of->is_general = GENERAL_ROWS >= ROWS;
  if (!of->is_general) return 0;
  if ((is_sound || steepen(of, of->state) == STEEP) && depart_steeply(of, h, is_sound)) return 1;
  if (!(is_sound ? fly_and_project(of, h) : depart(of, h, is_pushed))) return 0;
  enter_space(of);
  return 1;
}

/* the second half, likewise; 0: the state is as it was */
static int arrive_at(mechanism *of, double h, int is_pushed) {
  space *in = &of->in_space;
  int way = factor_next(of);
  if (way != CHOSEN_HERE && measure_space(in) > (way == STEEP ? TIGHT : CLOSED)) {
    way = project_space(of, &way) ? factor_next(of) : CHOSEN_HERE;
  }
  leave_space(of);
  of->is_general = of->is_general || way != FROZEN;
  if (way != CHOSEN_HERE && arrive_space(in, h)) {
    store_space(in, of->state, of->state + 7 * BODIES);
    in->is_known = way == FROZEN;
    return 1;
  }
  of->is_general = 1;
  if (GENERAL_ROWS < ROWS || !arrive(of, h, is_pushed)) return 0;
  store(of);
  return 1;
}

/* Half steps that frozen rows do not take as they do elsewhere are counted. */
static int step_space(mechanism *of, double h, int is_pushed, double counted) {
  if (!depart_from(of, h, is_pushed)) return 0;
  look_ahead_from(of);
  push_space(of, of->in_space.next, of->ahead, h, is_pushed);
  if (!arrive_at(of, h, is_pushed)) return 0;
  if (of->is_general) of->state[MOTION] = counted;
  return 1;
}
