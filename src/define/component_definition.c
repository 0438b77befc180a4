#include "define/component_definition.h"

#define CONSTRAINT_WORD(kind, name) name,
const char *const flg_constraint_words[] = {FLG_CONSTRAINT_KIND_LIST(CONSTRAINT_WORD) NULL};
const char *const flg_limits_words[] = {"enforced", "ignored", NULL};
const char *const flg_base_words[] = {"fixed", "floating", NULL};
