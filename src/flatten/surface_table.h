/* surface_table.h - surfaces, groups and pairs of shapes while files are read: a flg_surfaces that
 * grows.
 *
 * Materials are known by name. The same name may come from several files, if it means the same in
 * all of them. What a shape says of itself alone is a surface without a name.
 */
#ifndef FLG_SURFACE_TABLE_H
#define FLG_SURFACE_TABLE_H

#include "base/growing.h"
#include "base/name_index.h"
#include "define/contact_definition.h"

/* Starts as {region, mistakes}. */
typedef struct flg_surface_table {
  flg_region *region;
  flg_mistakes *mistakes;
  flg_growing surfaces;                         /* flg_surface */
  flg_growing pairs;                            /* flg_surface_pair */
  flg_growing apart;                            /* int[2] */
  flg_growing groups;                           /* const char * */
  flg_name_index by_surface, by_pair, by_apart; /* keys of the same: files may have thousands */
  double apart_asked;                           /* pairs, as often as files have them */
} flg_surface_table;

/* Materials of a file, by name. */
void flg_surface_table_materials(flg_surface_table *table, const flg_items *items);
/* The same, with a mistake if it is unknown. */
int flg_surface_table_need(const flg_surface_table *table, const flg_origin *name);
/* Pairs of a file. Those with unknown names are a mistake, or left out. */
void flg_surface_table_pairs(flg_surface_table *table, const flg_items *items, bool leave_out);
/* Surface and groups of a shape, as its keys say. */
void flg_surface_table_shape(flg_surface_table *table, const flg_shape_keys *keys,
                             flg_shape *shape);
/* Takes over what another file has. shapes (count) are copies of its shapes and get the numbers of
 * this table; first: the number that the first of them has from now on. */
void flg_surface_table_merge(flg_surface_table *table, const flg_surfaces *from, flg_shape *shapes,
                             int count, int first);
/* The table; it lies in the region. */
flg_surfaces flg_surface_table_view(const flg_surface_table *table);

/* Shapes that a file can name: by the path of their body, `body/shape`, their own name, or the path
 * of a component or robot around them. */
typedef struct flg_named_shapes {
  const flg_shape *shapes;  /* (count) */
  const char *const *paths; /* (count) of their bodies */
  int count;
  const char *prefix; /* of the file that has the names */
} flg_named_shapes;

/* Adds the pairs of materials of a file, and the shapes that it keeps apart. */
void flg_surface_table_touching(flg_surface_table *table, const flg_touching_keys *keys,
                                const flg_named_shapes *among);

#endif
