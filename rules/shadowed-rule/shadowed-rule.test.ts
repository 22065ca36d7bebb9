import { describe, expect, test } from "vitest";
import { applyEdits } from "../../src/text/edits.js";
import { findingsOf, type Given, inDirectory, lintText, section } from "../../test/support/rules.js";
import { implicitRequireAny } from "../implicit-require-any/implicit-require-any.js";
import { redundantHostRules } from "../redundant-host-rules/redundant-host-rules.js";
import { shadowedRule } from "./shadowed-rule.js";

const check = (lines: readonly string[], given?: Given) =>
  findingsOf([shadowedRule], inDirectory(...lines), given).map(({ text }) => text);

const overridesInherited = "a `Require` in this section overrides any inherited `Require`";

const all = (...lines: readonly string[]) => ["<RequireAll>", ...lines, "</RequireAll>"];
const any = (...lines: readonly string[]) => ["<RequireAny>", ...lines, "</RequireAny>"];
const limit = (methods: string, ...lines: readonly string[]) => [`<Limit ${methods}>`, ...lines, "</Limit>"];

test("reports a line and the line that shadows it", () => {
  const text = inDirectory("Order allow,deny", "Deny from all", "Allow from 10.0.0.0/8");
  expect(findingsOf([shadowedRule], text)).toEqual([
    {
      rule: "shadowed-rule",
      severity: "warning",
      at: "4:1-4:22",
      text: "Allow from 10.0.0.0/8",
      message: "no client is allowed: `Deny from all` overrides `Allow from 10.0.0.0/8`",
      notes: ["under this `Order`, a `Deny` overrides each `Allow`", overridesInherited],
      help: [
        "to allow only the listed clients, use `Require ip 10.0.0.0/8`",
        "to keep mod_access_compat, use `Order deny,allow`",
        "to deny every client, keep only `Deny from all`",
      ],
      related: ["httpd.conf:3:1: decides instead"],
    },
  ]);
});

test("does not report a section if some of its lines were not read", () => {
  const lines = ["Order allow,deny", "Deny from all", "Allow from 10.0.0.0/8"];
  const fragment: Given = { kind: "fragment" };
  expect(check(lines, fragment)).toEqual(["Allow from 10.0.0.0/8"]);
  expect(check(["Include access.conf", ...lines], fragment)).toEqual([]);
  expect(check(["{{ access }}", ...lines], fragment)).toEqual([]);
  expect(check(["Include access.conf", "# see <Directory>", ...lines], fragment)).toEqual([]);
  const includedOutside = `Include access.conf\n${inDirectory(...lines)}`;
  expect(findingsOf([shadowedRule], includedOutside, fragment)).toHaveLength(1);
  const files = { "/etc/httpd/access.conf": "ServerSignature Off\n" };
  expect(check(["Include access.conf", ...lines], { files })).toEqual(["Allow from 10.0.0.0/8"]);
});

test("does not report `Allow from all` under `Order deny,allow`, a common way to allow every client", () => {
  const severities = (...lines: readonly string[]) =>
    findingsOf([shadowedRule], inDirectory(...lines)).map(({ severity, text }) => [severity, text]);
  expect(severities("Order deny,allow", "Allow from all")).toEqual([]);
  expect(severities("Satisfy any", "Allow from all")).toEqual([]);
  expect(severities("Order deny,allow", "Deny from 10", "Allow from all")).toEqual([["warning", "Deny from 10"]]);
});

describe("a section in which the Order decides for every client", () => {
  const findings = (...lines: readonly string[]) =>
    lintText([shadowedRule], inDirectory(...lines)).map(({ message, notes, help, related, fix }) => ({
      message,
      notes,
      help,
      related: related.map(({ message: label }) => label),
      fix,
    }));

  // 2.4.71 returns 200 to every client.
  test("reports the Allow lines of a section without Deny", () => {
    const note = "`Order deny,allow` allows clients that no line matches";
    expect(findings("Order deny,allow", "Allow from 10", "Allow from 11")).toEqual([
      {
        message: "`Allow from 10` restricts nothing: the section has no `Deny`",
        notes: [note, overridesInherited],
        help: ["to allow only the listed clients, use `Require ip 10 11`, or `Order allow,deny`"],
        related: ["decides instead", "same here"],
        fix: undefined,
      },
    ]);
    const orderOnly = ["to allow only the listed clients, use `Order allow,deny`"];
    // With a Require or Satisfy Any, `Require ip` would not do the same.
    // The only line, which cannot be deleted: without it, inherited lines would apply.
    expect(findings("SetEnvIf X-Country ^(CA|US)$ LISTED", "Allow from env=LISTED")).toMatchObject([
      {
        message: "`Allow from env=LISTED` restricts nothing: the section has no `Deny`",
        help: ["to allow only the listed clients, use `Require env LISTED`, or `Order allow,deny`"],
      },
    ]);
    expect(findings("<Limit GET>", "Allow from 10", "</Limit>")).toEqual([]);
    expect(findings("Satisfy any", "Allow from 10")).toMatchObject([
      { notes: ["the default, `Order deny,allow`, allows clients that no line matches"], help: orderOnly },
    ]);
    expect(findings("Require local", "Allow from 127.0.0.1", "Allow from ::1")).toMatchObject([
      { message: "`Allow from 127.0.0.1` restricts nothing: the section has no `Deny`", help: orderOnly },
    ]);
  });

  // 2.4.71 returns 403 to every client.
  test.each(["allow,deny", "mutual-failure"])("reports Deny without Allow under Order %s", (order) => {
    expect(findings(`Order ${order}`, "Deny from 10")).toEqual([
      {
        message: "`Deny from 10` has no effect: the section has no `Allow`",
        notes: [`\`Order ${order}\` denies clients that no line matches`],
        help: ["to deny only the listed clients, add `Allow from all`"],
        related: ["decides instead"],
        fix: undefined,
      },
    ]);
  });

  test("does not report opposite lines, which decide", () => {
    expect(findings("Order deny,allow", "Allow from 10", "Deny from all")).toEqual([]);
    expect(findings("Order allow,deny", "Deny from 10", "Allow from all")).toEqual([]);
  });

  test("reports one line beside `Allow from all`, which may be the wrong one", () => {
    expect(findings("Order deny,allow", "Allow from 10", "Allow from all")).toMatchObject([
      {
        message: "`Allow from 10` restricts nothing: `Allow from all` allows every client",
        help: [
          "to allow only the listed clients, use `Require ip 10`",
          "to allow every client, keep only `Allow from all`",
        ],
        fix: undefined,
      },
    ]);
  });
});

test.each([
  [
    ["Order deny,allow", "Deny from all", "Allow from 10.0.0.1", "Allow from 10.0.0.2", "Allow from 10.0.0.1 10.0.0.2"],
    "`Allow from 10.0.0.1` and `Allow from 10.0.0.2` decide",
  ],
  [
    any("Require ip 10.0.0.1", "Require ip 10.0.0.2", "Require ip 10.0.0.1 10.0.0.2"),
    "`Require ip 10.0.0.1` and `Require ip 10.0.0.2` decide",
  ],
])("reports each line that shadows a part of another one: %j", (lines, words) => {
  const [finding, ...more] = findingsOf([shadowedRule], inDirectory(...lines));
  expect(finding?.message).toContain("has no effect: other lines always decide");
  expect(finding?.notes).toEqual([`${words} every request that this line matches`]);
  expect(finding?.related).toHaveLength(2);
  expect(more).toEqual([]);
});

describe.each(["2.4", "2.2"] as const)("mod_access_compat directives of %s", (release) => {
  test.each([
    [["Order allow,deny", "Deny from all", "Allow from 10.0.0.0/8"], ["Allow from 10.0.0.0/8"]],
    [["Order deny,allow", "Allow from all", "Deny from 10"], ["Deny from 10"]],
    [["Order deny,allow", "Deny from all", "Allow from 10.1.0.0/16", "Allow from 10"], ["Allow from 10.1.0.0/16"]],
    [["Order deny,allow", "Deny from all", "Allow from 10", "Allow from 10.1 10.2"], ["Allow from 10.1 10.2"]],
    [["Deny from all", "Allow from 10.0/9 10.128/9".replaceAll("/9", ".0.0/9"), "Allow from 10"], ["Allow from 10"]],
    [["Order deny,allow", "Deny from 10.1", "Deny from 10.1"], ["Deny from 10.1"]],
    [["Order allow,deny", "Allow from 2001:db8::/32", "Allow from 2001:db8:1::1"], ["Allow from 2001:db8:1::1"]],
    [["Order deny,allow", "Allow from 10"], ["Allow from 10"]],
    [["Order allow,deny", "Allow from 192.168", "Deny from 10"], ["Deny from 10"]],
    [["Order allow,deny", "Deny from 10"], ["Deny from 10"]],
    [["Order allow,deny", "Deny from all", "Deny from 10"], ["Deny from 10"]],
    [["Order deny,allow", "Order allow,deny", "Allow from 10"], ["Order deny,allow"]],
    [["Allow from 10", "Deny from all", "Satisfy all", "Satisfy any"], ["Satisfy all"]],
    [["Deny from all", "Allow from env=a", "Allow from env=!a"], ["Deny from all"]],
    [["Deny from all", "Allow from .example.org", "Allow from www.example.org"], ["Allow from www.example.org"]],
    [["Deny from all", "Allow from 10", ...limit("GET", "Allow from 10.1")], ["Allow from 10.1"]],
    [
      ["Deny from all", ...limit("GET HEAD", "Allow from 10"), ...limit("HEAD", "Allow from 10.1")],
      ["Allow from 10.1"],
    ],
  ])("reports %j", (lines, expected) => {
    expect(check(lines, { release })).toEqual(expected);
  });

  test.each([
    [["Order deny,allow", "Deny from all", "Allow from 10.0.0.0/8"]],
    [["Order allow,deny", "Allow from all", "Deny from 10"]],
    [["Order mutual-failure", "Allow from 10", "Deny from 10.1"]],
    [["Order deny,allow", "Deny from all", "Allow from 10.0.0.0/8", "Allow from 11.0.0.0/8"]],
    [["Order deny,allow", "Deny from all", "Allow from 10.1", "Allow from 10.0.0.0/255.0.255.0"]],
    [["Order deny,allow", "Deny from 10", "Allow from 10.1"]],
    [["Order allow,deny", "Allow from 10", "Deny from 10.1"]],
    [["Order deny,allow", "Deny from all", "Allow from env=a", "Allow from env=b"]],
    [["Order deny,allow", "Deny from all", "Allow from example.org", "Allow from badexample.org"]],
    [["Deny from all", ...limit("GET", "Allow from 10"), ...limit("POST", "Allow from 10.1")]],
    [["Deny from all", ...limit("GET", "Allow from 10"), "Allow from 10.1"]],
    [[...limit("GET", "Order deny,allow"), ...limit("POST", "Order allow,deny")]],
    // The usual way to deny everybody, and an Order that states the default.
    [["Order allow,deny", "Deny from all"]],
    [["Order allow,deny", "Allow from all"]],
    [["Order deny,allow", "Deny from all", "Satisfy all"]],
    // The last line of its kind overrides the inherited ones.
    [["Allow from all"]],
    [["Allow from none"]],
    [["Order deny,allow"]],
  ])("does not report %j", (lines) => {
    expect(check(lines, { release })).toEqual([]);
  });
});

test("reports lines of a long list", () => {
  const denied = Array.from({ length: 1_000 }, (_, index) => `Deny from 10.${index >> 8}.${index & 255}.0/24`);
  const lines = ["Order allow,deny", "Allow from all", "Deny from 10.1.7.9", ...denied, "Deny from 10.2.0.0/24"];
  expect(check(lines)).toEqual(["Deny from 10.1.7.9", "Deny from 10.2.0.0/24"]);
  expect(check(lines.slice(0, -1).filter((line) => line !== "Deny from 10.1.7.9"))).toEqual([]);
});

test("does not report an Allow on 2.2, where Satisfy does not disable host access control", () => {
  const lines = ["Allow from 10", "Satisfy any"];
  expect(check(lines, { release: "2.4" })).toEqual(["Allow from 10"]);
  expect(check(lines, { release: "2.2" })).toEqual([]);
});

describe("Require", () => {
  test.each([
    [["Require ip 10.0.0.0/8", "Require all granted"], ["Require ip 10.0.0.0/8"]],
    [any("Require all granted", "Require valid-user"), ["Require valid-user"]],
    [all("Require all denied", "Require ip 10"), ["Require ip 10"]],
    [all("Require all granted", "Require ip 10"), ["Require all granted"]],
    [["Require all denied", "Require ip 10"], ["Require all denied"]],
    [["Require ip 10.1", "Require ip 10"], ["Require ip 10.1"]],
    [all("Require ip 10.1", "Require ip 10", "Require valid-user"), ["Require ip 10"]],
    [["Require ip 10", "Require ip 10"], ["Require ip 10"]],
    [["Require user alice", "Require valid-user"], ["Require user alice"]],
    [["Require group staff", "Require valid-user"], ["Require group staff"]],
    [all("Require valid-user", "Require user alice"), ["Require valid-user"]],
    [["Require user alice", "Require user bob alice"], ["Require user alice"]],
    [["Require group staff ops", "Require group ops"], ["Require group ops"]],
    [["Require host www.example.org", "Require host example.org"], ["Require host www.example.org"]],
    [["Require env a b", "Require env b"], ["Require env b"]],
    [["Require local", "Require ip 127.0.0.1 ::1"], ["Require ip 127.0.0.1 ::1"]],
    [["Require expr %{HTTP_HOST} == 'a'", "Require expr %{HTTP_HOST} == 'a'"], ["Require expr %{HTTP_HOST} == 'a'"]],
    [all("Require all granted", "Require not ip 10", "Require not ip 10.1"), ["Require not ip 10.1"]],
    [["Require ip 10", ...all("Require ip 10.1", "Require valid-user")], ["<RequireAll>"]],
    [
      ["Require method GET POST", ...limit("GET", "Require ip 10"), "Require method POST"],
      ["Require ip 10", "Require method POST"],
    ],
  ])("reports %j", (lines, expected) => {
    expect(check(lines)).toEqual(expected);
  });

  test.each([
    [["Require ip 10.0.0.0/8", "Require ip 11.0.0.0/8"]],
    [all("Require ip 10.0.0.0/8", "Require valid-user")],
    [any("Require ip 10.0.0.0/8", "Require valid-user")],
    [["Require user alice", "Require user bob"]],
    [["Require user alice", "Require group staff"]],
    [["Require host example.org", "Require host badexample.org"]],
    [["Require env a", "Require env b"]],
    [["Require local", "Require ip 192.0.2.1"]],
    [["Require expr %{HTTP_HOST} == 'a'", "Require expr %{HTTP_HOST} == 'b'"]],
    [["Require host %{HTTP_HOST}", "Require host %{HTTP_HOST}.org"]],
    [all("Require all granted", "Require not ip 10")],
    [all("Require all granted", "<RequireNone>", "Require ip 10", "Require ip 11", "</RequireNone>")],
    [[...limit("GET", "Require all granted"), ...limit("POST", "Require ip 10")]],
    [[...limit("GET", "Require all granted"), "Require ip 10"]],
    // One denies permanently, the other asks for a password.
    [["Require user nobody-is", "Require ip 10"]],
    // Only negated lines would remain, which the server rejects.
    [all("Require all denied")],
    [["Require all granted"]],
    [["Require all denied"]],
    [["<RequireAny>", "Require ip 10", "</RequireAny>"]],
  ])("does not report %j", (lines) => {
    expect(check(lines)).toEqual([]);
  });

  test("distinguishes status 401 from 403", () => {
    expect(check(all("Require all denied", "Require valid-user"))).toEqual(["Require valid-user"]);
    expect(check(any("Require ip 10", "Require all denied", "Require valid-user"))).toEqual(["Require all denied"]);
    expect(check(all("Require not valid-user", "Require ip 10"))).toEqual([]);
  });

  test("considers lines that may fail before the deciding one", () => {
    expect(check(["Require expr %{HTTP_HOST} -ipmatch '10'", "Require all granted"])).toEqual([]);
    expect(check(["Require all granted", "Require expr %{HTTP_HOST} -ipmatch '10'"])).toHaveLength(1);
  });

  test.each([
    [["Require valid-user", "Require user alice"], ["Require user alice"]],
    [["Require user alice", "Require user bob Alice alice"], ["Require user alice"]],
    [["require group staff", "Require Group ops staff"], ["require group staff"]],
    [["Require valid-user", "Require group staff"], []],
    [["Require user alice", "Require user bob"], []],
    [["Require valid-user", ...limit("GET", "Require user alice")], ["Require user alice"]],
    [[...limit("GET", "Require valid-user"), "Require user alice"], []],
    [["Require file-group", "Require group staff", "Require group staff"], []],
    [["Require valid-user"], []],
  ])("reports for 2.2: %j", (lines, expected) => {
    expect(check(lines, { release: "2.2" })).toEqual(expected);
  });
});

describe("the scope of a check", () => {
  const shadowed = ["Deny from all", "Allow from 10", "Allow from 10.1"];

  test("is a section without inherited lines", () => {
    const text = section('Directory "/"', "Require all granted") + inDirectory("Require ip 10");
    expect(findingsOf([shadowedRule], text)).toEqual([]);
  });

  test("is unknown for the top level of a fragment", () => {
    expect(findingsOf([shadowedRule], shadowed.join("\n"), { kind: "fragment" })).toEqual([]);
    expect(findingsOf([shadowedRule], inDirectory(...shadowed), { kind: "fragment" })).toHaveLength(1);
  });

  test("is the part of a `.htaccess` file that httpd reads", () => {
    expect(findingsOf([shadowedRule], shadowed.join("\n"), { kind: "htaccess" })).toHaveLength(1);
    const files = { "/srv/.htaccess": shadowed.join("\n") };
    const lintFile = (override: string) =>
      findingsOf([shadowedRule], `DocumentRoot "/srv"\n${inDirectory(`AllowOverride ${override}`)}`, { files });
    expect(lintFile("All")).toHaveLength(1);
    expect(lintFile("AuthConfig Nonfatal=Override")).toEqual([]);
  });

  test("includes each section of a file that is included twice", () => {
    const include = (...lines: readonly string[]) => inDirectory("Deny from all", ...lines, "Include a.conf");
    const files = { "/etc/httpd/a.conf": "Allow from 10.1\n" };
    const checkIncludes = (...sections: readonly string[]) =>
      findingsOf([shadowedRule], `ServerRoot "/etc/httpd"\n${sections.join("")}`, { files });
    expect(checkIncludes(include("Allow from 10"), include("Allow from 11"))).toEqual([]);
    expect(checkIncludes(include("Allow from 10"), include("Allow from 10.0.0.0/8"))).toHaveLength(1);
  });

  test("includes each use of a macro", () => {
    const macro = section(
      "Macro Net $net",
      "<Directory /srv>",
      ...shadowed.slice(0, 2),
      "Allow from $net",
      "</Directory>",
    );
    expect(findingsOf([shadowedRule], `${macro}Use Net 10.1\nUse Net 11.1\n`)).toEqual([]);
  });
});

describe("the fix", () => {
  const fixed = (text: string) => lintText([shadowedRule], text).map(({ fix }) => fix && applyEdits(text, fix.edits));

  const summary = (lines: readonly string[], given?: Given) =>
    lintText([shadowedRule], inDirectory(...lines), given).map(({ fix }) => fix && `${fix.title} (${fix.safety})`);

  test("deletes a repeated line: nothing that it names is lost", () => {
    const text = inDirectory("Deny from all", "Allow from 10 11", "    Allow from 10 \\\n  11");
    expect(lintText([shadowedRule], text).map(({ fix }) => fix?.safety)).toEqual(["safe"]);
    expect(fixed(text)).toEqual([inDirectory("Deny from all", "Allow from 10 11")]);
  });

  test("is unsafe if it deletes the only line that names an address or a user", () => {
    const lines = ["Deny from all", "Allow from 10", "Allow from 10.1", "Allow from 10.2"];
    expect(summary(lines)).toEqual(["Delete these lines (unsafe)"]);
    expect(summary(["Require local", "Require ip ::1"])).toEqual(["Delete this line (unsafe)"]);
    expect(summary(["Require all denied", "Require ip 10"])).toEqual(["Delete this line (unsafe)"]);
  });

  test("goes with the comment of the line, which does not prevent it", () => {
    const lines = ["Deny from all", "Allow from 10", "# the office", "Allow from 10.1"];
    expect(fixed(inDirectory(...lines))).toEqual([inDirectory("Deny from all", "Allow from 10")]);
  });

  // The live tests in test/live/intended-fixes.live.test.ts show who is allowed afterwards.
  test.each([
    [
      ["Order allow,deny", "Deny from all", "Allow from 192.0.2.7", "Allow from 192.0.2.8"],
      ["Order deny,allow", "Deny from all", "Allow from 192.0.2.7", "Allow from 192.0.2.8"],
    ],
    [
      ["Order allow,deny", "Deny from all", "Allow from 10", "Deny from 10.9"],
      ["Order allow,deny", "Allow from 10", "Deny from 10.9"],
    ],
    [
      ["Order deny,allow", "Allow from all", "Deny from 192.0.2.7 env=bad"],
      ["Order allow,deny", "Allow from all", "Deny from 192.0.2.7 env=bad"],
    ],
    [
      ["    Allow from all", "    Deny from 192.0.2.7"],
      ["    Order allow,deny", "    Allow from all", "    Deny from 192.0.2.7"],
    ],
    [
      all("  Require all denied", "  Require ip 192.0.2.7", "  Require env office"),
      any("  Require ip 192.0.2.7", "  Require env office"),
    ],
    [all("Require all denied", "Require host example.net"), all("Require host example.net")],
    [
      all("Require all denied", "Require ip 192.0.2.7", "Require valid-user", "Require not ip 192.0.2.9"),
      all("Require ip 192.0.2.7", "Require valid-user", "Require not ip 192.0.2.9"),
    ],
  ])("makes the lines effective: %j", (lines, after) => {
    expect(fixed(inDirectory(...lines)).filter((text) => text !== undefined)).toEqual([inDirectory(...after)]);
    expect(summary(lines)[0]).toMatch(/\(unsafe\)$/);
  });

  test.each([
    ["the line is the only one in a Limit", ["Deny from all", "Allow from 10", ...limit("GET", "Allow from 10.1")]],
    ["the other line grants access to every client", ["Require all granted", "Require ip 10.0.0.0/8"]],
    ["the other line does so in a container", any("Require all granted", "Require valid-user", "Require ip 10")],
    ["it names a user beside `valid-user`", ["Require valid-user", "Require user alice"]],
    ["two lines state the opposite", ["Order deny,allow", "Deny from all", "Allow from all"]],
    ["it denies clients that no line allows", ["Order allow,deny", "Allow from 192.168", "Deny from 10"]],
    ["only the author knows which user is needed", all("Require all denied", "Require user a", "Require group b")],
    ["the line is a container", ["Require ip 10", ...all("Require ip 10.1", "Require valid-user")]],
    [
      "a server with other modules reads other lines",
      ["Deny from all", "<IfModule !mod_a.c>", "Allow from 10", "</IfModule>", "Allow from 10.1"],
    ],
  ])("is not offered if %s", (_, lines) => {
    expect(fixed(inDirectory(...lines))).toEqual([undefined]);
  });

  test("is only that of the contradiction, before which no other line can be judged", () => {
    const lines = ["Order allow,deny", "Deny from all", "Allow from 10", "Deny from 10.9"];
    expect(summary(lines)).toEqual(["Delete `Deny from all` (unsafe)", undefined]);
  });
});

describe("one cause is one finding", () => {
  const messagesOf = (lines: readonly string[], given?: Given) =>
    findingsOf([shadowedRule], inDirectory(...lines), given).map(({ message }) => message);

  test.each([
    [
      all("Require all denied", "Require ip 192.0.2.7", "Require ip 192.0.2.8", "Require host example.net"),
      "no client is allowed: `Require all denied` overrides the other lines",
    ],
    [
      [...all("Require all denied", "Require ip 192.0.2.7"), "Require ip 192.0.2.8"],
      "`Require ip 192.0.2.7` has no effect: `Require all denied` overrides it",
    ],
    [
      any("Require all granted", "Require ip 192.0.2.7", "Require ip 192.0.2.8"),
      "`Require all granted` allows every client: each other line has no effect",
    ],
    [
      ["Require valid-user", "Require user alice", "Require group staff"],
      "`Require user alice` and 1 more have no effect: `Require valid-user` allows every user",
    ],
    [
      ["Order deny,allow", "Allow from all", "Deny from 192.0.2.7", "Deny from 192.0.2.8"],
      "the list of denied clients denies nobody: `Allow from all` overrides it",
    ],
    [
      ["Order allow,deny", "Deny from all", "Allow from 192.0.2.7", "Allow from 192.0.2.8"],
      "no client is allowed: `Deny from all` overrides each `Allow`",
    ],
    [
      ["Satisfy any", "Order allow,deny", "Deny from all", "Allow from 192.0.2.7"],
      "`Allow from 192.0.2.7` has no effect: `Deny from all` overrides it",
    ],
    [
      ["Require local", "Require ip 127.0.0.1", "Require ip ::1"],
      "`Require ip 127.0.0.1` and 1 more have no effect: `Require local` always decides",
    ],
  ])("%j", (lines, message) => {
    expect(messagesOf(lines)).toEqual([message]);
  });

  test("and 2.2 has no `Require ip`", () => {
    const lines = ["Order allow,deny", "Deny from all", "Allow from 192.0.2.7"];
    const helps = findingsOf([shadowedRule], inDirectory(...lines), { release: "2.2" }).flatMap(({ help }) => help);
    expect(helps).toEqual([
      "to keep mod_access_compat, use `Order deny,allow`",
      "to deny every client, keep only `Deny from all`",
    ]);
  });

  test("but two causes are two", () => {
    const lines = ["Deny from all", "Allow from 10", "Allow from 10.1", "Allow from 11", "Allow from 11.1"];
    expect(messagesOf(lines)).toHaveLength(2);
  });
});

describe("more specific rules", () => {
  test("have the only finding of their line", () => {
    const users = ["AuthType Basic", "AuthName x", "AuthUserFile /etc/users", "Require valid-user"];
    const text = `DocumentRoot "/srv"\n${inDirectory(...users, "Allow from all", "Order deny,allow")}`;
    expect(findingsOf([shadowedRule, redundantHostRules], text).map(({ rule }) => rule)).toEqual([
      "redundant-host-rules",
    ]);
  });

  test("have the only finding of the lines that they include", () => {
    const text = inDirectory("Require all granted", "Require ip 10");
    const rules = findingsOf([shadowedRule, implicitRequireAny], text).map(({ rule, text: line }) => [rule, line]);
    expect(rules).toEqual([["implicit-require-any", "Require all granted"]]);
  });
});

test("does not report a Require from a variable that the environment may set", () => {
  const lines = ["<RequireAll>", "Require all ${WHO}", "Require ip 10", "</RequireAll>"];
  expect(lintText([shadowedRule], inDirectory(...lines))).toEqual([]);
});

describe("a RequireAll with lines that contradict each other", () => {
  const container = (...lines: readonly string[]) =>
    findingsOf([shadowedRule], inDirectory(...all(...lines))).map(({ at, message, notes = [] }) => [
      at,
      message,
      ...notes,
    ]);
  const both = (first: string, second: string) => [
    [
      expect.anything(),
      "`<RequireAll>` allows no client",
      `no client meets \`${first}\` and \`${second}\` at the same time`,
    ],
  ];

  test("is reported with both lines", () => {
    const text = inDirectory(...all("Require ip 10.0.0.0/8", "Require ip 192.168.0.0/16"));
    expect(findingsOf([shadowedRule], text)).toMatchObject([
      {
        severity: "warning",
        at: "2:1-2:13",
        help: ["to allow clients that meet one of the lines, use `<RequireAny>`"],
        related: ["httpd.conf:3:1: must hold as well", "httpd.conf:4:1: must hold as well"],
      },
    ]);
  });

  test.each([
    ["Require ip 10.0.0.0/8", "Require ip 192.168.0.0/16"],
    ["Require ip 10.0.0.1 10.0.0.2", "Require ip 2001:db8::/32"],
    ["Require user alice", "Require user bob"],
    ["Require host a.example", "Require host b.example"],
    ["Require method GET", "Require method POST"],
    ["Require ip 192.0.2.5", "Require not ip 192.0.2.0/24"],
    ["Require not env office", "Require env office"],
    ["Require valid-user", "Require not valid-user"],
  ])("is reported for `%s` and `%s`", (first, second) => {
    expect(container(first, second)).toEqual(both(first, second));
  });

  test("is the only finding for its lines", () => {
    expect(container("Require ip 10.0.0.1", "Require valid-user", "Require ip 10.0.0.2")).toEqual(
      both("Require ip 10.0.0.1", "Require ip 10.0.0.2"),
    );
    const nested = container(
      "<RequireAny>",
      "Require ip 10.0.0.1",
      "Require ip 10.0.0.2",
      "</RequireAny>",
      "Require ip 10.0.0.3",
    );
    expect(nested).toHaveLength(1);
  });

  test("is reported in a RequireAny, beside a line that allows clients", () => {
    const lines = any("Require user x", ...all("Require user a", "Require user b"));
    expect(findingsOf([shadowedRule], inDirectory(...lines)).map(({ at }) => at)).toEqual(["4:1-4:13"]);
  });

  test.each([
    ["Require ip 10.0.0.0/8", "Require not ip 10.0.0.1"],
    ["Require ip 10.0.0.0/8", "Require valid-user"],
    ["Require local", "Require ip 10.0.0.0/8"],
    ["Require host a.example", "Require ip 10.0.0.1"],
    ["Require group a", "Require group b"],
    ["Require env a", "Require env b"],
    ["Require expr %{HTTP_HOST} == 'a'", "Require expr %{HTTP_HOST} == 'b'"],
    ["Require not ip 10.0.0.1", "Require all granted"],
  ])("is not reported for `%s` and `%s`", (first, second) => {
    expect(container(first, second)).toEqual([]);
  });
});
