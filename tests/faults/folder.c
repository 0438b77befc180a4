#define _GNU_SOURCE /* nftw */
#include "folder.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static folder_content *reading; /* nftw hands nothing on */
static const folder_content *kept;

static void give_up(const char *what) {
  fprintf(stderr, "allocations: %s: %s\n", what, strerror(errno));
  exit(2);
}

static void read_bytes(folder_entry *entry, size_t length) {
  const int file = open(entry->path, O_RDONLY);
  entry->bytes = malloc(length + 1);
  if (file < 0 || entry->bytes == NULL) give_up(entry->path);
  const ssize_t count = read(file, entry->bytes, length);
  if (count < 0) give_up(entry->path);
  entry->length = (size_t)count;
  close(file);
}

static int read_entry(const char *path, const struct stat *about, int kind, struct FTW *place) {
  (void)kind;
  if (place->level == 0) return 0;
  if (reading->count == FOLDER_ENTRIES) give_up("too many files");
  folder_entry *entry = &reading->entries[reading->count++];
  *entry = (folder_entry){.is_folder = S_ISDIR(about->st_mode), .inode = about->st_ino};
  snprintf(entry->path, sizeof entry->path, "%s", path);
  if (!entry->is_folder) read_bytes(entry, (size_t)about->st_size);
  return 0;
}

void folder_release(folder_content *content) {
  for (int k = 0; k < content->count; k++) free(content->entries[k].bytes);
  content->count = 0;
}

static int by_path(const void *left, const void *right) {
  return strcmp(((const folder_entry *)left)->path, ((const folder_entry *)right)->path);
}

void folder_read(const char *folder, folder_content *content) {
  folder_release(content);
  reading = content;
  if (nftw(folder, read_entry, 8, FTW_PHYS) != 0) give_up(folder);
  qsort(content->entries, (size_t)content->count, sizeof content->entries[0], by_path);
}

static const char *name_kept(const char *keep, ino_t inode) {
  static char path[FOLDER_PATH];
  snprintf(path, sizeof path, "%s/%lu", keep, (unsigned long)inode);
  return path;
}

void folder_link(const folder_content *content, const char *keep) {
  for (int k = 0; k < content->count; k++) {
    const folder_entry *entry = &content->entries[k];
    if (entry->is_folder) continue;
    if (link(entry->path, name_kept(keep, entry->inode)) != 0 && errno != EEXIST) {
      give_up(entry->path);
    }
  }
}

static const folder_entry *find_kept(const char *path) {
  for (int k = 0; k < kept->count; k++) {
    if (strcmp(kept->entries[k].path, path) == 0) return &kept->entries[k];
  }
  return NULL;
}

/* what was not there, or is another file */
static int remove_new(const char *path, const struct stat *about, int kind, struct FTW *place) {
  (void)kind;
  const folder_entry *entry = find_kept(path);
  if (place->level == 0 || (entry != NULL && (entry->is_folder || entry->inode == about->st_ino))) {
    return 0;
  }
  return remove(path);
}

static void write_bytes(const folder_entry *entry) {
  const int file = open(entry->path, O_RDWR);
  char *now = malloc(entry->length + 2);
  if (file < 0 || now == NULL) give_up(entry->path);
  const ssize_t length = read(file, now, entry->length + 1);
  if (length != (ssize_t)entry->length || memcmp(now, entry->bytes, entry->length) != 0) {
    if (ftruncate(file, (off_t)entry->length) != 0 ||
        pwrite(file, entry->bytes, entry->length, 0) != (ssize_t)entry->length) {
      give_up(entry->path);
    }
  }
  free(now);
  close(file);
}

void folder_restore(const char *folder, const folder_content *content, const char *keep) {
  kept = content;
  if (nftw(folder, remove_new, 8, FTW_PHYS | FTW_DEPTH) != 0) give_up(folder);
  for (int k = 0; k < content->count; k++) {
    const folder_entry *entry = &content->entries[k];
    if (entry->is_folder) {
      if (mkdir(entry->path, 0777) != 0 && errno != EEXIST) give_up(entry->path);
      continue;
    }
    if (link(name_kept(keep, entry->inode), entry->path) != 0 && errno != EEXIST) {
      give_up(entry->path);
    }
    write_bytes(entry);
  }
}
