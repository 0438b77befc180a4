/* define.h - systems, components and robots put together in code, key by key.
 *
 *     flg_definition *robot, *system;
 *     flg_definition_build(&robot, FLG_DEFINE_ROBOT, "pendulum", &error);
 *     flg_define_number(robot, "bodies.rod.mass", 1, &error);
 *     flg_define_numbers(robot, "bodies.rod.inertia", (double[]){0.01, 0.1, 0.1}, 3, &error);
 *     ...
 *     flg_definition_build(&system, FLG_DEFINE_SYSTEM, "swing", &error);
 *     flg_define_part(system, robot, &error);
 *     flg_define_text(system, "subsystems.arm.model", "pendulum", &error);
 *     flg_define_number(system, "time.end", 3, &error);
 *     if (flg_definition_simulate(system, NULL, 0, &simulation, &mistakes) != FLG_OK) ...
 *
 * Whatever a file can say can be said here, by the same keys (docs/reference.md). Structs of options for bodies, joints
 * and so on are in flange/mechanism.h and flange/system.h; both ways may be mixed. Nothing is checked before a
 * simulation is built: then all mistakes are reported at once, each with the path of its object in place of file
 * and line.
 *
 * A path is keys with dots between them. In a list `+` is a new item and `-` the last one: "events.+.at", then
 * "events.-.lock".
 */
#ifndef FLG_DEFINE_H
#define FLG_DEFINE_H

#include <stdbool.h>

#include "flange/simulation.h"

/* The kind of file that a definition stands for. */
typedef enum flg_definition_kind {
  FLG_DEFINE_SYSTEM,    /* subsystems, interfaces, coupling, events: a scenario file */
  FLG_DEFINE_COMPONENT, /* bodies with joints between them, loops too: a component file */
  FLG_DEFINE_ROBOT      /* a tree of bodies in joint coordinates: a model file */
} flg_definition_kind;

/* Something that is being put together. */
typedef struct flg_definition flg_definition;

/* --- begin and release
 * Owns: the caller, who releases the definition; the definition its text. When: always; a simulation keeps nothing of
 * it. Fails: status, FLG_ERR_INPUT for texts; NULL. */

/* An empty definition. @param name by which others use it: `model` of a subsystem, `file` of a component, `model` of a
 * robot */
FLG_API flg_status flg_definition_build(flg_definition **definition, flg_definition_kind kind, const char *name,
                                        flg_error *error);
/* One with all that a text in YAML says, or a file of it: of a file the path is the name. */
FLG_API flg_status flg_definition_read(flg_definition **definition, flg_definition_kind kind, const char *name,
                                       const char *text, flg_mistakes *mistakes);
FLG_API flg_status flg_definition_load(flg_definition **definition, flg_definition_kind kind, const char *path,
                                       flg_mistakes *mistakes);
FLG_API void flg_definition_release(flg_definition *definition);     /* frees it; NULL is allowed */
FLG_API const char *flg_definition_text(flg_definition *definition); /* as YAML, without its parts */
/* Builds a simulation of a system, which is the caller's; else as flg_simulation_load. */
FLG_API flg_status flg_definition_simulate(const flg_definition *definition, const char *const *overrides,
                                           int override_count, flg_simulation **simulation, flg_mistakes *mistakes);

/* --- keys by their paths
 * Owns: the definition copies. When: always. Fails: status, FLG_ERR_USAGE for paths that lead nowhere, FLG_ERR_RANGE
 * for numbers that are not finite. */

/* Set a number, a flag, or a text: a word, a name, a file (relative to the working folder) or a formula. */
FLG_API flg_status flg_define_number(flg_definition *, const char *path, double value, flg_error *);
FLG_API flg_status flg_define_flag(flg_definition *, const char *path, bool value, flg_error *);
FLG_API flg_status flg_define_text(flg_definition *, const char *path, const char *text, flg_error *);
/* Set lists, of (count) numbers or texts. */
FLG_API flg_status flg_define_numbers(flg_definition *, const char *path, const double *values, int count, flg_error *);
FLG_API flg_status flg_define_texts(flg_definition *, const char *path, const char *const *texts, int count,
                                    flg_error *);
/* Sets all that a text in YAML says: "{joint: elbow, multiplier: 2}"; FLG_ERR_INPUT if it is none. */
FLG_API flg_status flg_define_yaml(flg_definition *, const char *path, const char *text, flg_error *);
/* Copies a component or a robot, with those that it uses itself, so that this one can use it by its name. FLG_ERR_USAGE
 * if another one has that name. */
FLG_API flg_status flg_define_part(flg_definition *, const flg_definition *part, flg_error *);

#endif
