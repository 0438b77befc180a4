/* options.c - the option structs of flange/mechanism.h and flange/system.h: their members, under
 * the keys of files, and where they go in a definition. */
#include <string.h>

#include "api/api_inner.h"
#include "api/define_inner.h"
#include "flange/flexible.h"
#include "flange/system.h"
#include "plugin/plugin_library.h"

/* A member of flg_NAME_options under a key of its own name, or of another. */
#define OPTION_AT(type, member, key, kind) \
  { key, FLG_OPTION_##kind, offsetof(flg_##type##_options, member), 0 }
#define OPTION(type, member, kind) OPTION_AT(type, member, #member, kind)
#define VECTOR_AT(type, member, key)                                \
  {                                                                 \
    key, FLG_OPTION_VECTOR, offsetof(flg_##type##_options, member), \
        sizeof((flg_##type##_options *)0)->member / sizeof(double)  \
  }
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
    OPTION(body, elastic, NUMBERS),
    OPTION(body, elastic_velocity, NUMBERS),
};

/* what joints of components, and those between subsystems, have alike */
#define KEYS_OF_JOINT                                                                           \
  VECTOR(joint, at), VECTOR(joint, turn), VECTOR(joint, axis), VECTOR(joint, axis2),            \
      OPTION(joint, pitch, NUMBER), OPTION(joint, length, NUMBER), OPTION(joint, drive, TEXTS), \
      OPTION(joint, driven, TEXTS), VECTOR(joint, driven_axis), OPTION(joint, ratio, NUMBER),   \
      OPTION(joint, radius, NUMBER), OPTION(joint, stiffness, NUMBER),                          \
      OPTION(joint, damping, NUMBER), OPTION(joint, implicit, SWITCH),                          \
      OPTION(joint, backlash, NUMBER), OPTION(joint, restitution, NUMBER),                      \
      OPTION(joint, efficiency, NUMBER),                                                        \
      OPTION_AT(joint, friction_coulomb, "friction.coulomb", NUMBER),                           \
      OPTION_AT(joint, friction_stiction, "friction.stiction", NUMBER),                         \
      OPTION_AT(joint, friction_stribeck, "friction.stribeck", NUMBER),                         \
      OPTION_AT(joint, friction_viscous, "friction.viscous", NUMBER),                           \
      OPTION_AT(joint, stops_lower, "stops.lower", NUMBER),                                     \
      OPTION_AT(joint, stops_upper, "stops.upper", NUMBER),                                     \
      OPTION_AT(joint, stops_restitution, "stops.restitution", NUMBER)

static const flg_option joint_options[] = {
    OPTION(joint, kind, TEXT),
    OPTION(joint, between, PAIR),
    OPTION(joint, parent, TEXT),
    OPTION(joint, child, TEXT),
    KEYS_OF_JOINT,
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

static const flg_option interface_options[] = {
    OPTION_AT(joint, kind, "joint", TEXT),
    OPTION(joint, between, PAIR),
    KEYS_OF_JOINT,
};

static const flg_option shape_options[] = {
    OPTION(shape, kind, TEXT),
    OPTION_AT(shape, lengths, "size", NUMBERS),
    OPTION(shape, values, NUMBERS),
    OPTION(shape, columns, COUNT),
    OPTION(shape, points, NAMED),
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
    OPTION(surface, between, PAIR),
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

/* of a system: an interface that is a bushing */
static const flg_option soft_options[] = {
    OPTION(bushing, between, PAIR),
    VECTOR(bushing, at),
    VECTOR(bushing, turn),
    VECTOR(bushing, axis),
    VECTOR_AT(bushing, stiffness, "bushing.stiffness"),
    VECTOR_AT(bushing, angular_stiffness, "bushing.angular_stiffness"),
    VECTOR_AT(bushing, damping, "bushing.damping"),
    VECTOR_AT(bushing, angular_damping, "bushing.angular_damping"),
    OPTION_AT(bushing, implicit, "bushing.implicit", SWITCH),
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
    OPTION(signal, kind, TEXT),
    OPTION(signal, value, TEXT),
    OPTION(signal, at, NUMBER),
    OPTION(signal, until, NUMBER),
    OPTION(signal, from, NUMBER),
    OPTION(signal, to, NUMBER),
    OPTION(signal, slope, NUMBER),
    OPTION(signal, amplitude, NUMBER),
    OPTION(signal, frequency, NUMBER),
    OPTION(signal, phase, NUMBER),
    OPTION(signal, offset, NUMBER),
    OPTION_AT(signal, points, "points.value", POINTS),
    OPTION(signal, file, TEXT),
    OPTION(signal, column, TEXT),
    OPTION(signal, interpolation, TEXT),
    OPTION(signal, input, TEXT),
    OPTION(signal, target, TEXT),
    OPTION(signal, feed_forward, TEXT),
    OPTION(signal, kp, NUMBER),
    OPTION(signal, ki, NUMBER),
    OPTION(signal, kd, NUMBER),
    OPTION(signal, filter, NUMBER),
    OPTION(signal, windup, TEXT),
    OPTION(signal, tracking, NUMBER),
    OPTION(signal, time_constant, NUMBER),
    OPTION(signal, order, COUNT),
    OPTION(signal, damping, NUMBER),
    OPTION(signal, initial, NUMBER),
    OPTION(signal, limit, NUMBERS),
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
    OPTION_AT(part, configuration, "initial", TEXT),
    OPTION(part, initial, NAMED),
    OPTION(part, initial_velocity, NAMED),
    OPTION(part, armature, NAMED),
    OPTION(part, parameters, NAMED),
    OPTION(part, inputs, NAMED),
};

static const flg_option model_options[] = {
    OPTION(model, name, TEXT),
    OPTION(model, parameters, NAMED),
    OPTION(model, outputs, TEXTS),
    OPTION_AT(model, apart, "contacts.apart", PAIRS),
};

static const flg_option input_options[] = {
    OPTION_AT(input, default_value, "default", NUMBER),
};

static const flg_option configuration_options[] = {
    OPTION_AT(configuration, positions, "", NAMED),
};

/* the section of a beam or of a piece of one */
#define SECTION(type)                                                \
  OPTION_AT(type, section_kind, "section.kind", TEXT),               \
      OPTION_AT(type, section_diameter, "section.diameter", NUMBER), \
      OPTION_AT(type, section_wall, "section.wall", NUMBER),         \
      VECTOR_AT(type, section_size, "section.size"),                 \
      OPTION_AT(type, section_area, "section.area", NUMBER),         \
      OPTION_AT(type, section_along_y, "section.along_y", NUMBER),   \
      OPTION_AT(type, section_along_z, "section.along_z", NUMBER),   \
      OPTION_AT(type, section_torsion, "section.torsion", NUMBER)

static const flg_option flexible_options[] = {
    OPTION(flexible, file, TEXT),
    VECTOR(flexible, start),
    VECTOR(flexible, end),
    VECTOR(flexible, side),
    SECTION(flexible),
    OPTION(flexible, young, NUMBER),
    OPTION(flexible, shear, NUMBER),
    OPTION(flexible, density, NUMBER),
    OPTION(flexible, ends, TEXT),
    OPTION(flexible, bending, NUMBERS),
    OPTION(flexible, twist, COUNT),
    OPTION(flexible, axial, COUNT),
    OPTION(flexible, damping, NUMBER),
    VECTOR(flexible, rayleigh),
    OPTION(flexible, stiffening, SWITCH),
    OPTION(flexible, rotary, SWITCH),
    OPTION(flexible, stiffness, NUMBERS),
    OPTION(flexible, mass, NUMBERS),
    OPTION(flexible, damping_matrix, NUMBERS),
};

static const flg_option piece_options[] = {
    OPTION(piece, length, NUMBER),  SECTION(piece),
    OPTION(piece, young, NUMBER),   OPTION(piece, shear, NUMBER),
    OPTION(piece, density, NUMBER),
};

static const flg_option mode_options[] = {
    OPTION(mode, motion, TEXT),
    OPTION(mode, polynomial, NUMBERS),
    OPTION(mode, ends, TEXT),
    OPTION(mode, number, COUNT),
};

static const flg_option node_options[] = {
    VECTOR(node, at),
    OPTION(node, mass, NUMBER),
    OPTION(node, shapes, NUMBERS),
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
    OPTION(subsystem, initial, NAMED),
    OPTION(subsystem, initial_velocity, NAMED),
    OPTION(subsystem, armature, NAMED),
    OPTION(subsystem, parameters, NAMED),
    OPTION(subsystem, coordinates, TEXT),
    OPTION(subsystem, self_collision, SWITCH),
    OPTION(subsystem, inertia, TEXT),
    OPTION(subsystem, limits, TEXT),
    OPTION(subsystem, compiled, SWITCH),
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
    OPTION_AT(controller, points, "points.position", POINTS),
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
    OPTION(controller, parameters, NAMED),
};

static const flg_option scheme_options[] = {
    OPTION(scheme, scheme, TEXT),      OPTION(scheme, form, TEXT),
    OPTION(scheme, reconcile, TEXT),   OPTION(scheme, pose, TEXT),
    OPTION(scheme, feedback, NUMBER),  OPTION(scheme, causality, TEXT),
    OPTION(scheme, order, TEXTS),      OPTION(scheme, contacts, TEXT),
    OPTION(scheme, elastic, TEXT),     OPTION(scheme, potential, TEXTS),
    OPTION(scheme, stiffness, NUMBER), OPTION(scheme, damping, NUMBER),
    OPTION(scheme, step, NUMBER),      OPTION(scheme, integrator, TEXT),
    OPTION(scheme, capacity, COUNT),
};

static const flg_option event_options[] = {
    OPTION(event, at, NUMBER),          OPTION(event, lock, TEXTS),    OPTION(event, unlock, TEXTS),
    OPTION(event, enable, TEXTS),       OPTION(event, disable, TEXTS), OPTION(event, weld, PAIR),
    OPTION(event, release, TEXTS),      OPTION(event, name, TEXT),     OPTION(event, set, NAMED),
    OPTION(event, set_velocity, NAMED),
};

static const flg_option compare_options[] = {
    OPTION_AT(compare, reference_step, "reference.step", NUMBER),
    OPTION_AT(compare, reference_integrator, "reference.integrator", TEXT),
    OPTION(compare, couplings, TEXTS),
    OPTION(compare, macro, NUMBERS),
    OPTION(compare, micro, TEXT),
};

static const flg_option touch_options[] = {
    OPTION(touch, friction, TEXT),  OPTION(touch, restitution, TEXT),
    OPTION(touch, capacity, COUNT), OPTION(touch, correction, NUMBER),
    OPTION(touch, material, TEXT),
};

/* --- where they go -------------------------------------------------------------------------------
 */

/* The layout flg_define_NAME of flg_TYPE_options by a table of members. What follows are the places
 * where it goes: kind of definition and path, in which `*` stands for a name and `+` for a new
 * item of a list. */
#define LAYOUT_BY(name, type, table, ...)                                             \
  static const flg_layout name##_layout = {#type,                                     \
                                           sizeof(flg_##type##_options),              \
                                           table,                                     \
                                           (int)(sizeof(table) / sizeof((table)[0])), \
                                           {__VA_ARGS__}}
#define LAYOUT(name, type, ...) LAYOUT_BY(name, type, type##_options, __VA_ARGS__)
#define IN(kind, path) \
  { FLG_DEFINE_##kind, path }
#define IN_BOTH(path) IN(COMPONENT, path), IN(ROBOT, path)
#define IN_ALL(path)  IN_BOTH(path), IN(SYSTEM, path)
/* what belongs to a flexible body */
#define IN_FLEXIBLE(path)                                                       \
  IN_BOTH("bodies.*.flexible" path), IN(COMPONENT, "robots.*.flexible.*" path), \
      IN(SYSTEM, "subsystems.*.flexible.*" path)

LAYOUT(model, model, IN_BOTH(""));
LAYOUT(body, body, IN_BOTH("bodies.*"));
LAYOUT(joint, joint, IN_BOTH("joints.*"));
LAYOUT(shape, shape, IN_BOTH("bodies.*.shapes.+"), IN_BOTH("shapes.+"),
       IN(SYSTEM, "ground.shapes.+"));
LAYOUT(material, surface, IN_ALL("materials.*"));
LAYOUT(material_pair, surface, IN_ALL("contacts.pairs.+"));
LAYOUT(port, frame, IN_BOTH("ports.*"));
LAYOUT(marker, frame, IN_BOTH("markers.*"));
LAYOUT(configuration, configuration, IN(ROBOT, "configurations.*"),
       IN(COMPONENT, "robots.*.configurations.*"), IN(SYSTEM, "subsystems.*.configurations.*"));
LAYOUT(spring, spring, IN(COMPONENT, "springs.*"));
LAYOUT(force, force, IN(COMPONENT, "forces.*"), IN(SYSTEM, "subsystems.*.forces.*"));
LAYOUT(bushing, bushing, IN(COMPONENT, "bushings.*"));
LAYOUT_BY(soft, bushing, soft_options, IN(SYSTEM, "interfaces.*"));
LAYOUT(sensor, sensor, IN(COMPONENT, "sensors.*"));
LAYOUT(signal, signal, IN(COMPONENT, "signals.*"));
LAYOUT(input, input, IN(COMPONENT, "inputs.*"));
LAYOUT(motor, motor, IN(COMPONENT, "motors.*"));
LAYOUT(effort, effort, IN(COMPONENT, "efforts.*"));
LAYOUT(motion, effort, IN(COMPONENT, "motions.*"));
LAYOUT(robot, part, IN(COMPONENT, "robots.*"));
LAYOUT(component, part, IN(COMPONENT, "components.*"));
LAYOUT(flexible, flexible, IN_FLEXIBLE(""));
LAYOUT(piece, piece, IN_FLEXIBLE(".pieces.+"));
LAYOUT(mode, mode, IN_FLEXIBLE(".shapes.+"));
LAYOUT(node, node, IN_FLEXIBLE(".nodes.+"));
LAYOUT(system, system, IN(SYSTEM, ""));
LAYOUT(subsystem, subsystem, IN(SYSTEM, "subsystems.*"));
LAYOUT(controller, controller, IN(SYSTEM, "subsystems.*.controllers.*"));
LAYOUT_BY(interface, joint, interface_options, IN(SYSTEM, "interfaces.*"));
LAYOUT(coupling, scheme, IN(SYSTEM, "coupling"));
LAYOUT(event, event, IN(SYSTEM, "events.+"));
LAYOUT(compare, compare, IN(SYSTEM, "compare"));
LAYOUT(contacts, touch, IN(SYSTEM, "contacts"), IN(SYSTEM, "subsystems.*.contacts"));

const flg_layout *const flg_layouts[] = {
    &model_layout,         &body_layout,
    &joint_layout,         &shape_layout,
    &material_layout,      &material_pair_layout,
    &port_layout,          &marker_layout,
    &configuration_layout, &spring_layout,
    &force_layout,         &bushing_layout,
    &soft_layout,          &sensor_layout,
    &signal_layout,        &input_layout,
    &motor_layout,         &effort_layout,
    &motion_layout,        &robot_layout,
    &component_layout,     &flexible_layout,
    &piece_layout,         &mode_layout,
    &node_layout,          &system_layout,
    &subsystem_layout,     &controller_layout,
    &interface_layout,     &coupling_layout,
    &event_layout,         &compare_layout,
    &contacts_layout,      NULL,
};

void flg_options_clear(const char *name, void *options, size_t size) {
  if (name == NULL || options == NULL || size < sizeof(size_t)) return;
  for (const flg_layout *const *layout = flg_layouts; *layout != NULL; layout++) {
    if (strcmp((*layout)->type, name) != 0) continue;
    flg_layout_clear(*layout, options, size);
    return;
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

DEFINE(model, model)
DEFINE_NAMED(body, body)
DEFINE_NAMED(joint, joint)
DEFINE_NAMED(shape, shape)
DEFINE_NAMED(material, surface)
DEFINE(material_pair, surface)
DEFINE_NAMED(port, frame)
DEFINE_NAMED(marker, frame)
DEFINE_NAMED(configuration, configuration)
DEFINE_NAMED(spring, spring)
DEFINE_NAMED(force, force)
DEFINE_NAMED(sensor, sensor)
DEFINE_NAMED(signal, signal)
DEFINE_NAMED(input, input)
DEFINE_NAMED(motor, motor)
DEFINE_NAMED(effort, effort)
DEFINE_NAMED(motion, effort)
DEFINE_NAMED(robot, part)
DEFINE_NAMED(component, part)
DEFINE_NAMED(flexible, flexible)
DEFINE_NAMED(piece, piece)
DEFINE_NAMED(mode, mode)
DEFINE_NAMED(node, node)
DEFINE(system, system)
DEFINE_NAMED(subsystem, subsystem)
DEFINE_NAMED(controller, controller)
DEFINE_NAMED(interface, joint)
DEFINE(coupling, scheme)
DEFINE(event, event)
DEFINE(compare, compare)
DEFINE_NAMED(contacts, touch)

flg_status flg_define_bushing(flg_definition *definition, const char *name,
                              const flg_bushing_options *options, flg_error *error) {
  const bool is_system = definition != NULL && definition->kind == FLG_DEFINE_SYSTEM;
  return flg_layout_define(is_system ? &soft_layout : &bushing_layout, definition, name, options,
                           error);
}

flg_status flg_plugin_provide(const char *name, const flg_plugin *table, flg_error *error) {
  const flg_status status = flg_api_present(name, "name", error);
  return status == FLG_OK ? flg_plugin_keep(name, table, error) : status;
}

flg_plugin_state flg_plugin_state_of(void *instance) {
  const flg_plugin_state *state = instance, none = {0};
  return state == NULL ? none : *state;
}
