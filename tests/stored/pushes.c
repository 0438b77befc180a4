#include "stored/pushes.h"

#include <string.h>

/* the object of a signal like OBJECT.position, with another ending; false: it is another signal */
static bool name_input(const flg_signal *of, const char *ending, char name[NAME_BYTES]) {
  const char *last = strrchr(of->name, '.');
  if (last == NULL || strcmp(last, ".position") != 0) return false;
  const int length = (int)(last - of->name);
  return snprintf(name, NAME_BYTES, "%.*s%s", length, of->name, ending) < NAME_BYTES;
}

static void find_ports(flg_simulation *simulation, const flg_signal *signals, int count,
                       pushes *to) {
  static char texts[PORTS_MOST][NAME_BYTES];
  const char *names[PORTS_MOST];
  flg_error error;
  for (int k = 0; k < count && to->port_count < PORTS_MOST; k++) {
    const int n = to->port_count;
    if (signals[k].width != 3 || !name_input(&signals[k], "", texts[n])) continue;
    names[n] = texts[n];
    to->port_count += flg_ports_find(simulation, names, n + 1, &to->ports[n], &error) == FLG_OK;
  }
}

pushes find_pushes(flg_simulation *simulation) {
  pushes found = {.source = {1}};
  flg_error error;
  int count;
  const flg_signal *signals = flg_output_list(simulation, &count);
  for (int k = 0; k < count && found.input_count < PUSHES_MOST; k++) {
    char name[NAME_BYTES];
    const int n = found.input_count;
    if (!name_input(&signals[k], signals[k].width == 3 ? ".wrench" : ".effort", name)) continue;
    if (flg_input_find(simulation, name, &found.inputs[n], &error) != FLG_OK) continue;
    found.widths[n] = flg_input_width(simulation, found.inputs[n]), found.input_count++;
  }
  find_ports(simulation, signals, count, &found);
  return found;
}

static void add_model(flg_simulation *simulation, flg_ports ports, double tau, digest *to) {
  double D[36 * PORTS_MOST * PORTS_MOST] = {0}, bias[6 * PORTS_MOST] = {0};
  double velocity[6 * PORTS_MOST] = {0};
  flg_error error;
  const int rows = flg_ports_rows(simulation, ports);
  add_count(to, flg_ports_reduce(simulation, ports, tau, rows, D, bias, velocity, &error));
  add_numbers(to, OTHERS, rows * rows, D), add_numbers(to, OTHERS, rows, bias);
  add_numbers(to, SPEEDS, rows, velocity);
}

void push(flg_simulation *simulation, pushes *by, digest *to) {
  flg_error error;
  for (int k = 0; k < by->input_count; k++) {
    double values[6] = {0};
    for (int i = 0; i < by->widths[k] && i < 6; i++) values[i] = random_uniform(&by->source, -1, 1);
    add_count(to, flg_input_write(simulation, by->inputs[k], values, by->widths[k], &error));
  }
  for (int k = 0; k < by->port_count && by->steps % 8 == 0; k++) {
    add_model(simulation, by->ports[k], 0, to), add_model(simulation, by->ports[k], 1e-3, to);
  }
  by->steps++;
}
