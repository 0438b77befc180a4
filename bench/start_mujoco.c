/* start_mujoco FILE - loads a model, takes one step and ends: what case_start.c compares the tool
 * with. */
#include <mujoco/mujoco.h>
#include <stdio.h>

int main(int count, char **arguments) {
  char error[400] = "";
  mjModel *model = count == 2 ? mj_loadXML(arguments[1], NULL, error, sizeof error) : NULL;
  if (model == NULL) {
    fprintf(stderr, "start_mujoco: %s\n", error);
    return 1;
  }
  mjData *data = mj_makeData(model);
  mj_step(model, data);
  printf("%g\n", data->time);
  mj_deleteData(data);
  mj_deleteModel(model);
  return 0;
}
