#include "io/mesh_import.h"

#ifdef FLANGE_ASSIMP

#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <errno.h>
#include <sys/stat.h>

#include "base/memory_reserve.h"
#include "base/opened_library.h"

#define ASSIMP_NAMES(NAME)           \
  NAME(aiCreatePropertyStore)        \
  NAME(aiReleasePropertyStore)       \
  NAME(aiSetImportPropertyInteger)   \
  NAME(aiImportFileExWithProperties) \
  NAME(aiReleaseImport)              \
  NAME(aiGetErrorString)

static struct { ASSIMP_NAMES(FLG_OPENED_POINTER) } assimp;
static const char *const assimp_names[] = {ASSIMP_NAMES(FLG_OPENED_NAME)};
static flg_opened_library library = {.file = FLANGE_ASSIMP,
                                     .package = "libassimp5",
                                     .use = "A mesh that is neither STL nor OBJ",
                                     FLG_OPENED_TABLE(assimp)};

/* The most memory that assimp takes, in all and for each byte of a file; it may crash without it.
 */
enum { IMPORT_BYTES = 16 << 20, IMPORT_BYTES_EACH = 16 };

static bool has_memory(const char *path) {
  struct stat about;
  const size_t length = stat(path, &about) == 0 ? (size_t)about.st_size : 0;
  return flg_memory_reserve(IMPORT_BYTES + IMPORT_BYTES_EACH * length);
}

static const struct aiScene *import(const char *path) {
  struct aiPropertyStore *options = assimp.aiCreatePropertyStore();
  if (options == NULL) return NULL;
  assimp.aiSetImportPropertyInteger(options, AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, 1);
  const unsigned steps = aiProcess_Triangulate | aiProcess_PreTransformVertices;
  const struct aiScene *scene = assimp.aiImportFileExWithProperties(path, steps, NULL, options);
  assimp.aiReleasePropertyStore(options);
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

static double *add_mesh_corners(const struct aiMesh *mesh, double *to) {
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
  flg_error reason;
  const flg_status status = flg_opened_library_open(&library, &reason);
  if (status != FLG_OK) {
    return flg_fail(error, status, "the mesh '%s' cannot be read: %s Or convert it to STL.", path,
                    reason.message);
  }
  errno = 0;
  const struct aiScene *scene = has_memory(path) ? import(path) : NULL;
  if (scene == NULL && errno == ENOMEM) {
    return flg_fail(error, FLG_ERR_MEMORY, "no memory left for the mesh '%s'", path);
  }
  if (scene == NULL) {
    return flg_fail(error, FLG_ERR_INPUT, "the mesh '%s' cannot be read: %.200s", path,
                    assimp.aiGetErrorString());
  }
  const size_t count = count_triangles(scene);
  *triangles = (flg_mesh_triangles){flg_region_take(region, 9 * count, sizeof(double)), count};
  double *to = triangles->corners;
  for (unsigned k = 0; k < scene->mNumMeshes && to != NULL; k++) {
    to = add_mesh_corners(scene->mMeshes[k], to);
  }
  assimp.aiReleaseImport(scene);
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
