/* hdf5_library.h - HDF5, opened when it is first needed (base/opened_library.h). Sources include
 * this instead of <hdf5.h>, and write its names as ever: they stand for the members of a table
 * here. Before the first of them, flg_hdf5_open().
 */
#ifndef FLG_HDF5_LIBRARY_H
#define FLG_HDF5_LIBRARY_H

#include <hdf5.h>

#include "base/opened_library.h"

/* the header of HDF5 says which of them H5Ovisit is */
#if H5_VERSION_GE(1, 12, 0)
#define FLG_HDF5_VISIT(NAME) NAME(H5Ovisit3)
#else
#define FLG_HDF5_VISIT(NAME) NAME(H5Ovisit)
#endif

#define FLG_HDF5_NAMES(NAME)             \
  NAME(H5Aclose)                         \
  NAME(H5Acreate2)                       \
  NAME(H5Aexists)                        \
  NAME(H5Aget_space)                     \
  NAME(H5Aget_type)                      \
  NAME(H5Aopen)                          \
  NAME(H5Aread)                          \
  NAME(H5Awrite)                         \
  NAME(H5Dclose)                         \
  NAME(H5Dcreate2)                       \
  NAME(H5Dget_space)                     \
  NAME(H5Dget_type)                      \
  NAME(H5Dopen2)                         \
  NAME(H5Dread)                          \
  NAME(H5Dset_extent)                    \
  NAME(H5Dwrite)                         \
  NAME(H5Eauto_is_v2)                    \
  NAME(H5Eclear2)                        \
  NAME(H5Eget_auto1)                     \
  NAME(H5Eget_auto2)                     \
  NAME(H5Eset_auto1)                     \
  NAME(H5Eset_auto2)                     \
  NAME(H5Ewalk2)                         \
  NAME(H5FDregister)                     \
  NAME(H5FDunregister)                   \
  NAME(H5Fclose)                         \
  NAME(H5Fcreate)                        \
  NAME(H5Fflush)                         \
  NAME(H5Fopen)                          \
  NAME(H5Pclose)                         \
  NAME(H5Pcreate)                        \
  NAME(H5Pget_driver_info)               \
  NAME(H5Pget_mdc_config)                \
  NAME(H5Pset_alignment)                 \
  NAME(H5Pset_char_encoding)             \
  NAME(H5Pset_chunk)                     \
  NAME(H5Pset_create_intermediate_group) \
  NAME(H5Pset_driver)                    \
  NAME(H5Pset_fclose_degree)             \
  NAME(H5Pset_mdc_config)                \
  NAME(H5Pset_obj_track_times)           \
  NAME(H5Sclose)                         \
  NAME(H5Screate)                        \
  NAME(H5Screate_simple)                 \
  NAME(H5Sget_simple_extent_dims)        \
  NAME(H5Sget_simple_extent_ndims)       \
  NAME(H5Sget_simple_extent_npoints)     \
  NAME(H5Sselect_hyperslab)              \
  NAME(H5Tclose)                         \
  NAME(H5Tcopy)                          \
  NAME(H5Tget_class)                     \
  NAME(H5Tis_variable_str)               \
  NAME(H5Tset_cset)                      \
  NAME(H5Tset_size)                      \
  NAME(H5check_version)                  \
  NAME(H5free_memory)                    \
  NAME(H5open)                           \
  NAME(H5E_RESOURCE_g)                   \
  NAME(H5P_CLS_DATASET_CREATE_ID_g)      \
  NAME(H5P_CLS_FILE_ACCESS_ID_g)         \
  NAME(H5P_CLS_LINK_CREATE_ID_g)         \
  NAME(H5T_C_S1_g)                       \
  NAME(H5T_IEEE_F64LE_g)                 \
  NAME(H5T_NATIVE_DOUBLE_g)              \
  FLG_HDF5_VISIT(NAME)

typedef struct flg_hdf5_table {
  FLG_HDF5_NAMES(FLG_OPENED_POINTER)
} flg_hdf5_table;

/* Filled by the first flg_hdf5_open that succeeds. */
extern flg_hdf5_table flg_hdf5;

/* FLG_ERR_MISSING, FLG_ERR_MEMORY. */
flg_status flg_hdf5_open(flg_error *error);

/* functions; macros of HDF5's header call some of them */
#define H5Aclose                         flg_hdf5.H5Aclose
#define H5Acreate2                       flg_hdf5.H5Acreate2
#define H5Aexists                        flg_hdf5.H5Aexists
#define H5Aget_space                     flg_hdf5.H5Aget_space
#define H5Aget_type                      flg_hdf5.H5Aget_type
#define H5Aopen                          flg_hdf5.H5Aopen
#define H5Aread                          flg_hdf5.H5Aread
#define H5Awrite                         flg_hdf5.H5Awrite
#define H5Dclose                         flg_hdf5.H5Dclose
#define H5Dcreate2                       flg_hdf5.H5Dcreate2
#define H5Dget_space                     flg_hdf5.H5Dget_space
#define H5Dget_type                      flg_hdf5.H5Dget_type
#define H5Dopen2                         flg_hdf5.H5Dopen2
#define H5Dread                          flg_hdf5.H5Dread
#define H5Dset_extent                    flg_hdf5.H5Dset_extent
#define H5Dwrite                         flg_hdf5.H5Dwrite
#define H5Eauto_is_v2                    flg_hdf5.H5Eauto_is_v2
#define H5Eclear2                        flg_hdf5.H5Eclear2
#define H5Eget_auto1                     flg_hdf5.H5Eget_auto1
#define H5Eget_auto2                     flg_hdf5.H5Eget_auto2
#define H5Eset_auto1                     flg_hdf5.H5Eset_auto1
#define H5Eset_auto2                     flg_hdf5.H5Eset_auto2
#define H5Ewalk2                         flg_hdf5.H5Ewalk2
#define H5FDregister                     flg_hdf5.H5FDregister
#define H5FDunregister                   flg_hdf5.H5FDunregister
#define H5Fclose                         flg_hdf5.H5Fclose
#define H5Fcreate                        flg_hdf5.H5Fcreate
#define H5Fflush                         flg_hdf5.H5Fflush
#define H5Fopen                          flg_hdf5.H5Fopen
#define H5Pclose                         flg_hdf5.H5Pclose
#define H5Pcreate                        flg_hdf5.H5Pcreate
#define H5Pget_driver_info               flg_hdf5.H5Pget_driver_info
#define H5Pget_mdc_config                flg_hdf5.H5Pget_mdc_config
#define H5Pset_alignment                 flg_hdf5.H5Pset_alignment
#define H5Pset_char_encoding             flg_hdf5.H5Pset_char_encoding
#define H5Pset_chunk                     flg_hdf5.H5Pset_chunk
#define H5Pset_create_intermediate_group flg_hdf5.H5Pset_create_intermediate_group
#define H5Pset_driver                    flg_hdf5.H5Pset_driver
#define H5Pset_fclose_degree             flg_hdf5.H5Pset_fclose_degree
#define H5Pset_mdc_config                flg_hdf5.H5Pset_mdc_config
#define H5Pset_obj_track_times           flg_hdf5.H5Pset_obj_track_times
#define H5Sclose                         flg_hdf5.H5Sclose
#define H5Screate                        flg_hdf5.H5Screate
#define H5Screate_simple                 flg_hdf5.H5Screate_simple
#define H5Sget_simple_extent_dims        flg_hdf5.H5Sget_simple_extent_dims
#define H5Sget_simple_extent_ndims       flg_hdf5.H5Sget_simple_extent_ndims
#define H5Sget_simple_extent_npoints     flg_hdf5.H5Sget_simple_extent_npoints
#define H5Sselect_hyperslab              flg_hdf5.H5Sselect_hyperslab
#define H5Tclose                         flg_hdf5.H5Tclose
#define H5Tcopy                          flg_hdf5.H5Tcopy
#define H5Tget_class                     flg_hdf5.H5Tget_class
#define H5Tis_variable_str               flg_hdf5.H5Tis_variable_str
#define H5Tset_cset                      flg_hdf5.H5Tset_cset
#define H5Tset_size                      flg_hdf5.H5Tset_size
#define H5check_version                  flg_hdf5.H5check_version
#define H5free_memory                    flg_hdf5.H5free_memory
#define H5open                           flg_hdf5.H5open
#if H5_VERSION_GE(1, 12, 0)
#define H5Ovisit3 flg_hdf5.H5Ovisit3
#else
#define H5Ovisit flg_hdf5.H5Ovisit
#endif

/* variables: types, classes of lists, kinds of errors */
#define H5E_RESOURCE_g              (*flg_hdf5.H5E_RESOURCE_g)
#define H5P_CLS_DATASET_CREATE_ID_g (*flg_hdf5.H5P_CLS_DATASET_CREATE_ID_g)
#define H5P_CLS_FILE_ACCESS_ID_g    (*flg_hdf5.H5P_CLS_FILE_ACCESS_ID_g)
#define H5P_CLS_LINK_CREATE_ID_g    (*flg_hdf5.H5P_CLS_LINK_CREATE_ID_g)
#define H5T_C_S1_g                  (*flg_hdf5.H5T_C_S1_g)
#define H5T_IEEE_F64LE_g            (*flg_hdf5.H5T_IEEE_F64LE_g)
#define H5T_NATIVE_DOUBLE_g         (*flg_hdf5.H5T_NATIVE_DOUBLE_g)

#endif
