/* allocations.h - what a forked program says on a socket (failing_malloc.c), each answered. */
#ifndef FAULTS_ALLOCATIONS_H
#define FAULTS_ALLOCATIONS_H

typedef enum fault_step {
  FAULT_BEGINS, /* a copy is made whose allocation `number` fails; value: all after it, too */
  FAULT_ENDED,  /* it ended; value: its status as that of waitpid */
  FAULT_LEFT,   /* no copy can be made, since there are threads; value as for BEGINS */
  FAULT_COUNTED /* the program ended after `number` allocations */
} fault_step;

typedef struct fault_message {
  fault_step step;
  long number, value;
} fault_message;

#endif
