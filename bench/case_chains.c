/* case_chains - (c) forward dynamics of chains of 10 to 1,000 links, joints about z and y in turns;
 * with --long 10,000 and 100,000 links by Flange alone. */
#include "trees.h"

static sample *chain_of(int links) {
  sample *s = sample_build(links);
  for (int k = 0; k < links; k++) {
    const int body = sample_add(s, k - 1, FLG_JOINT_REVOLUTE, sample_shift(0.1, 0, 0));
    if (k % 2) s->model.joints[body].axis = (flg_vec3){0, 1, 0};
    sample_cylinder(&s->model.bodies[body], (flg_vec3){0.1, 0, 0});
  }
  sample_finish(s);
  return s;
}

static void race_chain(int links, int with_peers) {
  char work[64];
  snprintf(work, sizeof work, "chain of %d, forward dynamics", links);
  flange_tree ours = flange_tree_of(chain_of(links));
  if (with_peers) {
    race_forward("c", work, &ours, 0.4, NULL, 0);
  } else {
    race("c", work, &(racer){.name = "Flange", .run = flange_forward, .of = &ours}, 1);
  }
  free(ours.state.q);
  sample_release(ours.of);
}

int main(int count, char **arguments) {
  static const int sizes[] = {10, 80, 300, 1000, 10000, 100000};
  const int is_long = count > 1 && strcmp(arguments[1], "--long") == 0;
  for (int k = 0; k < (is_long ? 6 : 4); k++) race_chain(sizes[k], k < 4);
  return 0;
}
