/* Heaps in MuJoCo: Newton on a soft convex problem. */
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heap_peers.h"

typedef struct mujoco_world {
  mjModel *model;
  mjData *data;
} mujoco_world;

static void *mujoco_build(const heap_box *boxes, int count, double h) {
  const size_t capacity = 1000 + 500 * (size_t)count;
  char *xml = malloc(capacity), error[400] = "";
  int used = snprintf(xml, capacity,
                      "<mujoco><size njmax='%d' nconmax='%d'/><option timestep='%.17g'/>"
                      "<default><geom friction='0.5' condim='3'/></default><worldbody>"
                      "<geom type='plane' size='0 0 1'/>",
                      40 * count + 500, 12 * count + 100, h);
  for (int k = 0; k < count; k++) {
    const heap_box *b = &boxes[k];
    used +=
        snprintf(xml + used, capacity - (size_t)used,
                 "<body pos='%.17g %.17g %.17g' quat='%.17g %.17g %.17g %.17g'><freejoint/>"
                 "<geom type='box' size='%.17g %.17g %.17g' mass='%.17g'/></body>",
                 b->position[0], b->position[1], b->position[2], b->turn[0], b->turn[1], b->turn[2],
                 b->turn[3], b->size[0] / 2, b->size[1] / 2, b->size[2] / 2, b->mass);
  }
  used += snprintf(xml + used, capacity - (size_t)used, "</worldbody></mujoco>");
  static mjVFS files;
  mj_defaultVFS(&files);
  mj_makeEmptyFileVFS(&files, "heap.xml", used);
  memcpy(files.filedata[0], xml, (size_t)used);
  mujoco_world *made = calloc(1, sizeof *made);
  made->model = mj_loadXML("heap.xml", &files, error, sizeof error);
  mj_deleteVFS(&files);
  free(xml);
  if (made->model == NULL) fprintf(stderr, "MuJoCo: %s\n", error), exit(1);
  made->data = mj_makeData(made->model);
  return made;
}

static void mujoco_step(void *world) {
  mujoco_world *of = world;
  mj_step(of->model, of->data);
}

static void mujoco_look(const void *world, int box, double position[3], double turn[4]) {
  const mujoco_world *of = world;
  memcpy(position, of->data->qpos + 7 * box, 3 * sizeof *position);
  memcpy(turn, of->data->qpos + 7 * box + 3, 4 * sizeof *turn);
}

static void mujoco_release(void *world) {
  mujoco_world *of = world;
  mj_deleteData(of->data), mj_deleteModel(of->model);
  free(of);
}

const heap_peer heap_mujoco = {"MuJoCo", mujoco_build, mujoco_step, mujoco_look, mujoco_release};
