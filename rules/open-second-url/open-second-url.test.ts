import { expect, test } from "vitest";
import { findingsOf } from "../../test/support/rules.js";
import { openSecondUrl } from "./open-second-url.js";

const found = (text: string) => findingsOf([openSecondUrl], text).map((finding) => finding.text);

test("reports …", () => {
  expect(found("ServerSignature On\n")).toEqual(["ServerSignature On"]);
});

test("ignores a near miss", () => {
  expect(found("ServerTokens Prod\n")).toEqual([]);
});
