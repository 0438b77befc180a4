/* signal.h - a named quantity that a simulation can record. */
#ifndef FLG_SIGNAL_H
#define FLG_SIGNAL_H

/* Name, unit and size of a quantity. */
typedef struct flg_signal {
  const char *name;              /* "hand/box/U.position"; in HDF5 a path */
  const char *unit;              /* "m"; NULL or "" if it has none */
  int width;                     /* 1 and components NULL: a scalar */
  const char *const *components; /* (width) {"x", "y", "z"}; NULL: they are numbered from 0 */
} flg_signal;

#endif
