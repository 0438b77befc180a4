/* Contacts that jam. Normals and frictions of points that slide push together: normal impulses N
 * change the speeds at which points i open by
 *
 *     A N,   A_ij = W_ninj - mu_j W_nisj,   s_j the direction in which point j slides
 *
 * Where some impulses open none of their points, or others as much as they close these, A is no
 * P-matrix (Painleve), and the laws of contact have several solutions: a foot that is dragged under
 * its hinge slides on without load, or presses itself fast. Of several feet any may be the ones
 * that jam. A is looked at by feet: of the points of two shapes those count that friction presses
 * most. Its pivots are not all positive where it is no P-matrix, but for the order. */
#include <math.h>

#include "macro/macro_contacts.h"

/* Of the speed that its impulses make: what is slower does not slide, but for rounding. */
static const double STANDS = 1e-3;
/* Of a foot's own answer: points that friction presses as much; and pivots that are rounding. */
static const double AS_MUCH = 1e-2, NO_PIVOT = 1e-6;
enum { FEET = 16 }; /* others are not looked at */

typedef struct foot {
  int first, end; /* its points */
  double least;   /* of A_ii */
} foot;

typedef struct stand {
  const flg_macro_contacts *contacts;
  int rows, count;
  foot feet[FEET];
  double A[FEET][FEET];
} stand;

/* A of two points. */
static double opens(const stand *of, int point, int by) {
  const flg_touch *touch = &of->contacts->touches[by];
  const double *w = of->contacts->rows[FLG_MACRO_BEFORE] + touch->row;
  const double *column =
      of->contacts->W + of->contacts->touches[point].row + (size_t)touch->row * (size_t)of->rows;
  const double along = column[of->rows] * w[1] + column[2 * (size_t)of->rows] * w[2];
  return column[0] - touch->friction * along / hypot(w[1], w[2]);
}

static double push_of(const flg_macro_contacts *contacts, int point) {
  const int row = contacts->touches[point].row;
  return contacts->rows[FLG_MACRO_IMPULSES][row] + contacts->rows[FLG_MACRO_HITS][row];
}

/* It would pass the other body without an impulse, and slides by more than impulses shift it. */
static bool rubs(const stand *of, int point, double h) {
  const flg_touch *touch = &of->contacts->touches[point];
  const double *w = of->contacts->rows[FLG_MACRO_BEFORE] + touch->row;
  const double free = of->contacts->rows[FLG_MACRO_FREE][touch->row];
  return touch->rows == 3 && touch->gap + h * free < 0 && hypot(w[1], w[2]) > STANDS * fabs(free);
}

/* The end of the points of the same two shapes. */
static int end_of_pair(const flg_macro_contacts *contacts, int first) {
  const int *shapes = contacts->list[first].shapes;
  int end = first + 1;
  while (end < contacts->count && contacts->touches[end].pair == contacts->touches[first].pair &&
         contacts->list[end].shapes[0] == shapes[0] && contacts->list[end].shapes[1] == shapes[1])
    end++;
  return end;
}

static void list_feet(stand *of, double h) {
  int first = 0;
  while (first < of->contacts->count && of->count < FEET) {
    foot found = {first, end_of_pair(of->contacts, first), HUGE_VAL};
    for (int k = first; k < found.end; k++) {
      if (rubs(of, k, h)) found.least = fmin(found.least, opens(of, k, k));
    }
    if (found.least < HUGE_VAL) of->feet[of->count++] = found;
    first = found.end;
  }
}

static bool bears(const stand *of, const foot *on, int point, double h) {
  return rubs(of, point, h) && opens(of, point, point) <= on->least + AS_MUCH * fabs(on->least);
}

/* Impulses of 1 at the points of a foot that bear: what they do to those of another. */
static double foot_opens(const stand *of, const foot *a, const foot *b, double h) {
  double sum = 0;
  for (int i = a->first; i < a->end; i++) {
    if (!bears(of, a, i, h)) continue;
    for (int j = b->first; j < b->end; j++) sum += bears(of, b, j, h) ? opens(of, i, j) : 0;
  }
  return sum;
}

/* Feet from the first on of which pivots are positive. */
static int count_firm(stand *of, double h) {
  double own[FEET];
  for (int a = 0; a < of->count; a++) {
    for (int b = 0; b < of->count; b++) {
      of->A[a][b] = foot_opens(of, &of->feet[a], &of->feet[b], h);
    }
    own[a] = fabs(of->A[a][a]);
  }
  for (int k = 0; k < of->count; k++) {
    if (of->A[k][k] < -NO_PIVOT * own[k]) return k;
    for (int a = k + 1; a < of->count && of->A[k][k] > NO_PIVOT * own[k]; a++) {
      const double factor = of->A[a][k] / of->A[k][k];
      for (int b = k + 1; b < of->count; b++) of->A[a][b] -= factor * of->A[k][b];
    }
  }
  return of->count;
}

void flg_macro_contacts_note_jams(flg_macro_contacts *contacts, int rows, double h) {
  stand of = {.contacts = contacts, .rows = rows};
  double pushed = 0;
  for (int k = 0; k < contacts->count; k++) pushed += push_of(contacts, k);
  contacts->pushed += pushed;
  list_feet(&of, h);
  if (count_firm(&of, h) < of.count) contacts->jammed += pushed;
}
