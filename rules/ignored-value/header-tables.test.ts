import { describe, expect, test } from "vitest";
import { findingsOf, section } from "../../test/support/rules.js";
import { ignoredValue } from "./ignored-value.js";

const host = (...lines: readonly string[]) => section("VirtualHost *:80", "ServerName a.test", ...lines);
const check = (text: string) => findingsOf([ignoredValue], text).map(({ message }) => message);
const backend = "ProxyPass / http://127.0.0.1:3000/";
const php = section("FilesMatch \\.php$", 'SetHandler "proxy:unix:/run/php.sock|fcgi://localhost"').trim();
const always = "Header always edit Set-Cookie ^(.*)$ $1;Secure";
const plain = "Header edit Set-Cookie ^(.*)$ $1;Secure";

describe("a line for the other table of response headers is reported", () => {
  test.each([
    [host(backend, always), "`Header always edit` does not change the `Set-Cookie` of the backend"],
    [
      host(backend, "Header always unset X-Powered-By"),
      "`Header always unset` does not change the `X-Powered-By` of the backend",
    ],
    [
      host("ProxyPass / https://10.0.0.7/", always),
      "`Header always edit` does not change the `Set-Cookie` of the backend",
    ],
    [
      host("ProxyPass / uwsgi://127.0.0.1:3031/", always),
      "`Header always edit` does not change the `Set-Cookie` of the backend",
    ],
    [
      host(
        section(
          "Location /app/",
          "ProxyPass http://127.0.0.1:3000/",
          "Header always edit* Location http: https:",
        ).trim(),
      ),
      "`Header always edit*` does not change the `Location` of the backend",
    ],
    [
      host(backend, section("Location /app", always).trim()),
      "`Header always edit` does not change the `Set-Cookie` of the backend",
    ],
    [host(php, plain), "`Header edit` does not change the `Set-Cookie` of programs"],
    [host(php, "Header unset X-Powered-By"), "`Header unset` does not change the `X-Powered-By` of programs"],
    [host("ProxyPass / fcgi://127.0.0.1:9000/", plain), "`Header edit` does not change the `Set-Cookie` of programs"],
    [`Header unset X-Powered-By\n${host(php)}`, "`Header unset` does not change the `X-Powered-By` of programs"],
    [
      section("Directory /srv/cgi-bin", "SetHandler cgi-script", plain),
      "`Header edit` does not change the `Set-Cookie` of programs",
    ],
  ])("%j", (text, message) => {
    expect(check(text)).toEqual([message]);
  });
});

describe("is not reported", () => {
  test.each([
    host(backend, plain),
    host(backend, plain, always),
    host(backend, "Header unset X-Powered-By", "Header always unset X-Powered-By"),
    host("ProxyPass /app http://127.0.0.1:3000/", always),
    host("ProxyPass / balancer://app/", always),
    host("ProxyPass / fcgi://127.0.0.1:9000/", always),
    host(backend, "Header always set X-A b", "Header always edit X-A b c"),
    host(backend, "RewriteRule ^ - [CO=a:b:a.test]", always),
    host(backend, "CookieTracking On", always),
    host(backend, "Header always set X-Frame-Options DENY"),
    host(php, always),
    host(php, "Header unset ETag"),
    host(php, backend, plain),
    host(php, section("Directory /srv", "php_flag engine on").trim(), plain),
    host("DocumentRoot /srv", plain),
  ])("%j", (text) => {
    expect(check(text)).toEqual([]);
  });
});
