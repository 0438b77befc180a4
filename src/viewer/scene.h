/* scene.h - what a simulation looks like, and what a viewer needs of it at every recorded time.
 *
 * The text is JSON (docs/view.md): bodies with their shapes, joints, springs, markers, interfaces.
 * Bodies do not carry poses, but the number of a *frame*, whose pose is recorded: a body that bends
 * has several. Recorded besides the signals of the scenario, under names that no subsystem
 * can have:
 *
 *     @view/poses       (7 frames)       x y z [m] and quaternion w x y z of each frame
 *     @view/energy      J                kinetic and potential
 *     @view/wall_time   s                that the macro step took on the clock
 *     @view/interfaces  (11 interfaces)  force, pose error, energy residual, rank, condition
 *                                        (cosim/telemetry.h)
 *     @view/admittances (6 sides)        of coupled interfaces: xx yy zz xy xz yz of the block for
 *                                        translation of D [1/kg], some 250 times in a run, NaN in
 *                                        between
 *     @view/contacts    a list           row a b point x y z fx fy fz gap state: closed contacts,
 *                                        `row` that of the time, a and b shapes of the text
 *
 * Reading changes no bit of the run. Set-up allocates, steps do not.
 */
#ifndef FLG_SCENE_H
#define FLG_SCENE_H

#include "cosim/simulation.h"

enum { FLG_SCENE_POSE = 7, FLG_SCENE_INTERFACE = 11, FLG_SCENE_SIDE = 6, FLG_SCENE_CONTACT = 12 };

typedef struct flg_scene flg_scene;

/* Set-up: of a simulation that is loaded, and stays where it is. Macro steps are timed from now on.
 * What is wrong with files of meshes does no harm: such shapes are left out. */
flg_status flg_scene_build(flg_scene **scene, flg_simulation *simulation, flg_error *error);
void flg_scene_release(flg_scene *scene); /* NULL is allowed */

/* The JSON text. */
const char *flg_scene_text(const flg_scene *scene);
/* The signals that are recorded at each time, and the list of contacts. */
const flg_signal *flg_scene_signals(const flg_scene *scene, int *count);
const flg_signal *flg_scene_list(const flg_scene *scene);
/* Numbers that all of these signals take. */
int flg_scene_width(const flg_scene *scene);
/* Step: their values now (flg_scene_width). */
void flg_scene_record(flg_scene *scene, double *values);
/* Step: all closed contacts now, as entries of the list for the time of that row (count x
 * FLG_SCENE_CONTACT), in memory of the scene until the next call. */
const double *flg_scene_contacts(flg_scene *scene, int64_t row, int *count);

#endif
