/* parts.h - pieces.h for tests: what is wrong with a component fails the test. */
#ifndef FLG_TESTS_PARTS_H
#define FLG_TESTS_PARTS_H

#include "assembly_views.h"
#include "check.h"
#include "pieces.h"

static inline flg_assembly *assemble(parts *of, const flg_assembly_options *options) {
  flg_assembly *assembly = NULL;
  flg_mistakes mistakes = {0};
  const flg_status status = flg_assembly_build(&assembly, &of->component, NULL, options, &mistakes);
  if (mistakes.count > 0) fail_msg("%s", mistakes.list[0].message);
  assert_int_equal(status, FLG_OK);
  return assembly;
}

#endif
