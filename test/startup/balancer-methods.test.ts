import { describe, expect, test } from "vitest";
import { findBalancersWithoutMethod } from "../../src/startup/balancer-methods.js";
import { load } from "../support/projects.js";

const loaded = ["authz_core", "proxy", "proxy_http", "proxy_balancer", "slotmem_shm"];

function withoutMethod(lines: readonly string[], modules = loaded, release: "2.2" | "2.4" = "2.4"): string[] {
  const project = load({ "/etc/httpd/httpd.conf": `${lines.join("\n")}\n` }, { kind: "server", release, modules });
  return findBalancersWithoutMethod(project).map(({ name, argumentText }) => `${name} ${argumentText}`);
}

const pass = "ProxyPass /a balancer://b/";
const member = (url: string, words = "") => ["<Proxy balancer://b>", `BalancerMember ${url}${words}`, "</Proxy>"];

describe("a balancer without a method", () => {
  test("is reported once, at the line that defines it", () => {
    expect(withoutMethod([pass, "ProxyPass /c balancer://b/c"])).toEqual([pass]);
    expect(withoutMethod([...member("http://x/lbmethod=y"), pass])).toEqual(["BalancerMember http://x/lbmethod=y"]);
    expect(withoutMethod(["ProxyPassMatch ^/a balancer://b/"])).toEqual(["ProxyPassMatch ^/a balancer://b/"]);
  });

  test("is reported for each server that defines it", () => {
    const host = (...lines: string[]) => ["<VirtualHost *:80>", ...lines, "</VirtualHost>"];
    const ofOther = "ProxyPass /h balancer://b/";
    expect(withoutMethod([...host(pass), ...host(ofOther)])).toEqual([pass, ofOther]);
    expect(withoutMethod([...host(pass, "ProxySet balancer://b lbmethod=bytraffic"), ...host(ofOther)])).toEqual([
      ofOther,
    ]);
  });

  test.each([
    ["a line for another target", ["ProxyPass /a http://b.test/"]],
    ["lines that define no balancer", ["<Proxy balancer://b>", "ProxySet timeout=3", "</Proxy>"]],
    ["a method in the line", [`${pass} LBMETHOD=bytraffic`]],
    ["a method in a section", ["<Proxy balancer://b>", "ProxySet lbmethod=bytraffic", "</Proxy>", pass]],
    ["a method of the section", ["<Proxy balancer://b lbmethod=bytraffic>", "</Proxy>", pass]],
  ])("is not reported with %s", (_, lines) => {
    expect(withoutMethod(lines)).toEqual([]);
  });

  test("is not reported with the default method, without mod_proxy_balancer, or in 2.2", () => {
    expect(withoutMethod([pass], [...loaded, "lbmethod_byrequests"])).toEqual([]);
    expect(withoutMethod([pass], ["authz_core", "proxy", "proxy_http"])).toEqual([]);
    expect(withoutMethod([pass], loaded, "2.2")).toEqual([]);
  });
});
