/* scene_inner.h - the inside of scenes: the lists that their text and their records are made of. */
#ifndef FLG_SCENE_INNER_H
#define FLG_SCENE_INNER_H

#include "assembly/assembly.h"
#include "base/growing.h"
#include "cosim/touching.h"
#include "plugin/plugin_subsystem.h"
#include "viewer/scene.h"

/* A frame whose pose is recorded. */
typedef struct flg_scene_frame {
  const flg_subsystem *subsystem;
  enum { FLG_FRAME_OF_ROBOT, FLG_FRAME_OF_ASSEMBLY, FLG_FRAME_OF_PLUGIN, FLG_FRAME_OF_PORT } kind;
  flg_mount mount;   /* of a robot */
  flg_anchor anchor; /* of an assembly */
  int port;          /* of a plug-in, of what is coupled */
} flg_scene_frame;

/* What a body is called: of a robot inside of an assembly robot and body, else the path. */
typedef struct flg_scene_body {
  const char *name;
  const char *subsystem; /* of the scenario */
  int frame;             /* -1: it does not move, and is at ... */
  flg_pose pose;
  double mass; /* 0: not known, or of no consequence */
  flg_vec3 centre;
  flg_sym3 inertia;
} flg_scene_body;

/* A frame on one of the bodies. */
typedef struct flg_scene_anchor {
  int body;
  flg_pose pose;
} flg_scene_anchor;

typedef struct flg_scene_drawn {
  int body;
  const flg_shape *shape;
  int mesh; /* of the meshes; -1: it is none */
} flg_scene_drawn;

/* A joint, or a spring that pulls from point to point. */
typedef struct flg_scene_link {
  const char *name, *kind;
  flg_scene_anchor end[2];
  flg_vec3 axis; /* in the frame of the first body */
} flg_scene_link;

typedef struct flg_scene_marker {
  const char *name;
  bool port;
  flg_scene_anchor at;
} flg_scene_marker;

typedef struct flg_scene_mesh {
  const char *path;
  const char
      *triangles; /* base64 of float32: x y z of three corners each, unscaled; "": not read */
} flg_scene_mesh;

typedef struct flg_scene_interface {
  const char *name;
  int frame; /* -1: it has none */
} flg_scene_interface;

/* The admittance of one side of a coupled interface. */
typedef struct flg_scene_side {
  int interface; /* of those of the scene */
  const flg_subsystem *subsystem;
  int port;
  flg_interface_model *model; /* scratch, of all ports of the subsystem */
} flg_scene_side;

struct flg_scene {
  flg_simulation *simulation;
  flg_growing frames, bodies, drawn, joints, springs, markers, meshes, interfaces, sides;
  flg_signal signals[8];
  int signal_count, width;
  int64_t probe_every; /* macro steps between two looks at admittances */
  flg_touching *touching;
  int *first_shape; /* (subsystems) number of the first shape of each that can touch */
  double *contacts; /* (most x FLG_SCENE_CONTACT) */
  char *text;
  flg_region region;
};

/* Set-up: fills the lists from the subsystems; what fails shows in the region. */
void flg_scene_collect(flg_scene *scene);
/* Set-up: writes the text. */
flg_status flg_scene_write(flg_scene *scene, flg_error *error);
/* Set-up: the number of the mesh of a file, read once; -1: it cannot be drawn. */
int flg_scene_find_mesh(flg_scene *scene, const flg_shape *shape);

#endif
