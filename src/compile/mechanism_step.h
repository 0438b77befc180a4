/* mechanism_step.h - factors, forces and steps of a compiled mechanism (mechanism_rows.h has the
 * equations): text of generated files. */
/* --- factors ------------------------------------------------------------------------------------
 */

IN_LINE double product_six(const double *a, const double *b) {
  const four products = *(const four *)a * *(const four *)b;
  const two rest = *(const two *)(a + 4) * *(const two *)(b + 4);
  const two sums = (two){products[0], products[1]} + (two){products[2], products[3]} + rest;
  return sums[0] + sums[1];
}

/* products of all chosen rows of two joints, by the ends on a body that they share */
IN_LINE void couple_joints(mechanism *of, const int *at) {
  const int last = joints[at[0] + 1].first, other_last = joints[at[1] + 1].first;
  for (int i = joints[at[0]].first; i < last; i++) {
    if (places[i] < 0) continue;
    double *row = of->factor + profile_start[places[i]] - profile_first[places[i]];
    for (int j = joints[at[1]].first; j < other_last && places[j] <= places[i]; j++) {
      if (places[j] >= 0) row[places[j]] += product_six(of->rows[i][at[2]], of->yields[j][at[3]]);
    }
  }
}

/* a . b, by four sums */
IN_LINE double dot_rows(const double *a, const double *b, int count) {
  four sums = {0, 0, 0, 0};
  double rest = 0;
  int k = 0;
  for (; k + 4 <= count; k += 4) sums += *(const four *)(a + k) * *(const four *)(b + k);
  for (; k < count; k++) rest += a[k] * b[k];
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + rest;
}

/* to -= factor a */
IN_LINE void subtract_row(double factor, const double *a, int count, double *to) {
  int k = 0;
  for (; k + 4 <= count; k += 4) *(four *)(to + k) -= factor * *(const four *)(a + k);
  for (; k < count; k++) to[k] -= factor * a[k];
}

/* the chosen rows, by their profile; 0: a pivot is too small */
WIDE_VECTORS
static int factor_chosen(mechanism *of) {
  of->least = 1;
  memset(of->factor, 0, sizeof of->factor);
  for (int k = 0; k < COUPLINGS; k++) couple_joints(of, couplings[k]);
  for (int i = 0; i < CHOSEN; i++) {
    double *row = of->factor + profile_start[i] - profile_first[i];
    const double own = row[i];
    for (int j = profile_first[i]; j < i; j++) {
      const double *other = of->factor + profile_start[j] - profile_first[j];
      const int from = profile_first[i] > profile_first[j] ? profile_first[i] : profile_first[j];
      row[j] = (row[j] - dot_rows(row + from, other + from, j - from)) * of->roots[j];
      row[i] -= row[j] * row[j];
    }
    if (!(row[i] > SOUND * own)) return 0;
    if (row[i] < of->least * own) of->least = row[i] / own;
    of->roots[i] = 1 / sqrt(row[i]);
  }
  return 1;
}

WIDE_VECTORS
static void solve_chosen(mechanism *of) {
  double *x = of->solution;
  for (int i = 0; i < CHOSEN; i++) {
    const int first = profile_first[i];
    const double *row = of->factor + profile_start[i];
    x[i] = (of->side[chosen[i]] - dot_rows(row, x + first, i - first)) * of->roots[i];
  }
  for (int i = CHOSEN - 1; i >= 0; i--) {
    const int first = profile_first[i];
    x[i] *= of->roots[i];
    subtract_row(x[i], of->factor + profile_start[i], i - first, x + first);
  }
  for (int i = 0; i < ROWS; i++) of->side[i] = 0;
  for (int i = 0; i < CHOSEN; i++) of->side[chosen[i]] = x[i];
}

/* all rows, the largest pivot first, scaled by how bodies yield to them alone */
static int factor_general(mechanism *of, double tolerance) {
  double *L = of->dense;
  of->least = 1;
  if (GENERAL_ROWS < ROWS) return 0;
  for (int i = 0; i < ROWS; i++) of->scale[i] = 1 / sqrt(couple(of, i, i)), of->order[i] = i;
  for (int j = 0; j < ROWS; j++) {
    for (int i = j; i < ROWS; i++) {
      L[i + ROWS * j] = couple(of, i, j) * of->scale[i] * of->scale[j];
    }
  }
  for (of->rank = 0; of->rank < ROWS; of->rank++) {
    const int k = of->rank;
    int best = k;
    for (int i = k + 1; i < ROWS; i++) {
      if (L[i + ROWS * i] > L[best + ROWS * best]) best = i;
    }
    if (!(L[best + ROWS * best] > tolerance)) break;
    if (L[best + ROWS * best] < of->least) of->least = L[best + ROWS * best];
    if (best != k) { /* rows and columns change places, in the lower triangle */
      const int old = of->order[k];
      of->order[k] = of->order[best], of->order[best] = old;
      for (int c = 0; c < k; c++) {
        const double t = L[k + ROWS * c];
        L[k + ROWS * c] = L[best + ROWS * c], L[best + ROWS * c] = t;
      }
      for (int c = k + 1; c < best; c++) {
        const double t = L[c + ROWS * k];
        L[c + ROWS * k] = L[best + ROWS * c], L[best + ROWS * c] = t;
      }
      for (int c = best + 1; c < ROWS; c++) {
        const double t = L[c + ROWS * k];
        L[c + ROWS * k] = L[c + ROWS * best], L[c + ROWS * best] = t;
      }
      const double t = L[k + ROWS * k];
      L[k + ROWS * k] = L[best + ROWS * best], L[best + ROWS * best] = t;
    }
    L[k + ROWS * k] = sqrt(L[k + ROWS * k]);
    for (int i = k + 1; i < ROWS; i++) L[i + ROWS * k] /= L[k + ROWS * k];
    for (int j = k + 1; j < ROWS; j++) {
      for (int i = j; i < ROWS; i++) L[i + ROWS * j] -= L[i + ROWS * k] * L[j + ROWS * k];
    }
  }
  return 1;
}

static void solve_general(mechanism *of) {
  const double *L = of->dense;
  double *x = of->solution;
  for (int i = 0; i < of->rank; i++) {
    double sum = of->side[of->order[i]] * of->scale[of->order[i]];
    for (int k = 0; k < i; k++) sum -= L[i + ROWS * k] * x[k];
    x[i] = sum / L[i + ROWS * i];
  }
  for (int i = of->rank - 1; i >= 0; i--) {
    for (int k = i + 1; k < of->rank; k++) x[i] -= L[k + ROWS * i] * x[k];
    x[i] /= L[i + ROWS * i];
  }
  for (int i = 0; i < ROWS; i++) of->side[i] = 0;
  for (int i = 0; i < of->rank; i++) of->side[of->order[i]] = x[i] * of->scale[of->order[i]];
}

static int factor(mechanism *of) {
  return of->is_general ? factor_general(of, DEPENDENT) : factor_chosen(of);
}

/* impulses of all rows from right-hand sides, both in side */
static void solve(mechanism *of) {
  if (of->is_general) {
    solve_general(of);
  } else {
    solve_chosen(of);
  }
}

static void clear(double *y, int count) {
  for (int k = 0; k < count; k++) y[k] = 0;
}

/* y += G^T l, or M^-1 G^T l with the yields */
static void spread(const mechanism *of, double (*rows)[2][6], double *y) {
  for (int i = 0; i < ROWS; i++) {
    const double l = of->side[i];
    if (l == 0) continue;
    for (int e = 0; e < 2; e++) {
      const int on = joints[row_joints[i]].body[e];
      for (int k = 0; on >= 0 && k < 6; k++) y[6 * on + k] += l * rows[i][e][k];
    }
  }
}

/* y closed by the rows: G y = -share of the biases */
static void hold(mechanism *of, double share, double *y) {
  for (int i = 0; i < ROWS; i++) {
    of->side[i] = -rate_of(of, row_joints[i], i, y) - (share == 0 ? 0 : share * of->bias[i]);
  }
  solve(of);
  spread(of, of->yields, y);
}

/* factors where it is: of the chosen rows, else of rows that are chosen here; 0: neither */
static int factor_here(mechanism *of, const double *q) {
  of->is_known = 0;
  place_bodies(of, q);
  place_rows(of, q);
  of->is_general = 0;
  if (factor(of)) return 1;
  of->is_general = 1;
  return factor(of);
}

/* --- forces -------------------------------------------------------------------------------------
 */

/* Vectors of ports to and from axes of the world, three numbers at a time: the mechanism
 * stands as its model does, and `at` and `turn` of a scenario are where it is seen from. */
static void show_vectors(const mechanism *of, int count, double *to) {
  for (int k = 0; of->is_elsewhere && k < count; k += 3) rotate(of->turn, to + k, to + k);
}

static void see_vectors(const mechanism *of, const double *from, double *to) {
  for (int k = 0; k < FORCES; k += 3) {
    for (int i = 0; i < 3; i++) to[k + i] = from[k + i];
    if (of->is_elsewhere) rotate_back(of->turn, to + k, to + k);
  }
}

/* springs, bushings and loads at q and v, that far from the start of the step */
static void push_by_elements(mechanism *of, const double *q, const double *v, double elapsed) {
#if HAS_ELEMENTS
  elements *by = &of->elements;
  see_elements(by, q, v, of->state + TURNS, elapsed);
  for (int k = 0; k < BODIES; k++) by->force[k] = flg_spatial_load(of->bodies[k].force);
  push_elements(by);
  for (int k = 0; k < BODIES; k++) flg_spatial_store(by->force[k], of->bodies[k].force);
#else
  (void)of, (void)q, (void)v, (void)elapsed;
#endif
}

/* gravity, elements, and forces on ports in the mechanism's axes */
static void push(mechanism *of, const double *q, const double *v, double elapsed, int is_pushed) {
  for (int k = 0; k < BODIES; k++) {
    for (int i = 0; i < 3; i++) {
      of->bodies[k].force[i] = masses[k] * of->gravity[k][i], of->bodies[k].force[3 + i] = 0;
    }
  }
  push_by_elements(of, q, v, elapsed);
  for (int p = 0; is_pushed && p < PORTS; p++) {
    double arm[3], axes[9], moment[3];
    if (port_bodies[p] < 0) continue;
    place_frame(q + 7 * port_bodies[p], 1, port_poses[p], axes, arm);
    cross(arm, of->loads + 6 * p, moment);
    for (int i = 0; i < 3; i++) {
      of->bodies[port_bodies[p]].force[i] += of->loads[6 * p + i];
      of->bodies[port_bodies[p]].force[3 + i] += of->loads[6 * p + 3 + i] + moment[i];
    }
  }
}

/* I^-1 p, refined: the rounding of I^-1 is the same in every step, and momentum would drift by it
 */
static void spin_of(const body *b, const double *p, double w[3]) {
  double back[3], more[3];
  apply(b->inverse, p, w);
  apply(b->inertia, w, back);
  for (int i = 0; i < 3; i++) back[i] = p[i] - back[i];
  apply(b->inverse, back, more);
  for (int i = 0; i < 3; i++) w[i] += more[i];
}

/* --- rattle -------------------------------------------------------------------------------------
 */

/* M^-1 r by Cramer's rule, M by columns */
static void solve3(double m[3][3], const double r[3], double to[3]) {
  double bc[3], ca[3], ab[3];
  cross(m[1], m[2], bc), cross(m[2], m[0], ca), cross(m[0], m[1], ab);
  const double scale = 1 / dot(m[0], bc);
  to[0] = scale * dot(r, bc), to[1] = scale * dot(r, ca), to[2] = scale * dot(r, ab);
}

/* the unit quaternion (s, u) with moment = 2 (s I u + u x I u), by Newton's method; 0: it turns too
 * far (parts/bodies_free_step.c) */
static int find_turn(const double *I, const double *inverse, const double moment[3],
                     double turn[4]) {
  const double full[3][3] = {{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}};
  double u[3], before = INFINITY;
  apply(inverse, moment, u);
  for (int i = 0; i < 3; i++) u[i] *= 0.5;
  for (int k = 0; k < 30; k++) {
    const double rest = 1 - dot(u, u);
    if (!(rest > 0.01)) return 0;
    const double s = sqrt(rest);
    double Iu[3], sum[3], columns[3][3], step[3];
    apply(I, u, Iu);
    cross(u, Iu, sum);
    for (int i = 0; i < 3; i++) sum[i] = 0.5 * moment[i] - (sum[i] + s * Iu[i]);
    const double error = sqrt(dot(sum, sum));
    turn[0] = s, turn[1] = u[0], turn[2] = u[1], turn[3] = u[2];
    if (error == 0 || (k > 1 && error >= 0.5 * before)) return 1;
    before = error;
    for (int j = 0; j < 3; j++) {
      const double unit[3] = {j == 0, j == 1, j == 2};
      double first[3], second[3];
      cross(u, full[j], first);
      cross(Iu, unit, second);
      for (int i = 0; i < 3; i++) {
        columns[j][i] = first[i] - second[i] + s * full[j][i] - u[j] / s * Iu[i];
      }
    }
    solve3(columns, sum, step);
    for (int i = 0; i < 3; i++) u[i] += step[i];
  }
  return 1;
}

/* q+ by the momenta; 0: a body turns too far */
static int fly(mechanism *of, double h) {
  for (int k = 0; k < BODIES; k++) {
    const body *b = &of->bodies[k];
    const double *q = of->state + 7 * k;
    double R[9], moment[3], turn[4], *to = of->next + 7 * k;
    orient(q + 3, R);
    rotate_back(R, b->momentum + 3, moment);
    for (int i = 0; i < 3; i++) moment[i] *= h;
    if (!find_turn(inertias[k], inverses[k], moment, turn)) return 0;
    for (int i = 0; i < 3; i++) to[i] = q[i] + h / masses[k] * b->momentum[i];
    multiply_quaternions(q + 3, turn, to + 3);
    normalise(to + 3);
  }
  return 1;
}

/* momenta += G^T l */
static void add_impulses(mechanism *of) {
  double *sum = of->moved;
  clear(sum, 6 * BODIES);
  spread(of, of->rows, sum);
  for (int k = 0; k < BODIES; k++) {
    for (int i = 0; i < 6; i++) of->bodies[k].momentum[i] += sum[6 * k + i];
  }
}

static void note_aim(mechanism *of) {
  for (int k = 0; k < BODIES && HAS_ELEMENTS; k++) {
    memcpy(of->bodies[k].aimed, of->bodies[k].momentum, sizeof of->bodies[k].aimed);
  }
}

/* Velocities at the end for forces that depend on them, where bodies are placed: as far again from
 * the start as the first impulses led. */
static void look_ahead(mechanism *of) {
  for (int k = 0; k < BODIES && HAS_ELEMENTS; k++) {
    const body *b = &of->bodies[k];
    double ahead[6], *v = of->ahead + 6 * k;
    for (int i = 0; i < 6; i++) ahead[i] = b->aimed[i] + (b->aimed[i] - b->start[i]);
    for (int i = 0; i < 3; i++) v[i] = ahead[i] / masses[k];
    spin_of(b, ahead + 3, v + 3);
  }
}

/* momenta after the first push, and the impulses that joints answer with */
static void set_off(mechanism *of, double h) {
  for (int k = 0; k < BODIES; k++) {
    body *b = &of->bodies[k];
    const double *v = velocity_of(of, k);
    double own[3], gyration[3], mean[3];
    apply(b->inertia, v + 3, own);
    cross(v + 3, own, gyration);
    for (int i = 0; i < 3; i++) {
      b->start[i] = masses[k] * v[i], b->start[3 + i] = own[i];
      b->momentum[i] = b->start[i] + h / 2 * b->force[i];
      b->momentum[3 + i] = b->start[3 + i] + h / 2 * b->force[3 + i];
      mean[i] = b->momentum[3 + i] - h / 2 * gyration[i];
      of->velocity[6 * k + i] = b->momentum[i] / masses[k];
    }
    apply(b->inverse, mean, of->velocity + 6 * k + 3);
  }
  find_biases(of, of->state + 7 * BODIES);
  for (int i = 0; i < ROWS; i++) {
    of->side[i] = -rate_of(of, row_joints[i], i, of->velocity) - h / 2 * of->bias[i];
  }
  solve(of);
  add_impulses(of);
  note_aim(of);
}

/* the exact turn by a rotation vector, in world axes */
static void turn_by(double *q, const double *w) {
  const double square = dot(w, w), angle = sqrt(square);
  const double factor = angle < 1e-3 ? 0.5 - square / 48 : sin(angle / 2) / angle;
  const double by[4] = {angle < 1e-3 ? 1 - square / 8 : cos(angle / 2), factor * w[0],
                        factor * w[1], factor * w[2]};
  multiply_quaternions(by, q, q);
  normalise(q);
}

static void move_bodies(double *q, const double *by) {
  for (int b = 0; b < BODIES; b++) {
    for (int i = 0; i < 3; i++) q[7 * b + i] += by[6 * b + i];
    turn_by(q + 7 * b + 3, by + 6 * b + 3);
  }
}

/* rows and factors where the flight ends; rows that look independent because joints are open by
 * `most` are left out */
static int factor_end(mechanism *of, double most, int is_renewed) {
  const double clear = CLEAR * most * most;
  place_bodies(of, of->next);
  place_rows(of, of->next);
  return factor_general(of, is_renewed && most >= FAINT && clear > DEPENDENT
                                ? (clear < 0.01 ? clear : 0.01)
                                : DEPENDENT);
}

/* close to a singular pose */
static int is_near(const mechanism *of) {
  return of->least < NEAR;
}

/* what may be left of joints, and what corrections may stop at */
static double enough(const mechanism *of) {
  return is_near(of) ? TIGHT : CLOSED;
}

static double bearable(const mechanism *of) {
  return is_near(of) ? ROUNDED : BEARABLE;
}

/* Moves positions at the end of the flight onto the joints, with the factors that there are, which
 * are renewed where they do not lead on (flg_assembly_project). moved: by how much in all. 0: they
 * do not close. */
static int project(mechanism *of, double *moved) {
  double before = INFINITY, *by = of->velocity;
  int is_renewed = 0;
  clear(moved, 6 * BODIES);
  for (int k = 0; k < PROJECTIONS; k++) {
    const double most = measure(of, of->next);
    if (most <= enough(of)) return 1;
    if (!(most < INFINITY)) return 0;
    if (most > RENEWED * before) {
      if (most <= bearable(of)) return 1;
      if (most <= NEARLY_CLOSED && most >= before && is_renewed) return 1;
      if (!factor_end(of, most, is_renewed)) return 0;
      is_renewed = 1;
    }
    before = most;
    for (int i = 0; i < ROWS; i++) of->side[i] = -of->left[i];
    solve_general(of);
    clear(by, 6 * BODIES);
    spread(of, of->yields, by);
    for (int i = 0; i < 6 * BODIES; i++) moved[i] += by[i];
    move_bodies(of->next, by);
  }
  return before <= NEARLY_CLOSED;
}

/* what positions were moved by at the end of the flight, momenta have to follow */
static void follow(mechanism *of, double h) {
  for (int b = 0; b < BODIES; b++) {
    double turned[3];
    apply(of->bodies[b].inertia, of->moved + 6 * b + 3, turned);
    for (int i = 0; i < 3; i++) {
      of->bodies[b].momentum[i] += masses[b] / h * of->moved[6 * b + i];
      of->bodies[b].momentum[3 + i] += turned[i] / h;
    }
  }
}

/* impulses at the start such that the flight ends on all joints */
static int close_flight(mechanism *of, double h) {
  const double slow = is_near(of) ? SLOW : SLOWEST;
  double before = INFINITY;
  for (int k = 0; k < CORRECTIONS; k++) {
    if (!fly(of, h)) return 0;
    const double most = measure(of, of->next);
    if (most <= enough(of)) return 1;
    if (!(most < slow * before)) return most <= bearable(of);
    before = most;
    for (int i = 0; i < ROWS; i++) of->side[i] = -of->left[i] / h;
    solve(of);
    add_impulses(of);
  }
  return 0;
}

/* the second half, with the factors of the end */
static int arrive(mechanism *of, double h, int is_pushed) {
  double *v = of->velocity;
  place_bodies(of, of->next);
  place_rows(of, of->next);
  if (!factor(of)) return 0;
  if (of->is_general && measure(of, of->next) > enough(of)) {
    /* closed with factors of a pose farther away: they may not do where the step has led */
    if (!project(of, of->moved) || !factor_end(of, 0, 0)) return 0;
  }
  look_ahead(of);
  push(of, of->next, of->ahead, h, is_pushed);
  for (int k = 0; k < BODIES; k++) {
    body *b = &of->bodies[k];
    for (int i = 0; i < 6; i++) b->momentum[i] += h / 2 * b->force[i];
    for (int i = 0; i < 3; i++) v[6 * k + i] = b->momentum[i] / masses[k];
    spin_of(b, b->momentum + 3, v + 6 * k + 3);
  }
  hold(of, 0, v);
  return 1;
}

/* Where corrections with the factors of the start do not close the joints, they are taken back:
 * positions are projected at the end of the flight, and momenta follow. */
static int fly_and_project(mechanism *of, double h) {
  place_bodies(of, of->state);
  place_rows(of, of->state);
  if (!factor_general(of, DEPENDENT)) return 0;
  set_off(of, h);
  if (!fly(of, h) || !factor_end(of, 0, 0) || !project(of, of->moved)) return 0;
  follow(of, h);
  return 1;
}

/* bodies, rows and factors at the start: those of the end of the last step, if it ended here */
static int begin(mechanism *of) {
  const int is_known =
      of->is_known && !of->is_general && memcmp(of->known, of->state, sizeof of->known) == 0;
  of->is_known = 0;
  if (is_known) return 1;
  place_bodies(of, of->state);
  place_rows(of, of->state);
  return factor(of);
}

/* the first half; in the general way, positions are projected where corrections do not close */
static int depart(mechanism *of, double h, int is_pushed) {
  if (!begin(of)) return 0;
  push(of, of->state, of->state + 7 * BODIES, 0, is_pushed);
  set_off(of, h);
  return close_flight(of, h) || (of->is_general && fly_and_project(of, h));
}

static void store(mechanism *of) {
  for (int k = 0; k < 7 * BODIES; k++) of->state[k] = of->known[k] = of->next[k];
  for (int k = 0; k < 6 * BODIES; k++) of->state[7 * BODIES + k] = of->velocity[k];
  of->is_known = !of->is_general;
}

/* one of both ways; the state changes only if it succeeds */
static int try_step(mechanism *of, double h, int is_pushed) {
  if (!depart(of, h, is_pushed) || !arrive(of, h, is_pushed)) return 0;
  store(of);
  return 1;
}

/* in the plane, if that is for it; a step that it leaves is counted */
static int step_flat(mechanism *of, double h, int is_pushed) {
#if MOVES_IN_A_PLANE
  double work[4];
  if (is_pushed) return 0;
  if (planar_step(&of->flat, h, of->state, of->state + 7 * BODIES, 0, work)) return 1;
  of->state[MOTION]++;
#else
  (void)of, (void)h, (void)is_pushed;
#endif
  return 0;
}

#if HAS_FROZEN_ROWS
static int step_space(mechanism *of, double h, int is_pushed, double counted);
#endif

/* By frozen rows, in space; a step, or half of one, that they leave is taken the general way. */
static int step_frozen(mechanism *of, double h, int is_pushed, double counted) {
#if HAS_FROZEN_ROWS
  return step_space(of, h, is_pushed, counted);
#else
  (void)of, (void)h, (void)is_pushed, (void)counted;
  return 0;
#endif
}

/* one of all ways; 0: none of them closes its joints */
static int take_step(mechanism *of, double h, int is_pushed) {
  const double counted = of->state[MOTION] + 1;
  of->is_general = 0;
  if (step_flat(of, h, is_pushed) || step_frozen(of, h, is_pushed, counted)) return 1;
  if (HAS_FROZEN_ROWS) of->state[MOTION] = counted;
  of->is_general = 0;
  if (try_step(of, h, is_pushed)) return 1;
  of->is_general = 1;
  of->state[MOTION] = counted;
  return try_step(of, h, is_pushed);
}

/* forces that are those of the start of a step bound it */
static int is_short(double h, char *text) {
#if HAS_ELEMENTS
  if (h > LONGEST_STEP) {
    snprintf(text, FLG_PLUGIN_TEXT,
             "steps of %.6g s are too long for its springs and dampers: take steps of at most %.3g "
             "s, or run the model itself, which takes them implicitly",
             h, LONGEST_STEP);
    return 0;
  }
#endif
  (void)h, (void)text;
  return 1;
}

/* angles of the end, as its forces have seen them */
static void keep_turns(mechanism *of) {
#if HAS_ELEMENTS
  for (int k = 0; k < COORDINATES; k++) {
    const int angle = coordinate_angles[k];
    if (angle >= 0) of->state[TURNS + angle] = of->elements.rows[k].value;
  }
#else
  (void)of;
#endif
}

static int step(void *instance, double time, double h, const double *impulses, char *text) {
  mechanism *of = instance;
  int is_pushed = 0;
  (void)time;
  if (!is_short(h, text)) return 1;
  see_vectors(of, impulses, of->loads);
  for (int k = 0; k < FORCES; k++) {
    of->loads[k] /= h;
    is_pushed = is_pushed || impulses[k] != 0;
  }
  if (take_step(of, h, is_pushed)) {
    keep_turns(of);
    return 0;
  }
  snprintf(
      text, FLG_PLUGIN_TEXT,
      "its joints cannot be closed in a step of %.6g s: it is at a singular pose, or the step is "
      "too long; run the model itself",
      h);
  return 1;
}
