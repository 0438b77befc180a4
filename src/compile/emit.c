#include "compile/emit.h"

#include <math.h>
#include <string.h>

/* where a term is computed and for how long its number is needed */
typedef struct use {
  int part;  /* that computes it, -1: it is not needed, or has no statement */
  int until; /* the last part that reads it */
  int slot;  /* in the array that parts share, -1: its own part alone reads it */
} use;

typedef struct emission {
  const flg_terms *graph;
  const flg_emit_function *function;
  FILE *out;
  use *uses;    /* (nodes) */
  int *holders; /* (nodes) slots: the part until which each is taken */
  int slot_count, part_count, statements;
} emission;

static bool is_leaf(const flg_term_node *node) {
  return node->kind == FLG_TERM_CONSTANT || node->kind == FLG_TERM_INPUT;
}

static bool is_unary(const flg_term_node *node) {
  return node->kind == FLG_TERM_NEGATE || node->kind == FLG_TERM_ROOT;
}

/* --- which terms each part needs -----------------------------------------------------------------
 */

/* Constants and inputs are written where they are read: they need no statement. */
static void need(emission *of, flg_term term) {
  if (!is_leaf(flg_terms_node(of->graph, term))) of->uses[term].part = 0;
}

static void mark_needed(emission *of) {
  for (int k = 0; k < of->graph->nodes.count; k++) of->uses[k] = (use){-1, -1, -1};
  for (int k = 0; k < of->function->result_count; k++) need(of, of->function->results[k].term);
  /* From results towards inputs: operands have smaller numbers, so each node is visited after all
   * that read it. */
  for (int k = of->graph->nodes.count - 1; k >= 0; k--) {
    const flg_term_node *node = flg_terms_node(of->graph, k);
    if (of->uses[k].part < 0) continue;
    need(of, node->first);
    if (!is_unary(node)) need(of, node->second);
  }
}

static void read_at(emission *of, flg_term term, int part) {
  use *from = &of->uses[term];
  if (from->part >= 0 && part > from->until) from->until = part;
}

/* Compilers take more than linear time in the length of a function, so long ones are cut. In
 * ascending order: a part reads only what parts before it have computed. */
static void emit_divide(emission *of) {
  for (int k = 0; k < of->graph->nodes.count; k++) {
    const flg_term_node *node = flg_terms_node(of->graph, k);
    if (of->uses[k].part < 0) continue;
    const int part = of->statements++ / FLG_EMIT_STATEMENTS;
    of->uses[k].part = of->uses[k].until = part;
    read_at(of, node->first, part);
    if (!is_unary(node)) read_at(of, node->second, part);
    of->part_count = part + 1;
  }
  if (of->part_count == 0) of->part_count = 1;
}

/* Numbers that one part hands to a later one pass through an array; its slots are used again, so
 * that the array stays short. */
/* a slot is free again in the part after the last that reads it */
static void take_slots(emission *of) {
  for (int k = 0; k < of->graph->nodes.count; k++) {
    use *from = &of->uses[k];
    if (from->part < 0 || from->until == from->part) continue;
    int slot = 0;
    while (slot < of->slot_count && of->holders[slot] >= from->part) slot++;
    if (slot == of->slot_count) of->slot_count++;
    of->holders[slot] = from->until;
    from->slot = slot;
  }
}

/* --- text ---------------------------------------------------------------------------------------
 */

/* 17 digits give back the same double. A point makes whole numbers doubles: 1/3 would be 0. */
void flg_emit_number(double value, FILE *out) {
  char text[40];
  snprintf(text, sizeof text, "%.17g", value);
  const bool is_whole = strpbrk(text, ".enf") == NULL;
  /* printf writes inf, which is no C; ends of joints that have none are infinite */
  if (isinf(value)) {
    fputs(value > 0 ? "INFINITY" : "(-INFINITY)", out);
  } else {
    fprintf(out, value < 0 ? "(%s%s)" : "%s%s", text, is_whole ? "." : "");
  }
}

static void write_operand(const emission *of, flg_term term, int part) {
  const flg_term_node *node = flg_terms_node(of->graph, term);
  if (node->kind == FLG_TERM_CONSTANT) {
    flg_emit_number(node->value, of->out);
  } else if (node->kind == FLG_TERM_INPUT) {
    fprintf(of->out, "%s[%d]", of->function->inputs[node->first], node->second);
  } else if (of->uses[term].part == part) {
    fprintf(of->out, "t%d", term);
  } else {
    fprintf(of->out, "w[%d]", of->uses[term].slot);
  }
}

static void write_statement(const emission *of, flg_term term, int part) {
  static const char *const between[] = {[FLG_TERM_ADD] = " + ",
                                        [FLG_TERM_SUBTRACT] = " - ",
                                        [FLG_TERM_MULTIPLY] = " * ",
                                        [FLG_TERM_DIVIDE] = " / "};
  const flg_term_node *node = flg_terms_node(of->graph, term);
  fprintf(of->out, "  const %s t%d = ", of->function->type, term);
  if (node->kind == FLG_TERM_NEGATE) {
    fputs("-", of->out);
    write_operand(of, node->first, part);
  } else if (node->kind == FLG_TERM_ROOT) {
    fputs("root_of(", of->out);
    write_operand(of, node->first, part);
    fputs(")", of->out);
  } else if (node->kind == FLG_TERM_CALL) {
    const flg_term_call function = (flg_term_call)node->value;
    fprintf(of->out, "call_%s(", flg_term_call_name(function));
    write_operand(of, node->first, part);
    if (flg_term_call_arguments(function) == 2) {
      fputs(", ", of->out);
      write_operand(of, node->second, part);
    }
    fputs(")", of->out);
  } else {
    write_operand(of, node->first, part);
    fputs(between[node->kind], of->out);
    write_operand(of, node->second, part);
  }
  fputs(";\n", of->out);
  if (of->uses[term].slot >= 0) fprintf(of->out, "  w[%d] = t%d;\n", of->uses[term].slot, term);
}

static void write_results(const emission *of, int part) {
  for (int k = 0; k < of->function->result_count; k++) {
    const flg_emit_output *result = &of->function->results[k];
    const bool is_leaf_here = of->uses[result->term].part < 0 && part == 0;
    if (of->uses[result->term].part != part && !is_leaf_here) continue;
    fprintf(of->out, "  %s[%d] = ", of->function->outputs[result->array], result->index);
    /* a constant is no vector by itself */
    if (is_leaf_here) fprintf(of->out, "(%s){0} + ", of->function->type);
    write_operand(of, result->term, part);
    fputs(";\n", of->out);
  }
}

static void write_arguments(const emission *of, bool declares) {
  const flg_emit_function *f = of->function;
  for (int k = 0; k < f->input_count; k++) {
    if (f->inputs[k] == NULL) continue;
    if (declares) fprintf(of->out, "const %s *restrict ", f->type);
    fprintf(of->out, "%s, ", f->inputs[k]);
  }
  for (int k = 0; k < f->output_count; k++) {
    if (declares) fprintf(of->out, "%s *restrict ", f->type);
    fprintf(of->out, "%s%s", f->outputs[k], k + 1 < f->output_count ? ", " : "");
  }
}

/* Which arguments a part reads depends on the model; generated sources compile without warnings. */
static void write_unused(const emission *of) {
  fputs(" ", of->out);
  for (int k = 0; k < of->function->input_count; k++) {
    if (of->function->inputs[k] == NULL) continue;
    fprintf(of->out, " (void)%s;", of->function->inputs[k]);
  }
  for (int k = 0; k < of->function->output_count; k++) {
    fprintf(of->out, " (void)%s;", of->function->outputs[k]);
  }
  fputs("\n", of->out);
}

static void write_part(const emission *of, int part) {
  fputs("static void ", of->out);
  fprintf(of->out, of->part_count > 1 ? "%s_%d(" : "%s(", of->function->name, part);
  write_arguments(of, true);
  if (of->part_count > 1) fprintf(of->out, ", %s *restrict w", of->function->type);
  fputs(") {\n", of->out);
  write_unused(of);
  if (of->part_count > 1) fputs("  (void)w;\n", of->out);
  for (int k = 0; k < of->graph->nodes.count; k++) {
    if (of->uses[k].part == part) write_statement(of, k, part);
  }
  write_results(of, part);
  fputs("}\n\n", of->out);
}

static void write_whole(const emission *of) {
  const flg_emit_function *f = of->function;
  fprintf(of->out, "static void %s(", f->name);
  write_arguments(of, true);
  fprintf(of->out, ") {\n  %s w[%d];\n", f->type, of->slot_count > 0 ? of->slot_count : 1);
  for (int part = 0; part < of->part_count; part++) {
    fprintf(of->out, "  %s_%d(", f->name, part);
    write_arguments(of, false);
    fputs(", w);\n", of->out);
  }
  fputs("}\n\n", of->out);
}

/* One part alone is the function itself; several are called one after the other by a function
 * that has the shared array on its stack: generated functions can be called by several threads
 * at once. */
int flg_emit(const flg_terms *graph, const flg_emit_function *function, flg_region *region,
             FILE *out) {
  const size_t nodes = (size_t)graph->nodes.count;
  emission of = {.graph = graph, .function = function, .out = out};
  of.uses = flg_region_take(region, nodes, sizeof *of.uses);
  of.holders = flg_region_take(region, nodes, sizeof *of.holders);
  if (of.uses == NULL || of.holders == NULL) return 0;
  mark_needed(&of);
  emit_divide(&of);
  take_slots(&of);
  for (int part = 0; part < of.part_count; part++) write_part(&of, part);
  if (of.part_count > 1) write_whole(&of);
  return of.statements;
}
