#include "cli/structure_report.h"

#include "assembly/assembly_planar.h"
#include "component/assembly_freedom.h"
#include "structure/trees.h"

enum { LISTED = 40 }; /* names of a list that are reported; the rest are counted */

bool flg_structure_is_reduced(const flg_assembly *assembly) {
  const flg_structure *structure = flg_assembly_structure(assembly);
  return structure->merged_count + structure->repeated_count + flg_assembly_trees(assembly)->count >
         0;
}

/* --- names --------------------------------------------------------------------------------------
 */

/* names as a line, or as elements of an open list */
typedef struct teller {
  const flg_component *component;
  const flg_structure *structure;
  const flg_trees *trees;
  FILE *out;
  flg_json *json;
  const char *heading;
  int count;
} teller;

static void tell_name(teller *to, const char *name) {
  to->count++;
  if (to->json != NULL) {
    flg_json_put(to->json, ":s", name);
  } else if (to->count <= LISTED) {
    fprintf(to->out, "%s%s", to->count == 1 ? to->heading : ", ", name);
  }
}

static void end_line(teller *to) {
  if (to->json != NULL) return;
  if (to->count > LISTED) fprintf(to->out, " and %d more", to->count - LISTED);
  if (to->count > 0) fprintf(to->out, "\n");
  to->count = 0;
}

/* bodies whose cluster begins with that one; FLG_WORLD: those that the ground holds */
static void tell_members(teller *to, int lead) {
  for (int k = lead < 0 ? 0 : lead; k < to->component->body_count; k++) {
    const flg_component_body *body = &to->component->bodies[k];
    if (to->structure->lead[k] == lead && !body->fixed) tell_name(to, body->name);
  }
}

static bool is_first_body(const teller *to, int body) {
  const int *lead = to->structure->lead;
  if (lead[body] != body) return false;
  for (int k = body + 1; k < to->component->body_count; k++) {
    if (lead[k] == body) return true;
  }
  return false;
}

static void tell_repeated(teller *to) {
  for (int k = 0; k < to->component->joint_count; k++) {
    if (to->structure->roles[k] == FLG_JOINT_REPEATED) tell_name(to, to->component->joints[k].name);
  }
}

/* bodies of a tree, by the first ones of clusters */
static void tell_tree(teller *to, int tree) {
  for (int k = to->trees->first[tree]; k < to->trees->first[tree + 1]; k++) {
    tell_name(to, to->component->bodies[to->trees->links[k].body].name);
  }
}

static bool is_on_tree(const teller *to, const flg_anchor *end) {
  if (end->robot >= 0 || end->body == FLG_WORLD) return false;
  const int lead = to->structure->lead[end->body];
  return lead != FLG_WORLD && to->trees->of_body[lead] >= 0;
}

/* joints with rows at bodies of trees */
static void tell_cut(teller *to) {
  for (int k = 0; k < to->component->joint_count && to->trees->count > 0; k++) {
    const flg_component_joint *joint = &to->component->joints[k];
    if (to->structure->roles[k] != FLG_JOINT_KEPT) continue;
    if (flg_constraint_kinds[joint->kind].couples) continue;
    if (is_on_tree(to, &joint->end[0]) || is_on_tree(to, &joint->end[1]))
      tell_name(to, joint->name);
  }
}

static void print_trees(teller *to) {
  to->heading = "in joint coordinates: ";
  for (int k = 0; k < to->trees->count && k < LISTED; k++) {
    tell_tree(to, k);
    end_line(to);
  }
  if (to->trees->count > LISTED) {
    fprintf(to->out, "and %d more trees\n", to->trees->count - LISTED);
  }
  to->heading = "folded into coordinates: ";
  for (int k = 0; k < to->component->joint_count; k++) {
    if (to->structure->roles[k] == FLG_JOINT_FOLDED) tell_name(to, to->component->joints[k].name);
  }
  end_line(to);
  to->heading = "cut, with rows: ";
  tell_cut(to);
  end_line(to);
}

/* --- all ----------------------------------------------------------------------------------------
 */

static void print_size(flg_assembly *assembly, FILE *out) {
  flg_freedom freedom = {0};
  flg_assembly_freedom(assembly, &freedom);
  fprintf(out, "%d velocities, %d constraint rows of rank %d, %.3g flops a step",
          freedom.velocities, freedom.rows, freedom.rank, flg_assembly_flops(assembly));
}

static void print_plane(const flg_assembly *assembly, FILE *out) {
  const flg_planar_facts facts = flg_planar_find_facts(assembly);
  if (!facts.is_planar) return;
  fprintf(out, "moves in a plane: %d rows in it, %d left out, %.3g flops a factorisation\n",
          facts.rows, facts.left_out, facts.flops);
}

void flg_structure_print(flg_assembly *assembly, flg_assembly *before, FILE *out) {
  teller to = {.component = flg_assembly_component(assembly),
               .structure = flg_assembly_structure(assembly),
               .trees = flg_assembly_trees(assembly),
               .out = out,
               .heading = "move as one: "};
  print_plane(assembly, out);
  if (!flg_structure_is_reduced(assembly)) return;
  int clusters = 0;
  for (int k = 0; k < to.component->body_count && clusters < to.structure->cluster_count; k++) {
    if (!is_first_body(&to, k) || clusters++ >= LISTED) continue;
    tell_members(&to, k);
    end_line(&to);
  }
  if (clusters > LISTED) fprintf(out, "and %d more clusters\n", clusters - LISTED);
  to.heading = "do not move: ";
  tell_members(&to, FLG_WORLD);
  end_line(&to);
  to.heading = "left out, since other joints do the same: ";
  tell_repeated(&to);
  end_line(&to);
  print_trees(&to);
  fprintf(out, "computed with ");
  print_size(assembly, out);
  fprintf(out, ";\n  as the file has it ");
  print_size(before, out);
  fprintf(out, "\n");
}

static void size_json(flg_assembly *assembly, const char *key, flg_json *json) {
  flg_freedom freedom = {0};
  flg_assembly_freedom(assembly, &freedom);
  flg_json_put(json, "*{ velocities:d rows:d rank:d flops:g }", key, freedom.velocities,
               freedom.rows, freedom.rank, flg_assembly_flops(assembly));
}

void flg_structure_json(flg_assembly *assembly, flg_assembly *before, const char *subsystem,
                        flg_json *json) {
  teller to = {.component = flg_assembly_component(assembly),
               .structure = flg_assembly_structure(assembly),
               .trees = flg_assembly_trees(assembly),
               .json = json};
  flg_json_put(json, "{ subsystem:s clusters[", subsystem);
  for (int k = 0; k < to.component->body_count && to.structure->cluster_count > 0; k++) {
    if (!is_first_body(&to, k)) continue;
    flg_json_put(json, "[");
    tell_members(&to, k);
    flg_json_put(json, "]");
  }
  flg_json_put(json, "] held[");
  tell_members(&to, FLG_WORLD);
  flg_json_put(json, "] repeated[");
  tell_repeated(&to);
  flg_json_put(json, "] trees[");
  for (int k = 0; k < to.trees->count; k++) {
    flg_json_put(json, "[");
    tell_tree(&to, k);
    flg_json_put(json, "]");
  }
  flg_json_put(json, "] cut[");
  tell_cut(&to);
  flg_json_put(json, "]");
  size_json(before, "before", json);
  size_json(assembly, "after", json);
  const flg_planar_facts facts = flg_planar_find_facts(assembly);
  flg_json_put(json, "planar:b", facts.is_planar);
  if (facts.is_planar) flg_json_put(json, "planar_rows:d", facts.rows);
  if (facts.is_planar) flg_json_put(json, "planar_flops:g", facts.flops);
  flg_json_put(json, "}");
}
