/* What assemblies that touch show: ports for contacts of couplings, forces to be recorded. */
#include "component/assembly_coupled.h"
#include "component/assembly_objects.h"
#include "touching_runs.h"

/* A port of its own, then the one that is there to touch: as coupled.h has it. */
static void touch_ports_come_last(void **state) {
  (void)state;
  parts *p = box_over_floor(0, 0.5, 0);
  const flg_anchor corner = {.robot = -1, .body = 0, .pose = {flg_mat3_identity(), {0, 0.1, 0}}};
  flg_assembly_options options = touching_options();
  options.outer_ports = &corner, options.outer_port_count = 1;
  flg_assembly *assembly = assemble(p, &options);
  const flg_coupled_ops *ops = &flg_assembly_coupled_ops;
  assert_int_equal(ops->ports(assembly), 2);
  assert_int_equal(ops->touch_ports(assembly), 1);
  assert_near(ops->frame(assembly, 1).pose.position.z, 0.15, 0);
  flg_interface_model *model = NULL;
  void *memory = aligned_alloc(64, (flg_interface_model_bytes(12) + 63) / 64 * 64);
  flg_error error = {0};
  assert_int_equal(flg_interface_model_build(memory, 12, 12, &model, &error), FLG_OK);
  assert_int_equal(ops->reduce(assembly, 0, 1e-3, model), FLG_OK);
  assert_near(flg_interface_model_admittance(model)[8 + 12 * 8], 0.5, 1e-14);
  const flg_contact *list;
  int count;
  assert_int_equal(ops->contacts(assembly, 1e-3, &list, &count, &error), FLG_OK);
  assert_int_equal(count, 4);
  for (int k = 0; k < count; k++) assert_true(list[k].body_a == -1 && list[k].body_b == 0);
  /* half of its weight from outside, on the touch port: contacts bear the rest */
  double impulses[12] = {0};
  impulses[8] = 9.81e-3;
  assert_int_equal(ops->push(assembly, 0, 1e-3, 0, impulses, &error), FLG_OK);
  flg_assembly_refresh(assembly, 0);
  assert_near(flg_assembly_contact_force(assembly, flg_assembly_owner(assembly, -1, 0)).z, 9.81,
              1e-11);
  free(memory);
  drop(assembly, p);
}

/* touching, with names for what it has */
static flg_assembly *recorded(parts *p) {
  flg_assembly *assembly = touching(p);
  flg_error error = {0};
  assert_int_equal(flg_assembly_objects_build(assembly, &error), FLG_OK);
  return assembly;
}

static double read_one(const flg_assembly *assembly, const char *path, const char *word, int at) {
  const flg_assembly_objects *objects = assembly->model.objects;
  for (int k = 0; k < objects->count; k++) {
    if (strcmp(objects->list[k].path, path) != 0) continue;
    for (int i = 0; i < objects->list[k].quantity_count; i++) {
      if (strcmp(objects->list[k].quantities[i].word, word) != 0) continue;
      double values[16];
      flg_assembly_objects_read(assembly, k, i, values);
      return values[at];
    }
  }
  fail_msg("there is no %s.%s", path, word);
  return NAN;
}

static void contacts_can_be_recorded(void **state) {
  (void)state;
  parts *p = box_over_floor(0, 0.5, 0);
  p->component.shapes[1].name = "hull";
  flg_assembly *assembly = recorded(p);
  advance_or_fail(assembly, 1e-3, 2);
  assert_near(read_one(assembly, "contacts", "count", 0), 4, 0);
  assert_near(read_one(assembly, "contacts", "closed", 0), 4, 0);
  assert_near(read_one(assembly, "contacts", "sliding", 0), 0, 0);
  assert_near(read_one(assembly, "contacts", "penetration", 0), 0, 1e-12);
  assert_near(read_one(assembly, "contacts", "switches", 0), 4, 0);
  assert_near(read_one(assembly, "body", "contact_force", 2), 2 * 9.81, 1e-11);
  assert_near(read_one(assembly, "body/hull", "force", 2), 2 * 9.81, 1e-11);
  assert_near(read_one(assembly, "body/hull", "gap", 0), 0, 1e-12);
  assert_near(read_one(assembly, "body/hull", "state", 0), FLG_CONTACT_STICKING, 0);
  assert_near(read_one(assembly, "body/hull", "points", 0), 4, 0);
  drop(assembly, p);
}

/* a plate that stands on three of its points, two of which have names */
static void points_can_be_recorded(void **state) {
  (void)state;
  static const double at[] = {0.1, 0, -0.05, -0.1, 0.1, -0.05, -0.1, -0.1, -0.05};
  static const char *const names[] = {"front", NULL, "left"};
  parts *p = parts_new(1);
  shapes_new(p, 2, 0.5, 0);
  add_floor(p);
  add_body(p, 2, flg_sym3_diagonal(0.1), vec(0, 0, 0.05), flg_quat_identity());
  flg_shape *feet = add_shape(p, 0, FLG_SHAPE_POINTS, 1, 1, 1);
  feet->name = "feet", feet->values = at, feet->value_count = 9, feet->point_names = names;
  flg_assembly *assembly = recorded(p);
  advance_or_fail(assembly, 1e-3, 2);
  assert_near(read_one(assembly, "body/feet", "force", 2), 2 * 9.81, 1e-11);
  assert_near(read_one(assembly, "body/feet/front", "force", 2), 9.81, 2e-11);
  assert_near(read_one(assembly, "body/feet/left", "force", 2), 9.81 / 2, 2e-11);
  assert_near(read_one(assembly, "body/feet/left", "gap", 0), 0, 1e-12);
  assert_near(read_one(assembly, "body/feet/left", "state", 0), FLG_CONTACT_STICKING, 0);
  drop(assembly, p);
}

enum { CLOSE_BALLS = 7 };

/* bodies that are welded, also by way of others, are one piece */
static void pieces_of_welds(int welds[][2], int count, int *piece) {
  for (int k = 0; k < CLOSE_BALLS; k++) piece[k] = k;
  for (int round = 0; round < CLOSE_BALLS; round++) {
    for (int k = 0; k < count; k++) {
      const int least =
          piece[welds[k][0]] < piece[welds[k][1]] ? piece[welds[k][0]] : piece[welds[k][1]];
      piece[welds[k][0]] = piece[welds[k][1]] = least;
    }
  }
}

/* Balls that all overlap, some of them welded or jointed, or one to the ground. A piece does not
 * touch itself, nor one that a joint connects it with; all other balls touch, each pair in one
 * point. */
static void pieces_touch_where_no_joint_connects_them(void **state) {
  (void)state;
  random_source source = {7};
  for (int repeat = 0; repeat < REPEATS(100); repeat++) {
    int welds[CLOSE_BALLS][2], weld_count = 0, joints[2][2], joint_count = 0;
    int piece[CLOSE_BALLS], found[CLOSE_BALLS][CLOSE_BALLS] = {{0}};
    parts *p = parts_new(2 * CLOSE_BALLS);
    shapes_new(p, CLOSE_BALLS, 0.5, 0);
    for (int k = 0; k < CLOSE_BALLS; k++) add_ball(p, 1, 0.5, vec(0.05 * k, 0.01 * k * k, 0));
    if (repeat % 3 == 0) {
      add_joint(p, FLG_CONSTRAINT_WELD, FLG_WORLD, 0, vec(0, 0, 0), vec(0, 0, 1));
    }
    for (int k = 0; k < 5; k++) {
      const int a = random_integer(&source, 1, CLOSE_BALLS - 1),
                b = random_integer(&source, 0, a - 1);
      const bool is_weld = k < 3;
      if (!is_weld && random_integer(&source, 0, 1) > 0) continue;
      add_joint(p, is_weld ? FLG_CONSTRAINT_WELD : FLG_CONSTRAINT_SPHERICAL, b, a,
                vec(0.1 * k, 0, 0), vec(0, 0, 1));
      int *ends = is_weld ? welds[weld_count++] : joints[joint_count++];
      ends[0] = a, ends[1] = b;
    }
    pieces_of_welds(welds, weld_count, piece);
    flg_assembly *assembly = touching(p);
    const flg_contact *list;
    flg_error error;
    int count;
    assert_int_equal(flg_assembly_coupled_ops.contacts(assembly, 1e-3, &list, &count, &error),
                     FLG_OK);
    for (int k = 0; k < count; k++) {
      const int *sources = assembly->model.touch->shapes.sources;
      const int a = p->component.shapes[sources[list[k].shape_a]].body;
      const int b = p->component.shapes[sources[list[k].shape_b]].body;
      found[a][b]++, found[b][a]++;
    }
    for (int a = 0; a < CLOSE_BALLS; a++) {
      for (int b = 0; b < CLOSE_BALLS; b++) {
        bool is_apart = piece[a] == piece[b];
        for (int k = 0; k < joint_count; k++) {
          const int one = piece[joints[k][0]], other = piece[joints[k][1]];
          is_apart |=
              (one == piece[a] && other == piece[b]) || (one == piece[b] && other == piece[a]);
        }
        assert_int_equal(found[a][b], !is_apart);
      }
    }
    drop(assembly, p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pieces_touch_where_no_joint_connects_them),
      cmocka_unit_test(touch_ports_come_last),
      cmocka_unit_test(contacts_can_be_recorded),
      cmocka_unit_test(points_can_be_recorded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
