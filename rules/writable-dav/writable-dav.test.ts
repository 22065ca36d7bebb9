import { expect, test } from "vitest";
import { findingsOf, onServer, section } from "../../test/support/rules.js";
import { writableDav } from "./writable-dav.js";

const modules = [
  "mod_authz_core",
  "mod_authn_core",
  "mod_authz_host",
  "mod_authz_user",
  "mod_auth_basic",
  "mod_dav",
  "mod_dav_fs",
];
const check = (...lines: readonly string[]) =>
  findingsOf([writableDav], onServer("DavLockDB /var/lock/dav\n", section('Directory "/srv"', ...lines)), { modules });
const user = ["AuthType Basic", "AuthName a", "AuthUserFile /u"];

test("reports a directory that every client can change", () => {
  expect(check("Dav On", "Require all granted")).toEqual([
    {
      rule: "writable-dav",
      severity: "error",
      at: "4:1-4:7",
      text: "Dav On",
      message: "`Dav On` allows every client to write files",
      notes: ["PUT `/index.html` from 203.0.113.9 returns 204"],
      help: [
        "add `Require valid-user` for all methods",
        "to keep reads public, move `Require all granted` into `<Limit GET HEAD OPTIONS>`",
      ],
      related: [],
    },
  ]);
});

test("reports a LimitExcept section beside a Require that allows every client", () => {
  const limit = section("LimitExcept GET HEAD OPTIONS", "Require valid-user").trimEnd();
  expect(check("Dav On", ...user, "Require all granted", limit)).toHaveLength(1);
});

test.each([
  ["Dav Off", ["Dav Off", "Require all granted"]],
  ["a required user", ["Dav On", ...user, "Require valid-user"]],
  ["a required address", ["Dav On", "Require ip 10"]],
  [
    "public reads only",
    [
      "Dav On",
      ...user,
      section("Limit GET HEAD OPTIONS", "Require all granted").trimEnd(),
      section("LimitExcept GET HEAD OPTIONS", "Require valid-user").trimEnd(),
    ],
  ],
  ["only methods that do not write", ["Dav On", "Require all granted", "AllowMethods GET HEAD OPTIONS PROPFIND"]],
])("does not report %s", (_, lines) => {
  expect(check(...lines)).toEqual([]);
});

test("does not report a server without mod_dav, or a server on the loopback address", () => {
  const text = onServer("DavLockDB /x\n", section('Directory "/srv"', "Dav On", "Require all granted"));
  expect(findingsOf([writableDav], text, { modules: ["mod_authz_core"] })).toEqual([]);
  expect(findingsOf([writableDav], `Listen 127.0.0.1:80\n${text}`, { modules })).toEqual([]);
});
