/* assembly_inputs.h - what a program writes to an assembly between steps, and what it asks of
 * frames there. Inputs stay as they are until they are written again.
 *
 *     effort    of a joint or sensor: on its coordinates, as springs push [N or N m]
 *     wrench    of a body, marker or port, also of robots in it: force and moment at its origin, in
 *               world axes
 *     signal    its value, in place of what it computes; not of filters and sampled signals
 *     others    of robots in it: robot_inputs.h
 */
#ifndef FLG_ASSEMBLY_INPUTS_H
#define FLG_ASSEMBLY_INPUTS_H

#include "assembly/assembly_inner.h"

/* Frames that are looked at together. */
typedef struct flg_assembly_probe {
  int count;
  flg_part_anchor *anchors; /* (count) */
  double *responses; /* (velocities x (1 + 6 count)) accelerations without and with a unit force */
} flg_assembly_probe;

/* As in contract/subsystem.h; self: an assembly. */
flg_status flg_assembly_open_input(void *self, flg_input_kind kind, const char *path, int *number,
                                   int *width, flg_error *error);
void flg_assembly_write_input(void *self, int number, double time, const double *values);
flg_status flg_assembly_open_probe(void *self, const char *const *paths, int count, int *number,
                                   flg_error *error);
flg_status flg_assembly_look(void *self, int number, double time, double tau,
                             flg_interface_model *model);

/* Set-up: the anchor of a body, marker or port by its path. FLG_ERR_INPUT with a sentence. */
flg_status flg_assembly_find_anchor(const flg_assembly *assembly, const char *path,
                                    flg_part_anchor *anchor, flg_error *error);
#endif
