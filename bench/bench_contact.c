/* bench_contact - nanoseconds a pair, for each pair of kinds, against MuJoCo; and whole scenes.
 *
 * Shapes of 0.2 to 1 m at random poses, a third each: overlapping by up to 5 cm, within the margin
 * (1 cm), and farther apart by up to 10 cm: what a broad phase hands on. Both calculate points for
 * the same poses. MuJoCo's pairs of cylinders and meshes go through libccd (MPR). `worst depth` is
 * the largest difference between MuJoCo's smallest distance and ours, over the poses where it has
 * one; ours are checked against a search over all directions in the tests. Times are the smallest
 * of several rounds. Scenes: n bodies in a cube, all kinds, so dense that each meets a few others.
 */
#include <mujoco/mujoco.h>

#include "contact/contact_scene.h"
#include "contact/test_shapes.h"
#include "stopwatch.h"

enum { POSES = 300, ROUNDS = 20, KINDS = 6 };

static const flg_contact_kind LIST[KINDS] = {FLG_CONTACT_PLANE,    FLG_CONTACT_SPHERE,
                                             FLG_CONTACT_CAPSULE,  FLG_CONTACT_BOX,
                                             FLG_CONTACT_CYLINDER, FLG_CONTACT_CONVEX};
static const double MARGIN = 0.01;

static flg_contact_shape shapes[KINDS];

/* --- MuJoCo ---------------------------------------------------------------------------------- */

static void put_geom(char *text, size_t size, const char *name, int kind) {
  const flg_contact_shape *s = &shapes[kind];
  static const char *const types[KINDS] = {"plane", "sphere", "capsule", "box", "cylinder", "mesh"};
  const flg_vec3 h = s->half;
  const double sizes[KINDS][3] = {{0, 0, 1},       {s->radius}, {s->radius, h.z},
                                  {h.x, h.y, h.z}, {h.x, h.z},  {0}};
  if (kind == 5) {
    snprintf(text, size, "<geom name='%s' type='mesh' mesh='hull'/>", name);
  } else {
    snprintf(text, size, "<geom name='%s' type='%s' size='%.17g %.17g %.17g'/>", name, types[kind],
             sizes[kind][0], sizes[kind][1], sizes[kind][2]);
  }
}

static void put_mesh(char *text, size_t size, const flg_hull *hull) {
  int used = snprintf(text, size, "<asset><mesh name='hull' vertex='");
  for (int k = 0; k < hull->vertex_count; k++) {
    const flg_vec3 v = hull->vertices[k];
    used += snprintf(text + used, size - (size_t)used, "%.17g %.17g %.17g ", v.x, v.y, v.z);
  }
  snprintf(text + used, size - (size_t)used, "'/></asset>");
}

/* The two geoms, each on a body of its own so that MuJoCo does not merge them. */
static mjModel *peer_model(int a, int b) {
  static mjVFS files;
  static char xml[20000], first[400], second[400], mesh[8000];
  char error[400] = "";
  put_geom(first, sizeof first, "a", a);
  put_geom(second, sizeof second, "b", b);
  put_mesh(mesh, sizeof mesh, shapes[5].hull);
  const int length =
      snprintf(xml, sizeof xml,
               "<mujoco>%s<worldbody>%s<body><freejoint/>%s<inertial pos='0 0 0' mass='1' "
               "diaginertia='1 1 1'/></body></worldbody></mujoco>",
               mesh, first, second);
  mj_defaultVFS(&files);
  mj_makeEmptyFileVFS(&files, "pair.xml", length);
  memcpy(files.filedata[0], xml, (size_t)length);
  mjModel *model = mj_loadXML("pair.xml", &files, error, sizeof error);
  mj_deleteVFS(&files);
  if (model == NULL) fprintf(stderr, "MuJoCo: %s\n", error);
  return model;
}

/* MuJoCo turns meshes to their principal axes and moves them to their centre. */
static void set_pose(const mjModel *m, mjData *d, int geom, const flg_pose *pose) {
  flg_pose own = flg_pose_identity();
  if (m->geom_type[geom] == mjGEOM_MESH) {
    const double *q = m->geom_quat + 4 * geom;
    own.rotation = flg_quat_to_matrix((flg_quat){q[0], q[1], q[2], q[3]});
    own.position = flg_vec3_load(m->geom_pos + 3 * geom);
  }
  const flg_pose at = flg_pose_compose(pose, &own);
  flg_vec3_store(at.position, d->geom_xpos + 3 * geom);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) d->geom_xmat[9 * geom + 3 * i + j] = at.rotation.m[i + 3 * j];
  }
}

/* --- pairs ----------------------------------------------------------------------------------- */

static test_pair pairs[POSES];

static void make_pairs(int a, int b, random_source *source) {
  for (int k = 0; k < POSES; k++) {
    pairs[k] = (test_pair){shapes[a], shapes[b]};
    place(&pairs[k], ANYHOW, source);
    /* from the direction of the gap that it has to one of the three ranges */
    flg_contact_point points[FLG_CONTACT_POINTS_MAX];
    const int count = flg_contact_distance(&shapes[a], &pairs[k].pose_a, &shapes[b],
                                           &pairs[k].pose_b, 10, points);
    int lowest = 0;
    for (int j = 1; j < count; j++) lowest = points[j].gap < points[lowest].gap ? j : lowest;
    const double ranges[3][2] = {{-0.05, 0}, {0, MARGIN}, {MARGIN, 0.1}};
    const double wanted = random_uniform(source, ranges[k % 3][0], ranges[k % 3][1]);
    pairs[k].pose_b.position = flg_vec3_add_scaled(
        pairs[k].pose_b.position, wanted - points[lowest].gap, points[lowest].normal);
  }
}

static double gaps[POSES];

static double time_ours(void) {
  double best = HUGE_VAL;
  for (int round = 0; round < ROUNDS; round++) {
    flg_contact_point points[FLG_CONTACT_POINTS_MAX];
    const double start = now();
    for (int k = 0; k < POSES; k++) {
      const test_pair *p = &pairs[k];
      const int count = flg_contact_distance(&p->a, &p->pose_a, &p->b, &p->pose_b, MARGIN, points);
      gaps[k] = HUGE_VAL;
      for (int j = 0; j < count; j++) gaps[k] = flg_smaller(gaps[k], points[j].gap);
    }
    best = flg_smaller(best, (now() - start) / POSES);
  }
  return best;
}

static double time_peer(int a, int b, double *worst) {
  mjModel *m = peer_model(a, b);
  if (m == NULL) return NAN;
  mjData *d = mj_makeData(m);
  const int first = m->geom_type[0] <= m->geom_type[1] ? 0 : 1;
  const mjfCollision collide = mjCOLLISIONFUNC[m->geom_type[first]][m->geom_type[1 - first]];
  double best = HUGE_VAL;
  *worst = 0;
  for (int round = 0; round < ROUNDS && collide != NULL; round++) {
    double spent = 0;
    for (int k = 0; k < POSES; k++) {
      mjContact contacts[mjMAXCONPAIR];
      set_pose(m, d, 0, &pairs[k].pose_a);
      set_pose(m, d, 1, &pairs[k].pose_b);
      const double start = now();
      const int count = collide(m, d, contacts, first, 1 - first, MARGIN);
      spent += now() - start;
      double least = HUGE_VAL;
      for (int j = 0; j < count; j++) least = flg_smaller(least, contacts[j].dist);
      if (count > 0 && gaps[k] < HUGE_VAL) *worst = flg_larger(*worst, fabs(least - gaps[k]));
    }
    best = flg_smaller(best, spent / POSES);
  }
  mj_deleteData(d);
  mj_deleteModel(m);
  return best;
}

static void bench_pairs(random_source *source) {
  printf("%-22s %12s %12s %18s\n", "pair", "Flange [ns]", "MuJoCo [ns]", "worst depth [m]");
  for (int a = 0; a < KINDS; a++) {
    for (int b = a > 0 ? a : 1; b < KINDS; b++) {
      char name[64];
      double worst;
      make_pairs(a, b, source);
      const double ours = time_ours(), theirs = time_peer(a, b, &worst);
      snprintf(name, sizeof name, "%s, %s", flg_contact_kind_name(LIST[a]),
               flg_contact_kind_name(LIST[b]));
      printf("%-22s %12.0f %12.0f %18.2g\n", name, 1e9 * ours, 1e9 * theirs, worst);
    }
  }
}

/* --- scenes ---------------------------------------------------------------------------------- */

static void bench_scene(random_source *source, int bodies) {
  flg_contact_shape *kinds = calloc((size_t)bodies, sizeof *kinds);
  flg_scene_shape *list = calloc((size_t)bodies, sizeof *list);
  flg_pose *poses = calloc((size_t)bodies, sizeof *poses);
  const flg_material material = flg_material_default();
  flg_material_table table;
  flg_region region = {0};
  flg_contact_scene *scene;
  for (int k = 0; k < bodies; k++) {
    kinds[k] = shapes[1 + k % 5];
    list[k] = flg_scene_shape_default(&kinds[k], k);
    poses[k] = (flg_pose){random_rotation(source), random_vector(source, 0.45 * cbrt(bodies))};
  }
  flg_scene_input input = {.shapes = list,
                           .materials = &table,
                           .shape_count = bodies,
                           .body_count = bodies,
                           .pair_capacity = 20 * bodies};
  flg_material_table_build(&table, &material, 1, NULL, 0, &region, NULL);
  flg_contact_scene_build(&scene, &input, &region, NULL);
  double best = HUGE_VAL;
  int count = 0, near, points;
  const flg_contact *contacts;
  for (int round = 0; round < 10; round++) {
    const double start = now();
    flg_contact_scene_detect(scene, poses, NULL, MARGIN, &contacts, &count);
    best = flg_smaller(best, now() - start);
  }
  flg_contact_scene_needs(scene, &near, &points);
  printf("%6d bodies: %6d pairs near, %6d points, %8.3f ms (one thread)\n", bodies, near, count,
         1e3 * best);
  flg_region_release(&region);
  free(kinds), free(list), free(poses);
}

int main(void) {
  random_source source = {1};
  flg_vec3 cloud[CLOUD];
  flg_region region = {0};
  flg_hull hull;
  random_cloud(&source, 0, cloud);
  if (flg_hull_build(&hull, cloud, CLOUD, &region, NULL) != FLG_OK) return 1;
  flg_contact_shape_plane(&shapes[0]);
  flg_contact_shape_sphere(&shapes[1], 0.3, NULL);
  flg_contact_shape_capsule(&shapes[2], 0.2, 0.7, NULL);
  flg_contact_shape_box(&shapes[3], (flg_vec3){0.4, 0.7, 0.5}, NULL);
  flg_contact_shape_cylinder(&shapes[4], 0.3, 0.6, NULL);
  flg_contact_shape_convex(&shapes[5], &hull);
  bench_pairs(&source);
  printf("\n");
  bench_scene(&source, 100);
  bench_scene(&source, 1000);
  bench_scene(&source, 10000);
  flg_region_release(&region);
  return 0;
}
