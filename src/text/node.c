#include "text/node.h"

#include <string.h>

#include "base/growing.h"
#include "base/name_index.h"

const char *flg_node_kind_text(flg_node_kind kind) {
  static const char *const texts[] = {"a single value", "a list", "a map"};
  return texts[kind];
}

flg_node *flg_node_find(const flg_node *map, const char *key) {
  for (flg_node *child = map->first; child != NULL; child = child->next) {
    if (child->key != NULL && strcmp(child->key, key) == 0) return child;
  }
  return NULL;
}

flg_node **flg_node_end(flg_node *parent) {
  flg_node **end = &parent->first;
  while (*end != NULL) end = &(*end)->next;
  return end;
}

int flg_node_count(const flg_node *parent) {
  int count = 0;
  for (const flg_node *child = parent->first; child != NULL; child = child->next) count++;
  return count;
}

/* recursion is as deep as the document, which the YAML reader bounds */
flg_node *flg_node_copy(flg_region *region, const flg_node *original) {
  flg_node *copy = flg_region_take(region, 1, sizeof *copy);
  if (copy == NULL) return NULL;
  *copy = *original;
  copy->first = copy->next = NULL;
  flg_node **end = &copy->first;
  for (const flg_node *child = original->first; child != NULL; child = child->next) {
    *end = flg_node_copy(region, child);
    if (*end == NULL) return NULL;
    end = &(*end)->next;
  }
  return copy;
}

void flg_node_put_at(flg_node *node, flg_place place) {
  node->place = node->value_place = place;
  for (flg_node *child = node->first; child != NULL; child = child->next) {
    flg_node_put_at(child, place);
  }
}

static const char *own_text(flg_region *region, const char *text) {
  return text == NULL ? NULL : flg_region_text(region, text, strlen(text));
}

static void own_texts(flg_region *region, flg_node *node) {
  node->key = own_text(region, node->key);
  node->text = own_text(region, node->text);
  const bool is_shared = node->place.file == node->value_place.file;
  node->place.file = own_text(region, node->place.file);
  node->value_place.file = is_shared ? node->place.file : own_text(region, node->value_place.file);
  for (flg_node *child = node->first; child != NULL; child = child->next) {
    own_texts(region, child);
  }
}

flg_node *flg_node_own(flg_region *region, const flg_node *original) {
  flg_node *copy = flg_node_copy(region, original);
  if (copy != NULL) own_texts(region, copy);
  return copy;
}

/* children by their keys: with thousands of them each would be looked for among all others */
typedef struct merged_keys {
  flg_region scratch;
  flg_name_index index;
  flg_growing children; /* flg_node * */
} merged_keys;

static void note_key(merged_keys *keys, flg_node *child) {
  flg_node **entry = flg_growing_add(&keys->children, sizeof *entry, &keys->scratch);
  if (entry == NULL || child->key == NULL) return;
  *entry = child;
  flg_name_index_add(&keys->index, child->key, keys->children.count - 1, &keys->scratch);
}

static flg_node *find_key(const merged_keys *keys, const char *key) {
  flg_node *const *children = keys->children.items;
  const int number = flg_name_index_find(&keys->index, key);
  return children == NULL || number == FLG_NAME_UNKNOWN ? NULL : children[number];
}

void flg_node_merge(flg_region *region, flg_node *map, const flg_node *addition) {
  merged_keys keys = {0};
  flg_node **end = &map->first;
  for (; *end != NULL; end = &(*end)->next) note_key(&keys, *end);
  for (const flg_node *child = addition->first; child != NULL; child = child->next) {
    flg_node *own = find_key(&keys, child->key);
    if (own != NULL) {
      if (own->kind == FLG_NODE_MAP && child->kind == FLG_NODE_MAP)
        flg_node_merge(region, own, child);
      continue;
    }
    *end = flg_node_copy(region, child);
    if (*end == NULL) break;
    note_key(&keys, *end);
    end = &(*end)->next;
  }
  if (keys.scratch.failed) region->failed = true;
  flg_region_release(&keys.scratch);
}
