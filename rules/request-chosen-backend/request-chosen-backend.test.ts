import { expect, test } from "vitest";
import { findingsOf, fixFirst, onServer } from "../../test/support/rules.js";
import { requestChosenBackend } from "./request-chosen-backend.js";

const modules = ["mod_alias", "mod_authz_core", "mod_authz_host", "mod_proxy", "mod_proxy_http", "mod_rewrite"];
const check = (...lines: readonly string[]) =>
  findingsOf([requestChosenBackend], onServer(`${lines.join("\n")}\n`), { modules });
const rewrite = (...lines: readonly string[]) => check("RewriteEngine On", ...lines);

test("reports a target without a slash after the host", () => {
  expect(check('ProxyPass "/app/" "http://backend"')).toEqual([
    {
      rule: "request-chosen-backend",
      severity: "error",
      at: "2:1-2:35",
      text: 'ProxyPass "/app/" "http://backend"',
      message: '`ProxyPass "/app/" "http://backend"` lets clients choose the backend',
      notes: ["GET `/app/@evil.example/` from 203.0.113.9 returns 200 from `http://backend@evil.example/`"],
      help: ["end the host of the target with a slash, and name the host instead of taking it from the request"],
      related: [],
    },
  ]);
});

test("reports a pattern without a slash", () => {
  expect(check('ProxyPassMatch "^/api(.*)" "http://backend$1"')).toHaveLength(1);
});

test.each([
  ["RewriteRule ^/fetch/(.*) http://$1 [P]"],
  ["RewriteRule ^/api(.*) http://backend$1 [P,L]"],
  ["RewriteRule ^/(.*) http://%{HTTP_HOST}/$1 [P]"],
])("reports %s", (line) => {
  expect(rewrite(line)).toHaveLength(1);
});

test.each([
  ['ProxyPass "/app/" "http://backend/"'],
  ['ProxyPass "/app" "http://backend"'],
  ['ProxyPassMatch "^/api/(.*)" "http://backend/$1"'],
  ['ProxyPassMatch "^/api(/.*)" "http://backend$1"'],
  ['<Location "/app/">\nRequire ip 10\n</Location>\nProxyPass "/app/" "http://backend"'],
  ['Listen 127.0.0.1:80\nProxyPass "/app/" "http://backend"'],
])("does not report %s", (lines) => {
  expect(check(lines)).toEqual([]);
});

test.each([
  ["RewriteRule ^/fetch/(.*) http://$1 [R]"],
  ["RewriteRule ^/fetch/(a|b)/ http://$1/ [P]"],
  ["RewriteCond %{HTTP_HOST} ^(a|b)\\.test$\nRewriteRule ^/(.*) http://%{HTTP_HOST}/$1 [P]"],
  ["RewriteMap hosts txt:/etc/hosts.map\nRewriteRule ^/(.*) http://${hosts:$1|a.test}/ [P]"],
])("does not report %s", (lines) => {
  expect(rewrite(lines)).toEqual([]);
});

test.each([
  ['ProxyPass "/app/" "http://backend"', 'ProxyPass "/app/" "http://backend/"'],
  ['ProxyPassMatch "^/(.*)" "http://backend$1"', 'ProxyPassMatch "^/(.*)" "http://backend/$1"'],
])("fixes %s", (before, after) => {
  expect(fixFirst(requestChosenBackend, onServer(`${before}\n`), { modules })).toBe(onServer(`${after}\n`));
  expect(check(after)).toEqual([]);
});

test.each(['ProxyPassMatch "^/api(.*)" "http://backend$1"', 'ProxyPassMatch "^/fetch/(.*)" "http://$1"'])(
  "does not offer a fix for %s",
  (line) => {
    expect(check(line)).toHaveLength(1);
    expect(fixFirst(requestChosenBackend, onServer(`${line}\n`), { modules })).toBeUndefined();
  },
);
