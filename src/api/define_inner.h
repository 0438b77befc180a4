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
  const char *source; /* the text that was read, while nothing else has been said; else NULL */
  flg_growing files;  /* flg_file_node: parts by name */
  flg_region region;
};

/* Its tree as YAML, in the region; NULL without memory. */
const char *flg_definition_write(const flg_node *root, flg_region *region);

/* The source of a simulation of a system: its tree and its text. The text of a system that
 * was built or changed by calls is written into the region. */
flg_status flg_definition_source(const flg_definition *definition, flg_region *region,
                                 flg_load_options *options, flg_mistakes *mistakes);

/* The child of a key, made where it is missing; `+`: a new item of a list, `-`: its last one. NULL:
 * there can be none, or no memory. */
flg_node *flg_definition_child(flg_definition *definition, flg_node *parent, const char *key);
/* The node at the end of a path; NULL with a sentence. */
flg_node *flg_definition_node(flg_definition *definition, flg_node *from, const char *path,
                              flg_error *error);

/* Put values into a node; FLG_ERR_MEMORY. */
flg_status flg_define_put_number(flg_definition *definition, flg_node *node, double value);
flg_status flg_define_put_numbers(flg_definition *definition, flg_node *node, const double *values,
                                  int count);
flg_status flg_define_put_text(flg_definition *definition, flg_node *node, const char *text);
flg_status flg_define_put_texts(flg_definition *definition, flg_node *node,
                                const char *const *texts, int count);
/* A list of so many empty scalars; NULL without memory. */
flg_node *flg_define_put_list(flg_definition *definition, flg_node *node, int count);

/* Why a node could not be had: no memory, or wrong use. */
flg_status flg_define_status(const flg_definition *definition);
/* FLG_OK, or that there is no memory, with its sentence. */
flg_status flg_define_ended(flg_status status, flg_error *error);
flg_status flg_define_check_number(double value, const char *path, flg_error *error);

/* Kinds of members of option structs. What is not given: NaN, NULL, a count of 0, FLG_USUAL. */
typedef enum flg_option_kind {
  FLG_OPTION_NUMBER,  /* double */
  FLG_OPTION_VECTOR,  /* double[size]; not given if the first is NaN */
  FLG_OPTION_NUMBERS, /* flg_number_list */
  FLG_OPTION_TEXT,    /* const char * */
  FLG_OPTION_PAIR,    /* const char *[2] */
  FLG_OPTION_TEXTS,   /* flg_text_list */
  FLG_OPTION_SWITCH,  /* flg_switch */
  FLG_OPTION_COUNT,   /* int; not given if 0 */
  FLG_OPTION_PAIRS,   /* flg_text_list: two by two */
  FLG_OPTION_NAMED,   /* flg_named_list: a map of names to numbers or texts */
  FLG_OPTION_POINTS   /* flg_point_list: a list of maps; the key is LIST.VALUE */
} flg_option_kind;

typedef struct flg_option {
  const char *key; /* keys with dots between them, below the path of the struct */
  flg_option_kind kind;
  size_t offset;
  int size; /* of a vector */
} flg_option;

/* Where a struct goes: a path in which `*` stands for a name, `+` for a new item of a list. */
typedef struct flg_layout_place {
  flg_definition_kind kind;
  const char *path; /* NULL: there are no more */
} flg_layout_place;

enum { FLG_LAYOUT_PLACES = 6 };

/* An option struct; its first member is its size (size_t). */
typedef struct flg_layout {
  const char *type; /* flg_TYPE_options */
  size_t bytes;
  const flg_option *options;
  int option_count;
  flg_layout_place places[FLG_LAYOUT_PLACES]; /* the one with as many names as are given is taken */
} flg_layout;

/* All of them, NULL at the end. */
extern const flg_layout *const flg_layouts[];

/* Fills a struct of that many bytes: nothing is given. */
void flg_layout_clear(const flg_layout *layout, void *options, size_t size);
/* Puts what is given into a definition. @param name NULL, NAME or OWNER/NAME, as the place asks */
flg_status flg_layout_define(const flg_layout *layout, flg_definition *definition, const char *name,
                             const void *options, flg_error *error);

#endif
