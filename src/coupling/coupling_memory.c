/* Forces at the places of interfaces in the last two macro steps, and what they are continued to.
 */
#include "coupling/coupling_inner.h"

enum { PORT_ROWS = 6 };

flg_place_memory *flg_coupling_memory(const flg_coupling *coupling, const flg_driven_spot *at) {
  double *numbers = coupling->state + 1 + FLG_SIGNAL_NUMBERS * at->interface;
  return (flg_place_memory *)(void *)numbers + at->number;
}

double flg_coupling_memories(const flg_coupling *coupling) {
  return coupling->state[0];
}

void flg_coupling_count_memory(flg_coupling *coupling) {
  coupling->state[0]++;
}

void flg_coupling_remember(flg_coupling *coupling, const flg_driven_spot *at, const double *impulse,
                           const double *motion) {
  flg_place_memory *memory = flg_coupling_memory(coupling, at);
  for (int i = 0; i < PORT_ROWS; i++) {
    memory->earlier[i] = memory->force[i];
    memory->force[i] = impulse[i] / coupling->system.macro;
    memory->motion[i] = motion[i];
  }
}

/* ahead: of the middle of the last macro step, in macro steps. Forces have kicks and hits. */
static void memory_drive(const flg_coupling *coupling, const flg_macro_run *macro_run,
                         double ahead) {
  const double part = 1. / macro_run->steps;
  for (const int *k = coupling->spots_on[flg_coupling_index(coupling, macro_run)]; *k >= 0; k++) {
    const flg_driven_spot *at = &coupling->spots[*k];
    const flg_place_memory *memory = flg_coupling_memory(coupling, at);
    for (int i = 0; i < PORT_ROWS; i++) {
      const double force = memory->force[i] + ahead * (memory->force[i] - memory->earlier[i]);
      macro_run->driven[PORT_ROWS * at->port + i] += force * part * coupling->system.macro;
    }
  }
}

bool flg_coupling_drive_held(void *context, const flg_macro_run *macro_run, int step) {
  (void)step;
  memory_drive(context, macro_run, 0);
  return false;
}

bool flg_coupling_drive_continued(void *context, const flg_macro_run *macro_run, int step) {
  const bool has_line = flg_coupling_memories(context) > 1;
  memory_drive(context, macro_run, has_line ? (step + 0.5) * (1. / macro_run->steps) + 0.5 : 0);
  return false;
}
