#include "text/node.h"

#include <string.h>

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

void flg_node_merge(flg_region *region, flg_node *map, const flg_node *addition) {
  for (const flg_node *child = addition->first; child != NULL; child = child->next) {
    flg_node *own = flg_node_find(map, child->key);
    if (own == NULL) {
      *flg_node_end(map) = flg_node_copy(region, child);
    } else if (own->kind == FLG_NODE_MAP && child->kind == FLG_NODE_MAP) {
      flg_node_merge(region, own, child);
    }
  }
}
