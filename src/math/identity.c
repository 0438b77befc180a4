#include "math/identity.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "base/hash.h"

static uint64_t hash_reals(uint64_t hash, const double *values, int count) {
  return flg_hash(hash, values, (size_t)count * sizeof *values);
}

static uint64_t hash_vector(uint64_t hash, flg_vec3 vector) {
  const double reals[] = {vector.x, vector.y, vector.z};
  return hash_reals(hash, reals, 3);
}

static uint64_t hash_sym3(uint64_t hash, const flg_sym3 *matrix) {
  const double reals[] = {matrix->xx, matrix->yy, matrix->zz, matrix->xy, matrix->xz, matrix->yz};
  return hash_reals(hash, reals, 6);
}

static uint64_t hash_pose(uint64_t hash, const flg_pose *pose) {
  return hash_vector(hash_reals(hash, pose->rotation.m, 9), pose->position);
}

static uint64_t hash_spatial(uint64_t hash, flg_spatial vector) {
  return hash_vector(hash_vector(hash, vector.linear), vector.angular);
}

static uint64_t hash_value(uint64_t hash, char kind, va_list *values) {
  int integer;
  double real;
  uint64_t bits;
  const char *text;
  const void *array;
  switch (kind) {
    case 'i':
      integer = va_arg(*values, int);
      return flg_hash(hash, &integer, sizeof integer);
    case 'r':
      real = va_arg(*values, double);
      return hash_reals(hash, &real, 1);
    case 'u':
      bits = va_arg(*values, uint64_t);
      return flg_hash(hash, &bits, sizeof bits);
    case 't':
      text = va_arg(*values, const char *);
      return text == NULL ? hash : flg_hash(hash, text, strlen(text) + 1);
    case 'I':
      array = va_arg(*values, const int *);
      return flg_hash(hash, array, (size_t)va_arg(*values, int) * sizeof integer);
    case 'R':
      array = va_arg(*values, const double *);
      return hash_reals(hash, array, va_arg(*values, int));
    case 'v':
      return hash_vector(hash, va_arg(*values, flg_vec3));
    case 'w':
      return hash_spatial(hash, va_arg(*values, flg_spatial));
    case 's':
      return hash_sym3(hash, va_arg(*values, const flg_sym3 *));
    default:
      assert(kind == 'p');
      return hash_pose(hash, va_arg(*values, const flg_pose *));
  }
}

uint64_t flg_identity(uint64_t hash, const char *layout, ...) {
  va_list values;
  va_start(values, layout);
  for (; *layout != '\0'; layout++) {
    if (*layout != ' ') hash = hash_value(hash, *layout, &values);
  }
  va_end(values);
  return hash;
}
