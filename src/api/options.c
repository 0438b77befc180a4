/* options.c - the option structs of flange/mechanism.h and flange/system.h: their members, under
 * the keys of files, and where they go in a definition. */
#include "api/api_inner.h"
#include "api/define_inner.h"
#include "flange/mechanism.h"
#include "flange/system.h"
#include "plugin/plugin_library.h"

/* A member of flg_NAME_options under a key of its own name, or of another. */
#define OPTION_AT(type, member, key, kind) \
  { key, FLG_OPTION_##kind, offsetof(flg_##type##_options, member), 0 }
#define OPTION(type, member, kind) OPTION_AT(type, member, #member, kind)
#define VECTOR_AT(type, member, key) \
  { key, FLG_OPTION_VECTOR, offsetof(flg_##type##_options, member), 3 }
#define VECTOR(type, member) VECTOR_AT(type, member, #member)

static const flg_option body_options[] = {
    OPTION(body, mass, NUMBER),
    VECTOR(body, centre),
    OPTION(body, inertia, NUMBERS),
    VECTOR(body, at),
    VECTOR(body, turn),
    VECTOR(body, velocity),
    VECTOR(body, angular_velocity),
    OPTION(body, fixed, SWITCH),
    OPTION(body, point, SWITCH),
    VECTOR(body, gravity),
};

static const flg_option joint_options[] = {
    OPTION(joint, kind, TEXT),
    OPTION(joint, between, PAIR),
    OPTION(joint, parent, TEXT),
    OPTION(joint, child, TEXT),
    VECTOR(joint, at),
    VECTOR(joint, turn),
    VECTOR(joint, axis),
    VECTOR(joint, axis2),
    OPTION(joint, pitch, NUMBER),
    OPTION(joint, length, NUMBER),
    OPTION(joint, drive, TEXTS),
    OPTION(joint, driven, TEXTS),
    VECTOR(joint, driven_axis),
    OPTION(joint, ratio, NUMBER),
    OPTION(joint, radius, NUMBER),
    OPTION(joint, stiffness, NUMBER),
    OPTION(joint, damping, NUMBER),
    OPTION(joint, implicit, SWITCH),
    OPTION(joint, backlash, NUMBER),
    OPTION(joint, restitution, NUMBER),
    OPTION(joint, efficiency, NUMBER),
    OPTION_AT(joint, friction_coulomb, "friction.coulomb", NUMBER),
    OPTION_AT(joint, friction_stiction, "friction.stiction", NUMBER),
    OPTION_AT(joint, friction_stribeck, "friction.stribeck", NUMBER),
    OPTION_AT(joint, friction_viscous, "friction.viscous", NUMBER),
    OPTION_AT(joint, stops_lower, "stops.lower", NUMBER),
    OPTION_AT(joint, stops_upper, "stops.upper", NUMBER),
    OPTION_AT(joint, stops_restitution, "stops.restitution", NUMBER),
    OPTION_AT(joint, dry_friction, "friction", NUMBER),
    OPTION(joint, armature, NUMBER),
    OPTION_AT(joint, limits_lower, "limits.lower", NUMBER),
    OPTION_AT(joint, limits_upper, "limits.upper", NUMBER),
    OPTION_AT(joint, limits_effort, "limits.effort", NUMBER),
    OPTION_AT(joint, limits_speed, "limits.speed", NUMBER),
    OPTION_AT(joint, mimic_joint, "mimic.joint", TEXT),
    OPTION_AT(joint, mimic_multiplier, "mimic.multiplier", NUMBER),
    OPTION_AT(joint, mimic_offset, "mimic.offset", NUMBER),
};

static const flg_option shape_options[] = {
    OPTION(shape, kind, TEXT),
    OPTION_AT(shape, lengths, "size", NUMBERS),
    OPTION(shape, values, NUMBERS),
    OPTION(shape, columns, COUNT),
    VECTOR(shape, at),
    VECTOR(shape, turn),
    OPTION(shape, name, TEXT),
    OPTION(shape, mesh, TEXT),
    OPTION(shape, collision, TEXT),
    OPTION(shape, material, TEXT),
    OPTION(shape, friction, NUMBER),
    OPTION(shape, restitution, NUMBER),
    OPTION(shape, group, TEXT),
    OPTION(shape, collides, TEXTS),
    OPTION(shape, colour, NUMBERS),
};

static const flg_option surface_options[] = {
    OPTION(surface, friction, NUMBER),
    OPTION(surface, restitution, NUMBER),
};

static const flg_option spring_options[] = {
    OPTION(spring, between, PAIR),     OPTION(spring, on, TEXT),
    OPTION(spring, stiffness, NUMBER), OPTION(spring, damping, NUMBER),
    OPTION(spring, length, NUMBER),    OPTION(spring, rest, NUMBER),
    OPTION(spring, preload, NUMBER),   OPTION(spring, implicit, SWITCH),
};

static const flg_option force_options[] = {
    OPTION(force, body, TEXT),     OPTION(force, on, TEXT),        VECTOR(force, at),
    VECTOR(force, force),          VECTOR(force, moment),          OPTION(force, axes, TEXT),
    OPTION(force, effort, NUMBER), OPTION(force, enabled, SWITCH),
};

static const flg_option bushing_options[] = {
    OPTION(bushing, between, PAIR),
    VECTOR(bushing, at),
    VECTOR(bushing, turn),
    VECTOR(bushing, axis),
    VECTOR(bushing, stiffness),
    VECTOR(bushing, angular_stiffness),
    VECTOR(bushing, damping),
    VECTOR(bushing, angular_damping),
    OPTION(bushing, implicit, SWITCH),
};

static const flg_option sensor_options[] = {
    OPTION(sensor, measure, TEXT), OPTION(sensor, between, PAIR), VECTOR(sensor, at),
    VECTOR(sensor, turn),          VECTOR(sensor, axis),
};

static const flg_option frame_options[] = {
    OPTION(frame, body, TEXT),
    OPTION(frame, of, TEXT),
    VECTOR(frame, at),
    VECTOR(frame, turn),
};

static const flg_option signal_options[] = {
    OPTION(signal, kind, TEXT),         OPTION(signal, value, TEXT),
    OPTION(signal, at, NUMBER),         OPTION(signal, until, NUMBER),
    OPTION(signal, from, NUMBER),       OPTION(signal, to, NUMBER),
    OPTION(signal, slope, NUMBER),      OPTION(signal, amplitude, NUMBER),
    OPTION(signal, frequency, NUMBER),  OPTION(signal, phase, NUMBER),
    OPTION(signal, offset, NUMBER),     OPTION(signal, file, TEXT),
    OPTION(signal, column, TEXT),       OPTION(signal, interpolation, TEXT),
    OPTION(signal, input, TEXT),        OPTION(signal, target, TEXT),
    OPTION(signal, feed_forward, TEXT), OPTION(signal, kp, NUMBER),
    OPTION(signal, ki, NUMBER),         OPTION(signal, kd, NUMBER),
    OPTION(signal, filter, NUMBER),     OPTION(signal, windup, TEXT),
    OPTION(signal, tracking, NUMBER),   OPTION(signal, time_constant, NUMBER),
    OPTION(signal, order, COUNT),       OPTION(signal, damping, NUMBER),
    OPTION(signal, initial, NUMBER),    OPTION(signal, limit, NUMBERS),
    OPTION(signal, sample, NUMBER),
};

static const flg_option motor_options[] = {
    OPTION(motor, on, TEXT),
    OPTION(motor, voltage, TEXT),
    OPTION(motor, resistance, NUMBER),
    OPTION(motor, inductance, NUMBER),
    OPTION(motor, torque_constant, NUMBER),
    OPTION(motor, back_emf, NUMBER),
    OPTION(motor, current, NUMBER),
    OPTION(motor, limit, NUMBERS),
};

static const flg_option effort_options[] = {
    OPTION(effort, on, TEXT),
    OPTION(effort, effort, TEXT),
    OPTION(effort, follows, TEXT),
    OPTION(effort, limit, NUMBERS),
};

static const flg_option part_options[] = {
    OPTION(part, model, TEXT),
    OPTION(part, file, TEXT),
    VECTOR(part, at),
    VECTOR(part, turn),
    OPTION(part, base, TEXT),
    VECTOR(part, velocity),
    VECTOR(part, angular_velocity),
    OPTION(part, self_collision, SWITCH),
    OPTION(part, inertia, TEXT),
    OPTION(part, limits, TEXT),
};

static const flg_option system_options[] = {
    OPTION(system, name, TEXT),
    VECTOR(system, gravity),
    OPTION_AT(system, end, "time.end", NUMBER),
    OPTION_AT(system, macro, "time.macro", NUMBER),
    OPTION(system, record, TEXTS),
};

static const flg_option subsystem_options[] = {
    OPTION(subsystem, model, TEXT),
    OPTION(subsystem, plugin, TEXT),
    VECTOR(subsystem, at),
    VECTOR(subsystem, turn),
    OPTION(subsystem, step, NUMBER),
    OPTION(subsystem, integrator, TEXT),
    OPTION(subsystem, relative_tolerance, NUMBER),
    OPTION(subsystem, absolute_tolerance, NUMBER),
    VECTOR(subsystem, gravity),
    OPTION(subsystem, base, TEXT),
    VECTOR(subsystem, velocity),
    VECTOR(subsystem, angular_velocity),
    OPTION_AT(subsystem, configuration, "initial", TEXT),
    OPTION(subsystem, self_collision, SWITCH),
    OPTION(subsystem, inertia, TEXT),
    OPTION(subsystem, limits, TEXT),
    OPTION(subsystem, assemble, SWITCH),
    OPTION(subsystem, geometry_tolerance, NUMBER),
    OPTION(subsystem, strict, SWITCH),
    OPTION(subsystem, projection, TEXT),
    OPTION(subsystem, elimination, TEXT),
    OPTION(subsystem, reduce, TEXT),
};

static const flg_option controller_options[] = {
    OPTION(controller, kind, TEXT),
    OPTION(controller, enabled, SWITCH),
    OPTION(controller, sample, NUMBER),
    OPTION(controller, joints, TEXTS),
    OPTION(controller, file, TEXT),
    OPTION(controller, interpolation, TEXT),
    OPTION(controller, stiffness, NUMBERS),
    OPTION(controller, damping, NUMBERS),
    OPTION(controller, frequency, NUMBERS),
    OPTION(controller, damping_ratio, NUMBERS),
    OPTION_AT(controller, payload_body, "payload.body", TEXT),
    OPTION_AT(controller, payload_mass, "payload.mass", NUMBER),
    VECTOR_AT(controller, payload_centre, "payload.centre"),
    OPTION_AT(controller, payload_inertia, "payload.inertia", NUMBERS),
    OPTION(controller, body, TEXT),
    VECTOR(controller, at),
    VECTOR(controller, force),
    VECTOR(controller, moment),
    OPTION(controller, plugin, TEXT),
};

static const flg_option interface_options[] = {
    OPTION(interface, between, PAIR),
    OPTION(interface, joint, TEXT),
    VECTOR(interface, at),
    VECTOR(interface, turn),
    VECTOR(interface, axis),
    VECTOR(interface, axis2),
    OPTION(interface, pitch, NUMBER),
    OPTION(interface, length, NUMBER),
    OPTION(interface, drive, TEXTS),
    OPTION(interface, driven, TEXTS),
    VECTOR(interface, driven_axis),
    OPTION(interface, ratio, NUMBER),
    OPTION(interface, radius, NUMBER),
    OPTION(interface, stiffness, NUMBER),
    OPTION(interface, damping, NUMBER),
    OPTION(interface, implicit, SWITCH),
    OPTION_AT(interface, friction_coulomb, "friction.coulomb", NUMBER),
    OPTION_AT(interface, friction_stiction, "friction.stiction", NUMBER),
    OPTION_AT(interface, friction_stribeck, "friction.stribeck", NUMBER),
    OPTION_AT(interface, friction_viscous, "friction.viscous", NUMBER),
    OPTION_AT(interface, stops_lower, "stops.lower", NUMBER),
    OPTION_AT(interface, stops_upper, "stops.upper", NUMBER),
    OPTION_AT(interface, stops_restitution, "stops.restitution", NUMBER),
    OPTION(interface, backlash, NUMBER),
    OPTION(interface, restitution, NUMBER),
    OPTION(interface, efficiency, NUMBER),
    VECTOR_AT(interface, bushing_stiffness, "bushing.stiffness"),
    VECTOR_AT(interface, bushing_angular_stiffness, "bushing.angular_stiffness"),
    VECTOR_AT(interface, bushing_damping, "bushing.damping"),
    VECTOR_AT(interface, bushing_angular_damping, "bushing.angular_damping"),
    OPTION_AT(interface, bushing_implicit, "bushing.implicit", SWITCH),
};

static const flg_option scheme_options[] = {
    OPTION(scheme, scheme, TEXT),      OPTION(scheme, form, TEXT),
    OPTION(scheme, reconcile, TEXT),   OPTION(scheme, pose, TEXT),
    OPTION(scheme, feedback, NUMBER),  OPTION(scheme, causality, TEXT),
    OPTION(scheme, order, TEXTS),      OPTION(scheme, contacts, TEXT),
    OPTION(scheme, elastic, TEXT),     OPTION(scheme, potential, TEXTS),
    OPTION(scheme, stiffness, NUMBER), OPTION(scheme, damping, NUMBER),
    OPTION(scheme, step, NUMBER),      OPTION(scheme, integrator, TEXT),
};

static const flg_option event_options[] = {
    OPTION(event, at, NUMBER),     OPTION(event, lock, TEXTS),    OPTION(event, unlock, TEXTS),
    OPTION(event, enable, TEXTS),  OPTION(event, disable, TEXTS), OPTION(event, weld, PAIR),
    OPTION(event, release, TEXTS), OPTION(event, name, TEXT),
};

static const flg_option touch_options[] = {
    OPTION(touch, friction, TEXT),  OPTION(touch, restitution, TEXT),
    OPTION(touch, capacity, COUNT), OPTION(touch, correction, NUMBER),
    OPTION(touch, material, TEXT),
};

#define COUNT(table) (int)(sizeof(table) / sizeof((table)[0]))
/* A layout of flg_TYPE_options; what else is to be said of it follows. */
#define LAYOUT(type, where, ...)                                                        \
  {                                                                                     \
    .section = where, .bytes = sizeof(flg_##type##_options), .options = type##_options, \
    .option_count = COUNT(type##_options), __VA_ARGS__                                  \
  }

static const flg_layout body_layout = LAYOUT(body, "bodies", .is_list = false);
static const flg_layout joint_layout = LAYOUT(joint, "joints", .is_list = false);
static const flg_layout shape_layout = LAYOUT(shape, "shapes", .is_list = true, .inside = "bodies");
static const flg_layout material_layout = LAYOUT(surface, "materials", .is_list = false);
static const flg_layout spring_layout = LAYOUT(spring, "springs", .is_list = false);
static const flg_layout force_layout = LAYOUT(force, "forces", .is_list = false);
static const flg_layout pushed_layout = LAYOUT(force, "forces", .inside = "subsystems");
static const flg_layout bushing_layout = LAYOUT(bushing, "bushings", .is_list = false);
static const flg_layout sensor_layout = LAYOUT(sensor, "sensors", .is_list = false);
static const flg_layout port_layout = LAYOUT(frame, "ports", .is_list = false);
static const flg_layout marker_layout = LAYOUT(frame, "markers", .is_list = false);
static const flg_layout signal_layout = LAYOUT(signal, "signals", .is_list = false);
static const flg_layout motor_layout = LAYOUT(motor, "motors", .is_list = false);
static const flg_layout effort_layout = LAYOUT(effort, "efforts", .is_list = false);
static const flg_layout motion_layout = LAYOUT(effort, "motions", .is_list = false);
static const flg_layout robot_layout = LAYOUT(part, "robots", .is_list = false);
static const flg_layout component_layout = LAYOUT(part, "components", .is_list = false);
static const flg_layout system_layout = LAYOUT(system, "", .is_single = true);
static const flg_layout subsystem_layout = LAYOUT(subsystem, "subsystems", .is_list = false);
static const flg_layout controller_layout =
    LAYOUT(controller, "controllers", .inside = "subsystems");
static const flg_layout interface_layout = LAYOUT(interface, "interfaces", .is_list = false);
static const flg_layout coupling_layout = LAYOUT(scheme, "coupling", .is_single = true);
static const flg_layout event_layout = LAYOUT(event, "events", .is_list = true);
static const flg_layout contacts_layout = LAYOUT(touch, "contacts", .is_single = true);
/* on the ground of a system, which is no body */
static const flg_layout ground_layout = LAYOUT(shape, "ground.shapes", .is_list = true);

static const flg_layout *const layouts[FLG_OPTIONS_KIND_COUNT] = {
    [FLG_OPTIONS_BODY] = &body_layout,           [FLG_OPTIONS_JOINT] = &joint_layout,
    [FLG_OPTIONS_SHAPE] = &shape_layout,         [FLG_OPTIONS_SURFACE] = &material_layout,
    [FLG_OPTIONS_SPRING] = &spring_layout,       [FLG_OPTIONS_FORCE] = &force_layout,
    [FLG_OPTIONS_BUSHING] = &bushing_layout,     [FLG_OPTIONS_SENSOR] = &sensor_layout,
    [FLG_OPTIONS_FRAME] = &port_layout,          [FLG_OPTIONS_SIGNAL] = &signal_layout,
    [FLG_OPTIONS_MOTOR] = &motor_layout,         [FLG_OPTIONS_EFFORT] = &effort_layout,
    [FLG_OPTIONS_PART] = &robot_layout,          [FLG_OPTIONS_SYSTEM] = &system_layout,
    [FLG_OPTIONS_SUBSYSTEM] = &subsystem_layout, [FLG_OPTIONS_CONTROLLER] = &controller_layout,
    [FLG_OPTIONS_INTERFACE] = &interface_layout, [FLG_OPTIONS_SCHEME] = &coupling_layout,
    [FLG_OPTIONS_EVENT] = &event_layout,         [FLG_OPTIONS_TOUCH] = &contacts_layout,
};

void flg_options_clear(flg_options_kind kind, void *options, size_t size) {
  const bool is_kind = (int)kind >= 0 && kind < FLG_OPTIONS_KIND_COUNT;
  if (is_kind && options != NULL && size >= sizeof(size_t)) {
    flg_layout_clear(layouts[kind], options, size);
  }
}

/* Defines flg_define_NAME of a struct flg_TYPE_options with a name. */
#define DEFINE_NAMED(name, type)                                                        \
  flg_status flg_define_##name(flg_definition *definition, const char *called,          \
                               const flg_##type##_options *options, flg_error *error) { \
    return flg_layout_define(&name##_layout, definition, called, options, error);       \
  }
/* The same of one without a name. */
#define DEFINE(name, type)                                                                      \
  flg_status flg_define_##name(flg_definition *definition, const flg_##type##_options *options, \
                               flg_error *error) {                                              \
    return flg_layout_define(&name##_layout, definition, NULL, options, error);                 \
  }

DEFINE_NAMED(body, body)
DEFINE_NAMED(joint, joint)
DEFINE_NAMED(material, surface)
DEFINE_NAMED(spring, spring)
DEFINE_NAMED(bushing, bushing)
DEFINE_NAMED(sensor, sensor)
DEFINE_NAMED(port, frame)
DEFINE_NAMED(marker, frame)
DEFINE_NAMED(signal, signal)
DEFINE_NAMED(motor, motor)
DEFINE_NAMED(effort, effort)
DEFINE_NAMED(motion, effort)
DEFINE_NAMED(robot, part)
DEFINE_NAMED(component, part)
DEFINE_NAMED(subsystem, subsystem)
DEFINE_NAMED(controller, controller)
DEFINE_NAMED(interface, interface)
DEFINE(system, system)
DEFINE(coupling, scheme)
DEFINE(event, event)
DEFINE(contacts, touch)

flg_status flg_define_shape(flg_definition *definition, const char *body,
                            const flg_shape_options *options, flg_error *error) {
  const bool is_system = definition != NULL && definition->kind == FLG_DEFINE_SYSTEM;
  if (is_system && body != NULL) {
    return flg_fail(error, FLG_ERR_USAGE,
                    "Bodies are in components and robots; a shape of a system is on the ground.");
  }
  const flg_layout *layout = is_system ? &ground_layout : &shape_layout;
  return flg_layout_define(layout, definition, body, options, error);
}

flg_status flg_define_force(flg_definition *definition, const char *name,
                            const flg_force_options *options, flg_error *error) {
  const bool is_system = definition != NULL && definition->kind == FLG_DEFINE_SYSTEM;
  return flg_layout_define(is_system ? &pushed_layout : &force_layout, definition, name, options,
                           error);
}

flg_status flg_plugin_provide(const char *name, const flg_plugin *table, flg_error *error) {
  const flg_status status = flg_api_present(name, "name", error);
  return status == FLG_OK ? flg_plugin_keep(name, table, error) : status;
}

flg_plugin_state flg_plugin_state_of(void *instance) {
  return instance == NULL ? (flg_plugin_state){0} : *(const flg_plugin_state *)instance;
}
