/* starters.h - the files that `flange new` writes: small systems, with comments, to begin with. */
#ifndef FLG_STARTERS_H
#define FLG_STARTERS_H

enum { FLG_STARTER_FILES = 4 };

typedef struct flg_starter {
  const char *name;    /* "pendulum" */
  const char *summary; /* what it is, in a few words */
  struct {
    const char *path; /* in the folder; NULL after the last */
    const char *text;
  } files[FLG_STARTER_FILES]; /* the scenario first */
  const char *next;           /* a second command that is worth a try, after `flange run` */
} flg_starter;

/* All of them; a name of NULL at the end. */
extern const flg_starter flg_starters[];

#endif
