// Trees of revolute joints in Simbody.
#include <Simbody.h>

#include <vector>

#include "tree_peers.h"

namespace {

using namespace SimTK;

struct tree {
  MultibodySystem system;
  SimbodyMatterSubsystem matter{system};
  GeneralForceSubsystem forces{system};
  Force::UniformGravity gravity{forces, matter, Vec3(0, 0, -9.81)};
  Force::DiscreteForces efforts{forces, matter};
  std::vector<MobilizedBody> bodies;
  State state;
};

Vec3 vector_of(const double *x) {
  return Vec3(x[0], x[1], x[2]);
}

// Pins turn about z: frames on both sides have it along the axis.
MobilizedBody add(tree &of, const tree_link &link) {
  const double *r = link.rotation, *i = link.inertia;
  const Mat33 columns(r[0], r[3], r[6], r[1], r[4], r[7], r[2], r[5], r[8]);
  const Rotation along(UnitVec3(vector_of(link.axis)), ZAxis);
  const Rotation placed = Rotation(columns) * along;
  const Inertia central(Vec3(i[0], i[1], i[2]), Vec3(i[3], i[4], i[5]));
  const Vec3 centre = vector_of(link.centre);
  const MassProperties mass(link.mass, centre, central.shiftFromMassCenter(centre, link.mass));
  MobilizedBody &parent = link.parent < 0 ? of.matter.updGround() : of.bodies[link.parent];
  return MobilizedBody::Pin(parent, Transform(placed, vector_of(link.position)), Body::Rigid(mass),
                            Transform(along));
}

void *build(const tree_link *links, int count) {
  tree *made = new tree;
  for (int k = 0; k < count; k++) made->bodies.push_back(add(*made, links[k]));
  made->state = made->system.realizeTopology();
  made->system.realizeModel(made->state);
  return made;
}

void set(void *from, const double *q, const double *v, const double *force) {
  tree *of = static_cast<tree *>(from);
  for (size_t k = 0; k < of->bodies.size(); k++) {
    of->bodies[k].setOneQ(of->state, 0, q[k]);
    of->bodies[k].setOneU(of->state, 0, v[k]);
    of->efforts.setOneMobilityForce(of->state, of->bodies[k], MobilizerUIndex(0), force[k]);
  }
}

void forward(void *from) {
  tree *of = static_cast<tree *>(from);
  of->state.invalidateAllCacheAtOrAbove(Stage::Position);
  of->system.realize(of->state, Stage::Acceleration);
}

void look(const void *from, double *acceleration) {
  const tree *of = static_cast<const tree *>(from);
  for (size_t k = 0; k < of->bodies.size(); k++) {
    acceleration[k] = of->bodies[k].getOneUDot(of->state, 0);
  }
}

void release(void *from) {
  delete static_cast<tree *>(from);
}

}  // namespace

const tree_peer tree_simbody = {"Simbody", build, set, forward, look, release};
