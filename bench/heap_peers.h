/* heap_peers.h - heaps of boxes in other simulators, all behind one table. */
#ifndef FLG_BENCH_HEAP_PEERS_H
#define FLG_BENCH_HEAP_PEERS_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct heap_box {
  double size[3], mass;
  double position[3], turn[4]; /* quaternion w x y z */
} heap_box;

/* A world with a floor, z = 0, gravity 9.81 m/s^2, friction 0.5 and no restitution, at what each
 * simulator takes for its usual settings. */
typedef struct heap_peer {
  const char *name;
  void *(*build)(const heap_box *boxes, int count, double h);
  void (*step)(void *world);
  void (*look)(const void *world, int box, double position[3], double turn[4]);
  void (*release)(void *world);
} heap_peer;

extern const heap_peer heap_bullet, heap_mujoco, heap_ode;

#ifdef __cplusplus
}
#endif
#endif
