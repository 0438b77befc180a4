/* trajectory_keys.h - what a file of targets says: where a tool shall be, and when. */
#ifndef FLG_TRAJECTORY_KEYS_H
#define FLG_TRAJECTORY_KEYS_H

#include "text/schema.h"

/* A turn of the frame about a line in the world; NaNs: there is none. */
typedef struct flg_around_keys {
  flg_origin origin;
  double point[3], axis[3]; /* [m], any length */
  double angle;             /* [rad] */
} flg_around_keys;

typedef struct flg_target_keys {
  flg_origin origin;
  double at;                   /* [s] */
  double position[3], turn[3]; /* [m]; roll, pitch, yaw [rad]; NaNs: kept */
  bool relative;               /* to where the path starts */
  flg_around_keys around;
  flg_numbers joints; /* positions of all joints instead */
} flg_target_keys;

typedef struct flg_trajectory_keys {
  flg_origin origin;
  int version;
  const char *subsystem; /* NULL: the only one */
  const char *frame;     /* port, marker or body */
  bool position_only;
  double sample;   /* [s] */
  flg_items start; /* of flg_value: positions by joint */
  flg_texts lock;  /* joints */
  flg_items path;  /* of flg_target_keys */
} flg_trajectory_keys;

/* The keys of a file of targets. */
extern const flg_section flg_trajectory_section;

#endif
