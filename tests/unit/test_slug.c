#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "report/page/slug.h"
#include "report/sheet.h"

static void plain_names_keep_their_letters(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct err err;
    const char *const names[] = {"Athlon XP 2088 MHz, Windows 2000", "bus_speed", "amd-epyc.1"};
    const char *slugs[3];
    assert_int_equal(slugs_make(names, 3, &arena, slugs, &err), 0);
    assert_string_equal(slugs[0], "athlon-xp-2088-mhz-windows-2000");
    assert_string_equal(slugs[1], "bus_speed");
    assert_string_equal(slugs[2], "amd-epyc-1");
    arena_free(&arena);
}

static void hostile_names_are_never_paths_and_never_equal(void **state)
{
    (void)state;
    static const char *const names[] = {
        "..",  ".",      "/",     "../../etc/passwd", "",    "-rf",  "a/b", "A/B",
        "a b", "\x1b[0", "<img>", "\xd0\xb0",         "CON", "`id`", "$(id)", "a\nb"};
    enum { N = sizeof names / sizeof names[0] };
    struct arena arena = {0};
    struct err err;
    const char *slugs[N];
    assert_int_equal(slugs_make(names, N, &arena, slugs, &err), 0);
    for (size_t i = 0; i < N; i++) {
        assert_true(slugs[i][0] != '\0' && slugs[i][0] != '-');
        assert_int_equal(strspn(slugs[i], "abcdefghijklmnopqrstuvwxyz0123456789-_"),
                         strlen(slugs[i]));
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(slugs[i], slugs[k]);
    }
    arena_free(&arena);
}

static void slugs_do_not_depend_on_the_order(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct err err;
    const char *const names[] = {"a/b", "a b", "c"}, *const turned[] = {"c", "a b", "a/b"};
    const char *slugs[3], *others[3];
    assert_int_equal(slugs_make(names, 3, &arena, slugs, &err), 0);
    assert_int_equal(slugs_make(turned, 3, &arena, others, &err), 0);
    assert_string_equal(slugs[0], others[2]);
    assert_string_equal(slugs[1], others[1]);
    assert_string_equal(slugs[2], "c");
    arena_free(&arena);
}

static void long_names_with_one_beginning_stay_apart(void **state)
{
    (void)state;
    char one[301], two[301];
    memset(one, 'x', 300);
    memset(two, 'x', 300);
    one[300] = two[300] = '\0';
    two[299] = 'y';
    struct arena arena = {0};
    struct err err;
    const char *const names[] = {one, two};
    const char *slugs[2];
    assert_int_equal(slugs_make(names, 2, &arena, slugs, &err), 0);
    assert_string_not_equal(slugs[0], slugs[1]);
    assert_int_equal(strlen(slugs[0]), SLUG_STEM_MAX + 9);
    arena_free(&arena);
}

static void a_name_like_another_slug_with_its_hash_gets_its_own(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct err err;
    const char *const two[] = {"a/b", "a b"};
    const char *slugs[3];
    assert_int_equal(slugs_make(two, 2, &arena, slugs, &err), 0);
    const char *const three[] = {"a/b", "a b", slugs[0]};
    const char *clash = slugs[0];
    assert_int_equal(slugs_make(three, 3, &arena, slugs, &err), 0);
    assert_string_not_equal(slugs[0], slugs[2]);
    assert_string_not_equal(slugs[0], clash);
    arena_free(&arena);
}

static void equal_names_are_refused(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct err err;
    const char *const names[] = {"same", "same"};
    const char *slugs[2];
    assert_int_equal(slugs_make(names, 2, &arena, slugs, &err), ERR_DATA);
    arena_free(&arena);
}

static void widths_count_columns_and_not_bytes(void **state)
{
    (void)state;
    assert_int_equal(sheet_width("abc"), 3);
    assert_int_equal(sheet_width("\xc2\xb5s"), 2);
    assert_int_equal(sheet_width("e\xcc\x81"), 1);
    assert_int_equal(sheet_width("\xe6\x97\xa5\xe6\x9c\xac"), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_names_keep_their_letters),
        cmocka_unit_test(hostile_names_are_never_paths_and_never_equal),
        cmocka_unit_test(slugs_do_not_depend_on_the_order),
        cmocka_unit_test(long_names_with_one_beginning_stay_apart),
        cmocka_unit_test(a_name_like_another_slug_with_its_hash_gets_its_own),
        cmocka_unit_test(equal_names_are_refused),
        cmocka_unit_test(widths_count_columns_and_not_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
