/* folder.h - what is in a folder, kept to be compared with or to be put back. */
#ifndef FAULTS_FOLDER_H
#define FAULTS_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { FOLDER_ENTRIES = 64, FOLDER_PATH = 600 };

typedef struct folder_entry {
  char path[FOLDER_PATH];
  bool is_folder;
  ino_t inode;
  char *bytes;
  size_t length;
} folder_entry;

typedef struct folder_content {
  int count;
  folder_entry entries[FOLDER_ENTRIES];
} folder_content;

/* Reads all files and folders in `folder`; `content` was zeroed or read before. */
void folder_read(const char *folder, folder_content *content);

/* Makes each file a second name in `keep`, by which it can be put back. */
void folder_link(const folder_content *content, const char *keep);

/* Puts back what was read: files are the same ones, with the same bytes. */
void folder_restore(const char *folder, const folder_content *content, const char *keep);

void folder_release(folder_content *content);

#endif
