/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bytes.h"

#include "check.h"

static void keeps_order_over_many_appends_and_takes(void) {
    struct bytes b = BYTES_LIMITED(5000);
    unsigned char written = 0, read = 0;
    for (int round = 0; round < 2000; round++) {
        unsigned char piece[97];
        size_t size = (size_t)(round * 31 % 97);
        for (size_t i = 0; i < size; i++) piece[i] = written++;
        CHECK(bytes_append(&b, piece, size));
        size_t take = bytes_length(&b) < 48 ? bytes_length(&b) : (size_t)(round % 49) + 48;
        if (take > bytes_length(&b)) take = bytes_length(&b);
        for (size_t i = 0; i < take; i++) CHECK((unsigned char)bytes_first(&b)[i] == read++);
        bytes_consume(&b, take);
    }
    CHECK(b.capacity <= 8192);
    bytes_free(&b);
}

static void refuses_what_is_beyond_the_limit(void) {
    struct bytes b = BYTES_LIMITED(4);
    CHECK(bytes_append_text(&b, "abc"));
    CHECK(!bytes_append_text(&b, "de"));
    CHECK(bytes_append_text(&b, "d"));
    CHECK(bytes_length(&b) == 4 && memcmp(bytes_first(&b), "abcd", 4) == 0);
    bytes_consume(&b, 4);
    CHECK(bytes_format(&b, "%d", 1234));
    bytes_free(&b);
}

static void any_byte_can_be_part_of_a_line(void) {
    struct bytes b = BYTES_LIMITED(16);
    CHECK(bytes_append_escaped(&b, "a %~\0\n\xff", 7));
    CHECK(bytes_append(&b, "", 1));
    CHECK_TEXT(bytes_first(&b), "a %25~%00%0A%FF");
    /* All of it or nothing. */
    bytes_consume(&b, bytes_length(&b));
    CHECK(!bytes_append_escaped(&b, "abcdefghijklmno\n", 16) && bytes_length(&b) == 0);
    bytes_free(&b);
}

void test_bytes(void) {
    any_byte_can_be_part_of_a_line();
    keeps_order_over_many_appends_and_takes();
    refuses_what_is_beyond_the_limit();
}
