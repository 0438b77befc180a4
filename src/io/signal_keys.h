/* signal_keys.h - the keys of signals in a file of a component. */
#ifndef FLG_SIGNAL_SECTIONS_H
#define FLG_SIGNAL_SECTIONS_H

#include "define/signal_definition.h"
#include "forces/force_keys.h"
#include "text/schema.h"

extern const flg_section flg_signal_section, flg_input_section;

#endif
