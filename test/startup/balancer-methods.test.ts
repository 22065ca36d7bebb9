import { describe, expect, test } from "vitest";
import { findBalancersWithoutMethod } from "../../src/startup/balancer-methods.js";
import { findRefusals } from "../../src/startup/validate.js";
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

describe("the method of a balancer", () => {
  const known = [...loaded, "lbmethod_byrequests"];
  const refusals = (
    lines: readonly string[],
    modules: readonly string[] = known,
    kind: "server" | "fragment" = "server",
  ) =>
    findRefusals(
      load({ "/etc/httpd/httpd.conf": `${lines.join("\n")}\n` }, { kind, ...(kind === "server" ? { modules } : {}) }),
    ).startup.map(({ server, remedy }) => [server, remedy]);
  const inProxy = (...lines: readonly string[]) => [
    "<Proxy balancer://b>",
    "BalancerMember http://x:81",
    ...lines,
    "</Proxy>",
  ];
  const asBusy = "use `lbmethod=bybusyness`, and load `lbmethod_bybusyness_module`";
  const asRequests = "use `lbmethod=byrequests`";

  test.each([
    [inProxy("ProxySet lbmethod=leastconn"), "ProxySet: unknown lbmethod lbmethod=leastconn; balancer://b", asBusy],
    [
      inProxy("ProxySet timeout=3 lbmethod=least_conn"),
      "ProxySet: unknown lbmethod lbmethod=least_conn; balancer://b",
      asBusy,
    ],
    [
      ["<Proxy balancer://b lbmethod=round-robin>", "</Proxy>"],
      "<Proxy unknown lbmethod lbmethod=round-robin; balancer://b",
      asRequests,
    ],
    [["ProxyPass / balancer://b/ lbmethod=roundrobin"], "ProxyPass unknown lbmethod", asRequests],
    [["ProxyPass / balancer://b/ LBMethod=ByRequests"], "ProxyPass unknown lbmethod", asRequests],
    [["ProxyPass / balancer://b/ lbmethod=byrequest"], "ProxyPass unknown lbmethod", asRequests],
    [
      ["ProxyPass / balancer://b/ lbmethod=source"],
      "ProxyPass unknown lbmethod",
      "use `byrequests`, `bytraffic` or `bybusyness`",
    ],
    [
      ["ProxyPass / balancer://b/ lbmethod=bytraffic"],
      "ProxyPass unknown lbmethod",
      "load `lbmethod_bytraffic_module`",
    ],
    [
      inProxy("ProxySet lbmethod=heartbeat"),
      "ProxySet: unknown lbmethod lbmethod=heartbeat; balancer://b",
      "load `lbmethod_heartbeat_module`",
    ],
  ])("is refused: %j", (lines, server, remedy) => {
    expect(refusals(lines)).toEqual([[server, remedy]]);
  });

  test.each([
    ["that is loaded", inProxy("ProxySet lbmethod=byrequests"), known],
    [
      "that is loaded, by ProxyPass",
      ["ProxyPass / balancer://b/ lbmethod=bytraffic"],
      [...known, "lbmethod_bytraffic"],
    ],
    ["of another module", inProxy("ProxySet lbmethod=leastconn"), [...known, "lbmethod_leastconn"]],
    ["that a module may have", inProxy("ProxySet lbmethod=source"), [...known, "proxy_other"]],
    ["of a variable", ["Define M byrequests", ...inProxy("ProxySet lbmethod=${M}")], known],
    ["of an unknown variable", inProxy("ProxySet lbmethod=${M}"), known],
    [
      "in a condition that does not hold",
      ["<IfModule foo_module>", ...inProxy("ProxySet lbmethod=foo"), "</IfModule>"],
      known,
    ],
    ["of a balancer that exists", [...inProxy(), "ProxyPass / balancer://b/ lbmethod=leastconn"], known],
  ])("is accepted: one %s", (_, lines, modules) => {
    expect(refusals(lines, modules)).toEqual([]);
  });

  test("of a file on its own is refused if another server has it", () => {
    expect(refusals(inProxy("ProxySet lbmethod=leastconn"), [], "fragment")).toEqual([
      ["ProxySet: unknown lbmethod lbmethod=leastconn; balancer://b", "use `lbmethod=bybusyness`"],
    ]);
    expect(refusals(inProxy("ProxySet lbmethod=bytraffic"), [], "fragment")).toEqual([]);
    expect(refusals(inProxy("ProxySet lbmethod=source"), [], "fragment")).toEqual([]);
  });
});
