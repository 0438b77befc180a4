#include "io/mesh_import.h"

#ifdef FLANGE_ASSIMP

#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sys/stat.h>

#include "base/memory_reserve.h"

/* What is used of the library, by name: linking it would cost every program its start. */
typedef struct importer {
  void *library;
  struct aiPropertyStore *(*create_options)(void);
  void (*release_options)(struct aiPropertyStore *);
  void (*set_option)(struct aiPropertyStore *, const char *, int);
  const struct aiScene *(*import)(const char *, unsigned, struct aiFileIO *,
                                  const struct aiPropertyStore *);
  void (*release)(const struct aiScene *);
  const char *(*reason)(void);
} importer;

static importer opened;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* a function pointer from dlsym, by way of memory as POSIX asks */
static bool mesh_import_find(void *function, const char *name) {
  *(void **)function = dlsym(opened.library, name);
  return *(void **)function != NULL;
}

static void open_library(void) {
  opened.library = dlopen(FLANGE_ASSIMP, RTLD_NOW | RTLD_LOCAL);
  if (opened.library == NULL) return;
  const bool whole = mesh_import_find(&opened.create_options, "aiCreatePropertyStore") &&
                     mesh_import_find(&opened.release_options, "aiReleasePropertyStore") &&
                     mesh_import_find(&opened.set_option, "aiSetImportPropertyInteger") &&
                     mesh_import_find(&opened.import, "aiImportFileExWithProperties") &&
                     mesh_import_find(&opened.release, "aiReleaseImport") &&
                     mesh_import_find(&opened.reason, "aiGetErrorString");
  if (whole) return;
  dlclose(opened.library);
  opened.library = NULL;
}

/* What assimp takes at most, and for each byte of a file; it may crash without it. */
enum { IMPORT_BYTES = 16 << 20, IMPORT_BYTES_EACH = 16 };

static bool has_memory(const char *path) {
  struct stat about;
  const size_t length = stat(path, &about) == 0 ? (size_t)about.st_size : 0;
  return flg_memory_reserve(IMPORT_BYTES + IMPORT_BYTES_EACH * length);
}

static const struct aiScene *import(const char *path) {
  struct aiPropertyStore *options = opened.create_options();
  if (options == NULL) return NULL;
  opened.set_option(options, AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, 1);
  const unsigned steps = aiProcess_Triangulate | aiProcess_PreTransformVertices;
  const struct aiScene *scene = opened.import(path, steps, NULL, options);
  opened.release_options(options);
  return scene;
}

static size_t count_triangles(const struct aiScene *scene) {
  size_t count = 0;
  for (unsigned k = 0; k < scene->mNumMeshes; k++) {
    const struct aiMesh *mesh = scene->mMeshes[k];
    for (unsigned i = 0; i < mesh->mNumFaces; i++) count += mesh->mFaces[i].mNumIndices == 3;
  }
  return count;
}

static double *add_corners(const struct aiMesh *mesh, double *to) {
  for (unsigned k = 0; k < mesh->mNumFaces; k++) {
    const struct aiFace *face = &mesh->mFaces[k];
    for (unsigned i = 0; i < 3 && face->mNumIndices == 3; i++, to += 3) {
      const struct aiVector3D *at = &mesh->mVertices[face->mIndices[i]];
      to[0] = (double)at->x, to[1] = (double)at->y, to[2] = (double)at->z;
    }
  }
  return to;
}

flg_status flg_mesh_import(flg_mesh_triangles *triangles, const char *path, flg_region *region,
                           flg_error *error) {
  pthread_once(&once, open_library);
  if (opened.library == NULL) {
    return flg_fail(error, FLG_ERR_MISSING,
                    "'%s' needs the library %s, which is not installed (Debian: libassimp5); or "
                    "convert the mesh to STL.",
                    path, FLANGE_ASSIMP);
  }
  errno = 0;
  const struct aiScene *scene = has_memory(path) ? import(path) : NULL;
  if (scene == NULL && errno == ENOMEM) {
    return flg_fail(error, FLG_ERR_MEMORY, "no memory left for the mesh '%s'", path);
  }
  if (scene == NULL) {
    return flg_fail(error, FLG_ERR_INPUT, "the mesh '%s' cannot be read: %.200s", path,
                    opened.reason());
  }
  const size_t count = count_triangles(scene);
  *triangles = (flg_mesh_triangles){flg_region_take(region, 9 * count, sizeof(double)), count};
  double *to = triangles->corners;
  for (unsigned k = 0; k < scene->mNumMeshes && to != NULL; k++) {
    to = add_corners(scene->mMeshes[k], to);
  }
  opened.release(scene);
  if (to == NULL) return flg_fail(error, FLG_ERR_MEMORY, "no memory left for the mesh '%s'", path);
  if (count > 0) return FLG_OK;
  return flg_fail(error, FLG_ERR_INPUT, "the mesh '%s' has no triangles", path);
}

#else

flg_status flg_mesh_import(flg_mesh_triangles *triangles, const char *path, flg_region *region,
                           flg_error *error) {
  (void)triangles, (void)region;
  return flg_fail(error, FLG_ERR_MISSING,
                  "'%s' is read by the library assimp, which Flange was built without (Debian: "
                  "libassimp-dev); or convert the mesh to STL.",
                  path);
}

#endif
