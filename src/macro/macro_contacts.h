/* macro_contacts.h - contacts in a macro run: those of the subsystem, found in every micro step,
 * and those of its rest, found at the communication point, whose gaps are integrated from there.
 *
 *     y+ = b + H x        rows of touch ports with contacts, own ones and then those of the rest,
 *                         with the interface rows eliminated                              (k)
 *     w+ = J y+           normals and tangents of all contacts, W = J H J^T
 *     x  = J^T L          L by the laws of contact_law.h
 *
 * So contacts on both sides open, close, stick and slip inside of the macro step. An option says
 * how those of the rest may change:
 *     nonsmooth     they open and close, by their gaps
 *     opening       those that are closed at the communication point may open (nonsmooth-rim,
 *                   Eq. 20, 22)
 *     smooth        not at all: closed ones are joints of the rest model (smooth.h)
 *     regularised   not at all: closed ones are springs and dampers of it (smooth.h)
 */
#ifndef FLG_COUPLING_MACRO_CONTACTS_H
#define FLG_COUPLING_MACRO_CONTACTS_H

#include "base/region.h"
#include "macro/potential.h"
#include "macro/rest_model.h"

/* X(enum, name in files) */
#define FLG_REST_CONTACTS_LIST(X)    \
  X(FLG_REST_NONSMOOTH, "nonsmooth") \
  X(FLG_REST_SMOOTH, "smooth")       \
  X(FLG_REST_OPENING, "opening")     \
  X(FLG_REST_REGULARISED, "regularised")

#define FLG_REST_CONTACTS_ENUM(kind, name) kind,
typedef enum flg_rest_contacts {
  FLG_REST_CONTACTS_LIST(FLG_REST_CONTACTS_ENUM) FLG_REST_CONTACTS_COUNT
} flg_rest_contacts;

/* How large contacts of a macro run are. There is room for all points that both sides can have at
 * one time, but for no more than `most`: W takes memory by its square. If `most` is 0, that is so
 * many a touch port (a box stands on four, and leans on others), and with few ports so many in all.
 * More than FLG_CONTACTS_MOST no solver takes. */
enum { FLG_CONTACTS_A_PORT = 8, FLG_CONTACTS_USUAL = 1000, FLG_CONTACTS_MOST = 10000 };
typedef struct flg_macro_contacts_size {
  int own_ports, rest_ports;   /* touch ports */
  int own_points, rest_points; /* that each can have at one time */
  int most;                    /* points in all; 0: see above */
  int steps;                   /* micro steps that are recorded */
} flg_macro_contacts_size;

/* numbers of all rows: velocities at the start, those at the end without contacts, impulses, those
 * of hits among them, and displacements by these */
enum {
  FLG_MACRO_BEFORE,
  FLG_MACRO_FREE,
  FLG_MACRO_IMPULSES,
  FLG_MACRO_HITS,
  FLG_MACRO_MOVES,
  FLG_MACRO_ARRAYS
};

/* One contact, as rows over the touch ports of both sides. */
typedef struct flg_macro_contact {
  int port[2];            /* touch port, our own and then the rest's; -1: that end does not move */
  int end[2];             /* the first of its six rows in y, or -1; of this micro step */
  flg_spatial side[2][3]; /* normal and tangents over them */
  flg_vec3 arm[2];        /* from the ports to where they touch */
  flg_round round[2];     /* how surfaces are curved there */
  int rows;               /* 1, or 3 with friction */
  int shapes[2];          /* by which it is known again, as by its key */
  uint64_t key;
  double gap, friction, restitution;
  flg_contact_state state; /* in the last step of its subsystem: where the next solve starts */
  double force[3];         /* the same: what it pushed with [N]; of the rest's, in our last step */
  double lead; /* of the rest's: its subsystem closes it so much later in a step than we do [s] */
  double pull, drift; /* of a normal that stays as it is: its J' v, and what that has come to */
} flg_macro_contact;

typedef struct flg_macro_contacts {
  flg_rest_contacts kind;
  const flg_potential *potential; /* contacts of the rest that may change; NULL: all; borrowed */
  int own_ports, rest_ports;      /* touch ports */
  int rest_count, count;          /* contacts of the rest stand first */
  bool is_known;                  /* all our own were there in the last micro step */
  int capacity, rest_capacity;    /* contact points; those of the rest */
  flg_macro_contact *list;        /* (capacity) */
  bool keeps_all;                 /* all our own ports are taken for near */
  int near_count;                 /* k = 6 of them */
  int *near, *place;              /* (touch ports) those that contacts are at; where they stand */
  flg_touch *touches;             /* (the same) */
  unsigned char *states;          /* (rows) of the last micro step in this macro step */
  unsigned char *earlier;         /* (rows) those of the micro step before */
  const double **sides;           /* (rows) work space: rows of J */
  double *W;                      /* (rows x rows) */
  double *answer;                 /* (k) work space */
  double *H, *b, *before, *x;     /* (k x k), (k): y+ = b + H x, y at the start; see above */
  double *rows[FLG_MACRO_ARRAYS]; /* (rows each) */
  flg_expected_touch *expected;   /* (capacity) own ones, as they will be */
  int expected_count;
  flg_expected_touch *recorded; /* (rest_capacity x steps) those of the rest, in each micro step */
  flg_struck_touch *struck; /* (capacity) own ones that were hit in this micro step, once each */
  int struck_count;
  flg_struck_touch *rest_struck; /* (as recorded) hits of the rest's; no impulses: none */
  flg_contact_law *law;
  bool is_kick;        /* steps are kicks: friction as flg_contacts_kick has it */
  bool is_still;       /* nothing bounces: hits are closed already, or by others */
  bool has_hits;       /* of the last close: something bounced */
  bool is_first;       /* the micro step that comes is the first of the macro step */
  long switches;       /* contacts of the rest that changed, in this macro step */
  bool changed_inside; /* after its first micro step */
  /* normal impulses in this macro step [N s]: all, and those of micro steps in which some jam */
  double pushed, jammed;
} flg_macro_contacts;

/* Contact points that there is room for. */
int flg_macro_contacts_capacity(const flg_macro_contacts_size *size);
/* Set-up: NULL where no port can touch. In the region. */
flg_status flg_macro_contacts_build(flg_macro_contacts **contacts,
                                    const flg_macro_contacts_size *size,
                                    const flg_contact_law_options *law, flg_region *region,
                                    flg_error *error);
/* Step, at the communication point, after all are reduced: contacts of the rest that may close
 * within the macro step. kicks (subsystems): when in a micro step each of them closes contacts,
 * and `own` the same of the subsystem itself [s]. FLG_ERR_CAPACITY. */
flg_status flg_macro_contacts_face(flg_macro_contacts *contacts, const flg_rest_model *rest,
                                   const flg_subsystem *subsystems, double macro,
                                   const double *kicks, double own, flg_error *error);
/* Step, after own was reduced: contacts of our own that may close within h, and all ports that are
 * near something. */
flg_status flg_macro_contacts_find(flg_macro_contacts *contacts, const flg_subsystem *own, double h,
                                   flg_error *error);
/* Step: further contacts, of a subsystem whose touch ports are numbered from `first` on: those that
 * may close within h, and all ports that are near something now. FLG_ERR_CAPACITY. */
flg_status flg_macro_contacts_add(flg_macro_contacts *contacts, const flg_subsystem *of, int first,
                                  double h, flg_error *error);
/* Step: states of the rows of a contact from what it was before. */
void flg_macro_contacts_start(const flg_macro_contact *contact, unsigned char *states);
/* Step: touches, W and rows from H, b and before; impulses are those of the last step. How many
 * rows there are. */
int flg_macro_contacts_form(flg_macro_contacts *contacts, double h);
/* Step, after it: the problem of these rows in a step of h, as the law has it. */
flg_touch_problem flg_macro_contacts_problem(const flg_macro_contacts *contacts, int rows,
                                             double h);
/* Step: x = J^T L from the impulses of the rows. */
void flg_macro_contacts_spread(const flg_macro_contacts *contacts);
/* Step, after a close that has hits: what is done to touch ports by hits (FLG_MACRO_HITS) or by
 * their displacements (FLG_MACRO_MOVES); own (6 own_ports), rest (6 rest_ports) are added to. */
void flg_macro_contacts_add_hits(const flg_macro_contacts *contacts, int array, double *own,
                                 double *rest);
/* After a close that has hits: how many of our own contacts bounced. */
int flg_macro_contacts_own_hits(const flg_macro_contacts *contacts);
/* Step, at the start of a macro step, or of a micro step: nothing was hit yet. */
void flg_macro_contacts_forget_hits(flg_macro_contacts *contacts, int steps);
/* Step, after a close that has hits, which are applied: keeps those of our own for the record of
 * their subsystem, and those of the rest for the macro runs of others. */
void flg_macro_contacts_note_hits(flg_macro_contacts *contacts, int step);
/* Step: hits on own contacts that another macro run has closed in one of its steps, `first` and
 * `last` as below. */
void flg_macro_contacts_take_hits(flg_macro_contacts *contacts, const flg_macro_contacts *from,
                                  int step, int first, int last);
/* Step: x from H, b and before. */
flg_status flg_macro_contacts_close(flg_macro_contacts *contacts, double h, flg_error *error);
/* Step: adds the last impulses, of so many rows, to those that are pushed, and to those that jam
 * (contact_jams.c). */
void flg_macro_contacts_note_jams(flg_macro_contacts *contacts, int rows, double h);
/* Step, after the last close of a micro step: own contacts are expected to be as they came out, and
 * those of the rest are recorded. */
void flg_macro_contacts_record(flg_macro_contacts *contacts, int step);
/* Step: own contacts are expected as another macro run has recorded those of the subsystem in one
 * of its steps, which is `times` as long as ours: contacts of its rest from `first` up to `last`,
 * ports of the rest. True if there were any. */
bool flg_macro_contacts_take(flg_macro_contacts *contacts, const flg_macro_contacts *from, int step,
                             int first, int last, double times);
/* Step: gaps and rows of the rest's contacts after h with the velocities (6 rest_ports) of its
 * touch ports. What turns takes the point that touches with it: without that, contacts would miss
 * the acceleration towards the axis. Round surfaces roll: they touch at their next point. */
void flg_macro_contacts_advance(flg_macro_contacts *contacts, const double *velocities, double h);

#endif
