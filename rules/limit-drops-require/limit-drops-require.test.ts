import { describe, expect, test } from "vitest";
import { findingsOf, inDirectory, onServer, section } from "../../test/support/rules.js";
import { limitDropsRequire } from "./limit-drops-require.js";

const check = (...sections: readonly string[]) => findingsOf([limitDropsRequire], onServer(...sections));
const login = ["AuthType Basic", "AuthName x", "AuthUserFile /etc/users"];
const limited = (tag: string, ...lines: readonly string[]) => section(tag, ...lines).trimEnd();
const inDav = (...lines: readonly string[]) => section('Directory "/srv/dav"', ...lines);
const denied = inDirectory("Require all denied");

/** Returns the allowed request, and the rule that it bypasses. */
const findBypasses = (...sections: readonly string[]) =>
  check(...sections).map(({ message, notes = [] }) => [
    /^(.* from \S+) /.exec(notes[1] ?? "")?.[1],
    /discards inherited (.*) for other methods$/.exec(message)?.[1],
  ]);

test("reports discarded outer rules that deny the excepted method", () => {
  expect(check(denied, inDav(...login, limited("LimitExcept GET", "Require valid-user")))).toEqual([
    {
      rule: "limit-drops-require",
      severity: "warning",
      at: "9:1-9:18",
      text: "<LimitExcept GET>",
      message: "`<LimitExcept GET>` discards inherited `Require all denied` for other methods",
      notes: [
        "a section with its own `Require` lines does not inherit any",
        expect.stringMatching(/^GET `\/dav\/index\.html` from 203\.0\.113\.9 is /),
      ],
      // With `AuthMerging And`, nobody would be allowed.
      help: ["add `<Limit GET>` with `Require all denied` for the other methods"],
      related: ["httpd.conf:3:1: not inherited"],
    },
  ]);
});

describe("reports a request", () => {
  test("with a method outside of the Limit section", () => {
    expect(findBypasses(denied, inDav(...login, limited("Limit POST", "Require valid-user")))).toEqual([
      ["GET `/dav/index.html` from 203.0.113.9", "`Require all denied`"],
    ]);
    expect(findBypasses(denied, inDav(...login, limited("Limit GET POST", "Require valid-user")))).toEqual([
      ["PUT `/dav/index.html` from 203.0.113.9", "`Require all denied`"],
    ]);
  });

  test("that bypasses an outer Require for addresses", () => {
    const outer = inDirectory("Require ip 192.0.2.0/24");
    expect(findBypasses(outer, inDav(...login, limited("Limit POST", "Require valid-user")))).toEqual([
      ["GET `/dav/index.html` from 203.0.113.9", "`Require ip 192.0.2.0/24`"],
    ]);
  });
});

describe("does not report", () => {
  test.each<[string, readonly string[]]>([
    [
      "a Require beside the Limit section",
      [denied, inDav(...login, limited("Limit POST", "Require valid-user"), "Require all denied")],
    ],
    [
      "a section for each method",
      [
        denied,
        inDav(...login, limited("Limit POST", "Require valid-user"), limited("LimitExcept POST", "Require all denied")),
      ],
    ],
    [
      "an outer section that allows every client",
      [inDirectory("Require all granted"), inDav(...login, limited("Limit POST", "Require valid-user"))],
    ],
    ["a section without an outer one", [inDav(...login, limited("Limit POST", "Require valid-user"))]],
    ["AuthMerging And", [denied, inDav("AuthMerging And", ...login, limited("Limit POST", "Require valid-user"))]],
    ["a section without Limit", [denied, inDav(...login, "Require valid-user")]],
    [
      "mod_access_compat directives that deny the other methods",
      [denied, inDav(...login, limited("Limit POST", "Require valid-user"), "Order allow,deny", "Deny from all")],
    ],
  ])("%s", (_, sections) => {
    expect(check(...sections)).toEqual([]);
  });
});
