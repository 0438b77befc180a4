/* define_inner.h - a definition from inside, and tables of option structs. */
#ifndef FLG_DEFINE_INNER_H
#define FLG_DEFINE_INNER_H

#include "base/growing.h"
#include "flange/define.h"
#include "flange/mechanism.h"
#include "io/load.h"

struct flg_definition {
  flg_definition_kind kind;
  const char *name;
  flg_node *root;
  flg_growing files; /* flg_file_node: parts by name */
  flg_region region;
};

/* Kinds of members of option structs. What is not given: NaN, NULL, a count of 0, FLG_USUAL. */
typedef enum flg_option_kind {
  FLG_OPTION_NUMBER,  /* double */
  FLG_OPTION_VECTOR,  /* double[size]; not given if the first is NaN */
  FLG_OPTION_NUMBERS, /* flg_number_list */
  FLG_OPTION_TEXT,    /* const char * */
  FLG_OPTION_PAIR,    /* const char *[2] */
  FLG_OPTION_TEXTS,   /* flg_text_list */
  FLG_OPTION_SWITCH,  /* flg_switch */
  FLG_OPTION_COUNT    /* int; not given if 0 */
} flg_option_kind;

typedef struct flg_option {
  const char *key; /* keys with dots between them, below the path of the struct */
  flg_option_kind kind;
  size_t offset;
  int size; /* of a vector */
} flg_option;

/* An option struct; its first member is its size (size_t). */
typedef struct flg_layout {
  const char *section; /* where it goes in a definition: "bodies", then its name; a list: "+" */
  bool is_list;        /* no name: it is added to the section */
  bool is_single;      /* it is the section */
  const char *inside;  /* its name is OWNER/NAME, and `inside` stands before OWNER; NULL: not */
  size_t bytes;
  const flg_option *options;
  int option_count;
} flg_layout;

/* Fills a struct of that many bytes: nothing is given. */
void flg_layout_clear(const flg_layout *layout, void *options, size_t size);
/* Puts what is given into a definition. owner and name are checked. */
flg_status flg_layout_define(const flg_layout *layout, flg_definition *definition, const char *name,
                             const void *options, flg_error *error);

#endif
