/* Heaps in ODE: 20 sweeps of its quick step. */
#include <ode/ode.h>
#include <stdlib.h>

#include "heap_peers.h"

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

const heap_peer heap_ode = {"ODE", ode_build, ode_step, ode_look, ode_release};
