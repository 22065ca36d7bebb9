import { expect, test } from "vitest";
import { type CapturedBytes, findCapturedBytes } from "../../../src/proof/paths/captured-bytes.js";
import { byteSetOf } from "../../../src/regex/automata/regular-language.js";

const mark = byteSetOf("?");

test.each<[string, readonly number[], CapturedBytes]>([
  ["^/old/(.*)$", [1], "always"],
  ["^/old/(.*)", [1], "always"],
  ["(.*)", [1], "always"],
  ["^(.+)$", [0], "always"],
  ["^/(\\d+)/(.*)$", [2], "always"],
  ["^/(\\d+)/(.*)$", [1, 2], "always"],
  ["^/a[^?]*/([^/]+)(?:/\\d+)?$", [1], "always"],
  ["^/(\\d+)/(.*)$", [1], "never"],
  ["^/old/([\\w-]+)", [1], "never"],
  ["^/old/(.*)$", [], "never"],
  ["^/old/(.*)$", [2], "never"],
  ["/old/(.*)$", [1], "sometimes"],
  ["^/old/([^/]+)", [1], "sometimes"],
  ["^/old/(.*?)", [1], "sometimes"],
  ["^/([^/]*)/(.*)$", [1], "sometimes"],
  ["^/([^/]*)/(.*)$", [2], "sometimes"],
  ["^/(.)*$", [1], "sometimes"],
  ["^(?:/(.*))$", [1], "sometimes"],
  ["^/a/(.*)|^/b$", [1], "sometimes"],
  ["^/old/(.*)\\$", [1], "sometimes"],
  ["^/old(?=/x)(.*)$", [1], "always"],
  ["^/old(?=(.*))$", [1], "sometimes"],
  ["^/[(](.*)[)]$", [1], "always"],
  ["^/[[:^punct:](](.*)$", [1], "always"],
  ["^/\\Q(\\E(.*)$", [1], "always"],
])("in a match of %s, its groups %j capture all question marks: %s", (pattern, groups, expected) => {
  expect(findCapturedBytes(pattern, new Set(groups), mark)).toBe(expected);
});
