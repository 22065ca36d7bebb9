import { expect, test } from "vitest";
import { findingsOf, section } from "../../test/support/rules.js";
import { encodedSlashGuard } from "./encoded-slash-guard.js";

const proxied = 'ProxyPass "/" "http://192.0.2.9/"';
const guarded = section('Location "/private"', "Require ip 192.0.2.1");
const noDecode = "AllowEncodedSlashes NoDecode";
const check = (...lines: readonly string[]) => findingsOf([encodedSlashGuard], `${lines.join("\n")}\n`);

test("reports a path of a backend", () => {
  expect(check(noDecode, proxied, guarded)).toEqual([
    {
      rule: "encoded-slash-guard",
      severity: "warning",
      at: "3:1-3:22",
      text: '<Location "/private">',
      message: '`<Location "/private">` is bypassed by an encoded slash',
      notes: [
        "GET `/private/x` from 203.0.113.9 returns 403",
        "GET `/private%2fx` from 203.0.113.9 returns 200 from the backend, if the backend decodes `%2f`",
      ],
      help: [
        "delete `AllowEncodedSlashes NoDecode`, or use `<LocationMatch>` with a pattern that ends in `(/|%2[fF]|$)`",
      ],
      related: ["httpd.conf:1:1: allows the encoded slash"],
    },
  ]);
});

test.each([
  ["a backend with nocanon", [noDecode, `${proxied} nocanon`, guarded]],
  ["a path with a slash at the end", [noDecode, proxied, section('Location "/private/"', "Require ip 192.0.2.1")]],
  ["a virtual host", [section("VirtualHost *:80", noDecode, proxied), guarded]],
  ["a condition", [noDecode, proxied, section("Location /a", section('If "true"', "Require all denied"))]],
])("reports %s", (_, lines) => {
  expect(check(...lines)).toHaveLength(1);
});

test.each([
  ["the default of AllowEncodedSlashes", [proxied, guarded]],
  ["slashes that are decoded", ["AllowEncodedSlashes On", proxied, guarded]],
  [
    "a pattern with the encoded slash",
    [noDecode, proxied, section('LocationMatch "^/private(/|%2[fF]|$)"', "Require all denied")],
  ],
  ["files", [noDecode, 'DocumentRoot "/srv"', section("Directory /srv", "Require all granted"), guarded]],
  ["a section for the whole site", [noDecode, proxied, section('Location "/"', "Require ip 192.0.2.1")]],
  ["a section that allows every client", [noDecode, proxied, section('Location "/a"', "Require all granted")]],
  ["a backend for this path only", [noDecode, 'ProxyPass "/private/" "http://192.0.2.9/"', guarded]],
  ["a server on the loopback address", ["Listen 127.0.0.1:80", noDecode, proxied, guarded]],
])("does not report %s", (_, lines) => {
  expect(check(...lines)).toEqual([]);
});
