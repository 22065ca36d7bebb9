import { describe, expect, test } from "vitest";
import { applyFixes } from "../../src/engine/apply-fixes.js";
import { findingsOf, type Given, lintText } from "../../test/support/rules.js";
import { modulesToLoad } from "./modules-to-load.js";

const load = (...names: readonly string[]) =>
  names.map((name) => `LoadModule ${name}_module modules/mod_${name}.so\n`).join("");
const complete = load("mpm_prefork", "unixd", "authz_core");
const from22: Given = { from: "2.2" };
const seen = (text: string, given: Given = {}) => findingsOf([modulesToLoad], text, { ...from22, ...given });

/** Returns the required modules, with their purposes. */
const needed = (text: string, given?: Given) =>
  (seen(text, given)[0]?.notes ?? []).flatMap((note) => {
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

  test("httpd starts, and returns 500", () => {
    expect(seen(proxying + section)).toMatchObject([
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
    const [more] = seen(load("mpm_prefork", "authz_core", "proxy") + section);
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
  ])("%j", (line, modules) => {
    const named = needed(`${proxying}${line}\n`).map((need) => need.replace(/ for .*/, ""));
    expect(named).toEqual([...modules, "slotmem_shm"]);
  });

  test("by a rule", () => {
    const rule = 'RewriteRule "^/a" "balancer://x/" [P]\n';
    expect(needed(proxying + load("rewrite") + rule)).toContain(
      'proxy_balancer for `RewriteRule "^/a" "balancer://x/" [P]`',
    );
  });

  test("together with all other start-up errors", () => {
    const finding = seen(`${proxying}${section}DirectoryIndex a\n`)[0];
    expect(finding?.severity).toBe("error");
    expect(finding?.notes?.[0]).toBe("httpd will not start");
  });

  test("does not report a loaded module without a method, no balancer, or a guard", () => {
    const there = seen(proxying + load("proxy_balancer", "slotmem_shm") + section);
    expect(there).toMatchObject([{ severity: "error" }]);
    expect(there[0]?.notes?.[0]).toBe("httpd will not start");
    expect(seen(`${proxying}ProxyPass /a http://balancer/\n<Proxy http://a/>\n</Proxy>\n`)).toEqual([]);
    expect(seen(`${proxying}<IfModule mod_proxy_balancer.c>\n${section}</IfModule>\n`)).toEqual([]);
  });

  test("the fix loads them all, and nothing is reported afterwards", () => {
    const after = fixed(proxying + section) ?? "";
    expect(after).toBe(proxying + load("lbmethod_byrequests", "proxy_balancer", "slotmem_shm") + section);
    expect(seen(after)).toEqual([]);
  });
});
