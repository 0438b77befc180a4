#include "compile/robot_library.h"

#include "compile/tree_library.h"

/* For the message of `flange compile`, which says what the library offers. */
static void count_robot_signals(const flg_robot_source *source, flg_robot_library_made *made) {
  made->velocities = source->robot->velocity_count;
  made->signals = source->signal_count;
  for (int k = 0; k < source->model->frame_count; k++) made->ports += source->model->frames[k].port;
}

/* The writer of sources is called back once the name of the library is known. */
typedef struct robot_job {
  flg_robot_source source;
  flg_source_size *size;
} robot_job;

static flg_status write_robot(void *context, const char *name, FILE *out, flg_mistakes *mistakes) {
  robot_job *job = context;
  job->source.name = name;
  return flg_robot_source_write(&job->source, out, job->size, mistakes);
}

/* The robot is built without a placement: where it stands is given to each instance of the
 * library. */
flg_status flg_robot_library_build(const flg_robot_library *library, flg_robot_library_made *made,
                                   flg_mistakes *mistakes) {
  flg_robot robot;
  flg_region region = {0};
  robot_job job = {library->source, &made->size};
  *made = (flg_robot_library_made){0};
  flg_status status = flg_robot_build(&robot, job.source.model, &region, mistakes);
  job.source.robot = &robot;
  if (status == FLG_OK) {
    count_robot_signals(&job.source, made);
    status = flg_library_make(&library->library, write_robot, &job, made->source, mistakes);
  }
  flg_region_release(&region);
  return status;
}

/* The same for components; their assembly is built by the writer itself. */
typedef struct mechanism_job {
  flg_mechanism_source source;
  flg_mechanism_size *size;
} mechanism_job;

static flg_status write_mechanism_file(void *context, const char *name, FILE *out,
                                       flg_mistakes *mistakes) {
  mechanism_job *job = context;
  job->source.name = name;
  return (job->source.is_staged ? flg_tree_library_write : flg_mechanism_source_write)(
      &job->source, out, job->size, mistakes);
}

flg_status flg_mechanism_library_build(const flg_mechanism_source *source,
                                       const flg_library *library, flg_mechanism_library_made *made,
                                       flg_mistakes *mistakes) {
  mechanism_job job = {*source, &made->size};
  *made = (flg_mechanism_library_made){0};
  return flg_library_make(library, write_mechanism_file, &job, made->source, mistakes);
}
