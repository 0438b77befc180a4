/* scene_bend.c - stations along flexible bodies, through which the view draws them bent. */
#include <math.h>
#include <stdlib.h>

#include "model/beam.h"
#include "viewer/scene_inner.h"

/* Stations of a beam: enough that its highest mode is smooth; of nodes: as many as a page can show.
 */
enum { LEAST = 8, FOR_EACH_MODE = 2, SECTIONS_MAX = 40, NODES_MAX = 256 };

/* of the length of the robot: places that are nearer are one */
static const double SAME_PLACE = 1e-9;

typedef struct places {
  flg_vec3 *list;
  int count;
  double same; /* nearer ones are one place [m] */
} places;

static void bend_add_place(places *to, flg_vec3 rest_point) {
  for (int k = 0; k < to->count; k++) {
    const double apart = flg_vec3_norm(flg_vec3_subtract(to->list[k], rest_point));
    if (apart <= to->same) return;
  }
  to->list[to->count++] = rest_point;
}

/* what is attached to the body rides on these: they are drawn exactly */
static void add_riders(places *to, const flg_robot *robot, int body, int flex) {
  for (int k = 0; k < robot->node_count; k++) {
    const flg_flex_node *node = &robot->nodes[k];
    if (node->flex != flex) continue;
    bend_add_place(to,
                   flg_mat3_apply_transposed(&robot->anchors[body].pose.rotation, node->station));
  }
}

static int section_count(const flg_modal_body *body) {
  const int count = LEAST + FOR_EACH_MODE * body->modes;
  return count < SECTIONS_MAX ? count : SECTIONS_MAX;
}

static void add_sections(places *to, const flg_modal_body *body) {
  const flg_beam_line *line = body->line;
  const flg_vec3 along = flg_mat3_column(&line->axes, 0);
  const int count = section_count(body);
  for (int k = 0; k <= count; k++) {
    bend_add_place(to, flg_vec3_add_scaled(line->start, line->length * k / count, along));
  }
}

static void bend_add_nodes(places *to, const flg_modal_body *body) {
  const int every = 1 + (body->node_count - 1) / NODES_MAX;
  for (int k = 0; k < body->node_count; k += every) bend_add_place(to, body->nodes[k].position);
}

/* insertion sort: there are few */
static void sort_along(places *of, flg_vec3 axis) {
  for (int k = 1; k < of->count; k++) {
    const flg_vec3 rest_point = of->list[k];
    int to = k;
    for (; to > 0 && flg_vec3_dot(of->list[to - 1], axis) > flg_vec3_dot(rest_point, axis); to--) {
      of->list[to] = of->list[to - 1];
    }
    of->list[to] = rest_point;
  }
}

static const flg_scene_station *make_station(flg_scene *scene, const flg_modal_body *body,
                                             int position, flg_vec3 rest_point) {
  const size_t n = (size_t)body->modes;
  flg_scene_station *made = flg_region_take(&scene->region, 1, sizeof *made);
  if (made == NULL) return NULL;
  *made = (flg_scene_station){.rest_point = rest_point,
                              .modes = body->modes,
                              .position = position,
                              .shapes = flg_region_take(&scene->region, n, sizeof(flg_spatial)),
                              .pairs = flg_region_take(&scene->region, n * n, sizeof(flg_vec3))};
  if (made->shapes == NULL || made->pairs == NULL) return NULL;
  flg_modal_shapes(body, rest_point, made->shapes, made->pairs);
  return made;
}

void flg_scene_bend_body(const flg_scene_part *part, const flg_scene_robot *of, int index) {
  flg_scene *scene = part->scene;
  const flg_robot *robot = &of->robot->robot;
  const flg_modal_body *body = of->robot->model->bodies[index].flexible;
  const flg_link_anchor *link_anchor = &robot->anchors[index];
  const int flex = link_anchor->link == FLG_WORLD ? -1 : robot->links[link_anchor->link].flex;
  if (body == NULL || flex < 0) return;
  const int most = robot->node_count + (body->line != NULL ? section_count(body) : NODES_MAX) + 1;
  places rest_points = {
      .list = flg_region_take(&scene->region, (size_t)most, sizeof *rest_points.list),
      .same = SAME_PLACE * flg_robot_length(robot)};
  if (rest_points.list == NULL) return;
  flg_scene_bend bend = {.frame = scene->frames.count, .rest_points = rest_points.list};
  add_riders(&rest_points, robot, index, flex);
  if (body->line != NULL) {
    bend.axis = flg_mat3_column(&body->line->axes, 0);
    add_sections(&rest_points, body);
    sort_along(&rest_points, bend.axis);
  } else {
    bend_add_nodes(&rest_points, body);
  }
  bend.count = rest_points.count;
  for (int k = 0; k < rest_points.count; k++) {
    const flg_scene_station *station =
        make_station(scene, body, robot->flexes[flex].position, rest_points.list[k]);
    flg_scene_add_frame(scene, (flg_scene_frame){.subsystem = part->subsystem,
                                                 .kind = FLG_FRAME_OF_ROBOT,
                                                 .robot = of->robot,
                                                 .link_anchor = *link_anchor,
                                                 .station = station});
  }
  if (scene->region.failed) return;
  ((flg_scene_body *)scene->bodies.items)[scene->bodies.count - 1].bend = bend;
}

/* s + F e + P[e, e]/2; turned by the rotation with the Rodrigues vector of half of the slopes,
 * whose quaternion is (1, g) */
flg_pose flg_scene_station_pose(const flg_scene_station *station, const double *q) {
  const double *e = q + station->position;
  const int n = station->modes;
  flg_vec3 at = station->rest_point, g = {0, 0, 0};
  for (int j = 0; j < n; j++) {
    at = flg_vec3_add_scaled(at, e[j], station->shapes[j].linear);
    g = flg_vec3_add_scaled(g, 0.5 * e[j], station->shapes[j].angular);
    for (int k = 0; k < n; k++) {
      at = flg_vec3_add_scaled(at, 0.5 * e[k] * e[j], station->pairs[k + n * j]);
    }
  }
  const flg_quat turn = flg_quat_normalise((flg_quat){1, g.x, g.y, g.z});
  return (flg_pose){flg_quat_to_matrix(turn), at};
}
