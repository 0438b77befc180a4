#include "base/hash.h"

#include "check.h"

/* Landon Curt Noll's test vectors for 64-bit FNV-1a (test_fnv.c; draft-eastlake-fnv). */
static void hashes_are_those_of_the_published_vectors(void **state) {
  (void)state;
  const struct {
    const char *text;
    uint64_t expected;
  } cases[] = {
      {"", UINT64_C(0xcbf29ce484222325)},       {"a", UINT64_C(0xaf63dc4c8601ec8c)},
      {"b", UINT64_C(0xaf63df4c8601f1a5)},      {"c", UINT64_C(0xaf63de4c8601eff2)},
      {"fo", UINT64_C(0x08985907b541d342)},     {"foo", UINT64_C(0xdcb27518fed9d577)},
      {"foob", UINT64_C(0xdd120e790c2512af)},   {"fooba", UINT64_C(0xcac165afa2fef40a)},
      {"foobar", UINT64_C(0x85944171f73967e8)},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    const uint64_t hash = flg_hash(FLG_HASH_SEED, cases[k].text, strlen(cases[k].text));
    assert_true(hash == cases[k].expected);
  }
}

static void chained_blocks_hash_like_one(void **state) {
  (void)state;
  const double values[] = {1, -2, 0.1, 1e300};
  const uint64_t whole = flg_hash(FLG_HASH_SEED, values, sizeof values);
  for (size_t cut = 0; cut <= sizeof values; cut++) {
    const uint64_t head = flg_hash(FLG_HASH_SEED, values, cut);
    const unsigned char *tail = (const unsigned char *)values + cut;
    assert_true(flg_hash(head, tail, sizeof values - cut) == whole);
  }
}

static void every_bit_of_a_state_counts(void **state) {
  (void)state;
  unsigned char bytes[16] = {0};
  const uint64_t before = flg_hash(FLG_HASH_SEED, bytes, sizeof bytes);
  for (size_t bit = 0; bit < 8 * sizeof bytes; bit++) {
    bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    assert_true(flg_hash(FLG_HASH_SEED, bytes, sizeof bytes) != before);
    bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
  }
}

static void zeros_of_both_signs_differ(void **state) {
  (void)state;
  const double plus = 0.0, minus = -0.0;
  assert_true(flg_hash(FLG_HASH_SEED, &plus, sizeof plus) !=
              flg_hash(FLG_HASH_SEED, &minus, sizeof minus));
}

static void an_empty_block_keeps_the_seed(void **state) {
  (void)state;
  assert_true(flg_hash(123, NULL, 0) == 123);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hashes_are_those_of_the_published_vectors),
      cmocka_unit_test(chained_blocks_hash_like_one),
      cmocka_unit_test(every_bit_of_a_state_counts),
      cmocka_unit_test(zeros_of_both_signs_differ),
      cmocka_unit_test(an_empty_block_keeps_the_seed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
