import { expect, test } from "vitest";
import { findingsOf } from "../../test/support/rules.js";
import { satisfyAnyWithoutRequire } from "./satisfy-any-without-require.js";

const found = (text: string) => findingsOf([satisfyAnyWithoutRequire], text).map((finding) => finding.text);

test("finds …", () => {
  expect(found("ServerSignature On\n")).toEqual(["ServerSignature On"]);
});

test("is quiet on its near miss", () => {
  expect(found("ServerTokens Prod\n")).toEqual([]);
});
