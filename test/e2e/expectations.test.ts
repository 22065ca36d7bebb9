import { beforeEach, describe, expect, test } from "vitest";
import { httpdLint } from "../support/programs/command.js";
import { expectFailure } from "../support/programs/command-output.js";
import { shippedSchema, validJson } from "../support/programs/shipped-schemas.js";
import { lintedFolder } from "../support/programs/test-folder.js";
import { writeRestrictedServer } from "../support/restricted-server.js";

const scratch = lintedFolder();
const { at, lint, textOf, write } = scratch;
const writeServer = (more = "") => writeRestrictedServer(scratch, more);

describe("test", () => {
  const expectations = (...list: readonly object[]) => ({ expectations: list });
  const inside = { path: "/", clientIp: "10.1.2.3", expect: "allowed" };
  const outside = { name: "only the office", path: "/", expect: 200 };
  const unsure = { path: "/ldap", user: "bob", expect: "allowed" };

  beforeEach(() =>
    writeServer(
      "<Location /ldap>\nRequire ldap-user bob\nAuthType Basic\nAuthName x\nAuthBasicProvider ldap\nAuthLDAPURL ldap://x/o=x\n</Location>\n",
    ),
  );

  test("exits with 0 if all expectations hold, 1 if one fails, and 5 if one is unknown", () => {
    write({ "good.json": expectations(inside), "bad.json": expectations(inside, outside, unsure) });
    write({ "unsure.json": expectations(inside, unsure) });
    expect(lint(["test", ".", "good.json"])).toEqual({ status: 0, stdout: "1 expectation passed\n", stderr: "" });
    const bad = lint(["test", ".", "bad.json"]);
    expect(bad).toMatchObject({ status: 1, stderr: "" });
    expect(bad.stdout).toContain("failed: only the office (GET / from 192.0.2.1): expected 200, got 403 (AH01630)\n");
    expect(bad.stdout).toContain("5 | Require ip 10.0.0.0/8\n");
    expect(bad.stdout).toMatch(
      /^unknown: GET \/ldap from 192\.0\.2\.1 as bob: expected allowed, got unknown \(whether/m,
    );
    expect(bad.stdout).toMatch(/\n1 expectation failed, 1 unknown, 1 passed\n$/);
    expect(lint(["test", ".", "unsure.json"]).status).toBe(5);
    expect(lint(["test", ".", "bad.json", "--exit-zero"]).status).toBe(0);
  });

  test("a request that a line rejects or that fails is not allowed", () => {
    writeServer("RedirectMatch 400 ^/bad\nRedirectMatch 503 ^/busy\nRedirectMatch 404 ^/absent\n");
    const of = (path: string, expect: string | number) => ({ path, clientIp: "10.1.2.3", expect });
    write({ "e.json": expectations(of("/bad", "allowed"), of("/busy", "allowed")) });
    expect(lint(["test", ".", "e.json"]).stdout).toMatch(
      /expected allowed, got 400[\s\S]*expected allowed, got 503[\s\S]*\n2 expectations failed, 0 passed\n$/,
    );
    // Twins: their statuses, and 404, which leaves access as it is.
    write({ "e.json": expectations(of("/bad", 400), of("/busy", 503), of("/absent", "allowed"), of("/", "allowed")) });
    expect(lint(["test", ".", "e.json"])).toMatchObject({ status: 0, stdout: "4 expectations passed\n" });
  });

  test("writes JSON that matches its schema, and JUnit", () => {
    write({ "e.json": expectations(inside, outside, unsure) });
    const json = validJson("test", lint(["test", ".", "e.json", "--format", "json"]).stdout);
    expect(json).toMatchObject({ summary: { passed: 1, failed: 1, unknown: 1 } });
    const junit = lint(["test", ".", "e.json", "--format", "junit", "--output", "junit.xml"]);
    expect(junit).toMatchObject({ status: 1, stdout: "", stderr: "" });
    const xml = textOf("junit.xml");
    expect(xml).toMatch(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites tests="3" failures="1" errors="1">/);
    expect(xml.match(/<testcase /g)).toHaveLength(3);
    expect(xml).toContain('<failure message="expected 200, got 403 (AH01630)">');
    expect(xml.match(/<error message="expected allowed, got unknown \(whether /g)).toHaveLength(1);
  });

  test("fails if the server does not start", () => {
    write({ "broken/httpd.conf": "Optoins None\n", "e.json": expectations({ path: "/", expect: "allowed" }) });
    const ran = lint(["test", "broken", "e.json", "--files", "assume"]);
    expect(ran.status).toBe(1);
    expect(ran.stdout).toContain("httpd will not start\n");
    const xml = lint(["test", "broken", "e.json", "--format", "junit"]).stdout;
    expect(xml).toContain('<testcase classname="httpd-lint" name="httpd starts">\n<failure ');
  });

  test("uses the expectations file in the current directory or next to the configuration", () => {
    expectFailure(lint(["test", "."]), 2, /name FILE: `httpd-lint\.expectations\.json` exists neither/);
    write({ "httpd-lint.expectations.json": expectations(inside) });
    expect(lint(["test", "httpd.conf"]).status).toBe(0);
    write({ "sub/.keep": "" });
    expect(httpdLint(["test", scratch.path], { cwd: at("sub") }).status).toBe(0);
  });

  test.each([
    [["test"], 2, /ENTRY is missing: expected a main file, a virtual host file/],
    [["test", ".", "nowhere.json"], 3, /the expectations file `nowhere\.json` cannot be read/],
    [["test", ".", "httpd.conf"], 2, /`httpd\.conf`: it is not a JSON object/],
    [["test", "nowhere", "e.json"], 3, /`nowhere` cannot be read/],
    [["test", ".", "e.json", "--format", "sarif"], 2, /format/],
  ])("%j fails with one line", (args, status, message) => {
    write({ "e.json": expectations(inside) });
    expectFailure(lint(args), status, message);
  });
});

test("the schemas are valid", () => {
  for (const name of ["explain", "explain-requests", "test", "expectations"]) shippedSchema(name);
});
