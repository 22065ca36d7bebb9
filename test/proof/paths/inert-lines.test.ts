import { describe, expect, test } from "vitest";
import { inertDirectives, isInert } from "../../../src/proof/paths/inert-lines.js";
import effects from "../../facts/effects.json" with { type: "json" };
import { loadText } from "../../support/projects.js";

/** Directives that the simulator reads only for its output, or that belong to third-party modules. */
const others: ReadonlySet<string> = new Set(["header", "php_flag", "php_value", "php_admin_flag", "php_admin_value"]);

test("inert directives have no effect on results", () => {
  const withoutEffect = new Set(effects.withoutEffect.map((name) => name.toLowerCase()));
  expect([...inertDirectives].filter((name) => !withoutEffect.has(name) && !others.has(name))).toEqual([]);
});

describe("a section is", () => {
  const isFirstInert = (text: string) => {
    const [section] = loadText(text).directives;
    return section && isInert(section);
  };

  test.each([
    ["inert if it is empty", "<Location /a>\n</Location>"],
    ["inert if it has only inert lines", "<LocationMatch a$>\nHeader set X y\nExpiresActive On\n</LocationMatch>"],
    ["inert with an inert section in it", "<Directory /a>\n<Files b>\nFileETag None\n</Files>\n</Directory>"],
  ])("%s", (_, text) => {
    expect(isFirstInert(text)).toBe(true);
  });

  test.each([
    ["not inert with access control", "<Location /a>\nHeader set X y\nRequire all denied\n</Location>"],
    ["not inert with access control within", "<Directory /a>\n<Files b>\nDeny from all\n</Files>\n</Directory>"],
    ["not inert with Options, which decide listings", "<Directory /a>\nOptions None\n</Directory>"],
    ["not inert if its pattern names a group", "<LocationMatch ^/(?<name>a)>\n</LocationMatch>"],
    ["not inert if it has a condition", "<If true>\n</If>"],
  ])("%s", (_, text) => {
    expect(isFirstInert(text)).toBe(false);
  });
});
