/* page.h - the page that is embedded into the tool (cmake/page.cmake writes its source). */
#ifndef FLG_CLI_PAGE_H
#define FLG_CLI_PAGE_H

#include "viewer/report.h"

extern const flg_page flg_tool_page; /* size 0: npm was not there when it was built */

#endif
