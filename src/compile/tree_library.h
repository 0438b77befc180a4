/* tree_library.h - C source of a component in joint coordinates as a plug-in that steps by rk4:
 * what tree_terms.h can say, with its motors, gears and signals, its ports, and what users record.
 */
#ifndef FLG_COMPILE_TREE_LIBRARY_H
#define FLG_COMPILE_TREE_LIBRARY_H

#include "compile/mechanism_source.h"

/* Writes the source, as flg_mechanism_source_write. What cannot be compiled is a mistake. */
flg_status flg_tree_library_write(const flg_mechanism_source *source, FILE *out,
                                  flg_mechanism_size *size, flg_mistakes *mistakes);

#endif
