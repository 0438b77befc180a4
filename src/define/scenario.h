/* scenario.h - what a scenario says: which systems run, for how long, and what is recorded. */
#ifndef FLG_SCENARIO_H
#define FLG_SCENARIO_H

#include "define/component_definition.h"

typedef struct flg_time_keys {
  flg_origin origin;
  double end;   /* [s] */
  double macro; /* communication and output interval [s] */
} flg_time_keys;

/* A point of a trajectory: where the controlled joints are at a time, at rest. */
typedef struct flg_point_keys {
  flg_origin origin;
  double at;            /* [s] */
  flg_numbers position; /* one for each joint of the controller */
} flg_point_keys;

/* The load of a robot, as its controller knows it. */
typedef struct flg_payload_keys {
  flg_origin origin;
  const char *body; /* NULL: there is none */
  double mass;      /* [kg] */
  double centre[3]; /* in the body's frame [m] */
  flg_numbers inertia;
} flg_payload_keys;

typedef struct flg_controller_keys {
  flg_origin origin;                    /* name: of the controller */
  int kind;                             /* flg_controller_kind */
  bool enabled;                         /* from the start */
  double sample;                        /* [s], 0: continuous */
  flg_texts joints;                     /* that it drives; none: all that it can */
  const char *file;                     /* CSV: forces of a table, or positions of a trajectory */
  int interpolation;                    /* flg_curve_kind */
  flg_items points;                     /* of flg_point_keys: quintic from rest to rest */
  flg_numbers stiffness, damping;       /* of pd: one, or one for each joint */
  flg_numbers frequency, damping_ratio; /* of computed-torque: the same */
  flg_payload_keys payload;             /* of computed-torque, feed-forward, gravity */
  const char *body;                     /* of force: that it pushes with; NULL: none ... */
  double at[3], force[3], moment[3];    /* ... where [m], in world axes [N], [N m] */
  const char *plugin;                   /* of plugin: its library */
  flg_items parameters;                 /* of plugin: of flg_value */
} flg_controller_keys;

typedef struct flg_force_keys {
  flg_origin origin; /* name: of the force */
  const char *body;
  bool enabled;
  double at[3];               /* on the body, in its frame [m] */
  double force[3], moment[3]; /* in world axes [N], [N m] */
} flg_force_keys;

/* How a subsystem, or all that are solved as one, step: what the words in files mean. */
typedef enum flg_stepping {
  FLG_STEPPING_AUTO, /* rattle where there are joints to close, else leapfrog */
  FLG_STEPPING_SEMI_IMPLICIT,
  FLG_STEPPING_RK4,
  FLG_STEPPING_ADAPTIVE,
  FLG_STEPPING_RATTLE,
  FLG_STEPPING_LEAPFROG
} flg_stepping;
extern const char *const flg_stepping_words[]; /* NULL at the end */

typedef struct flg_subsystem_keys {
  flg_origin origin;  /* name: of the subsystem */
  const char *model;  /* file of a robot or a component; NULL: it is a plug-in */
  const char *plugin; /* file of a shared library; NULL: it has a model */
  flg_placement_keys placement;
  double step;                                   /* [s], NaN: the macro step */
  int integrator;                                /* flg_stepping */
  double relative_tolerance, absolute_tolerance; /* of the adaptive one */
  double gravity[3];                             /* [m/s^2], NaNs: that of the scenario */
  flg_robot_keys robot;
  flg_items controllers;     /* of flg_controller_keys */
  flg_items forces;          /* of flg_force_keys */
  flg_items parameters;      /* of flg_value: of a component or a plug-in */
  bool compiled;             /* it is stepped by generated code, where it can be */
  bool assemble;             /* joints of a component are closed at the start */
  double geometry_tolerance; /* by how much frames of joints may be changed at the start */
  bool strict;               /* neither these nor velocities may be */
  int projection;            /* flg_norm */
  int elimination;           /* flg_elimination_form */
  int reduce;                /* flg_reduce */
  int coordinates;           /* flg_coordinates */
  flg_contacts_keys contacts;
} flg_subsystem_keys;

/* Whether bodies that joints fix to each other become one. */
typedef enum flg_reduce { FLG_REDUCE_AUTO, FLG_REDUCE_NONE } flg_reduce;

/* Coordinates of the bodies of a component. */
typedef enum flg_coordinates {
  FLG_COORDINATES_AUTO,
  FLG_COORDINATES_ABSOLUTE,
  FLG_COORDINATES_JOINT
} flg_coordinates;

typedef struct flg_coupling_keys {
  flg_origin origin;
  int scheme;     /* of flg_coupling_schemes */
  double step;    /* [s] of all that is solved as one; NaN: the shortest of the subsystems */
  int integrator; /* flg_stepping */
  int form;       /* flg_coupling_form */
  int reconcile;  /* flg_reconcile */
  int pose;       /* flg_pose_sync */
  double feedback;
  int causality;             /* 0: the first end takes motion, 1: the second */
  flg_texts order;           /* subsystems */
  flg_texts potential;       /* subsystem/body, /shape, /point */
  int contacts;              /* flg_rest_contacts */
  int capacity;              /* contact points; 0: by the shapes */
  int elastic;               /* flg_elastic_model */
  double stiffness, damping; /* NaN: by the stiffness */
} flg_coupling_keys;

/* The runs of 'flange compare'. */
typedef struct flg_reference_keys {
  flg_origin origin;
  double step;    /* [s], NaN: that of the coupling section, or the shortest of the subsystems */
  int integrator; /* flg_stepping */
} flg_reference_keys;

typedef enum flg_micro { FLG_MICRO_OWN, FLG_MICRO_SAME } flg_micro;

typedef struct flg_compare_keys {
  flg_origin origin;
  flg_reference_keys reference;
  flg_texts couplings;
  flg_numbers macro; /* [s] */
  int micro;         /* flg_micro */
} flg_compare_keys;

typedef struct flg_event_keys {
  flg_origin origin;
  double at;                   /* [s] */
  flg_texts lock, unlock;      /* subsystem/joint */
  flg_texts enable, disable;   /* subsystem/controller or subsystem/force */
  flg_items set, set_velocity; /* of flg_value: subsystem/joint to values */
  flg_texts weld, release;     /* two of subsystem/body; or, released, the name of a weld */
  const char *name;            /* of the weld; NULL: none */
} flg_event_keys;

typedef struct flg_scenario {
  flg_origin origin;
  int version;
  const char *name;
  double gravity[3];
  flg_time_keys time;
  flg_items subsystems; /* of flg_subsystem_keys */
  flg_items interfaces; /* of flg_component_joint_keys */
  flg_coupling_keys coupling;
  flg_items events; /* of flg_event_keys */
  flg_texts record; /* signals */
  flg_compare_keys compare;
  flg_items materials; /* of flg_material_keys */
  flg_ground_keys ground;
  flg_contacts_keys contacts;
} flg_scenario;

#endif
