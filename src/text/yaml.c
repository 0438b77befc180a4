#include "text/yaml.h"

#include <errno.h>
#include <libfyaml.h>
#include <stdlib.h>
#include <string.h>

#include "base/growing.h"
#include "base/input_limits.h"
#include "base/memory_reserve.h"
#include "base/name_index.h"
#include "text/plain_text.h"

/* The most memory that libfyaml takes, in all and for each byte of a text: it does not return from
 * some allocations that fail. */
enum { PARSER_BYTES = 1 << 20, PARSER_BYTES_EACH = 64 };

typedef struct anchor {
  flg_node *node;
  double nodes; /* in it, 0: not counted yet */
  int levels;   /* of them */
} anchor;

/* what is open while the events come in */
typedef struct builder {
  flg_region *region;
  const char *file;
  flg_mistakes *mistakes;
  int depth;
  flg_node *open[FLG_YAML_MAX_DEPTH];     /* maps and lists from the root down */
  flg_node **end[FLG_YAML_MAX_DEPTH + 1]; /* where the next node goes: the root, then children */
  const char *key;                        /* of the map on top, read and waiting for its value */
  flg_place key_place;
  flg_node *root;
  double *values;    /* nodes so far */
  bool is_exhausted; /* libfyaml got no memory */
  flg_name_index anchor_names;
  flg_growing anchors;
} builder;

static flg_place place_of_token(const builder *build, struct fy_token *token) {
  const struct fy_mark *mark = token == NULL ? NULL : fy_token_start_mark(token);
  if (mark == NULL) return (flg_place){.file = build->file};
  return (flg_place){.file = build->file, .line = mark->line + 1, .column = mark->column + 1};
}

/* NULL: no memory is left */
static const char *text_of(builder *build, struct fy_token *token) {
  size_t length = 0;
  errno = 0;
  const char *text = token == NULL ? NULL : fy_token_get_text(token, &length);
  if (errno == ENOMEM) build->is_exhausted = true;
  if (build->is_exhausted) return NULL;
  return flg_region_text(build->region, text == NULL ? "" : text, text == NULL ? 0 : length);
}

static bool fail_yaml(const builder *build, flg_place place, const char *message) {
  flg_mistake_add(build->mistakes, FLG_ERR_INPUT, place, "%s", message);
  return false;
}

static bool expects_key(const builder *build) {
  return build->depth > 0 && build->open[build->depth - 1]->kind == FLG_NODE_MAP &&
         build->key == NULL;
}

/* the last of a name is meant */
static void remember_anchor(builder *build, struct fy_token *token, flg_node *node) {
  const char *name = token == NULL ? NULL : text_of(build, token);
  if (name == NULL || build->region->failed) return; /* a name may be known without its anchor */
  const int number = build->anchors.count;
  const int known = flg_name_index_add(&build->anchor_names, name, number, build->region);
  anchor *entry = known == FLG_NAME_UNKNOWN
                      ? flg_growing_add(&build->anchors, sizeof *entry, build->region)
                      : (anchor *)build->anchors.items + known;
  if (entry != NULL) *entry = (anchor){.node = node};
}

/* false, with a mistake, if that many more are too many */
static bool count_nodes(const builder *build, double more, flg_place place) {
  const double most = flg_input_limit_value(FLG_LIMIT_VALUES);
  *build->values += more;
  if (*build->values <= most) return true;
  flg_mistake_add(build->mistakes, FLG_ERR_INPUT, place,
                  "there are more than %g values, aliases and includes counted in full; --limit "
                  "values=%g reads more",
                  most, 10 * most);
  return false;
}

/* hangs a finished node, or one about to be filled, where it belongs */
static void attach(builder *build, flg_node *node) {
  node->value_place = node->place;
  if (build->key != NULL) {
    node->key = build->key;
    node->place = build->key_place;
    build->key = NULL;
  }
  /* what is empty has no place of its own */
  if (node->place.line == 0 && build->depth > 0) {
    node->place = build->open[build->depth - 1]->value_place;
  }
  if (node->value_place.line == 0) node->value_place = node->place;
  /* begin_yaml_node has set the end of every depth that is open:
   * NOLINTNEXTLINE(clang-analyzer-core*) */
  *build->end[build->depth] = node;
  build->end[build->depth] = &node->next;
}

static bool add_key(builder *build, struct fy_token *token, flg_place place) {
  const char *key = text_of(build, token);
  if (key == NULL) return false;
  build->key = key;
  build->key_place = place;
  return true;
}

/* a key that stands twice in a map that is now complete */
static void check_repeated_keys(builder *build, const flg_node *map) {
  flg_name_index lines = {0};
  flg_region scratch = {0};
  for (const flg_node *child = map->first; child != NULL; child = child->next) {
    const int line = flg_name_index_add(&lines, child->key, child->place.line, &scratch);
    if (line == FLG_NAME_UNKNOWN) continue;
    flg_mistake_add(build->mistakes, FLG_ERR_INPUT, child->place,
                    "key '%s' stands twice in this map, first at line %d; keep one of them",
                    child->key, line);
  }
  if (scratch.failed) build->is_exhausted = true;
  flg_region_release(&scratch);
}

static bool add_scalar(builder *build, const struct fy_event *event) {
  struct fy_token *token = event->scalar.value;
  const flg_place place = place_of_token(build, token);
  if (expects_key(build)) return add_key(build, token, place);
  if (!count_nodes(build, 1, place)) return false;
  flg_node *node = flg_region_take(build->region, 1, sizeof *node);
  const char *text = text_of(build, token);
  if (node == NULL || text == NULL) return false;
  const bool quoted = token != NULL && fy_token_scalar_style(token) != FYSS_PLAIN;
  *node = (flg_node){.kind = FLG_NODE_SCALAR, .quoted = quoted, .text = text, .place = place};
  attach(build, node);
  remember_anchor(build, event->scalar.anchor, node);
  return true;
}

/* nodes below one, and how many levels they are */
static void measure_node(const flg_node *node, anchor *of, int level) {
  of->nodes++;
  if (level > of->levels) of->levels = level;
  for (const flg_node *child = node->first; child != NULL; child = child->next) {
    measure_node(child, of, level + 1);
  }
}

static bool copy_anchor(builder *build, anchor *entry, flg_place place) {
  for (int k = 0; k < build->depth; k++) {
    if (build->open[k] == entry->node) return fail_yaml(build, place, "an alias contains itself");
  }
  if (entry->nodes == 0) measure_node(entry->node, entry, 1);
  if (build->depth + entry->levels > FLG_YAML_MAX_DEPTH) {
    return fail_yaml(build, place, "nested too deeply; at most 64 levels are read");
  }
  if (!count_nodes(build, entry->nodes, place)) return false;
  flg_node *copy = flg_node_copy(build->region, entry->node);
  if (copy == NULL) return false;
  copy->key = NULL;
  copy->place = place;
  attach(build, copy);
  return true;
}

static bool add_alias(builder *build, struct fy_token *token) {
  const flg_place place = place_of_token(build, token);
  const char *name = text_of(build, token);
  if (name == NULL) return false;
  if (expects_key(build)) return fail_yaml(build, place, "an alias cannot be a key");
  const int number = flg_name_index_find(&build->anchor_names, name);
  if (number < build->anchors.count && number >= 0) {
    return copy_anchor(build, (anchor *)build->anchors.items + number, place);
  }
  flg_mistake_add(build->mistakes, FLG_ERR_INPUT, place, "alias '%s' has no anchor", name);
  return false;
}

static bool begin_yaml_node(builder *build, flg_node_kind kind, struct fy_token *token,
                            struct fy_token *anchor_token) {
  const flg_place place = place_of_token(build, token);
  if (expects_key(build))
    return fail_yaml(build, place, "a key must be a word, not a list or a map");
  if (build->depth == FLG_YAML_MAX_DEPTH) {
    return fail_yaml(build, place, "nested too deeply; at most 64 levels are read");
  }
  if (!count_nodes(build, 1, place)) return false;
  flg_node *node = flg_region_take(build->region, 1, sizeof *node);
  if (node == NULL) return false;
  *node = (flg_node){.kind = kind, .place = place};
  attach(build, node);
  remember_anchor(build, anchor_token, node);
  build->open[build->depth++] = node;
  build->end[build->depth] = &node->first;
  return true;
}

/* false ends the parse; the reason is among the mistakes, or the region has failed */
static bool take_event(builder *build, const struct fy_event *event) {
  switch (event->type) {
    case FYET_SCALAR:
      return add_scalar(build, event);
    case FYET_ALIAS:
      return add_alias(build, event->alias.anchor);
    case FYET_MAPPING_START:
      return begin_yaml_node(build, FLG_NODE_MAP, event->mapping_start.mapping_start,
                             event->mapping_start.anchor);
    case FYET_SEQUENCE_START:
      return begin_yaml_node(build, FLG_NODE_LIST, event->sequence_start.sequence_start,
                             event->sequence_start.anchor);
    case FYET_MAPPING_END:
      check_repeated_keys(build, build->open[--build->depth]);
      return true;
    case FYET_SEQUENCE_END:
      build->depth--;
      return true;
    case FYET_DOCUMENT_START:
      if (build->root == NULL) return true;
      return fail_yaml(build, place_of_token(build, event->document_start.document_start),
                       "a second document starts here; one file holds one document");
    default:
      return true;
  }
}

/* libfyaml's own words; its first message is the cause, the others follow from it */
typedef struct complaint {
  size_t length;
  char text[400];
} complaint;

static void hear(struct fy_diag *diag, void *user, const char *text, size_t length) {
  (void)diag;
  complaint *heard = user;
  const size_t left = sizeof heard->text - 1 - heard->length;
  if (length > left) length = left;
  memcpy(heard->text + heard->length, text, length);
  heard->length += length;
}

static void report_memory(const builder *build) {
  flg_mistake_add(build->mistakes, FLG_ERR_MEMORY, (flg_place){.file = build->file},
                  "no memory left to read the file");
}

/* what was heard starts with `name:line:column: error: what is wrong` and a line break */
static void report_syntax(const builder *build, complaint *heard) {
  flg_place place = {.file = build->file};
  const char *message = strstr(heard->text, "error: ");
  message = message == NULL ? "the parser gave up" : message + strlen("error: ");
  char *colon = strchr(heard->text, ':');
  if (colon != NULL) place.line = (int)strtol(colon + 1, &colon, 10);
  if (colon != NULL && *colon == ':') place.column = (int)strtol(colon + 1, NULL, 10);
  flg_mistake_add(build->mistakes, FLG_ERR_INPUT, place, "this is not YAML: %.*s",
                  (int)strcspn(message, "\n"), message);
}

/* The next event. libfyaml does not say that memory ran out, but leaves it in errno. */
static struct fy_event *next_event(builder *build, struct fy_parser *parser) {
  errno = 0;
  struct fy_event *event = fy_parser_parse(parser);
  if (errno == ENOMEM) build->is_exhausted = true;
  return event;
}

static void build_tree(builder *build, struct fy_parser *parser, complaint *heard) {
  struct fy_event *event;
  bool going_on = true, ended = false;
  while (going_on && (event = next_event(build, parser)) != NULL) {
    ended = event->type == FYET_STREAM_END;
    going_on = take_event(build, event) && !build->is_exhausted;
    fy_parser_event_free(parser, event);
  }
  if (build->is_exhausted || build->region->failed) {
    report_memory(build);
  } else if (going_on && !ended) {
    report_syntax(build, heard);
  }
}

flg_node *flg_yaml_parse(flg_region *region, const char *file, const char *text, size_t length,
                         flg_mistakes *mistakes) {
  double values = 0;
  return flg_yaml_parse_more(region, file, text, length, &values, mistakes);
}

flg_node *flg_yaml_parse_more(flg_region *region, const char *file, const char *text, size_t length,
                              double *values, flg_mistakes *mistakes) {
  builder build = {.region = region, .file = file, .mistakes = mistakes, .values = values};
  build.end[0] = &build.root;
  /* libfyaml trusts its input to be UTF-8, and may not come back from what is not */
  if (!flg_plain_text_check(file, text, length, mistakes)) return NULL;
  if (!flg_memory_reserve(PARSER_BYTES + PARSER_BYTES_EACH * length)) {
    report_memory(&build);
    return NULL;
  }
  complaint heard = {0};
  struct fy_diag_cfg listening;
  fy_diag_cfg_default(&listening);
  listening.fp = NULL, listening.output_fn = hear, listening.user = &heard;
  listening.colorize = false, listening.show_position = true, listening.show_type = true;
  struct fy_diag *diag = fy_diag_create(&listening);
  const struct fy_parse_cfg options = {.flags = FYPCF_DEFAULT_PARSE, .diag = diag};
  struct fy_parser *parser = diag == NULL ? NULL : fy_parser_create(&options);
  if (parser != NULL && fy_parser_set_string(parser, text, length) == 0) {
    build_tree(&build, parser, &heard);
  } else {
    report_memory(&build);
  }
  if (parser != NULL) fy_parser_destroy(parser);
  if (diag != NULL) fy_diag_unref(diag);
  return build.root;
}
