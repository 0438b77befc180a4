/* scheme.h - a scheme by which joined subsystems run: a table of operations, one file a scheme.
 *
 * A macro step is the same frame for all schemes (coupling.c):
 *
 *     every subsystem is reduced to its ports
 *     for each subsystem, all at once or one after the other:
 *         face        sets the model of the rest
 *         run         its micro steps against that model (macro_run.h)
 *         drive         in each of them: known impulses on ports that are driven
 *         pass        hands its impulses to the subsystems that run after it
 *     remember        keeps signals of the step for the next one
 *     reconcile       divides the difference of the impulses that the two sides have applied
 *     report          forces, drifts and energies of interfaces (coupling_report.c)
 *     finish          closes positions and velocities (coupling_contact_join.c)
 *     learn           keeps the forces that result, for the next step
 *
 * A place of an interface is *driven* if another subsystem, the owner, finds its forces. To add a
 * scheme, write scheme_NAME.c with a table, and name it in FLG_COUPLING_LIST below; files, the
 * reference of keys, comparisons and tests/scheme_contract_test.c then know it.
 */
#ifndef FLG_COUPLING_SCHEME_H
#define FLG_COUPLING_SCHEME_H

#include "macro/macro_run.h"

/* X(name of the table, flg_coupling_x); comparisons list them in this order */
#define FLG_COUPLING_LIST(X) \
  X(monolithic)              \
  X(parallel)                \
  X(sequential)              \
  X(neighbour)               \
  X(hold)                    \
  X(extrapolate)             \
  X(paper_smooth)            \
  X(paper_nonsmooth)         \
  X(paper_regularised)       \
  X(jacobi)                  \
  X(paper_flexible)

typedef enum flg_coupling_form {
  FLG_COUPLING_AUTO_FORM,
  FLG_COUPLING_ADMITTANCE,
  FLG_COUPLING_MASS
} flg_coupling_form;
typedef enum flg_reconcile {
  FLG_RECONCILE_AUTO, /* as the scheme says */
  FLG_RECONCILE_NONE,
  FLG_RECONCILE_ONE, /* one side gets the difference */
  FLG_RECONCILE_BOTH /* and velocities are projected */
} flg_reconcile;
typedef enum flg_pose_sync {
  FLG_POSE_AUTO, /* as the scheme says */
  FLG_POSE_NONE,
  FLG_POSE_RESYNCHRONISE,
  FLG_POSE_FEEDBACK
} flg_pose_sync;

/* Options that a scheme does not leave to the user, as bits. */
typedef enum flg_fixed_option { FLG_FIXED_RECONCILE = 1, FLG_FIXED_CONTACTS = 2 } flg_fixed_option;

/* Sizes of texts, which are arrays so that constant tables of words can hold their addresses. */
enum { FLG_COUPLING_NAME = 24, FLG_COUPLING_HELP = 200 };
/* An owner: no subsystem finds the forces of the interface, and all its places are driven. */
enum { FLG_NO_OWNER = -1 };

struct flg_coupling;
struct flg_coupled_system;
struct flg_coupling_options;

typedef struct flg_coupling_scheme {
  char name[FLG_COUPLING_NAME]; /* in files */
  char help[FLG_COUPLING_HELP]; /* what it does, without its name and a full stop */

  bool is_whole; /* all subsystems are solved as one assembly: the entries below are not used */
  bool runs_in_order; /* one subsystem after the other */
  bool is_literal;    /* ports mean J_k v+ without kicks, as in the papers (macro_run.h) */
  bool has_kicks;    /* velocities of subsystems that use start rows are projected at micro steps */
  bool is_divided;   /* macro steps that lose an interface are taken again in parts */
  bool ignores_rest; /* models of the rest leave out interfaces between others */
  bool has_causality; /* the user says which end of an interface takes the motion of the other */
  bool has_springs;   /* models of the rest have K_eff and C_eff of its elastic links */
  bool gives_back;    /* subsystems must be able to take impulses between macro steps */

  /* The values of options that are `auto`, and the options that the user cannot change. */
  flg_coupling_form form;
  flg_reconcile reconciles;
  flg_pose_sync pose;
  flg_rest_contacts contacts; /* only if fixed */
  unsigned fixed;             /* FLG_FIXED_x */

  /* Optional. Set-up: FLG_ERR_INPUT with a sentence if the scheme cannot run such a system. */
  flg_status (*check)(const struct flg_coupled_system *system,
                      const struct flg_coupling_options *options, flg_error *error);
  /* Optional. Set-up: true if the rest model of `viewer` contains `other`. NULL: there are no
   * models of others, and contacts of others are not closed in macro runs. */
  bool (*sees)(const struct flg_coupling *coupling, int viewer, int other);
  /* Optional. Set-up: the subsystem that finds the forces of an interface, by which its other
   * places are driven, or FLG_NO_OWNER. NULL: each subsystem finds its own, and no place is
   * driven. */
  int (*owner)(const struct flg_coupling *coupling, int interface);
  /* Required. Before a subsystem runs: sets macro_run.rest and the poses of its frames. */
  flg_status (*face)(struct flg_coupling *coupling, int subsystem, flg_error *error);
  /* With owner: impulses in a micro step (macro_run.h). */
  flg_macro_drive *drive;
  /* Optional, with runs_in_order. After a subsystem has run. */
  void (*pass)(struct flg_coupling *coupling, int subsystem);
  /* Optional. After all have run; reduced models are those of the start. */
  void (*remember)(struct flg_coupling *coupling);
  /* Optional. Then, unless the option says none: adds to the impulses that are given back. */
  void (*reconcile)(struct flg_coupling *coupling);
  /* Optional. After positions and velocities are brought together. */
  void (*learn)(struct flg_coupling *coupling);
} flg_coupling_scheme;

#define FLG_COUPLING_DECLARATION(scheme) extern const flg_coupling_scheme flg_coupling_##scheme;
FLG_COUPLING_LIST(FLG_COUPLING_DECLARATION)

#define FLG_COUPLING_NUMBER(scheme) FLG_COUPLING_NUMBER_##scheme,
enum { FLG_COUPLING_LIST(FLG_COUPLING_NUMBER) FLG_COUPLING_COUNT };

/* All schemes, and their names and helps with NULL at the end, in the order of the list. */
extern const flg_coupling_scheme *const flg_coupling_schemes[FLG_COUPLING_COUNT];
extern const char *const flg_coupling_words[FLG_COUPLING_COUNT + 1];
extern const char *const flg_coupling_helps[FLG_COUPLING_COUNT + 1];

/* Set-up: FLG_ERR_RANGE, naming scheme and entry, if a required entry of the table is missing. */
flg_status flg_coupling_scheme_check(const flg_coupling_scheme *scheme, flg_error *error);

#endif
