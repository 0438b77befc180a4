/* csv_number.h - one decimal number as text, read the same in every locale. */
#ifndef FLG_CSV_NUMBER_H
#define FLG_CSV_NUMBER_H

#include <stdbool.h>

typedef enum flg_csv_number_kind {
  FLG_CSV_NUMBER,    /* *value is the double nearest to the text */
  FLG_CSV_NONFINITE, /* nan, inf, infinity, in any case and with a sign: *value is that */
  FLG_CSV_OVERFLOW,  /* a number larger than any double */
  FLG_CSV_TOO_LONG,  /* a number of more than 1000 characters */
  FLG_CSV_NO_NUMBER
} flg_csv_number_kind;

/* Reads [start, end), which holds the number and nothing else. */
flg_csv_number_kind flg_csv_number(const char *start, const char *end, double *value);

#endif
