#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/page/template.h"

/* A folder of templates for one test. */
struct fixture {
    char folder[256];
    struct templates *templates;
    struct value_tree tree;
    struct value *root;
    struct buffer out;
    struct err err;
};

static void put(const struct fixture *fixture, const char *file, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", fixture->folder, file);
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    fputs(text, stream);
    fclose(stream);
}

static int fixture_open(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    const char *tmp = getenv("TMPDIR");
    snprintf(fixture->folder, sizeof fixture->folder, "%s/template.XXXXXX", tmp ? tmp : "/tmp");
    assert_non_null(mkdtemp(fixture->folder));
    put(fixture, "layout.html", "");
    assert_int_equal(templates_open(&fixture->templates, fixture->folder, &fixture->err), 0);
    fixture->root = value_root(&fixture->tree);
    *state = fixture;
    return 0;
}

static int fixture_close(void **state)
{
    struct fixture *fixture = *state;
    static const char *const files[] = {"layout.html", "t.html", "part.html"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", fixture->folder, files[i]);
        unlink(path);
    }
    rmdir(fixture->folder);
    buffer_free(&fixture->out);
    templates_free(fixture->templates);
    value_tree_free(&fixture->tree);
    free(fixture);
    return 0;
}

static int render(struct fixture *fixture, const char *source)
{
    put(fixture, "t.html", source);
    buffer_clear(&fixture->out);
    return templates_render(fixture->templates, "t", fixture->root, &fixture->out, &fixture->err);
}

static void expect(struct fixture *fixture, const char *source, const char *wanted)
{
    assert_int_equal(render(fixture, source), 0);
    assert_string_equal(buffer_text(&fixture->out), wanted);
}

static void expect_error(struct fixture *fixture, const char *source, const char *message)
{
    assert_int_equal(render(fixture, source), ERR_SYSTEM);
    assert_string_equal(fixture->err.text, message);
}

static void hostile_texts_are_escaped(void **state)
{
    struct fixture *fixture = *state;
    value_text(fixture->root, "label", "</title><img src=x onerror='alert(\"&\")'>");
    expect(fixture, "<a title=\"{{label}}\">{{ label }}</a>",
           "<a title=\"&lt;/title&gt;&lt;img src=x onerror=&#39;alert(&quot;&amp;&quot;)&#39;&gt;\">"
           "&lt;/title&gt;&lt;img src=x onerror=&#39;alert(&quot;&amp;&quot;)&#39;&gt;</a>");
}

static void what_looks_like_a_tag_in_a_text_is_text(void **state)
{
    struct fixture *fixture = *state;
    value_text(fixture->root, "label", "{{secret}} {{{secret}}} {{> part}}");
    value_text(fixture->root, "secret", "S");
    expect(fixture, "{{label}}", "{{secret}} {{{secret}}} {{&gt; part}}");
}

static void control_characters_become_visible(void **state)
{
    (void)state;
    struct buffer out = {0};
    template_escape("a\x01" "b\x1b[31m\tc\nd\x7f\xc2\x85" "e\xc3\xa9\xc2\xb5", &out);
    assert_string_equal(buffer_text(&out), "a\\x01b\\x1b[31m\tc\nd\\x7f\\x85e\xc3\xa9\xc2\xb5");
    buffer_free(&out);
}

static void three_braces_are_raw(void **state)
{
    struct fixture *fixture = *state;
    value_text(fixture->root, "markup", "<b>&amp;</b>");
    expect(fixture, "{{{markup}}}|{{markup}}", "<b>&amp;</b>|&lt;b&gt;&amp;amp;&lt;/b&gt;");
}

static void sections_repeat_nest_and_see_outer_names(void **state)
{
    struct fixture *fixture = *state;
    value_text(fixture->root, "outer", "O");
    struct value *rows = value_list(fixture->root, "rows");
    for (int i = 1; i <= 2; i++) {
        struct value *row = value_append(rows);
        value_format(row, "n", "%d", i);
        struct value *cells = value_list(row, "cells");
        for (int c = 0; c < i; c++)
            value_format(value_append(cells), "v", "%d", c);
    }
    expect(fixture, "{{#rows}}{{outer}}{{n}}:{{#cells}}<{{n}}{{v}}>{{/cells}};{{/rows}}",
           "O1:<10>;O2:<20><21>;");
}

static void an_inner_name_hides_an_outer_one(void **state)
{
    struct fixture *fixture = *state;
    value_text(fixture->root, "name", "outer");
    value_text(value_map(fixture->root, "inner"), "name", "inner");
    expect(fixture, "{{#inner}}{{name}}{{/inner}} {{name}}", "inner outer");
}

static void empty_lists_flags_and_texts_choose_the_inverted_section(void **state)
{
    struct fixture *fixture = *state;
    value_list(fixture->root, "none");
    value_flag(fixture->root, "no", false);
    value_flag(fixture->root, "yes", true);
    value_text(fixture->root, "blank", "");
    value_text(fixture->root, "word", "w");
    expect(fixture,
           "{{#none}}1{{/none}}{{^none}}2{{/none}}{{#no}}3{{/no}}{{^no}}4{{/no}}{{#yes}}5{{/yes}}"
           "{{^yes}}6{{/yes}}{{#blank}}7{{/blank}}{{^blank}}8{{/blank}}{{#word}}9{{/word}}",
           "24589");
}

static void tags_alone_on_a_line_leave_no_line(void **state)
{
    struct fixture *fixture = *state;
    put(fixture, "part.html", "part\n");
    value_flag(fixture->root, "yes", true);
    expect(fixture, "a\n  {{#yes}}\nb\n{{/yes}}\n{{! note }}\n  {{> part}}\nc {{#yes}}d{{/yes}}\n",
           "a\nb\npart\nc d\n");
}

static void an_unknown_name_is_an_error_with_its_place(void **state)
{
    struct fixture *fixture = *state;
    expect_error(fixture, "one\ntwo\n  {{nmae}}\n", "t.html:3: nothing is named 'nmae' here");
}

static void an_unknown_section_and_one_in_a_partial_are_errors_with_their_place(void **state)
{
    struct fixture *fixture = *state;
    put(fixture, "part.html", "{{! x }}\n{{^gone}}a{{/gone}}");
    expect_error(fixture, "\n\n{{> part}}\n", "part.html:2: nothing is named 'gone' here");
}

static void a_list_is_no_text(void **state)
{
    struct fixture *fixture = *state;
    value_list(fixture->root, "rows");
    expect_error(fixture, "\n{{rows}}", "t.html:2: 'rows' is no text");
}

static void a_section_closed_by_another_name_is_refused(void **state)
{
    expect_error(*state, "{{#a}}\n{{#b}}\n{{/a}}",
                 "t.html:3: {{/a}} where {{/b}} of line 2 is due");
}

static void a_section_never_closed_is_refused(void **state)
{
    expect_error(*state, "x\n{{#a}}\n", "t.html:2: {{#a}} is never closed");
}

static void a_tag_never_closed_is_refused(void **state)
{
    expect_error(*state, "x\n\n{{a", "t.html:3: a tag is not closed by }}");
}

static void a_partial_that_includes_itself_is_refused(void **state)
{
    struct fixture *fixture = *state;
    put(fixture, "part.html", "{{> part}}");
    expect_error(fixture, "{{> part}}",
                 "part.html:1: {{> part}} includes itself without end");
}

static void a_missing_partial_is_named(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(render(fixture, "\n{{> absent}}"), ERR_SYSTEM);
    assert_non_null(strstr(fixture->err.text, "t.html:2: {{> absent}}: "));
    assert_non_null(strstr(fixture->err.text, "/absent.html: No such file"));
}

static void a_folder_without_templates_is_refused(void **state)
{
    struct fixture *fixture = *state;
    struct templates *templates = NULL;
    assert_int_equal(templates_open(&templates, "/nonexistent", &fixture->err), ERR_SYSTEM);
    assert_null(templates);
}

int main(void)
{
#define CASE(test) cmocka_unit_test_setup_teardown(test, fixture_open, fixture_close)
    const struct CMUnitTest tests[] = {
        CASE(hostile_texts_are_escaped),
        CASE(what_looks_like_a_tag_in_a_text_is_text),
        cmocka_unit_test(control_characters_become_visible),
        CASE(three_braces_are_raw),
        CASE(sections_repeat_nest_and_see_outer_names),
        CASE(an_inner_name_hides_an_outer_one),
        CASE(empty_lists_flags_and_texts_choose_the_inverted_section),
        CASE(tags_alone_on_a_line_leave_no_line),
        CASE(an_unknown_name_is_an_error_with_its_place),
        CASE(an_unknown_section_and_one_in_a_partial_are_errors_with_their_place),
        CASE(a_list_is_no_text),
        CASE(a_section_closed_by_another_name_is_refused),
        CASE(a_section_never_closed_is_refused),
        CASE(a_tag_never_closed_is_refused),
        CASE(a_partial_that_includes_itself_is_refused),
        CASE(a_missing_partial_is_named),
        CASE(a_folder_without_templates_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
