/* texts.h - files of this project that generated sources contain (cmake/texts.cmake). */
#ifndef FLG_COMPILE_TEXTS_H
#define FLG_COMPILE_TEXTS_H

#include <stddef.h>

typedef struct flg_text {
  const unsigned char *bytes; /* (length) */
  size_t length;
} flg_text;

extern const flg_text flg_text_plugin;      /* include/flange/plugin.h */
extern const flg_text flg_text_sine_kernel; /* src/dynamics/sine_kernel.h */
/* kernels that steps of the interpreter have, too: src/math/, ... */
extern const flg_text flg_text_vec3, flg_text_mat3, flg_text_rotation, flg_text_exp_kernel,
    flg_text_spatial, flg_text_axial, flg_text_dense_small, flg_text_six, flg_text_larger;
/* those of signals, headers and their sources */
extern const flg_text flg_text_exponential, flg_text_exponential_code, flg_text_curve,
    flg_text_curve_code, flg_text_source_kernels, flg_text_signal_kernels;
/* ... src/interface/, src/dynamics/ and src/parts/ */
extern const flg_text flg_text_frozen_kernels, flg_text_joint_kernels, flg_text_body_kernels,
    flg_text_part_work, flg_text_log_kernel, flg_text_relative, flg_text_constraint_row,
    flg_text_coordinate_kernels, flg_text_bushing_kernels;
/* the others lie in src/compile/ */
extern const flg_text flg_text_shared_runtime, flg_text_joint_space, flg_text_robot_runtime,
    flg_text_robot_ports, flg_text_mechanism_tables, flg_text_mechanism_rows,
    flg_text_mechanism_step, flg_text_mechanism_ports, flg_text_mechanism_forces,
    flg_text_mechanism_signals, flg_text_mechanism_told, flg_text_mechanism_plane,
    flg_text_planar_code, flg_text_planar_rows, flg_text_planar_columns, flg_text_planar_step,
    flg_text_plugin_table, flg_text_space_code, flg_text_space_rows, flg_text_space_columns,
    flg_text_space_step, flg_text_space_alone, flg_text_mechanism_space, flg_text_tree_code,
    flg_text_tree_step, flg_text_signal_calls, flg_text_tree_ports;

#endif
