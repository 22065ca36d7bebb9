import { describe, expect, test } from "vitest";
import { findingsOf, inDirectory, wholeServer } from "../../test/support/rules.js";
import { verboseServer } from "./verbose-server.js";

const check = (text: string) => findingsOf([verboseServer], text).map((finding) => finding.text);

describe("reports", () => {
  test.each([
    ["ServerTokens Full\n", ["ServerTokens Full"]],
    ["ServerTokens Prod\nServerTokens Minimal\n", ["ServerTokens Minimal"]],
    [wholeServer("Listen 80"), ["Listen 80"]],
    ["ServerSignature On\n", ["ServerSignature On"]],
    [inDirectory("ServerSignature EMail"), ["ServerSignature EMail"]],
  ])("%j", (text, texts) => {
    expect(check(text)).toEqual(texts);
  });
});

describe("does not report", () => {
  test.each([
    "ServerTokens Prod\n",
    wholeServer("Listen 80", "ServerTokens ProductOnly"),
    "ServerTokens ${TOKENS}\n",
    "ServerSignature On\nServerSignature Off\n",
    inDirectory("ServerSignature Off"),
    "Listen 80\n",
  ])("%j", (text) => {
    expect(check(text)).toEqual([]);
  });
});
