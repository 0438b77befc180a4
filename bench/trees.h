/* trees.h - one tree of revolute joints in Flange, MuJoCo and the peers of tree_peers.h, in the
 * same state, and the race of their forward dynamics. */
#ifndef FLG_BENCH_TREES_H
#define FLG_BENCH_TREES_H

#include "mjcf.h"
#include "race.h"
#include "tree_peers.h"

static const flg_vec3 GRAVITY = {0, 0, -9.81};

typedef struct tree_state {
  int count;
  double *q, *v, *f, *a;
} tree_state;

typedef struct flange_tree {
  sample *of;
  tree_state state;
} flange_tree;

typedef struct mujoco_tree {
  mjModel *model;
  mjData *data;
} mujoco_tree;

/* as if the state were new: what is known of it would not be computed again */
static inline void flange_forward(void *tree) {
  const flange_tree *t = (const flange_tree *)tree;
  flg_dynamics_forget(t->of->dynamics);
  flg_dynamics_forward(t->of->dynamics, t->state.q, t->state.v, t->state.f, GRAVITY, NULL, NULL,
                       t->state.a);
}

static inline void mujoco_forward(void *tree) {
  const mujoco_tree *t = (const mujoco_tree *)tree;
  mj_forward(t->model, t->data);
}

static inline flange_tree flange_tree_of(sample *of) {
  const int n = of->model.joint_count;
  double *x = (double *)calloc(4 * (size_t)n, sizeof *x);
  sample_require(x != NULL, "no memory");
  for (int k = 0; k < n; k++) {
    x[k] = 0.3 * sin(1 + k), x[n + k] = 0.5 * cos(k), x[2 * n + k] = 100 * sin(2 * k);
  }
  return (flange_tree){of, {n, x, x + n, x + 2 * n, x + 3 * n}};
}

static inline mujoco_tree mujoco_tree_of(const flange_tree *from) {
  mujoco_tree made = {.model = mjcf_model(from->of, GRAVITY)};
  made.data = mj_makeData(made.model);
  sample_require(made.data != NULL && made.model->nv == from->state.count,
                 "MuJoCo built another tree");
  memcpy(made.data->qpos, from->state.q, (size_t)from->state.count * sizeof(double));
  memcpy(made.data->qvel, from->state.v, (size_t)from->state.count * sizeof(double));
  memcpy(made.data->qfrc_applied, from->state.f, (size_t)from->state.count * sizeof(double));
  return made;
}

static inline void mujoco_tree_release(mujoco_tree *of) {
  mj_deleteData(of->data);
  mj_deleteModel(of->model);
}

static inline tree_link tree_link_of(const flg_model *model, int k) {
  const flg_joint *joint = &model->joints[k];
  const flg_body *body = &model->bodies[k];
  const flg_sym3 I = body->inertia;
  tree_link link = {
      .parent = joint->parent, .mass = body->mass, .inertia = {I.xx, I.yy, I.zz, I.xy, I.xz, I.yz}};
  memcpy(link.rotation, joint->origin.rotation.m, sizeof link.rotation);
  flg_vec3_store(joint->origin.position, link.position);
  flg_vec3_store(joint->axis, link.axis);
  flg_vec3_store(body->centre, link.centre);
  return link;
}

static inline void *peer_tree_of(const tree_peer *peer, const flange_tree *from) {
  tree_link *links = (tree_link *)calloc((size_t)from->state.count, sizeof *links);
  sample_require(links != NULL, "no memory");
  for (int k = 0; k < from->state.count; k++) links[k] = tree_link_of(&from->of->model, k);
  void *made = peer->build(links, from->state.count);
  peer->set(made, from->state.q, from->state.v, from->state.f);
  free(links);
  return made;
}

/* The peers that were there when the benchmarks were built. */
static const tree_peer *const tree_peers[] = {
#ifdef FLANGE_HAS_SIMBODY
    &tree_simbody,
#endif
#ifdef FLANGE_HAS_DART
    &tree_dart,
#endif
    NULL};

/* MuJoCo reads bodies that are nested no deeper than its XML library allows. */
enum { MUJOCO_DEEPEST = 80 };

typedef struct tree_race {
  racer racers[RACE_MOST];
  int count;
} tree_race;

static inline void enter(tree_race *to, const char *name, void (*run)(void *), void *of) {
  to->racers[to->count++] = (racer){.name = name, .run = run, .of = of};
}

/* Takes part if it finds our accelerations. */
static inline void enter_peer(tree_race *to, const char *work, const tree_peer *peer,
                              const flange_tree *ours) {
  const int n = ours->state.count;
  double *theirs = (double *)calloc((size_t)n, sizeof *theirs);
  sample_require(theirs != NULL, "no memory");
  void *made = peer_tree_of(peer, ours);
  peer->forward(made);
  peer->look(made, theirs);
  race_same(work, peer->name, ours->state.a, theirs, n, 1e-8);
  enter(to, peer->name, peer->forward, made);
  free(theirs);
}

/* Checks that all find the same accelerations, then measures them. mark: of ours; more: other forms
 * of ours, already checked. */
static inline void race_forward(const char *letter, const char *work, flange_tree *ours,
                                double mark, const racer *more, int more_count) {
  const int n = ours->state.count, has_mujoco = n <= MUJOCO_DEEPEST;
  mujoco_tree mujoco = {0};
  tree_race entered = {.count = 0};
  flange_forward(ours);
  enter(&entered, "Flange", flange_forward, ours);
  entered.racers[0].mark = mark;
  for (int k = 0; k < more_count; k++) entered.racers[entered.count++] = more[k];
  for (int k = 0; tree_peers[k] != NULL; k++) enter_peer(&entered, work, tree_peers[k], ours);
  if (has_mujoco) {
    mujoco = mujoco_tree_of(ours);
    mujoco_forward(&mujoco);
    race_same(work, "MuJoCo", ours->state.a, mujoco.data->qacc, n, 1e-8);
    enter(&entered, "MuJoCo", mujoco_forward, &mujoco);
  }
  race(letter, work, entered.racers, entered.count);
  for (int k = 0; tree_peers[k] != NULL; k++) {
    tree_peers[k]->release(entered.racers[1 + more_count + k].of);
  }
  if (has_mujoco) mujoco_tree_release(&mujoco);
}

#endif
