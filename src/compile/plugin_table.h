/* plugin_table.h - the table that compiled robots and mechanisms hand out: text of generated files.
 *
 * It follows create, state, energy, step, frame, reduce, impulse, displace, signals and read, and
 *
 *     PORTS, port_names, LIBRARY_NAME, LIBRARY_VERSION
 *     TABLE_FLAGS, TABLE_MORE     flags, and functions that not all have
 */
static void destroy(void *instance) {
  free(instance);
}

static const char *const *ports(void *instance, int *count) {
  (void)instance;
  *count = PORTS;
  return port_names;
}

static const flg_plugin_subsystem subsystem = {.size = sizeof subsystem,
                                               .flags = TABLE_FLAGS,
                                               .create = create,
                                               .destroy = destroy,
                                               .state = state,
                                               .energy = energy,
                                               .step = step,
                                               .ports = ports,
                                               .frame = frame,
                                               .reduce = reduce,
                                               .impulse = impulse,
                                               .displace = displace,
                                               .signals = signals,
                                               .read = read,
                                               TABLE_MORE};

static const flg_plugin library = {.abi = FLG_PLUGIN_ABI,
                                   .size = sizeof library,
                                   .name = LIBRARY_NAME,
                                   .version = LIBRARY_VERSION,
                                   .subsystem = &subsystem};

FLG_PLUGIN_EXPORT const flg_plugin *flg_plugin_v1(void) {
  return &library;
}
