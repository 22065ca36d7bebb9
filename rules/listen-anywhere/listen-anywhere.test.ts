import { describe, expect, test } from "vitest";
import { findingsOf } from "../../test/support/rules.js";
import { listenAnywhere } from "./listen-anywhere.js";

const check = (text: string) => findingsOf([listenAnywhere], text).map((finding) => finding.text);

describe("reports", () => {
  test.each([
    "Listen 80",
    "Listen *:80",
    "Listen 0.0.0.0:80",
    "Listen [::]:80",
    "Listen [::ffff:0.0.0.0]:80",
    "Listen 443 https",
  ])("%s", (line) => {
    expect(check(`${line}\n`)).toEqual([line]);
  });
});

describe("does not report", () => {
  test.each([
    "Listen 192.0.2.1:80",
    "Listen [2001:db8::1]:80",
    "Listen 127.0.0.1:80",
    "Listen www.example.com:80",
    "Listen ${PORT}",
  ])("%s", (line) => {
    expect(check(`${line}\n`)).toEqual([]);
  });
});
