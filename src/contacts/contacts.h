/* contacts.h - the contacts of one subsystem: found, closed by their laws, and remembered.
 *
 * The host (a robot, an assembly) has bodies with shapes. Each body that can touch is a *touch
 * port*: a frame on it, whose rows are [linear; angular] at its origin in world axes (coupled.h).
 * In every micro step the host
 *
 *     flg_contacts_find     gives poses and velocities of its touch ports
 *     flg_contacts_close    gives blocks of admittance D over touch ports, with their velocities
 *                           before and after the step without contacts; takes impulses on them,
 *                           and displacements
 *
 * Blocks are independent pieces: all of a robot, or one root of an assembly's plan. Contacts that
 * share no moving block are solved apart (islands): each small island by a dense W = J D J^T
 * (contact_law.h), large ones with D in blocks and W never formed: ports and stops of a block are
 * bodies of one group there.
 *
 * Besides touch ports a block may have rows that are stops of joints: one number with a gap.
 *
 * Memory: the contacts of the last step, their impulses and states, from which the next solve
 * starts, are part of the host's state: flg_contacts_numbers doubles, handed over with
 * flg_contacts_remember.
 * Contacts are the same from step to step if shapes and key are; their order is that of the scene.
 * Results do not depend on threads.
 */
#ifndef FLG_CONTACTS_H
#define FLG_CONTACTS_H

#include "contact/contact_scene.h"
#include "contacts/contact_law.h"

typedef struct flg_contacts_options {
  flg_contact_law_options law;
  int capacity;    /* contact points at one time; 0: 8 a shape, and 64 */
  int dense_limit; /* rows of an island up to which W is formed; 0: 400 */
  double gravity;  /* [m/s^2] contacts are looked for as far as a body can fall in a step */
} flg_contacts_options;

/* Lengths that decide what is small come from the shapes: the size of one is how far it reaches
 * from its middle, wherever the frame of its body is. Contacts have the smaller of two sizes.
 * law.length is replaced by the smallest size of all, where a shape has one. */

/* Where a touch port is among the blocks. */
typedef struct flg_touch_place {
  int block; /* -1: it does not move */
  int row;   /* of its six, the first in the block */
} flg_touch_place;

/* One independent piece of the host. Rows: six a touch port, and one a stop. A block that nothing
 * touches in a step may have no rows. */
typedef struct flg_touch_block {
  int rows;
  const double *admittance; /* D (rows x rows), column-major */
  const double *before;     /* (rows) velocities at the start of the step */
  const double *free;       /* (rows) at its end, without contacts */
  double *impulses;         /* (rows) out */
  double *moves;            /* (rows) out: displacements are D moves, besides h w+ */
} flg_touch_block;

/* A stop of a joint that may be reached in the step; its row is positive when it opens. */
typedef struct flg_touch_stop {
  int block, row;
  double sign; /* of the row: 1, or -1 at an upper end */
  double gap;  /* [m or rad] */
  double restitution;
  double
      length; /* of what counts as small: 1 rad, or the way between the ends [m]; 0: of the law */
  int number; /* of the host, to know it again; stops come in the order of their numbers */
} flg_touch_stop;

/* A contact as it was closed last. */
typedef struct flg_contact_view {
  const flg_contact *contact; /* geometry at the start of the step; bodies are touch ports */
  int state;                  /* FLG_CONTACT_OPEN .. */
  double force[3];            /* mean over the step: along normal, tangent1, tangent2, on B [N] */
  double hit[3];              /* the same of hits that others closed (flg_contacts_strike) */
} flg_contact_view;

typedef enum flg_contact_state {
  FLG_CONTACT_OPEN,
  FLG_CONTACT_SLIDING,
  FLG_CONTACT_STICKING /* or without friction: closed */
} flg_contact_state;

/* Counts of the last step, and since the start. */
typedef struct flg_contacts_report {
  int found, closed, sliding; /* contact points */
  int hits;                   /* of them bounced */
  double penetration;         /* deepest, at the start of the step [m], >= 0 */
  int iterations;             /* of all islands */
  int method;                 /* flg_complementarity_method of the largest island */
  double residual;            /* largest */
  int worst;                  /* a contact of the island that has it; -1: none, or a stop */
  int unsolved;               /* islands whose residual stayed over the tolerance */
  int changes;                /* contacts that opened, closed, stuck or slid */
  long switches;              /* sum of changes since the start; part of the memory */
} flg_contacts_report;

/* Of all steps since they were taken last. */
typedef struct flg_contacts_totals {
  long steps, iterations, unsolved, hits;
  long changes;       /* a hit is two: it closes and opens */
  bool inside;        /* there were changes after the first of the steps */
  int method;         /* flg_complementarity_method of the largest island in the last step */
  double residual;    /* largest */
  double penetration; /* deepest [m] */
} flg_contacts_totals;

typedef struct flg_contacts flg_contacts;

flg_contacts_options flg_contacts_default(void);
/* Set-up. Bodies of the scene are the touch ports (0 ..); block_count and stop_capacity are those
 * of the host; there may be no shape, for stops alone. Shapes and materials are borrowed. Release
 * with flg_contacts_release. */
flg_status flg_contacts_build(flg_contacts **contacts, const flg_scene_input *scene,
                              const flg_touch_place *places, int block_count, int stop_capacity,
                              const flg_contacts_options *options, flg_error *error);
void flg_contacts_release(flg_contacts *contacts); /* NULL is allowed */
/* Set-up: threads that find contacts from now on, instead of those of the scene; NULL: none. */
void flg_contacts_share(flg_contacts *contacts, flg_threads *threads);
/* Shapes of its scene. */
int flg_contacts_shape_count(const flg_contacts *contacts);
/* The law with the length that was found. */
const flg_contact_law_options *flg_contacts_law(const flg_contacts *contacts);
/* Set-up: how many numbers its memory has; and where it is from now on (all zero: no contact). */
int flg_contacts_numbers(const flg_contacts *contacts);
void flg_contacts_remember(flg_contacts *contacts, double *memory);

/* Set-up: contacts of this subsystem do not bounce in its own steps: the coupling closes
 * their hits, since an impact is felt by all that is joined. Stops bounce as before. */
void flg_contacts_leave_hits(flg_contacts *contacts);
/* Step: adds hits that the coupling has closed to the totals. */
void flg_contacts_note_hits(flg_contacts *contacts, int count);

/* Step: contacts that may close in a step of h, at poses (ports) moving with velocities (ports).
 * FLG_ERR_CAPACITY with a sentence that says what to raise to what. */
flg_status flg_contacts_find(flg_contacts *contacts, const flg_pose *poses,
                             const flg_spatial *velocities, double h, flg_error *error);
/* True if they were found for a step of h, and neither they nor their memory have changed since. */
bool flg_contacts_are_found(const flg_contacts *contacts, double h);
/* After find: the contacts; bodies are touch ports. */
const flg_contact *flg_contacts_list(const flg_contacts *contacts, int *count);
/* True if a port goes further in h than the smallest shape is wide, so that it could pass through;
 * velocities (ports). */
bool flg_contacts_hurry(const flg_contacts *contacts, const flg_spatial *velocities, double h);
/* After find: a contact whose shapes come beyond the middle of each other within h if nothing
 * closes it; -1: there is none. */
int flg_contacts_passed(const flg_contacts *contacts, const flg_spatial *velocities, double h);
/* The most contacts that there may be at one time. */
int flg_contacts_capacity(const flg_contacts *contacts);
/* Set-up: the same, or all points of all pairs of shapes that may touch if these are fewer. */
int flg_contacts_most(const flg_contacts *contacts);
/* After find: the smallest gap of a shape to all that it may touch, however far, if it is less than
 * `most` [m]; else most. point: of one point of a set alone, or -1. */
double flg_contacts_gap(const flg_contacts *contacts, int shape, int point, double most);
/* After find: whether a port has a contact; ports without one may be left out of the blocks. */
bool flg_contacts_touches(const flg_contacts *contacts, int port);
/* Rows of a contact along which joints block both sides, so that impulses change no velocity. */
enum { FLG_BLOCKED_NORMAL = 1, FLG_BLOCKED_TANGENT1 = 2, FLG_BLOCKED_TANGENT2 = 4 };
/* Step, after find: sets which rows of a contact are blocked, as a sum of the above; 0: none. A
 * contact with a blocked normal is not closed, whatever its gap; along blocked tangents there is no
 * friction. */
void flg_contacts_block(flg_contacts *contacts, int index, unsigned blocked);
/* After find: a row of a contact (0: normal, 1, 2: tangents), as the port of its side (0, 1) sees
 * it. */
void flg_contacts_row(const flg_contacts *contacts, int index, int side, int row, double to[6]);
/* A contact of the step to come, as the coupling found it when it solved the interfaces. */
typedef struct flg_expected_touch {
  int shapes[2]; /* by which it is known, as by its key */
  uint64_t key;
  double impulses[3]; /* along normal, tangent1, tangent2, on B [N s] */
  unsigned char states[3];
} flg_expected_touch;
/* Step: velocities of ports change by so much in the free motion of half a step before what is
 * closed, and after it (ports), until they are taken back (NULL). Normals of closed contacts then
 * have the mean velocities from one kick to the next: J (before - lean), J (free + lean). Borrowed.
 */
void flg_contacts_lean(flg_contacts *contacts, const flg_spatial *leans);
/* Step, before close: what is closed is a kick in the middle of a step, and friction of what slides
 * on through it is against the mean of the velocities before and after it. */
void flg_contacts_kick(flg_contacts *contacts, bool is_kick);
/* Step: close starts from these instead of from its memory, until they are taken back (count 0).
 * Bodies that jam have several solutions: so both sides of a coupling take the same. Borrowed. */
void flg_contacts_expect(flg_contacts *contacts, const flg_expected_touch *list, int count);
/* A hit that the coupling has closed. */
typedef struct flg_struck_touch {
  int shapes[2]; /* by which the contact is known, as by its key */
  uint64_t key;
  double impulses[3]; /* along normal, tangent1, tangent2, on B [N s] */
} flg_struck_touch;
/* Step: close adds these hits to what can be recorded, until they are taken back (count 0); they do
 * not change the motion. Borrowed. */
void flg_contacts_strike(flg_contacts *contacts, const flg_struck_touch *list, int count);
/* Step, after find: places (ports) may differ from those of the build; NULL: they are as there. */
flg_status flg_contacts_close(flg_contacts *contacts, const flg_touch_block *blocks,
                              const flg_touch_place *places, const flg_touch_stop *stops,
                              int stop_count, double h);
/* Step, after find, in place of close where a coupling expects all contacts that were found, and
 * these are of one port with the ground, without friction: the port (-1: there are none), and the
 * sum of its impulses. False: close has to be called. */
bool flg_contacts_foresee(const flg_contacts *contacts, int *port, flg_spatial *impulse);
/* The motion of a port under these impulses. */
typedef struct flg_foreseen_port {
  flg_spatial before, free,
      after;                /* velocities before the step, at its end without, and with them */
  const double *admittance; /* D (6 x 6), column-major; NULL: it is not known */
  int leading;              /* of D */
} flg_foreseen_port;
/* ... then: true where these impulses are the answer; contacts are then closed, and displacements
 * of the port are D moves, besides h w+. False: close has to be called, nothing has changed. */
bool flg_contacts_confirm(flg_contacts *contacts, int port, const flg_foreseen_port *at,
                          flg_spatial *moves);
/* After close: whether any block has moves. */
bool flg_contacts_moves(const flg_contacts *contacts);
/* The step [s] that the memory is from, 0: none. To see the contacts of a state that was restored,
 * call flg_contacts_find with it. */
double flg_contacts_last_step(const flg_contacts *contacts);
/* True if the stop of that number pushed in the step that the memory is from. */
bool flg_contacts_stop_pushed(const flg_contacts *contacts, int number);
/* True if a memory is empty: of no step, and without stops. */
bool flg_contacts_is_new(const double *memory);
/* Adds the stop of that number, if it pushed in the last step, to a memory of these contacts that
 * was new: numbers in rising order. True if it did. */
bool flg_contacts_add_stop(const flg_contacts *contacts, int number, double *memory);
/* After find, with the impulses of the memory where a contact was there before. The report has then
 * what the memory knows of the last step: all but hits, method and changes. Force: state and force
 * alone. */
int flg_contacts_last_force(const flg_contacts *contacts, int index, double force[3]);
flg_contact_view flg_contacts_view(const flg_contacts *contacts, int index);
flg_contacts_report flg_contacts_report_view(const flg_contacts *contacts);
/* Step: returns the totals and sets them to zero. They are not part of the memory. */
flg_contacts_totals flg_contacts_take_totals(flg_contacts *contacts);
/* Step: sets the totals to those that were taken before. */
void flg_contacts_put_totals(flg_contacts *contacts, flg_contacts_totals totals);
/* Rows of a contact, `count` of normal and tangents, over the six rows of the port of its end, A
 * (0) or B (1), which is at `origin`. The sum of both ends is positive when the normal opens. Both
 * are pushed at one point, half way between the surfaces: no moment is made. */
static inline void flg_contact_rows(const flg_contact *contact, int end, flg_vec3 origin, int count,
                                    flg_spatial *rows) {
  const flg_vec3 axes[3] = {contact->normal, contact->tangent1, contact->tangent2};
  const flg_vec3 point = flg_vec3_scale(flg_vec3_add(contact->point_a, contact->point_b), 0.5);
  const flg_vec3 arm = flg_vec3_subtract(point, origin);
  for (int i = 0; i < count; i++) {
    rows[i].linear = flg_vec3_scale(axes[i], end == 0 ? -1 : 1);
    rows[i].angular = flg_vec3_cross(arm, rows[i].linear);
  }
}

#endif
