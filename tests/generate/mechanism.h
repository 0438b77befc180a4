/* mechanism.h - a mechanical system as the generator knows it: what it is made of, where it is at
 * the start, and into which subsystems it is cut.
 *
 * All places are in world axes at the start, so that a system can be cut, turned or mirrored
 * without a look at files. Joints fit at the start by construction, and velocities obey them. */
#ifndef FLG_GENERATE_MECHANISM_H
#define FLG_GENERATE_MECHANISM_H

#include <stdbool.h>
#include <stdint.h>

#include "math/rotation.h"

enum { BODIES = 10, JOINTS = 18, SPRINGS = 6, DRIVES = 4, LOADS = 4, EVENTS = 6, PARTS = 8 };
enum { BUSHINGS = 2, MOTIONS = 2 };
enum { WORLD = -1 };

typedef enum joint_kind {
  WELD,
  REVOLUTE,
  PRISMATIC,
  CYLINDRICAL,
  SCREW,
  UNIVERSAL,
  SPHERICAL,
  PLANAR,
  POINT_ON_LINE,
  DISTANCE,
  GEAR,
  RACK,
} joint_kind;

typedef enum shape_kind { NO_SHAPE, BOX, SPHERE, CAPSULE, CYLINDER } shape_kind;

typedef struct solid {
  flg_pose pose; /* of its frame */
  double mass;
  flg_vec3 centre;  /* in its frame */
  flg_sym3 inertia; /* about the centre, in its axes */
  flg_vec3 velocity, spin;
  shape_kind shape;
  double size[3];               /* as in files: lengths of a box; radius, length */
  double friction, restitution; /* of its surface, in piles */
  int part;
  bool point; /* a point mass: it has no inertia and does not turn */
  /* half of the round beam that it is, in its frame; 0 modes: it is rigid */
  flg_vec3 beam_half;
  double beam_diameter, young;
  int modes, twists;
} solid;

/* Of kinds with one coordinate; 0: none. */
typedef struct limits {
  double coulomb, stiction, stribeck, viscous;
  double lower, upper, restitution; /* lower < upper: there are stops */
} limits;

typedef struct joint {
  joint_kind kind;
  int end[2];     /* bodies, or WORLD; of a gear or rack: joints, drive and driven */
  flg_pose frame; /* z is the axis, x the second one of a universal joint */
  flg_vec3 far;   /* of a distance: the point on the second end */
  double number;  /* pitch, ratio, radius or backlash's ratio */
  double stiffness, damping;
  bool implicit;
  limits limits;
  double backlash;
  bool between_parts; /* an interface even where one end is the world */
} joint;

typedef struct spring {
  int end[2];
  flg_vec3 at[2];
  double stiffness, damping, length; /* length NaN: relaxed at the start */
  bool implicit;
} spring;

/* Springs and dampers between two ends whose frames meet at the start. */
typedef struct bushing {
  int end[2];
  flg_pose frame;
  double stiffness[6], damping[6]; /* along x, y, z, and about them */
  bool implicit;
} bushing;

/* A joint that follows rate t + amplitude (1 - cos(w t)). */
typedef struct prescription {
  int joint;
  double rate, amplitude, frequency;
} prescription;

/* A motor, or an effort that a signal drives, on the coordinate of a joint. */
typedef struct actuator {
  int joint;
  bool motor;
  double amplitude, frequency, phase; /* of the voltage or effort */
  double resistance, inductance, constant;
} actuator;

typedef struct pull {
  int body;
  flg_vec3 force, moment; /* world axes */
  bool enabled;
} pull;

typedef enum event_kind { ENABLE, DISABLE, JOIN, LET_GO } event_kind;

typedef struct happening {
  event_kind kind;
  int step;  /* macro step at which it happens */
  int of[2]; /* a load; two bodies of one part */
} happening;

typedef struct piece {
  flg_pose pose;
  bool robot;
} piece;

typedef enum scheme { MONOLITHIC, SEQUENTIAL, PARALLEL } scheme;
typedef enum integrator { AUTO, RATTLE, RK4, SEMI_IMPLICIT } integrator;
typedef enum coordinates { BY_DEFAULT, ABSOLUTE, OF_JOINTS, BY_COST } coordinates;

typedef struct mechanism {
  uint64_t seed;
  flg_vec3 gravity;
  bool ground;
  flg_pose floor;               /* of the plane, z up */
  double friction, restitution; /* of the floor; in all but piles of all */
  bool pile;                    /* bodies touch each other, too */
  int body_count, joint_count, spring_count, drive_count, load_count, event_count, part_count;
  int bushing_count, motion_count;
  solid bodies[BODIES];
  joint joints[JOINTS];
  spring springs[SPRINGS];
  bushing bushings[BUSHINGS];
  prescription motions[MOTIONS];
  actuator drives[DRIVES];
  pull loads[LOADS];
  happening events[EVENTS];
  piece parts[PARTS];
  double step; /* micro step */
  int micro;   /* micro steps in a macro step */
  int macro;   /* macro steps in all */
  scheme scheme;
  integrator integrator;
  bool box_friction, poisson;
  bool follows;   /* gears of robots are joints that follow others */
  bool unreduced; /* bodies that joints fix to each other are not computed as one */
  coordinates coordinates;
  /* how it is written */
  int body_order[BODIES], joint_order[JOINTS], part_order[PARTS]; /* what comes first in files */
  int naming;                                                     /* another number, other names */
} mechanism;

/* What a system has, as bits: failures are classed by them. */
typedef enum feature {
  HAS_LOOP = 1 << 0,
  HAS_ROBOT = 1 << 1,
  HAS_CONTACT = 1 << 2,
  HAS_BOUNCE = 1 << 3,
  HAS_FRICTION = 1 << 4, /* of joints */
  HAS_STOPS = 1 << 5,
  HAS_SPRING = 1 << 6,
  HAS_IMPLICIT = 1 << 7,
  HAS_DRIVE = 1 << 8,
  HAS_GEAR = 1 << 9,
  HAS_BACKLASH = 1 << 10,
  HAS_EVENT = 1 << 11,
  HAS_LOAD = 1 << 12,
  HAS_PARTS = 1 << 13,      /* interfaces */
  HAS_SOFT_CUT = 1 << 14,   /* an interface with springs, friction or stops */
  HAS_MANY_TOUCH = 1 << 15, /* two parts or more can touch */
  HAS_COSIMULATION = 1 << 16,
  HAS_PARALLEL = 1 << 17,
  HAS_RATIO = 1 << 18, /* masses differ by more than 1,000 */
  HAS_GROUND_JOINT = 1 << 19,
  HAS_SEMI_IMPLICIT = 1 << 20,
  HAS_AUTO = 1 << 21,
  HAS_CUT_LOOP = 1 << 22, /* interfaces that close a loop */
  HAS_WELD = 1 << 23,     /* that comes and goes */
  HAS_RIM = 1 << 24,      /* a cylinder that touches */
  HAS_SLIDE = 1 << 25,    /* an interface whose ends slide apart */
  HAS_PILE = 1 << 26,     /* bodies on each other */
  HAS_POINT = 1 << 27,    /* a point mass */
  HAS_BUSHING = 1 << 28,
  HAS_BEAM = 1 << 29,   /* a flexible body */
  HAS_MOTION = 1 << 30, /* a joint that is prescribed */
} feature;
enum { FEATURES = 31 };

unsigned features_of(const mechanism *machine);
/* "loop robot contact ..." into text (400) */
void feature_names(unsigned features, char text[400]);

/* Joints of a kind with one coordinate, which stops, friction, springs and drives act on. */
static inline bool has_coordinate(joint_kind kind) {
  return kind == REVOLUTE || kind == PRISMATIC;
}

static inline bool is_coupled(joint_kind kind) {
  return kind == GEAR || kind == RACK;
}

/* The part of a joint that lies in one, -1 for interfaces. */
int part_of_joint(const mechanism *machine, int index);

/* Of a bushing likewise. */
int part_of_bushing(const mechanism *machine, int index);

/* A system of the seed; always the same. */
void draw_mechanism(mechanism *machine, uint64_t seed);
/* The same, if the seed is a pile of bodies; false: it is not. */
bool draw_pile(mechanism *machine, uint64_t seed);
/* Whether a seed draws from all that there is, and what such a seed has besides. */
bool is_wide(uint64_t seed);
/* Whether bushings of this seed may be between subsystems. */
bool is_softly_cut(uint64_t seed);
void draw_wide(mechanism *machine, bool loops);
/* Cuts it anew into at most `parts` subsystems; what has to stay together does. */
void draw_parts(mechanism *machine, int parts, uint64_t seed);
/* Whether a part can be written as a robot: a tree of rigid joints, and nothing that robots lack.
 */
bool can_be_robot(const mechanism *machine, int part);

#endif
