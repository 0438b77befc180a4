#include "results/ordered_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "results/results_file.h"

/* Blocks of this size and more start on a page, so that a B-tree node never straddles two: the
 * kernel may stop a write for a killed process between pages, but not inside one. */
enum { ALIGNED_BYTES = 1024, PAGE_BYTES = 4096 };
enum { FIRST_RANK = 0, LEAF_RANK = 16, HEAP_RANK = 17, HEADER_RANK = 18, RANKS = 19 };

typedef struct block {
  haddr_t address;
  size_t size;
  size_t offset; /* of its bytes in the pool */
  int rank;      /* when its turn comes in a commit */
} block;

struct flg_ordered_file {
  flg_results_file on_disk;
  int failure;  /* errno of the first failed write; 0: none */
  hid_t driver; /* its registration; HDF5 1.10 closes a file through the class that it points to */
  char *path;
  haddr_t end;       /* of the space that HDF5 has allocated */
  haddr_t written;   /* of the bytes in the file */
  haddr_t committed; /* of the valid part */
  block *blocks;     /* (count) by address, none overlapping: metadata held back */
  size_t count, block_capacity;
  unsigned char *pool; /* their bytes */
  size_t pool_used, pool_capacity;
};

/* what HDF5 holds on to */
typedef struct driver {
  H5FD_t base; /* filled in by HDF5 */
  flg_ordered_file *file;
} driver;

typedef struct driver_access {
  flg_ordered_file *file;
} driver_access;

static flg_ordered_file *file_of(const H5FD_t *base) {
  return ((const driver *)base)->file;
}

/* ---- the file on disk ---- */

/* Before more is written, which would make a file that was cut off as long as before. */
static void look_at_length(flg_ordered_file *file) {
  struct stat own;
  if (fstat(file->on_disk.descriptor, &own) != 0 || !S_ISREG(own.st_mode)) return;
  if ((haddr_t)own.st_size < file->written) file->on_disk.was_shortened = true;
}

static bool disk_write(flg_ordered_file *file, haddr_t address, const void *bytes, size_t size) {
  const unsigned char *byte = bytes;
  size_t done = 0;
  look_at_length(file);
  while (done < size) {
    const ssize_t count =
        pwrite(file->on_disk.descriptor, byte + done, size - done, (off_t)(address + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      file->failure = errno;
      return false;
    }
    done += (size_t)count;
  }
  if (address + size > file->written) file->written = address + size;
  return true;
}

/* past the end of the file are zeros */
static bool disk_read(const flg_ordered_file *file, haddr_t address, void *bytes, size_t size) {
  unsigned char *byte = bytes;
  size_t done = 0;
  while (done < size) {
    const ssize_t count =
        pread(file->on_disk.descriptor, byte + done, size - done, (off_t)(address + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    if (count == 0) break;
    done += (size_t)count;
  }
  memset(byte + done, 0, size - done);
  return true;
}

static bool disk_extend(flg_ordered_file *file) {
  if (file->written >= file->end) return true;
  look_at_length(file);
  if (ftruncate(file->on_disk.descriptor, (off_t)file->end) != 0) {
    file->failure = errno;
    return false;
  }
  file->written = file->end;
  return true;
}

/* ---- blocks held back ---- */

static bool grow_array(void **array, size_t *capacity, size_t needed, size_t element) {
  if (needed <= *capacity) return true;
  size_t larger = *capacity == 0 ? 1024 : *capacity;
  while (larger < needed) larger *= 2;
  void *moved = realloc(*array, larger * element);
  if (moved == NULL) return false;
  *array = moved;
  *capacity = larger;
  return true;
}

/* index of the first block that ends after the address */
static size_t block_find(const flg_ordered_file *file, haddr_t address) {
  size_t low = 0, high = file->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const block *there = &file->blocks[middle];
    if (there->address + there->size <= address) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/* parents before their children: HDF5 moves entries from a full leaf to a new one beside it */
static int block_rank(H5FD_mem_t type, const unsigned char *bytes, size_t size) {
  if (type == H5FD_MEM_SUPER) return FIRST_RANK;
  if (type == H5FD_MEM_OHDR) return HEADER_RANK;
  if (type != H5FD_MEM_BTREE) return HEAP_RANK;
  if (size < 6 || memcmp(bytes, "TREE", 4) != 0) return LEAF_RANK;
  const int level = bytes[5];
  return level < LEAF_RANK - FIRST_RANK ? LEAF_RANK - level : FIRST_RANK + 1;
}

static bool block_insert(flg_ordered_file *file, size_t index, const block *added,
                         const void *bytes) {
  void *blocks = file->blocks, *pool = file->pool;
  const bool has_room =
      grow_array(&blocks, &file->block_capacity, file->count + 1, sizeof *file->blocks) &&
      grow_array(&pool, &file->pool_capacity, file->pool_used + added->size, 1);
  file->blocks = blocks;
  file->pool = pool;
  if (!has_room) return false;
  memmove(file->blocks + index + 1, file->blocks + index,
          (file->count - index) * sizeof *file->blocks);
  file->blocks[index] = *added;
  file->blocks[index].offset = file->pool_used;
  memcpy(file->pool + file->pool_used, bytes, added->size);
  file->pool_used += added->size;
  file->count++;
  return true;
}

static bool blocks_write(flg_ordered_file *file) {
  for (int rank = FIRST_RANK; rank < RANKS; rank++) {
    for (size_t k = 0; k < file->count; k++) {
      const block *next = &file->blocks[k];
      if (next->rank != rank) continue;
      if (!disk_write(file, next->address, file->pool + next->offset, next->size)) return false;
    }
  }
  file->count = 0;
  file->pool_used = 0;
  return true;
}

static bool block_keep(flg_ordered_file *file, const block *kept, const void *bytes) {
  const size_t index = block_find(file, kept->address);
  const haddr_t end = kept->address + kept->size;
  if (index == file->count || file->blocks[index].address >= end) {
    return block_insert(file, index, kept, bytes);
  }
  const block *there = &file->blocks[index];
  if (there->address <= kept->address && end <= there->address + there->size) {
    memcpy(file->pool + there->offset + (kept->address - there->address), bytes, kept->size);
    return true;
  }
  /* HDF5 has given the space to something else, which it does not do while rows are appended */
  return file->failure == 0 && blocks_write(file) &&
         disk_write(file, kept->address, bytes, kept->size);
}

/* ---- what HDF5 calls ---- */

static H5FD_t *driver_open(const char *name, unsigned flags, hid_t access, haddr_t limit) {
  (void)name, (void)flags, (void)limit;
  const driver_access *given = H5Pget_driver_info(access);
  driver *opened = given == NULL ? NULL : calloc(1, sizeof *opened);
  if (opened == NULL) return NULL;
  opened->file = given->file;
  return &opened->base;
}

static herr_t driver_close(H5FD_t *base) {
  free(base);
  return 0;
}

static herr_t driver_query(const H5FD_t *base, unsigned long *flags) {
  (void)base;
  *flags = 0; /* no gathering of metadata: blocks have to arrive one by one, with their type */
  return 0;
}

static haddr_t driver_end(const H5FD_t *base, H5FD_mem_t type) {
  (void)type;
  return file_of(base)->end;
}

static herr_t driver_set_end(H5FD_t *base, H5FD_mem_t type, haddr_t end) {
  (void)type;
  file_of(base)->end = end;
  return 0;
}

static haddr_t driver_file_end(const H5FD_t *base, H5FD_mem_t type) {
  (void)type;
  return file_of(base)->written;
}

static herr_t driver_read(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t address,
                          size_t size, void *bytes) {
  (void)type, (void)transfer;
  const flg_ordered_file *file = file_of(base);
  if (!disk_read(file, address, bytes, size)) return -1;
  for (size_t k = block_find(file, address); k < file->count; k++) {
    const block *kept = &file->blocks[k];
    if (kept->address >= address + size) break;
    const haddr_t low = kept->address > address ? kept->address : address;
    const haddr_t kept_end = kept->address + kept->size;
    const haddr_t high = kept_end < address + size ? kept_end : address + size;
    memcpy((unsigned char *)bytes + (low - address),
           file->pool + kept->offset + (low - kept->address), (size_t)(high - low));
  }
  return 0;
}

static herr_t driver_write(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t address,
                           size_t size, const void *bytes) {
  (void)transfer;
  flg_ordered_file *file = file_of(base);
  const bool is_unseen = type == H5FD_MEM_DRAW || address >= file->committed;
  if (file->failure == 0 && is_unseen && disk_write(file, address, bytes, size)) return 0;
  const block kept = {.address = address, .size = size, .rank = block_rank(type, bytes, size)};
  return block_keep(file, &kept, bytes) ? 0 : -1;
}

static const H5FD_class_t driver_class = {
#if H5_VERSION_GE(1, 13, 0)
    .version = H5FD_CLASS_VERSION,
    .value = (H5FD_class_value_t)600, /* out of the range that registered drivers have */
#endif
    .name = "flange-ordered",
    .maxaddr = (haddr_t)INT64_MAX,
    .fc_degree = H5F_CLOSE_STRONG,
    .fapl_size = sizeof(driver_access),
    .open = driver_open,
    .close = driver_close,
    .query = driver_query,
    .get_eoa = driver_end,
    .set_eoa = driver_set_end,
    .get_eof = driver_file_end,
    .read = driver_read,
    .write = driver_write,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

hid_t flg_ordered_file_access(flg_ordered_file *file) {
  const driver_access access = {file};
  const hid_t list = H5Pcreate(H5P_FILE_ACCESS);
  if (file->driver < 0) file->driver = H5FDregister(&driver_class);
  const bool is_well = list >= 0 && file->driver >= 0 &&
                       H5Pset_driver(list, file->driver, &access) >= 0 &&
                       H5Pset_alignment(list, ALIGNED_BYTES, PAGE_BYTES) >= 0;
  if (is_well) return list;
  if (list >= 0) H5Pclose(list);
  return -1;
}

/* ---- life ---- */

static bool is_regular(int descriptor) {
  struct stat information;
  return fstat(descriptor, &information) == 0 && S_ISREG(information.st_mode);
}

static flg_status open_on_disk(flg_results_file *file, const char *path, bool writes_over,
                               flg_error *error) {
  const flg_status status = flg_results_file_open(file, path, NULL, writes_over, error);
  if (status != FLG_OK || is_regular(file->descriptor)) return status;
  (void)flg_results_file_close(file, false, NULL);
  return flg_fail(error, FLG_ERR_OUTPUT,
                  "The results file '%s' is a device or a pipe; HDF5 needs a file on a disk.",
                  path);
}

flg_status flg_ordered_file_open(flg_ordered_file **file, const char *path, bool writes_over,
                                 flg_error *error) {
  flg_ordered_file *opened = calloc(1, sizeof *opened);
  char *copy = strdup(path);
  flg_status status = FLG_ERR_MEMORY;
  if (opened == NULL || copy == NULL) {
    flg_fail(error, status, "No memory is left for the file '%s'.", path);
  } else if ((status = open_on_disk(&opened->on_disk, copy, writes_over, error)) == FLG_OK) {
    opened->path = copy;
    opened->driver = -1;
    *file = opened;
    return FLG_OK;
  }
  free(copy);
  free(opened);
  return status;
}

flg_status flg_ordered_file_commit(flg_ordered_file *file, flg_error *error) {
  file->on_disk.written = (off_t)file->written;
  const flg_status status = flg_results_file_look(&file->on_disk, error);
  if (status != FLG_OK) return status;
  if (file->failure == 0 && disk_extend(file) && blocks_write(file)) {
    file->committed = file->end;
    return FLG_OK;
  }
  return flg_results_fail(file->path, file->failure, error);
}

flg_status flg_ordered_file_publish(flg_ordered_file *file, flg_error *error) {
  return flg_results_file_publish(&file->on_disk, error);
}

flg_status flg_ordered_file_close(flg_ordered_file *file, bool ends, flg_error *error) {
  if (file == NULL) return FLG_OK;
  file->on_disk.written = (off_t)file->written;
  const flg_status status =
      flg_results_file_close(&file->on_disk, ends && file->failure == 0, error);
  if (file->driver >= 0) H5FDunregister(file->driver);
  free(file->blocks);
  free(file->pool);
  free(file->path);
  free(file);
  return status;
}
