// Heaps in Bullet: sequential impulses, its usual 10 iterations.
#include <btBulletDynamicsCommon.h>

#include <vector>

#include "heap_peers.h"

namespace {

const btScalar FRICTION = btScalar(0.70710678); // Bullet multiplies: 0.5

struct World {
  btDefaultCollisionConfiguration settings;
  btCollisionDispatcher dispatcher{&settings};
  btDbvtBroadphase broad;
  btSequentialImpulseConstraintSolver solver;
  btDiscreteDynamicsWorld world{&dispatcher, &broad, &solver, &settings};
  btStaticPlaneShape plane{btVector3(0, 0, 1), 0};
  btRigidBody floor{btRigidBody::btRigidBodyConstructionInfo(0, nullptr, &plane)};
  std::vector<btBoxShape *> shapes;
  std::vector<btRigidBody *> bodies;
  double h = 0;
};

void *build(const heap_box *boxes, int count, double h) {
  World *made = new World;
  made->h = h;
  made->world.setGravity(btVector3(0, 0, btScalar(-9.81)));
  made->floor.setFriction(FRICTION);
  made->world.addRigidBody(&made->floor);
  for (int k = 0; k < count; k++) {
    const heap_box &b = boxes[k];
    btBoxShape *shape = new btBoxShape(
        btVector3(btScalar(b.size[0] / 2), btScalar(b.size[1] / 2), btScalar(b.size[2] / 2)));
    shape->setMargin(btScalar(0.001)); // its 4 cm are nearly the whole box
    btVector3 inertia;
    shape->calculateLocalInertia(btScalar(b.mass), inertia);
    btRigidBody::btRigidBodyConstructionInfo info(btScalar(b.mass), nullptr, shape, inertia);
    info.m_startWorldTransform.setOrigin(
        btVector3(btScalar(b.position[0]), btScalar(b.position[1]), btScalar(b.position[2])));
    info.m_startWorldTransform.setRotation(btQuaternion(btScalar(b.turn[1]), btScalar(b.turn[2]),
                                                        btScalar(b.turn[3]), btScalar(b.turn[0])));
    btRigidBody *body = new btRigidBody(info);
    body->setFriction(FRICTION);
    body->setActivationState(DISABLE_DEACTIVATION);
    made->world.addRigidBody(body);
    made->shapes.push_back(shape);
    made->bodies.push_back(body);
  }
  return made;
}

void step(void *world) {
  World *of = static_cast<World *>(world);
  of->world.stepSimulation(btScalar(of->h), 0, btScalar(of->h));
}

void look(const void *world, int box, double position[3], double turn[4]) {
  const btTransform &at =
      static_cast<const World *>(world)->bodies[size_t(box)]->getWorldTransform();
  const btQuaternion q = at.getRotation();
  for (int i = 0; i < 3; i++) position[i] = at.getOrigin()[i];
  turn[0] = q.w(), turn[1] = q.x(), turn[2] = q.y(), turn[3] = q.z();
}

void release(void *world) {
  World *of = static_cast<World *>(world);
  for (btRigidBody *body : of->bodies) {
    of->world.removeRigidBody(body);
    delete body;
  }
  of->world.removeRigidBody(&of->floor);
  for (btBoxShape *shape : of->shapes) delete shape;
  delete of;
}

} // namespace

const heap_peer heap_bullet = {"Bullet", build, step, look, release};
