/* shared_runtime.h - what compiled robots and mechanisms begin with: text of generated files. */
#define AT_LEAST_ONE(count) ((count) > 0 ? (count) : 1)

#if defined __x86_64__ && defined __gnu_linux__ && !defined __clang__
#define WIDE_VECTORS __attribute__((target_clones("avx2", "default")))
#else
#define WIDE_VECTORS
#endif
#define IN_LINE static inline __attribute__((always_inline))

typedef double two __attribute__((vector_size(16), aligned(8), may_alias));
typedef double four __attribute__((vector_size(32), aligned(8), may_alias));

static void multiply_quaternions(const double *p, const double *q, double to[4]) {
  const double w = p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3];
  const double x = p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2];
  const double y = p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1];
  const double z = p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0];
  to[0] = w, to[1] = x, to[2] = y, to[3] = z;
}
