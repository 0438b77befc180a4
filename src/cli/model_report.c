#include "cli/model_report.h"

#include <math.h>

#include "cli/console.h"
#include "model/body_tree.h"

enum { DEEPEST_INDENT = 40 }; /* levels; what hangs deeper is not indented further */

static void report_joint(flg_model_figures *figures, const flg_joint *joint) {
  figures->velocities += flg_joint_kind_velocities(joint->kind);
  figures->constraint_rows += joint->mimic.joint >= 0;
  if (joint->kind == FLG_JOINT_FIXED) return; /* its limits, if any, limit nothing */
  figures->moving++;
  figures->position_limits += isfinite(joint->lower) || isfinite(joint->upper);
  figures->effort_limits += isfinite(joint->effort_limit);
  figures->speed_limits += isfinite(joint->speed_limit);
}

void flg_model_figures_add(flg_model_figures *figures, const flg_model *model) {
  figures->bodies += model->body_count;
  figures->joints += model->joint_count;
  for (int k = 0; k < model->body_count; k++) {
    const flg_body *body = &model->bodies[k];
    figures->mass += body->mass;
    if (body->flexible != NULL) figures->velocities += body->flexible->modes;
  }
  for (int k = 0; k < model->joint_count; k++) report_joint(figures, &model->joints[k]);
  figures->rank = figures->constraint_rows; /* a joint follows one other at most: none repeats */
}

void flg_model_figures_print(const flg_model_figures *figures, FILE *out) {
  const int free = figures->velocities - figures->rank;
  fprintf(out, "%d bod%s, %d joint%s, %.6g kg\n", figures->bodies,
          figures->bodies == 1 ? "y" : "ies", figures->joints, flg_plural(figures->joints),
          figures->mass);
  fprintf(out, "%d degree%s of freedom", free, flg_plural(free));
  if (figures->constraint_rows > 0) {
    fprintf(out, ": %d velocities, less %d constraint row%s of rank %d", figures->velocities,
            figures->constraint_rows, flg_plural(figures->constraint_rows), figures->rank);
  }
  fprintf(out, "\n");
  if (figures->position_limits + figures->effort_limits + figures->speed_limits == 0) return;
  fprintf(out, "limits: of position at %d, of effort at %d, of speed at %d of %d moving joint%s\n",
          figures->position_limits, figures->effort_limits, figures->speed_limits, figures->moving,
          flg_plural(figures->moving));
}

/* --- the tree -------------------------------------------------------------------------------- */

static void print_modes(const flg_modal_body *flexible, FILE *out) {
  flg_region region = {0};
  const int n = flexible->modes;
  double *frequencies = flg_region_take(&region, (size_t)n, sizeof *frequencies);
  fprintf(out, ", flexible: %d mode%s", n, flg_plural(n));
  if (frequencies != NULL && flg_modal_frequencies(flexible, frequencies, &region) == FLG_OK) {
    fprintf(out, ", %.5g", frequencies[0]);
    if (n > 1) fprintf(out, " to %.5g", frequencies[n - 1]);
    fprintf(out, " rad/s");
  }
  flg_region_release(&region);
}

static void print_body(const flg_model *model, const flg_joint *joint, int depth, FILE *out) {
  const flg_body *body = &model->bodies[joint->child];
  const int indent = 2 * (depth < DEEPEST_INDENT ? depth : DEEPEST_INDENT);
  fprintf(out, "%*s%s: %s %s, %.6g kg", indent, "", body->name, flg_joint_kind_name(joint->kind),
          joint->name, body->mass);
  if (joint->mimic.joint >= 0) {
    fprintf(out, ", follows %s", model->joints[joint->mimic.joint].name);
  }
  if (body->flexible != NULL) print_modes(body->flexible, out);
  fprintf(out, "\n");
}

static void print_bodies(const flg_model *model, const flg_body_tree *tree, int *depth, FILE *out) {
  fprintf(out, "world\n");
  for (int k = 0; k < tree->count; k++) {
    const int body = tree->order[k];
    const flg_joint *joint = &model->joints[tree->carrier[body]];
    depth[body] = joint->parent == FLG_WORLD ? 1 : depth[joint->parent] + 1;
    print_body(model, joint, depth[body], out);
  }
}

static void print_frames(const flg_model *model, bool ports, FILE *out) {
  int count = 0;
  for (int k = 0; k < model->frame_count; k++) {
    const flg_frame *frame = &model->frames[k];
    if (frame->port != ports) continue;
    fprintf(out, "%s%s on %s",
            count++ > 0 ? ", "
            : ports     ? "ports: "
                        : "markers: ",
            frame->name, frame->body == FLG_WORLD ? "world" : model->bodies[frame->body].name);
  }
  if (count > 0) fprintf(out, "\n");
}

flg_status flg_model_tree_print(const flg_model *model, FILE *out, flg_error *error) {
  flg_region region = {0};
  flg_body_tree tree;
  flg_mistakes unread = {0};
  int *depth = flg_region_take(&region, (size_t)model->body_count, sizeof *depth);
  flg_status status = flg_region_check(&region, "the tree of bodies", error);
  if (status == FLG_OK) status = flg_body_tree_build(&tree, model, &region, &unread);
  if (status == FLG_OK) {
    print_bodies(model, &tree, depth, out);
    print_frames(model, true, out);
    print_frames(model, false, out);
  }
  flg_region_release(&region);
  return status;
}
