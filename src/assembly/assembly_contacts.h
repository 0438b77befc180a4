/* assembly_contacts.h - the inside of assemblies: what their bodies and robots touch.
 *
 * A body or a link of a robot that has a shape which can touch something is a *touch port*: an
 * outer port of the assembly (assembly_inner.h), the last ones, whose rows stay open up to the root
 * of the plan. In a step, with the factors of its start,
 *
 *     up     D and the free velocities P(v + h M^-1 f) of all touch ports, joints closed
 *     root   contacts between any two roots, or with the ground, are closed (contacts.h)
 *     down   v+ under joints and contacts at once; once more with `moves` for displacements
 *
 *     q+ = q (+) (h v+ + W A^T moves)
 *
 * Frictions and stops of joints (assembly_limits.h) pivot around such solves; each solve closes
 * all contacts again. Then bodies take their free steps (parts/bodies_free_step.c).
 *
 * Pairs that can touch: shapes of one family, by their groups, unless their bodies are connected by
 * a joint, directly or over bodies that are welded to either; or they are of one robot, unless that
 * has self_collision. The ground is no body: what is joined to it may touch it.
 */
#ifndef FLG_ASSEMBLY_CONTACTS_H
#define FLG_ASSEMBLY_CONTACTS_H

#include "assembly/assembly_ends.h"
#include "contacts/contacts.h"
#include "contacts/touch_shapes.h"
#include "contract/contact_objects.h"

/* The body or robot link that carries a shape of the scene, by the numbers of the component. */
typedef struct flg_touch_owner {
  int robot;         /* -1: none */
  int body;          /* of the component or of the robot's model; FLG_WORLD: the ground */
  const char *shape; /* its name, or NULL */
} flg_touch_owner;

/* A shape under the body that it is on. */
typedef struct flg_touch_on {
  flg_owner owner;
  int shape; /* of the scene */
} flg_touch_on;

typedef struct flg_assembly_touch {
  flg_contacts_options options;
  flg_touch_shapes shapes; /* as in the scene: bodies are touch ports */
  flg_touch_owner *owners; /* (shapes) */
  flg_touch_on *on;        /* (shapes) by their bodies, sorted */
  flg_contacts *contacts;
  int port_count;
  flg_assembly_ends ends;
  double *memory; /* of the contacts, in the state */
  /* scratch */
  flg_touch_place *places; /* (ports) */
  flg_pose *poses;         /* (ports) */
  flg_spatial *velocities; /* (ports) */
  flg_spatial *departures; /* (ports) velocities half a step of free motion before a kick */
  flg_spatial *leans;      /* (ports) what that half has changed of them (contacts.h) */
  flg_touch_block *blocks; /* (roots of the plan) */
  int *starts;             /* (roots) where their rows begin among all */
  int row_count;           /* of all, with room for joints that end (assembly_ends.h) */
  double *before, *moves;  /* (row_count) */
  bool is_joined;          /* some root is more than a body without joints */
  bool are_bodies;         /* no part that touches is held by itself */
  double *remembered;      /* the memory at the start of the step, where limits solve often */
  bool is_away;            /* nothing is near in the current step */
  double h;                /* of it */
  unsigned long looked;    /* of the stamp `motion`: where contacts were looked for last; or 0 */
  flg_error error;         /* why it failed; "": it did not */
} flg_assembly_touch;

/* --- set-up --- */

/* Before the plan: finds which shapes can touch, and makes their ports the last of the outer ports;
 * assembly->model.touch stays NULL where no shape can touch another. */
flg_status flg_assembly_touch_find(flg_assembly *assembly, flg_mistakes *mistakes);
/* With the plan and the places of outer ports in it: all but the memory. */
flg_status flg_assembly_touch_build(flg_assembly *assembly, flg_error *error);
int flg_assembly_touch_numbers(const flg_assembly *assembly);
void flg_assembly_touch_remember(flg_assembly *assembly, double *memory);
void flg_assembly_touch_release(flg_assembly *assembly); /* none is allowed */
uint64_t flg_assembly_touch_identity(const flg_assembly *assembly, uint64_t seed);

/* --- steps: as without contacts where no shape can touch another --- */

/* Before the free motion that leads to a kick, after place: contacts of the kick know by it how
 * joints change velocities between kicks. */
void flg_assembly_touch_depart(flg_assembly *assembly);
/* After place at the start of the step: contacts that may close in it. FLG_ERR_CAPACITY,
 * FLG_ERR_DIVERGED with touch->error. */
flg_status flg_assembly_touch_look(flg_assembly *assembly, double h);
/* Places all, and looks whether a step of h may touch anything, or reach an end of a joint. If not,
 * its solves are without contacts. Assemblies that are loose count as near. */
flg_status flg_assembly_touch_near(flg_assembly *assembly, double h, bool *is_near);
/* After near: FLG_ERR_UNSOLVED with touch->error if bodies are so fast that some pass each other
 * within h, in which no contacts are looked for: before the first kick of a run, or after an event
 * has set velocities. */
flg_status flg_assembly_touch_guard(flg_assembly *assembly, double h);
/* As flg_assembly_solve, under the contacts. */
flg_status flg_assembly_solve_touching(flg_assembly *assembly, const double *from, flg_aim aim,
                                       double *y);
/* The parts of it, for assembly_ends.c: what a solve starts with; contacts and stops closed on
 * blocks; and both for contacts alone, as a push of flg_assembly_solve_under. */
void flg_assembly_touch_prepare(flg_assembly *assembly);
flg_status flg_assembly_touch_close(flg_assembly *assembly, const flg_touch_block *blocks,
                                    const flg_touch_stop *stops, int stop_count);
flg_status flg_assembly_close_contacts(flg_assembly *assembly, const double *none);
/* After the last solve of a step: q (+)= W A^T moves, of a q that has flown already. */
flg_status flg_assembly_touch_move(flg_assembly *assembly, double *q, double *v);
/* After place: contacts of the state as it is, with the forces of the step that led to it. */
void flg_assembly_touch_recall(flg_assembly *assembly);

/* --- looking, after recall --- */

/* The force of contacts on a body [N]. */
flg_vec3 flg_assembly_contact_force(const flg_assembly *assembly, flg_owner body);
/* Set-up: lists shapes under their bodies, for contact_force and touches. */
void flg_assembly_touch_sort(flg_assembly *assembly);
bool flg_assembly_touches(const flg_assembly *assembly, flg_owner body);

/* --- free steps: parts/bodies_free_step.c --- */

/* Bodies of an assembly in which some can touch fly between contacts so that momentum and energy
 * stay. */
static inline bool flg_assembly_flies(const flg_assembly *assembly) {
  return assembly->model.touch != NULL && assembly->model.touch->port_count > 0;
}
/* q = q (+) h v of all parts. Where bodies fly, angular velocities are those at the end of the
 * free step: momentum and energy of each body are kept. After place_rows at q: inertias in world
 * axes are those of q. Parts that take steps of their own do so. */
flg_status flg_assembly_fly(flg_assembly *assembly, double h, double *q, double *v);
/* q (+)= by (velocities), besides the free step. Angular velocities of bodies are then those of the
 * same momentum; none takes more energy from it than hits took in the step, and is turned less
 * where it would. */
void flg_assembly_shift(flg_assembly *assembly, const double *by, double *q, double *v);

#endif
