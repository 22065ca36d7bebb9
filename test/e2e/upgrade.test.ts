import { describe, expect, test } from "vitest";
import type { Ran } from "../support/programs/command.js";
import { shippedSchema } from "../support/programs/shipped-schemas.js";
import { lintedFolder } from "../support/programs/test-folder.js";

const { lint, write } = lintedFolder();

function upgrade(...args: readonly string[]): Ran {
  return lint(["upgrade", ...args], { env: { NO_COLOR: "1" } });
}

const open = 'DocumentRoot "/srv/www"\n<Directory "/srv/www">\nOrder allow,deny\nAllow from all\n</Directory>\n';
const old = `${open}RewriteLog logs/rewrite.log
DefaultType text/plain
<Location "/x">
Deny from all
Satisfy any
</Location>
`;
const configNice = '#! /bin/sh\n"./configure" \\\n"--prefix=/opt" \\\n"--enable-mods-shared=all disk_cache" \\\n"$@"\n';

/** Returns the text below each heading. */
function partsOf(stdout: string): Record<string, string> {
  const [, ...parts] = stdout.split(/^== /m);
  return Object.fromEntries(parts.map((part) => [/^[^:\n]*/.exec(part)?.[0] ?? "", part.slice(part.indexOf("\n"))]));
}

/** The documents are not on this machine, and 2.2 reads `.htaccess` files there. */
const absentFolder =
  "httpd-lint: assuming that no `.htaccess` file controls access in folders that do not exist here: `/srv/www`\n";

describe("upgrade", () => {
  test("reports all parts in the order of their importance", () => {
    writeMain(old);
    const { status, stdout, stderr } = upgrade("httpd.conf");
    expect({ status, stderr }).toEqual({ status: 1, stderr: absentFolder });
    expect(stdout.split("\n").slice(0, 7)).toEqual([
      "Upgrade from 2.2 to 2.4",
      "     1  Problems at start, or status 500",
      "     1  Different access decisions",
      expect.stringMatching(/^ +[1-9]\d* {2}Different behavior$/),
      "     1  Access map, before and after",
      expect.stringMatching(/^ +[1-9]\d* {2}Recommended changes$/),
      "",
    ]);
    const parts = partsOf(stdout);
    expect(Object.keys(parts)).toEqual([
      "Problems at start, or status 500",
      "Different access decisions",
      "Different behavior",
      "Access map, before and after",
      "Recommended changes",
    ]);
    expect(parts["Problems at start, or status 500"]).toContain("`RewriteLog` was removed in 2.4");
    expect(parts["Different access decisions"]).toContain("1. 403 → allowed: GET `/x` from 203.0.113.7\n");
    expect(parts["Different behavior"]).toContain("`DefaultType` has no effect in 2.4");
    expect(parts["Access map, before and after"]).toContain("    2.2: no client (403)\n    2.4: every client\n");
    expect(parts["Recommended changes"]).toContain("[old-access-control]");
    expect(stdout).toMatch(/\nnote: to upgrade from 2\.0, first .*\n$/);
  });

  test("omits empty parts, and exits with 0 if nothing needs to be changed", () => {
    const explicitDefaults =
      "TimeOut 60\nMaxConnectionsPerChild 0\nMaxMemFree 2048\nEnableSendfile Off\nFileETag MTime Size\nDefaultType none\n";
    writeMain(
      `${explicitDefaults}DocumentRoot "/srv/www"\n<Directory "/srv/www">\nAllowOverride None\nOptions None\n</Directory>\n`,
    );
    const { status, stdout } = upgrade("httpd.conf");
    expect({ status, headings: Object.keys(partsOf(stdout)) }).toEqual({
      status: 0,
      headings: ["Different access decisions"],
    });
    expect(stdout).toContain("\nevery request has the same access decision on both sides (");
  });

  test("exits with 0 for findings below --fail-on", () => {
    writeMain(`${open}DefaultType none\nTimeOut 60\n<Directory />\nAllowOverride None\n</Directory>\n`);
    const statusOf = (...flags: string[]) => upgrade("httpd.conf", ...flags).status;
    expect([statusOf(), statusOf("--fail-on", "info"), statusOf("--fail-on", "warning")]).toEqual([0, 1, 0]);
    // A difference counts, whatever its findings.
    writeMain(old);
    expect(statusOf("--fail-on", "error")).toBe(1);
  });

  test("reports why 2.2 does not start, and how to list all reasons", () => {
    const reason = "\n  httpd.conf:6:1: `Satisfy` is not allowed";
    const note = "\n  note: the report ignores the rejected lines\n";
    writeMain(`${open}Satisfy any\n`);
    const { stdout } = upgrade("httpd.conf");
    expect(stdout).toContain(`\n2.2 does not start${reason}`);
    expect(stdout).toContain(note);
    writeMain(`${open}Satisfy any\nNonsense on\n`);
    const more = upgrade("httpd.conf").stdout;
    expect(more).toContain(`\n2.2 does not start (first of 2 reasons)${reason}`);
    expect(more).toContain(`${note}  help: run \`httpd-lint check --release 2.2\` to list all reasons\n`);
    writeMain(open);
    expect(upgrade("httpd.conf").stdout).not.toContain("2.2 does not start");
  });

  test("lists the switches of the recorded build that 2.4 no longer accepts", () => {
    writeMain(old);
    write({ "config.nice": configNice, "other.sh": "make install\n" });
    const { stdout } = upgrade("httpd.conf", "--config-nice", "config.nice");
    expect(stdout).toContain("     1  Build options\n");
    expect(partsOf(stdout)["Build options"]).toContain(
      "`disk_cache` in `--enable-mods-shared=all disk_cache`: mod_disk_cache was removed in 2.4: the module is now called mod_cache_disk; use `cache-disk`\n2.4 accepts the other switches unchanged\n",
    );
    for (const [file, words] of [
      ["other.sh", "the file does not call `configure`"],
      ["none.sh", "cannot be read"],
    ] as const)
      expect(upgrade("httpd.conf", "--config-nice", file)).toMatchObject({
        status: 3,
        stdout: "",
        stderr: expect.stringContaining(words),
      });
  });

  test("writes JSON that matches its schema", () => {
    write({ "config.nice": configNice });
    const validate = shippedSchema("upgrade");
    const upgradeToJson = (text: string) => {
      writeMain(text);
      const written = JSON.parse(upgrade("httpd.conf", "--format", "json", "--config-nice", "config.nice").stdout);
      expect(validate(written), JSON.stringify(validate.errors)).toBe(true);
      return written;
    };
    const written = upgradeToJson(`${old}Nonsense on\n`);
    expect(written).toMatchObject({
      from: "2.2",
      to: "2.4",
      startup: [{}],
      start: [{ rule: "removed-directive" }, { rule: "unknown-directive" }],
      answers: { verdict: "different", differences: [{}], unknown: [] },
      build: { changed: [{ word: "disk_cache" }], switches: 2 },
      summary: { start: 2, answers: 1, build: 1 },
    });
    const unread = `${old}<LocationMatch "^/(public)\\1">\nDeny from all\n</LocationMatch>\n`;
    expect(upgradeToJson(unread)).toMatchObject({ answers: { verdict: "unknown", unknown: [{}] } });
    expect(validate({ ...written, more: 1 })).toBe(false);
  });

  test("recognizes a configuration that is already for 2.4, and reports it once", () => {
    const main = 'ServerName x\n<Directory "/srv">\nRequire all granted\n</Directory>\nDocumentRoot "/srv"\n';
    write({ "new/httpd.conf": main, "mixed/httpd.conf": `${main}<Location /a>\nDeny from all\n</Location>\n` });
    const note = /^httpd-lint: `Require all granted` \(new\/httpd\.conf:3\) is a directive of 2\.4, so 2\.2 cannot run/;
    const upgraded = lint(["upgrade", "new/httpd.conf"]);
    const [title, reason, help, ...rest] = upgraded.stdout.split("\n");
    expect([upgraded.status, upgraded.stderr, title]).toEqual([0, "", "Configuration that is already for 2.4"]);
    expect(reason).toContain(
      "`Require all granted` (new/httpd.conf:3:1) is a directive of 2.4, so 2.2 cannot run this",
    );
    expect(help).toContain("name the version of this server with --from");
    // Nothing was compared, and no sentence says so of equal answers.
    expect(rest.join("\n")).not.toMatch(/access decision|access map|no difference/i);
    const json = JSON.parse(lint(["upgrade", "new/httpd.conf", "--format", "json"]).stdout);
    expect(json).toMatchObject({
      notOf22: { start: { line: 3 } },
      answers: { verdict: "unknown" },
      review: { servers: [] },
    });
    const within = lint(["upgrade", "new/httpd.conf", "--from", "2.4.41"]).stdout;
    expect(within).toContain("Upgrade from 2.4.41 to 2.4\n");
    expect(within).not.toContain("name the version");
    const checked = lint(["check", "new/httpd.conf", "--from", "2.2"]);
    expect([checked.status, checked.stderr, checked.stdout]).toEqual([
      0,
      expect.stringMatching(note),
      expect.stringContaining("no findings"),
    ]);
    expect(lint(["upgrade", "mixed/httpd.conf"]).stdout).not.toContain("cannot run");
  });

  test("recognizes each file that is already for 2.4", () => {
    const satisfy = '<Location "/x">\nDeny from all\nSatisfy any\n</Location>\n';
    const granted = '<Location "/n">\nRequire all granted\n</Location>\nCacheIgnoreURLSessionIdentifiers sid\n';
    write({
      "parts/httpd.conf": `${open}${satisfy}Include conf.d/*.conf\n`,
      "parts/conf.d/new.conf": granted,
      "parts/conf.d/old.conf": "CacheIgnoreURLSessionIdentifiers sid\n",
    });
    const note =
      "`Require all granted` (parts/conf.d/new.conf:2) is a directive of 2.4: this file cannot come from 2.2";
    const root = ["--server-root", "parts"];
    const checked = lint(["check", "parts", "--from", "2.2", "--format", "concise", ...root]);
    expect(checked.stderr).toContain(note);
    expect(checked.stdout).toContain("parts/httpd.conf:8:1: error[upgrade-changes-access]");
    expect(checked.stdout).toContain("parts/conf.d/old.conf:1:1: info[changed-behaviour]");
    expect(checked.stdout).not.toContain("new.conf");
    const upgraded = lint(["upgrade", "parts", ...root]);
    expect(upgraded.stderr).toContain(note);
    expect(upgraded.stdout).toContain("1. 403 → allowed");
    expect(upgraded.stdout).not.toContain("2. ");
    expect(upgraded.stdout).toContain("conf.d/new.conf:2:1: a file that is already for 2.4 decides it");
  });

  test("reports defaults that affect nearly every server, in one line each, and `check` does not", () => {
    writeMain(open);
    const routine = "  default of `FileETag` changed from `INode MTime Size` to `MTime Size`\n";
    expect(upgrade("httpd.conf").stdout).toContain(`On nearly every server (details with --verbose):\n`);
    expect(upgrade("httpd.conf").stdout).toContain(routine);
    expect(upgrade("httpd.conf", "--verbose").stdout).toContain("help: to keep the old ETags, set");
    const { stdout } = lint(["check", "httpd.conf", "--from", "2.2", "--select", "changed-default"]);
    expect(stdout).not.toContain("FileETag");
    expect(stdout).toContain("default of `TimeOut` changed");
  });

  test("does not treat files that no server reads as 2.2 if the server is already for 2.4", () => {
    const changed = "CacheIgnoreURLSessionIdentifiers sid\n";
    const main = (access: string) => `<Directory "/srv">\n${access}\n</Directory>\n`;
    write({
      "debian24/apache2.conf": main("Require all granted"),
      "debian24/mods-available/cache.conf": changed,
      "debian22/apache2.conf": main("Deny from all"),
      "debian22/mods-available/cache.conf": changed,
    });
    const rulesOf = (folder: string) => {
      const { findings } = JSON.parse(lint(["check", folder, "--from", "2.2", "--format", "json"]).stdout);
      return findings.map(({ rule }: { readonly rule: string }) => rule);
    };
    expect(rulesOf("debian24")).toEqual([]);
    expect(rulesOf("debian22")).toContain("changed-behaviour");
  });

  test("includes the effects of added modules in the report", () => {
    const loading = "LoadModule authz_host_module modules/mod_authz_host.so\n";
    writeMain(`${loading}${open}`);
    const { stdout } = upgrade("httpd.conf");
    const parts = partsOf(stdout);
    expect(parts["Problems at start, or status 500"]).toContain("[modules-to-load]");
    expect(parts["Different access decisions"]).toContain(
      "assumes that these missing modules are loaded: `access_compat_module`",
    );
    expect(parts["Different access decisions"]).toContain("every request has the same access decision on both sides (");
    expect(parts["Recommended changes"]).toContain("[old-access-control]");
  });

  test("uses the one of two main files that includes the other", () => {
    const main = "Include httpd.conf\nRewriteLog logs/rewrite.log\n";
    write({ "debian/apache2.conf": main, "debian/httpd.conf": "" });
    expect(upgrade("debian").stdout).toMatch(
      /^error\[removed-directive\]: `RewriteLog` was removed in 2\.4\n --> debian\/apache2\.conf:2:1$/m,
    );
  });

  test("is suggested by `check` for a configuration that is clearly for 2.2", () => {
    writeMain(old);
    const note = (entry: string) =>
      `httpd-lint: this configuration is for 2.2; run \`httpd-lint upgrade ${entry}\` to list everything that 2.4 breaks or changes\n`;
    expect(lint(["httpd.conf"]).stderr).toBe(note("httpd.conf"));
    expect(lint(["check", "-"], { input: old }).stderr).toContain(note("-"));
    expect(lint(["httpd.conf", "--quiet"]).stderr).toBe("");
    // The findings of the upgrade rules are already shown.
    expect(lint(["httpd.conf", "--from", "2.2"]).stderr).toBe("");
    writeMain(`${open}<Location "/x">\nDeny from all\n</Location>\n`);
    expect(lint(["httpd.conf"]).stderr).toBe("");
  });

  test("reports a missing entry, and supports --exit-zero", () => {
    expect(upgrade("nothing.conf")).toMatchObject({ status: 3, stderr: expect.stringContaining("does not exist") });
    writeMain(old);
    expect(upgrade("httpd.conf", "--exit-zero").status).toBe(0);
  });
});

function writeMain(text: string): void {
  write({ "httpd.conf": text });
}
