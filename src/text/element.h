/* element.h - an XML file as a tree in which every element knows where it was written.
 *
 * Text between the tags is kept where it is a word, such as a number: the files that are read say
 * nearly everything by attributes.
 * Mistakes name the element and the attribute, as in `xyz of <origin>: ...`.
 */
#ifndef FLG_ELEMENT_H
#define FLG_ELEMENT_H

#include <stdbool.h>

#include "base/region.h"
#include "flange/mistakes.h"

typedef struct flg_attribute {
  const char *name, *value;
} flg_attribute;

typedef struct flg_element {
  const char *name; /* prefix:name if it has a prefix */
  flg_place place;  /* of its opening bracket */
  int attribute_count;
  flg_attribute *attributes; /* those without a prefix */
  const char *text;          /* the first word between its tags; NULL: none */
  struct flg_element *first; /* child */
  struct flg_element *next;  /* sibling */
} flg_element;

bool flg_element_is(const flg_element *element, const char *name);
/* The first child of that name, or NULL; then the next sibling of the same name. */
const flg_element *flg_element_child(const flg_element *parent, const char *name);
const flg_element *flg_element_again(const flg_element *element);
/* The only child of that name, or NULL; a second one is a mistake. */
const flg_element *flg_element_only(const flg_element *parent, const char *name,
                                    flg_mistakes *mistakes);
/* The same where there must be one. */
const flg_element *flg_element_need(const flg_element *parent, const char *name,
                                    flg_mistakes *mistakes);

/* An attribute, or NULL. */
const char *flg_element_text(const flg_element *element, const char *attribute);
/* An attribute that must be there and not be empty; NULL with a mistake if it is not. */
const char *flg_element_need_text(const flg_element *element, const char *attribute,
                                  flg_mistakes *mistakes);
/* Reads exactly count numbers, apart by spaces. True if they are there and right; what is wrong is
 * a mistake, and then, as without the attribute, the numbers stay what they were. */
bool flg_element_numbers(const flg_element *element, const char *attribute, int count,
                         double *numbers, flg_mistakes *mistakes);
/* The same for one number that must be there. */
bool flg_element_need_number(const flg_element *element, const char *attribute, double *number,
                             flg_mistakes *mistakes);
/* The number between its tags, or else of its attribute `value`; false: there is none. */
bool flg_element_content(const flg_element *element, double *number);

#endif
