import { describe, expect, test } from "vitest";
import { findRefusals } from "../../src/startup/validate.js";
import { load } from "../support/projects.js";

/** Returns the server's messages about a line in a directory, for a version. */
function messagesOf(line: string, release: "2.4.6" | "2.4.62"): readonly string[] {
  const text = `<Directory /srv>\n${line}\n</Directory>\n`;
  const project = load({ "/etc/httpd/httpd.conf": text }, { kind: "server", release });
  return findRefusals(project).startup.map(({ server }) => server ?? "no message");
}

describe("words that 2.4.6 does not know", () => {
  test.each([
    ["a provider after `not`", "<RequireAll>\nRequire all granted\nRequire not forward-dns h.example\n</RequireAll>"],
    ["a provider", "Require forward-dns h.example"],
  ])("%s", (_, line) => {
    expect(messagesOf(line, "2.4.6")).toEqual(["Unknown Authz provider: forward-dns"]);
    expect(messagesOf(line, "2.4.62")).toEqual([]);
  });

  test.each([
    ["an action after the condition `always`", "Header always setifempty X-A b"],
    ["an action after the condition `onsuccess`", "Header OnSuccess setifempty X-A b"],
    ["an action", "Header setifempty X-A b"],
    ["an action for requests, which have no conditions", "RequestHeader setifempty X-A b"],
  ])("%s", (_, line) => {
    expect(messagesOf(line, "2.4.6")).toHaveLength(1);
    expect(messagesOf(line, "2.4.62")).toEqual([]);
  });

  test.each([
    ["the name of a header", "Header set setifempty b"],
    ["a provider without its argument", "Require valid-user"],
  ])("twin: %s is none of them", (_, line) => {
    expect(messagesOf(line, "2.4.6")).toEqual([]);
  });
});
