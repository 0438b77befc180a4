/* write.h - a mechanism as the files of a scenario. */
#ifndef FLG_GENERATE_WRITE_H
#define FLG_GENERATE_WRITE_H

#include <stddef.h>
#include <stdio.h>

#include "mechanism.h"

enum { FILES = PARTS + 1, FILE_BYTES = 16384 };

typedef struct text_file {
  char name[24];
  size_t length;
  char text[FILE_BYTES];
} text_file;

/* The scenario comes first. */
typedef struct text_files {
  int count;
  text_file list[FILES];
} text_files;

/* Signals that every scenario records: position, orientation, velocity and angular velocity of all
 * bodies, in the order of the mechanism, whatever the order in the files; then the contact force of
 * each that can touch. */
enum { BODY_NUMBERS = 13, FORCE_NUMBERS = 3 };
bool can_touch(const mechanism *machine, int body);

void write_files(const mechanism *machine, text_files *to);
/* All of them, one after the other, with lines `# --- name` between. */
void print_files(const text_files *files, FILE *to);
/* Into a folder, which must exist; false if a file cannot be written. */
bool keep_files(const text_files *files, const char *folder);
const char *scheme_name(scheme of);
/* "s2" and the like; text (16) */
void name_part(const mechanism *machine, int part, char text[16]);

/* What files and calls share: words by kind, names, frames. */
extern const char *const KINDS[], *const ROBOT_KINDS[], *const SHAPES[], *const INTEGRATORS[],
                                                                             *const COORDINATES[];
/* "j3" and the like, or as `naming` has it; "world" */
void name_of(const mechanism *machine, char letter, int index, char text[16]);
void name_body(const mechanism *machine, int index, char text[16]);
/* of an end of a joint: a port or a marker */
void name_end(int index, int side, char text[16]);
/* The joint of a robot that carries a body; NULL: it floats. */
const joint *carrier_of(const mechanism *machine, int index);
/* The joint that this one follows, by a gear between them, and how; NULL: it is free. */
const joint *leader_of(const mechanism *machine, const joint *of, double *multiplier);
/* The frame that a body has in its file: in robots that of its joint. */
flg_pose frame_in_file(const mechanism *machine, int index);
/* Rates of the joint of a robot at the start; how many. */
int rates_of(const mechanism *machine, int index, double rates[6]);

enum { SIGNAL_NAMES = 200, SIGNAL_BYTES = 64 };
/* Names that a user might record, whether they exist or not; how many. */
int list_signals(const mechanism *machine, char names[SIGNAL_NAMES][SIGNAL_BYTES]);

#endif
