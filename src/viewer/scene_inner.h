/* scene_inner.h - the inside of scenes: the lists that their text and their records are made of. */
#ifndef FLG_SCENE_INNER_H
#define FLG_SCENE_INNER_H

#include "assembly/assembly.h"
#include "base/growing.h"
#include "cosim/touching.h"
#include "plugin/plugin_subsystem.h"
#include "robot/robot_subsystem.h"
#include "viewer/scene.h"

/* A section of a beam, or a node, of a flexible body: it moves as modal.h has it. */
typedef struct flg_scene_station {
  flg_vec3 rest_point; /* at rest, in the body's frame */
  int modes;
  int position;        /* of the first elastic coordinate in q */
  flg_spatial *shapes; /* (modes) */
  flg_vec3 *pairs;     /* (modes x modes) second-order shapes */
} flg_scene_station;

/* A frame whose pose is recorded. */
typedef struct flg_scene_frame {
  const flg_subsystem *subsystem;
  enum { FLG_FRAME_OF_ROBOT, FLG_FRAME_OF_ASSEMBLY, FLG_FRAME_OF_PLUGIN, FLG_FRAME_OF_PORT } kind;
  const flg_robot_subsystem *robot; /* of a robot, also of one in an assembly: */
  flg_link_anchor link_anchor;
  const flg_scene_station *station; /* on that body; NULL: the frame of the body itself */
  flg_anchor anchor;                /* of an assembly */
  int port;                         /* of a plug-in, of what is coupled */
} flg_scene_frame;

/* How a body bends: the frames of its stations follow each other. */
typedef struct flg_scene_bend {
  int frame; /* of the first station */
  int count;
  const flg_vec3 *rest_points; /* (count) along the axis, if there is one */
  flg_vec3 axis;               /* of a beam; 0: stations are nodes */
} flg_scene_bend;

/* The name of a body: of a robot inside of an assembly robot and body, else the path. */
typedef struct flg_scene_body {
  const char *name;
  const char *subsystem; /* of the scenario */
  int frame;             /* -1: it does not move, and is at ... */
  flg_pose pose;
  double mass; /* 0: not known, or of no consequence */
  flg_vec3 centre;
  flg_sym3 inertia;
  flg_scene_bend bend; /* count 0: it is rigid */
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

/* A joint, a spring or a bushing. */
typedef struct flg_scene_link {
  const char *name, *kind;
  flg_scene_anchor end[2];
  flg_vec3 axis; /* in the frame of the first body */
} flg_scene_link;

/* Two coordinates that go together: factor0 c0 + factor1 c1 is constant. */
typedef struct flg_scene_gear {
  const char *name;
  struct {
    bool turns; /* an angle, else a slide */
    flg_scene_anchor end[2];
    double factor;
  } of[2];
} flg_scene_gear;

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
  int frame;               /* -1: it has none */
  flg_scene_anchor end[2]; /* that it joins; body -1: not known */
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
  flg_growing frames, bodies, drawn, joints, springs, gears, markers, meshes, interfaces, sides;
  flg_signal signals[8];
  int signal_count, width;
  int64_t probe_every; /* macro steps between two looks at admittances */
  flg_touching *touching;
  int *first_shape; /* (subsystems) number of the first shape of each that can touch */
  double *contacts; /* (most x FLG_SCENE_CONTACT) */
  char *text;
  flg_region region;
};

#define FLG_SCENE_ADD(list, type, scene) \
  ((type *)flg_growing_add(&(scene)->list, sizeof(type), &(scene)->region))

/* A robot, alone or as a part of an assembly. */
typedef struct flg_scene_robot {
  const flg_robot_subsystem *robot; /* NULL: there is none */
  const char *path;
  bool is_body; /* a flexible body, which has that path */
  int first;    /* number of its first body */
  int base;     /* the body that is the ground of its model */
} flg_scene_robot;

/* A subsystem of the simulation, and the numbers of its bodies. */
typedef struct flg_scene_part {
  flg_scene *scene;
  const flg_subsystem *subsystem;
  const char *prefix;           /* of names: that of the subsystem, "": they have it already */
  int world;                    /* the body that is the ground */
  flg_scene_robot alone;        /* of a robot */
  const flg_assembly *assembly; /* of an assembly: */
  const flg_component *component;
  flg_scene_robot *robots; /* (robots of the component) */
  int first;               /* number of the first body of the component, or of a plug-in's ports */
} flg_scene_part;

/* Set-up: fills the lists from the subsystems; what fails shows in the region. */
void flg_scene_collect(flg_scene *scene);
/* Set-up: the number of a frame, added to those that are recorded. */
int flg_scene_add_frame(flg_scene *scene, flg_scene_frame frame);
/* Set-up: "subsystem/first/second". */
const char *flg_scene_path(const flg_scene_part *part, const char *first, const char *second);
/* Set-up: stations of body `index` of a robot, which is the last of the scene. */
void flg_scene_bend_body(const flg_scene_part *part, const flg_scene_robot *of, int index);
/* Step: where a station is in the frame of its body. */
flg_pose flg_scene_station_pose(const flg_scene_station *station, const double *q);
/* Set-up: where a frame of an assembly, or a port of any subsystem, is: on which body. */
flg_scene_anchor flg_scene_anchor_in(const flg_scene_part *part, const flg_anchor *anchor);
flg_scene_anchor flg_scene_port_anchor(const flg_scene_part *part, int port);
/* Set-up: joints, springs, bushings and gears of an assembly; and what an interface carries, of
 * which parts (subsystems) are the ends. */
void flg_scene_collect_links(const flg_scene_part *part);
void flg_scene_collect_carried(flg_scene *scene, const flg_scene_part *parts,
                               const flg_interface *interface);
/* Set-up: writes the text. */
flg_status flg_scene_write(flg_scene *scene, flg_error *error);
/* Set-up: the number of the mesh of a file, read once; -1: it cannot be drawn. */
int flg_scene_find_mesh(flg_scene *scene, const flg_shape *shape);

#endif
