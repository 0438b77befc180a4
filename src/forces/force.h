/* force.h - force elements of components: one file and one table a kind.
 *
 * An element works on numbers c: on one coordinate of the component, or on `rows` numbers of its
 * own between two frames. Of each it knows the law
 *
 *     effort = law.effort - law.damping dc/dt        law.stiffness = - d law.effort / dc
 *
 * from which an assembly makes a force, or a soft row of its plan where the element is implicit.
 * A kind without rows pushes on one frame. Kinds without a law (frictions and stops) have bounds in
 * its place, which the search for the active set knows (limits/limit.h). A kind with a target
 * prescribes its coordinate: a rigid row of the plan, c = f(t), whose rate is f' and acceleration
 * f''; the first of its `own` is its impulse in the macro step, the second a copy of it.
 *
 * A definition is a struct of the component that begins as flg_force_head does. Numbers that an
 * element finds at the start (where a spring rests) are its `own`; those that events change are its
 * state. Calls on a flg_force are step calls, the others set-up.
 */
#ifndef FLG_FORCE_H
#define FLG_FORCE_H

#include <stdint.h>

#include "base/fields.h"
#include "dynamics/constraint.h"
#include "model/checked.h"

typedef struct flg_force_head {
  const char *name;
  flg_place place;
  int group;
} flg_force_head;

/* Of one number c. */
typedef struct flg_law {
  double effort;    /* while c stands still [N or N m] */
  double stiffness; /* [N/m or N m/rad] */
  double damping;   /* [N s/m or N m s/rad] */
} flg_law;

typedef struct flg_force_kind flg_force_kind;

/* An element as it runs. */
typedef struct flg_force {
  const flg_force_kind *kind;
  const void *of; /* its definition */
  double *own;    /* (own_count) */
  double *state;  /* (state_count) */
} flg_force;

/* Three of the numbers of an element between frames, to be recorded. */
typedef struct flg_force_quantity {
  const char *name, *unit;
  int first;
} flg_force_quantity;

enum { FLG_FORCE_QUANTITIES_MAX = 2 };

enum { FLG_FORCE_ROWS_MAX = FLG_CONSTRAINT_ROWS_MAX };

struct flg_force_kind {
  const char *name;        /* as in messages: "spring" */
  const flg_section *keys; /* of a map of the file; NULL: elements come with joints */
  size_t coordinate;       /* offset of the member, where ends is 0 */
  size_t end;              /* offset of its anchors, where ends is not 0 */
  int ends;                /* frames: 0, 1 or 2 */
  int rows;                /* numbers that it works on */
  int own_count, state_count;
  bool gives_energy; /* a source: it may do work that no store of the system pays for */
  flg_force_quantity quantities[FLG_FORCE_QUANTITIES_MAX]; /* of one between frames */
  void (*check)(const flg_checked *own, const void *of);
  /* Rows of the plan instead of forces; staged: the scheme has stages, and refuses them. NULL: no.
   */
  bool (*is_soft)(const void *of, bool staged);
  /* Of one that can be soft: its effort is linear in its numbers, so that it can be taken by the
   * mean of both ends of a step. NULL: it is not. */
  bool (*is_even)(const void *of);
  /* Its own and state, when the values are those of the start. NULL: zeros. */
  void (*start)(const flg_force *force, const double *value);
  /* Of an element between two frames: value (as `left`), rate and sides of each row. */
  void (*measure)(const flg_moving_frame end[2], flg_constraint_row *rows);
  void (*law)(const flg_force *force, const double *value, flg_law *law); /* (rows) */
  /* Of an element without rows: force on its frame, in world axes. */
  flg_spatial (*push)(const flg_force *force, const flg_pose *frame);
  /* Of an element that prescribes its coordinate, as a rigid row: what c is at that time. */
  flg_jet (*target)(const flg_force *force, const flg_component *component, double time);
  double (*energy)(const flg_force *force, const double *value); /* [J]; NULL: none */
  /* The hash chained with all that the element depends on. */
  uint64_t (*identity)(const flg_force *force, uint64_t hash);
};

extern const flg_force_kind flg_spring_kind, flg_load_kind, flg_motor_kind, flg_effort_kind,
    flg_friction_kind, flg_stop_kind;

/* X(word, key of the map in files, help): kinds whose definitions are elements of the component.
 * Each has a table flg_WORD_kind, with a section flg_WORD_section whose struct begins as
 * flg_framed_keys does, or as flg_driven_keys if it works on a coordinate. */
#define FLG_LISTED_FORCE_LIST(X)                                               \
  X(bushing, "bushings", "springs and dampers in all six directions, by name") \
  X(motion, "motions", "coordinates that follow functions of time, by name")

#define FLG_LISTED_FORCE_ENUM(word, key, help) FLG_LISTED_##word,
enum { FLG_LISTED_FORCE_LIST(FLG_LISTED_FORCE_ENUM) FLG_LISTED_COUNT, FLG_LISTED_MAX = 8 };
#define FLG_LISTED_FORCE_EXTERN(word, key, help) \
  extern const flg_force_kind flg_##word##_kind; \
  extern const flg_section flg_##word##_section;
FLG_LISTED_FORCE_LIST(FLG_LISTED_FORCE_EXTERN)
/* (FLG_LISTED_COUNT) */
extern const flg_force_kind *const flg_listed_kinds[FLG_LISTED_MAX];

static inline const flg_force_head *flg_force_head_of(const flg_force *force) {
  return force->of;
}

/* The coordinate that it works on, -1: none. */
static inline int flg_force_coordinate(const flg_force *force) {
  const flg_force_kind *kind = force->kind;
  return kind->ends > 0 ? -1 : *(const int *)((const char *)force->of + kind->coordinate);
}

/* (ends) */
static inline const flg_anchor *flg_force_ends(const flg_force *force) {
  return (const flg_anchor *)((const char *)force->of + force->kind->end);
}

/* All elements of a component in one order: springs, loads, motors, efforts, frictions, stops, and
 * those of kinds that are listed. */
int flg_forces_count(const flg_component *component);
flg_force flg_forces_at(const flg_component *component, int index);
/* Where the elements of a kind begin. */
int flg_forces_first(const flg_component *component, const flg_force_kind *kind);
/* Refuses elements that no system can have; names are unique within their kind. FLG_ERR_RANGE: a
 * table lacks an entry that its elements are asked for. */
void flg_forces_check(const flg_component *component, flg_mistakes *mistakes);

#endif
