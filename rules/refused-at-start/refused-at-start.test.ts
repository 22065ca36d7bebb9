import { describe, expect, test } from "vitest";
import { findingsOf, type Given, inDirectory } from "../../test/support/rules.js";
import { implicitRequireAny } from "../implicit-require-any/implicit-require-any.js";
import { mixedAccessControl } from "../mixed-access-control/mixed-access-control.js";
import { oldAccessControl } from "../old-access-control/old-access-control.js";
import { refusedAtStart } from "./refused-at-start.js";

const seen = (text: string, given?: Given) =>
  findingsOf([refusedAtStart], text, given).map(({ at, text: underlined, message }) => [
    at,
    underlined,
    /\(httpd: "(.*)"\)$/.exec(message)?.[1],
  ]);

describe("refuses with httpd's own words", () => {
  test.each([
    ["Require Valid-User", "2:9-2:19", "Valid-User", "Unknown Authz provider: Valid-User"],
    ["Require bogus x", "2:9-2:14", "bogus", "Unknown Authz provider: bogus"],
    ["Require", "2:1-2:8", "Require", "Unknown Authz provider: "],
    ["Require all allowed", "2:13-2:20", "allowed", "Argument for 'Require all' must be 'granted' or 'denied'"],
    ["Require ip 10.1 example.org", "2:17-2:28", "example.org", "ip address 'example.org' appears to be invalid"],
    [
      "Require ip 127/8",
      "2:12-2:17",
      "127/8",
      "ip address '127/8' appears to be invalid: The specified IP address is invalid.",
    ],
    ["Require ip", "2:1-2:11", "Require ip", "'require ip' requires an argument"],
    ["Require method get", "2:16-2:19", "get", "Invalid Method 'get'"],
    ["Require not ip 10", "2:9-2:12", "not", "negative Require directive has no effect in <RequireAny> directive"],
    [
      "Order deny, allow",
      "2:1-2:18",
      "Order deny, allow",
      "order takes one argument, 'allow,deny', 'deny,allow', or 'mutual-failure'",
    ],
    ["Order denny,allow", "2:7-2:18", "denny,allow", "unknown order"],
    ["Allow 10.1 all", "2:7-2:11", "10.1", "allow and deny must be followed by 'from'"],
    [
      "Deny from",
      "2:1-2:10",
      "Deny from",
      "deny requires at least two arguments, 'from' followed by hostnames or IP-address wildcards",
    ],
    ["Deny from 10.1.2.3.4", "2:11-2:21", "10.1.2.3.4", "The specified IP address is invalid."],
    ["Deny from 10.1.2.3/33", "2:11-2:22", "10.1.2.3/33", "The specified network mask is invalid."],
    ["Allow from 10.1 # x y", "2:17-2:22", "# x y", "No comments are allowed here"],
    ["Satisfy both", "2:9-2:13", "both", "Satisfy either 'any' or 'all'."],
    [
      "Options Indexes +MultiViews",
      "2:1-2:28",
      "Options Indexes +MultiViews",
      "Either all Options must start with + or -, or no Option may.",
    ],
    [
      "AuthUserFile users standard",
      "2:1-2:28",
      "AuthUserFile users standard",
      "AuthUserFile takes one argument, text file containing user IDs and passwords",
    ],
    ["AuthMerging xor", "2:13-2:16", "xor", "AuthMerging must be one of: Off | And | Or"],
    [
      "<RequireAll>\n</RequireAll>",
      "2:1-2:13",
      "<RequireAll>",
      "<RequireAll> directive contains no authorization directives",
    ],
    [
      "<RequireAny x>\nRequire local\n</RequireAny>",
      "2:1-2:15",
      "<RequireAny x>",
      "<RequireAny> directive doesn't take additional arguments",
    ],
    [
      "<RequireNone>\nRequire local\n</RequireNone>",
      "2:1-2:14",
      "<RequireNone>",
      "<RequireNone> directive has no effect in <RequireAny> directive",
    ],
    [
      "<RequireAll>\nRequire not local\n</RequireAll>",
      "2:1-2:13",
      "<RequireAll>",
      "<RequireAll> directive contains only negative authorization directives",
    ],
    ["<Limit TRACE>\n</Limit>", "2:8-2:13", "TRACE", "TRACE cannot be controlled by <Limit>, see TraceEnable"],
  ])("%s", (line, at, underlined, words) => {
    expect(seen(inDirectory(line))).toEqual([[at, underlined, words]]);
  });

  test("at the level of the server: flags, Listen", () => {
    expect(seen("KeepAlive 5\nListen 80\nListen *:80\n").map((each) => [each[0], each[2]])).toEqual([
      ["1:11-1:12", "KeepAlive must be On or Off"],
      ["3:1-3:12", "Cannot define multiple Listeners on the same IP:port"],
    ]);
  });

  test("a Require word whose module is not loaded", () => {
    const modules = ["authz_core_module", "authz_host_module"];
    expect(seen(inDirectory("Require valid-user"), { modules })).toEqual([
      ["2:9-2:19", "valid-user", "Unknown Authz provider: valid-user"],
    ]);
    expect(seen(inDirectory("Require ip 10"), { modules })).toEqual([]);
  });
});

describe("stays quiet where the server starts", () => {
  test.each([
    ["Require valid-user"],
    ["Require ALL-granted\n".replace("ALL-", "all ")],
    ["Require all GRANTED"],
    ["Require ip 10.1 10.2. 2001:db8::/32 10.0.0.0/255.0.255.0"],
    ["Require method GET HEAD"],
    ["Require host # x"],
    ["Require env"],
    ["<RequireAll>\nRequire all granted\nRequire not ip 10\n</RequireAll>"],
    ["<RequireAll>\nRequire all granted\n<RequireNone>\nRequire ip 10\n</RequireNone>\n</RequireAll>"],
    ["Order Deny,Allow"],
    ['Order "deny,allow"'],
    ["Allow FROM 010.1.2.3 env=# none a,b *"],
    ["Deny from 127.0.0.0/8"],
    ["Satisfy ANY"],
    ["Options None Indexes".replace(" Indexes", "")],
    ["Options All -Indexes"],
    ["<Limit FOO>\nRequire method FOO\n</Limit>"],
  ])("%s", (line) => {
    expect(seen(inDirectory(line))).toEqual([]);
  });

  test("inside a guard that does not hold", () => {
    expect(seen(inDirectory("<IfModule mod_nope.c>\nRequire Bogus\n</IfModule>"))).toEqual([]);
  });

  test("behind an alias of that name, not before it", () => {
    const alias = "<AuthzProviderAlias ip office 10.1>\n</AuthzProviderAlias>\n";
    expect(seen(alias + inDirectory("Require office"))).toEqual([]);
    expect(seen(inDirectory("Require office") + alias)).toHaveLength(1);
    expect(seen(alias + inDirectory("Require Office"))).toHaveLength(1);
  });

  test("at the top of a fragment, which may stand in a container", () => {
    expect(seen("Require not ip 10.1\n", { kind: "fragment" })).toEqual([]);
    expect(seen("Require not ip 10.1/33\n", { kind: "fragment" })).toHaveLength(1);
  });

  test("about words that an unknown module may bring", () => {
    const modules = ["authz_core_module", "nobody_knows_module"];
    expect(seen(inDirectory("Require bogus"), { modules })).toEqual([]);
    expect(seen(inDirectory("Require VALID-USER"), { modules })).toHaveLength(1);
  });

  test("on 2.2 about what only 2.4 looks at", () => {
    const given = { release: "2.2" } as const;
    expect(
      seen(inDirectory("Require bogus", "Require", "Allow from 10.1 # x", "Options Indexes +MultiViews"), given),
    ).toEqual([]);
    expect(seen(inDirectory("Order nope", "Deny from 127/8"), given)).toHaveLength(2);
  });

  test("where the directive is misplaced, which is another rule's finding", () => {
    expect(seen("Require Bogus\nOrder nope\n")).toEqual([]);
  });
});

describe("one cause gives one finding", () => {
  const rules = [implicitRequireAny, mixedAccessControl, oldAccessControl, refusedAtStart];
  const found = (...lines: readonly string[]) =>
    findingsOf(rules, inDirectory(...lines)).map((each) => `${each.at.split(":")[0]} ${each.rule}`);

  test.each([
    ["Order deny, allow", "Deny from all"],
    ["Satisfy both", "Deny from all"],
    ["Order denny,allow", "Require all granted"],
    ["Require ip 10.1/33", "Require valid-user"],
    ["Require method get", "Require valid-user"],
  ])("%s, %s", (...lines) => {
    expect(found(...lines)).toEqual(["2 refused-at-start"]);
  });

  test("twin: what is said of another line stays", () => {
    expect(found("Deny from all", "Satisfy both")).toEqual(["2 old-access-control", "3 refused-at-start"]);
    expect(found("Require all granted", "Order denny,allow")).toEqual(["3 refused-at-start"]);
    expect(found("Require ip 10", "Require Valid-User", "Require valid-user")).toEqual([
      "2 implicit-require-any",
      "3 refused-at-start",
    ]);
  });
});

test("a file that is not there, a macro that is not defined", () => {
  const findings = findingsOf([refusedAtStart], 'Include "/nope/x.conf"\nUse nope\n');
  expect(findings.map(({ at, severity }) => [at, severity])).toEqual([
    ["1:1-1:23", "error"],
    ["2:1-2:9", "error"],
  ]);
});

describe("a fragment, which may be for another machine", () => {
  const inFragment = (text: string, files: Given["files"] = {}) =>
    findingsOf([refusedAtStart], text, { kind: "fragment", files });

  test.each([
    ["Include /etc/httpd/nope.conf", "`/etc/httpd/nope.conf` cannot be included: it does not exist"],
    ['Include "/etc/httpd/*.nope"', "the wildcard `*.nope` matches nothing in `/etc/httpd`"],
    ["Include /etc/nope/*.conf", "the directory `/etc/nope` cannot be listed: it does not exist"],
  ])("%s: is no more than a note", (line, reason) => {
    expect(inFragment(`${line}\n`)).toMatchObject([
      {
        at: `1:1-1:${line.length + 1}`,
        severity: "info",
        message: `${reason} on this machine, so what it holds is not looked at, and a server without it does not start; name a copy of the server's files with --sysroot`,
      },
    ]);
  });

  test("files that include each other stop any server", () => {
    const files = { "/etc/httpd/a.conf": "Include /etc/httpd/a.conf\n" };
    expect(inFragment("Include /etc/httpd/a.conf\n", files)).toMatchObject([{ severity: "error" }]);
  });

  test("twin: where a relative path starts is not known, and IncludeOptional may miss", () => {
    expect(inFragment("Include x.conf\n")).toEqual([]);
    expect(inFragment("IncludeOptional /nope/x.conf\n")).toEqual([]);
    expect(inFragment("Include /etc/httpd/a.conf\n", { "/etc/httpd/a.conf": "Listen 80\n" })).toEqual([]);
  });
});

test("a `.htaccess` file answers 500, but for a RequireAll that only takes away", () => {
  const given = { kind: "htaccess" } as const;
  expect(findingsOf([refusedAtStart], "Require Bogus\n", given)[0]?.message).toContain(
    "every request below answers 500",
  );
  const [finding] = findingsOf([refusedAtStart], "<RequireAll>\nRequire not ip 10\n</RequireAll>\n", given);
  expect(finding?.severity).toBe("warning");
  expect(seen("<Limit get>\nRequire local\n</Limit>\n", given)[0]?.[2]).toBe(
    "Could not register method 'get' for <Limit from .htaccess configuration",
  );
});

test("a ServerRoot that is not here belongs to another machine, and so do the files that are missing", () => {
  const text = "ServerRoot /nope\nInclude a.conf\nInclude /b.conf\nOrder x\n";
  const found = findingsOf([refusedAtStart], text).map(({ at, severity, message }) => [at, severity, message]);
  expect(found).toEqual([
    [
      "1:1-1:17",
      "info",
      "the ServerRoot `/nope` is no directory on this machine, so what lies below it is not looked at, and a server without it does not start; correct the path, or name with --server-root where its files lie",
    ],
    ["3:1-3:16", "info", expect.stringMatching(/^`\/b.conf` cannot be included: it does not exist on this machine/)],
  ]);
});
