import { describe, expect, test } from "vitest";
import { findingsOf, inDirectory } from "../../test/support/rules.js";
import { hostByDns } from "./host-by-dns.js";

const check = (text: string) => findingsOf([hostByDns], text).map((finding) => finding.text);

describe("reports", () => {
  test.each([
    ["Require host example.com", "Require host example.com"],
    ["Require not host example.com", "Require not host example.com"],
    ["Require forward-dns dyn.example.com", "Require forward-dns dyn.example.com"],
    ["Allow from 192.0.2.1 .example.com", ".example.com"],
    ["Deny from crawler.example", "crawler.example"],
  ])("%s", (line, text) => {
    expect(check(inDirectory(line))).toEqual([text]);
  });
});

describe("does not report", () => {
  test.each([
    "Require ip 192.0.2.1",
    "Require local",
    "Require user host",
    "Allow from 192.0.2",
    "Allow from env=OFFICE",
    "Deny from all",
  ])("%s", (line) => {
    expect(check(inDirectory(line))).toEqual([]);
  });
});
