import { describe, expect, test } from "vitest";
import { isMalformedHost } from "../../src/server/request/request-parser.js";
import {
  type NormalizedPath,
  normalizePath,
  type SlashRules,
  slashRulesOf,
} from "../../src/server/request/url-normalization.js";
import { ServerLookup } from "../../src/server/request/vhost-lookup.js";
import { loadText } from "../support/projects.js";

const found = (path: string, escaped: string): NormalizedPath => ({ path, escaped });
const defaultRules: SlashRules = { encoded: "refused", merges: true };

describe("the normalized path on 2.4", () => {
  test.each<[string, NormalizedPath, Partial<SlashRules>?]>([
    ["/", found("/", "/")],
    ["/a/b", found("/a/b", "/a/b")],
    ["a", { status: 400 }],
    ["", { status: 400 }],
    ["*", { status: 400 }],
    ["//a", found("/a", "/a")],
    ["///a//b//", found("/a/b/", "/a/b/")],
    ["/a//b", found("/a//b", "/a//b"), { merges: false }],
    ["//a//b", found("/a//b", "/a//b"), { merges: false }],
    ["/b//", found("/b/", "/b/")],
    ["/a/./b", found("/a/b", "/a/b")],
    ["/a/.", found("/a/", "/a/")],
    ["/a/..", found("/", "/")],
    ["/a/../b", found("/b", "/b")],
    ["/a/b/..", found("/a/", "/a/")],
    ["/..", { status: 400 }],
    ["/a/../../b", { status: 400 }],
    ["/a/.b/..c/d.", found("/a/.b/..c/d.", "/a/.b/..c/d.")],
    ["/%61", found("/a", "/a")],
    ["/a%20b", found("/a b", "/a%20b")],
    ["/a%2", { status: 400 }],
    ["/a%zz", { status: 400 }],
    ["/a%00", { status: 404 }],
    ["/a%2fb", { status: 404 }],
    ["/a%2Fb", { status: 404 }],
    ["/a%2fb", found("/a/b", "/a%2fb"), { encoded: "resolved" }],
    ["/a%2f%2fb", found("/a/b", "/a%2f%2fb"), { encoded: "resolved" }],
    ["/a%2f..%2fb", found("/b", "/a%2f..%2fb"), { encoded: "resolved" }],
    ["/a%2f..%2f..%2fb", found("/b", "/a%2f..%2f..%2fb"), { encoded: "resolved" }],
    ["/a%2fb%20c", found("/a%2fb c", "/a%2fb%20c"), { encoded: "kept" }],
    ["/a%2f..%2fb", found("/a%2f..%2fb", "/a%2f..%2fb"), { encoded: "kept" }],
  ])("%s: %j", (sent, normal, rules = {}) => {
    expect(normalizePath(sent, "2.4", { ...defaultRules, ...rules })).toEqual(normal);
  });

  test("is that of a default server if no slash rules are given", () => {
    expect(normalizePath("/a%2fb", "2.4")).toEqual({ status: 404 });
    expect(normalizePath("/a//b", "2.4")).toEqual(found("/a/b", "/a/b"));
  });
});

test.each<[string, NormalizedPath, Partial<SlashRules>?]>([
  ["/a//b", found("/a//b", "/a//b")],
  ["//a//b", found("/a//b", "/a//b")],
  ["/a/../b", found("/b", "/a/../b")],
  ["/%61/%2e%2e/b", found("/b", "/%61/%2e%2e/b")],
  ["/a/../../b", { status: 400 }],
  ["/a%2fb", { status: 404 }],
  ["/a%2fb", found("/a/b", "/a%2fb"), { encoded: "resolved" }],
  ["/a%", { status: 400 }],
])("the normalized path on 2.2 for %s: %j", (sent, normal, rules = {}) => {
  expect(normalizePath(sent, "2.2", { ...defaultRules, ...rules })).toEqual(normal);
});

describe("slash rules", () => {
  test.each<[string, string, SlashRules]>([
    ["", "", defaultRules],
    ["AllowEncodedSlashes On", "", { encoded: "resolved", merges: true }],
    ["AllowEncodedSlashes NoDecode", "", { encoded: "kept", merges: true }],
    ["AllowEncodedSlashes Off", "", defaultRules],
    ["MergeSlashes Off", "", { encoded: "refused", merges: false }],
    ["", "AllowEncodedSlashes on", { encoded: "resolved", merges: true }],
    ["AllowEncodedSlashes On", "SetEnvIf a b c", { encoded: "resolved", merges: true }],
    ["AllowEncodedSlashes On", "ServerName a.test", defaultRules],
    ["AllowEncodedSlashes On", "AllowEncodedSlashes NoDecode", { encoded: "kept", merges: true }],
    ["MergeSlashes Off", "ServerName a.test", { encoded: "refused", merges: false }],
    ["MergeSlashes Off", "MergeSlashes On", defaultRules],
  ])("of %j with a virtual host with %j", (main, host, rules) => {
    const text = `${main}\n<VirtualHost *>\n${host}\n</VirtualHost>\n`;
    const servers = new ServerLookup(loadText(text, { kind: "server" }).directives, "2.4");
    const [first] = servers.hosts;
    if (first === undefined) throw new Error("no virtual host");
    expect(slashRulesOf(first.layers)).toEqual(rules);
  });
});

/** Verified against the running server by test/live/recorded-answers.live.test.ts, which has more. */
test.each([
  ["a.test", false],
  ["a.test:80", false],
  ["a.test:65535", false],
  ["a.test:65536", true],
  ["a.test:0", true],
  ["a.test:", true],
  ["a.test:8x", true],
  ["a.test:x8", true],
  ["a.test:+8", true],
  ["a.test:1.5", true],
  ["a.test:0x10", true],
  ["a..test", true],
  ["a.test.", false],
  [".", true],
  ["a/b", true],
  ["a.1", true],
  ["a.b1", false],
  ["1.2.3.4", false],
  ["1.2.3", true],
  ["1.2.3.04", true],
  ["1.2.3.0", false],
  ["[::1]", false],
  ["[::1]:80", false],
  ["[::1]:x80", true],
  ["[1.2.3.4]", true],
  ["[x]", true],
])("detects whether the Host header %s is malformed: %s", (header, isMalformed) => {
  expect(isMalformedHost(header)).toBe(isMalformed);
});

test("a missing Host header is not malformed", () => {
  expect(isMalformedHost(undefined)).toBe(false);
});
