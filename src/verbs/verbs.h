/* verbs.h - what the tool can do: one file a verb, and this list of them. */
#ifndef FLG_VERBS_H
#define FLG_VERBS_H

#include "cli/arguments.h"

extern const flg_verb flg_verb_run, flg_verb_compare, flg_verb_analyze, flg_verb_trajectory,
    flg_verb_inverse, flg_verb_plot, flg_verb_report, flg_verb_view, flg_verb_check,
    flg_verb_convert, flg_verb_compile, flg_verb_schema, flg_verb_new, flg_verb_help;

/* All of them, in the order of the help; NULL at the end. */
extern const flg_verb *const flg_verbs[];
/* NULL if there is none of that name. */
const flg_verb *flg_verb_find(const char *name);

#endif
