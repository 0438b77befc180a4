/* guard.h - verbs that read results of others run in a copy of the process.
 *
 * libhdf5 crashes on some broken files, and never ends with others. The copy dies then, and the
 * tool says what it died of. */
#ifndef FLG_CLI_GUARD_H
#define FLG_CLI_GUARD_H

#include "cli/arguments.h"

/* Runs work in a copy of this process; returns its exit code. A crash, or seconds of CPU out of
 * proportion to the files, are reported as a broken file. An interrupt ends both. Where no copy can
 * be made, it runs here. */
int flg_guard_run(const flg_arguments *arguments, int (*work)(const flg_arguments *arguments));

#endif
