import { describe, expect, it } from "vitest";
import { lint } from "../../src/lint/runner/lint.js";
import { load } from "../../test/support/projects.js";
import { findingsOf } from "../../test/support/rules.js";
import { needsNewerHttpd } from "./needs-newer-httpd.js";

function found(lines: readonly string[], now = "2026-12-01", release: "2.4" | "2.4.62" | "2.2" = "2.4") {
  const text = `ServerName www.example.com\n${lines.join("\n")}\n`;
  const project = load({ "/etc/httpd/httpd.conf": text }, { release, kind: "server" });
  return lint(project, { rules: [needsNewerHttpd], now: new Date(now) }).findings.map(
    ({ message, span, notes }) => `${span.file.text.slice(span.start, span.end)}: ${message}; ${notes?.[0]}`,
  );
}

describe("a line of a later version", () => {
  it("is reported with the distributions that reject it", () => {
    expect(found(["AliasPreservePath On"])).toEqual([
      "AliasPreservePath: `AliasPreservePath` needs httpd 2.4.58 or later; rhel-8 has httpd 2.4.37 and ubuntu-22.04 has httpd 2.4.52, which do not start with this line",
    ]);
  });

  it("is reported for one of its words", () => {
    expect(found(["ProxyPass /a http://b/ addressttl=5"])[0]).toMatch(
      /^addressttl=5: `addressttl` needs httpd 2\.4\.59/,
    );
  });

  it("is reported once", () => {
    expect(found(["RedirectRelative On", "<Directory /srv>", "RedirectRelative Off", "</Directory>"])).toHaveLength(1);
  });

  it("is not reported if all maintained distributions have it", () => {
    expect(found(["Protocols h2 http/1.1", "SSLProtocol TLSv1.3", "<IfFile /etc/hosts>", "</IfFile>"])).toEqual([]);
    expect(found(["AliasPreservePath On"], "2031-01-01")).toEqual([]);
    expect(found(["AliasPreservePath On"], "2040-01-01")).toEqual([]);
  });

  it("is not reported if distributions may have added it as a fix", () => {
    expect(found(["MergeSlashes Off", "RewriteRule ^/a /b [UnsafeAllow3F]", "StrictHostCheck On"])).toEqual([]);
  });

  it("is not reported in a section for versions, or for the directive", () => {
    expect(found(["<IfVersion >= 2.4.58>", "RedirectRelative On", "</IfVersion>"])).toEqual([]);
    expect(found(["<IfDirective RedirectRelative>", "RedirectRelative On", "</IfDirective>"])).toEqual([]);
  });

  it("is reported with its effect in a .htaccess file", () => {
    const findings = findingsOf([needsNewerHttpd], "RedirectRelative On\n", {
      kind: "htaccess",
      now: new Date("2026-12-01"),
    });
    expect(findings.map(({ notes }) => notes)).toEqual([
      ["rhel-8 has httpd 2.4.37 and ubuntu-22.04 has httpd 2.4.52, which return 500 with this line"],
    ]);
  });

  it.each(["mod_socache_redis.c", "socache_redis_module"])(
    "is not reported in a section for its module: %s",
    (name) => {
      const load = "LoadModule socache_redis_module modules/mod_socache_redis.so";
      expect(found([load, `<IfModule ${name}>`, "RedisConnPoolTTL 30", "</IfModule>"])).toEqual([]);
      expect(found([load, "RedisConnPoolTTL 30"])).toHaveLength(1);
    },
  );

  it("is not reported if the server has another version", () => {
    expect(found(["RedirectRelative On"], "2026-12-01", "2.4.62")).toEqual([]);
    expect(found(["RedirectRelative On"], "2026-12-01", "2.2")).toEqual([]);
  });
});
