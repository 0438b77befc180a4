/* case_load - (j) loading: a robot of 10,000 links from URDF, three on each link, against MuJoCo;
 * and a scenario of 1,000 subsystems. */
#include <mujoco/mujoco.h>
#include <string.h>

#include "scenarios.h"

enum { BRANCHES = 3, SUBSYSTEMS = 1000 };

static char folder[] = "/tmp/flange-bench-XXXXXX", urdf[64], robot[64], many[64];

static FILE *create(char path[64], const char *name) {
  snprintf(path, 64, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  scenario_require(file != NULL, "no temporary file");
  return file;
}

static void write_urdf(int links) {
  FILE *file = create(urdf, "robot.urdf");
  fprintf(file, "<robot name=\"large\">\n");
  for (int k = 0; k < links; k++) {
    fprintf(file,
            "<link name=\"link%d\"><inertial><origin xyz=\"0.05 0 0\"/><mass value=\"1\"/>"
            "<inertia ixx=\"0.01\" iyy=\"0.011\" izz=\"0.012\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/>"
            "</inertial></link>\n",
            k);
    if (k == 0) continue;
    fprintf(file,
            "<joint name=\"joint%d\" type=\"revolute\"><parent link=\"link%d\"/>"
            "<child link=\"link%d\"/><origin xyz=\"0.1 0 0\"/><axis xyz=\"0 %d %d\"/>"
            "<limit lower=\"-3\" upper=\"3\" effort=\"10\" velocity=\"10\"/></joint>\n",
            k, (k - 1) / BRANCHES, k, k % 2, 1 - k % 2);
  }
  fprintf(file, "</robot>\n");
  fclose(file);
}

static void write_scenarios(void) {
  static const char head[] = "flange: 1\ntime: {end: 1, macro: 1/1000}\nsubsystems:\n";
  FILE *file = create(robot, "robot.yaml");
  fprintf(file, "%s  robot: {model: robot.urdf, step: 1/1000}\n", head);
  fclose(file);
  char here[2000];
  scenario_require(getcwd(here, sizeof here) != NULL, "no working folder");
  file = create(many, "many.yaml");
  fprintf(file, "%s", head);
  for (int k = 0; k < SUBSYSTEMS; k++) {
    fprintf(file,
            "  p%d: {model: %s/examples/pendulum/models/double-pendulum.yaml, step: 1/1000, "
            "at: [%d, 0, 0]}\n",
            k, here, k);
  }
  fclose(file);
}

static void flange_load(void *path) {
  scenario loaded = scenario_load(path);
  scenario_release(&loaded);
}

static void mujoco_load(void *path) {
  char error[400] = "";
  mjModel *model = mj_loadXML(path, NULL, error, sizeof error);
  scenario_require(model != NULL, error);
  mj_deleteModel(model);
}

static void race_robot(int links, bool with_mujoco) {
  char work[80];
  const race_terms terms = {links > 1000 ? 3 : 11, 1, worked};
  racer racers[] = {{.name = "Flange", .run = flange_load, .of = robot},
                    {.name = "MuJoCo", .run = mujoco_load, .of = urdf}};
  if (links > 1000) snprintf(racers[0].remark, sizeof racers[0].remark, "wanted: under 0.5 s");
  write_urdf(links);
  snprintf(work, sizeof work, "loading a robot of %d links", links);
  race_by(&terms, "j", work, racers, with_mujoco ? 2 : 1);
}

int main(int count, char **arguments) {
  const bool is_long = count > 1 && strcmp(arguments[1], "--long") == 0;
  const race_terms terms = {11, 1, worked};
  const racer subsystems = {
      .name = "Flange", .run = flange_load, .of = many, .remark = "wanted: under 0.5 s"};
  scenario_require(mkdtemp(folder) != NULL, "no temporary folder");
  write_scenarios();
  race_robot(1000, true), race_robot(10000, is_long);
  race_by(&terms, "j", "loading 1000 subsystems", &subsystems, 1);
  unlink(urdf), unlink(robot), unlink(many), rmdir(folder);
  return 0;
}
