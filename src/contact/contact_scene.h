/* contact_scene.h - shapes on bodies, and all places where they touch.
 *
 * Set-up lists shapes with their body, pose on it, material and groups. A step takes the poses of
 * the bodies, finds the pairs that are near (broad_phase.h), then their points (distance.h):
 *
 *     point_b = point_a + gap normal       normal from A to B; (normal, tangents) right-handed
 *
 * Contacts come in the order (shape_a, shape_b, key), with shape_a < shape_b. (shape_a, shape_b,
 * key) stays the same from step to step while the same features meet: for warm starts. Neither the
 * order nor a bit of the numbers depends on the threads.
 *
 * Two shapes are not looked at if they are on the same body, of different families, if
 * `(group_a & collides_b) == 0` or the other way round, if they are of one piece or one owner, if
 * their pieces or they themselves are listed as apart, or if both are planes or fields, or both
 * points.
 *
 * Memory is laid out at set-up; a step allocates, locks and prints nothing.
 */
#ifndef FLG_CONTACT_SCENE_H
#define FLG_CONTACT_SCENE_H

#include "base/pair_set.h"
#include "contact/broad_phase.h"
#include "contact/distance.h"
#include "contact/material.h"
#include "flange/threads.h"
#include "math/spatial.h"

typedef struct flg_scene_shape {
  const flg_contact_shape *shape; /* borrowed for as long as the scene lives */
  int body;                       /* FLG_WORLD: does not move */
  flg_pose pose;                  /* in the body's frame */
  int material;                   /* of the table */
  uint32_t group, collides;       /* bits: its kind, the kinds it touches */
  int family;                     /* shapes of different families never touch */
  int piece, owner;               /* shapes of the same one never touch; 0: none */
} flg_scene_shape;

typedef struct flg_scene_input {
  const flg_scene_shape *shapes;
  const flg_material_table *materials; /* borrowed for as long as the scene lives */
  const int (*shapes_apart)[2];        /* pairs of shapes that never touch */
  const flg_pair_set *pieces_apart;    /* of pieces; borrowed as the materials; NULL: none */
  int shape_count, shapes_apart_count;
  int body_count;
  int pair_capacity;    /* pairs of boxes that are near at one time, or eight times as many pairs of
                         * spheres; 0: 8 a shape, and 64 */
  int contact_capacity; /* points at one time; 0: 4 a pair, and 64 */
  flg_threads *threads; /* NULL: all in the caller */
} flg_scene_input;

/* How a surface is curved where it touches: bodies that roll touch at other points of it. */
typedef struct flg_round {
  double radius;  /* [m], 0: an edge, a corner or a face */
  flg_vec3 along; /* unit, the tangent along which it is; zero: along all */
} flg_round;

typedef struct flg_contact {
  int body_a, body_b;          /* FLG_WORLD: does not move */
  int shape_a, shape_b;        /* of the scene, shape_a < shape_b */
  flg_vec3 point_a, point_b;   /* on the surfaces, world [m] */
  flg_vec3 normal;             /* unit, from A to B, world */
  flg_vec3 tangent1, tangent2; /* unit; normal x tangent1 = tangent2 */
  flg_round round_a, round_b;
  double gap; /* [m], < 0: overlap */
  double friction, restitution;
  uint64_t key;
} flg_contact;

typedef struct flg_contact_scene flg_contact_scene;

/* Set-up: a shape in group 1 that touches everything, of material 0 and family 0, at the body's
 * origin. */
flg_scene_shape flg_scene_shape_default(const flg_contact_shape *shape, int body);
/* Set-up. FLG_ERR_RANGE: a body, material, shape or count is out of its range. */
flg_status flg_contact_scene_build(flg_contact_scene **scene, const flg_scene_input *input,
                                   flg_region *region, flg_error *error);
/* Set-up: threads for detect from now on, NULL: none; borrowed. */
void flg_contact_scene_share(flg_contact_scene *scene, flg_threads *threads);
/* Step: all points with gap < margin (>= 0), plus what both shapes may come nearer by: as far as
 * they move against each other, or against what they meet. poses (body_count), of the bodies in the
 * world; moves (body_count): how far their frames go [m] and turn [rad] in the time that is looked
 * ahead, the same wherever on a body its frame is; NULL: they stand. *contacts is the scene's,
 * until the next call. FLG_ERR_CAPACITY: there are more pairs or contacts than the scene has room
 * for; flg_contact_scene_needs says how many, and *count is 0. FLG_ERR_RANGE: the margin is
 * negative or not finite. */
flg_status flg_contact_scene_detect(flg_contact_scene *scene, const flg_pose *poses,
                                    const flg_spatial *moves, double margin,
                                    const flg_contact **contacts, int *count);
/* Set-up: the points that all pairs of shapes which may touch can have together, or `limit` if
 * these are more. Takes time in proportion to the pairs, of which it looks at no more than it
 * needs. */
int flg_contact_scene_most(const flg_contact_scene *scene, int limit);
/* Results of the last detect: pairs that were near, and points that they had. False where the pairs
 * did not fit: the points are those that they may have at most. */
bool flg_contact_scene_needs(const flg_contact_scene *scene, int *pairs, int *contacts);
/* After detect, where the bodies were then: the smallest gap of a shape to all that it may touch,
 * however far, if it is less than `most` [m]; else most. point: of one point of a set alone, or -1.
 * Takes time in proportion to the shapes of the scene; contacts that were found stay. */
double flg_contact_scene_gap(flg_contact_scene *scene, int shape, int point, double most);

/* Two unit vectors across the normal, right-handed. A small change of the normal changes them but a
 * little, but where |z| passes 0.83, which no simple slope has. */
static inline void flg_contact_tangents(flg_vec3 normal, flg_vec3 *tangent1, flg_vec3 *tangent2) {
  const bool level = fabs(normal.z) > 0.83;
  const flg_vec3 across = level ? (flg_vec3){normal.z, 0, -normal.x}  /* y x n */
                                : (flg_vec3){-normal.y, normal.x, 0}; /* z x n */
  *tangent1 = flg_vec3_normalise(across);
  *tangent2 = flg_vec3_cross(normal, *tangent1);
}

#endif
