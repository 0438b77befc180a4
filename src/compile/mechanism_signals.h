/* mechanism_signals.h - quantities of a compiled mechanism that were chosen when it was made: text
 * of generated files. It follows mechanism_ports.h, up to its table, and these tables
 * (component_signals.c):
 *
 *     signal_table          paths, quantities, units; the first is the count of fallbacks
 *     signal_whats          one of those below
 *     signal_firsts         body (-1: the ground), coordinate, spring or bushing
 *     signal_seconds        a second coordinate, -1: there is none
 *     signal_poses (12)     of frames
 */
enum {
  FRAME_POSITION,
  FRAME_ORIENTATION,
  FRAME_VELOCITY,
  FRAME_SPIN,
  COORDINATE_VALUE,
  COORDINATE_RATE,
  SPRING_EFFORT,
  BUSHING_DISPLACEMENT,
  BUSHING_ROTATION,
  BUSHING_FORCE,
  BUSHING_MOMENT
};

static void read_frame(const mechanism *of, int signal, double *values) {
  const flg_moving_frame at =
      element_frame(&of->elements, signal_firsts[signal], signal_poses[signal]);
  flg_mat3 turn = at.pose.rotation;
  flg_quat as;
  switch (signal_whats[signal]) {
    case FRAME_POSITION:
      flg_vec3_store(at.pose.position, values);
      show_vectors(of, 3, values);
      for (int i = 0; i < 3; i++) values[i] += of->place[i];
      break;
    case FRAME_ORIENTATION:
      show_vectors(of, 9, turn.m);
      as = flg_quat_from_matrix_kernel(&turn);
      values[0] = as.w, values[1] = as.x, values[2] = as.y, values[3] = as.z;
      break;
    default:
      flg_vec3_store(signal_whats[signal] == FRAME_SPIN ? at.velocity.angular : at.velocity.linear,
                     values);
      show_vectors(of, 3, values);
  }
}

static void read_bushing(const mechanism *of, int signal, double *values) {
  const int what = signal_whats[signal];
  flg_spatial force[2];
  double left[6];
  find_bushing(&of->elements, signal_firsts[signal], left, force);
  if (what == BUSHING_DISPLACEMENT || what == BUSHING_ROTATION) {
    memcpy(values, left + (what == BUSHING_ROTATION ? 3 : 0), 3 * sizeof *values);
    return;
  }
  flg_vec3_store(what == BUSHING_FORCE ? force[1].linear : force[1].angular, values);
  show_vectors(of, 3, values);
}

static double read_coordinate(const mechanism *of, int signal, int coordinate) {
  const flg_coordinate_row *row = &of->elements.rows[coordinate];
  return signal_whats[signal] == COORDINATE_VALUE ? row->value : row->rate;
}

static void read_signal(mechanism *of, int signal, double *values) {
  const int first = signal_firsts[signal], second = signal_seconds[signal];
  see_elements(&of->elements, of->state, of->state + 7 * BODIES, of->state + TURNS, 0);
  if (signal_whats[signal] <= FRAME_SPIN) {
    read_frame(of, signal, values);
  } else if (signal_whats[signal] >= BUSHING_DISPLACEMENT) {
    read_bushing(of, signal, values);
  } else if (signal_whats[signal] == SPRING_EFFORT) {
    values[0] = spring_effort(&of->elements, first);
  } else {
    values[0] = read_coordinate(of, signal, first);
    if (second >= 0) values[1] = read_coordinate(of, signal, second);
  }
}
