/* model_report.h - a model in figures and as a tree, for people. */
#ifndef FLG_MODEL_REPORT_H
#define FLG_MODEL_REPORT_H

#include <stdio.h>

#include "model/model.h"

/* Counts of one model, or of several together. */
typedef struct flg_model_figures {
  int bodies, joints;
  int velocities;                                   /* of all joints */
  int constraint_rows;                              /* a joint that follows another: one row */
  int rank;                                         /* rows that differ from all others */
  double mass;                                      /* [kg], also of bodies that do not move */
  int moving;                                       /* joints that are not fixed */
  int position_limits, effort_limits, speed_limits; /* how many of those have them */
} flg_model_figures;

/* Adds those of a model. */
void flg_model_figures_add(flg_model_figures *figures, const flg_model *model);
void flg_model_figures_print(const flg_model_figures *figures, FILE *out);
/* The bodies as they hang on each other, each with its joint and mass, then ports and markers. The
 * model is one that flg_robot_build takes. FLG_ERR_MEMORY if there is none. */
flg_status flg_model_tree_print(const flg_model *model, FILE *out, flg_error *error);

#endif
