#include "cli/compare_page.h"

#include <stdlib.h>

#include "cli/output_file.h"
#include "cli/page.h"

/* all that the page shows; freed with the region */
typedef struct compared_page {
  flg_recording *recordings;
  const char **labels;
  char *json;
  flg_region region;
} compared_page;

static bool has_several_macros(const flg_comparison *comparison) {
  for (int k = 1; k < comparison->count; k++) {
    if (comparison->runs[k].macro != comparison->runs[0].macro) return true;
  }
  return false;
}

static const char *label_of(const flg_comparison *comparison, int index, flg_region *region) {
  char step[FLG_STEP_TEXT];
  if (index == comparison->count) {
    return flg_region_format(region, "reference, %s", comparison->reference.coupling);
  }
  const flg_compared *run = &comparison->runs[index];
  if (!has_several_macros(comparison)) return run->coupling;
  return flg_region_format(region, "%s, %s s", run->coupling,
                           flg_compare_step_text(run->macro, step));
}

static void write_json(compared_page *page, const flg_comparison *comparison,
                       const flg_trace *traces) {
  size_t size;
  FILE *out = open_memstream(&page->json, &size);
  if (out == NULL) return;
  flg_json json = flg_json_begin(out);
  flg_compare_write_json(comparison, traces, &json);
  flg_json_end(&json);
  if (fclose(out) != 0) free(page->json), page->json = NULL;
}

static bool compare_page_fill(compared_page *page, const flg_comparison *comparison,
                              const flg_trace *traces, flg_capture *const *captures) {
  const int count = comparison->count + 1;
  page->recordings = flg_region_take(&page->region, (size_t)count, sizeof *page->recordings);
  page->labels = flg_region_take(&page->region, (size_t)count, sizeof *page->labels);
  if (page->recordings == NULL || page->labels == NULL) return false;
  for (int k = 0; k < count; k++) {
    const bool is_whole = traces[k].status == FLG_OK;
    page->recordings[k] = flg_capture_recording(captures[k], is_whole ? "complete" : "diverged");
    page->labels[k] = label_of(comparison, k, &page->region);
  }
  write_json(page, comparison, traces);
  return page->json != NULL && !page->region.failed;
}

flg_status flg_compare_write_page(const flg_comparison *comparison, const flg_trace *traces,
                                  flg_capture *const *captures, const char *path,
                                  flg_error *error) {
  compared_page page = {0};
  flg_status status = FLG_OK;
  if (!compare_page_fill(&page, comparison, traces, captures)) {
    status = flg_fail(error, FLG_ERR_MEMORY, "There is no memory for the report.");
  }
  const flg_page_data data = {.recordings = page.recordings,
                              .labels = page.labels,
                              .count = comparison->count + 1,
                              .comparison = page.json};
  FILE *out = status == FLG_OK ? flg_output_open(path, FLG_KIND_PAGE, error) : NULL;
  if (status == FLG_OK && out == NULL) status = error->status;
  if (out != NULL) {
    status = flg_report_write(&flg_tool_page, &data, out, error);
    const flg_status closed = flg_output_close(out, path, status == FLG_OK ? error : NULL);
    if (status == FLG_OK) status = closed;
  }
  free(page.json);
  flg_region_release(&page.region);
  return status;
}
