/* log.h - what the library has to tell while it works, handed to the caller's sink.
 *
 * The library itself prints nothing: without a sink, messages vanish. Set-up only; a step logs
 * nothing. The sink may be called from the thread that made the call, never from a worker.
 */
#ifndef FLG_LOG_H
#define FLG_LOG_H

#include "flange/status.h"

/* How urgent a message is. */
typedef enum flg_log_level {
  FLG_LOG_ERROR,      /* something failed */
  FLG_LOG_WARNING,    /* something is doubtful */
  FLG_LOG_INFO,       /* what is being done */
  FLG_LOG_DEBUG,      /* to find a fault */
  FLG_LOG_LEVEL_COUNT /* how many levels there are */
} flg_log_level;

/* The caller's function that takes messages. */
typedef void flg_log_sink(void *user, flg_log_level level, const char *message);

/* Where messages go. */
typedef struct flg_log {
  flg_log_level level; /* messages above it are dropped before they are formatted */
  flg_log_sink *sink;  /* NULL: silent */
  void *user;          /* handed to the sink */
} flg_log;

/* Formats and hands over one message; log may be NULL. */
void flg_log_write(const flg_log *log, flg_log_level level, const char *format, ...)
    FLG_PRINTF(3, 4);
/* "error", "warning", "info", "debug". */
const char *flg_log_level_name(flg_log_level level);
/* The level of that name; FLG_ERR_RANGE with a message that lists the names if there is none. */
flg_status flg_log_level_parse(const char *name, flg_log_level *level, flg_error *error);

#endif
