#include "io/section_write.h"

#include <math.h>
#include <string.h>

#include "base/given.h"
#include "text/quantity.h"

/* [a, b, c] of `count` texts that `one` makes */
typedef const char *text_maker(const flg_field *field, const void *items, int index,
                               flg_region *region);

static const char *list_of(const flg_field *field, const void *items, int count, text_maker *one,
                           flg_region *region) {
  const char *text = "[";
  for (int k = 0; k < count && text != NULL; k++) {
    const char *item = one(field, items, k, region);
    text =
        item == NULL ? NULL : flg_region_format(region, "%s%s%s", text, k == 0 ? "" : ", ", item);
  }
  return text == NULL ? NULL : flg_region_format(region, "%s]", text);
}

static const char *number(const flg_field *field, const void *items, int index,
                          flg_region *region) {
  char text[FLG_NUMBER_TEXT];
  (void)field;
  return flg_region_format(region, "%s", flg_number_write(((const double *)items)[index], text));
}

static const char *item(const flg_field *field, const void *items, int index, flg_region *region) {
  const unsigned char *first = items;
  return flg_section_write(field->section, first + (size_t)index * field->section->bytes, region);
}

/* a section that is absent has its own name, not that of its key */
static bool is_member_given(const flg_field *field, const void *member) {
  const flg_origin *origin = member;
  return origin->name != field->section->name;
}

/* NULL: there is nothing to write, or no memory */
static const char *value_of(const flg_field *field, const void *member, flg_region *region) {
  const flg_numbers *numbers = member;
  const flg_items *items = member;
  switch (field->kind) {
    case FLG_FIELD_NUMBER:
      return isnan(*(const double *)member) ? NULL : number(field, member, 0, region);
    case FLG_FIELD_VECTOR:
      if (isnan(*(const double *)member)) return NULL;
      return list_of(field, member, field->size, number, region);
    case FLG_FIELD_NUMBERS:
      if (numbers->count == 0) return NULL;
      return list_of(field, numbers->values, numbers->count, number, region);
    case FLG_FIELD_INTEGER:
      return flg_region_format(region, "%d", *(const int *)member);
    case FLG_FIELD_CHOICE:
      return field->choices[*(const int *)member];
    case FLG_FIELD_FLAG:
      return *(const bool *)member ? "true" : "false";
    case FLG_FIELD_SECTION:
      return is_member_given(field, member) ? flg_section_write(field->section, member, region)
                                            : NULL;
    case FLG_FIELD_LIST:
      if (items->count == 0) return NULL;
      return list_of(field, items->items, items->count, item, region);
    default:
      return NULL;
  }
}

const char *flg_section_write(const flg_section *section, const void *values, flg_region *region) {
  const char *text = "", *comma = "";
  for (int k = 0; k < section->field_count && text != NULL; k++) {
    const flg_field *field = &section->fields[k];
    const char *value = value_of(field, (const unsigned char *)values + field->offset, region);
    if (value == NULL || (field->fallback != NULL && strcmp(value, field->fallback) == 0)) continue;
    text = flg_region_format(region, "%s%s%s: %s", text, comma, field->key, value);
    comma = ", ";
  }
  return text == NULL || region->failed ? NULL : flg_region_format(region, "{%s}", text);
}
