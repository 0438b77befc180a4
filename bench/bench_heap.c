/* bench_heap - microseconds a step of heaps of boxes, against MuJoCo, Bullet and ODE.
 *
 * Boxes of 8 to 12 cm, turned at random, fall onto a floor (friction 0.5, no restitution) and come
 * to rest, in steps of 1/240 s. `falling` is the mean over the first second, `rest` over the
 * fourth, each with its ratio to ours. `worst` is the largest overlap on the way, looked at in
 * every fourth step, `deepest` the one at the end and `drift` how far any box moved in the fourth
 * second: all from the poses, by our geometry. Each peer has its usual solver: MuJoCo Newton on a
 * soft convex problem, Bullet 10 and ODE 20 sweeps.
 */
#include <math.h>
#include <mujoco/mujoco.h>
#include <ode/ode.h>
#include <stdio.h>

#include "assembly/assembly_contacts.h"
#include "heap_peers.h"
#include "heaps.h"
#include "stopwatch.h"

enum { RATE = 240, SECONDS = 4, LOOK = 4 };
enum { MUJOCO_MOST = 300 }; /* its Jacobian has all rows times all velocities: gigabytes */

/* --- ours ------------------------------------------------------------------------------------- */

static flg_assembly *assemble(parts *p) {
  flg_assembly *assembly = NULL;
  const flg_assembly_options options = touching_options();
  static flg_mistakes mistakes;
  mistakes = (flg_mistakes){0};
  flg_assembly_build(&assembly, &p->component, NULL, &options, &mistakes);
  if (assembly == NULL) fprintf(stderr, "%s\n", mistakes.list[0].message);
  return assembly;
}

/* boxes of a layer, in a row */
static int side_of(int count) {
  return count < 100 ? 2 : count < 1000 ? 5 : 10;
}

static void *our_build(const heap_box *boxes, int count, double h) {
  (void)boxes, (void)h;
  return assemble(heap_of(count, side_of(count))); /* as the boxes are */
}

static void our_step(void *world) {
  flg_error error = {0};
  if (flg_assembly_advance_or_say(world, 0, 1. / RATE, 0, 1, &error) != FLG_OK) {
    fprintf(stderr, "%s\n", error.message), exit(1);
  }
}

static void our_look(const void *world, int box, double position[3], double turn[4]) {
  const flg_assembly *assembly = world;
  memcpy(position, assembly->state.q + 7 * box, 3 * sizeof *position);
  memcpy(turn, assembly->state.q + 7 * box + 3, 4 * sizeof *turn);
}

static void our_release(void *world) {
  flg_assembly_release(world);
}

static const heap_peer heap_flange = {"Flange", our_build, our_step, our_look, our_release};

/* --- MuJoCo ----------------------------------------------------------------------------------- */

typedef struct mujoco_world {
  mjModel *model;
  mjData *data;
} mujoco_world;

static void *mujoco_build(const heap_box *boxes, int count, double h) {
  const size_t capacity = 1000 + 500 * (size_t)count;
  char *xml = malloc(capacity), error[400] = "";
  int used = snprintf(xml, capacity,
                      "<mujoco><size njmax='%d' nconmax='%d'/><option timestep='%.17g'/>"
                      "<default><geom friction='0.5' condim='3'/></default><worldbody>"
                      "<geom type='plane' size='0 0 1'/>",
                      40 * count + 500, 12 * count + 100, h);
  for (int k = 0; k < count; k++) {
    const heap_box *b = &boxes[k];
    used +=
        snprintf(xml + used, capacity - (size_t)used,
                 "<body pos='%.17g %.17g %.17g' quat='%.17g %.17g %.17g %.17g'><freejoint/>"
                 "<geom type='box' size='%.17g %.17g %.17g' mass='%.17g'/></body>",
                 b->position[0], b->position[1], b->position[2], b->turn[0], b->turn[1], b->turn[2],
                 b->turn[3], b->size[0] / 2, b->size[1] / 2, b->size[2] / 2, b->mass);
  }
  used += snprintf(xml + used, capacity - (size_t)used, "</worldbody></mujoco>");
  static mjVFS files;
  mj_defaultVFS(&files);
  mj_makeEmptyFileVFS(&files, "heap.xml", used);
  memcpy(files.filedata[0], xml, (size_t)used);
  mujoco_world *made = calloc(1, sizeof *made);
  made->model = mj_loadXML("heap.xml", &files, error, sizeof error);
  mj_deleteVFS(&files);
  free(xml);
  if (made->model == NULL) fprintf(stderr, "MuJoCo: %s\n", error), exit(1);
  made->data = mj_makeData(made->model);
  return made;
}

static void mujoco_step(void *world) {
  mujoco_world *of = world;
  mj_step(of->model, of->data);
}

static void mujoco_look(const void *world, int box, double position[3], double turn[4]) {
  const mujoco_world *of = world;
  memcpy(position, of->data->qpos + 7 * box, 3 * sizeof *position);
  memcpy(turn, of->data->qpos + 7 * box + 3, 4 * sizeof *turn);
}

static void mujoco_release(void *world) {
  mujoco_world *of = world;
  mj_deleteData(of->data), mj_deleteModel(of->model);
  free(of);
}

static const heap_peer heap_mujoco = {"MuJoCo", mujoco_build, mujoco_step, mujoco_look,
                                      mujoco_release};

/* --- ODE -------------------------------------------------------------------------------------- */

typedef struct ode_world {
  dWorldID world;
  dSpaceID space;
  dJointGroupID contacts;
  dBodyID *bodies;
  double h;
} ode_world;

static void *ode_build(const heap_box *boxes, int count, double h) {
  ode_world *made = calloc(1, sizeof *made);
  dInitODE2(0);
  *made = (ode_world){dWorldCreate(), dHashSpaceCreate(NULL), dJointGroupCreate(0),
                      calloc((size_t)count, sizeof(dBodyID)), h};
  dWorldSetGravity(made->world, 0, 0, -9.81);
  dCreatePlane(made->space, 0, 0, 1, 0);
  for (int k = 0; k < count; k++) {
    const heap_box *b = &boxes[k];
    const dQuaternion turn = {b->turn[0], b->turn[1], b->turn[2], b->turn[3]};
    dMass mass;
    made->bodies[k] = dBodyCreate(made->world);
    dMassSetBoxTotal(&mass, b->mass, b->size[0], b->size[1], b->size[2]);
    dBodySetMass(made->bodies[k], &mass);
    dBodySetPosition(made->bodies[k], b->position[0], b->position[1], b->position[2]);
    dBodySetQuaternion(made->bodies[k], turn);
    dGeomSetBody(dCreateBox(made->space, b->size[0], b->size[1], b->size[2]), made->bodies[k]);
  }
  return made;
}

static void ode_near(void *context, dGeomID a, dGeomID b) {
  enum { POINTS = 8 };
  const ode_world *of = context;
  dContact points[POINTS];
  const int count = dCollide(a, b, POINTS, &points[0].geom, sizeof points[0]);
  for (int k = 0; k < count; k++) {
    points[k].surface.mode = dContactApprox1;
    points[k].surface.mu = 0.5;
    dJointAttach(dJointCreateContact(of->world, of->contacts, &points[k]), dGeomGetBody(a),
                 dGeomGetBody(b));
  }
}

static void ode_step(void *world) {
  ode_world *of = world;
  dSpaceCollide(of->space, of, ode_near);
  dWorldQuickStep(of->world, of->h);
  dJointGroupEmpty(of->contacts);
}

static void ode_look(const void *world, int box, double position[3], double turn[4]) {
  const ode_world *of = world;
  const dReal *at = dBodyGetPosition(of->bodies[box]), *q = dBodyGetQuaternion(of->bodies[box]);
  for (int i = 0; i < 3; i++) position[i] = at[i];
  for (int i = 0; i < 4; i++) turn[i] = q[i];
}

static void ode_release(void *world) {
  ode_world *of = world;
  dJointGroupDestroy(of->contacts), dSpaceDestroy(of->space), dWorldDestroy(of->world);
  dCloseODE();
  free(of->bodies), free(of);
}

static const heap_peer heap_ode = {"ODE", ode_build, ode_step, ode_look, ode_release};

/* --- runs ------------------------------------------------------------------------------------- */

static heap_box *boxes_of(const parts *p) {
  const flg_component *c = &p->component;
  heap_box *boxes = calloc((size_t)c->body_count, sizeof *boxes);
  for (int k = 0; k < c->body_count; k++) {
    const flg_quat turn = flg_quat_from_matrix(&c->bodies[k].pose.rotation);
    boxes[k] = (heap_box){.mass = c->bodies[k].mass, .turn = {turn.w, turn.x, turn.y, turn.z}};
    memcpy(boxes[k].size, c->shapes[k + 1].size, sizeof boxes[k].size);
    flg_vec3_store(c->bodies[k].pose.position, boxes[k].position);
  }
  return boxes;
}

static void take_poses(const heap_peer *peer, const void *world, flg_assembly *judge) {
  for (int k = 0; k < judge->model.part_count; k++) {
    peer->look(world, k, judge->state.q + 7 * k, judge->state.q + 7 * k + 3);
  }
}

static double overlap(const heap_peer *peer, const void *world, flg_assembly *judge) {
  take_poses(peer, world, judge);
  flg_assembly_refresh(judge, 0);
  return flg_contacts_report_view(judge->model.touch->contacts).penetration;
}

/* Microseconds a step; the largest overlap that is seen goes to *worst. */
static double run_for(const heap_peer *peer, void *world, flg_assembly *judge, int seconds,
                      double *worst) {
  double spent = 0;
  for (int k = 0; k < RATE * seconds; k++) {
    const double start = worked();
    peer->step(world);
    spent += worked() - start;
    if (k % LOOK == LOOK - 1) *worst = flg_larger(*worst, overlap(peer, world, judge));
  }
  return 1e6 * spent / (RATE * seconds);
}

static double largest_move(const flg_assembly *judge, const double *before) {
  double drift = 0;
  for (int k = 0; k < judge->model.part_count; k++) {
    const flg_vec3 a = flg_vec3_load(before + 7 * k), b = flg_vec3_load(judge->state.q + 7 * k);
    drift = flg_larger(drift, flg_vec3_norm(flg_vec3_subtract(a, b)));
  }
  return drift;
}

typedef struct times {
  double falling, rest;
} times;

/* ours: what peers are compared with */
static times run(const heap_peer *peer, parts *p, const heap_box *boxes, times ours) {
  const int count = p->component.body_count;
  const size_t bytes = 7 * (size_t)count * sizeof(double);
  void *world = peer->build(boxes, count, 1. / RATE);
  flg_assembly *judge = assemble(p);
  double *before = malloc(bytes), worst = 0;
  times took = {.falling = run_for(peer, world, judge, 1, &worst)};
  run_for(peer, world, judge, SECONDS - 2, &worst);
  take_poses(peer, world, judge);
  memcpy(before, judge->state.q, bytes);
  took.rest = run_for(peer, world, judge, 1, &worst);
  const double deepest = overlap(peer, world, judge);
  if (ours.falling == 0) ours = took;
  printf("%6d  %-8s %10.1f %6.2f %10.1f %6.2f %10.2e %10.2e %10.2e\n", count, peer->name,
         took.falling, took.falling / ours.falling, took.rest, took.rest / ours.rest, worst,
         deepest, largest_move(judge, before));
  fflush(stdout);
  free(before);
  flg_assembly_release(judge);
  peer->release(world);
  return ours;
}

int main(int argc, char **argv) {
  static const int counts[] = {10, 100, 1000};
  const heap_peer *const peers[] = {&heap_flange, &heap_mujoco, &heap_bullet, &heap_ode};
  const int most = argc > 1 ? atoi(argv[1]) : 1000;
  printf(
      " boxes            falling us  ratio    rest us  ratio    worst m  deepest m    drift m\n");
  for (int k = 0; k < 3 && counts[k] <= most; k++) {
    parts *p = heap_of(counts[k], side_of(counts[k]));
    heap_box *boxes = boxes_of(p);
    times ours = {0};
    for (size_t i = 0; i < sizeof peers / sizeof peers[0]; i++) {
      if (peers[i] == &heap_mujoco && counts[k] > MUJOCO_MOST) continue;
      ours = run(peers[i], p, boxes, ours);
    }
    free(boxes);
    shapes_drop(p), parts_drop(p);
  }
  return 0;
}
