/* Steps of rattle by generated code. */
#include "assembly/assembly_inner.h"

bool flg_assembly_is_asked(const flg_assembly *assembly) {
  return assembly->model.watch_count > 0 || assembly->model.pressure_count > 0 ||
         assembly->model.inputs.list.count > 0;
}

bool flg_assembly_step_by_code(flg_assembly *assembly, double time, double h) {
  flg_step_code *code = &assembly->model.code;
  double done[3];
  if (code->step == NULL || flg_assembly_is_asked(assembly) ||
      code->step(code->instance, h, assembly->state.q, assembly->state.v, assembly->state.angles,
                 done) == 0) {
    return false;
  }
  const flg_part_work work = {
      .least = code->least, .joints = done[0], .before = done[1], .after = done[2]};
  code->taken++;
  flg_assembly_note_work(assembly, &work, time, h);
  return true;
}
