#include "text/xml.h"

#include <expat.h>
#include <limits.h>
#include <string.h>

#include "base/input_limits.h"
#include "text/plain_text.h"

enum { WORD_MOST = 40 }; /* bytes of text that are kept */
static const char BLANKS[] = " \t\r\n";

/* what is open while the events come in */
typedef struct builder {
  flg_region *region;
  const char *file, *text;
  size_t length;
  flg_mistakes *mistakes;
  XML_Parser parser;
  int depth;
  flg_element *open[FLG_XML_MAX_DEPTH]; /* from the root down */
  flg_element *
      *end[FLG_XML_MAX_DEPTH + 1]; /* where the next element goes: the root, then children */
  flg_element *root;
  bool failed; /* the reason is reported; whatever else the parser says follows from it */
} builder;

static void fail_xml(builder *build, flg_place place, const char *message) {
  if (build->failed) return;
  build->failed = true;
  flg_mistake_add(build->mistakes, FLG_ERR_INPUT, place, "%s", message);
}

static void xml_fail_memory(builder *build) {
  if (build->failed) return;
  build->failed = true;
  flg_mistake_add(build->mistakes, FLG_ERR_MEMORY, (flg_place){.file = build->file},
                  "no memory left to read the file");
}

/* where the tag, or whatever else is being read, begins */
static flg_place place_of_tag(const builder *build) {
  return (flg_place){.file = build->file,
                     .line = (int)XML_GetCurrentLineNumber(build->parser),
                     .column = (int)XML_GetCurrentColumnNumber(build->parser) + 1};
}

static void stop_xml(builder *build, flg_place place, const char *message) {
  fail_xml(build, place, message);
  XML_StopParser(build->parser, XML_FALSE);
}

/* --- what the parser finds ------------------------------------------------------------------- */

static const char *keep_text(const builder *build, const char *text) {
  return flg_region_text(build->region, text, strlen(text));
}

/* those of other vocabularies, and what declares them, are passed over */
static bool is_foreign(const char *name) {
  return strchr(name, ':') != NULL || strcmp(name, "xmlns") == 0;
}

/* names and values take turns in `from`, which ends with NULL */
static bool take_attributes(const builder *build, flg_element *element, int count,
                            const char **from) {
  element->attributes = flg_region_take(build->region, (size_t)count, sizeof(flg_attribute));
  if (element->attributes == NULL) return false;
  for (; *from != NULL; from += 2) {
    if (is_foreign(from[0])) continue;
    element->attributes[element->attribute_count++] =
        (flg_attribute){keep_text(build, from[0]), keep_text(build, from[1])};
  }
  return !build->region->failed;
}

static void xml_add_element(builder *build, const char *name, int attribute_count,
                            const char **attributes) {
  flg_element *element = flg_region_take(build->region, 1, sizeof *element);
  if (element == NULL || !take_attributes(build, element, attribute_count, attributes)) {
    xml_fail_memory(build);
    XML_StopParser(build->parser, XML_FALSE);
    return;
  }
  element->name = keep_text(build, name);
  element->place = place_of_tag(build);
  *build->end[build->depth] = element;
  build->end[build->depth] = &element->next;
  build->open[build->depth++] = element;
  build->end[build->depth] = &element->first;
}

static void begin_element(void *user, const char *name, const char **attributes) {
  builder *build = user;
  int count = 0;
  while (attributes[2 * count] != NULL) count++;
  if (build->failed) return;
  if (build->depth == FLG_XML_MAX_DEPTH) {
    stop_xml(build, place_of_tag(build), "nested too deeply; at most 64 levels are read");
  } else if (count > FLG_XML_MAX_ATTRIBUTES) {
    stop_xml(build, place_of_tag(build),
             "an element has more than 1000 attributes, which are not read");
  } else {
    xml_add_element(build, name, count, attributes);
  }
}

/* what is longer than a number is of no use */
static void hear_text(void *user, const char *text, int length) {
  builder *build = user;
  const char *word = text, *stop_at = word + length;
  while (word < stop_at && strchr(BLANKS, *word) != NULL) word++;
  if (build->failed || build->depth == 0 || word == stop_at) return;
  size_t size = 0;
  while (word + size < stop_at && strchr(BLANKS, word[size]) == NULL) size++;
  flg_element *element = build->open[build->depth - 1];
  if (element->text != NULL || size > WORD_MOST) return;
  element->text = flg_region_text(build->region, word, size);
}

static void end(void *user, const char *name) {
  (void)name;
  builder *build = user;
  if (!build->failed) build->depth--;
}

static void refuse_document_type(void *user, const char *name, const char *system,
                                 const char *public, int has_subset) {
  (void)name, (void)system, (void)public, (void)has_subset;
  builder *build = user;
  const flg_place place = {build->file, place_of_tag(build).line,
                           1}; /* the parser is at its name */
  stop_xml(build, place,
           "the file has a document type (DTD), which is not read: take <!DOCTYPE ...> out");
}

/* --- the whole text -------------------------------------------------------------------------- */

static void tell_error(builder *build) {
  const enum XML_Error code = XML_GetErrorCode(build->parser);
  if (code == XML_ERROR_NO_MEMORY) xml_fail_memory(build);
  if (build->failed) return;
  build->failed = true;
  const flg_place place = place_of_tag(build);
  const flg_element *open = build->depth == 0 ? NULL : build->open[build->depth - 1];
  if (open == NULL) {
    flg_mistake_add(build->mistakes, FLG_ERR_INPUT, place, "this is not XML: %s",
                    XML_ErrorString(code));
  } else {
    flg_mistake_add(build->mistakes, FLG_ERR_INPUT, place,
                    "this is not XML: %s, inside of <%s> on line %d", XML_ErrorString(code),
                    open->name, open->place.line);
  }
}

/* all of it is UTF-8, whatever it says of itself */
static void parse_xml(builder *build) {
  build->parser = XML_ParserCreate("UTF-8");
  if (build->parser == NULL) {
    xml_fail_memory(build);
    return;
  }
  XML_SetUserData(build->parser, build);
  XML_SetElementHandler(build->parser, begin_element, end);
  XML_SetCharacterDataHandler(build->parser, hear_text);
  XML_SetStartDoctypeDeclHandler(build->parser, refuse_document_type);
  const bool is_whole =
      XML_Parse(build->parser, build->text, (int)build->length, XML_TRUE) == XML_STATUS_OK;
  if (build->region->failed) xml_fail_memory(build);
  if (!is_whole) tell_error(build);
  XML_ParserFree(build->parser);
}

flg_element *flg_xml_parse(flg_region *region, const char *file, const char *text, size_t length,
                           flg_mistakes *mistakes) {
  builder build = {
      .region = region, .file = file, .text = text, .length = length, .mistakes = mistakes};
  build.end[0] = &build.root;
  if (length == 0) {
    fail_xml(&build, (flg_place){.file = file}, "the file is empty");
  } else if (length > INT_MAX || (double)length > FLG_MIB * flg_input_limit_value(FLG_LIMIT_TEXT)) {
    fail_xml(&build, (flg_place){.file = file}, "the text is too long");
  } else if (flg_plain_text_check(file, text, length, mistakes)) {
    parse_xml(&build);
  } else {
    build.failed = true;
  }
  return build.failed ? NULL : build.root;
}
