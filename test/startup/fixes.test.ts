import { describe, expect, test } from "vitest";
import { ignoredDirective } from "../../rules/ignored-directive/ignored-directive.js";
import { misplacedDirective } from "../../rules/misplaced-directive/misplaced-directive.js";
import { refusedAtStart } from "../../rules/refused-at-start/refused-at-start.js";
import { applyFixes } from "../../src/lint/apply-fixes.js";
import {
  type FixedConfiguration,
  fixedConfigurations,
  unfixableConfigurations,
} from "../support/fixed-configurations.js";
import { lintText } from "../support/rules.js";

const rules = [ignoredDirective, misplacedDirective, refusedAtStart];
const fixed = (text: string) => applyFixes(lintText(rules, text), () => true).texts.get("/etc/httpd/httpd.conf");

describe("lines that 2.2 accepts and 2.4 rejects", () => {
  test.each(fixedConfigurations.map(({ before, after }: FixedConfiguration) => [before, after] as const))(
    "are fixed: %j becomes %j",
    (before, after) => {
      expect(fixed(before)).toBe(after);
      expect(lintText(rules, after)).toEqual([]);
    },
  );
});

test.each(unfixableConfigurations)("%j has no fix because there is more than one possibility", (text) => {
  expect(lintText([misplacedDirective, refusedAtStart], text)).toHaveLength(1);
  expect(fixed(text)).toBeUndefined();
});

test("a fix is safe for an ignored line, and unsafe for a rejected line", () => {
  const safety = (text: string) => lintText(rules, text).map(({ fix }) => fix?.safety);
  expect(safety("NameVirtualHost *:80\nDefaultType text/plain\nKeepAlive 5\n")).toEqual(["safe", "safe", "unsafe"]);
});

test.each([
  ["an invalid Listen line", "Listen 0\n", "server"],
  ["Options of a fragment, which may follow others", "Options Indexes +MultiViews\n", "fragment"],
] as const)("%s has no fix", (_, text, kind) => {
  expect(lintText([refusedAtStart], text, { kind }).map(({ fix }) => fix)).toEqual([undefined]);
});
