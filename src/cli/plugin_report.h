/* plugin_report.h - what a plug-in offers, for people. */
#ifndef FLG_PLUGIN_REPORT_H
#define FLG_PLUGIN_REPORT_H

#include <stdio.h>

#include "contract/subsystem.h"

/* Its name, its ports and what can be recorded of it; nothing if it is no plug-in. */
void flg_plugin_print(const flg_subsystem *subsystem, FILE *to);

#endif
