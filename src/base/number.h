/* number.h - numbers as text, the same in every locale. */
#ifndef FLG_NUMBER_H
#define FLG_NUMBER_H

enum { FLG_NUMBER_TEXT = 32 };

/* Reads a decimal number at the start of text and returns where it ends; NULL if there is none.
 * Hexadecimal, nan and inf are not numbers here. An overflow gives an infinite value. */
const char *flg_number_parse(const char *text, double *value);
/* Writes the shortest text that reads back to the same bits (nan, inf and -inf by name). */
const char *flg_number_write(double value, char text[FLG_NUMBER_TEXT]);

#endif
