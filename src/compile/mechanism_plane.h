/* mechanism_plane.h - steps of a compiled mechanism in the plane that it moves in (planar_step.h):
 * text of generated files. It follows the tables flat_* of the mechanism's numbers, and its masses.
 */
/* gravity: (BODIES) in the axes of the model; length: of the system */
static void start_plane(plane *of, double (*gravity)[3], double length) {
  double inverse_masses[BODIES], inverse_inertias[BODIES], falls[2 * BODIES];
  for (int k = 0; k < BODIES; k++) {
    inverse_masses[k] = 1 / masses[k], inverse_inertias[k] = 1 / flat_inertias[k];
    for (int i = 0; i < 2; i++) {
      const double *axis = flat_axes + 3 * i, *g = gravity[k];
      falls[2 * k + i] = axis[0] * g[0] + axis[1] * g[1] + axis[2] * g[2];
    }
  }
  flg_planar_numbers numbers = {.masses = masses,
                                .inverse_masses = inverse_masses,
                                .inertias = flat_inertias,
                                .inverse_inertias = inverse_inertias,
                                .gravities = falls,
                                .heights = flat_heights,
                                .zeros = &flat_zeros[0][0],
                                .points = &flat_points[0][0],
                                .lines = &flat_lines[0][0],
                                .senses = 0,
                                .length = length};
  memcpy(numbers.axes, flat_axes, sizeof numbers.axes);
  planar_fill(of, &numbers);
}
