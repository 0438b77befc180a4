#include "cli/component_report.h"

#include <math.h>
#include <string.h>

#include "cli/console.h"
#include "component/assembly_contract.h"
#include "component/assembly_freedom.h"
#include "flatten/component_builder.h"

enum { LISTED = 40 }; /* redundant joints and loose bodies that are named; the rest are counted */
/* of the length of the system, or of 1 rad: what moved by less stayed where it was */
static const double STAYED = 1e-9;

void flg_component_figures_add(flg_model_figures *figures, flg_assembly *assembly) {
  const flg_component *component = flg_assembly_component(assembly);
  flg_freedom freedom;
  const flg_model_figures before = *figures;
  for (int k = 0; k < component->robot_count; k++) {
    flg_model_figures_add(figures, component->robots[k].model);
    figures->joints -= component->robots[k].is_body; /* it floats */
  }
  figures->bodies += component->body_count;
  figures->joints += component->joint_count;
  for (int k = 0; k < component->body_count; k++) {
    if (!component->bodies[k].is_port) figures->mass += component->bodies[k].mass;
  }
  flg_assembly_freedom(assembly, &freedom);
  figures->velocities = before.velocities + freedom.velocities;
  figures->constraint_rows = before.constraint_rows + freedom.rows;
  figures->rank = before.rank + freedom.rank;
}

/* --- what it is made of ----------------------------------------------------------------------- */

static void print_members(const flg_component *component, int group, FILE *out) {
  for (int k = 0; k < component->body_count; k++) {
    const flg_component_body *body = &component->bodies[k];
    if (body->group != group || body->is_port) continue;
    fprintf(out, "  %s: %.6g kg%s\n", body->name, body->mass, body->fixed ? ", fixed" : "");
  }
  for (int k = 0; k < component->robot_count; k++) {
    const flg_component_robot *robot = &component->robots[k];
    if (robot->group != group) continue;
    const flg_body *body = robot->model->bodies;
    if (robot->is_body) {
      fprintf(out, "  %s: %.6g kg, %d elastic coordinate%s\n", robot->name, body->mass,
              body->flexible->modes, flg_plural(body->flexible->modes));
    } else {
      fprintf(out, "  %s: robot %s\n", robot->name, robot->model->file);
    }
  }
  for (int k = 0; k < component->joint_count; k++) {
    const flg_component_joint *joint = &component->joints[k];
    if (joint->group != group) continue;
    fprintf(out, "  %s: %s, %d row%s\n", joint->name, flg_constraint_kind_name(joint->kind),
            flg_constraint_kinds[joint->kind].rows,
            flg_plural(flg_constraint_kinds[joint->kind].rows));
  }
}

void flg_component_print(const flg_component *component, FILE *out) {
  print_members(component, FLG_TOP, out);
  for (int k = 0; k < component->group_count && k < LISTED; k++) {
    fprintf(out, "component %s\n", component->groups[k].name);
    print_members(component, k, out);
  }
  if (component->group_count > LISTED) {
    fprintf(out, "and %d more components\n", component->group_count - LISTED);
  }
}

/* --- where joints repeat each other ----------------------------------------------------------- */

static void print_redundancy(const flg_component *component, const flg_redundancy *of, FILE *out) {
  const flg_component_joint *joint = &component->joints[of->joint];
  fprintf(out, "%s: %d of %d row%s %s redundant", joint->name, of->rows,
          flg_constraint_kinds[joint->kind].rows,
          flg_plural(flg_constraint_kinds[joint->kind].rows), of->rows == 1 ? "is" : "are");
  for (int k = 0; k < of->other_count; k++) {
    fprintf(out, "%s%s", k == 0 ? " with " : ", ", component->joints[of->others[k]].name);
  }
  /* bodies can move any way, so that only joints of robots can be in the way of a joint alone */
  fprintf(out, "%s\n",
          of->is_unknown         ? " with other joints (too many rows to find out which)"
          : of->other_count == 0 ? ": its robot cannot move that way"
                                 : "");
}

static void print_redundancies(const flg_assembly *assembly, FILE *out) {
  flg_redundancies found;
  flg_assembly_redundancies(assembly, &found);
  for (int k = 0; k < found.count && k < LISTED; k++) {
    print_redundancy(flg_assembly_component(assembly), &found.list[k], out);
  }
  if (found.count > LISTED) {
    fprintf(out, "and %d more joints with redundant rows\n", found.count - LISTED);
  }
  if (found.count > 0) {
    fprintf(out,
            "motion does not depend on redundant rows; the loads in such joints are not "
            "unique\n");
  }
  flg_region_release(&found.region);
}

static void print_loose(const flg_assembly *assembly, FILE *out) {
  const flg_component *component = flg_assembly_component(assembly);
  flg_region region = {0};
  bool *loose = flg_region_take(&region, (size_t)component->body_count, sizeof *loose);
  const int count = loose == NULL ? 0 : flg_assembly_loose(assembly, loose, &region);
  int listed = 0;
  for (int k = 0; k < component->body_count && count > 0; k++) {
    if (!loose[k] || listed == LISTED) continue;
    fprintf(out, "%s%s", listed++ == 0 ? "nothing holds: " : ", ", component->bodies[k].name);
  }
  if (count > listed) fprintf(out, " and %d more", count - listed);
  if (count > 0) fprintf(out, " (no joint or spring leads to the ground)\n");
  flg_region_release(&region);
}

void flg_component_notes_print(const flg_assembly *assembly, FILE *out) {
  print_redundancies(assembly, out);
  print_loose(assembly, out);
}

/* --- what moved to close the joints ----------------------------------------------------------- */

typedef struct mover {
  FILE *out;
  int moved;
  double length; /* of the system [m] */
} mover;

/* the beginning of the line, or NULL if enough are listed */
static FILE *begin_move(mover *all, const char *name) {
  if (all->moved++ == 0) fprintf(all->out, "moved:\n");
  if (all->moved > LISTED) return NULL;
  fprintf(all->out, "  %s by ", name);
  return all->out;
}

static void print_body_move(const flg_assembly *assembly, int index, mover *all) {
  const flg_component_body *body = &flg_assembly_component(assembly)->bodies[index];
  const flg_anchor anchor = {.robot = -1, .body = index, .pose = flg_pose_identity()};
  const flg_pose now = flg_assembly_pose(assembly, &anchor);
  const flg_vec3 way = flg_vec3_subtract(now.position, body->pose.position);
  const flg_mat3 turned = flg_mat3_multiply_transposed(&now.rotation, &body->pose.rotation);
  const double angle = flg_vec3_norm(flg_quat_log(flg_quat_from_matrix(&turned)));
  if (flg_vec3_norm(way) < STAYED * all->length && angle < STAYED) return;
  FILE *out = begin_move(all, body->name);
  if (out != NULL) fprintf(out, "(%.4g, %.4g, %.4g) m and %.4g rad\n", way.x, way.y, way.z, angle);
}

static double wanted_position(const flg_component_robot *robot, const char *joint) {
  flg_items initial;
  if (!flg_robot_initial(&robot->setup->robot, robot->model, &initial)) return 0;
  const flg_value *values = initial.items;
  const int k = FLG_FIND(values, initial.count, joint);
  return k < 0 ? 0 : values[k].numbers.values[0];
}

/* the joint of the robot that an object is, if it has one coordinate and mimics none; else NULL */
static const flg_joint *joint_of_object(const flg_component_robot *robot,
                                        const flg_object *object) {
  const size_t length = strlen(robot->name);
  if (strncmp(object->path, robot->name, length) != 0 || object->path[length] != '/') return NULL;
  const int joint = flg_model_joint(robot->model, object->path + length + 1);
  if (joint < 0 || robot->model->joints[joint].mimic.joint >= 0) return NULL;
  const bool single = object->quantity_count > 0 && object->quantities[0].width == 1;
  return single ? &robot->model->joints[joint] : NULL;
}

static void print_robot_moves(const flg_subsystem *part, const flg_component_robot *robot,
                              mover *all) {
  int count;
  const flg_object *objects = part->ops->objects(part->self, &count);
  for (int k = 0; k < count; k++) {
    const flg_joint *joint = joint_of_object(robot, &objects[k]);
    if (joint == NULL) continue;
    double now;
    part->ops->read(part->self, k, 0, &now);
    const double way = now - wanted_position(robot, joint->name);
    const double least = STAYED * (joint->kind == FLG_JOINT_PRISMATIC ? all->length : 1);
    FILE *out = fabs(way) < least ? NULL : begin_move(all, objects[k].path);
    if (out != NULL) fprintf(out, "%.4g %s\n", way, objects[k].quantities[0].unit);
  }
}

void flg_component_moves_print(const flg_subsystem *part, FILE *out) {
  const flg_assembly *assembly = flg_subsystem_assembly(part);
  const flg_component *component = flg_assembly_component(assembly);
  mover all = {.out = out, .length = flg_assembly_length(assembly)};
  for (int k = 0; k < component->body_count; k++) print_body_move(assembly, k, &all);
  for (int k = 0; k < component->robot_count; k++) {
    print_robot_moves(part, &component->robots[k], &all);
  }
  if (all.moved > LISTED) fprintf(out, "  and %d more\n", all.moved - LISTED);
  if (all.moved == 0) fprintf(out, "all joints are closed as they are\n");
}

void flg_component_redundant_json(const flg_assembly *assembly, flg_json *json) {
  const flg_component *component = flg_assembly_component(assembly);
  flg_redundancies found;
  flg_assembly_redundancies(assembly, &found);
  for (int k = 0; k < found.count; k++) {
    const flg_redundancy *of = &found.list[k];
    flg_json_put(json, "{ joint:s rows:d with[", component->joints[of->joint].name, of->rows);
    for (int i = 0; i < of->other_count; i++) {
      flg_json_put(json, ":s", component->joints[of->others[i]].name);
    }
    flg_json_put(json, "] }");
  }
  flg_region_release(&found.region);
}
