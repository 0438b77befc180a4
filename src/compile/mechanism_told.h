/* mechanism_told.h - what a compiled mechanism tells besides its ports: text of generated files. It
 * follows mechanism_signals.h, if signals were chosen. */
#if SIGNALS == 0
static const flg_plugin_signal signal_table[] = {{"fallbacks", NULL, "", 1}};
#endif

static const flg_plugin_signal *signals(void *instance, int *count) {
  (void)instance;
  *count = 1 + SIGNALS;
  return signal_table;
}

static void read(void *instance, int signal, double *values) {
  mechanism *of = instance;
  values[0] = of->state[MOTION];
#if SIGNALS > 0
  if (signal > 0) read_signal(of, signal - 1, values);
#else
  (void)signal;
#endif
}

/* for plugin_table.h */
#define TABLE_FLAGS 0
#define TABLE_MORE
