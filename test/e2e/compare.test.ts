import { describe, expect, test } from "vitest";
import type { Ran } from "../support/programs/command.js";
import { validJson } from "../support/programs/shipped-schemas.js";
import { lintedFolder } from "../support/programs/test-folder.js";

const { lint, write } = lintedFolder();

function compare(...args: readonly string[]): Ran {
  return lint(["compare", ...args], { env: { NO_COLOR: "1" } });
}

const open = 'DocumentRoot "/srv/www"\n<Directory "/srv/www">\nOrder allow,deny\nAllow from all\n</Directory>\n';
const satisfied = `${open}<Location "/x">\nDeny from all\nSatisfy any\n</Location>\n`;

/** Compares the same text from a file. */
function compareText(text: string): string {
  write({ "server.conf": text });
  return compare("server.conf").stdout;
}

/** The documents are not on this machine, and 2.2 reads `.htaccess` files there. */
const absentFolder =
  "httpd-lint: assuming that no `.htaccess` file controls access in folders that do not exist here: `/srv/www`\n";

describe("compare", () => {
  test("reports the differences of one configuration between two releases, with example requests", () => {
    write({ "httpd.conf": satisfied });
    const { status, stdout, stderr } = compare("httpd.conf");
    expect({ status, stderr }).toEqual({ status: 1, stderr: absentFolder });
    expect(stdout).toMatch(
      /^note: .* are not compared\nnote: not compared, because 2.2 and 2.4 .* with repeated slashes .*\ndifferent: 1 difference in/,
    );
    expect(stdout).toContain("1. 403 → allowed: GET `/x` from 203.0.113.7");
    expect(stdout).toContain("   2.2: 403 Forbidden\n     httpd.conf:7:1: `Deny from all`\n");
    expect(stdout).toContain("   2.4: 200 OK\n     httpd.conf:8:1: `Satisfy any`\n");
  });

  test("states what is assumed of files that Include names and that are missing", () => {
    const root = "Listen 80\nServerName x.test\n";
    write({
      "with/httpd.conf": `${root}Include /missing/access.conf\n`,
      "without/httpd.conf": `${root}IncludeOptional /missing/access.conf\n`,
    });
    const assumed = "no missing file affects access: `Include /missing/access.conf` (";
    expect(compare("with/httpd.conf", "without/httpd.conf").stderr).toContain(`httpd-lint: assuming that ${assumed}`);
    expect(lint(["map", "with/httpd.conf"]).stderr).toContain(`httpd-lint: assuming that ${assumed}`);
    expect(compare("with/httpd.conf", "without/httpd.conf", "--format", "json").stdout).toContain(`"${assumed}`);
    // Twin: files that may be missing.
    expect(compare("without/httpd.conf", "without/httpd.conf").stderr).not.toContain("missing file");
  });

  test("finds what a later version of 2.4 refuses, and names the requests that it does not compare", () => {
    const lines = [
      'DocumentRoot "/srv/www"',
      '<Directory "/srv/www">',
      "Require all granted",
      "</Directory>",
      "RewriteEngine On",
      'RewriteRule "^/b/(.*)" "/x.php?q=$1" [L]',
    ];
    write({ "httpd.conf": `${lines.join("\n")}\n` });
    const { status, stdout } = compare("httpd.conf", "--from", "2.4.29", "--to", "2.4.62");
    expect(status).toBe(1);
    expect(stdout).toMatch(/allowed → 403: GET `http:\/\/\S+\/b\/%20`|allowed → 403: GET `\/b\/%20`/);
    expect(stdout).toContain("2.4.62: 403 Forbidden (AH10410)");
    expect(stdout).toContain(
      "the two versions may answer requests with repeated slashes in the path differently, and these requests are not analyzed",
    );
    // Twin: both versions merge slashes and refuse such queries.
    const later = compare("httpd.conf", "--from", "2.4.60", "--to", "2.4.62");
    expect(later.stdout).not.toContain("AH10410");
    expect(later.stdout).not.toContain("the two versions");
    expect(later.stdout).not.toContain("2.2");
  });

  test("proves nothing about versions that answer requests differently which it does not compare", () => {
    write({ "httpd.conf": open });
    const { status, stdout } = compare("httpd.conf", "--from", "2.4.29", "--to", "2.4.41");
    expect(status).toBe(5);
    expect(stdout).toContain("with repeated slashes in the path");
    expect(compare("httpd.conf", "--from", "2.4.52", "--to", "2.4.54").status).toBe(0);
  });

  test("finds two configurations equivalent if only their directives differ", () => {
    write({
      "before.conf": open,
      "after.conf": 'DocumentRoot "/srv/www"\n<Directory "/srv/www">\nRequire all granted\n</Directory>\n',
    });
    expect(compare("before.conf", "after.conf")).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^note: .*\nequivalent: every request has the same access decision on both sides/),
    });
    expect(compare("before.conf", "before.conf").status).toBe(0);
  });

  test("requires two configurations for --release", () => {
    write({ "before.conf": satisfied });
    const { status, stderr } = compare("before.conf", "--release", "2.2");
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringContaining("--release needs two configurations; for one, use --from"),
    });
    expect(compare("before.conf", "before.conf", "--release", "2.2").status).toBe(0);
  });

  test("lists unproved parts", () => {
    const conf = (line: string) =>
      `DocumentRoot /srv\n<LocationMatch "${line}">\nRequire all denied\n</LocationMatch>\n`;
    write({ "before.conf": conf("^/(public)\\1"), "after.conf": conf("^/(private)\\1") });
    const { status, stdout } = compare("before.conf", "after.conf");
    expect(status).toBe(5);
    expect(stdout).toMatch(/^note: .*\nunknown: no difference was found/);
    expect(stdout).toMatch(/Not proved:\n {2}before\.conf:3:1: the result depends on whether the pattern `\^\/\(p/);
  });

  test("first reports a side that does not start", () => {
    write({ "before.conf": open, "after.conf": `${open}ServerName\n` });
    const { status, stdout } = compare("before.conf", "after.conf");
    expect(status).toBe(1);
    expect(stdout).toMatch(/^note: .*\nafter\.conf does not start\n {2}after\.conf:6:1: /);
    expect(stdout).toMatch(
      /\nnote: the comparison ignores the rejected lines\nnote: the comparison assumes that no other .*\n\ndifferent:/,
    );
    expect(compare("before.conf", "after.conf", "--exit-zero").status).toBe(0);
  });

  test.each([
    ["different", ["server.conf"]],
    ["equivalent", ["server.conf", "server.conf"]],
    ["different", ["server.conf", "broken.conf"]],
  ])("writes JSON that matches its schema: %s", (verdict, args) => {
    write({ "server.conf": satisfied, "broken.conf": `${satisfied}ServerName\n` });
    const { stdout } = compare(...args, "--format", "json");
    expect(validJson("compare", stdout)).toHaveProperty("verdict", verdict);
  });

  test("reads standard input as one side, or as both sides with two releases", () => {
    const whole = `${satisfied}ServerRoot /\n`;
    write({ "plain.conf": `${open}<Location "/x">\nRequire all denied\n</Location>\nServerRoot /\n` });
    const comparePiped = (...args: readonly string[]) =>
      lint(["compare", ...args, "--stdin-filename", "server.conf"], { input: whole });
    expect(comparePiped("-")).toMatchObject({ status: 1, stdout: compareText(whole), stderr: absentFolder });
    expect(comparePiped("plain.conf", "-")).toMatchObject({ status: 1, stderr: "" });
    expect(comparePiped("-", "-")).toMatchObject({ status: 2, stdout: "" });
    expect(comparePiped("-", "--requests", "-")).toMatchObject({ status: 2, stdout: "" });
    expect(comparePiped("plain.conf").stderr).toContain("--stdin-filename needs the path `-`");
  });

  test("lists the requests of a log with different responses", () => {
    const line = (path: string) => `192.0.2.7 - - [01/Jan/2026:00:00:00 +0000] "GET ${path} HTTP/1.1" 403 0\n`;
    write({ "server.conf": satisfied, "access.log": `${line("/x")}${line("/y")}nonsense\n` });
    const { status, stdout } = compare("server.conf", "--requests", "access.log");
    expect(status).toBe(1);
    expect(stdout).toBe(
      [
        "1: GET `/x` from 192.0.2.7: 403 (server.conf:7:1) → allowed (server.conf:8:1)",
        "3: cannot be parsed: the line is not in the common, combined or JSON format",
        "2 requests, 1 with a different access decision, 1 line cannot be parsed\n",
      ].join("\n"),
    );
    const json = compare("server.conf", "--requests", "access.log", "--format", "json");
    validJson("compare-requests", json.stdout);
    expect(compare("server.conf", "--requests", "none.log")).toMatchObject({ status: 3, stdout: "" });
  });

  test.each([
    [["httpd.conf", "--from", "2.4", "--to", "2.4"], 2, "is compared with itself"],
    [["httpd.conf", "none.conf"], 3, "`none.conf` cannot be read"],
    [
      [],
      2,
      "ENTRY is missing: expected a main file, a virtual host file, a `.htaccess` file, or the directory of a server",
    ],
    [
      ["httpd.conf", "--from", "2.0"],
      2,
      "invalid value `2.0` for --from: expected 2.2, 2.4, one of their versions such as 2.4.29",
    ],
  ])("reports %j in one line", (args, status, message) => {
    write({ "httpd.conf": open });
    const ran = compare(...args);
    expect(ran).toMatchObject({ status, stdout: "" });
    expect(ran.stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(ran.stderr).toContain(message);
  });
});

describe("differences that are not compared", () => {
  const server = (lines: string) =>
    `DocumentRoot "/srv/www"\n<Directory "/srv/www">\nRequire all granted\n</Directory>\n${lines}\n`;
  const before = server(
    'ProxyPass "/app" "http://10.0.0.1/"\nSSLEngine on\nHeader set X-Frame-Options DENY\nRedirect "/old" "https://a.example/"',
  );

  test("are listed with their positions on both sides, and do not change the verdict or exit code", () => {
    write({
      "before.conf": before,
      "after.conf": server(
        "SSLEngine off\nProxyPass /app http://10.0.0.2/\nRedirect /old https://b.example/\nSSLProtocol all",
      ),
    });
    const { status, stdout } = compare("before.conf", "after.conf");
    expect(status).toBe(0);
    expect(stdout).toMatch(/^note: redirect targets, backends, TLS, headers and logs are not compared\nequivalent: /);
    expect(stdout).toContain(`
Also changed, but not compared:
  changed: before.conf:5:1: \`ProxyPass "/app" "http://10.0.0.1/"\`
       to: after.conf:6:1: \`ProxyPass /app http://10.0.0.2/\`
  changed: before.conf:6:1: \`SSLEngine on\`
       to: after.conf:5:1: \`SSLEngine off\`
  deleted: before.conf:7:1: \`Header set X-Frame-Options DENY\`
  changed: before.conf:8:1: \`Redirect "/old" "https://a.example/"\`
       to: after.conf:7:1: \`Redirect /old https://b.example/\`
  added: after.conf:8:1: \`SSLProtocol all\`
`);
    const json = validJson("compare", compare("before.conf", "after.conf", "--format", "json").stdout);
    expect(json).toMatchObject({
      verdict: "equivalent",
      notCompared: [
        {
          directive: "ProxyPass",
          before: { path: "before.conf", start: { line: 5, column: 1 } },
          after: { path: "after.conf", start: { line: 6, column: 1 } },
        },
        { directive: "SSLEngine" },
        { directive: "Header", before: { start: { line: 7 } } },
        { directive: "Redirect" },
        { directive: "SSLProtocol", after: { start: { line: 8 } } },
      ],
    });
  });

  test("are shown without secrets", () => {
    const secret = (word: string) =>
      server(`Define TOKEN ${word}\nRequestHeader set X-Api-Key \${TOKEN}\nProxyPass /a http://u:${word}@10.0.0.1/`);
    write({ "before.conf": secret("s3cret-before"), "after.conf": secret("s3cret-after") });
    const { stdout } = compare("before.conf", "after.conf");
    expect(stdout).toContain("Also changed, but not compared");
    expect(stdout).not.toContain("s3cret");
  });

  test.each([
    ["the same file", { "after.conf": before }],
    [
      "other lines and another order",
      {
        "after.conf": `# moved\n\n${before.split("\n").reverse().join("\n").replace('</Directory>\nRequire all granted\n<Directory "/srv/www">', '<Directory "/srv/www">\nRequire all granted\n</Directory>')}`,
      },
    ],
    [
      "another file",
      { "after.conf": server("Include apps.conf"), "apps.conf": before.split("\n").slice(4).join("\n") },
    ],
  ])("are not listed for %s", (_, files) => {
    write({ "before.conf": before, ...files });
    const { status, stdout } = compare("before.conf", "after.conf");
    expect(status).toBe(0);
    expect(stdout).toMatch(/^note: .*\nequivalent: .*\n$/);
  });

  test("are not listed for one configuration with two versions", () => {
    write({ "before.conf": `<IfVersion < 2.4>\nSSLEngine on\n</IfVersion>\n${before}` });
    expect(compare("before.conf").stdout).not.toContain("Also changed");
    const json = compare("before.conf", "--format", "json").stdout;
    expect(validJson("compare", json)).toMatchObject({ notCompared: [] });
  });
});
