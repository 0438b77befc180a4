/* heavy.c - how heavy does the arm feel to a hand that pushes its tool?
 *
 *     ./heavy [scenario]      default: examples/ssrms/poses.yaml
 *
 * Seen through its tool the arm answers a = D x + r. Along a direction u it feels like a mass of
 * 1 / (u . D u), which changes with the pose; where it cannot move it is infinite. At the end the
 * hand does push, and the tool does what D and r said. */
#include <flange/access.h>
#include <flange/ports.h>
#include <math.h>
#include <stdio.h>

static flg_error error;

static int fail(void) {
  fprintf(stderr, "%s\n", error.message);
  return 1;
}

static flg_status look(flg_simulation *arm, flg_ports tool, double D[36], double r[6],
                       double w[6]) {
  return flg_ports_reduce(arm, tool, flg_simulation_macro(arm), 6, D, r, w, &error);
}

static int tell(flg_simulation *arm, const double D[36]) {
  double work[1000], mass[3];
  flg_admittance_figures figures;
  if (flg_admittance_numbers(6) > 1000 ||
      flg_admittance_measure(6, D, work, &figures, &error) != FLG_OK) {
    return fail();
  }
  for (int k = 0; k < 3; k++) {
    double direction[6] = {0};
    direction[k] = 1;
    mass[k] = flg_admittance_along(6, D, direction);
  }
  printf("t = %.1f s: %8.1f kg along x, %8.1f along y, %8.1f along z; rank %d, condition %.2g\n",
         flg_simulation_time(arm), mass[0], mass[1], mass[2], figures.rank, figures.condition);
  return 0;
}

int main(int count, char **words) {
  const char *path = count > 1 ? words[1] : "examples/ssrms/poses.yaml";
  const char *const name = "arm/tool";
  /* short steps, in which the model foretells what the arm does */
  const char *const settings[] = {"time.macro=1/600", "subsystems.arm.controllers={}"};
  flg_simulation *arm = NULL;
  flg_mistakes mistakes;
  flg_ports tool;
  flg_input hand;
  double D[36], r[6], w[6], before[6], foretold[6];
  if (flg_simulation_load(&arm, path, settings, 2, &mistakes) != FLG_OK) {
    flg_mistakes_error(&mistakes, &error);
    return fail();
  }
  if (flg_ports_find(arm, &name, 1, &tool, &error) != FLG_OK ||
      flg_input_find(arm, "arm/tool.wrench", &hand, &error) != FLG_OK ||
      look(arm, tool, D, r, before) != FLG_OK) {
    return fail();
  }
  if (tell(arm, D) != 0) return 1;
  const double push[6] = {0, 0, 1000, 0, 0, 0}, h = flg_simulation_macro(arm);
  for (int i = 0; i < 6; i++) {
    foretold[i] = before[i] + h * r[i];
    for (int j = 0; j < 6; j++) foretold[i] += h * D[6 * i + j] * push[j];
  }
  if (flg_input_write(arm, hand, push, 6, &error) != FLG_OK ||
      flg_simulation_step(arm, &error) != FLG_OK || look(arm, tool, D, r, w) != FLG_OK) {
    return fail();
  }
  printf("pushed up with 1000 N for %.4f s: %.6f m/s, foretold %.6f m/s\n", h, w[2], foretold[2]);
  const double off = fabs(w[2] - foretold[2]) / fabs(foretold[2]);
  flg_simulation_release(arm);
  return off < 1e-3 ? 0 : 1;
}
