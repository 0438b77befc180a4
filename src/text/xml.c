#include "text/xml.h"

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "base/input_limits.h"
#include "base/memory_reserve.h"
#include "text/plain_text.h"

enum { WORD_MOST = 40 }; /* bytes of text that are kept */
/* what libxml2 takes at most, and for each byte of a text; it may crash without it */
enum { PARSER_BYTES = 1 << 20, PARSER_BYTES_EACH = 16 };
static const char BLANKS[] = " \t\r\n";

/* what is open while the events come in */
typedef struct builder {
  flg_region *region;
  const char *file, *text;
  size_t length;
  flg_mistakes *mistakes;
  xmlParserCtxtPtr parser;
  int depth;
  flg_element *open[FLG_XML_MAX_DEPTH]; /* from the root down */
  flg_element *
      *end[FLG_XML_MAX_DEPTH + 1]; /* where the next element goes: the root, then children */
  flg_element *root;
  bool failed; /* the reason is told; whatever else the parser says follows from it */
} builder;

static void fail(builder *build, flg_place place, const char *message) {
  if (build->failed) return;
  build->failed = true;
  flg_mistake_add(build->mistakes, FLG_ERR_INPUT, place, "%s", message);
}

static void fail_memory(builder *build) {
  if (build->failed) return;
  build->failed = true;
  flg_mistake_add(build->mistakes, FLG_ERR_MEMORY, (flg_place){.file = build->file},
                  "no memory left to read the file");
}

static void stop(builder *build, flg_place place, const char *message) {
  fail(build, place, message);
  xmlStopParser(build->parser);
}

/* --- places ---------------------------------------------------------------------------------- */

/* The parser stands at the end of a tag, which may have several lines: its place is that of the
 * bracket that opens it. Attributes cannot contain one. A file that has to be converted to UTF-8
 * is not the text that the parser counts in: there the line must do. */
static flg_place place_of_tag(const builder *build) {
  const xmlParserInput *input = build->parser->input;
  flg_place place = {.file = build->file, .line = input->line, .column = 1};
  const long consumed = input->buf->encoder == NULL ? xmlByteConsumed(build->parser) : -1;
  if (consumed < 0 || (size_t)consumed > build->length) return place;
  const char *at = build->text + consumed;
  while (at > build->text && *--at != '<') place.line -= *at == '\n';
  const char *bracket = at;
  while (at > build->text && at[-1] != '\n') at--;
  place.column = (int)(bracket - at) + 1;
  return place;
}

/* --- what the parser finds ------------------------------------------------------------------- */

static const char *name_of(const builder *build, const xmlChar *name, const xmlChar *prefix) {
  const char *local = (const char *)name;
  if (prefix == NULL) return flg_region_text(build->region, local, strlen(local));
  return flg_region_format(build->region, "%s:%s", (const char *)prefix, local);
}

/* libxml2 gives five pointers an attribute: name, prefix, namespace, value and its end */
static bool take_attributes(const builder *build, flg_element *element, int count,
                            const xmlChar **from) {
  enum { NAME, PREFIX, VALUE = 3, END, STRIDE };
  element->attributes = flg_region_take(build->region, (size_t)count, sizeof(flg_attribute));
  if (element->attributes == NULL) return false;
  for (; count > 0; count--, from += STRIDE) {
    if (from[PREFIX] != NULL) continue;
    element->attributes[element->attribute_count++] = (flg_attribute){
        name_of(build, from[NAME], NULL), flg_region_text(build->region, (const char *)from[VALUE],
                                                          (size_t)(from[END] - from[VALUE]))};
  }
  return !build->region->failed;
}

static void begin(void *user, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri,
                  int namespace_count, const xmlChar **namespaces, int attribute_count,
                  int default_count, const xmlChar **attributes) {
  (void)uri, (void)namespace_count, (void)namespaces, (void)default_count;
  builder *build = user;
  if (build->failed) return;
  const flg_place place = place_of_tag(build);
  if (build->depth == FLG_XML_MAX_DEPTH) {
    stop(build, place, "nested too deeply; at most 64 levels are read");
    return;
  }
  flg_element *element = flg_region_take(build->region, 1, sizeof *element);
  if (element == NULL || !take_attributes(build, element, attribute_count, attributes)) {
    fail_memory(build);
    xmlStopParser(build->parser);
    return;
  }
  element->name = name_of(build, name, prefix);
  element->place = place;
  *build->end[build->depth] = element;
  build->end[build->depth] = &element->next;
  build->open[build->depth++] = element;
  build->end[build->depth] = &element->first;
}

/* what is longer than a number is of no use */
static void hear_text(void *user, const xmlChar *text, int length) {
  builder *build = user;
  const char *word = (const char *)text, *stop_at = word + length;
  while (word < stop_at && strchr(BLANKS, *word) != NULL) word++;
  if (build->failed || build->depth == 0 || word == stop_at) return;
  size_t size = 0;
  while (word + size < stop_at && strchr(BLANKS, word[size]) == NULL) size++;
  flg_element *element = build->open[build->depth - 1];
  if (element->text != NULL || size > WORD_MOST) return;
  element->text = flg_region_text(build->region, word, size);
}

static void end(void *user, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri) {
  (void)name, (void)prefix, (void)uri;
  builder *build = user;
  if (!build->failed) build->depth--;
}

static void refuse_document_type(void *user, const xmlChar *name, const xmlChar *external,
                                 const xmlChar *system) {
  (void)name, (void)external, (void)system;
  builder *build = user;
  const flg_place place = {build->file, build->parser->input->line, 1};
  stop(build, place,
       "the file has a document type (DTD), which is not read: take <!DOCTYPE ...> out");
}

#if LIBXML_VERSION < 21200
typedef xmlError complaint;
#else
typedef const xmlError complaint;
#endif

/* the first fatal error is the cause, the others follow from it; unknown prefixes do no harm */
static void hear(void *user, complaint *heard) {
  builder *build = user;
  if (heard->code == XML_ERR_NO_MEMORY) fail_memory(build);
  if (build->failed || heard->level != XML_ERR_FATAL) return;
  build->failed = true;
  const char *message = heard->message == NULL ? "the parser gave up" : heard->message;
  const flg_place place = {build->file, heard->line, heard->int2 > 0 ? heard->int2 : 1};
  flg_mistake_add(build->mistakes, FLG_ERR_INPUT, place, "this is not XML: %.*s",
                  (int)strcspn(message, "\n"), message);
}

/* --- before the parser ----------------------------------------------------------------------- */

/* libxml2 compares every attribute of an element with all others: thousands would take hours. An
 * attribute has an equals sign before a quote or a space; elements begin with a bracket. */
static bool has_few_attributes(builder *build) {
  flg_place place = {build->file, 1, 1};
  const char *line = build->text, *stop_at = build->text + build->length;
  int count = 0;
  for (const char *at = build->text; at < stop_at; at++) {
    if (*at == '\n') line = at + 1, place.line++;
    if (*at == '<') count = 0;
    if (*at != '=' || ++count <= FLG_XML_MAX_ATTRIBUTES) continue;
    if (at + 1 == stop_at || strchr("\"' \t\r\n", at[1]) == NULL) continue;
    place.column = (int)(at - line) + 1;
    fail(build, place, "an element has more than 1000 attributes, which are not read");
    return false;
  }
  return true;
}

static void initialise(void) {
  xmlInitParser();
}

static void parse(builder *build) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, initialise);
  build->parser = xmlCreateMemoryParserCtxt(build->text, (int)build->length);
  if (build->parser == NULL) {
    fail_memory(build);
    return;
  }
  /* without a document type only the five entities of XML itself are left to be replaced */
  xmlCtxtUseOptions(build->parser, XML_PARSE_NONET | XML_PARSE_NOENT);
  *build->parser->sax = (xmlSAXHandler){.initialized = XML_SAX2_MAGIC,
                                        .internalSubset = refuse_document_type,
                                        .startElementNs = begin,
                                        .endElementNs = end,
                                        .characters = hear_text,
                                        .serror = hear};
  build->parser->userData = build;
  xmlParseDocument(build->parser);
  if (build->region->failed || build->parser->errNo == XML_ERR_NO_MEMORY) fail_memory(build);
  xmlFreeParserCtxt(build->parser);
}

flg_element *flg_xml_parse(flg_region *region, const char *file, const char *text, size_t length,
                           flg_mistakes *mistakes) {
  builder build = {
      .region = region, .file = file, .text = text, .length = length, .mistakes = mistakes};
  build.end[0] = &build.root;
  if (length == 0) {
    fail(&build, (flg_place){.file = file}, "the file is empty");
  } else if ((double)length > FLG_MIB * flg_input_limit_value(FLG_LIMIT_TEXT)) {
    fail(&build, (flg_place){.file = file}, "the text is too long");
  } else if (!flg_memory_reserve(PARSER_BYTES + PARSER_BYTES_EACH * length)) {
    fail_memory(&build);
  } else if (flg_plain_text_check(file, text, length, mistakes) && has_few_attributes(&build)) {
    parse(&build);
  } else {
    build.failed = true;
  }
  return build.failed ? NULL : build.root;
}
