/* rounding.h - sines, logarithms and their like as other processors and C libraries round them.
 *
 * Everything else that results come from is the same wherever IEEE numbers are. The program is
 * linked so that its calls of these functions come here (-Wl,--wrap). */
#ifndef FLG_STORED_ROUNDING_H
#define FLG_STORED_ROUNDING_H

#include <stdint.h>

/* 0: they answer as the C library does; else some of their values, others for each number, are one
 * bit off. */
extern uint64_t rounding;

/* 64 bits of many values: equal where the C library rounds them alike. */
uint64_t rounding_bits(void);

#endif
