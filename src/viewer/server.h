/* server.h - the page and its recordings on loopback: GET only, 127.0.0.1 only.
 *
 *     /            the page
 *     /data.json   what there is (page_data.h)
 *     /piece?r=0&s=3&first=0&count=512&every=1
 *                  rows of a signal as float64, lowest byte first; s: its number, or `kind=time`,
 *                  `kind=list`
 *
 * Nothing else exists: no path reaches the file system. A request must name this host and port, so
 * that other sites cannot reach it under a name of theirs (DNS rebinding); answers may be read by
 * pages of this origin alone.
 */
#ifndef FLG_SERVER_H
#define FLG_SERVER_H

#include "viewer/report.h"

typedef struct flg_server flg_server;

/* Set-up: listens on 127.0.0.1; port 0: any that is free. Page and data are borrowed. */
flg_status flg_server_open(flg_server **server, const flg_page *page, const flg_page_data *data,
                           int port, flg_error *error);
int flg_server_port(const flg_server *server);
/* Answers until *stop is not 0, which a signal handler may set. */
flg_status flg_server_run(flg_server *server, const volatile int *stop, flg_error *error);
void flg_server_release(flg_server *server); /* NULL is allowed */

#endif
