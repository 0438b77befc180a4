/* Loaded before a program (LD_PRELOAD): a power cut before write number FAULTS_CUT, counted from 1
 * over write, pwrite, ftruncate and rename, or when the program has ended. All that was written to
 * regular files since their last fsync is lost: they are cut to the length that they had then,
 * which is 0 if there was none. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum { FILES = 64 };

static struct {
  dev_t device;
  ino_t inode;
  int copy; /* a descriptor of its own */
  off_t synced;
} files[FILES];
static int file_count;
static long count, cut = -1;

static void *real(const char *name) {
  return dlsym(RTLD_NEXT, name);
}

static int find(int descriptor) {
  struct stat of;
  if (fstat(descriptor, &of) != 0 || !S_ISREG(of.st_mode)) return -1;
  for (int k = 0; k < file_count; k++) {
    if (files[k].device == of.st_dev && files[k].inode == of.st_ino) return k;
  }
  if (file_count == FILES) abort();
  files[file_count].device = of.st_dev, files[file_count].inode = of.st_ino;
  files[file_count].copy = dup(descriptor), files[file_count].synced = 0;
  return file_count++;
}

static void lose(void) {
  int (*shorten)(int, off_t) = (int (*)(int, off_t))real("ftruncate");
  for (int k = 0; k < file_count; k++) {
    struct stat of;
    if (fstat(files[k].copy, &of) == 0 && of.st_size > files[k].synced) {
      if (shorten(files[k].copy, files[k].synced) != 0) abort();
    }
  }
}

static void tick(void) {
  if (++count != cut) return;
  lose();
  _exit(99);
}

ssize_t write(int descriptor, const void *bytes, size_t size) {
  if (find(descriptor) >= 0) tick();
  return ((ssize_t(*)(int, const void *, size_t))real("write"))(descriptor, bytes, size);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t size, off_t at) {
  if (find(descriptor) >= 0) tick();
  return ((ssize_t(*)(int, const void *, size_t, off_t))real("pwrite"))(descriptor, bytes, size,
                                                                        at);
}

int ftruncate(int descriptor, off_t size) {
  if (find(descriptor) >= 0) tick();
  return ((int (*)(int, off_t))real("ftruncate"))(descriptor, size);
}

int rename(const char *from, const char *to) {
  tick();
  return ((int (*)(const char *, const char *))real("rename"))(from, to);
}

int fsync(int descriptor) {
  struct stat of;
  const int k = find(descriptor);
  const int result = ((int (*)(int))real("fsync"))(descriptor);
  if (k >= 0 && fstat(descriptor, &of) == 0) files[k].synced = of.st_size;
  return result;
}

/* what stdio writes does not pass here: files count from where they are made */
int mkstemp(char *path) {
  const int descriptor = ((int (*)(char *))real("mkstemp"))(path);
  if (descriptor >= 0) (void)find(descriptor);
  return descriptor;
}

__attribute__((constructor)) static void begin(void) {
  const char *number = getenv("FAULTS_CUT");
  if (number != NULL) cut = atol(number);
}

__attribute__((destructor)) static void end(void) {
  lose();
}
