import { describe, expect, test } from "vitest";
import { applyFixes } from "../../src/lint/apply-fixes.js";
import { findingsOf, type Given, lintText } from "../../test/support/rules.js";
import { modulesToLoad } from "./modules-to-load.js";

const load = (...names: readonly string[]) =>
  names.map((name) => `LoadModule ${name}_module modules/mod_${name}.so\n`).join("");
const complete = load("mpm_prefork", "unixd", "authz_core");
const from22: Given = { from: "2.2" };
const check = (text: string, given: Given = {}) => findingsOf([modulesToLoad], text, { ...from22, ...given });

/** Returns the required modules, with their purposes. */
const listNeeds = (text: string, given?: Given) =>
  (check(text, given)[0]?.notes ?? []).flatMap((note) => {
    const [, module, what] =
      /`(\w+)_module` (?:is |\()needed for (.*?)(?:\), unless it is built in)?$/.exec(note) ?? [];
    return module === undefined ? [] : [`${module} for ${what}`];
  });

const fixed = (text: string, given: Given = {}) => {
  const findings = lintText([modulesToLoad], text, { ...from22, ...given });
  return applyFixes(findings, () => true).texts.get("/etc/httpd/httpd.conf");
};

describe("a balancer without mod_proxy_balancer", () => {
  const section = "<Proxy balancer://x>\nBalancerMember http://a\n</Proxy>\n";
  const proxying = complete + load("proxy", "proxy_http");

  test("is reported as a warning, because httpd starts and returns 500", () => {
    expect(check(proxying + section)).toMatchObject([
      {
        severity: "warning",
        message: "2.4 needs `lbmethod_byrequests_module` and 2 more modules, but no line loads them",
        notes: [
          "requests for a balancer return 500 (AH01144)",
          "`lbmethod_byrequests_module` is needed for `BalancerMember http://a`",
          "`proxy_balancer_module` is needed for `<Proxy balancer://x>`",
          "`slotmem_shm_module` is needed for `proxy_balancer_module`",
        ],
        help: ["add a `LoadModule` line for each of them after that of `proxy_http_module`"],
      },
    ]);
    const [more] = check(load("mpm_prefork", "authz_core", "proxy") + section);
    expect(more?.notes?.[0]).toBe("requests for a balancer return 500 (AH01144)");
    expect(more?.notes?.at(-1)).toBe(
      "httpd will not start without `unixd_module` (needed for dropping root privileges), unless it is built in",
    );
  });

  test.each([
    ["BalancerMember balancer://x http://a", ["lbmethod_byrequests", "proxy_balancer"]],
    ["ProxyPass /a balancer://x", ["proxy_balancer"]],
    ["ProxyPassMatch ^/a(.*) balancer://x$1 lbmethod=bytraffic", ["lbmethod_bytraffic", "proxy_balancer"]],
    ["<Proxy balancer://x>\n</Proxy>", ["proxy_balancer"]],
  ])("is reported for %j", (line, modules) => {
    const named = listNeeds(`${proxying}${line}\n`).map((need) => need.replace(/ for .*/, ""));
    expect(named).toEqual([...modules, "slotmem_shm"]);
  });

  test("is reported for a RewriteRule", () => {
    const rule = 'RewriteRule "^/a" "balancer://x/" [P]\n';
    expect(listNeeds(proxying + load("rewrite") + rule)).toContain(
      'proxy_balancer for `RewriteRule "^/a" "balancer://x/" [P]`',
    );
  });

  test("is reported together with other start-up errors", () => {
    const finding = check(`${proxying}${section}DirectoryIndex a\n`)[0];
    expect(finding?.severity).toBe("error");
    expect(finding?.notes?.[0]).toBe("httpd will not start");
  });

  test("is not reported if the module is loaded, without a balancer, or in a conditional section", () => {
    const withoutMethod = check(proxying + load("proxy_balancer", "slotmem_shm") + section);
    expect(withoutMethod).toMatchObject([{ severity: "error" }]);
    expect(withoutMethod[0]?.notes?.[0]).toBe("httpd will not start");
    expect(check(`${proxying}ProxyPass /a http://balancer/\n<Proxy http://a/>\n</Proxy>\n`)).toEqual([]);
    expect(check(`${proxying}<IfModule mod_proxy_balancer.c>\n${section}</IfModule>\n`)).toEqual([]);
  });

  test("has a fix that loads all modules and removes the finding", () => {
    const after = fixed(proxying + section) ?? "";
    expect(after).toBe(proxying + load("lbmethod_byrequests", "proxy_balancer", "slotmem_shm") + section);
    expect(check(after)).toEqual([]);
  });
});
