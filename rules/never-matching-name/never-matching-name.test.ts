import { describe, expect, test } from "vitest";
import { findingsOf, type Given, inDirectory, lintText } from "../../test/support/rules.js";
import { neverMatchingName } from "./never-matching-name.js";

const check = (line: string, given?: Given) =>
  findingsOf([neverMatchingName], inDirectory(line), given).map(({ severity, text }) => [severity, text]);

describe("a word that never matches", () => {
  test.each([
    ["Allow from 10.0.0.1,10.0.0.2", "warning", "10.0.0.1,10.0.0.2"],
    ["Allow from 10.0.0.1, 10.0.0.2", "warning", "10.0.0.1,"],
    ["Deny from a.example, b.example", "error", "a.example,"],
    ["Deny from 127.0.0.1-127.0.0.9", "error", "127.0.0.1-127.0.0.9"],
    ["Require host 10.0.0.0-10.0.0.9", "warning", "10.0.0.0-10.0.0.9"],
    ['Deny from "127.0.0.1 127.0.0.2"', "error", '"127.0.0.1 127.0.0.2"'],
    ["Deny from 127.0.0.1;127.0.0.2", "error", "127.0.0.1;127.0.0.2"],
    ["Require user alice;bob", "warning", "alice;bob"],
    ["Require user *", "warning", "*"],
    ["Require group *", "warning", "*"],
    ["Allow from none", "info", "none"],
    ["Deny from env", "error", "env"],
    ["Allow from @lan", "warning", "@lan"],
    ["Deny from all,", "error", "all,"],
    ["Allow from *.example.org", "warning", "*.example.org"],
    ["Deny from *", "error", "*"],
    ["Require host 127.0.0.1", "warning", "127.0.0.1"],
    ["Require host 10.0.0.0/8", "warning", "10.0.0.0/8"],
    ["Require host ::1", "warning", "::1"],
    ["Require host a.example,b.example", "warning", "a.example,b.example"],
    ["Require host *.example.org", "warning", "*.example.org"],
    ["Require host http://example.org/", "warning", "http://example.org/"],
    ["Require host all", "warning", "all"],
    ["Require forward-dns a.example,b.example", "warning", "a.example,b.example"],
    ["Require user alice, bob", "warning", "alice,"],
    ["Require group staff,admins", "warning", "staff,admins"],
    ["Require valid-user alice", "error", "alice"],
    ["Require env !bot", "warning", "!bot"],
    ["<RequireAll>\nRequire all granted\nRequire not host 10.1.2.3\n</RequireAll>", "error", "10.1.2.3"],
  ])("reports %s", (line, severity, text) => {
    expect(check(line)).toEqual([[severity, text]]);
  });

  test.each([
    "Allow from 10.0.0.1 10.0.0.2",
    "Deny from none",
    "Deny from env=bad",
    "Allow from a-1.example-2.org",
    'Allow from "10.0.0.1"',
    'Require user "Doe; John" "John Doe" a*',
    "Require user @lan",
    "Require host none.example",
    "Deny from env=a,b",
    "Require host example.org .example.net localhost",
    "Require forward-dns 10.0.0.1",
    'Require user "Doe, John"',
    "Require ldap-group cn=a,dc=b",
    "Require ip 10.0.0.1,10.0.0.2",
    "Require env a,b",
    "<RequireAll>\nRequire all granted\nRequire not env bot\n</RequireAll>",
    "Require valid-user",
    "Require valid-user # all of them",
    "Require host {{ host }} @HOST@ %HOST%",
    "Order allow,deny",
  ])("does not report %s", (line) => {
    expect(check(line)).toEqual([]);
  });

  test.each([
    ["Allow from 10.*", "use `10`"],
    ["Allow from 10.1.*.*", "use `10.1`"],
    ["Require host 10.1.2.*", "use `Require ip 10.1.2`"],
    ["Allow from 300.*", "use a domain, or `all`"],
    ["Allow from 10.*.1", "use a domain, or `all`"],
    ["Allow from *.example.org", "use `.example.org` for the whole domain"],
  ])("suggests a replacement for %s", (line, remedy) => {
    const [finding] = findingsOf([neverMatchingName], inDirectory(line));
    expect(finding?.help).toEqual([remedy]);
  });

  test("reports the effect and the reason", () => {
    expect(findingsOf([neverMatchingName], inDirectory("Deny from a,b"))).toMatchObject([
      {
        message: "`a,b` never matches and denies nobody",
        notes: ["commas do not separate arguments"],
        help: ["use spaces instead"],
      },
    ]);
    expect(findingsOf([neverMatchingName], inDirectory("Require host 127.0.0.1"))).toMatchObject([
      {
        message: "`127.0.0.1` never matches and allows nobody",
        notes: ["`Require host` compares host names, not addresses"],
        help: ["use `Require ip 127.0.0.1`"],
      },
    ]);
    expect(findingsOf([neverMatchingName], inDirectory("Require valid-user alice"))).toMatchObject([
      {
        message: "`Require valid-user` ignores `alice`",
        notes: ["every user with a password is allowed, not only `alice`"],
        help: ["use `Require user` with the names"],
      },
    ]);
  });

  test("reports only providers of 2.2 for 2.2", () => {
    expect(check("Allow from a,b\nRequire user a, b\nRequire host 127.0.0.1", { release: "2.2" })).toEqual([
      ["warning", "a,b"],
      ["warning", "a,"],
    ]);
  });
});

test.each([
  ["Allow from a,b", "a b"],
  ["Require user alice, bob", "alice"],
  ["Require host 127.0.0.1", undefined],
  ["Deny from ,", undefined],
])("fixes %s", (line, text) => {
  expect(lintText([neverMatchingName], inDirectory(line))[0]?.fix?.edits[0]?.text).toBe(text);
});
