// Trees of revolute joints in DART.
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>

#include "tree_peers.h"

namespace {

using namespace dart::dynamics;

struct tree {
  SkeletonPtr skeleton = Skeleton::create("tree");
  Eigen::VectorXd q, v;
};

Eigen::Vector3d vector_of(const double *x) {
  return Eigen::Vector3d(x[0], x[1], x[2]);
}

void add(const SkeletonPtr &skeleton, const tree_link &link, int k) {
  const double *i = link.inertia;
  RevoluteJoint::Properties joint;
  joint.mName = "j" + std::to_string(k);
  joint.mAxis = vector_of(link.axis);
  joint.mT_ParentBodyToJoint.linear() = Eigen::Map<const Eigen::Matrix3d>(link.rotation);
  joint.mT_ParentBodyToJoint.translation() = vector_of(link.position);
  BodyNode *parent = link.parent < 0 ? nullptr : skeleton->getBodyNode(link.parent);
  const BodyNode::AspectProperties body("b" + std::to_string(k));
  BodyNode *made =
      skeleton->createJointAndBodyNodePair<RevoluteJoint>(parent, joint, BodyNode::Properties(body)).second;
  made->setInertia(Inertia(link.mass, link.centre[0], link.centre[1], link.centre[2], i[0], i[1], i[2],
                           i[3], i[4], i[5]));
}

void *build(const tree_link *links, int count) {
  tree *made = new tree;
  for (int k = 0; k < count; k++) add(made->skeleton, links[k], k);
  made->skeleton->setGravity(Eigen::Vector3d(0, 0, -9.81));
  return made;
}

void set(void *from, const double *q, const double *v, const double *force) {
  tree *of = static_cast<tree *>(from);
  const long count = (long)of->skeleton->getNumDofs();
  of->q = Eigen::Map<const Eigen::VectorXd>(q, count);
  of->v = Eigen::Map<const Eigen::VectorXd>(v, count);
  of->skeleton->setForces(Eigen::Map<const Eigen::VectorXd>(force, count));
}

// Positions that are set anew make DART forget what it keeps of them.
void forward(void *from) {
  tree *of = static_cast<tree *>(from);
  of->skeleton->setPositions(of->q);
  of->skeleton->setVelocities(of->v);
  of->skeleton->computeForwardDynamics();
}

void look(const void *from, double *acceleration) {
  const tree *of = static_cast<const tree *>(from);
  const Eigen::VectorXd found = of->skeleton->getAccelerations();
  for (long k = 0; k < found.size(); k++) acceleration[k] = found[k];
}

void release(void *from) {
  delete static_cast<tree *>(from);
}

}  // namespace

const tree_peer tree_dart = {"DART", build, set, forward, look, release};
