import { describe, expect, test } from "vitest";
import { fillTemplate, parseTemplate } from "../../grammar/template.js";
import { toReadable } from "../../src/text/source.js";

/** Returns the lines that are read, without blanks. */
function fill(lines: readonly string[], given: Readonly<Record<string, boolean>> = {}): readonly string[] {
  const text = lines.join("\n");
  const template = parseTemplate(text);
  if (template === undefined) return lines;
  const filled = fillTemplate(text, template, new Map(Object.entries(given))).text;
  expect(filled).toHaveLength(text.length);
  return toReadable(filled)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

const languages: readonly (readonly [
  name: string,
  start: string,
  otherwise: string,
  end: string,
  condition: string,
])[] = [
  ["Jinja", "{% if ssl %}", "{% else %}", "{% endif %}", "ssl"],
  ["Jinja without white space", "{%- if ssl -%}", "{%- else -%}", "{%- endif -%}", "ssl"],
  ["ERB", "<% if @ssl %>", "<% else %>", "<% end %>", "@ssl"],
  ["ERB without white space", "<%- if @ssl -%>", "<%- else -%>", "<%- end -%>", "@ssl"],
  ["EPP", "<% if $ssl { -%>", "<% } else { -%>", "<% } -%>", "$ssl"],
  ["Go", "{{- if .Values.ssl }}", "{{- else }}", "{{- end }}", ".Values.ssl"],
  ["Handlebars", "{{#if ssl}}", "{{else}}", "{{/if}}", "ssl"],
  ["PHP", "<?php if ($ssl): ?>", "<?php else: ?>", "<?php endif; ?>", "$ssl"],
  ["PHP with braces", "<?php if ($ssl) { ?>", "<?php } else { ?>", "<?php } ?>", "$ssl"],
  ["httpd's own", "@@IF ssl@@", "@@ELSE@@", "@@ENDIF@@", "ssl"],
];

describe("a condition", () => {
  test.each(languages)("of %s has alternatives", (_, start, otherwise, end, condition) => {
    const lines = ["A", start, "B", otherwise, "C", end, "D"];
    expect(fill(lines)).toEqual(["A", "B", "D"]);
    expect(fill(lines, { [condition]: false })).toEqual(["A", "C", "D"]);
  });

  test("has one state in all places, also if it is negated", () => {
    const lines = [
      "{% if a %}",
      "A",
      "{% endif %}",
      "{% if not a %}",
      "B",
      "{% endif %}",
      "{% if !(a) %}",
      "C",
      "{% endif %}",
    ];
    expect(fill(lines)).toEqual(["A"]);
    expect(fill(lines, { a: false })).toEqual(["B", "C"]);
  });

  test("has more than two alternatives", () => {
    const lines = ["{% if a %}", "A", "{% elif b %}", "B", "{% else %}", "C", "{% endif %}"];
    expect(fill(lines)).toEqual(["A"]);
    expect(fill(lines, { a: false })).toEqual(["B"]);
    expect(fill(lines, { a: false, b: false })).toEqual(["C"]);
  });

  test("that compares a value excludes its comparisons with others", () => {
    const lines = ["{% if v == '2.2' %}", "A", "{% endif %}", "{% if v == '2.4' %}", "B", "{% endif %}"];
    expect(fill(lines)).toEqual(["A"]);
    expect(fill(lines, { "v == '2.4'": true })).toEqual(["B"]);
    expect(fill(["<% case @v when '1' %>", ...[]])).toEqual([]);
  });

  test("may be nested, and in a line", () => {
    expect(fill(["{% if a %}A{% if b %}, B{% else %}, C{% endif %}{% endif %}"])).toEqual(["A          , B"]);
  });

  test("of a section that is not closed leaves all lines", () => {
    expect(fill(["{% if a %}", "A", "{% else %}", "B"])).toEqual(["A", "B"]);
  });
});

describe("a loop is read once", () => {
  test.each([
    ["{% for x in xs %}", "{% endfor %}"],
    ["<% @xs.each do |x| -%>", "<% end -%>"],
    ["<% $xs.each |$x| { -%>", "<% } -%>"],
    ["{{ range .Values.xs }}", "{{ end }}"],
    ["{{#each xs}}", "{{/each}}"],
    ["<?php foreach ($xs as $x): ?>", "<?php endforeach; ?>"],
  ])("%s", (start, end) => {
    expect(fill(["A", start, "B", end, "C"])).toEqual(["A", "B", "C"]);
  });
});

describe("an expression is one word, and is shown as written", () => {
  test.each(["{{ item['a b'] }}", '<%= scope["x y"] -%>', "<?= $a . 'b' ?>", "{{ .Values.x | quote }}", "{{{ raw }}}"])(
    "%s",
    (tag) => {
      const text = `Header set X ${tag}/a`;
      const template = parseTemplate(text);
      const filled = template && fillTemplate(text, template, new Map()).text;
      expect(filled?.split(/[\s"']/)).toHaveLength(4);
      expect(toReadable(filled ?? "")).toBe(text);
    },
  );
});

describe("comments and other statements are blank", () => {
  test.each([
    "{# Order\nAllow #}",
    "<%# if x %>",
    "{{! a }}",
    "{{/* a */}}",
    "{% set x = 1 %}",
    "{% include 'x' %}",
    "{{> part}}",
  ])("%s", (tag) => {
    expect(fill(["A", tag, "B"])).toEqual(["A", "B"]);
  });
});

describe("a configuration is not a template", () => {
  test.each([
    'LogFormat "%h %{Referer}i \\"%{User-Agent}i\\"" combined',
    "RewriteCond %{HTTP_HOST} ^a{2}$",
    "RewriteRule ^([0-9]{4})-([0-9]{2})$ /%{ENV:X}",
    "SSLProtocol all -SSLv3",
  ])("%s", (line) => {
    expect(parseTemplate(line)).toBeUndefined();
  });
});
