#include "viewer/base64.h"

void flg_base64_encode(const void *bytes, size_t size, char *text) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned char *in = bytes;
  for (size_t k = 0; k < size; k += 3, text += 4) {
    const size_t left = size - k;
    const unsigned word = (unsigned)in[k] << 16 | (left > 1 ? (unsigned)in[k + 1] << 8 : 0) |
                          (left > 2 ? (unsigned)in[k + 2] : 0);
    text[0] = letters[word >> 18];
    text[1] = letters[word >> 12 & 63];
    text[2] = left > 1 ? letters[word >> 6 & 63] : '=';
    text[3] = left > 2 ? letters[word & 63] : '=';
  }
}
