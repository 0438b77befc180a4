/* status.h - statuses and errors, and rules of all public headers.
 *
 * The library never exits, aborts or prints. A call that fails returns a status other than FLG_OK, puts a sentence into
 * *error or all sentences into *mistakes (which may be NULL), and leaves all else as it was: FLG_ERR_USAGE for NULL,
 * handles of another simulation, sizes that do not fit and calls in the wrong order, FLG_ERR_MEMORY without memory,
 * others as each heading says.
 *
 * A heading `---` says three things of each function below it that does not say otherwise itself; a heading without
 * them goes on with those above:
 *
 *     Owns   the owner of objects that are returned. Arguments stay the caller's, and are used
 *            during the call alone.
 *     When   set-up: it may allocate and read files; not while its simulation steps
 *            between steps: it allocates nothing; not while its simulation steps
 *            always: also while a simulation steps
 *            One thread at a time uses an object; other threads may use other objects.
 *     Fails  the result: a status, those besides the two above named, or a value
 */
#ifndef FLG_STATUS_H
#define FLG_STATUS_H

#if defined(__GNUC__)
/* Marks a symbol that a shared library exports. */
#define FLG_VISIBLE __attribute__((visibility("default")))
/* Number `text` is a format as of printf, its arguments from number `first` on. */
#define FLG_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define FLG_VISIBLE
#define FLG_PRINTF(text, first)
#endif

/* In front of every public function. */
#ifdef __cplusplus
#define FLG_API extern "C" FLG_VISIBLE
#else
#define FLG_API FLG_VISIBLE
#endif

/* All statuses, X(name, a few words on it). */
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

/* A status as a member of flg_status. */
#define FLG_STATUS_ENUM(name, text) name,
/* The result of a call: FLG_OK, which is 0, or the reason of its failure. */
typedef enum flg_status { FLG_STATUS_LIST(FLG_STATUS_ENUM) FLG_STATUS_COUNT } flg_status;

/* Why a call failed; need not be cleared before. */
typedef struct flg_error {
  flg_status status;  /* as the call returned it */
  char message[1000]; /* complete sentence for a user: object, place, values */
} flg_error;

/* --- errors made by programs, such as in functions of plug-ins
 * Owns: nothing; texts are constant. When: always. Fails: never. */

/* Fills *error (may be NULL) and returns status: `return flg_fail(error, ...);`. A message that does not fit ends with
 * "..." after a whole UTF-8 character. error->message may be an argument. */
FLG_API flg_status flg_fail(flg_error *error, flg_status status, const char *format, ...) FLG_PRINTF(3, 4);

/* A few words on a status. */
FLG_API const char *flg_status_text(flg_status status);

#endif
