import { describe, expect, test } from "vitest";
import type { Ran } from "../support/programs/command.js";
import { fragmentNote } from "../support/programs/command-output.js";
import { validJson } from "../support/programs/shipped-schemas.js";
import { lintedFolder } from "../support/programs/test-folder.js";

const { lint, write } = lintedFolder();

function map(...args: readonly string[]): Ran {
  return lint(["map", ...args], { env: { NO_COLOR: "1" } });
}

function writeMain(text: string): void {
  write({ "httpd.conf": text });
}

const open = 'DocumentRoot "/srv/www"\n<Directory "/srv/www">\nOrder allow,deny\nAllow from all\n</Directory>\n';
const satisfied = `${open}<Location "/x">\nDeny from all\nSatisfy any\n</Location>\n`;

/** The documents are not on this machine, and 2.2 reads `.htaccess` files there. */
const absentFolder =
  "httpd-lint: assuming that no `.htaccess` file controls access in folders that do not exist here: `/srv/www`\n";

describe("map", () => {
  test("cuts a long list of sections, with the number of the others", () => {
    const sections = Array.from(
      { length: 12 },
      (_, index) =>
        `<LocationMatch "^/${"a*".repeat(index + 1)}">\nAuthMerging And\nRequire user u${index} v\n</LocationMatch>\n`,
    );
    writeMain(`<Location />\nRequire all granted\n</Location>\n${sections.join("")}`);
    const { stdout } = map("httpd.conf", "--release", "2.4");
    expect(stdout.split("\n").filter((line) => line.length > 200)).toEqual([]);
    expect(stdout).toMatch(/`<LocationMatch "\^\/a\*">`, .* and \d+ more sections \(all with --verbose\)$/m);
    const whole = map("httpd.conf", "--release", "2.4", "--verbose").stdout;
    expect(whole).not.toContain("more sections");
    expect(whole).toContain('`<LocationMatch "^/a*a*a*a*a*a*a*a*a*a*a*a*">`');
  });

  test("shows the access in both releases if it differs", () => {
    writeMain(satisfied);
    expect(map("httpd.conf")).toEqual({
      status: 0,
      stderr: absentFolder,
      stdout: [
        "any host name",
        '  any other path, e.g. `/a`  `<Directory "/srv/www">`',
        "    every client",
        '  `/x`  `<Location "/x">`',
        "    2.2: no client (403)",
        "    2.4: every client",
        "",
        "1 server, 2 groups of paths; 1 differs between 2.2 and 2.4",
        "",
      ].join("\n"),
    });
  });

  test("shows one release", () => {
    writeMain(satisfied);
    const { stdout } = map("httpd.conf", "--release", "2.2");
    expect(stdout).toContain('`<Location "/x">`\n    no client (403)\n');
    expect(stdout).toMatch(/\n1 server, 2 groups of paths\n$/);
    expect(map("httpd.conf", "--release", "2.4").stdout).not.toContain("no client");
  });

  test("omits a release that does not start, with its reason, and reports both if neither starts", () => {
    writeMain(`${open}<Location "/y">\n<RequireAll>\nRequire all granted\n</RequireAll>\n</Location>\n`);
    const { status, stdout } = map("httpd.conf");
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^2\.2 does not start\n {2}httpd\.conf:7:1: `<RequireAll>` is .*\n {2}note: the map omits 2\.2\n/,
    );
    expect(stdout).not.toContain("differ");
    writeMain(`${satisfied}Nonsense on\n`);
    expect(map("httpd.conf").status).toBe(1);
    const neither = map("httpd.conf").stdout;
    expect(neither).toMatch(/^2\.2 does not start.*\n.*\n {2}note: the map ignores the rejected lines\n/m);
    expect(neither).toMatch(/^2\.4 does not start.*\n.*\n {2}note: the map ignores the rejected lines\n/m);
    expect(neither).toContain("    2.2: no client (403)\n    2.4: every client\n");
  });

  test("writes JSON that matches its schema", () => {
    writeMain(`${satisfied}Nonsense on\n<Location /limited>\n<Limit POST>\nDeny from all\n</Limit>\n</Location>\n`);
    for (const args of [[], ["--release", "2.4"], ["--reading", "guide"]])
      validJson("map", map("httpd.conf", "--format", "json", ...args).stdout);
    const { servers } = JSON.parse(map("httpd.conf", "--format", "json").stdout);
    expect(servers[0].scopes.find(({ paths }: { paths: string[] }) => paths[0] === "/x")).toMatchObject({
      differs: true,
      access: { "2.2": { words: "no client (403)", allowed: [], others: ["403"] }, "2.4": { words: "every client" } },
    });
  });

  test("writes redirects and unknown access as JSON", () => {
    writeMain(
      `${satisfied}Redirect /away http://a.test/\n<LocationMatch "^/(public)\\1">\nDeny from all\n</LocationMatch>\nNonsense on\n`,
    );
    const { stdout } = map("httpd.conf", "--format", "json");
    validJson("map", stdout);
    expect(stdout).toContain('"place": "elsewhere"');
    expect(stdout).toContain('"unsure": true');
  });

  test("lists unknown parts and exits with code 5", () => {
    writeMain('DocumentRoot /srv\n<LocationMatch "^/(public)\\1">\nRequire all denied\n</LocationMatch>\n');
    const { status, stdout } = map("httpd.conf", "--release", "2.4");
    expect(status).toBe(5);
    expect(stdout).toContain("\nUnknown:\n  httpd.conf:3:1: ");
    expect(stdout).toMatch(/\n {4}not fully known \(see Unknown\); as far as known:\n {4}.*others: 403\n/);
  });

  test("reads standard input, and reports a file that cannot be read", () => {
    const piped = lint(["map", "-", "--stdin-filename", "server.conf"], {
      input: satisfied,
      env: { NO_COLOR: "1" },
    });
    expect(piped).toMatchObject({ status: 0, stdout: expect.stringContaining("2.4: every client") });
    expect(map("nowhere.conf")).toMatchObject({ status: 3, stdout: "" });
    expect(map("httpd.conf", "--format", "xml").status).toBe(2);
  });
});

test("check reports that a fragment was checked on its own, with and without --from", () => {
  write({ "piece.conf": "<Location /x>\nDeny from all\nSatisfy any\n</Location>\n" });
  for (const args of [["--from", "2.2"], []]) expect(lint(["check", "piece.conf", ...args]).stderr).toBe(fragmentNote);
});
