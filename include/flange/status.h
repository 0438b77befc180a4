/* status.h - every fallible call returns a flg_status; set-up calls also say why.
 *
 * The library never exits, aborts or prints. A failed call leaves everything but *error as it was.
 */
#ifndef FLG_STATUS_H
#define FLG_STATUS_H

#if defined(__GNUC__)
#define FLG_VISIBLE             __attribute__((visibility("default")))
#define FLG_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define FLG_VISIBLE
#define FLG_PRINTF(text, first)
#endif

#ifdef __cplusplus
#define FLG_API extern "C" FLG_VISIBLE
#else
#define FLG_API FLG_VISIBLE
#endif

#define FLG_STATUS_LIST(X)                                        \
  X(FLG_OK, "success")                                            \
  X(FLG_ERR_RANGE, "an argument is outside its range")            \
  X(FLG_ERR_MEMORY, "there is not enough memory")                 \
  X(FLG_ERR_PHYSICS, "no mechanical system has this value")       \
  X(FLG_ERR_INPUT, "the input file has mistakes")                 \
  X(FLG_ERR_MISSING, "a file cannot be opened for reading")       \
  X(FLG_ERR_OUTPUT, "a file cannot be created or written")        \
  X(FLG_ERR_DIVERGED, "a state became NaN or infinite")           \
  X(FLG_ERR_INTERRUPTED, "the user asked to stop")                \
  X(FLG_ERR_CAPACITY, "a capacity chosen at set-up is too small") \
  X(FLG_ERR_USAGE, "an option has a value that it does not take") \
  X(FLG_ERR_UNSOLVED, "contacts or joints were not solved")

#define FLG_STATUS_ENUM(name, text) name,
typedef enum flg_status { FLG_STATUS_LIST(FLG_STATUS_ENUM) FLG_STATUS_COUNT } flg_status;

typedef struct flg_error {
  flg_status status;
  char message[1000]; /* complete sentence for a user: what, where, which values */
} flg_error;

/* Fills *error (may be NULL) and returns status: `return flg_fail(error, ...);`. A message that
 * does not fit ends with "..." after a whole UTF-8 character. error->message may be an argument. */
FLG_API flg_status flg_fail(flg_error *error, flg_status status, const char *format, ...)
    FLG_PRINTF(3, 4);

/* A few words on a status, for callers that have no flg_error; never NULL. */
FLG_API const char *flg_status_text(flg_status status);

#endif
