import { describe, expect, test } from "vitest";
import { findingsOf, lintText, onlyVariant } from "../../test/support/rules.js";
import { misreadLine } from "./misread-line.js";

const setenvEqualsSign = onlyVariant(misreadLine, "setenv-equals-sign");

const check = (text: string) => findingsOf([setenvEqualsSign], text).map((finding) => finding.text);

describe("reports", () => {
  test.each([
    ["SetEnv APP_ENV=production", "APP_ENV=production"],
    ['SetEnv "A=b c"', '"A=b c"'],
    ["SetEnv A=", "A="],
    ["SetEnvIf Remote_Addr ^10 LAN = yes", "LAN = yes"],
    ["SetEnvIf Remote_Addr ^10 LAN =yes", "LAN =yes"],
    ["SetEnvIfNoCase Host a B C= d", "C= d"],
    ["BrowserMatch bot bad = 1", "bad = 1"],
  ])("%s", (line, text) => {
    expect(check(`${line}\n`)).toEqual([text]);
  });
});

describe("does not report", () => {
  test.each([
    "SetEnvIf Host = A",
    "SetEnvIf Host a A=b C=d !E",
    "SetEnvIf Host a A B",
    "BrowserMatch a A= B=c",
    "SetEnv APP_ENV production",
    "SetEnv A b=c",
    "SetEnv A=b c",
    "SetEnv A",
    "SetEnvIf Host a A=b",
  ])("%s", (line) => {
    expect(check(`${line}\n`)).toEqual([]);
  });
});

test.each([
  ["SetEnv A=b", "A b"],
  ['SetEnv "A=b c"', 'A "b c"'],
  ["SetEnvIf Host a A = b", "A=b"],
])("fixes %s", (line, text) => {
  expect(lintText([setenvEqualsSign], `${line}\n`)[0]?.fix?.edits[0]?.text).toBe(text);
});
