#include "structure/tree_rows.h"

#include <math.h>

/* sine of the angle between axes that are parallel but for rounding of their frames */
static const double PARALLEL = 1e-12;

typedef struct way {
  const flg_trees *trees;
  const flg_structure *structure;
  const flg_component *component;
  bool is_angle;
  flg_vec3 axis; /* of the coordinate, in the world at the start */
  double *slide, *turn;
} way;

static flg_pose start_pose_of_end(const flg_component *component, const flg_anchor *end) {
  if (end->body == FLG_WORLD) return end->pose;
  return flg_pose_compose(&component->bodies[end->body].pose, &end->pose);
}

enum { ON_GROUND = -1, NOT_IN_TREES = -2 };

/* the link that carries an end */
static int link_of_end(const way *of, const flg_anchor *end) {
  if (end->robot >= 0) return NOT_IN_TREES;
  const int lead = end->body == FLG_WORLD ? FLG_WORLD : of->structure->lead[end->body];
  if (lead == FLG_WORLD) return ON_GROUND;
  const int tree = of->trees->of_body[lead];
  if (tree < 0) return NOT_IN_TREES;
  int link = of->trees->first[tree];
  while (of->trees->links[link].body != lead) link++;
  return link;
}

static int link_before_link(const way *of, int link) {
  const int parent = of->trees->links[link].parent;
  if (parent == FLG_WORLD) return ON_GROUND;
  while (of->trees->links[link].body != parent) link--;
  return link;
}

/* the axis that a link's joint has on what carries it */
/* On the side of the carrier: there it does not turn with the joint itself. */
static flg_vec3 axis_of_link(const way *of, int link) {
  const flg_tree_link *at = &of->trees->links[link];
  const flg_component_joint *joint = &of->component->joints[at->joint];
  const flg_anchor *last = &joint->end[1];
  const bool is_last = last->body != FLG_WORLD && of->structure->lead[last->body] == at->body;
  const flg_pose carrier = start_pose_of_end(of->component, &joint->end[!is_last]);
  return flg_mat3_column(&carrier.rotation, 2);
}

/* one joint of the way; sign: 1 towards the second end, -1 towards the first */
/* Angles add up along parallel axes, displacements along parallel slides; anything else depends on
 * the pose. */
static bool pass_joint(const way *of, int link, double sign) {
  const int joint = of->trees->links[link].joint;
  if (joint == FLG_NO_JOINT) return false;
  const flg_vec3 axis = axis_of_link(of, link);
  if (flg_vec3_norm(flg_vec3_cross(of->axis, axis)) > PARALLEL) return false;
  const double factor = flg_vec3_dot(of->axis, axis) > 0 ? sign : -sign;
  const flg_constraint_kind kind = of->component->joints[joint].kind;
  const bool slides = kind == FLG_CONSTRAINT_PRISMATIC || kind == FLG_CONSTRAINT_CYLINDRICAL;
  const bool turns = kind == FLG_CONSTRAINT_REVOLUTE || kind == FLG_CONSTRAINT_CYLINDRICAL ||
                     kind == FLG_CONSTRAINT_SCREW;
  if (of->is_angle && turns) of->turn[link] += factor;
  if (!of->is_angle && slides) of->slide[link] += factor;
  if (!of->is_angle && kind == FLG_CONSTRAINT_SCREW)
    of->turn[link] += factor * of->component->joints[joint].constant;
  return slides || turns;
}

/* from both ends to where their ways to the ground meet; links come after those that carry them */
static bool add_way_between_ends(way *of, const flg_component_coordinate *from, double factor) {
  int first = link_of_end(of, &from->end[0]), second = link_of_end(of, &from->end[1]);
  if (first == NOT_IN_TREES || second == NOT_IN_TREES) return false;
  const flg_pose end = start_pose_of_end(of->component, &from->end[0]);
  of->axis = flg_mat3_column(&end.rotation, 2);
  of->is_angle = from->kind == FLG_COORDINATE_ANGLE;
  /* numbers of links grow from the ground: the larger of both is the one further out */
  while (first != second) {
    const bool is_second = second > first;
    if (!pass_joint(of, is_second ? second : first, is_second ? factor : -factor)) return false;
    if (is_second) {
      second = link_before_link(of, second);
    } else {
      first = link_before_link(of, first);
    }
  }
  return true;
}

bool flg_tree_row_add(const flg_trees *trees, const flg_structure *structure,
                      const flg_component *component, int coordinate, double factor, double *slide,
                      double *turn) {
  way of = {trees, structure, component, .slide = slide, .turn = turn};
  const flg_component_coordinate *from = &component->coordinates[coordinate];
  if (from->kind == FLG_COORDINATE_ANGLE || from->kind == FLG_COORDINATE_SLIDE)
    return add_way_between_ends(&of, from, factor);
  if (from->kind != FLG_COORDINATE_SUM) return false;
  for (int s = 0; s < 2; s++) {
    if (!flg_tree_row_add(trees, structure, component, from->of[s], factor * from->factor[s], slide,
                          turn)) {
      return false;
    }
  }
  return true;
}
