/* node.h - a YAML file as a tree in which every node knows where it was written. */
#ifndef FLG_NODE_H
#define FLG_NODE_H

#include <stdbool.h>

#include "base/region.h"
#include "flange/mistakes.h"

typedef enum flg_node_kind { FLG_NODE_SCALAR, FLG_NODE_LIST, FLG_NODE_MAP } flg_node_kind;

typedef struct flg_node {
  flg_node_kind kind;
  bool quoted;            /* a scalar in quotes is text, whatever it looks like */
  const char *key;        /* its name in a map, NULL elsewhere */
  const char *text;       /* of a scalar */
  flg_place place;        /* of the key where there is one, of the value elsewhere */
  flg_place value_place;  /* of the value */
  struct flg_node *first; /* child of a list or map */
  struct flg_node *next;  /* sibling */
} flg_node;

/* "a number", "a list", "a map" ...: for messages on what was found. */
const char *flg_node_kind_text(flg_node_kind kind);
/* The child of that key, or NULL. */
flg_node *flg_node_find(const flg_node *map, const char *key);
/* Where the chain of children ends: hang the next one here. */
flg_node **flg_node_end(flg_node *parent);
/* How many children. */
int flg_node_count(const flg_node *parent);
/* A deep copy, or NULL if the region is exhausted. */
flg_node *flg_node_copy(flg_region *region, const flg_node *original);
/* The same with texts, keys and places of its own: it outlives the original. */
flg_node *flg_node_own(flg_region *region, const flg_node *original);
/* Says of a tree that all of it stands there: what comes from no file has no lines. */
void flg_node_put_at(flg_node *node, flg_place place);
/* Adds to `map` what `addition` has: new keys are copied, maps are merged key by key, and where
 * both have a value the one of `map` stays. */
void flg_node_merge(flg_region *region, flg_node *map, const flg_node *addition);

#endif
