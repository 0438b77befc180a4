#include "interface/join.h"

#include "interface/eliminate_inner.h"

/* velocities, gaps and kinds of the rows that stay */
static void hand_on_rows(const flg_elimination *e, flg_interface_model *const models[2],
                         flg_interface_model *out) {
  double *w = flg_interface_model_velocity(out), *gap = flg_interface_model_gap(out);
  unsigned char *kind = flg_interface_model_kind(out);
  for (int c = 0; c < 2; c++) {
    if (models[c] == NULL) continue;
    for (int i = 0; i < e->shape.kept[c]; i++) {
      const int row = e->kept[c][i];
      *w++ = flg_interface_model_velocity(models[c])[row];
      *gap++ = flg_interface_model_gap(models[c])[row];
      *kind++ = flg_interface_model_kind(models[c])[row];
    }
  }
}

static flg_status eliminate(flg_elimination *e, flg_pivots pivots,
                            flg_interface_model *const models[2], flg_interface_model *out) {
  const double *matrix[2] = {0}, *bias[2] = {0};
  if (e->shape.form != FLG_FORM_ADMITTANCE) return FLG_ERR_RANGE;
  for (int c = 0; c < 2; c++) {
    if (e->shape.rows[c] != (models[c] == NULL ? 0 : models[c]->rows)) return FLG_ERR_RANGE;
    if (models[c] == NULL) continue;
    matrix[c] = flg_interface_model_admittance(models[c]);
    bias[c] = flg_interface_model_bias(models[c]);
  }
  flg_status status = flg_interface_model_resize(out, flg_shape_kept(&e->shape));
  if (status != FLG_OK) return status;
  status = flg_elimination_factor(e, pivots, matrix, flg_interface_model_admittance(out));
  if (status != FLG_OK) return status;
  hand_on_rows(e, models, out);
  return flg_elimination_refresh(e, bias, flg_interface_model_bias(out));
}

flg_status flg_interface_reduce(flg_elimination *elimination, flg_pivots pivots,
                                flg_interface_model *part, flg_interface_model *out) {
  return eliminate(elimination, pivots, (flg_interface_model *[]){part, NULL}, out);
}

flg_status flg_interface_join(flg_elimination *elimination, flg_pivots pivots,
                              flg_interface_model *first, flg_interface_model *second,
                              flg_interface_model *out) {
  return eliminate(elimination, pivots, (flg_interface_model *[]){first, second}, out);
}
