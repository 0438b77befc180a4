#include "viewer/report.h"

#include <stdlib.h>
#include <string.h>

#include "viewer/base64.h"

/* rows at a time: 3 divides it, so that pieces of base64 follow each other without padding */
enum { ROWS = 3 << 10, LIST_ROWS = 3 << 10 };

flg_status flg_page_check(const flg_page *page, flg_error *error) {
  if (page->size > 0) return FLG_OK;
  return flg_fail(error, FLG_ERR_USAGE,
                  "this build of flange has no page to show: npm was not there, or had no network, "
                  "when it was built; install nodejs and npm, and build again");
}

/* Values of one signal, as many rows as there are. */
typedef struct piece {
  const flg_recording *from;
  int signal;
  int width;
  int64_t rows, every; /* rows before thinning out */
} piece;

static flg_status write_piece(const piece *of, FILE *out, flg_error *error) {
  const size_t most = ROWS * (size_t)of->width * sizeof(double);
  double *values = malloc(most);
  char *text = malloc(flg_base64_length(most));
  flg_status status = FLG_OK;
  if (values == NULL || text == NULL) {
    status = flg_fail(error, FLG_ERR_MEMORY, "There is no memory for the page.");
  }
  const int64_t kept = flg_page_kept(of->rows, of->every);
  for (int64_t k = 0; k < kept && status == FLG_OK; k += ROWS) {
    const int64_t count = kept - k < ROWS ? kept - k : ROWS;
    const size_t bytes = (size_t)count * (size_t)of->width * sizeof(double);
    status = of->from->read(of->from, of->signal, k * of->every, count, of->every, values, error);
    if (status != FLG_OK) break;
    flg_base64_encode(values, bytes, text);
    (void)fwrite(text, 1, flg_base64_length(bytes), out);
  }
  free(values);
  free(text);
  return status;
}

static flg_status write_element(const piece *of, const char *id, FILE *out, flg_error *error) {
  fprintf(out, "<script type=\"text/plain\" id=\"%s\">", id);
  const flg_status status = write_piece(of, out, error);
  (void)fputs("</script>\n", out);
  return status;
}

static flg_status report_write_recording(const flg_page_data *data, int index, FILE *out,
                                         flg_error *error) {
  const flg_recording *from = &data->recordings[index];
  const flg_page_thinning thinning = flg_page_thin(data, from);
  char id[40];
  snprintf(id, sizeof id, "r%d-time", index);
  const piece times = {from, FLG_RECORDING_TIME, 1, from->rows, thinning.signals};
  flg_status status = write_element(&times, id, out, error);
  for (int k = 0; k < from->signal_count && status == FLG_OK; k++) {
    const bool pose = flg_page_is_pose(&from->signals[k]);
    const piece signal = {from, k, from->signals[k].width, from->rows,
                          pose ? thinning.poses : thinning.signals};
    snprintf(id, sizeof id, "r%d-%d", index, k);
    status = write_element(&signal, id, out, error);
  }
  if (status != FLG_OK || from->list.width == 0) return status;
  snprintf(id, sizeof id, "r%d-list", index);
  const piece list = {from, FLG_RECORDING_LIST, from->list.width, from->list_rows, 1};
  return write_element(&list, id, out, error);
}

/* the page up to the place of data, and from there on */
static const char *place_in(const flg_page *page) {
  const char *place = strstr(page->text, FLG_PAGE_PLACE);
  return place == NULL ? page->text + page->size : place;
}

flg_status flg_report_write(const flg_page *page, const flg_page_data *data, FILE *out,
                            flg_error *error) {
  flg_status status = flg_page_check(page, error);
  if (status != FLG_OK) return status;
  const char *place = place_in(page);
  (void)fwrite(page->text, 1, (size_t)(place - page->text), out);
  (void)fputs("<script type=\"application/json\" id=\"flange-data\">", out);
  status = flg_page_data_write(data, out, error);
  (void)fputs("</script>\n", out);
  for (int k = 0; k < data->count && status == FLG_OK; k++) {
    status = report_write_recording(data, k, out, error);
  }
  const char *end = page->text + page->size;
  if (place < end) place += strlen(FLG_PAGE_PLACE);
  (void)fwrite(place, 1, (size_t)(end - place), out);
  return status;
}
