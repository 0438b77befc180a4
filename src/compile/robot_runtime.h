/* robot_runtime.h - the part of a compiled robot that is the same for all: text of generated files.
 *
 * It follows joint_space.h, and robot_ports.h follows it. Both need what is generated for one robot
 * (robot_source.c), besides what joint_space.h has:
 *
 *     SIGNALS, RUNGE_KUTTA, TOTAL_MASS
 *     dampings, frictions, creeps, lowers, uppers, starts
 *     followers               joints that follow others: where both are in q and v
 *     port_names, signal_table, signal_sources
 *     find_accelerations, find_many_accelerations (if HAS_MANY), find_factors, find_energy
 */
enum { STATE = MOTION };

typedef struct robot {
  joints at;
  double state[STATE];
  double efforts[VELOCITIES]; /* constant forces on the coordinates */
  double impulse_step;        /* step that impulses are part of, 0: none [s] */
  int meets_impulses;         /* what slips has had its friction, and does not resist them */
  int knows_slips;            /* which joints stick was found, else friction is a secant */
  int slips[VELOCITIES];      /* the way in which a joint slips in this step, 0: it sticks */
  /* scratch: */
  double forces[VELOCITIES], added[VELOCITIES], a[VELOCITIES];
  double stage[STATE], rates[STATE], sum[STATE];
  double lanes[3][LANES * POSITIONS]; /* of LANES states: positions, sines, cosines */
  many motion[4][VELOCITIES];         /* velocities, forces, nothing added, accelerations */
} robot;

/* --- small things -------------------------------------------------------------------------------
 */

static double larger(double a, double b) {
  return a > b ? a : b;
}

/* --- forces and accelerations -------------------------------------------------------------------
 */

/* of the creep of secants: that of what sticks, as in robot_friction.c */
static const double STICKS = 3e-5;

/* dry friction over an implicit step: c of -c v */
static double secant(const robot *of, const double *v, double h, int k) {
  if (!(h > 0 && frictions[k] > 0)) return 0;
  if (of->knows_slips) return of->slips[k] != 0 ? 0 : frictions[k] / (h * STICKS * creeps[k]);
  if (of->meets_impulses && fabs(v[k]) > h * creeps[k]) return 0;
  return frictions[k] / larger(fabs(v[k]), h * creeps[k]);
}

/* Damping, and over an implicit step h friction, as -c v: (M + h c) a = f - c v. */
static void resist(robot *of, const double *v, double h) {
  for (int k = 0; k < VELOCITIES; k++) {
    const double c = dampings[k] + secant(of, v, h, k);
    const double push = of->knows_slips ? of->slips[k] * frictions[k] : 0;
    of->forces[k] = of->efforts[k] - push - c * v[k];
    of->added[k] = h * c;
  }
}

/* followers where their leaders say */
static void follow(robot *of) {
  double *v = of->state + POSITIONS;
  for (int r = 0; r < GEARS; r++) {
    const int *at = followers[r].at;
    of->state[at[0]] = followers[r].by * of->state[at[1]] + followers[r].off;
    v[followers[r].of[0]] = followers[r].by * v[followers[r].of[1]];
  }
}

static void accelerate_resisted(void *instance, const double *q, const double *v, const double *f,
                                const double *added, double *a) {
  robot *of = instance;
  find_sines(&of->at, q);
  find_accelerations(q, of->at.sines, of->at.cosines, v, f, added, of->at.gravity, a, of->at.yields,
                     of->at.factors);
  if (GEARS == 0) return;
  find_gears(&of->at);
  gear(&of->at, a);
}

static void accelerate(robot *of, const double *q, const double *v, double h) {
  resist(of, v, h);
  accelerate_resisted(of, q, v, of->forces, of->added, of->a);
}

/* --- steps --------------------------------------------------------------------------------------
 */

/* accelerations under forces on the ports, which are impulses / h */
static void accelerate_pushed(robot *of, const double *state, const double *impulses, double h,
                              double implicit) {
  accelerate(of, state, state + POSITIONS, implicit);
  if (impulses == NULL) return;
  find_frames(state, of->at.sines, of->at.cosines, state + POSITIONS, of->at.frames);
  find_axes(state, of->at.sines, of->at.cosines, of->at.axes);
  respond(&of->at, impulses);
  for (int k = 0; k < VELOCITIES; k++) of->a[k] += of->at.answer[k] / h;
}

/* What friction asks of a joint that would have the speed w: one that sticks holds up to its bound,
 * one that slips does not turn round. */
static int way_of(const robot *of, double w, double h, int k) {
  if (!(frictions[k] > 0)) return 0;
  if (of->slips[k] != 0) return of->slips[k] * w < 0 ? 0 : of->slips[k];
  return fabs(w) <= h * STICKS * creeps[k] ? 0 : w > 0 ? 1 : -1;
}

/* how many joints break their law; all of them change over, or the first alone */
static int revise(robot *of, double h, int only_first) {
  const double *v = of->state + POSITIONS;
  int wrong = 0;
  for (int k = 0; k < VELOCITIES; k++) {
    const int way = way_of(of, v[k] + h * of->a[k], h, k);
    if (way == of->slips[k]) continue;
    if (wrong++ == 0 || !only_first) of->slips[k] = way;
  }
  return wrong;
}

/* accelerations of a robot by itself, with friction that sticks; of one on which none was found
 * those of secants */
static void accelerate_rubbing(robot *of, double h) {
  enum { PATIENCE = 8, SOLVES = 100 + 30 * VELOCITIES };
  const double *v = of->state + POSITIONS;
  int wrong = 1;
  for (int k = 0; k < VELOCITIES; k++) {
    const int rests = !(frictions[k] > 0) || fabs(v[k]) <= h * STICKS * creeps[k];
    of->slips[k] = rests ? 0 : v[k] > 0 ? 1 : -1;
  }
  of->knows_slips = 1;
  for (int n = 0; n < SOLVES && wrong > 0; n++) {
    accelerate(of, of->state, v, h);
    wrong = revise(of, h, n >= PATIENCE);
  }
  of->knows_slips = 0;
  if (wrong > 0) accelerate(of, of->state, v, h);
  for (int k = 0; k < VELOCITIES && wrong == 0; k++) {
    if (frictions[k] > 0 && of->slips[k] == 0) of->a[k] = -v[k] / h;
  }
}

static int rubs(void) {
  for (int k = 0; k < VELOCITIES; k++) {
    if (frictions[k] > 0) return 1;
  }
  return 0;
}

/* v+ = v + h a, q+ = q (+) h v+ */
static void kick(robot *of, double h, const double *impulses) {
  double *q = of->state, *v = of->state + POSITIONS;
  if (rubs() && impulses == NULL && of->impulse_step == 0) {
    accelerate_rubbing(of, h);
  } else {
    accelerate_pushed(of, of->state, impulses, h, h);
  }
  for (int k = 0; k < VELOCITIES; k++) v[k] += h * of->a[k];
  drift(q, v, h);
}

static void runge_kutta(robot *of, double h, const double *impulses) {
  static const double node[4] = {0, 0.5, 0.5, 1}, weight[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
  double *rates = of->rates;
  for (int k = 0; k < STATE; k++) of->stage[k] = of->sum[k] = of->state[k];
  for (int s = 0; s < 4; s++) {
    for (int k = 0; s > 0 && k < STATE; k++) {
      of->stage[k] = of->state[k] + node[s] * h * rates[k];
    }
    if (s > 0) normalise(of->stage);
    accelerate_pushed(of, of->stage, impulses, h, 0);
    find_rates(of->stage, of->stage + POSITIONS, rates);
    for (int k = 0; k < VELOCITIES; k++) rates[POSITIONS + k] = of->a[k];
    for (int k = 0; k < STATE; k++) of->sum[k] += weight[s] * h * rates[k];
  }
  for (int k = 0; k < STATE; k++) of->state[k] = of->sum[k];
  normalise(of->state);
}

/* a coordinate that has passed an end of its range in the last step, or -1 */
static int passed_end(const robot *of, const double *old) {
  for (int k = 0; k < VELOCITIES; k++) {
    const int p = straight_positions[k];
    if (p < 0) continue;
    const double now = of->state[p];
    if ((now > uppers[k] && now > old[p]) || (now < lowers[k] && now < old[p])) return k;
  }
  return -1;
}

static int step(void *instance, double time, double h, const double *impulses, char *text) {
  robot *of = instance;
  double old[STATE];
  const double *push = is_pushed(impulses) ? taken_in(&of->at, impulses) : NULL;
  (void)time;
  for (int k = 0; k < STATE; k++) old[k] = of->state[k];
#if RUNGE_KUTTA
  runge_kutta(of, h, push);
#else
  kick(of, h, push);
#endif
  const int passed = passed_end(of, old);
  if (passed < 0) return 0;
  for (int k = 0; k < STATE; k++) of->state[k] = old[k];
  snprintf(text, FLG_PLUGIN_TEXT,
           "coordinate %d has reached an end of its range, which compiled robots do not close; run "
           "the model itself, or compile it with '--limits ignore'",
           passed + 1);
  return 1;
}
