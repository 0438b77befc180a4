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
 * bodies, in the order of the mechanism, whatever the order in the files. */
enum { BODY_NUMBERS = 13 };

void write_files(const mechanism *machine, text_files *to);
/* All of them, one after the other, with lines `# --- name` between. */
void print_files(const text_files *files, FILE *to);
/* Into a folder, which must exist; false if a file cannot be written. */
bool keep_files(const text_files *files, const char *folder);
/* "s2" and the like; text (16) */
void name_part(const mechanism *machine, int part, char text[16]);

#endif
