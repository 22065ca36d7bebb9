import { expect, test } from "vitest";
import { findingsOf } from "../../test/support/rules.js";
import { compatReset } from "./compat-reset.js";

const found = (text: string) => findingsOf([compatReset], text).map((finding) => finding.text);

test("finds …", () => {
  expect(found("ServerSignature On\n")).toEqual(["ServerSignature On"]);
});

test("is quiet on its near miss", () => {
  expect(found("ServerTokens Prod\n")).toEqual([]);
});
