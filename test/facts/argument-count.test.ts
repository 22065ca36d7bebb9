import { expect, test } from "vitest";
import { findArgumentCountError } from "../../src/facts/argument-count.js";
import { type ArgumentKind, findDirectiveFacts } from "../../src/facts/directives.js";
import type { Release } from "../../src/facts/release.js";

const [known] = findDirectiveFacts("2.4", "ServerName");

function errorFor(kind: ArgumentKind, words: readonly string[], release: Release = "2.4"): string | undefined {
  if (known === undefined) throw new Error("ServerName is unknown");
  const facts = { ...known, tableName: "X", argumentKind: kind, help: "help" };
  return findArgumentCountError(
    facts,
    words.map((value) => ({ value })),
    release,
  );
}

// Responses of httpd 2.4.71 for a directive of the kind (TAKE13 and NO_ARGS are from its source; no directive has them).
test.each<[ArgumentKind, readonly string[], string | undefined]>([
  ["NO_ARGS", [], undefined],
  ["NO_ARGS", [""], "X takes no arguments"],
  ["FLAG", [], "X must be On or Off"],
  ["FLAG", [""], "X must be On or Off"],
  ["FLAG", ["", "On"], "X must be On or Off"],
  ["FLAG", ["oN", "whatever", ""], undefined],
  ["TAKE1", ["a"], undefined],
  ["TAKE1", [""], "X takes one argument, help"],
  ["TAKE1", ["a", ""], "X takes one argument, help"],
  ["TAKE2", ["a", "b"], undefined],
  ["TAKE2", ["a", ""], "X takes two arguments, help"],
  ["TAKE2", ["", "b"], "X takes two arguments, help"],
  ["TAKE2", ["a", "b", ""], "X takes two arguments, help"],
  ["TAKE3", ["a", "b", "c"], undefined],
  ["TAKE3", ["a", "b", ""], "X takes three arguments, help"],
  ["TAKE12", ["a"], undefined],
  ["TAKE12", ["a", ""], undefined],
  ["TAKE12", ["", "b"], "X takes 1-2 arguments, help"],
  ["TAKE12", ["a", "", "c"], "X takes 1-2 arguments, help"],
  ["TAKE13", ["a"], undefined],
  ["TAKE13", ["a", ""], undefined],
  ["TAKE13", ["a", "b"], "X takes one or three arguments, help"],
  ["TAKE13", ["a", "", "c"], undefined],
  ["TAKE23", ["a", "b", ""], undefined],
  ["TAKE23", ["a", ""], "X takes two or three arguments, help"],
  ["TAKE123", ["a", "", ""], undefined],
  ["TAKE123", ["a", "", "", ""], "X takes one, two or three arguments, help"],
  ["ITERATE", [], "X requires at least one argument, help"],
  ["ITERATE", ["", "b"], "X requires at least one argument, help"],
  ["ITERATE", ["a", "", "c"], undefined],
  ["ITERATE2", ["a"], "X requires at least two arguments, help"],
  ["ITERATE2", ["a", ""], undefined],
  ["ITERATE2", ["", "b"], "X requires at least two arguments, help"],
  ["RAW_ARGS", [], undefined],
  ["TAKE_ARGV", [], undefined],
])("%s with %j: %j", (kind, words, expected) => {
  expect(errorFor(kind, words)).toBe(expected);
});

test("2.2 accepts an empty list", () => {
  expect(errorFor("ITERATE", [], "2.2")).toBeUndefined();
  expect(errorFor("ITERATE2", [], "2.2")).toBe("X requires at least two arguments, help");
});
