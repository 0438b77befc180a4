#include "viewer/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "viewer/http_request.h"

enum { CONNECTIONS = 64, WAIT_MILLISECONDS = 500, PIECE_BYTES_MAX = 64 << 20 };
static const double PATIENCE = 20; /* seconds that a connection may do nothing */

/* One request and its answer; then it is closed. */
typedef struct connection {
  int socket;  /* -1: free */
  double last; /* when something happened [s] */
  char head[FLG_HTTP_HEAD_MAX + 1];
  size_t head_size;
  char *answer; /* NULL: the head is being read */
  size_t answer_size, sent;
} connection;

struct flg_server {
  const flg_page *page;
  const flg_page_data *data;
  int listener, port;
  connection connections[CONNECTIONS];
};

/* --- answers --------------------------------------------------------------------------------- */

static const char *reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 414:
      return "URI Too Long";
    case 431:
      return "Request Header Fields Too Large";
    default:
      return "Internal Server Error";
  }
}

/* takes body over */
static void server_answer(connection *to, int status, const char *type, char *body, size_t size,
                          bool is_head) {
  char head[640];
  const int length =
      snprintf(head, sizeof head,
               "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\n"
               "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
               "Cross-Origin-Resource-Policy: same-origin\r\nReferrer-Policy: no-referrer\r\n"
               "Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; "
               "style-src 'unsafe-inline'; img-src data: blob:; connect-src 'self'; "
               "frame-ancestors 'none'\r\n\r\n",
               status, reason_of(status), type, size);
  if (is_head) size = 0;
  to->answer = malloc((size_t)length + size);
  if (to->answer != NULL) {
    memcpy(to->answer, head, (size_t)length);
    if (size > 0) memcpy(to->answer + length, body, size);
    to->answer_size = (size_t)length + size;
  }
  free(body);
}

static void refuse_request(connection *to, int status) {
  const char *reason = reason_of(status);
  server_answer(to, status, "text/plain; charset=utf-8", strdup(reason), strlen(reason), false);
}

static void answer_page(const flg_server *server, connection *to, bool is_head) {
  char *body = malloc(server->page->size + 1);
  if (body != NULL) memcpy(body, server->page->text, server->page->size);
  if (body == NULL) {
    refuse_request(to, 500);
  } else {
    server_answer(to, 200, "text/html; charset=utf-8", body, server->page->size, is_head);
  }
}

static void answer_data(const flg_server *server, connection *to, bool is_head) {
  char *body = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&body, &size);
  const bool is_written =
      out != NULL && flg_page_data_write(server->data, out, NULL) == FLG_OK && fclose(out) == 0;
  if (is_written) {
    server_answer(to, 200, "application/json", body, size, is_head);
  } else {
    free(body);
    refuse_request(to, 500);
  }
}

/* which signal a query asks for; false if there is none such */
static bool find_piece(const flg_recording *of, const flg_http_request *request, int *signal,
                       int *width, int64_t *rows) {
  int64_t number;
  *rows = of->rows;
  if (strstr(request->query, "kind=time") != NULL) {
    *signal = FLG_RECORDING_TIME, *width = 1;
  } else if (strstr(request->query, "kind=list") != NULL) {
    *signal = FLG_RECORDING_LIST, *width = of->list.width, *rows = of->list_rows;
  } else {
    if (!flg_http_query_number(request, "s", &number) || number >= of->signal_count) return false;
    *signal = (int)number, *width = of->signals[number].width;
  }
  return *width > 0;
}

static void answer_piece(const flg_server *server, connection *to,
                         const flg_http_request *request) {
  int64_t recording, first, count, every, rows;
  int signal, width;
  if (!flg_http_query_number(request, "r", &recording) || recording >= server->data->count ||
      !flg_http_query_number(request, "first", &first) ||
      !flg_http_query_number(request, "count", &count) ||
      !flg_http_query_number(request, "every", &every) || every < 1) {
    refuse_request(to, 400);
    return;
  }
  const flg_recording *of = &server->data->recordings[recording];
  const bool is_there = find_piece(of, request, &signal, &width, &rows);
  if (is_there && first < rows && count > flg_page_kept(rows - first, every)) {
    count = flg_page_kept(rows - first, every);
  }
  if (is_there && first >= rows) count = 0;
  if (!is_there || count > PIECE_BYTES_MAX / (int64_t)sizeof(double) / width) {
    refuse_request(to, is_there ? 400 : 404);
    return;
  }
  const size_t size = (size_t)count * (size_t)width * sizeof(double);
  double *values = malloc(size + 1);
  if (values == NULL || of->read(of, signal, first, count, every, values, NULL) != FLG_OK) {
    free(values);
    refuse_request(to, 500);
    return;
  }
  server_answer(to, 200, "application/octet-stream", (char *)values, size, request->is_head);
}

static void answer_request(const flg_server *server, connection *to) {
  flg_http_request request;
  const int status = flg_http_request_parse(&request, to->head);
  char own[FLG_HTTP_TEXT + 8];
  snprintf(own, sizeof own, "http://%s", request.host);
  if (status != 200) {
    refuse_request(to, status);
  } else if (!flg_http_host_is_own(request.host, server->port) ||
             (request.origin[0] != '\0' && strcmp(request.origin, own) != 0)) {
    refuse_request(to, 403);
  } else if (strcmp(request.path, "/") == 0) {
    answer_page(server, to, request.is_head);
  } else if (strcmp(request.path, "/data.json") == 0) {
    answer_data(server, to, request.is_head);
  } else if (strcmp(request.path, "/piece") == 0) {
    answer_piece(server, to, &request);
  } else {
    refuse_request(to, 404);
  }
}

/* --- connections ----------------------------------------------------------------------------- */

static void drop(connection *of) {
  if (of->socket >= 0) close(of->socket);
  free(of->answer);
  of->answer = NULL;
  of->socket = -1;
  of->head_size = of->answer_size = of->sent = 0;
}

static bool would_wait(void) {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

static void read_head(const flg_server *server, connection *of) {
  const size_t room = FLG_HTTP_HEAD_MAX - of->head_size;
  const ssize_t count = recv(of->socket, of->head + of->head_size, room, 0);
  if (count == 0 || (count < 0 && !would_wait())) drop(of);
  if (count <= 0) return;
  of->head_size += (size_t)count;
  of->last = flg_clock();
  const size_t end = flg_http_head_end(of->head, of->head_size);
  if (end > 0) {
    of->head[end] = '\0';
    if (strlen(of->head) < end) {
      refuse_request(of, 400); /* a zero byte */
    } else {
      answer_request(server, of);
    }
    if (of->answer == NULL) drop(of);
  } else if (of->head_size == FLG_HTTP_HEAD_MAX) {
    refuse_request(of, 431);
  }
}

static void send_answer(connection *of) {
  const ssize_t count =
      send(of->socket, of->answer + of->sent, of->answer_size - of->sent, MSG_NOSIGNAL);
  if (count < 0 && would_wait()) return;
  if (count >= 0) of->sent += (size_t)count, of->last = flg_clock();
  if (count < 0 || of->sent == of->answer_size) {
    shutdown(of->socket, SHUT_WR);
    drop(of);
  }
}

static void take_connection(flg_server *server) {
  const int taken = accept(server->listener, NULL, NULL);
  if (taken < 0) return;
  for (int k = 0; k < CONNECTIONS; k++) {
    connection *of = &server->connections[k];
    if (of->socket >= 0) continue;
    if (fcntl(taken, F_SETFL, O_NONBLOCK) != 0) break;
    *of = (connection){.socket = taken, .last = flg_clock()};
    return;
  }
  close(taken);
}

/* --- life ------------------------------------------------------------------------------------ */

static flg_status fail_to_serve(const char *what, flg_error *error) {
  return flg_fail(error, FLG_ERR_OUTPUT, "The view cannot be served: %s: %s.", what,
                  strerror(errno));
}

static flg_status listen_on(flg_server *server, int port, flg_error *error) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  const int yes = 1;
  server->listener = socket(AF_INET, SOCK_STREAM, 0);
  if (server->listener < 0) return fail_to_serve("socket", error);
  setsockopt(server->listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (fcntl(server->listener, F_SETFL, O_NONBLOCK) != 0 ||
      bind(server->listener, (struct sockaddr *)&address, size) != 0 ||
      listen(server->listener, CONNECTIONS) != 0 ||
      getsockname(server->listener, (struct sockaddr *)&address, &size) != 0) {
    return fail_to_serve("127.0.0.1", error);
  }
  server->port = ntohs(address.sin_port);
  return FLG_OK;
}

flg_status flg_server_open(flg_server **server, const flg_page *page, const flg_page_data *data,
                           int port, flg_error *error) {
  flg_server *opened = calloc(1, sizeof *opened);
  if (opened == NULL) return flg_fail(error, FLG_ERR_MEMORY, "There is no memory left.");
  opened->page = page, opened->data = data, opened->listener = -1;
  for (int k = 0; k < CONNECTIONS; k++) opened->connections[k].socket = -1;
  const flg_status status = listen_on(opened, port, error);
  if (status == FLG_OK) {
    *server = opened;
  } else {
    flg_server_release(opened);
  }
  return status;
}

int flg_server_port(const flg_server *server) {
  return server->port;
}

void flg_server_release(flg_server *server) {
  if (server == NULL) return;
  for (int k = 0; k < CONNECTIONS; k++) drop(&server->connections[k]);
  if (server->listener >= 0) close(server->listener);
  free(server);
}

static void server_serve(flg_server *server, const struct pollfd *polled, int count,
                         const int *owners) {
  for (int k = 0; k < count; k++) {
    if (polled[k].revents == 0) continue;
    if (owners[k] < 0) {
      take_connection(server);
      continue;
    }
    connection *of = &server->connections[owners[k]];
    if (of->answer == NULL) {
      read_head(server, of);
    } else {
      send_answer(of);
    }
  }
}

flg_status flg_server_run(flg_server *server, const volatile int *stop, flg_error *error) {
  while (*stop == 0) {
    struct pollfd polled[CONNECTIONS + 1] = {{server->listener, POLLIN, 0}};
    int owners[CONNECTIONS + 1] = {-1}, count = 1;
    const double now = flg_clock();
    for (int k = 0; k < CONNECTIONS; k++) {
      connection *of = &server->connections[k];
      if (of->socket >= 0 && now - of->last > PATIENCE) drop(of);
      if (of->socket < 0) continue;
      owners[count] = k;
      polled[count++] = (struct pollfd){of->socket, of->answer == NULL ? POLLIN : POLLOUT, 0};
    }
    const int ready = poll(polled, (nfds_t)count, WAIT_MILLISECONDS);
    if (ready < 0 && errno != EINTR) return fail_to_serve("poll", error);
    if (ready > 0) server_serve(server, polled, count, owners);
  }
  return FLG_OK;
}
