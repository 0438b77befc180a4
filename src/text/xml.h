/* xml.h - XML text into a tree of elements, on Expat.
 *
 * Nothing is fetched and nothing is expanded: a document type (DTD), and with it every entity of
 * the file's own, is refused. Nesting, attributes and size are bounded, so that no input can
 * exhaust the stack, the memory or the user's patience.
 */
#ifndef FLG_XML_H
#define FLG_XML_H

#include <stddef.h>

#include "text/element.h"

enum {
  FLG_XML_MAX_DEPTH = 64,
  FLG_XML_MAX_ATTRIBUTES = 1000 /* of one element */
};

/* The root of the tree, in the region, or NULL with a mistake. `file` names the text in mistakes
 * and is borrowed by the elements. */
flg_element *flg_xml_parse(flg_region *region, const char *file, const char *text, size_t length,
                           flg_mistakes *mistakes);

#endif
