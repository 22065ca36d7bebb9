import { describe, expect, test } from "vitest";
import { validJson } from "../support/programs/shipped-schemas.js";
import { lintedFolder } from "../support/programs/test-folder.js";

const { lint, write } = lintedFolder();

const load = (...names: readonly string[]) =>
  names.map((name) => `LoadModule ${name}_module modules/mod_${name}.so\n`).join("");
const place = 'Listen 80\nServerName www.example.org\nDocumentRoot "/srv/site"\n';
const of22 = `<Directory "/srv/site">
  Order allow,deny
  Allow from all
</Directory>
<Directory "/srv/site/staff">
  Order deny,allow
  Deny from all
  Allow from 10.0.0.0/8
</Directory>
`;
const of24 = `<Directory "/srv/site">
  Require all granted
</Directory>
<Directory "/srv/site/staff">
  Require ip 10.0.0.0/8
</Directory>
`;

/** Main files that 2.4 does not start with, or with which every request fails, and the reason. */
const failing: readonly (readonly [name: string, text: string, reason: RegExp])[] = [
  [
    "2.2, with a module that 2.4 lacks",
    load("authz_host", "authz_default", "dir") + place + of22,
    /authz_default_module/,
  ],
  ["2.2, without it", load("authz_host", "dir") + place + of22, /`Order` needs mod_access_compat/],
  [
    "2.2, with a removed directive",
    `${load("authz_host", "dir")}${place}LockFile logs/lock\n${of22}`,
    /does not start/,
  ],
  [
    "2.2, with an unknown directive",
    `${load("authz_host")}${place}${of22}<Directory />\n  Optoins None\n</Directory>\n`,
    /does not start/,
  ],
  [
    "2.2, with a file that is not included",
    `${load("authz_host")}${place}Include conf.d/lost.conf\n${of22}`,
    /does not start/,
  ],
  [
    "2.4, without mod_authz_core",
    load("mpm_event", "authz_host", "dir") + place + of24,
    /`Require` needs `mod_authz_core`/,
  ],
];

describe("a server that does not start is never shown as closed", () => {
  test.each(failing)("%s", (_, text, reason) => {
    write({ "httpd.conf": text });
    const audit = lint(["audit", "httpd.conf", "--files", "assume"]);
    expect(audit.status).toBe(1);
    expect(audit.stdout).toMatch(/^2\.4 does not start/);
    expect(audit.stdout.split("Outside view after corrections")[0]).toMatch(reason);
    expect(audit.stdout).toMatch(/note: the report assumes that (?:these missing modules are|the missing module)/);
    expect(audit.stdout).toMatch(/\n {2}Read: .*`\/a`/);
    expect(audit.stdout).toContain("allowed: 10.0.0.0/8; others: 403\n");
    expect(audit.stdout).not.toContain("500");
    const map = lint(["map", "httpd.conf", "--release", "2.4"]);
    expect(map.status).toBe(1);
    expect(map.stdout).toMatch(/^2\.4 does not start/);
    expect(map.stdout).toMatch(/\n {4}every client\n[\s\S]*\n {4}10\.0\.0\.0\/8; others: 403\n/);
    expect(map.stdout).not.toContain("500");
    const explained = lint(["explain", "httpd.conf", "/index.html", "--files", "assume"]);
    expect([explained.status, explained.stdout]).toEqual([1, expect.stringMatching(/^httpd will not start/)]);
    expect(explained.stdout).toMatch(/\nnote: assuming that .*\n[\s\S]*would be:\n200 from /);
  });

  test("JSON and HTML state it before the view", () => {
    write({ "httpd.conf": failing[0]?.[1] ?? "", "e.json": { expectations: [{ path: "/", expect: "refused" }] } });
    for (const command of ["audit", "map", "explain", "test"] as const) {
      const more = { audit: [], map: ["--release", "2.4"], explain: ["/"], test: ["e.json"] }[command];
      const { stdout } = lint([command, "httpd.conf", ...more, "--format", "json"]);
      validJson(command, stdout);
      const view = { audit: "servers", map: "servers", explain: "status", test: "expectations" }[command];
      const [startup, assumptions, start] = ["startup", "assumptions", view].map((key) =>
        stdout.search(new RegExp(`"${key}":`)),
      );
      expect([command, startup]).not.toEqual([command, -1]);
      expect([command, Number(startup) < Number(start)]).toEqual([command, true]);
      expect(stdout.slice(assumptions)).toContain("authz_core_module");
    }
    for (const command of ["audit", "map"]) {
      const { stdout } = lint([command, "httpd.conf", "--release", "2.4", "--format", "html"]);
      const text = stdout.slice(stdout.indexOf("<main>"));
      expect(text).toMatch(
        /^<main>[\s\S]*2\.4 does not start with this configuration[\s\S]*It assumes that[\s\S]*<section/,
      );
    }
  });

  test("the same configuration is compared and mapped as 2.2 reads it", () => {
    const [, text = ""] = failing[0] ?? [];
    write({ "httpd.conf": text, "open/httpd.conf": text.replace("Deny from all", "Allow from all") });
    const map = lint(["map", "httpd.conf"]);
    expect(map.stdout).toMatch(/^2\.4 does not start[\s\S]*note: the map omits 2\.4\n/);
    expect(map.stdout).toContain("10.0.0.0/8; others: 403");
    expect(lint(["audit", "httpd.conf", "--release", "2.2"]).stdout).toMatch(/^Outside view: /);
    const upgrade = lint(["compare", "httpd.conf"]);
    expect(upgrade.stdout).toContain("different: only one side answers requests; no other difference was found");
    // Both sides fail in the same way under 2.4, and would still give different access.
    const both = lint(["compare", "httpd.conf", "open/httpd.conf"]);
    expect([both.status, both.stdout]).toEqual([1, expect.stringContaining("403 → allowed: GET")]);
  });

  test("a configuration for 2.4 is not shown as 2.2 would read it", () => {
    write({ "httpd.conf": `${load("mpm_event", "authz_core", "authz_host")}${place}LockFile logs/lock\n${of24}` });
    const map = lint(["map", "httpd.conf"]);
    expect(map.stdout).toMatch(/^2\.4 does not start[\s\S]*\n {4}every client\n/);
    expect(map.stdout).not.toContain("2.2");
    expect(map.stderr).toContain("is a directive of 2.4, so 2.2 cannot run this configuration; the map omits 2.2\n");
  });
});

describe("requests that fail are not protected", () => {
  const started = load("mpm_event", "authz_core", "authz_host", "authz_user", "authn_core", "unixd") + place + of24;

  test("without mod_authz_core, every request fails, and the view is that with the module", () => {
    write({ "httpd.conf": load("mpm_event", "dir") + place });
    expect(lint(["audit", "httpd.conf"]).stdout).toMatch(/^2\.4 returns 500 to every request\n[\s\S]*\n {2}Read: /);
    const map = lint(["map", "httpd.conf", "--release", "2.4"]);
    expect(map.stdout).toMatch(/^2\.4 returns 500 to every request\n[\s\S]*\n {4}every client\n/);
    // The server starts, so this is its answer.
    expect(lint(["explain", "httpd.conf", "/"]).stdout).toMatch(/^500 Internal Server Error: /);
  });

  test("of one host", () => {
    const host = (name: string, ...lines: readonly string[]) =>
      `<VirtualHost *:80>\n  ServerName ${name}\n${lines.map((line) => `  ${line}\n`).join("")}</VirtualHost>\n`;
    const broken = host("b.example.org", "<Location />", "AuthType None", "Require valid-user", "</Location>");
    write({ "httpd.conf": started + host("a.example.org") + broken });
    const audit = lint(["audit", "httpd.conf", "--files", "assume"]).stdout;
    expect(audit).toMatch(/\ngroups of paths by host +read +run +write +fetch +error protected\n/);
    expect(audit).toMatch(/\nb\.example\.org +0 +0 +0 +0 +1 +0\n/);
    expect(audit).toMatch(/\n {2}Error: .*\n {4}GET .* returns 500\n {4}all requests fail \(500\)\n/);
    // The other host's answers, which depend on files, may be exposures: the counts add up.
    expect(audit).toContain(
      "Sensitive paths: 0 exposed, 75 unknown, 3 failed with an error (of 78, each with its most open answer at any host)\n",
    );
    expect(audit).toContain("  failed with an error: `/.git/config` at b.example.org\n");
    const map = lint(["map", "httpd.conf", "--release", "2.4"]).stdout;
    expect(map).toContain("    all requests fail (500)\n");
    expect(map).toMatch(/3 groups of paths; requests to 1 group of paths fail\n$/);
    const json = validJson("audit", lint(["audit", "httpd.conf", "--format", "json"]).stdout);
    expect(JSON.stringify(json)).toContain('"effect":"error"');
    // 2.2 rejects `all granted` with 500, and 2.4 does not.
    const granted = '<Location "/in">\nRequire all granted\n</Location>\n';
    write({ "httpd.conf": `${place}${granted}Redirect 503 /off\n` });
    const both = lint(["map", "httpd.conf"]).stdout;
    expect(both).toMatch(
      /; requests to \d groups? of paths fail under 2\.2; requests to 1 group of paths fail under 2\.4\n$/,
    );
    // Twin: denials.
    write({ "httpd.conf": started + host("a.example.org") });
    expect(lint(["audit", "httpd.conf", "--files", "assume"]).stdout).not.toMatch(/ error |fail/);
    expect(lint(["map", "httpd.conf", "--release", "2.4"]).stdout).not.toContain("fail");
  });
});

describe("twins: no view is corrected", () => {
  test.each([
    ["a server that starts", load("mpm_event", "authz_core", "authz_host", "unixd") + place + of24],
    ["a server whose modules are not known", place + of22],
  ])("of %s", (_, text) => {
    write({ "httpd.conf": text });
    const { status, stdout } = lint(["audit", "httpd.conf", "--files", "assume"]);
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^Outside view: /)]);
    expect(stdout).toContain("allowed: 10.0.0.0/8; others: 403\n");
    expect(stdout).not.toContain("assumes");
  });
});
