import { expect, test } from "vitest";
import { findingsOf } from "../../test/support/rules.js";
import { fileGuardOnProxy } from "./file-guard-on-proxy.js";

const found = (text: string) => findingsOf([fileGuardOnProxy], text).map((finding) => finding.text);

test("reports …", () => {
  expect(found("ServerSignature On\n")).toEqual(["ServerSignature On"]);
});

test("ignores a near miss", () => {
  expect(found("ServerTokens Prod\n")).toEqual([]);
});
