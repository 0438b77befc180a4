#include "io/compared_coupling.h"

#include <string.h>

#include "io/check_coupling.h"
#include "text/yaml.h"

/* what is read, and where to */
typedef struct reading {
  flg_compared_coupling *to;
  flg_node section; /* the options, as a coupling section would have them */
  flg_place place;
  flg_region *region;
  flg_mistakes *mistakes;
} reading;

/* what follows has no lines of its own */
static void set_word_places(flg_node *node, flg_place place) {
  node->place = node->value_place = place;
  for (flg_node *child = node->first; child != NULL; child = child->next)
    set_word_places(child, place);
}

static bool refuse_word(const reading *in, const char *word, const char *what) {
  flg_mistake_add(in->mistakes, FLG_ERR_INPUT, in->place, "'%s': %s", word, what);
  return false;
}

/* into the section, and into what changes a scenario; mistakes in it are reported where we stand */
static bool take_option(reading *in, const char *key, const char *value) {
  const int before = in->mistakes->count;
  flg_node *node = flg_yaml_parse(in->region, in->place.file, value, strlen(value), in->mistakes);
  for (int k = before; k < in->mistakes->count && k < FLG_MISTAKES_LISTED; k++) {
    in->mistakes->list[k].line = in->place.line, in->mistakes->list[k].column = in->place.column;
  }
  if (in->mistakes->count > before) return false;
  if (node == NULL) return refuse_word(in, value, "this is no value");
  node->key = key;
  set_word_places(node, in->place);
  *flg_node_end(&in->section) = node;
  flg_texts *settings = &in->to->settings;
  settings->items[settings->count++].name =
      flg_region_format(in->region, "coupling.%s=%s", key, value);
  return true;
}

/* one word: key=value; with commas the value is a list */
static bool read_option(reading *in, const char *word) {
  const char *equals = strchr(word, '=');
  if (equals == NULL || equals == word || equals[1] == '\0') {
    return refuse_word(in, word,
                       "expected an option of the coupling section, as in contacts=smooth");
  }
  const char *key = flg_region_text(in->region, word, (size_t)(equals - word));
  const bool is_list = strchr(equals, ',') != NULL;
  const char *value =
      flg_region_format(in->region, "%s%s%s", is_list ? "[" : "", equals + 1, is_list ? "]" : "");
  if (key == NULL || value == NULL) return false;
  if (strcmp(key, "scheme") == 0) return refuse_word(in, word, "the scheme is the first word");
  if (flg_node_find(&in->section, key) != NULL)
    return refuse_word(in, key, "it stands there twice");
  return take_option(in, key, value);
}

/* the next word from *at on, NULL: there is none */
static const char *next_word(const char **at, flg_region *region) {
  *at += strspn(*at, " \t");
  const size_t length = strcspn(*at, " \t");
  if (length == 0) return NULL;
  const char *word = flg_region_text(region, *at, length);
  *at += length;
  return word;
}

bool flg_compared_coupling_read(flg_compared_coupling *coupling, const char *text, flg_place place,
                                flg_region *region, flg_mistakes *mistakes) {
  reading in = {.to = coupling,
                .section = {.kind = FLG_NODE_MAP, .place = place, .value_place = place},
                .place = place,
                .region = region,
                .mistakes = mistakes};
  const int before = mistakes->count;
  const char *word = next_word(&text, region);
  *coupling = (flg_compared_coupling){
      .scheme = flg_check_scheme(word == NULL ? "" : word, place, mistakes)};
  /* there are no more words than characters */
  coupling->settings.items =
      flg_region_take(region, strlen(text) / 2 + 1, sizeof *coupling->settings.items);
  if (coupling->scheme == NULL || coupling->settings.items == NULL) return false;
  coupling->text = coupling->scheme;
  while ((word = next_word(&text, region)) != NULL && read_option(&in, word)) {
    coupling->text = flg_region_format(region, "%s %s", coupling->text, word);
  }
  if (mistakes->count > before || region->failed) return false;
  flg_schema_read(&flg_coupling_section, &in.section, &coupling->keys, region, mistakes);
  return mistakes->count == before;
}
