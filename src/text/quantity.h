/* quantity.h - numbers as users write them: 3, 1e-3, 1/60, 45 deg, 2 m. */
#ifndef FLG_QUANTITY_H
#define FLG_QUANTITY_H

#include "base/number.h"

/* Reads `number [/ number] [unit]`. The unit may be the expected one, or deg in place of rad; an
 * expected unit of NULL takes none but deg. Returns NULL and *value, or what is wrong with the text
 * ("divides by zero"). */
const char *flg_quantity_parse(const char *text, const char *unit, double *value);
/* An angle in rad as text that reads back to the same bits: in degrees where that is shorter. */
const char *flg_angle_write(double angle, char text[FLG_NUMBER_TEXT]);

#endif
