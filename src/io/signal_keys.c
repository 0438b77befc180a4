#include "io/signal_keys.h"

#include "model/block.h"

/* all kinds but that of inputs, which are declared apart */
static const char *const kind_words[] = {"constant", "step",    "ramp", "sine",   "table",
                                         "quintic",  "formula", "pid",  "filter", NULL};
_Static_assert(FLG_COUNT(kind_words) - 1 == FLG_BLOCK_INPUT, "a word for each kind");
static const char *const interpolation_words[] = {"hold", "linear", "spline", NULL};
static const char *const windup_words[] = {"clamping", "back-calculation", NULL};

static const flg_field point_fields[] = {
    FLG_KEY(flg_signal_point_keys, at, NUMBER, "when", true, .unit = "s"),
    FLG_KEY(flg_signal_point_keys, value, NUMBER, "what", true),
};
static const flg_section point_section =
    FLG_SECTION("signal point", flg_signal_point_keys, point_fields,
                "A point of a table or a quintic.", "{at: 1, value: 0.5}");

static const flg_field signal_fields[] = {
    FLG_KEY(flg_signal_keys, kind, CHOICE, "what it is", .choices = kind_words,
            .fallback = "formula"),
    FLG_KEY(flg_signal_keys, value, SIGNAL, "of a formula or a constant"),
    FLG_KEY(flg_signal_keys, at, NUMBER, "when a step or a ramp starts; 0 if absent", .unit = "s"),
    FLG_KEY(flg_signal_keys, until, NUMBER, "when a ramp ends; never if absent", .unit = "s"),
    FLG_KEY(flg_signal_keys, from, NUMBER, "before a step or a ramp; 0 if absent"),
    FLG_KEY(flg_signal_keys, to, NUMBER,
            "after a step; after a ramp that has an end, in place of `slope`"),
    FLG_KEY(flg_signal_keys, slope, NUMBER, "of a ramp, per second"),
    FLG_KEY(flg_signal_keys, amplitude, NUMBER, "of a sine; 1 if absent"),
    FLG_KEY(flg_signal_keys, frequency, NUMBER, "of a sine, in Hz"),
    FLG_KEY(flg_signal_keys, phase, NUMBER, "of a sine; 0 if absent", .unit = "rad"),
    FLG_KEY(flg_signal_keys, offset, NUMBER, "of a sine; 0 if absent"),
    FLG_KEY(flg_signal_keys, points, LIST,
            "of a table, or of a quintic, which goes from rest to rest between neighbours",
            .section = &point_section),
    FLG_KEY(flg_signal_keys, file, FILE,
            "of a table, in place of points: CSV, its first column is time"),
    FLG_KEY(flg_signal_keys, column, TEXT,
            "of the file; the one with the name of the signal if absent"),
    FLG_KEY(flg_signal_keys, interpolation, CHOICE, "of a table", .choices = interpolation_words,
            .fallback = "linear"),
    FLG_KEY(flg_signal_keys, input, SIGNAL, "of a filter; what a pid brings to its target"),
    FLG_KEY(flg_signal_keys, target, SIGNAL, "of a pid; 0 if absent"),
    FLG_KEY(flg_signal_keys, feed_forward, SIGNAL, "added to what a pid does; 0 if absent"),
    FLG_KEY(flg_signal_keys, kp, NUMBER, "of a pid; 0 if absent"),
    FLG_KEY(flg_signal_keys, ki, NUMBER, "of a pid, per second; 0 if absent"),
    FLG_KEY(flg_signal_keys, kd, NUMBER, "of a pid, in seconds; 0 if absent"),
    FLG_KEY(
        flg_signal_keys, filter, NUMBER,
        "time constant of the derivative of a pid; 0 if absent: rates must be known, or sampled",
        .range = FLG_RANGE_NOT_NEGATIVE, .unit = "s"),
    FLG_KEY(flg_signal_keys, windup, CHOICE,
            "how a pid at its limits stops its integral: clamping holds it while it drives the "
            "output further out; back-calculation drains it by (limited - unlimited) / tracking",
            .choices = windup_words, .fallback = "clamping"),
    FLG_KEY(flg_signal_keys, tracking, NUMBER, "time constant of back-calculation",
            .range = FLG_RANGE_POSITIVE, .unit = "s"),
    FLG_KEY(flg_signal_keys, time_constant, NUMBER, "of a filter", .range = FLG_RANGE_POSITIVE,
            .unit = "s"),
    FLG_KEY(flg_signal_keys, order, INTEGER, "of a filter; 1 if absent", .range = FLG_RANGE_BETWEEN,
            .least = 1, .most = 2),
    FLG_KEY(flg_signal_keys, damping, NUMBER, "of a filter of order 2; 1 if absent",
            .range = FLG_RANGE_NOT_NEGATIVE),
    FLG_KEY(flg_signal_keys, initial, NUMBER,
            "at the start: value of a filter, integral of a pid; 0 if absent"),
    FLG_LIMIT_FIELD(flg_signal_keys, "of a formula or a pid"),
    FLG_KEY(flg_signal_keys, sample, NUMBER,
            "period at whose multiples it is computed, and held in between; continuous if absent",
            .range = FLG_RANGE_POSITIVE, .unit = "s"),
};
const flg_section flg_signal_section =
    FLG_SECTION("signal", flg_signal_keys, signal_fields,
                "A number that changes while the system runs.", "{value: 0.5}");

static const flg_field input_fields[] = {
    FLG_KEY_AT(flg_input_keys, value, "default", NUMBER,
               "while nothing is connected; if absent, something must be"),
};
const flg_section flg_input_section = FLG_SECTION(
    "input", flg_input_keys, input_fields, "A signal that comes from outside.", "{default: 0.5}");
