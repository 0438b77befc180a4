#include "io/signal_keys.h"

#include "model/block.h"

#define COUNT(table) (int)(sizeof(table) / sizeof((table)[0]))

/* all kinds but that of inputs, which are declared apart */
static const char *const kind_words[] = {"constant", "step",    "ramp", "sine",   "table",
                                         "quintic",  "formula", "pid",  "filter", NULL};
_Static_assert(COUNT(kind_words) - 1 == FLG_BLOCK_INPUT, "a word for each kind");
static const char *const interpolation_words[] = {"hold", "linear", "spline", NULL};
static const char *const windup_words[] = {"clamping", "back-calculation", NULL};

static const flg_field point_fields[] = {
    {"at", FLG_FIELD_NUMBER, offsetof(flg_signal_point_keys, at), "when", true, .unit = "s"},
    {"value", FLG_FIELD_NUMBER, offsetof(flg_signal_point_keys, value), "what", true},
};
static const flg_section point_section = {"signal point",
                                          "A point of a table or a quintic.",
                                          sizeof(flg_signal_point_keys),
                                          point_fields,
                                          COUNT(point_fields),
                                          .example = "{at: 1, value: 0.5}"};

static const flg_field signal_fields[] = {
    {"kind", FLG_FIELD_CHOICE, offsetof(flg_signal_keys, kind), "what it is", .choices = kind_words,
     .fallback = "formula"},
    {"value", FLG_FIELD_SIGNAL, offsetof(flg_signal_keys, value), "of a formula or a constant"},
    {"at", FLG_FIELD_NUMBER, offsetof(flg_signal_keys, at),
     "when a step or a ramp starts; 0 if absent", .unit = "s"},
    {"until", FLG_FIELD_NUMBER, offsetof(flg_signal_keys, until),
     "when a ramp ends; never if absent", .unit = "s"},
    {"from", FLG_FIELD_NUMBER, offsetof(flg_signal_keys, from),
     "before a step or a ramp; 0 if absent"},
    {"to", FLG_FIELD_NUMBER, offsetof(flg_signal_keys, to),
     "after a step; after a ramp that has an end, in place of `slope`"},
    {"slope", FLG_FIELD_NUMBER, offsetof(flg_signal_keys, slope), "of a ramp, per second"},
    {"amplitude", FLG_FIELD_NUMBER, offsetof(flg_signal_keys, amplitude), "of a sine; 1 if absent"},
    {"frequency", FLG_FIELD_NUMBER, offsetof(flg_signal_keys, frequency), "of a sine, in Hz"},
    {"phase", FLG_FIELD_NUMBER, offsetof(flg_signal_keys, phase), "of a sine; 0 if absent",
     .unit = "rad"},
    {"offset", FLG_FIELD_NUMBER, offsetof(flg_signal_keys, offset), "of a sine; 0 if absent"},
    {"points", FLG_FIELD_LIST, offsetof(flg_signal_keys, points),
     "of a table, or of a quintic, which goes from rest to rest between neighbours",
     .section = &point_section},
    {"file", FLG_FIELD_FILE, offsetof(flg_signal_keys, file),
     "of a table, in place of points: CSV, its first column is time"},
    {"column", FLG_FIELD_TEXT, offsetof(flg_signal_keys, column),
     "of the file; the one with the name of the signal if absent"},
    {"interpolation", FLG_FIELD_CHOICE, offsetof(flg_signal_keys, interpolation), "of a table",
     .choices = interpolation_words, .fallback = "linear"},
    {"input", FLG_FIELD_SIGNAL, offsetof(flg_signal_keys, input),
     "of a filter; what a pid brings to its target"},
    {"target", FLG_FIELD_SIGNAL, offsetof(flg_signal_keys, target), "of a pid; 0 if absent"},
    {"feed_forward", FLG_FIELD_SIGNAL, offsetof(flg_signal_keys, feed_forward),
     "added to what a pid does; 0 if absent"},
    {"kp", FLG_FIELD_NUMBER, offsetof(flg_signal_keys, kp), "of a pid; 0 if absent"},
    {"ki", FLG_FIELD_NUMBER, offsetof(flg_signal_keys, ki), "of a pid, per second; 0 if absent"},
    {"kd", FLG_FIELD_NUMBER, offsetof(flg_signal_keys, kd), "of a pid, in seconds; 0 if absent"},
    {"filter", FLG_FIELD_NUMBER, offsetof(flg_signal_keys, filter),
     "time constant of the derivative of a pid; 0 if absent: rates must be known, or sampled",
     .range = FLG_RANGE_NOT_NEGATIVE, .unit = "s"},
    {"windup", FLG_FIELD_CHOICE, offsetof(flg_signal_keys, windup),
     "how a pid at its limits stops its integral: clamping holds it while it drives the output "
     "further out; back-calculation drains it by (limited - unlimited) / tracking",
     .choices = windup_words, .fallback = "clamping"},
    {"tracking", FLG_FIELD_NUMBER, offsetof(flg_signal_keys, tracking),
     "time constant of back-calculation", .range = FLG_RANGE_POSITIVE, .unit = "s"},
    {"time_constant", FLG_FIELD_NUMBER, offsetof(flg_signal_keys, time_constant), "of a filter",
     .range = FLG_RANGE_POSITIVE, .unit = "s"},
    {"order", FLG_FIELD_INTEGER, offsetof(flg_signal_keys, order), "of a filter; 1 if absent",
     .range = FLG_RANGE_BETWEEN, .least = 1, .most = 2},
    {"damping", FLG_FIELD_NUMBER, offsetof(flg_signal_keys, damping),
     "of a filter of order 2; 1 if absent", .range = FLG_RANGE_NOT_NEGATIVE},
    {"initial", FLG_FIELD_NUMBER, offsetof(flg_signal_keys, initial),
     "at the start: value of a filter, integral of a pid; 0 if absent"},
    FLG_LIMIT_FIELD(flg_signal_keys, "of a formula or a pid"),
    {"sample", FLG_FIELD_NUMBER, offsetof(flg_signal_keys, sample),
     "period at whose multiples it is computed, and held in between; continuous if absent",
     .range = FLG_RANGE_POSITIVE, .unit = "s"},
};
const flg_section flg_signal_section = {"signal",
                                        "A number that changes while the system runs.",
                                        sizeof(flg_signal_keys),
                                        signal_fields,
                                        COUNT(signal_fields),
                                        .example = "{value: 0.5}"};

static const flg_field input_fields[] = {
    {"default", FLG_FIELD_NUMBER, offsetof(flg_input_keys, value),
     "while nothing is connected; if absent, something must be"},
};
const flg_section flg_input_section = {"input",
                                       "A signal that comes from outside.",
                                       sizeof(flg_input_keys),
                                       input_fields,
                                       COUNT(input_fields),
                                       .example = "{default: 0.5}"};
