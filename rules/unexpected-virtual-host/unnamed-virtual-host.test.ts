import { describe, expect, test } from "vitest";
import { findingsOf, type Given, onlyVariant, section } from "../../test/support/rules.js";
import { unexpectedVirtualHost } from "./unexpected-virtual-host.js";

const unnamedVirtualHost = onlyVariant(unexpectedVirtualHost, "unnamed-virtual-host");

const head = "LoadModule authz_core_module modules/mod_authz_core.so\nListen 80\n";
const host = (address: string, ...lines: readonly string[]) => section(`VirtualHost ${address}`, ...lines);
const named = host("*:80", "ServerName a.example");

const check = (text: string, given?: Given) => findingsOf([unnamedVirtualHost], head + text, given);

describe("reports", () => {
  test("a later virtual host without a name", () => {
    expect(check(named + host("*:80", "DocumentRoot /srv"))).toMatchObject([
      {
        text: "<VirtualHost *:80>",
        notes: [
          "httpd looks its name up in DNS, by the address of the virtual host or of the machine",
          "an earlier virtual host with the same address responds to all other names",
        ],
      },
    ]);
  });

  test("that it has the name of the main server", () => {
    const [finding] = check(`ServerName www.example\n${named}${host("*:80")}`);
    expect(finding?.notes?.[0]).toBe("it has the name of the main server, `www.example`");
  });

  test("another spelling of the same address", () => {
    expect(check(named + host("_default_:80"))).toHaveLength(1);
  });

  test("two virtual hosts without names", () => {
    expect(check(host("*:80") + host("*:80"))).toHaveLength(1);
  });
});

describe("does not report", () => {
  test.each([
    ["the first virtual host of its address", host("*:80") + named],
    ["a virtual host with a name", named + host("*:80", "ServerName b.example")],
    ["a virtual host with an alias", named + host("*:80", "ServerAlias b.example")],
    ["a virtual host at another address", named + host("*:443")],
    ["a virtual host that is also the first at another address", named + host("*:80 *:8080")],
  ])("%s", (_, text) => {
    expect(check(text)).toEqual([]);
  });

  test("a fragment", () => {
    expect(check(named + host("*:80"), { kind: "fragment" })).toEqual([]);
  });
});
