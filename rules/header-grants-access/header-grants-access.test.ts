import { expect, test } from "vitest";
import { findingsOf, onServer, section } from "../../test/support/rules.js";
import { headerGrantsAccess } from "./header-grants-access.js";

const check = (...lines: readonly string[]) => findingsOf([headerGrantsAccess], onServer(`${lines.join("\n")}\n`));
const protectedBy = (...lines: readonly string[]) => section('Directory "/srv"', ...lines).trimEnd();
const agent = 'SetEnvIf User-Agent "^Monitor" known';

test("reports a variable that a header sets", () => {
  expect(check(agent, protectedBy("Require env known"))).toEqual([
    {
      rule: "header-grants-access",
      severity: "warning",
      at: "4:1-4:18",
      text: "Require env known",
      message: "a `User-Agent` header is enough for `Require env known`",
      notes: [
        "GET `/index.html` from 203.0.113.9 with the header `User-Agent: Monitor` returns 200",
        "without the header, the status is 403",
        "clients send any header they like",
      ],
      help: [
        "require a user or a client address, such as `Require ip`; use `RemoteIPHeader` for addresses behind a proxy",
      ],
      related: ["httpd.conf:2:1: the variable is set here"],
    },
  ]);
});

test.each([
  ["BrowserMatch", ["BrowserMatchNoCase monitor known", protectedBy("Require env known")]],
  ["Referer", ['SetEnvIf Referer "example\\.com" known', protectedBy("Require env known")]],
  ["mod_access_compat", [agent, protectedBy("Order deny,allow", "Deny from all", "Allow from env=known")]],
  [
    "a name with a hyphen",
    [
      'SetEnvIf User-Agent "^Monitor" known-host',
      protectedBy("Order deny,allow", "Deny from all", "Allow from env=known-host"),
    ],
  ],
  [
    "a name with a dot",
    ['SetEnvIf User-Agent "^Monitor" a.b', protectedBy('Allow from "env=a.b"', "Order allow,deny")],
  ],
  ["a name in other case", ['SetEnvIf User-Agent "^Monitor" KNOWN-Host', protectedBy("Require env known-host")]],
  [
    "a line of another virtual host before it",
    [
      section("VirtualHost *:80", "ServerName a", 'SetEnvIf Referer "x" known').trimEnd(),
      section("VirtualHost *:80", "ServerName b", agent, section("Location /b", "Require env known")).trimEnd(),
    ],
  ],
  [
    "a directory whose name contains that of a type",
    [agent, section('Directory "/srv/gifts"', "Require env known").trimEnd()],
  ],
  ["an expression", [protectedBy("Require expr \"%{HTTP:X-Forwarded-For} == '192.0.2.1'\"")]],
  ["an expression with a pattern", [protectedBy('Require expr "%{HTTP_REFERER} =~ /example.com/"')]],
  [
    "a user as an alternative",
    [agent, protectedBy("AuthType Basic", "AuthName a", "AuthUserFile /u", "Require valid-user", "Require env known")],
  ],
])("reports %s", (_, lines) => {
  expect(check(...lines)).toHaveLength(1);
});

test.each([
  ["the address of the client", ['SetEnvIf Remote_Addr "^10\\." known', protectedBy("Require env known")]],
  [
    "a denied robot",
    [agent, protectedBy("<RequireAll>", "Require all granted", "Require not env known", "</RequireAll>")],
  ],
  [
    "a variable with a required user",
    [
      agent,
      protectedBy(
        "AuthType Basic",
        "AuthName a",
        "AuthUserFile /u",
        "<RequireAll>",
        "Require valid-user",
        "Require env known",
        "</RequireAll>",
      ),
    ],
  ],
  [
    "a variable with a required address",
    [agent, protectedBy("<RequireAll>", "Require ip 10", "Require env known", "</RequireAll>")],
  ],
  ["a shared secret", [protectedBy("Require expr \"%{HTTP:X-Origin-Key} == 'k3y'\"")]],
  [
    "a variable for images",
    ['SetEnvIf Referer "example\\.com" known', section('FilesMatch "\\.(gif|png)$"', "Require env known").trimEnd()],
  ],
  ["a negated variable", [agent, protectedBy("Order allow,deny", "Allow from env=!known")]],
  ["a directory of images", [agent, section('Directory "/srv/gif"', "Require env known").trimEnd()]],
  ["a section that allows every client", [agent, protectedBy("Require all granted", "Require env known")]],
  ["a variable that is never set", [protectedBy("Require env known")]],
  ["a server on the loopback address", ["Listen 127.0.0.1:80", agent, protectedBy("Require env known")]],
])("does not report %s", (_, lines) => {
  expect(check(...lines)).toEqual([]);
});
