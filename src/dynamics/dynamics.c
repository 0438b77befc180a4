#include "dynamics/scratch.h"

enum { CHAIN_SLOT = 0 }; /* shared by all links with one child: it is read before the next writes */

/* the slot of a link with the given number of children; *used counts the slots */
static int slot_for(int children, int *used) {
  if (children == 0) return -1;
  return children == 1 ? CHAIN_SLOT : (*used)++;
}

/* Links of a branch lie in one piece, so that an only child follows its parent: what it hands on is
 * taken up at once. */
static void assign_slots(const flg_robot *robot, int *slots, int *slot_count) {
  for (int i = 0; i < robot->link_count; i++) slots[i] = 0;
  for (int i = 0; i < robot->link_count; i++) {
    if (robot->links[i].parent != FLG_WORLD) slots[robot->links[i].parent]++;
  }
  *slot_count = 1;
  for (int i = 0; i < robot->link_count; i++) slots[i] = slot_for(slots[i], slot_count);
}

/* A tree of n links has at most n/2 that branch. */
static size_t most_slots(const flg_robot *robot) {
  return 1 + (size_t)robot->link_count / 2;
}

size_t flg_dynamics_bytes(const flg_robot *robot) {
  const size_t links = (size_t)robot->link_count, velocities = (size_t)robot->velocity_count;
  return flg_arena_bytes(1, sizeof(flg_dynamics)) + flg_arena_bytes(links + 1, sizeof(flg_motion)) +
         flg_arena_bytes(velocities, sizeof(flg_coordinate)) +
         flg_arena_bytes(most_slots(robot), sizeof(flg_handle)) +
         flg_arena_bytes(most_slots(robot), sizeof(flg_inertia)) +
         flg_arena_bytes(links, sizeof(int));
}

flg_status flg_dynamics_build(flg_dynamics **dynamics, const flg_robot *robot, flg_arena *arena,
                              flg_error *error) {
  const size_t links = (size_t)robot->link_count, bytes = flg_dynamics_bytes(robot);
  if (bytes > flg_arena_left(arena)) {
    return flg_fail(error, FLG_ERR_MEMORY,
                    "The dynamics of a robot with %zu links need %zu bytes, %zu are left.", links,
                    bytes, flg_arena_left(arena));
  }
  flg_dynamics *built = flg_arena_take(arena, 1, sizeof(flg_dynamics));
  flg_motion *motions = flg_arena_take(arena, links + 1, sizeof(flg_motion));
  motions[0].rotation = flg_mat3_identity();
  *built = (flg_dynamics){
      .robot = robot,
      .motions = motions + 1,
      .coordinates = flg_arena_take(arena, (size_t)robot->velocity_count, sizeof(flg_coordinate)),
      .handles = flg_arena_take(arena, most_slots(robot), sizeof(flg_handle)),
      .composites = flg_arena_take(arena, most_slots(robot), sizeof(flg_inertia)),
      .slots = flg_arena_take(arena, links, sizeof(int))};
  assign_slots(robot, built->slots, &built->slot_count);
  *dynamics = built;
  return FLG_OK;
}
