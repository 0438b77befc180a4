/* pushes.h - what a program does to a system between steps: forces on its bodies and joints, and
 * models of what its bodies answer. */
#ifndef FLG_STORED_PUSHES_H
#define FLG_STORED_PUSHES_H

#include "flange/access.h"
#include "flange/ports.h"
#include "stored/digest.h"
#include "stored/systems.h"

enum { PUSHES_MOST = 8, PORTS_MOST = 3 };

typedef struct pushes {
  int input_count, port_count;
  flg_input inputs[PUSHES_MOST];
  int widths[PUSHES_MOST];
  flg_ports ports[PORTS_MOST]; /* the first, the first two, ... bodies */
  random_source source;
  int steps; /* that were pushed */
} pushes;

/* Of the first of its bodies and joints. */
pushes find_pushes(flg_simulation *simulation);
/* Writes other numbers to all inputs, and adds models of the ports in each eighth step: they take
 * long in large systems. */
void push(flg_simulation *simulation, pushes *by, digest *to);

#endif
