#include "define/scenario.h"

const char *const flg_stepping_words[] = {"auto",   "semi-implicit", "rk4", "adaptive",
                                          "rattle", "leapfrog",      NULL};
