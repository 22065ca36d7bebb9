import { describe, expect, it } from "vitest";
import { allRules } from "../../rules/index.js";
import type { Release } from "../../src/facts/release.js";
import { lint } from "../../src/lint/runner/lint.js";
import { load } from "../support/projects.js";

const modules = ["ssl", "headers", "rewrite", "proxy", "proxy_http", "authz_core", "authz_host", "version", "alias"];
const rules = allRules.filter(({ id }) => id === "unknown-directive" || id === "refused-at-start");

function messagesOf(lines: readonly string[], release: Release): string[] {
  const text = `ServerName www.example.com\nListen 80\n${lines.join("\n")}\n`;
  const project = load({ "/etc/httpd/httpd.conf": text }, { release, kind: "server", modules });
  return lint(project, { rules }).findings.map(({ message }) => message);
}

/** A line, the last version that rejects it, the first that accepts it, and the message. */
const lines: readonly (readonly [line: string, before: Release, since: Release, message: string])[] = [
  ["MergeSlashes Off", "2.4.38", "2.4.39", "`MergeSlashes` needs httpd 2.4.39 or later"],
  ["SSLOpenSSLConfCmd Curves X25519", "2.4.7", "2.4.9", "`SSLOpenSSLConfCmd` needs httpd 2.4.9 or later"],
  ["SSLProtocol -all +TLSv1.3", "2.4.35", "2.4.37", "`TLSv1.3` needs httpd 2.4.37 or later"],
  ["RewriteRule ^/a /b [BCTLS,L]", "2.4.56", "2.4.57", "`BCTLS` needs httpd 2.4.57 or later"],
  ["RewriteRule ^/a /b [QSL]", "2.4.18", "2.4.20", "`QSL` needs httpd 2.4.20 or later"],
  ["RewriteOptions InheritDown", "2.4.7", "2.4.9", "`InheritDown` needs httpd 2.4.9 or later"],
  ["Header setifempty X-A b", "2.4.6", "2.4.7", "`setifempty` needs httpd 2.4.7 or later"],
  ["Header always note X-A b", "2.4.6", "2.4.7", "`note` needs httpd 2.4.7 or later"],
  ["ProxyPass /a http://b/ upgrade=websocket", "2.4.25", "2.4.26", "`upgrade` needs httpd 2.4.26 or later"],
];

describe("a line for later versions", () => {
  it.each(lines)("%s is rejected by %s, not by %s", (line, before, since, message) => {
    expect(messagesOf([line], before)).toContain(message);
    expect(messagesOf([line], since)).toEqual([]);
    expect(messagesOf([line], "2.4")).toEqual([]);
  });

  it("may be in a section for those versions", () => {
    const guarded = ["<IfVersion >= 2.4.39>", "MergeSlashes Off", "</IfVersion>"];
    expect(messagesOf(guarded, "2.4.29")).toEqual([]);
    expect(messagesOf(guarded, "rhel-7")).toEqual([]);
  });

  it("is one whose word the directive compares, not any with that word", () => {
    expect(messagesOf(["Header set note setifempty", "Header set X-Upgrade upgrade"], "2.4.1")).toEqual([]);
    expect(messagesOf(["RewriteRule ^/bctls /qsl [R=302,L]"], "2.4.1")).toEqual([]);
  });

  it("is a section that they added", () => {
    const section = ["<IfFile /etc/hosts>", "Alias /a /b", "</IfFile>"];
    expect(messagesOf(section, "2.4.33")).toEqual(["`<IfFile>` needs httpd 2.4.34 or later"]);
    expect(messagesOf(section, "2.4.34")).toEqual([]);
  });
});

it("a directive that later versions no longer have is reported with the last one", () => {
  const [message] = messagesOf(["SSLPKCS7CertificateFile /a"], "2.4");
  expect(message).toBe("`SSLPKCS7CertificateFile` is not a directive of httpd 2.4");
  expect(messagesOf(["SSLPKCS7CertificateFile /a"], "2.4.6")).toEqual([]);
});
