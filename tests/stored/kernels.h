/* kernels.h - parts of the library by themselves, on random inputs: what they give back is stored.
 *
 * Systems reach most of them in a few ways only; these are the others, where a change of any
 * number shows within milliseconds. Inputs are drawn by the headers of the tests that know answers.
 */
#ifndef FLG_STORED_KERNELS_H
#define FLG_STORED_KERNELS_H

#include "stored/digest.h"
#include "stored/systems.h"

/* Adds what comes of a few dozen inputs to the digest. */
typedef void kernel_run(random_source *source, digest *to);
typedef struct kernel {
  const char *name; /* NULL: the end of a table */
  kernel_run *run;
  int count; /* of random sources */
} kernel;

extern const kernel complementarity_kernels[], contact_kernels[], dynamics_kernels[],
    interface_kernels[], mechanism_kernels[], math_kernels[], control_kernels[];

/* "kernels/cone/3", the third source of a kernel; how many. */
int list_kernels(system_name *names);
/* False: it is no kernel. */
bool run_kernel(const char *name, digest *to);

#endif
