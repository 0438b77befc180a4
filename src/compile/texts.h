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
/* the others lie in src/compile/ */
extern const flg_text flg_text_shared_runtime, flg_text_robot_runtime, flg_text_robot_ports,
    flg_text_mechanism_rows, flg_text_mechanism_step, flg_text_mechanism_ports,
    flg_text_mechanism_plane, flg_text_planar_code, flg_text_planar_rows, flg_text_planar_columns,
    flg_text_planar_step, flg_text_plugin_table;

#endif
