import { describe, expect, test } from "vitest";
import { findingsOf, lintText } from "../../test/support/rules.js";
import { setenvEqualsSign } from "./setenv-equals-sign.js";

const found = (text: string) => findingsOf([setenvEqualsSign], text).map((finding) => finding.text);

describe("reports", () => {
  test.each([
    ["SetEnv APP_ENV=production", "APP_ENV=production"],
    ['SetEnv "A=b c"', '"A=b c"'],
    ["SetEnv A=", "A="],
  ])("%s", (line, text) => {
    expect(found(`${line}\n`)).toEqual([text]);
  });
});

describe("does not report", () => {
  test.each(["SetEnv APP_ENV production", "SetEnv A b=c", "SetEnv A=b c", "SetEnv A", "SetEnvIf Host a A=b"])(
    "%s",
    (line) => {
      expect(found(`${line}\n`)).toEqual([]);
    },
  );
});

test.each([
  ["SetEnv A=b", "A b"],
  ['SetEnv "A=b c"', 'A "b c"'],
])("the fix of %s", (line, text) => {
  expect(lintText([setenvEqualsSign], `${line}\n`)[0]?.fix?.edits[0]?.text).toBe(text);
});
