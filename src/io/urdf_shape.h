/* urdf_shape.h - what the links of a URDF file look like and touch with. */
#ifndef FLG_URDF_SHAPE_H
#define FLG_URDF_SHAPE_H

#include "base/name_index.h"
#include "model/model.h"
#include "text/element.h"

/* Colours by name: those of the robot, and those that a visual defines for all others. */
typedef struct flg_materials {
  flg_name_index index;        /* into colours */
  const flg_element **colours; /* <color> elements */
  int count;
} flg_materials;

/* Collects the materials of a robot; of two with one name the first counts. */
void flg_materials_build(flg_materials *materials, const flg_element *robot, flg_region *region,
                         flg_mistakes *mistakes);

/* The pose in <origin xyz="..." rpy="..."/> below an element; the identity if there is none. */
flg_pose flg_urdf_origin(const flg_element *parent, flg_mistakes *mistakes);
/* How many visual and collision elements a link has. */
int flg_urdf_shape_count(const flg_element *link);
/* Fills so many shapes, first what is seen, then what touches. */
void flg_urdf_shapes(const flg_element *link, int body, const flg_materials *materials,
                     flg_shape *shapes, flg_region *region, flg_mistakes *mistakes);

#endif
