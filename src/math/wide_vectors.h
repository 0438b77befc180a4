/* wide_vectors.h - a function compiled twice, the wider vectors used where the processor has them.
 *
 * Each element sees the same operations (no contraction, no reordering), so the bits are the same.
 * Not for clang and sanitizers, which do not take part.
 */
#ifndef FLG_MATH_WIDE_VECTORS_H
#define FLG_MATH_WIDE_VECTORS_H

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define FLG_WIDE_VECTORS __attribute__((target_clones("avx2", "default")))
#else
#define FLG_WIDE_VECTORS
#endif

#endif
