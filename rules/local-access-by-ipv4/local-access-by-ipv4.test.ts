import { describe, expect, test } from "vitest";
import { findingsOf } from "../../test/support/rules.js";
import { localAccessByIpv4 } from "./local-access-by-ipv4.js";

const modules = "access_compat authz_core authz_host authz_user authn_core authn_file auth_basic remoteip status".split(
  " ",
);
const loaded = modules.map((name) => `LoadModule ${name}_module modules/mod_${name}.so\n`).join("");

/** Returns the findings in a section of a server. */
function found(
  section: readonly string[],
  listen: readonly string[] = ["Listen 80"],
  host?: string,
): readonly string[] {
  const lines = ["<Location /server-status>", ...section, "</Location>"];
  const placed = host === undefined ? lines : [`<VirtualHost ${host}>`, ...lines, "</VirtualHost>"];
  const text = `ServerRoot /etc/httpd\n${loaded}${[...listen, 'DocumentRoot "/srv"', ...placed, ""].join("\n")}`;
  return findingsOf([localAccessByIpv4], text).map(({ text: span, message }) => `${span}: ${message}`);
}

const compat = ["Order deny,allow", "Deny from all", "Allow from 127.0.0.1"];

describe("reports an address of the machine itself without the other one", () => {
  test("in mod_access_compat directives", () => {
    const message = "`Allow from 127.0.0.1` does not allow local programs with the address `::1`";
    expect(found(compat)).toEqual([`127.0.0.1: ${message}`]);
  });
  test.each([
    ["Order allow,deny", "Allow from 127.0.0.1"],
    ["Order deny,allow", "Deny from all", "Allow from 127.0.0.0/8"],
    ["Order deny,allow", "Deny from all", "Allow from 127"],
    ["Order deny,allow", "Deny from all", "Allow from 127.0.0.1 127.0.0.2"],
    ["Require ip 127.0.0.1"],
    ["Require ip 127.0.0.1/32"],
    ["<RequireAny>", "Require ip 127.0.0.1", "</RequireAny>"],
    ["AuthType Basic", "AuthName x", "AuthUserFile /etc/u", "<RequireAll>"].concat([
      ...["Require ip 127.0.0.1", "Require valid-user", "</RequireAll>"],
    ]),
  ])("%s", (...section) => {
    expect(found(section)).toHaveLength(1);
  });
  test.each([["Listen 80"], ["Listen [::]:80"], ["Listen [::1]:80"], ["Listen 127.0.0.1:80", "Listen [::1]:80"]])(
    "with %s",
    (...listen) => {
      expect(found(compat, listen)).toHaveLength(1);
    },
  );
  test.each([["*:80"], ["_default_:80"], ["[::1]:80"]])("in the virtual host %s", (host) => {
    expect(found(compat, ["Listen 80"], host)).toHaveLength(1);
  });
  test("in a file on its own", () => {
    const text = "<Location /status>\nSetHandler server-status\nRequire ip 127.0.0.1\n</Location>\n";
    expect(findingsOf([localAccessByIpv4], text, { kind: "fragment" }).map((each) => each.text)).toEqual(["127.0.0.1"]);
  });
  test("in a .htaccess file", () => {
    const text = "Order deny,allow\nDeny from all\nAllow from 127.0.0.1\n";
    expect(findingsOf([localAccessByIpv4], text, { kind: "htaccess" }).map((each) => each.text)).toEqual(["127.0.0.1"]);
  });
});

describe("does not report", () => {
  test.each([
    ["both addresses", ["Order deny,allow", "Deny from all", "Allow from 127.0.0.1 ::1"]],
    ["both addresses on two lines", [...compat, "Allow from ::1"]],
    ["Require local", ["Require local"]],
    ["Require local beside it", ["Require ip 127.0.0.1", "Require local"]],
    ["both addresses of Require", ["Require ip 127.0.0.1 ::1"]],
    ["clients elsewhere", ["Require ip 127.0.0.1 192.0.2.0/24"]],
    ["the name of the machine", [...compat, "Allow from localhost"]],
    ["another address", ["Require ip 192.0.2.1"]],
    ["every client", ["Order deny,allow", "Allow from 127.0.0.1"]],
    ["no client", ["Order allow,deny", "Deny from all", "Allow from 127.0.0.1"]],
    ["a denied address", ["Order allow,deny", "Allow from all", "Deny from 127.0.0.1"]],
    ["a negated address", ["<RequireAll>", "Require all granted", "Require not ip 127.0.0.1", "</RequireAll>"]],
    [
      "users elsewhere",
      ["Satisfy any", ...compat, "AuthType Basic", "AuthName x", "AuthUserFile /u", "Require valid-user"],
    ],
  ])("%s", (_, section) => {
    expect(found(section)).toEqual([]);
  });
  test.each([["Listen 127.0.0.1:80"], ["Listen 0.0.0.0:80"], ["Listen 192.0.2.1:80"], ["Listen [2001:db8::1]:80"]])(
    "%s",
    (...listen) => {
      expect(found(compat, listen)).toEqual([]);
    },
  );
  test("the address of a proxy", () => {
    const proxy = ["RemoteIPHeader X-Forwarded-For", "RemoteIPInternalProxy 127.0.0.1", "Listen 80"];
    expect(found(["Require ip 10.0.0.0/8"], proxy)).toEqual([]);
  });
  test("a port that listens only on IPv4", () => {
    expect(found(compat, ["Listen 127.0.0.1:80", "Listen 443"], "*:80")).toEqual([]);
  });
  test.each([["127.0.0.1:80"], ["192.0.2.1:80"], ["[2001:db8::1]:80"]])("the virtual host %s", (host) => {
    expect(found(compat, ["Listen 80"], host)).toEqual([]);
  });
});
