#include "viewer/http_request.h"

#include "check.h"

static flg_http_request request;

static int parse(const char *head) {
  return flg_http_request_parse(&request, head);
}

static void a_request_is_read(void **state) {
  (void)state;
  assert_int_equal(parse("GET /piece?r=0&s=12&first=7 HTTP/1.1\r\nAccept: */*\r\nhost:  "
                         "127.0.0.1:80 \r\nOrigin: http://x\r\n\r\n"),
                   200);
  assert_string_equal(request.path, "/piece");
  assert_string_equal(request.host, "127.0.0.1:80");
  assert_string_equal(request.origin, "http://x");
  int64_t value;
  assert_true(flg_http_query_number(&request, "s", &value) && value == 12);
  assert_true(flg_http_query_number(&request, "first", &value) && value == 7);
  assert_false(flg_http_query_number(&request, "irst", &value));
  assert_false(flg_http_query_number(&request, "count", &value));
}

static void numbers_of_queries_are_whole(void **state) {
  (void)state;
  static const char *const wrong[] = {"a=", "a=-1", "a=1x", "a=1.5", "a=99999999999999999999",
                                      "b=1"};
  for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
    int64_t value;
    snprintf(request.query, sizeof request.query, "%s", wrong[k]);
    assert_false(flg_http_query_number(&request, "a", &value));
  }
}

static void what_is_no_request_is_refused(void **state) {
  (void)state;
  char head[1000] = "GET /";
  assert_int_equal(parse("POST / HTTP/1.1\r\n\r\n"), 405);
  assert_int_equal(parse("GET http://evil/ HTTP/1.1\r\n\r\n"), 400);
  assert_int_equal(parse("GET / HTTP/2\r\n\r\n"), 400);
  assert_int_equal(parse("GET /\r\n\r\n"), 400);
  assert_int_equal(parse("GET /\x01 HTTP/1.1\r\n\r\n"), 400);
  assert_int_equal(parse("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"), 400);
  memset(head + 5, 'a', 400);
  strcat(head, " HTTP/1.1\r\n\r\n");
  assert_int_equal(parse(head), 414);
  assert_int_equal(parse("GET / HTTP/1.1\r\n\r\n"), 200);
  assert_string_equal(request.host, "");
}

static void only_loopback_is_itself(void **state) {
  (void)state;
  assert_true(flg_http_host_is_own("127.0.0.1:8080", 8080));
  assert_true(flg_http_host_is_own("LOCALHOST:8080", 8080));
  static const char *const others[] = {"",
                                       "127.0.0.1",
                                       "127.0.0.1:80",
                                       "evil.com",
                                       "127.0.0.1:8080.evil",
                                       "localhost.evil:8080",
                                       "0.0.0.0:8080",
                                       "[::]:8080"};
  for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
    assert_false(flg_http_host_is_own(others[k], 8080));
  }
}

static void the_head_ends_with_an_empty_line(void **state) {
  (void)state;
  const char text[] = "GET / HTTP/1.1\r\n\r\nmore";
  assert_int_equal(flg_http_head_end(text, strlen(text)), 18);
  assert_int_equal(flg_http_head_end(text, 17), 0);
  assert_int_equal(flg_http_head_end(text, 2), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_request_is_read),
      cmocka_unit_test(numbers_of_queries_are_whole),
      cmocka_unit_test(what_is_no_request_is_refused),
      cmocka_unit_test(only_loopback_is_itself),
      cmocka_unit_test(the_head_ends_with_an_empty_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
