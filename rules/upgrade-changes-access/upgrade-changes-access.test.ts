import { describe, expect, test } from "vitest";
import { findingsOf, type Given, inDirectory, lintText, onServer, section } from "../../test/support/rules.js";
import { upgradeChangesAccess } from "./upgrade-changes-access.js";

const open = inDirectory("Order allow,deny", "Allow from all");
const found = (text: string, given: Given = { from: "2.2" }) =>
  findingsOf([upgradeChangesAccess], onServer(text), given);
const told = (text: string) =>
  found(text).map(({ severity, text: line, message }) => `${severity}: ${line}: ${message}`);

describe("what the upgrade changes is told at the line that causes it", () => {
  test("somebody gets in who did not: an error", () => {
    const text = open + section("Location /x", "Deny from all", "Satisfy any");
    expect(told(text)).toEqual([
      "error: Satisfy any: GET `/x` from 203.0.113.7 gets 403 on 2.2 by `Deny from all`, and is let in on 2.4 by `Satisfy any`; say with Require who is to get in, and see `httpd-lint compare` for whom else it is so",
    ]);
    expect(found(text)[0]?.related).toEqual(["httpd.conf:7:1: decides on 2.2"]);
  });

  test("somebody is kept out who was not: a warning", () => {
    const text =
      open +
      section(
        "Location /x",
        "AuthType Basic",
        "AuthName x",
        "AuthUserFile u",
        "Require valid-user",
        "Order deny,allow",
        "Deny from all",
        "Allow from 10.0.0.0/8",
        "Satisfy any",
      );
    const inner = section("Location /x/y", "Order allow,deny", "Allow from all");
    expect(told(text)).toEqual([]);
    expect(told(text + inner)).toEqual([
      "warning: Require valid-user: GET `/x/y` from 203.0.113.7 is let in on 2.2 by `Allow from all`, and gets 401 on 2.4 by `Require valid-user`; say with Require who is to get in, and see `httpd-lint compare` for whom else it is so",
    ]);
  });

  test("what was 500 is told of at the line that 2.2 cannot decide by", () => {
    const told500 = (line: string) => found(section("Location /x", line)).map(({ severity, text }) => [severity, text]);
    expect(told500("Require all denied")).toEqual([["info", "Require all denied"]]);
    expect(told500("Require all granted")).toEqual([["warning", "Require all granted"]]);
  });

  test("a line of a .htaccess file", () => {
    const files = { "/srv/.htaccess": "Deny from all\nSatisfy any\n" };
    const text = onServer(inDirectory("AllowOverride All"));
    const all = lintText([upgradeChangesAccess], text, { from: "2.2", files });
    expect(all.map(({ span }) => span.file.path)).toEqual(["/srv/.htaccess"]);
  });
});

describe("quiet", () => {
  test("where both answer alike", () => {
    expect(told(open)).toEqual([]);
    expect(told(open + section("Location /x", "Order deny,allow", "Deny from all", "Allow from 10.0.0.0/8"))).toEqual(
      [],
    );
  });

  test("where nobody says that the configuration comes from 2.2", () => {
    const text = open + section("Location /x", "Deny from all", "Satisfy any");
    expect(found(text, {})).toEqual([]);
  });

  test("on a fragment that was written for 2.4", () => {
    const lines = ["AuthType Basic", "AuthName x", "AuthUserFile /u", "Require local", "Require valid-user"];
    for (const text of [section("Location /x", ...lines), section("Location /x", "Require all granted")])
      expect(findingsOf([upgradeChangesAccess], text, { kind: "fragment", from: "2.2" })).toEqual([]);
  });
});

test("what cannot be proved is told, too", () => {
  const text = open + section('LocationMatch "^/(?!public)"', "Deny from all", "Satisfy any");
  expect(told(text)).toContainEqual(
    expect.stringMatching(/^info: .*: it is not proved that 2\.2 and 2\.4 answer alike here: /),
  );
});
