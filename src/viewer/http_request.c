#include "viewer/http_request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

size_t flg_http_head_end(const char *bytes, size_t count) {
  for (size_t k = 3; k < count; k++) {
    if (memcmp(bytes + k - 3, "\r\n\r\n", 4) == 0) return k + 1;
  }
  return 0;
}

static bool http_copy(char to[FLG_HTTP_TEXT], const char *from, size_t length) {
  if (length >= FLG_HTTP_TEXT) return false;
  memcpy(to, from, length);
  to[length] = '\0';
  return true;
}

/* the value of a header, "" if it is missing; false: too long, or there are several */
static bool read_header(const char *head, const char *name, char to[FLG_HTTP_TEXT]) {
  const size_t length = strlen(name);
  bool is_found = false;
  to[0] = '\0';
  for (const char *line = strstr(head, "\r\n"); line != NULL; line = strstr(line, "\r\n")) {
    line += 2;
    if (strncasecmp(line, name, length) != 0 || line[length] != ':') continue;
    const char *value = line + length + 1;
    value += strspn(value, " \t");
    size_t size = strcspn(value, "\r\n");
    while (size > 0 && (value[size - 1] == ' ' || value[size - 1] == '\t')) size--;
    if (is_found || !http_copy(to, value, size)) return false;
    is_found = true;
  }
  return true;
}

static bool is_target(const char *text, size_t length) {
  for (size_t k = 0; k < length; k++) {
    if ((unsigned char)text[k] <= ' ' || (unsigned char)text[k] >= 0x7f) return false;
  }
  return length > 0 && text[0] == '/';
}

int flg_http_request_parse(flg_http_request *request, const char *head) {
  *request = (flg_http_request){.is_head = strncmp(head, "HEAD ", 5) == 0};
  if (!request->is_head && strncmp(head, "GET ", 4) != 0) return 405;
  const char *target = head + (request->is_head ? 5 : 4);
  const size_t length = strcspn(target, " \r\n");
  if (!is_target(target, length) || strncmp(target + length, " HTTP/1.", 8) != 0) return 400;
  const size_t path = strcspn(target, "? \r\n");
  if (!http_copy(request->path, target, path)) return 414;
  if (target[path] == '?' && !http_copy(request->query, target + path + 1, length - path - 1))
    return 414;
  if (!read_header(head, "Host", request->host)) return 400;
  if (!read_header(head, "Origin", request->origin)) return 400;
  return 200;
}

bool flg_http_query_number(const flg_http_request *request, const char *key, int64_t *value) {
  const size_t length = strlen(key);
  for (const char *at = request->query; *at != '\0'; at += strcspn(at, "&"), at += *at == '&') {
    if (strncmp(at, key, length) != 0 || at[length] != '=') continue;
    const char *digits = at + length + 1;
    const size_t count = strspn(digits, "0123456789");
    if (count == 0 || count > 15 || (digits[count] != '&' && digits[count] != '\0')) return false;
    *value = strtoll(digits, NULL, 10);
    return true;
  }
  return false;
}

bool flg_http_host_is_own(const char *host, int port) {
  static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};
  for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
    char own[40];
    snprintf(own, sizeof own, "%s:%d", names[k], port);
    if (strcasecmp(host, own) == 0) return true;
  }
  return false;
}
