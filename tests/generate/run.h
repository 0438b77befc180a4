/* run.h - runs a mechanism and keeps what it did. */
#ifndef FLG_GENERATE_RUN_H
#define FLG_GENERATE_RUN_H

#include "flange/simulation.h"
#include "mechanism.h"
#include "write.h"

enum { ROWS = 800 };

/* A body at one time, in world axes. */
typedef struct sight {
  flg_vec3 position, velocity, spin;
  flg_mat3 rotation;
} sight;

typedef struct outcome {
  flg_status load, status; /* of reading it, and of the last step */
  char message[400];       /* why it ended early */
  bool adjusted;           /* frames of joints were moved at the start, and a notice says so */
  int rows;                /* the start, and each macro step that was done */
  double macro;            /* time from row to row [s] */
  flg_energy energies;
  double open, slipping; /* largest violation of joints: positions, velocities */
  double drift;          /* largest of interfaces */
  bool touches;
  flg_contact_outcome contacts;
  uint64_t hash;
  /* of each row */
  sight seen[ROWS][BODIES];
  flg_vec3 touch[ROWS][BODIES]; /* contact forces [N], 0 for what cannot touch */
  double energy[ROWS];
} outcome;

/* It ended early, or left contacts unsolved: the message, the summary and the exit code say so. */
static inline bool says(const outcome *of) {
  return of->status != FLG_OK || of->contacts.unsolved > 0;
}

/* How a run differs from the plain one. */
typedef struct manner {
  int threads;      /* 0 or 1: none */
  bool checked;     /* read with what the verb check looks for besides */
  int interrupt_at; /* macro step after which the state moves to another simulation; 0: never */
  bool built;       /* by calls in place of files; if interrupted, the second simulation */
} manner;

/* Copies it, with the rows that there are. */
void keep_outcome(outcome *to, const outcome *from);
/* Loads and runs it to its end or its failure. */
void run_mechanism(const mechanism *machine, manner how, outcome *to);
/* Loads it, with an override `key=value`, or NULL; the caller releases it. */
flg_status load_mechanism(const mechanism *machine, const char *override, flg_simulation **to,
                          char message[400]);
/* Only reads it; `checked`: with what the verb check looks for besides. */
flg_status read_mechanism(const mechanism *machine, bool checked, char message[400]);
/* Which of these signals can be recorded with a scheme; false if it cannot be loaded at all. At
 * most FLG_MISTAKES_LISTED names. */
bool find_names(const mechanism *machine, scheme by, const char *const *names, int count,
                bool *known);
/* The folder for files of runs is made by the first and removed by this. */
void forget_runs(void);

#endif
