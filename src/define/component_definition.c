#include "define/component_definition.h"

#include <math.h>

#define CONSTRAINT_WORD(kind, name) name,
const char *const flg_constraint_words[] = {FLG_CONSTRAINT_KIND_LIST(CONSTRAINT_WORD) NULL};
const char *const flg_limits_words[] = {"enforced", "ignored", NULL};
const char *const flg_base_words[] = {"fixed", "floating", NULL};

flg_component_joint_keys flg_component_joint_keys_default(void) {
  return (flg_component_joint_keys){
      .kind = FLG_CONSTRAINT_WELD,
      .pair = {.placement = {{NAN, NAN, NAN}, {NAN, NAN, NAN}}, .axis = {0, 0, 1}},
      .axis2 = {1, 0, 0},
      .driven_axis = {NAN, NAN, NAN},
      .pitch = NAN,
      .bushing = {.numbers = {{{NAN, NAN, NAN}, {NAN, NAN, NAN}},
                              {{NAN, NAN, NAN}, {NAN, NAN, NAN}}}},
      .length = NAN,
      .ratio = NAN,
      .radius = NAN,
      .stiffness = NAN,
      .damping = NAN,
      .friction = {.coulomb = NAN, .stiction = NAN, .stribeck = NAN, .viscous = NAN},
      .stops = {.lower = NAN, .upper = NAN},
      .backlash = NAN,
      .restitution = NAN,
      .efficiency = NAN};
}
