/* for_each.h - flg_threads_for, in line where there are no threads: short loops whose bodies the
 * compiler then sees. */
#ifndef FLG_BASE_FOR_EACH_H
#define FLG_BASE_FOR_EACH_H

#include "flange/threads.h"

static inline void flg_for_each(flg_threads *threads, int count, flg_threads_body *body,
                                void *context) {
  if (threads != NULL) {
    flg_threads_for(threads, count, body, context);
    return;
  }
  for (int k = 0; k < count; k++) body(context, k);
}

#endif
