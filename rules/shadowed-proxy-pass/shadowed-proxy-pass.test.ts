import { expect, test } from "vitest";
import { findingsOf, fixFirst, onServer, section } from "../../test/support/rules.js";
import { shadowedProxyPass } from "./shadowed-proxy-pass.js";

const check = (...lines: readonly string[]) => findingsOf([shadowedProxyPass], onServer(`${lines.join("\n")}\n`));
const all = 'ProxyPass "/" "http://b.test/"';
const except = 'ProxyPass "/private" "!"';

test("reports an exception after the line that matches all requests", () => {
  expect(check(all, except)).toEqual([
    {
      rule: "shadowed-proxy-pass",
      severity: "warning",
      at: "3:1-3:25",
      text: except,
      message: '`ProxyPass "/private" "!"` never applies: another ProxyPass is used',
      notes: [
        '`ProxyPass "/" "http://b.test/"` matches the same requests',
        "GET `/private` from 203.0.113.9 returns 200 from the backend",
      ],
      help: ["move this line before the other one: the first matching ProxyPass is used"],
      related: ["httpd.conf:2:1: is used instead"],
    },
  ]);
});

test("reports a longer path after a shorter one", () => {
  expect(check('ProxyPass "/app" "http://a.test"', 'ProxyPass "/app/admin" "http://b.test"')).toHaveLength(1);
});

const inLocation = (path: string, target: string) => section(`Location "${path}"`, `ProxyPass "${target}"`).trimEnd();

test("reports an earlier Location section, because the last one is used", () => {
  const sections = [inLocation("/private", "!"), inLocation("/", "http://b.test/")];
  expect(check(...sections).map(({ help }) => help)).toEqual([
    ["move this section after the other one: the last matching `<Location>` is used"],
  ]);
  expect(check(...sections.reverse())).toEqual([]);
});

test.each([
  ["an exception before the other line", [except, all]],
  ["two paths", ['ProxyPass "/a" "http://b.test/"', 'ProxyPass "/b" "!"']],
  ["a path with the same beginning", ['ProxyPass "/priv" "http://b.test/"', except]],
  ["two exceptions", [except, except, all]],
  ["a section that denies", [all, except, section("Location /private", "Require all denied")]],
  ["a server on the loopback address", ["Listen 127.0.0.1:80", all, except]],
])("does not report %s", (_, lines) => {
  expect(check(...lines)).toEqual([]);
});

test("the fix moves the line before the other one", () => {
  const text = onServer(`${all}\nProxyPassReverse "/" "http://b.test/"\n${except}\n`);
  const fixed = onServer(`${except}\n${all}\nProxyPassReverse "/" "http://b.test/"\n`);
  expect(fixFirst(shadowedProxyPass, text)).toBe(fixed);
  expect(findingsOf([shadowedProxyPass], fixed)).toEqual([]);
});

test("does not offer a fix for lines of different sections", () => {
  const text = onServer(
    section('Location "/private"', 'ProxyPass "!"'),
    section('Location "/"', 'ProxyPass "http://b.test/"'),
  );
  expect(findingsOf([shadowedProxyPass], text)).toHaveLength(1);
  expect(fixFirst(shadowedProxyPass, text)).toBeUndefined();
});
