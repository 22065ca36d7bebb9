import { describe, expect, test } from "vitest";
import { findingsOf, section, wholeServer } from "../../test/support/rules.js";
import { traceEnabled } from "./trace-enabled.js";

const check = (text: string) => findingsOf([traceEnabled], text).map((finding) => finding.text);

const host = (...lines: readonly string[]) => section("VirtualHost *:80", ...lines);

describe("reports", () => {
  test.each([
    ["a TraceEnable line", "TraceEnable On\n", ["TraceEnable On"]],
    ["the extended form", "TraceEnable extended\n", ["TraceEnable extended"]],
    ["the default", wholeServer("Listen 80"), ["Listen 80"]],
    ["a virtual host that allows it again", `TraceEnable Off\n${host("TraceEnable On")}`, ["TraceEnable On"]],
    [
      "the main server, although a virtual host denies it",
      wholeServer("Listen 80", host("TraceEnable Off")),
      ["Listen 80"],
    ],
    ["one line for all hosts that inherit it", `TraceEnable On\n${host()}${host()}`, ["TraceEnable On"]],
  ])("%s", (_, text, texts) => {
    expect(check(text)).toEqual(texts);
  });
});

describe("does not report", () => {
  test.each([
    ["TraceEnable Off", wholeServer("Listen 80", "TraceEnable off")],
    ["a later Off", "TraceEnable On\nTraceEnable Off\n"],
    ["a part of a server", host()],
    ["an unknown value", "TraceEnable ${TRACE}\n"],
  ])("%s", (_, text) => {
    expect(check(text)).toEqual([]);
  });

  test("2.2", () => {
    expect(findingsOf([traceEnabled], "TraceEnable On\n", { release: "2.2" })).toEqual([]);
  });
});
