/* mass_properties.h - mass, centre and inertia of shapes, and the inertia that is nearest to one
 * that no body has. Set-up only.
 *
 * An inertia I belongs to a body if and only if its second moments S = (tr I / 2) 1 - I, the
 * integral of r r^T dm about the centre of mass, are positive semidefinite: that is the triangle
 * inequality of the principal moments.
 */
#ifndef FLG_MASS_PROPERTIES_H
#define FLG_MASS_PROPERTIES_H

#include <stddef.h>

#include "model/model.h"

typedef struct flg_mass_properties {
  double mass;      /* [kg] */
  flg_vec3 centre;  /* of mass [m] */
  flg_sym3 inertia; /* about the centre of mass [kg m^2] */
} flg_mass_properties;

/* The treatment of inertias in a robot's file that no body can have. */
typedef enum flg_inertia_rule {
  FLG_INERTIA_AUTO,       /* repair for URDF, strict for the native form */
  FLG_INERTIA_STRICT,     /* they are mistakes */
  FLG_INERTIA_REPAIR,     /* the nearest ones that a body can have take their place */
  FLG_INERTIA_TRUST,      /* they are taken as they are */
  FLG_INERTIA_FROM_SHAPES /* as repair; links without mass get that of their shapes */
} flg_inertia_rule;
extern const char *const flg_inertia_words[]; /* NULL at the end */

/* How the file of a robot is read. */
typedef struct flg_reading {
  flg_inertia_rule inertia;
  bool floats; /* bodies that the file fixes to the world float (flg_model_float) */
} flg_reading;

/* Of a box, cylinder, sphere or capsule of that density [kg/m^3], in the frame of its body. False
 * for other kinds. */
bool flg_mass_of_shape(const flg_shape *shape, double density, flg_mass_properties *properties);
/* Of what closed surfaces enclose: corners (9 triangles), in the order that makes outward normals,
 * or all the other way round. False if they enclose nothing. */
bool flg_mass_of_triangles(const double *corners, size_t triangles, double density,
                           flg_mass_properties *properties);
/* The same as seen from a frame in which theirs has the pose. */
flg_mass_properties flg_mass_moved(const flg_mass_properties *properties, const flg_pose *pose);
/* Of two together. */
flg_mass_properties flg_mass_sum(const flg_mass_properties *a, const flg_mass_properties *b);
/* The nearest inertia that a body can have: second moments below zero become zero. Returns an
 * inertia that is physical to rounding. */
flg_sym3 flg_inertia_nearest(flg_sym3 inertia);

#endif
