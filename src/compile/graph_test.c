#include "compile/graph.h"

#include "check.h"
#include "compile/emit.h"

typedef struct fixture {
  flg_region region;
  flg_terms graph;
  flg_term x, y;
} fixture;

static fixture *begin(void) {
  fixture *f = calloc(1, sizeof *f);
  flg_terms_begin(&f->graph, &f->region);
  f->x = flg_terms_input(&f->graph, 0, 0);
  f->y = flg_terms_input(&f->graph, 0, 1);
  return f;
}

static void end(fixture *f) {
  flg_region_release(&f->region);
  free(f);
}

static void equal_terms_are_one_node(void **state) {
  (void)state;
  fixture *f = begin();
  flg_terms *g = &f->graph;
  const flg_term product = flg_terms_multiply(g, f->x, f->y);
  assert_int_equal(flg_terms_multiply(g, f->y, f->x), product);
  assert_int_equal(flg_terms_add(g, product, f->x), flg_terms_add(g, f->x, product));
  assert_int_not_equal(flg_terms_subtract(g, f->x, f->y), flg_terms_subtract(g, f->y, f->x));
  const int before = g->nodes.count;
  for (int k = 0; k < 2000; k++) flg_terms_constant(g, k); /* the table grows, nodes stay found */
  assert_int_equal(flg_terms_multiply(g, f->x, f->y), product);
  assert_true(g->nodes.count < before + 2000);
  end(f);
}

static void zeros_and_ones_vanish(void **state) {
  (void)state;
  fixture *f = begin();
  flg_terms *g = &f->graph;
  const flg_term zero = flg_terms_constant(g, 0), one = flg_terms_constant(g, 1);
  assert_int_equal(zero, 0);
  assert_int_equal(flg_terms_constant(g, -0.0), 0);
  assert_int_equal(flg_terms_multiply(g, f->x, zero), 0);
  assert_int_equal(flg_terms_multiply(g, one, f->x), f->x);
  assert_int_equal(flg_terms_add(g, f->x, zero), f->x);
  assert_int_equal(flg_terms_subtract(g, f->x, zero), f->x);
  assert_int_equal(flg_terms_subtract(g, f->x, f->x), 0);
  assert_int_equal(flg_terms_divide(g, f->x, one), f->x);
  assert_int_equal(flg_terms_divide(g, zero, f->x), 0);
  end(f);
}

static void constants_are_folded(void **state) {
  (void)state;
  fixture *f = begin();
  flg_terms *g = &f->graph;
  const flg_term two = flg_terms_constant(g, 2), three = flg_terms_constant(g, 3);
  const flg_term six = flg_terms_multiply(g, two, flg_terms_multiply(g, three, f->x));
  assert_int_equal(six, flg_terms_multiply(g, flg_terms_constant(g, 6), f->x));
  assert_int_equal(flg_terms_add(g, two, three), flg_terms_constant(g, 5));
  assert_int_equal(flg_terms_subtract(g, two, three), flg_terms_constant(g, -1));
  assert_int_equal(flg_terms_divide(g, three, two), flg_terms_constant(g, 1.5));
  assert_int_equal(flg_terms_root(g, flg_terms_constant(g, 9)), three);
  end(f);
}

static void signs_move_outwards(void **state) {
  (void)state;
  fixture *f = begin();
  flg_terms *g = &f->graph;
  const flg_term minus = flg_terms_negate(g, f->x);
  assert_int_equal(flg_terms_negate(g, minus), f->x);
  assert_int_equal(flg_terms_add(g, f->y, minus), flg_terms_subtract(g, f->y, f->x));
  assert_int_equal(flg_terms_subtract(g, f->y, minus), flg_terms_add(g, f->x, f->y));
  assert_int_equal(flg_terms_multiply(g, minus, f->y),
                   flg_terms_negate(g, flg_terms_multiply(g, f->x, f->y)));
  assert_int_equal(flg_terms_negate(g, flg_terms_subtract(g, f->x, f->y)),
                   flg_terms_subtract(g, f->y, f->x));
  assert_int_equal(flg_terms_multiply(g, flg_terms_constant(g, -1), f->x), minus);
  end(f);
}

static void a_graph_without_memory_gives_zero(void **state) {
  (void)state;
  fixture *f = begin();
  f->region.failed = true;
  assert_int_equal(flg_terms_multiply(&f->graph, f->x, f->y), 0);
  f->region.failed = false;
  end(f);
}

static char *text_of(fixture *f, const flg_emit_output *results, int count, int *statements) {
  static const char *const inputs[] = {"q"}, *const outputs[] = {"a"};
  const flg_emit_function function = {.name = "find",
                                      .type = "double",
                                      .inputs = inputs,
                                      .input_count = 1,
                                      .outputs = outputs,
                                      .output_count = 1,
                                      .results = results,
                                      .result_count = count};
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  *statements = flg_emit(&f->graph, &function, &f->region, out);
  fclose(out);
  return text;
}

static void what_no_result_needs_is_not_written(void **state) {
  (void)state;
  fixture *f = begin();
  const flg_term sum = flg_terms_add(&f->graph, f->x, f->y);
  (void)flg_terms_divide(&f->graph, f->x, f->y);
  const flg_emit_output results[] = {{sum, 0, 0}, {flg_terms_constant(&f->graph, -0.5), 0, 1}};
  int statements;
  char *text = text_of(f, results, 2, &statements);
  assert_int_equal(statements, 1);
  assert_non_null(strstr(text, "q[0] + q[1];"));
  assert_non_null(strstr(text, "(-0.5);"));
  assert_null(strstr(text, "/"));
  free(text);
  end(f);
}

static void long_functions_are_cut_into_parts(void **state) {
  (void)state;
  fixture *f = begin();
  flg_term power = f->x, sum = f->y;
  for (int k = 0; k < FLG_EMIT_STATEMENTS; k++) {
    power = flg_terms_multiply(&f->graph, power, f->x);
    sum = flg_terms_add(&f->graph, sum, power);
  }
  const flg_emit_output results[] = {{sum, 0, 0}};
  int statements;
  char *text = text_of(f, results, 1, &statements);
  assert_int_equal(statements, 2 * FLG_EMIT_STATEMENTS);
  assert_non_null(strstr(text, "static void find_1("));
  assert_null(strstr(text, "static void find_2("));
  assert_non_null(strstr(text, "double w[2];")); /* power and sum are handed on */
  free(text);
  end(f);
}

static void numbers_read_back_to_the_same_bits(void **state) {
  (void)state;
  const double values[] = {0.1, -3, 1e300, 5e-324, 123456789.123456789, INFINITY};
  for (int k = 0; k < 5; k++) {
    char text[64] = "";
    FILE *out = fmemopen(text, sizeof text, "w");
    flg_emit_number(values[k], out);
    fclose(out);
    assert_true(strtod(text[0] == '(' ? text + 1 : text, NULL) == values[k]);
    assert_non_null(strpbrk(text, ".e"));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(equal_terms_are_one_node),
                                     cmocka_unit_test(zeros_and_ones_vanish),
                                     cmocka_unit_test(constants_are_folded),
                                     cmocka_unit_test(signs_move_outwards),
                                     cmocka_unit_test(a_graph_without_memory_gives_zero),
                                     cmocka_unit_test(what_no_result_needs_is_not_written),
                                     cmocka_unit_test(long_functions_are_cut_into_parts),
                                     cmocka_unit_test(numbers_read_back_to_the_same_bits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
