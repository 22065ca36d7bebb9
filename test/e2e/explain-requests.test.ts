import { appendFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { validJson } from "../support/programs/shipped-schemas.js";
import { lintedFolder } from "../support/programs/test-folder.js";
import { writeRestrictedServer } from "../support/restricted-server.js";

const scratch = lintedFolder();
const { at, lint, write } = scratch;
const writeServer = (more = "") => writeRestrictedServer(scratch, more);

describe("explain --requests", () => {
  const when = "[10/Oct/2000:13:55:36 -0700]";
  const line = (client: string, request: string, status: number) => `${client} - - ${when} "${request}" ${status} 1\n`;

  test("shows the response to each request, and whether it differs from the log", () => {
    writeServer();
    write({
      "access.log": [
        line("10.1.2.3", "GET / HTTP/1.1", 304),
        line("192.0.2.7", "GET /x HTTP/1.1", 200),
        "not a line\n",
        `{"ip":"192.0.2.7","request":"GET /open/x.txt HTTP/1.1","status":200,"user":"bob"}\n`,
        line("192.0.2.7", "\\x16\\x03", 400),
      ].join(""),
    });
    const ran = lint(["explain", ".", "--requests", "access.log"]);
    expect(ran).toMatchObject({ status: 1, stderr: "" });
    expect(ran.stdout).toBe(
      [
        "1: GET / from 10.1.2.3: 200, logged 304",
        "2: GET /x from 192.0.2.7: 403, logged 200 (AH01630, httpd.conf:5:1)",
        "3: cannot be parsed: the line is not in the common, combined or JSON format",
        "4: GET /open/x.txt from 192.0.2.7 as bob: 200",
        "5: cannot be parsed: its request line is invalid",
        "3 requests, 1 different from the log; 2 lines cannot be parsed: 3, 5\n",
      ].join("\n"),
    );
    const json = lint(["explain", ".", "--requests", "access.log", "--format", "json"]);
    expect(json.status).toBe(1);
    expect(validJson("explain-requests", json.stdout)).toMatchObject({
      requests: [{ comparison: "same" }, { comparison: "different" }, { line: 3 }, { comparison: "same" }, { line: 5 }],
      summary: { requests: 3, same: 2, different: 1, unknown: 0, unread: 2 },
    });
    const changed = lint(["explain", ".", "--requests", "access.log", "--changed"]).stdout;
    expect(changed.match(/^\d+:/gm)).toEqual(["2:", "3:", "5:"]);
    expect(lint(["explain", ".", "--requests", "access.log", "--exit-zero"]).status).toBe(0);
  });

  test("reads standard input, and exits with 0, 3 or 5, which depends on its contents", () => {
    writeServer(
      "<Location /ldap>\nRequire ldap-user bob\nAuthType Basic\nAuthName x\nAuthBasicProvider ldap\nAuthLDAPURL ldap://x/o=x\n</Location>\n",
    );
    const explain = (input: string) => lint(["explain", ".", "--requests", "-"], { input });
    expect(explain(line("10.1.2.3", "GET / HTTP/1.1", 200))).toMatchObject({ status: 0, stderr: "" });
    expect(explain("")).toMatchObject({ status: 0, stdout: "0 requests\n" });
    expect(explain("nothing\nof use\n").status).toBe(3);
    expect(explain(`10.1.2.3 - bob ${when} "GET /ldap HTTP/1.1" 200 1\n`).status).toBe(5);
  });

  test("reads a log that is larger than the memory limit", () => {
    writeServer();
    const log = at("access.log");
    writeFileSync(log, "");
    const lines = Array.from({ length: 1_000 }, (_, index) =>
      line(`10.${index % 200}.2.3`, `GET /${index}?${"x".repeat(200)} HTTP/1.1`, 404),
    ).join("");
    for (let i = 0; i < 100; i++) appendFileSync(log, lines);
    const { status, stdout } = lint(["explain", ".", "--requests", "access.log", "--changed"], {
      env: { NODE_OPTIONS: "--max-old-space-size=64" },
    });
    expect({ status, stdout }).toEqual({ status: 0, stdout: "100,000 requests, all as logged\n" });
  }, 120_000);

  test("accepts binary data", () => {
    writeServer();
    const bytes = Buffer.from(Array.from({ length: 1 << 16 }, (_, i) => (i * i * 31 + (i >> 3)) & 255));
    writeFileSync(at("binary.log"), bytes);
    const ran = lint(["explain", ".", "--requests", "binary.log"]);
    expect(ran).toMatchObject({ status: 3, stderr: "" });
    expect([...ran.stdout].some((letter) => letter < " " && letter !== "\n")).toBe(false);
  });
});

describe("a log without host names", () => {
  const hosts = (shop: string) =>
    ["a.test", "b.test"]
      .map((name) => {
        const access = name === "b.test" ? shop : "Require all granted";
        return `<VirtualHost *:80>\nServerName ${name}\nDocumentRoot /srv\n<Location />\n${access}\n</Location>\n</VirtualHost>\n`;
      })
      .join("");
  const server = (shop: string) =>
    `ServerRoot /etc/httpd\nServerName x.test\nListen 80\nLoadModule authz_core_module m.so\n${hosts(shop)}`;
  const line = '192.0.2.1 - - [01/Jan/2026:00:00:00 +0000] "GET / HTTP/1.1" 403 5\n';
  const note =
    "1 request names no host, and is taken for the first virtual host at the address; name the host of the log with --host";

  test("is stated by compare and explain, which take a host", () => {
    write({ "old.conf": server("Require all denied"), "new.conf": server("Require all granted"), log: line });
    const compared = lint(["compare", "old.conf", "new.conf", "--requests", "log"]);
    expect(compared.stdout).toContain("1 request, 0 with a different access decision");
    expect(compared.stdout).toContain(note);
    const named = lint(["compare", "old.conf", "new.conf", "--requests", "log", "--host", "b.test"]);
    expect(named.stdout).toContain("1 request, 1 with a different access decision");
    expect(named.stdout).not.toContain("names no host");
    expect(lint(["explain", "old.conf", "--requests", "log"]).stdout).toContain(note);
    expect(lint(["explain", "old.conf", "--requests", "log", "--host", "b.test"]).stdout).not.toContain(
      "names no host",
    );
  });

  test("counts in JSON", () => {
    write({ "old.conf": server("Require all denied"), log: line });
    for (const command of [
      ["compare", "old.conf", "old.conf"],
      ["explain", "old.conf"],
    ]) {
      const { stdout } = lint([...command, "--requests", "log", "--format", "json"]);
      expect(JSON.parse(stdout)).toMatchObject({ summary: { requests: 1, withoutHost: 1 } });
    }
  });

  test("does not matter to one server, or if each line has a host", () => {
    write({
      "one.conf": "ServerRoot /etc/httpd\nServerName x.test\nListen 80\n",
      log: line,
      hosts: `b.test:80 ${line}`,
    });
    expect(lint(["compare", "one.conf", "one.conf", "--requests", "log"]).stdout).not.toContain("names no host");
    write({ "old.conf": server("Require all denied") });
    expect(lint(["compare", "old.conf", "old.conf", "--requests", "hosts"]).stdout).not.toContain("names no host");
  });

  test("--host needs a log, and a name", () => {
    write({ "old.conf": server("Require all denied"), log: line });
    expect(lint(["compare", "old.conf", "old.conf", "--host", "b.test"])).toMatchObject({ status: 2 });
    expect(lint(["compare", "old.conf", "old.conf", "--requests", "log", "--host", "b test"])).toMatchObject({
      status: 2,
    });
  });
});
