#include "base/opened_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "base/memory_reserve.h"

/* What the largest of them, OpenBLAS, takes with the libraries that it needs: some crash in what
 * they do when they are opened if there is none. */
enum { OPENING_BYTES = 64 << 20 };

static flg_status fail_memory(const flg_opened_library *library, flg_error *error) {
  return flg_fail(error, FLG_ERR_MEMORY, "No memory is left to open the library %s.",
                  library->file);
}

/* the linker has no code for it: its reason ends with what the system says of it */
static bool lacks_memory(const char *reason) {
  return strstr(reason, strerror(ENOMEM)) != NULL;
}

static flg_status fail_to_open(const flg_opened_library *library, flg_error *error) {
  const char *reason = dlerror();
  if (reason == NULL) reason = "no reason is given";
  if (lacks_memory(reason)) return fail_memory(library, error);
  return flg_fail(error, FLG_ERR_MISSING,
                  "%s needs the library %s, which cannot be opened (Debian: %s): %.200s.",
                  library->use, library->file, library->package, reason);
}

/* What the program has itself comes first, as it does for the library's own calls: a program that
 * links the library has its variables, too. */
static void *library_find(void *program, void *handle, const char *name) {
  void *found = program == NULL ? NULL : dlsym(program, name);
  return found != NULL ? found : dlsym(handle, name);
}

/* All names are looked up before the first pointer is written. A function pointer from dlsym goes
 * by way of memory, as POSIX asks. */
static bool find_names(const flg_opened_library *library, void *program, void *handle) {
  for (int k = 0; k < library->count; k++) {
    if (library_find(program, handle, library->names[k]) == NULL) return false;
  }
  for (int k = 0; k < library->count; k++) {
    void *found = library_find(program, handle, library->names[k]);
    memcpy((char *)library->table + (size_t)k * sizeof found, &found, sizeof found);
  }
  return true;
}

static flg_status open_first(flg_opened_library *library, flg_error *error) {
  void *handle = dlopen(library->file, RTLD_LAZY | RTLD_LOCAL);
  if (handle == NULL) return fail_to_open(library, error);
  void *program = dlopen(NULL, RTLD_LAZY);
  const bool is_whole = find_names(library, program, handle);
  const flg_status status = is_whole ? FLG_OK : fail_to_open(library, error);
  if (program != NULL) dlclose(program);
  if (!is_whole) dlclose(handle);
  atomic_store_explicit(&library->is_open, is_whole, memory_order_release);
  return status;
}

flg_status flg_opened_library_open(flg_opened_library *library, flg_error *error) {
  static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
  if (atomic_load_explicit(&library->is_open, memory_order_acquire)) return FLG_OK;
  if (!flg_memory_reserve(OPENING_BYTES)) return fail_memory(library, error);
  pthread_mutex_lock(&one_at_a_time);
  const bool is_open = atomic_load_explicit(&library->is_open, memory_order_relaxed);
  const flg_status status = is_open ? FLG_OK : open_first(library, error);
  pthread_mutex_unlock(&one_at_a_time);
  return status;
}
