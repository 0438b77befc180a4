/* tree_peers.h - trees of revolute joints in other libraries, all behind one table. */
#ifndef FLG_BENCH_TREE_PEERS_H
#define FLG_BENCH_TREE_PEERS_H

#ifdef __cplusplus
extern "C" {
#endif

/* A body and the joint that carries it, in the frame of the joint. */
typedef struct tree_link {
  int parent;                      /* -1: the world; otherwise before this one */
  double rotation[9], position[3]; /* of the joint's frame in the parent's; rotation by columns */
  double axis[3];
  double mass, centre[3], inertia[6]; /* about the centre: xx yy zz xy xz yz [kg m2] */
} tree_link;

/* Gravity is -9.81 m/s2 along z. `forward` finds accelerations from positions on: nothing that
 * depends on them may be kept from the call before. */
typedef struct tree_peer {
  const char *name;
  void *(*build)(const tree_link *links, int count);
  void (*set)(void *tree, const double *q, const double *v, const double *force);
  void (*forward)(void *tree);
  void (*look)(const void *tree, double *acceleration);
  void (*release)(void *tree);
} tree_peer;

extern const tree_peer tree_simbody, tree_dart;

#ifdef __cplusplus
}
#endif
#endif
