/* Pairs that must move alike. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "checks.h"
#include "math/larger.h"
#include "transform.h"

/* Same equations, other rounding: of size and speeds, over some 50 steps. */
static const double ROUNDING = 1e-6;
/* The same where rows are redundant: taking others costs half of the digits. */
static const double REDUNDANT = 1e-4;
/* Of the error of a coupling: what it may differ by with other ends, or another order. */
static const double SWAPPED = 3;
/* Another order of co-simulated subsystems, at least: the first order may be exact by chance. */
static const double REORDERED = 1e-3;
/* By how much a quarter of the step must shrink what ends of joints decide. */
static const double FINER = 8;
static const double ORDER_ONE = 2.5; /* ... of two ways to compute a step of order 1 */
/* Of what the last refinement changed in both: a pair that comes to one limit is nearer to each
 * other than that. Of order 1, each is a third of its last change away from its limit; twice that.
 */
static const double LEFT = 2. / 3;
/* Of what steps err by: less than this is no matter. */
static const double NEXT_TO_NOTHING = 0.01;
/* Two forms of steps of order 4, and where friction or stops make steps of order 1 of them. */
static const double FOURTH = 1e-4, LANDING = 0.05;
/* Co-simulated against solved as one, of size and speeds. */
static const double COUPLED = 0.05;
/* What a quarter of all steps must leave of that, in order 1 with some room. */
static const double SMOOTHLY = 0.35;
/* Differences of halved steps: what one more halving must leave of them, and how often it is tried.
 */
static const double SHRUNK = 0.7;
enum { HALVINGS = 6, QUARTERS = 2, QUARTERS_MOST = 5 };
/* Names that are tried with every scheme, of those that a mechanism has. */
enum { NAMES_TRIED = 12 };

verdict passed(double off, double allowed) {
  return (verdict){.judgement = PASSED, .off = off, .allowed = allowed};
}

verdict skipped(const char *reason) {
  verdict made = {.judgement = SKIPPED};
  snprintf(made.text, sizeof made.text, "%s", reason);
  return made;
}

verdict told(const char *message) {
  verdict made = skipped(message);
  made.judgement = TOLD;
  return made;
}

verdict by_rule(const char *rule, verdict of) {
  of.rule = rule;
  return of;
}

verdict failed(double off, double allowed, const char *format, ...) {
  verdict made = {.judgement = FAILED, .off = off, .allowed = allowed};
  va_list list;
  va_start(list, format);
  vsnprintf(made.text, sizeof made.text, format, list);
  va_end(list);
  return made;
}

verdict judge_bound(double off, double allowed, const char *what) {
  if (off <= allowed) return passed(off, allowed);
  return failed(off, allowed, "%.3g %s, more than %.3g", off, what, allowed);
}

static void halve(mechanism *machine) {
  machine->step /= 2, machine->micro *= 2;
}

static void quarter_all_steps(mechanism *machine) {
  if (4 * machine->macro >= ROWS) machine->macro /= 4;
  machine->step /= 4, machine->macro *= 4;
  for (int k = 0; k < machine->event_count; k++) machine->events[k].step *= 4;
}

static mechanism *begin_pair(experiment *t) {
  t->other = *t->machine, t->has_other = true;
  return &t->other;
}

typedef double measure(const mechanism *machine, const outcome *first, const outcome *second,
                       const correspondence *by, int where[2]);

static bool is_smooth(const experiment *t) {
  return !(t->features & (HAS_CONTACT | HAS_STOPS | HAS_FRICTION | HAS_BACKLASH));
}

static double apart_but_for_timing(const mechanism *machine, const outcome *first,
                                   const outcome *second, const correspondence *by, int where[2]) {
  return difference_but_for_timing(machine, first, second, by, COUPLED, where);
}

/* What passed because hits may come in another row, and would not have passed otherwise. */
static verdict note_timing(experiment *t, measure *apart, const outcome *first,
                           const correspondence *by, verdict found) {
  if (found.judgement != PASSED || apart == difference) return found;
  if (difference(&t->other, first, &t->seen, by, NULL) <= found.allowed) return found;
  return by_rule("hits shift", found);
}

/* Both have to start. A run that ends early says so, whatever it did until then. */
static verdict compare_by(measure *apart, experiment *t, const outcome *first,
                          const correspondence *by, double allowed) {
  const outcome *ended = first->status != FLG_OK ? first : &t->seen;
  t->said = t->said || says(first) || says(&t->seen);
  if (first->load != t->seen.load) {
    return failed(HUGE_VAL, allowed, "one of both does not start: %.300s", ended->message);
  }
  if (first->load != FLG_OK) return skipped("both are refused");
  int where[2] = {0, 0};
  const double off = apart(&t->other, first, &t->seen, by, where);
  if (ended->status != FLG_OK) return told(ended->message);
  if (off <= allowed) return note_timing(t, apart, first, by, passed(off, allowed));
  if (first->adjusted || t->seen.adjusted) return told("frames of joints were moved");
  return failed(off, allowed, "%.3g apart, more than %.3g, at body %d after %d macro steps", off,
                allowed, where[1], where[0]);
}

/* A hit may come earlier or later; without hits nothing may. */
static measure *coupled_measure(const experiment *t) {
  return is_smooth(t) ? difference : apart_but_for_timing;
}

/* Both come to their ends, or none does. */
static verdict compare_ends(measure *apart, experiment *t, const outcome *first,
                            const correspondence *by, double allowed) {
  const verdict found = compare_by(apart, t, first, by, allowed);
  const bool ended = first->status == FLG_OK, second_ended = t->seen.status == FLG_OK;
  if (found.judgement != TOLD || ended == second_ended) return found;
  return failed(HUGE_VAL, allowed, "one of both ends early: %.300s", found.text);
}

/* What passed because rows are redundant. */
static verdict note_redundancy(verdict found) {
  const bool is_noted =
      found.judgement == PASSED && found.allowed == REDUNDANT && found.off > ROUNDING;
  return is_noted ? by_rule("redundant", found) : found;
}

static verdict compare(experiment *t, const outcome *first, const correspondence *by,
                       double allowed) {
  return note_redundancy(compare_ends(difference, t, first, by, allowed));
}

/* Where a pair is apart by less than the steps of both err, and a quarter of the step brings it
 * together, or by next to nothing of that error, it is apart by the steps: rows belong to the
 * first end of a joint, or to what is eliminated first, while stages lie off the joints; and
 * whether a projection goes on with old factors or renews them is decided by a threshold. */
static verdict run_finer(experiment *t, const outcome *first_coarse, const correspondence *by,
                         verdict coarse, double closer) {
  static outcome fine, second_coarse;
  const correspondence same = same_sights();
  mechanism finer = t->has_first ? t->first : *t->machine, other = t->other;
  keep_outcome(&second_coarse, &t->seen);
  halve(&finer), halve(&finer), halve(&other), halve(&other);
  run_mechanism(&finer, (manner){0}, &fine);
  run_mechanism(&other, (manner){0}, &t->seen);
  const double error = flg_larger(difference(t->machine, first_coarse, &fine, &same, NULL),
                                  difference(&t->other, &second_coarse, &t->seen, &same, NULL));
  const verdict second = compare(t, &fine, by, ROUNDING + coarse.off / closer);
  /* of order 1, finer steps have a quarter of the error still */
  const double most = 2 * error * (closer == ORDER_ONE ? 4. / 3 : 1);
  if (coarse.off <= NEXT_TO_NOTHING * error) return by_rule("steps", passed(coarse.off, error));
  if (coarse.off <= most && second.judgement == PASSED)
    return by_rule("steps", passed(coarse.off, most));
  snprintf(coarse.text + strlen(coarse.text), sizeof coarse.text - strlen(coarse.text),
           "; steps err by %.2g; %.3g apart with a quarter of the step", error, second.off);
  return coarse;
}

static double allowed_of(const experiment *t) {
  return t->features & (HAS_LOOP | HAS_WELD) ? REDUNDANT : ROUNDING;
}

/* What is off by more than rounding may be so touchy that rounding grows as much, or be off by what
 * steps err. */
static verdict run_pair(experiment *t, const correspondence *by, double more) {
  const double allowed = more + allowed_of(t);
  run_mechanism(&t->other, (manner){0}, &t->seen);
  const verdict coarse = excuse(t->machine, t->plain, compare(t, t->plain, by, allowed));
  return coarse.judgement == FAILED && !strict ? run_finer(t, t->plain, by, coarse, FINER) : coarse;
}

/* --- bit for bit --------------------------------------------------------------------------------
 */

static verdict judge_bits(experiment *t) {
  if (t->seen.rows != t->plain->rows)
    return failed(0, 0, "ends after %d macro steps, not %d: %.300s", t->seen.rows - 1,
                  t->plain->rows - 1, t->seen.message);
  const correspondence same = same_sights();
  const double off = difference(t->machine, t->plain, &t->seen, &same, NULL);
  if (t->seen.hash != t->plain->hash)
    return failed(off, 0, "other bits at the end; %.3g apart", off);
  return judge_bound(off, 0, "apart, with the same bits at the end");
}

/* Read as the verb check does, with 4 threads, interrupted and resumed by calls: where the bits are
 * those of the plain run, none of these did anything. */
static bool all_same_bits(experiment *t) {
  shared_answer *shared = &t->same_bits;
  if (t->one_by_one || t->plain->rows < 3) return false;
  if (!shared->known) {
    chance from = chance_of(t->machine, "resume");
    const manner both = {.threads = 4,
                         .checked = true,
                         .built = true,
                         .interrupt_at = random_integer(&from, 1, t->plain->rows - 2)};
    run_mechanism(t->machine, both, &t->seen);
    shared->known = true, shared->holds = judge_bits(t).judgement == PASSED;
  }
  return shared->holds;
}

/* --- files and starts ---------------------------------------------------------------------------
 */

static verdict check_starts(experiment *t) {
  char message[400];
  if (t->plain->load == FLG_OK && all_same_bits(t)) return passed(0, 0);
  const flg_status checked = read_mechanism(t->machine, true, message);
  const bool nearly_redundant = strstr(t->plain->message, "geometry_tolerance") != NULL;
  if (t->plain->load != FLG_OK && nearly_redundant) return told(t->plain->message);
  if (t->plain->load != FLG_OK) return failed(0, 0, "is refused: %.350s", t->plain->message);
  if (checked != FLG_OK) return failed(0, 0, "runs, but check refuses it: %.350s", message);
  if (t->plain->rows >= 2) return passed(0, 0);
  mechanism *by_micro = begin_pair(t); /* it may fail later in the first macro step */
  by_micro->macro *= by_micro->micro, by_micro->micro = 1;
  run_mechanism(by_micro, (manner){0}, &t->seen);
  if (t->seen.rows >= 2) return told(t->plain->message);
  return failed(0, 0, "check is content, but it does not start: %.350s", t->plain->message);
}

/* A signal exists with every scheme or with none, whatever solves the whole. */
static verdict check_recorded(experiment *t) {
  static char all[SIGNAL_NAMES][SIGNAL_BYTES];
  const char *names[NAMES_TRIED];
  bool known[3][NAMES_TRIED];
  if (!(t->features & HAS_PARTS)) return skipped("nothing is joined");
  const int count = list_signals(t->machine, all);
  for (int k = 0; k < NAMES_TRIED; k++) names[k] = all[random_integer(&t->from, 0, count - 1)];
  for (int s = MONOLITHIC; s <= PARALLEL; s++) {
    if (!find_names(t->machine, (scheme)s, names, NAMES_TRIED, known[s]))
      return skipped("not every scheme takes it");
  }
  for (int k = 0; k < NAMES_TRIED; k++) {
    for (int s = SEQUENTIAL; s <= PARALLEL; s++) {
      if (known[s][k] == known[0][k]) continue;
      return failed(0, 0, "'%s' is known to '%s' and not to '%s'", names[k],
                    scheme_name(known[s][k] ? (scheme)s : MONOLITHIC),
                    scheme_name(known[s][k] ? MONOLITHIC : (scheme)s));
    }
  }
  return passed(0, 0);
}

static verdict check_ends(experiment *t) {
  if (t->plain->status != FLG_OK) return told(t->plain->message);
  double sum = 0;
  for (int row = 0; row < t->plain->rows; row++) {
    for (int k = 0; k < t->machine->body_count; k++) {
      const sight *s = &t->plain->seen[row][k];
      sum += 0 * (flg_vec3_norm(s->position) + flg_vec3_norm(s->velocity) + flg_vec3_norm(s->spin) +
                  s->rotation.m[0]);
    }
    sum += 0 * t->plain->energy[row];
  }
  return judge_bound(fabs(sum), 0, ": a recorded number is not finite");
}

static verdict check_repeat(experiment *t) {
  if (all_same_bits(t)) return passed(0, 0);
  run_mechanism(t->machine, (manner){0}, &t->seen);
  return judge_bits(t);
}

static verdict check_resume(experiment *t) {
  if (t->plain->rows < 3) return skipped("ends too early");
  if (all_same_bits(t)) return passed(0, 0);
  run_mechanism(t->machine,
                (manner){.interrupt_at = random_integer(&t->from, 1, t->plain->rows - 2)},
                &t->seen);
  return judge_bits(t);
}

static verdict check_threads(experiment *t) {
  if (all_same_bits(t)) return passed(0, 0);
  run_mechanism(t->machine, (manner){.threads = 4}, &t->seen);
  return judge_bits(t);
}

static verdict check_built(experiment *t) {
  if (all_same_bits(t)) return passed(0, 0);
  run_mechanism(t->machine, (manner){.built = true}, &t->seen);
  if (t->seen.load != t->plain->load)
    return failed(0, 0, "built by calls: %.300s", t->seen.message);
  return judge_bits(t);
}

/* --- the same equations -------------------------------------------------------------------------
 */

/* The co-simulated mechanism solved as one. */
static const outcome *solve_as_one(experiment *t) {
  mechanism one = *t->machine;
  one.scheme = MONOLITHIC;
  if (!t->has_exact) run_mechanism(&one, (manner){0}, &t->exact);
  t->has_exact = true;
  return &t->exact;
}

/* How far the co-simulated run is from the one solved as one; 0 for others. */
static double coupling_error(experiment *t) {
  const correspondence same = same_sights();
  if (!(t->features & HAS_COSIMULATION)) return 0;
  return difference(t->machine, t->plain, solve_as_one(t), &same, NULL);
}

/* "" or why it cannot be turned or mirrored */
static const char *directed(const experiment *t, bool turned) {
  if (turned && t->machine->box_friction) return "box friction has directions";
  return t->features & HAS_RIM ? "rims touch at points that directions decide" : "";
}

static units other_units(chance *from) {
  const int length = random_integer(from, -4, 4), mass = random_integer(from, -6, 6);
  return (units){ldexp(1, length), ldexp(1, mass), ldexp(1, random_integer(from, -2, 2))};
}

/* Does all to it that must not matter. Couplings may err otherwise with other ends and orders. */
static correspondence change_all(experiment *t, mechanism *other) {
  correspondence by = same_sights();
  if (!(t->features & HAS_COSIMULATION)) {
    chance names = chance_of(t->machine, "renamed"), orders = chance_of(t->machine, "reordered");
    rename_all(other, &names), reorder(other, &orders);
  }
  by.mirrored = directed(t, false)[0] == 0;
  if (by.mirrored) mirror(other);
  chance scales = chance_of(t->machine, "scaled"), turns = chance_of(t->machine, "turned");
  by.units = scale(other, other_units(&scales)).units;
  const flg_pose pose = random_pose(&turns, 3);
  if (directed(t, true)[0] == 0) by.turned = turn(other, &pose).turned;
  return by;
}

/* One run in other units, turned, mirrored, with other names and orders: where it agrees, each of
 * these agrees; where it does not, each is tried alone. */
static bool all_alike(experiment *t) {
  shared_answer *shared = &t->alike;
  if (t->one_by_one || strict) return false;
  if (!shared->known) {
    const correspondence by = change_all(t, begin_pair(t));
    run_mechanism(&t->other, (manner){0}, &t->seen);
    const verdict v = compare(t, t->plain, &by, allowed_of(t));
    *shared = (shared_answer){true, v.judgement == PASSED, v.off, v.allowed};
  }
  return shared->holds;
}

static verdict pass_with_all(const experiment *t) {
  return note_redundancy(passed(t->alike.off, t->alike.allowed));
}

/* Rows of the times that a run with a quarter of all steps shares with the run before. */
static void keep_every_fourth(outcome *of) {
  of->rows = (of->rows + 3) / 4, of->macro *= 4;
  for (int row = 1; row < of->rows; row++)
    memcpy(of->seen[row], of->seen[4 * row], sizeof of->seen[row]);
}

/* A mechanism that is run with shorter and shorter steps. */
typedef struct refinement {
  mechanism machine;
  outcome seen, before;
  outcome thinned; /* seen, in rows of the run before */
  double change;   /* by the last refinement */
} refinement;

/* Rows as well, as far as there is room: where hits follow each other, a row may fall between them
 * in one of both. */
static void refine(const experiment *t, refinement *of) {
  const correspondence same = same_sights();
  const bool rows_change = 4 * of->machine.macro < ROWS;
  keep_outcome(&of->before, &of->seen);
  if (rows_change) {
    quarter_all_steps(&of->machine);
  } else {
    halve(&of->machine), halve(&of->machine);
  }
  run_mechanism(&of->machine, (manner){0}, &of->seen);
  keep_outcome(&of->thinned, &of->seen);
  if (rows_change) keep_every_fourth(&of->thinned);
  of->change = coupled_measure(t)(&of->machine, &of->before, &of->thinned, &same, NULL);
}

/* By how much the last refinement moved both. */
static double change_of(refinement *const both[2]) {
  return both[0]->change + both[1]->change;
}

/* Both come to one limit: what they are apart shrinks, below all that it was before, or, in pairs
 * of order 1, is what the last of the refinements left in both. */
static verdict judge_limit(refinement *const both[2], verdict found, double least, double closer,
                           bool last) {
  const double nearer = ROUNDING + least / closer, change = change_of(both);
  if (found.judgement != FAILED) return found;
  if (found.off <= nearer) return by_rule("shrinks", passed(found.off, nearer));
  if (last && closer == ORDER_ONE && change <= COUPLED && found.off <= LEFT * change)
    return by_rule("one limit", passed(found.off, LEFT * change));
  return found;
}

/* Co-simulated pairs with other ends or orders, or with other axes where rows of interfaces repeat
 * each other (which of them are kept depends on axes), are apart by what their couplings err, of
 * order 1 in the macro step at least: a quarter of all steps brings them together, or a quarter of
 * that where macro steps were divided before. Where the last quarter still moved both by more than
 * couplings may be off, as by the order of two hits, these steps are no measure, and there is
 * another one. Pairs of the same equations have to shrink as with shorter steps alone: near a
 * singular pose a projection ends where it does to second order, which grows there. */
static verdict quarter_pair(experiment *t, const outcome *first_coarse, const correspondence *by,
                            double allowed, double closer, verdict coarse) {
  static refinement first, second;
  refinement *const both[2] = {&first, &second};
  double least = coarse.off;
  if (strict || coarse.judgement != FAILED) return coarse;
  first.machine = t->has_first ? t->first : *t->machine, second.machine = t->other;
  keep_outcome(&first.seen, first_coarse);
  run_mechanism(&second.machine, (manner){0}, &second.seen);
  const int last = t->features & HAS_COSIMULATION ? QUARTERS : QUARTERS + 1;
  for (int k = 0; k <= last || (k <= QUARTERS_MOST && !(change_of(both) <= COUPLED)); k++) {
    if (k > 0) refine(t, &first), refine(t, &second);
    keep_outcome(&t->seen, &second.seen);
    const verdict apart = compare_ends(coupled_measure(t), t, &first.seen, by, allowed);
    const verdict found = k > 0 ? judge_limit(both, apart, least, closer, k >= last) : apart;
    if (found.judgement == PASSED) return found;
    least = flg_smaller(least, found.off);
    const size_t length = strlen(coarse.text);
    if (k > 0)
      snprintf(coarse.text + length, sizeof coarse.text - length,
               ", %.3g with a quarter of all steps (%.2g and %.2g moved)", found.off, first.change,
               second.change);
  }
  return coarse;
}

static verdict run_coupled_pair(experiment *t, const correspondence *by, double more) {
  const verdict coarse = run_pair(t, by, more);
  const double closer = t->features & HAS_COSIMULATION ? ORDER_ONE : FINER;
  return quarter_pair(t, t->plain, by, more + allowed_of(t), closer, coarse);
}

/* In a coupling, rows of an interface belong to its first end, which drifts from the second: both
 * are right to the error of the coupling. */
static verdict check_renamed(experiment *t) {
  if (!(t->features & HAS_COSIMULATION) && all_alike(t)) return pass_with_all(t);
  const correspondence by = rename_all(begin_pair(t), &t->from);
  return run_coupled_pair(t, &by, SWAPPED * coupling_error(t));
}

/* Who comes first may be driven by who comes later, or be given what both sides differ by. */
static verdict check_reordered(experiment *t) {
  if (t->machine->part_count < 2) return skipped("one subsystem");
  if (!(t->features & HAS_COSIMULATION) && all_alike(t)) return pass_with_all(t);
  const correspondence by = reorder(begin_pair(t), &t->from);
  const double error = coupling_error(t);
  return run_coupled_pair(t, &by, error == 0 ? 0 : SWAPPED * error + REORDERED);
}

static verdict check_turned(experiment *t) {
  const char *reason = directed(t, true);
  if (reason[0] != 0) return skipped(reason);
  if (all_alike(t)) return pass_with_all(t);
  const flg_pose pose = random_pose(&t->from, 3);
  const correspondence by = turn(begin_pair(t), &pose);
  return run_coupled_pair(t, &by, 0);
}

static verdict check_mirrored(experiment *t) {
  const char *reason = directed(t, false);
  if (reason[0] != 0) return skipped(reason);
  if (all_alike(t)) return pass_with_all(t);
  const correspondence by = mirror(begin_pair(t));
  return run_coupled_pair(t, &by, 0);
}

/* powers of two: no rounding, so what differs are numbers in the program that have units */
static verdict check_scaled(experiment *t) {
  if (all_alike(t)) return pass_with_all(t);
  const correspondence to = scale(begin_pair(t), other_units(&t->from));
  return run_pair(t, &to, 0);
}

/* --- cut at other places -------------------------------------------------------------------------
 */

/* the whole in one component, or cut as it is but solved as one; a scheme that all parts have.
 * Bodies of a component may be computed as one, those that an interface joins are not. */
static void as_one(mechanism *machine, bool whole) {
  if (machine->integrator == AUTO) machine->integrator = machine->ground ? SEMI_IMPLICIT : RATTLE;
  machine->scheme = MONOLITHIC;
  machine->unreduced = true;
  for (int k = 0; k < machine->part_count; k++) machine->parts[k].robot = false;
  if (!whole) return;
  for (int k = 0; k < machine->body_count; k++) machine->bodies[k].part = 0;
  for (int k = 0; k < machine->joint_count; k++) machine->joints[k].between_parts = false;
  machine->part_count = 1;
}

static verdict check_cut(experiment *t) {
  static outcome first;
  if (!(t->features & HAS_PARTS)) return skipped("nothing is joined");
  t->first = *t->machine, t->has_first = true;
  as_one(&t->first, true);
  run_mechanism(&t->first, (manner){0}, &first);
  as_one(begin_pair(t), false);
  run_mechanism(&t->other, (manner){0}, &t->seen);
  const correspondence by = same_sights();
  const verdict coarse = excuse(&t->first, &first, compare(t, &first, &by, allowed_of(t)));
  return coarse.judgement == FAILED && !strict ? run_finer(t, &first, &by, coarse, FINER) : coarse;
}

/* Bodies that joints fix to each other as one, and each by itself: off by what steps err. */
static verdict check_reduced(experiment *t) {
  const correspondence by = same_sights();
  if (!(t->features & (HAS_LOOP | HAS_WELD))) return skipped("no joints fix bodies to each other");
  begin_pair(t)->unreduced = true;
  run_mechanism(&t->other, (manner){0}, &t->seen);
  verdict coarse = excuse(t->machine, t->plain, compare(t, t->plain, &by, REDUNDANT));
  if (coarse.judgement == FAILED && !strict)
    coarse = run_finer(t, t->plain, &by, coarse, ORDER_ONE);
  return quarter_pair(t, t->plain, &by, REDUNDANT, ORDER_ONE, coarse);
}

static bool has_bodies(const mechanism *machine) {
  for (int k = 0; k < machine->part_count; k++)
    if (!machine->parts[k].robot) return true;
  return false;
}

/* One choice of coordinates against six for each body: off by what steps err, in the times of
 * hits, too. Shorter steps are asked before rounding: they tell more often. */
static verdict judge_coordinates(experiment *t, const outcome *first) {
  const correspondence by = same_sights();
  if (t->seen.rows == first->rows && t->seen.hash == first->hash) return passed(0, REDUNDANT);
  verdict found = compare(t, first, &by, REDUNDANT);
  if (found.judgement != FAILED || strict) return found;
  found = run_finer(t, first, &by, found, ORDER_ONE);
  found = quarter_pair(t, first, &by, REDUNDANT, ORDER_ONE, found);
  return excuse(&t->first, first, found);
}

/* Bodies by six coordinates each, and by those of joints where there is no loop; the plain run
 * has what the program chooses. */
static verdict check_coordinates(experiment *t) {
  static outcome first;
  if (t->features & HAS_COSIMULATION) return skipped("what is co-simulated stays absolute");
  if (!has_bodies(t->machine)) return skipped("all are robots");
  t->first = *t->machine, t->has_first = true;
  t->first.coordinates = ABSOLUTE;
  run_mechanism(&t->first, (manner){0}, &first);
  begin_pair(t);
  keep_outcome(&t->seen, t->plain);
  const verdict chosen = judge_coordinates(t, &first);
  if (chosen.judgement == FAILED) return chosen;
  begin_pair(t)->coordinates = OF_JOINTS;
  run_mechanism(&t->other, (manner){0}, &t->seen);
  const verdict joints = judge_coordinates(t, &first);
  return joints.judgement == PASSED && joints.rule == NULL ? chosen : joints;
}

/* Whether the same solved as one has moved by more than couplings may be off, with a quarter of all
 * steps, before the coupled run was off by as much: then it is no reference. */
static bool reference_moves(experiment *t, const mechanism *one, const outcome *exact) {
  static refinement reference;
  static outcome coupled;
  const correspondence same = same_sights();
  measure *apart = coupled_measure(t);
  reference.machine = *one;
  keep_outcome(&reference.seen, exact);
  refine(t, &reference);
  keep_outcome(&coupled, &t->seen);
  for (int rows = 2; rows <= exact->rows; rows++) {
    reference.before.rows = reference.thinned.rows = coupled.rows = rows;
    if (apart(one, &reference.before, &reference.thinned, &same, NULL) > COUPLED) return true;
    if (!(apart(one, &reference.before, &coupled, &same, NULL) <= COUPLED)) return false;
  }
  return false;
}

/* What is fast for its steps comes together with them: couplings have order 1, hits less. Where a
 * hit falls from one of these steps into the next, it does so with a quarter of them. */
static verdict couple_finer(experiment *t, const mechanism *coarse, verdict of) {
  static outcome exact;
  const correspondence by = same_sights();
  const double closer = is_smooth(t) ? SMOOTHLY : 0.5;
  mechanism fine = *coarse;
  for (int k = 0; k < (is_smooth(t) ? 1 : QUARTERS); k++) {
    quarter_all_steps(&fine);
    run_mechanism(&fine, (manner){0}, &t->seen);
    mechanism one = fine;
    one.scheme = MONOLITHIC;
    run_mechanism(&one, (manner){0}, &exact);
    const verdict finer =
        compare_by(coupled_measure(t), t, &exact, &by, fmax(COUPLED, closer * of.off));
    if (finer.judgement != FAILED) return finer;
    if (reference_moves(t, &one, &exact))
      return by_rule("reference", skipped("solved as one it errs by as much"));
    const size_t length = strlen(of.text);
    snprintf(of.text + length, sizeof of.text - length, "; %.3g with a quarter of all steps",
             finer.off);
  }
  return of;
}

/* Half the macro step brings it nearer, unless it is near already. Both run with the same
 * integrator: contacts close a step earlier or later with another one. */
static verdict check_coupled(experiment *t) {
  static outcome first;
  if (!(t->features & HAS_COSIMULATION)) return skipped("not co-simulated");
  mechanism *one = begin_pair(t), fine = *t->machine;
  const bool other = fine.ground && fine.integrator == AUTO;
  if (other) fine.integrator = SEMI_IMPLICIT;
  *one = fine, one->scheme = MONOLITHIC;
  if (other) {
    run_mechanism(&fine, (manner){0}, &first);
    run_mechanism(one, (manner){0}, &t->seen);
  } else {
    first = *t->plain, t->seen = *solve_as_one(t);
  }
  if (t->seen.status != FLG_OK) return skipped("solved as one it fails, too");
  const correspondence by = same_sights();
  verdict coarse = compare_by(coupled_measure(t), t, &first, &by, COUPLED);
  if (coarse.judgement != FAILED) return coarse;
  if (t->machine->micro == 1) return couple_finer(t, &fine, coarse);
  fine.macro *= fine.micro, fine.micro = 1;
  for (int k = 0; k < fine.event_count; k++) fine.events[k].step *= t->machine->micro;
  run_mechanism(&fine, (manner){0}, &t->seen);
  one->macro = fine.macro, one->micro = 1;
  memcpy(one->events, fine.events, sizeof fine.events);
  run_mechanism(one, (manner){0}, &first);
  t->other = fine;
  const verdict finest = compare_by(coupled_measure(t), t, &first, &by, COUPLED);
  if (finest.judgement != FAILED) return finest;
  return couple_finer(t, &fine, finest);
}

/* --- robots --------------------------------------------------------------------------------------
 */

static verdict check_robots(experiment *t) {
  static outcome first;
  mechanism *as_robot = begin_pair(t);
  int robots = 0;
  as_one(as_robot, false);
  as_robot->integrator = as_robot->ground ? SEMI_IMPLICIT : RK4;
  mechanism *as_bodies = &t->first;
  *as_bodies = *as_robot, t->has_first = true;
  for (int k = 0; k < as_robot->part_count; k++) {
    as_robot->parts[k].robot = can_be_robot(as_robot, k);
    robots += as_robot->parts[k].robot;
  }
  if (robots == 0) return skipped("no part can be a robot");
  if (as_robot->ground) return skipped("Euler steps of joints are not those of bodies");
  const bool lands = t->features & (HAS_STOPS | HAS_FRICTION | HAS_BACKLASH);
  const correspondence by = same_sights();
  run_mechanism(as_bodies, (manner){0}, &first);
  run_mechanism(as_robot, (manner){0}, &t->seen);
  const verdict coarse = compare_ends(coupled_measure(t), t, &first, &by, lands ? LANDING : FOURTH);
  if (coarse.judgement == PASSED || lands || first.status != FLG_OK) return coarse;
  halve(as_robot), halve(as_bodies);
  run_mechanism(as_bodies, (manner){0}, &first);
  run_mechanism(as_robot, (manner){0}, &t->seen);
  return compare(t, &first, &by, 0.25 * coarse.off);
}

/* --- order ---------------------------------------------------------------------------------------
 */

/* How far the run is from `half`, which had twice its steps, after another halving. */
static double halve_again(experiment *t, outcome *half) {
  const correspondence by = same_sights();
  halve(&t->other);
  run_mechanism(&t->other, (manner){0}, &t->seen);
  t->said = t->said || says(half) || says(&t->seen);
  return difference(t->machine, half, &t->seen, &by, NULL);
}

/* With twice the step, if a macro step has more than one: how far that is from the plain run, which
 * is the finer of both then. NaN if there is none that comes to its end. */
static double double_first(experiment *t, outcome *twice) {
  const correspondence by = same_sights();
  if (t->machine->micro == 1) return NAN;
  t->other.step *= 2, t->other.micro /= 2;
  run_mechanism(&t->other, (manner){0}, twice);
  begin_pair(t);
  keep_outcome(&t->seen, t->plain);
  if (twice->status != FLG_OK) return NAN;
  return difference(t->machine, twice, t->plain, &by, NULL);
}

/* The same macro steps with micro steps of 2 h, h, h/2 or of h, h/2, h/4: differences shrink.
 * Errors of order 1 and 2 may have other signs and cross, and those of couplings may be large: what
 * does not shrink at once does so with shorter steps. */
static verdict check_order(experiment *t) {
  static outcome half;
  if (!is_smooth(t)) return skipped("not smooth");
  if (t->plain->status != FLG_OK) return told(t->plain->message);
  begin_pair(t);
  double coarse = double_first(t, &half);
  const bool is_doubled = !isnan(coarse);
  if (!is_doubled) {
    keep_outcome(&half, t->plain);
    coarse = halve_again(t, &half);
  }
  double least = coarse, fine = coarse;
  verdict first = {0};
  for (int k = is_doubled ? -1 : 0; k < HALVINGS; k++) {
    coarse = fine, least = flg_smaller(least, coarse);
    keep_outcome(&half, &t->seen);
    fine = halve_again(t, &half);
    const outcome *ended = half.status != FLG_OK ? &half : &t->seen;
    if (ended->status != FLG_OK && coarse <= COUPLED && fine <= COUPLED)
      return told(ended->message);
    if (ended->status != FLG_OK)
      return failed(coarse, COUPLED, "a shorter step ends early: %.300s", ended->message);
    if (fine <= ROUNDING) return passed(fine, ROUNDING);
    if (k < 0 && !(fine <= COUPLED)) continue; /* twice the step is too long to tell */
    if (fine <= SHRUNK * least) return passed(fine, SHRUNK * least);
    if ((t->features & HAS_COSIMULATION) && fine <= COUPLED) return passed(fine, COUPLED);
    if (k == 0) first = failed(fine, SHRUNK * least, "a step and its half differ by %.3g", coarse);
    const size_t length = strlen(first.text);
    snprintf(first.text + length, sizeof first.text - length, ", with half of both %.3g", fine);
  }
  return first;
}

/* --- the list ------------------------------------------------------------------------------------
 */

const check CHECKS[] = {
    {"starts", "what check accepts starts", check_starts},
    {"recorded", "a signal is known to every scheme or to none", check_recorded},
    {"ends", "it runs to its end, with finite numbers", check_ends},
    {"repeat", "twice the same, bit for bit", check_repeat},
    {"resume", "saved and resumed, bit for bit", check_resume},
    {"threads", "1 thread and 4, bit for bit", check_threads},
    {"built", "by calls as from files, bit for bit", check_built},
    {"renamed", "other names, orders of bodies and joints, ends", check_renamed},
    {"reordered", "another order of subsystems", check_reordered},
    {"turned", "turned and moved", check_turned},
    {"mirrored", "mirrored", check_mirrored},
    {"scaled", "other units", check_scaled},
    {"cut", "cut into subsystems, and whole in one component", check_cut},
    {"reduced", "bodies that joints fix to each other as one, and apart", check_reduced},
    {"coordinates", "bodies in absolute coordinates, and in those of joints", check_coordinates},
    {"coupled", "co-simulated, and solved as one", check_coupled},
    {"robots", "robots, and the same bodies in components", check_robots},
    {"order", "shorter steps converge", check_order},
    {"momentum", "momentum is kept", check_momentum},
    {"spin", "angular momentum is kept", check_spin},
    {"energy", "energy does not grow without a source", check_energy},
    {"closure", "joints are closed", check_closure},
    {"contacts", "what is said to be solved is", check_contacts},
};
const int CHECK_COUNT = (int)(sizeof CHECKS / sizeof *CHECKS);
