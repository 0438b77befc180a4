#include "contract/contact_objects.h"

#include <math.h>

#include "math/larger.h"

enum { CODE_BITS = 28, POINT_BITS = 3 }; /* contact/manifold.h, contact/distance.c */
enum { COUNT, CLOSED, SLIDING, PENETRATION, SWITCHES, ITERATIONS, RESIDUAL, UNSOLVED };
const flg_quantity flg_contacts_quantities[FLG_CONTACTS_QUANTITIES] = {
    [COUNT] = {"count", "", 1, NULL},       [CLOSED] = {"closed", "", 1, NULL},
    [SLIDING] = {"sliding", "", 1, NULL},   [PENETRATION] = {"penetration", "m", 1, NULL},
    [SWITCHES] = {"switches", "", 1, NULL}, [ITERATIONS] = {"iterations", "", 1, NULL},
    [RESIDUAL] = {"residual", "", 1, NULL}, [UNSOLVED] = {"unsolved", "", 1, NULL},
};

static const char *const xyz[] = {"x", "y", "z"};
const flg_quantity flg_touch_quantities[FLG_TOUCH_QUANTITIES] = {
    [FLG_TOUCH_FORCE] = {"force", "N", 3, xyz},
    [FLG_TOUCH_GAP] = {"gap", "m", 1, NULL},
    [FLG_TOUCH_STATE] = {"state", "", 1, NULL},
    [FLG_TOUCH_POINTS] = {"points", "", 1, NULL},
};
void flg_contacts_read(const flg_contacts *contacts, int quantity, double *values) {
  const flg_contacts_report report = flg_contacts_report_view(contacts);
  const double all[FLG_CONTACTS_QUANTITIES] = {
      [COUNT] = report.found,
      [CLOSED] = report.closed,
      [SLIDING] = report.sliding,
      [PENETRATION] = report.penetration,
      [SWITCHES] = (double)report.switches,
      [ITERATIONS] = report.iterations,
      [RESIDUAL] = report.residual,
      [UNSOLVED] = report.unsolved,
  };
  values[0] = all[quantity];
}

int flg_contact_point_number(const flg_shape *shape, uint64_t key, int end) {
  if (shape->kind != FLG_SHAPE_POINTS) return -1;
  const uint64_t code = end == 0 ? key >> CODE_BITS : key & ((UINT64_C(1) << CODE_BITS) - 1);
  const int number = (int)(code >> POINT_BITS);
  return number < shape->value_count / 3 ? number : -1;
}

flg_touch_view flg_contacts_touch(const flg_contacts *contacts, int shape, const flg_shape *source,
                                  int point) {
  flg_touch_view seen = {.gap = INFINITY};
  int count;
  const flg_contact *list = flg_contacts_list(contacts, &count);
  for (int k = 0; k < count; k++) {
    if (list[k].shape_a != shape && list[k].shape_b != shape) continue;
    const int side = list[k].shape_b == shape;
    if (point >= 0 && flg_contact_point_number(source, list[k].key, side) != point) continue;
    const flg_contact_view view = flg_contacts_view(contacts, k);
    seen.force = flg_vec3_add_scaled(seen.force, side == 1 ? 1 : -1, flg_contact_force(&view));
    seen.gap = flg_smaller(seen.gap, list[k].gap);
    if (view.state > seen.state) seen.state = view.state;
    seen.points++;
  }
  return seen;
}

/* Contacts are found as far as a step may close them, which depends on velocities and on h. The
 * distance beyond is looked for here, where it is asked for: so .gap is the same in all schemes. */
static double gap_of_touch(const flg_contacts *contacts, int shape, int point, double found) {
  const double gap = flg_contacts_gap(contacts, shape, point, found);
  return isinf(gap) ? (double)NAN : gap;
}

void flg_touch_read(const flg_contacts *contacts, int shape, const flg_shape *source, int point,
                    int quantity, double *values) {
  const flg_touch_view view = flg_contacts_touch(contacts, shape, source, point);
  switch (quantity) {
    case FLG_TOUCH_FORCE:
      flg_vec3_store(view.force, values);
      break;
    case FLG_TOUCH_GAP:
      values[0] = gap_of_touch(contacts, shape, point, view.gap);
      break;
    case FLG_TOUCH_STATE:
      values[0] = view.state;
      break;
    default:
      values[0] = view.points;
      break;
  }
}

flg_vec3 flg_contact_force(const flg_contact_view *view) {
  const flg_contact *contact = view->contact;
  const double *force = view->force, *hit = view->hit;
  const flg_vec3 normal = flg_vec3_scale(contact->normal, force[0] + hit[0]);
  const flg_vec3 first = flg_vec3_scale(contact->tangent1, force[1] + hit[1]);
  return flg_vec3_add(flg_vec3_add(normal, first),
                      flg_vec3_scale(contact->tangent2, force[2] + hit[2]));
}

flg_vec3 flg_contacts_force(const flg_contacts *contacts, const int *owners, int owner) {
  flg_vec3 sum = {0, 0, 0};
  int count;
  const flg_contact *list = flg_contacts_list(contacts, &count);
  for (int k = 0; k < count; k++) {
    const bool is_a = owners[list[k].shape_a] == owner, is_b = owners[list[k].shape_b] == owner;
    if (is_a == is_b) continue;
    const flg_contact_view view = flg_contacts_view(contacts, k);
    const flg_vec3 force = flg_contact_force(&view);
    sum = is_b ? flg_vec3_add(sum, force) : flg_vec3_subtract(sum, force);
  }
  return sum;
}
