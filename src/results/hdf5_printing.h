/* hdf5_printing.h - HDF5 prints errors unless told not to, which is for the host to decide: calls
 * of ours are silent and leave its choice as it was.
 */
#ifndef FLG_HDF5_PRINTING_H
#define FLG_HDF5_PRINTING_H

#include <stdbool.h>

#include "results/hdf5_library.h"

/* The error handler that the host has chosen. */
typedef struct flg_hdf5_printing {
  unsigned is_version_2;
  H5E_auto1_t function_1;
  H5E_auto2_t function_2;
  void *data;
} flg_hdf5_printing;

flg_hdf5_printing flg_hdf5_printing_stop(void);
/* Forgets errors, and prints again as the host wants it. */
void flg_hdf5_printing_resume(const flg_hdf5_printing *host);
/* Before that: the innermost reason for the last failure. */
const char *flg_hdf5_reason(void);
/* Before that: whether HDF5, or a driver of ours, got no memory. */
bool flg_hdf5_lacks_memory(void);

/* The most memory that HDF5 takes to open a file, and to read or write rows of it: it may crash
 * without, so flg_memory_reserve() asks for as much before. */
enum { FLG_HDF5_OPEN_BYTES = 16 << 20, FLG_HDF5_ROWS_BYTES = 2 << 20 };

#endif
