import { describe, expect, test } from "vitest";
import { findingsOf, type Given, onlyVariant, section, wholeServer } from "../../test/support/rules.js";
import { unexpectedVirtualHost } from "./unexpected-virtual-host.js";

const rule = onlyVariant(unexpectedVirtualHost, "unreachable-main-server");
const granted = section('Directory "/"', "Require all granted");
const main = (...lines: readonly string[]) =>
  wholeServer("Listen 80", "ServerName intranet.test:80", 'DocumentRoot "/srv/htdocs"', granted, ...lines);
const host = (...lines: readonly string[]) =>
  section("VirtualHost *:80", "ServerName shop.test", 'DocumentRoot "/srv/shop"', ...lines);

const check = (text: string, given?: Given) => findingsOf([rule], text, given);

test("reports the document root of a main server whose name a virtual host answers", () => {
  expect(check(main(host()))).toEqual([
    {
      rule: "unexpected-virtual-host",
      severity: "info",
      at: expect.any(String),
      text: 'DocumentRoot "/srv/htdocs"',
      message: "requests for `intranet.test` go to the virtual host `shop.test`, not here",
      notes: [
        "GET `http://intranet.test/index.html` from 203.0.113.9 returns 200 from `/srv/shop/index.html`",
        "the main server never answers, because each `Listen` line has a virtual host for all addresses",
      ],
      help: ["add `<VirtualHost *:80>` with `ServerName intranet.test` and this `DocumentRoot`, before the other ones"],
      related: [expect.stringContaining("the name of the main server"), expect.stringContaining("answers first")],
    },
  ]);
});

describe("reports", () => {
  const others = (text: string) => main(host()).replace("*:80", text);
  test.each([
    ["any port", others("*")],
    ["an unspecified address", others("0.0.0.0:80")],
    ["_default_", others("_default_:80")],
    ["several virtual hosts", main(host(), host().replace("shop", "wiki"))],
    ["a name without a port", main(host()).replace("intranet.test:80", "intranet.test")],
    ["a folder of a usual document root", main(host()).replace("/srv/htdocs", "/srv/www/intranet")],
    ["a virtual host for each of two ports", main("Listen 8080", host(), host().replace("80", "8080"))],
    [
      "a virtual host of another document root after it",
      main(host()).replace(/(DocumentRoot "\/srv\/htdocs"\n)(.*)/s, "$2$1"),
    ],
  ])("%s", (_, text) => {
    expect(check(text)).toHaveLength(1);
  });
});

describe("does not report", () => {
  test.each([
    ["a virtual host with the name", main(host(), host().replaceAll("shop", "x").replace("x.test", "intranet.test"))],
    ["an alias with the name", main(host("ServerAlias intranet.test"))],
    ["an alias with a wildcard", main(host("ServerAlias *"))],
    [
      "a virtual host without a name, which has that of the main server",
      main(host().replace("ServerName shop.test\n", "")),
    ],
    ["a main server without a name", main(host()).replace("ServerName intranet.test:80\n", "")],
    ["a main server without a document root", main(host()).replace('DocumentRoot "/srv/htdocs"\n', "")],
    ["the same document root", main(host().replace("/srv/shop", "/srv/htdocs"))],
    ["another port of the main server", main("Listen 8080", host())],
    ["a virtual host for one address", main(host()).replace("*:80", "192.0.2.1:80")],
    ["a redirect of all requests", main(host("Redirect / https://shop.test/"))],
    ["a virtual host that denies all", main(host(section("Location /", "Require all denied").trim()))],
    ["a backend", main(host("ProxyPass / http://127.0.0.1:8080/"))],
    ["no virtual host", main()],
    ["localhost", main(host()).replace("intranet.test:80", "localhost")],
    ["localhost with a port", main(host()).replace("intranet.test", "LocalHost")],
    ["a variable in the name", main(host()).replace("intranet.test:80", "${NAME}")],
  ])("%s", (_, text) => {
    expect(check(text)).toEqual([]);
  });

  test.each(["/var/www/html", "/var/www/html/", "/var/www", "/srv/www/htdocs", "/usr/local/apache2/htdocs", "htdocs"])(
    "the usual document root %s",
    (root) => {
      expect(check(main(host()).replace("/srv/htdocs", root))).toEqual([]);
    },
  );

  test("a part of a server", () => {
    expect(check(main(host()), { kind: "fragment" })).toEqual([]);
  });
});
