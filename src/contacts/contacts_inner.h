/* contacts_inner.h - what the files of the contacts of a subsystem share.
 *
 * Inner to contacts.c (set-up, finding, views), contact_memory.c, contact_islands.c,
 * contact_admittance.c, contact_traces.c, contact_foreseen.c and contact_close.c.
 *
 * A *touch* is a contact or, after all contacts, a stop: up to three rows, each over one or two
 * sides. A side is a few rows of a block, from `row` on: six of a port, or the one of a stop.
 */
#ifndef FLG_CONTACTS_INNER_H
#define FLG_CONTACTS_INNER_H

#include "contacts/contacts.h"

typedef struct flg_touch_side {
  int block;         /* -1: does not move */
  int row, width;    /* 6, or 1 */
  double rows[6][4]; /* [c][i]: of row i, its part c; the fourth is zero, and fills a vector */
} flg_touch_side;

typedef struct flg_touch_rows {
  int rows;         /* 1, 3; 0: nothing of it moves */
  unsigned blocked; /* rows that its host's joints hold: FLG_BLOCKED_NORMAL .. */
  flg_touch_side sides[2];
} flg_touch_rows;

/* The memory of a touch. */
typedef struct flg_touch_trace {
  int shape_a, shape_b; /* of a stop: -1, and its number */
  uint64_t key;
  double impulses[3], hits[3]; /* hits: what others closed */
  unsigned char states[3];     /* of the solver, by row */
  int state, last;             /* FLG_CONTACT_OPEN .., of this step and the one before */
} flg_touch_trace;

/* Touches in the order of their islands, and where each island begins. */
typedef struct flg_islands {
  int count;
  int *parents; /* (block_count) */
  int *numbers; /* (block_count) of the island of a block, where it is its own parent */
  int *bodies;  /* (ports, then stops) their numbers among the bodies of an island, -1: none yet */
  int *first;   /* (block_count) the first body of a block in an island, -1: none yet */
  int *starts;  /* (touch_capacity + 1) */
  int *members; /* (touch_capacity) */
} flg_islands;

struct flg_contacts {
  flg_contacts_options options;
  flg_contact_scene *scene;
  int shape_count, port_count, block_count, capacity, stop_capacity, touch_capacity;
  flg_touch_place *places; /* (port_count) of the build */
  double *sizes;           /* (port_count) farthest point of its shapes */
  double *lengths;         /* (shape_count) of what is small beside it; 0: endless */
  double *widths;          /* (shape_count) where they are thinnest; 0: nothing is known */
  double least_width;      /* of shapes that move and have one */
  flg_spatial *ways;       /* (port_count) how far it goes [m] and turns [rad] in this step */
  unsigned char *touched;  /* (port_count) */
  double *memory;

  bool is_found;    /* contacts and their rows are known, for: */
  bool is_fresh;    /* ... and nothing has been closed since that find, in which */
  double *recalled; /* (numbers of the memory) the memory was this */
  int traced;      /* so many contacts have traces that are those of `recalled`, in its order; -1 */
  double found_h;  /* of that find */
  flg_pose *poses; /* (port_count) */
  int contact_count, stop_count;
  double h;                    /* of the last find */
  const flg_contact *contacts; /* (contact_count) of the scene, until it looks again */
  flg_touch_rows *rows;        /* (touch_capacity) */
  flg_touch_trace *traces;     /* (touch_capacity) */
  flg_islands islands;

  flg_contact_law *law;         /* for islands up to dense_rows */
  flg_contact_law *patient_law; /* the same, of a few mechanisms; may be the same */
  flg_contact_law *sparse_law;  /* for larger ones, or NULL */
  int dense_rows, most_rows;
  flg_touch *touches;                               /* (touch_capacity) of one island */
  double *bends;                                    /* (touch_capacity) of it */
  double *admittance;                               /* (dense_rows^2) */
  flg_sparse_rows sparse;                           /* of larger islands; it points at: */
  int *bodies;                                      /* (2 most_rows) */
  double *jacobian;                                 /* (12 most_rows) */
  double *inverse_masses;                           /* (36 ports and stops) */
  flg_sparse_link *links;                           /* (ports and stops) */
  double *before, *free, *impulses, *moves, *after; /* (most_rows) */
  unsigned char *states;                            /* (most_rows) */
  bool moved;
  const flg_spatial *leans; /* (ports) or NULL */
  bool is_kick;             /* what is closed now is a kick */
  int expected_count;
  const flg_expected_touch *expected; /* (expected_count) */
  int struck_count;
  const flg_struck_touch *struck; /* (struck_count) */
  flg_contacts_report report;
  flg_contacts_totals totals;
  bool are_still;  /* contacts do not bounce: a master closes their hits */
  bool is_counted; /* the step since the last find, in the totals */
  flg_region region;
};

/* Numbers of the memory: count, how many are closed, switches, and of the last step its length and
 * how it was solved; then so many a touch. */
enum {
  FLG_MEMORY_COUNT,
  FLG_MEMORY_CLOSED,
  FLG_MEMORY_SWITCHES,
  FLG_MEMORY_STEP,
  FLG_MEMORY_ITERATIONS,
  FLG_MEMORY_RESIDUAL,
  FLG_MEMORY_UNSOLVED,
  FLG_MEMORY_HEAD
};
enum { FLG_MEMORY_TOUCH = 11 };

/* The trace of each touch of this step, from the memory where it was there before. */
void flg_contacts_recall(flg_contacts *contacts, int first, int end);
/* True if these contacts are those of the last step, and the memory is as it left it: their traces
 * go on. */
bool flg_contacts_go_on(flg_contacts *contacts);
/* Fills the report of the last step from the memory and the traces. */
void flg_contacts_report_memory(flg_contacts *contacts);
/* The memory as it is in use now is kept; whether it is still the same. */
void flg_contacts_keep_memory(flg_contacts *contacts);
bool flg_contacts_is_memory_kept(const flg_contacts *contacts);
/* Counts changes against the memory, then writes it. */
void flg_contacts_keep(flg_contacts *contacts);

/* A touch as the law has it; stops after all contacts. */
void flg_contacts_set_touch(const flg_contacts *contacts, const flg_touch_stop *stops, int index,
                            flg_touch *to);
/* True if arcs matter: something was hit, or turns by so much that it is seen. */
bool flg_contacts_are_bent(const flg_contacts *contacts, const int *members, int count, int hits);

/* --- contact_traces.c --- */

/* NULL: the coupling found no such contact. */
const flg_expected_touch *flg_contacts_expected(const flg_contacts *contacts,
                                                const flg_touch_trace *touch);
/* Impulses and states of an island into its traces. */
void flg_contacts_store(flg_contacts *contacts, const int *members, int count);
/* The report: cleared; of an island of n rows whose first touch is `first`; of all traces. */
void flg_contacts_start_report(flg_contacts *contacts);
void flg_contacts_report_island(flg_contacts *contacts, const flg_contact_law_report *island,
                                int first, int n, int *largest);
void flg_contacts_report_states(flg_contacts *contacts);
/* Hits that a coupling has closed into the traces. */
void flg_contacts_note_struck(flg_contacts *contacts);

/* --- contact_admittance.c --- */

/* W of an island into contacts->admittance (n x n), both triangles; members as contacts->touches
 * has their rows. */
void flg_contacts_fill(flg_contacts *contacts, const flg_touch_block *blocks, const int *members,
                       int count, int n);
/* The same as rows between bodies, which are ports and stops; those of one block are a group. */
void flg_contacts_fill_sparse(flg_contacts *contacts, const flg_touch_block *blocks,
                              const int *members, int count);
/* Rows of a contact with friction that are blocked: those that the host names, and those whose own
 * answer (3) is rounding beside the others'. */
static inline unsigned flg_touch_blocked(const flg_touch_rows *touch, const double *own) {
  static const double BLOCKED = 1e-12; /* of the others: digits that rounding leaves, and four */
  const double tangents = own[1] > own[2] ? own[1] : own[2];
  unsigned blocked = touch->blocked;
  if (!(own[0] > BLOCKED * tangents)) blocked |= FLG_BLOCKED_NORMAL;
  if (!(own[1] > BLOCKED * own[0])) blocked |= FLG_BLOCKED_TANGENT1;
  if (!(own[2] > BLOCKED * own[0])) blocked |= FLG_BLOCKED_TANGENT2;
  return blocked;
}
/* So many touches in contacts->touches, with so many rows, as a problem for the law. */
static inline flg_touch_problem flg_contacts_problem(const flg_contacts *contacts, int touch_count,
                                                     int row_count) {
  return (flg_touch_problem){.touch_count = touch_count,
                             .row_count = row_count,
                             .touches = contacts->touches,
                             .before = contacts->before,
                             .free = contacts->free,
                             .h = contacts->h,
                             .states = contacts->states,
                             .impulses = contacts->impulses,
                             .moves = contacts->moves,
                             .after = contacts->after};
}
/* A row of a contact that joints hold, counted from its first: it keeps its speed, or has none. */
static inline void flg_touch_hold(flg_contacts *contacts, int first, int row) {
  if (row > 0 && flg_touch_slides_along(contacts->free + first, row)) return;
  contacts->before[first + row] = contacts->free[first + row] = 0;
}
/* Sorts touches into islands by the blocks that they connect. */
void flg_islands_find(flg_contacts *contacts);

/* Bodies that may lie in heaps. */
static inline bool flg_contacts_have_heaps(const flg_contacts *contacts) {
  return contacts->block_count > 1 && contacts->most_rows > FLG_CONTACT_MANY;
}

#endif
