#include "dynamics/flex.h"

/* An only child that follows its parent, as most do, hands on what is taken up at once. */
static bool is_followed(const flg_robot *robot, int i) {
  return i + 1 < robot->link_count && robot->links[i + 1].parent == i;
}

/* the slot of a link with the given number of children; *used counts the slots */
static int slot_for(int children, bool is_followed, int *used) {
  if (children == 0) return -1;
  return children == 1 && is_followed ? FLG_CHAIN_SLOT : (*used)++;
}

static void assign_slots(const flg_robot *robot, int *slots, int *slot_count) {
  for (int i = 0; i < robot->link_count; i++) slots[i] = 0;
  for (int i = 0; i < robot->link_count; i++) {
    if (robot->links[i].parent != FLG_WORLD) slots[robot->links[i].parent]++;
  }
  *slot_count = 1;
  for (int i = 0; i < robot->link_count; i++) {
    slots[i] = slot_for(slots[i], is_followed(robot, i), slot_count);
  }
}

/* Children come behind their parents. */
static void find_branches(const flg_robot *robot, int *ends) {
  for (int i = 0; i < robot->link_count; i++) {
    const flg_link *link = &robot->links[i];
    ends[i] = link->velocity + link->velocity_count + link->elastic_count;
  }
  for (int i = robot->link_count - 1; i >= 0; i--) {
    const int parent = robot->links[i].parent;
    if (parent != FLG_WORLD && ends[parent] < ends[i]) ends[parent] = ends[i];
  }
}

/* A tree of n links has at most n/2 that branch; nodes may lie apart from their only child or
 * parent. */
static size_t most_slots(const flg_robot *robot) {
  return 1 + (size_t)robot->link_count / 2 + (size_t)(robot->node_count + robot->flex_count);
}

/* The ground is one link more; and vectors of lanes (math/three.h) read a number behind the last.
 */
static void dynamics_lay_out(flg_dynamics *built, const flg_robot *robot, flg_region *region) {
  const size_t links = (size_t)robot->link_count, velocities = (size_t)robot->velocity_count;
  *built = (flg_dynamics){
      .robot = robot,
      .is_plain = robot->flex_count > 0,
      .motions = flg_region_take(region, links + 2, sizeof(flg_motion)),
      .biases = flg_region_take(region, links + 2, sizeof(flg_spatial)),
      .responses = flg_region_take(region, links + 2, sizeof(flg_spatial)),
      .coordinates = flg_region_take(region, velocities, sizeof(flg_coordinate)),
      .factored = flg_region_take(region, links, sizeof(flg_factored_link)),
      .known = {.q = flg_region_take(region, (size_t)robot->position_count, sizeof(double)),
                .v = flg_region_take(region, velocities, sizeof(double)),
                .added = flg_region_take(region, velocities, sizeof(double)),
                .f = flg_region_take(region, velocities, sizeof(double)),
                .a = flg_region_take(region, velocities, sizeof(double))},
      .handles = flg_region_take(region, most_slots(robot), sizeof(flg_handle)),
      .sines = flg_region_take(region, (size_t)robot->position_count, sizeof(double)),
      .cosines = flg_region_take(region, (size_t)robot->position_count, sizeof(double)),
      .slots = flg_region_take(region, links, sizeof(int)),
      .branch_ends = flg_region_take(region, links, sizeof(int)),
      .column_stride = velocities + 4};
  built->columns = flg_region_take(region, 6 * built->column_stride, sizeof(double));
  flg_flex_lay_out(built, region);
}

flg_status flg_dynamics_build(flg_dynamics **dynamics, const flg_robot *robot, flg_region *region,
                              flg_error *error) {
  flg_dynamics *built = flg_region_take(region, 1, sizeof *built);
  if (built != NULL) dynamics_lay_out(built, robot, region);
  if (built == NULL || region->failed)
    return flg_region_check(region, "the dynamics of a robot", error);
  /* the ground, number -1, stays as it is: unturned, at rest */
  built->motions[0].rotation = flg_mat3_identity();
  built->motions++, built->biases++, built->responses++;
  assign_slots(robot, built->slots, &built->slot_count);
  find_branches(robot, built->branch_ends);
  flg_flex_send_to_sleep(built);
  *dynamics = built;
  return FLG_OK;
}

void flg_dynamics_forget(flg_dynamics *dynamics) {
  dynamics->known.motions = dynamics->known.factors = dynamics->known.answers = false;
}
