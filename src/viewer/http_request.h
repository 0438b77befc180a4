/* http_request.h - the head of a request, read from bytes that may come from anywhere. */
#ifndef FLG_HTTP_REQUEST_H
#define FLG_HTTP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FLG_HTTP_HEAD_MAX = 8192, FLG_HTTP_TEXT = 256 };

typedef struct flg_http_request {
  bool is_head;               /* HEAD: the answer has no body */
  char path[FLG_HTTP_TEXT];   /* "/piece" */
  char query[FLG_HTTP_TEXT];  /* "r=0&s=1", "" if there is none */
  char host[FLG_HTTP_TEXT];   /* of the header Host, "" if there is none */
  char origin[FLG_HTTP_TEXT]; /* of the header Origin */
} flg_http_request;

/* Where the head ends, after its empty line; 0: it is not all there. */
size_t flg_http_head_end(const char *bytes, size_t count);
/* The status to answer with: 200 where it is a request that can be answered, 400, 405, 414. head is
 * terminated, and ends as flg_http_head_end says. */
int flg_http_request_parse(flg_http_request *request, const char *head);
/* A whole number >= 0 of the query; false if it is not there or none. */
bool flg_http_query_number(const flg_http_request *request, const char *key, int64_t *value);
/* True for 127.0.0.1, localhost and [::1] with the port: names that other sites cannot claim. */
bool flg_http_host_is_own(const char *host, int port);

#endif
