#include "macro/smooth.h"

#include <stdlib.h>
#include <string.h>

#include "interface/eliminate.h"
#include "macro/macro_contacts.h"
#include "macro/rolling.h"

/* Rows of contacts are a dense elimination: more than this, three rows each, are FLG_ERR_CAPACITY.
 */
enum { PORT_ROWS = 6, MOST = FLG_INTERFACE_ROWS_MAX / 3 };

struct flg_smooth {
  flg_elimination elimination; /* all rows of the model are kept */
  int ports, rows;             /* joined ports, rows of the model */
  double *matrix, *bias, *plain;
  int capacity;  /* rows of contacts, of all that the subsystem can have */
  double *bends; /* (capacity) accelerations of rows by velocities alone */
  double *gaps;  /* (capacity) [m] of normals; of tangents 0 */
  flg_smooth_scope scope;
  flg_softness softness;
  flg_region region;
};

/* --- set-up -------------------------------------------------------------------------------------
 */

/* touch ports are touched, all rows are kept: contacts change the model and take nothing out of
 * it */
static flg_status smooth_lay_out(flg_smooth *made, int touch_ports, flg_error *error) {
  const int n = made->rows, first = PORT_ROWS * made->ports;
  const flg_elimination_shape shape = {.constraints = made->capacity,
                                       .rows = {n, 0},
                                       .touched = {PORT_ROWS * touch_ports, 0},
                                       .kept = {n, 0},
                                       .soft = made->softness.stiffness > 0,
                                       .form = FLG_FORM_ADMITTANCE,
                                       .tolerance = FLG_PIVOT_TOLERANCE};
  const size_t size = (size_t)n, contacts = (size_t)made->capacity;
  made->matrix = flg_region_take(&made->region, size * size, sizeof(double));
  made->bias = flg_region_take(&made->region, size, sizeof(double));
  made->plain = flg_region_take(&made->region, size, sizeof(double));
  made->bends = flg_region_take(&made->region, contacts, sizeof(double));
  made->gaps = flg_region_take(&made->region, contacts, sizeof(double));
  int *rows = flg_region_take(&made->region, size, sizeof *rows);
  if (made->region.failed) return flg_region_check(&made->region, "contacts", error);
  for (int k = 0; k < n; k++) rows[k] = k;
  const int *const touched[2] = {rows + first, NULL}, *const kept[2] = {rows, NULL};
  return flg_elimination_build(&made->elimination, &shape, touched, kept, &made->region, error);
}

flg_status flg_smooth_build(flg_smooth **smooth, const flg_subsystem *subsystem,
                            flg_smooth_scope scope, flg_softness softness, flg_error *error) {
  const int touch_ports = flg_touch_ports(subsystem);
  if (touch_ports == 0) return FLG_OK;
  flg_smooth *made = calloc(1, sizeof *made);
  if (made == NULL) return flg_fail(error, FLG_ERR_MEMORY, "there is no memory for contacts");
  made->scope = scope;
  made->softness = softness;
  made->ports = flg_joined_ports(subsystem);
  made->rows = PORT_ROWS * (made->ports + touch_ports);
  const int points = flg_contacts_most(subsystem->ops->contacts(subsystem->self));
  made->capacity = 3 * (points < MOST ? points : MOST);
  *smooth = made;
  return smooth_lay_out(made, touch_ports, error);
}

void flg_smooth_release(flg_smooth *smooth) {
  if (smooth == NULL) return;
  flg_region_release(&smooth->region);
  free(smooth);
}

/* --- rows ---------------------------------------------------------------------------------------
 */

/* the rows of one closed contact, from `row` on; how many there are now */
static int write_contact(flg_smooth *smooth, const flg_subsystem *subsystem,
                         const flg_contact *contact, int count, int row) {
  const flg_coupled_ops *ops = subsystem->ops->coupled;
  const int rows = smooth->elimination.shape.constraints;
  const int body[2] = {contact->body_a, contact->body_b};
  const flg_vec3 point[2] = {contact->point_a, contact->point_b};
  const flg_round *const round[2] = {&contact->round_a, &contact->round_b};
  flg_moving_frame frame[2] = {{.pose = flg_pose_identity()}, {.pose = flg_pose_identity()}};
  flg_spatial side[2][3];
  for (int e = 0; e < 2; e++) {
    if (body[e] != FLG_WORLD) frame[e] = ops->frame(subsystem->self, smooth->ports + body[e]);
  }
  for (int e = 0; e < 2; e++) {
    flg_contact_rows(contact, e, frame[e].pose.position, 3, side[e]);
  }
  for (int i = 0; i < count; i++, row++) {
    smooth->bends[row] = 0;
    smooth->gaps[row] = i == 0 ? contact->gap : 0;
    smooth->elimination.scale[row] = 0;
    for (int e = 0; e < 2; e++) {
      if (body[e] == FLG_WORLD) continue;
      double numbers[PORT_ROWS];
      flg_spatial_store(side[e][i], numbers);
      for (int j = 0; j < PORT_ROWS; j++) {
        smooth->elimination.G[0][row + (PORT_ROWS * body[e] + j) * rows] = numbers[j];
      }
      const flg_vec3 spin = frame[e].velocity.angular;
      const flg_vec3 arm = flg_vec3_subtract(point[e], frame[e].pose.position);
      const flg_vec3 rate = flg_arm_rate(round[e], side[e][0].linear, arm, spin);
      /* J' v of the contact point: spin x (rate of the arm), which rolls along a curved surface */
      smooth->bends[row] += flg_vec3_dot(side[e][i].linear, flg_vec3_cross(spin, rate));
    }
  }
  return row;
}

/* Omega */
/* A spring k and damper c at the end of the step, l = -(k (g + h u) + c u), solved for the velocity
 * u and divided by h: G a + Omega l = -(Gamma g/h + ..)/h, Omega = 1/(h (h k + c)). */
static double compliance(flg_softness softness) {
  const double h = softness.step;
  return softness.stiffness > 0 ? 1 / (h * (h * softness.stiffness + softness.damping)) : 0;
}

/* the acceleration that takes a gap of 1 m back: Gamma/h^2 [1/s^2] */
static double retraction(flg_softness softness) {
  const double h = softness.step, stiffness = softness.stiffness;
  return stiffness > 0 ? stiffness / (h * (h * stiffness + softness.damping)) : 0;
}

/* what a row would yield if nothing blocked it: pivots are measured by it */
/* The most that any touch port yields: one scale for all contacts, since a blocked one would have
 * none. */
static void write_scales(flg_smooth *smooth, flg_interface_model *model, int rows) {
  double most = 0;
  for (int k = smooth->ports; PORT_ROWS * k < smooth->rows; k++) {
    const double yield = flg_port_yield(model, k).linear;
    if (yield > most) most = yield;
  }
  const double soft = compliance(smooth->softness);
  for (int i = 0; i < rows; i++) smooth->elimination.scale[i] = most + soft;
  for (int i = 0; i < rows && soft > 0; i++) smooth->elimination.compliance[i] = soft;
}

static bool stays_open(const flg_smooth *smooth, const flg_subsystem *subsystem,
                       const flg_contact *contact) {
  const flg_potential *open = smooth->scope.open;
  return open != NULL && flg_potential_has(open, subsystem, smooth->scope.index, contact);
}

/* how many rows a contact has: closed ones one, and those that stick three */
static int rows_of_contact(const flg_smooth *smooth, const flg_subsystem *subsystem,
                           const flg_contact *list, int index) {
  const flg_contact_state state = flg_contact_state_of(subsystem, index);
  if (state == FLG_CONTACT_OPEN || stays_open(smooth, subsystem, &list[index])) return 0;
  return state == FLG_CONTACT_STICKING && list[index].friction > 0 ? 3 : 1;
}

/* The elimination has as many rows as there are now: G has no gaps between its columns. */
static flg_status write_smooth_rows(flg_smooth *smooth, const flg_subsystem *subsystem, int *rows,
                                    flg_error *error) {
  const flg_coupled_ops *ops = subsystem->ops->coupled;
  flg_elimination *e = &smooth->elimination;
  const flg_contact *list;
  int count = 0, row = 0;
  const flg_status status = ops->contacts(subsystem->self, 0, &list, &count, error);
  for (int k = 0; k < count && status == FLG_OK; k++) {
    *rows += rows_of_contact(smooth, subsystem, list, k);
  }
  if (*rows > smooth->capacity) {
    return flg_fail(error, FLG_ERR_CAPACITY,
                    "its closed contacts have %d rows, and a smooth model takes %d: take "
                    "'contacts: nonsmooth'",
                    *rows, smooth->capacity);
  }
  e->shape.constraints = *rows;
  memset(e->G[0], 0, (size_t)*rows * (size_t)e->shape.touched[0] * sizeof(double));
  for (int k = 0; k < count && status == FLG_OK; k++) {
    row = write_contact(smooth, subsystem, &list[k], rows_of_contact(smooth, subsystem, list, k),
                        row);
  }
  return status;
}

/* --- step ---------------------------------------------------------------------------------------
 */

/* b under the rows, which are to come out as minus so much of their bends and gaps */
static flg_status smooth_refresh(flg_smooth *smooth, double bends, double gaps, const double *from,
                                 double *to) {
  const double *const bias[2] = {from, NULL};
  for (int i = 0; i < smooth->elimination.shape.constraints; i++) {
    smooth->elimination.gamma[i] = -bends * smooth->bends[i] - gaps * smooth->gaps[i];
  }
  return flg_elimination_refresh(&smooth->elimination, bias, to);
}

/* Eliminated three times with the same factors: r - t, r and w. The bias of velocities t' is then
 * the difference of two results, so it includes what contacts do to it. */
flg_status flg_smooth_apply(flg_smooth *smooth, const flg_subsystem *subsystem,
                            flg_reduced *reduced, flg_error *error) {
  int rows = 0;
  if (smooth == NULL) return FLG_OK;
  flg_status status = write_smooth_rows(smooth, subsystem, &rows, error);
  if (status != FLG_OK || rows == 0) return status;
  flg_interface_model *model = reduced->model;
  const size_t n = (size_t)smooth->rows;
  double *D = flg_interface_model_admittance(model), *r = flg_interface_model_bias(model);
  double *w = flg_interface_model_velocity(model);
  const double *const matrix[2] = {D, NULL};
  write_scales(smooth, model, rows);
  status = flg_elimination_factor(&smooth->elimination, FLG_PIVOTS_CHOOSE, matrix, smooth->matrix);
  if (status != FLG_OK) return flg_fail(error, status, "its contacts are no longer finite");
  for (size_t i = 0; i < n; i++) smooth->plain[i] = r[i] - reduced->velocity_bias[i];
  const double back = retraction(smooth->softness);
  status = smooth_refresh(smooth, 0, back, smooth->plain, reduced->velocity_bias); /* r' - t' */
  if (status == FLG_OK) status = smooth_refresh(smooth, 1, back, r, smooth->plain);
  if (status == FLG_OK) status = smooth_refresh(smooth, 0, 0, w, smooth->bias);
  if (status != FLG_OK) return flg_fail(error, status, "its contacts are no longer finite");
  for (size_t i = 0; i < n; i++)
    reduced->velocity_bias[i] = smooth->plain[i] - reduced->velocity_bias[i];
  memcpy(r, smooth->plain, n * sizeof *r);
  memcpy(w, smooth->bias, n * sizeof *w);
  memcpy(D, smooth->matrix, n * n * sizeof *D);
  return FLG_OK;
}
