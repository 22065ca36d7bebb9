import { describe, expect, test } from "vitest";
import type { Release } from "../../../src/facts/release.js";
import { compare } from "../../../src/proof/compare/compare.js";
import { load } from "../../support/projects.js";

function sideOf(lines: readonly string[], release: Release = "2.4") {
  const text = [
    ...["ServerName main.test", "Listen 80", ...(release === "2.2" ? ["NameVirtualHost *:80"] : [])],
    ...[
      "<VirtualHost *:80>",
      "ServerName first.test",
      "</VirtualHost>",
      "<VirtualHost *:80>",
      ...lines,
      "</VirtualHost>",
    ],
  ];
  const project = load({ "/etc/httpd/httpd.conf": `${text.join("\n")}\n` }, { release, kind: "server" });
  return { project, semantics: "server" } as const;
}

const denied = (...conditions: readonly string[]) => [
  "RewriteEngine on",
  ...conditions.map((each) => `RewriteCond %{HTTP_HOST} ${each}`),
  "RewriteRule ^ - [F]",
];
const named = ["ServerName shop.test", "ServerAlias www.shop.test"];

/** Returns the verdict, and the hosts of the examples. */
function resultOf(own: readonly string[], rules: readonly string[], release?: Release) {
  const off = rules.slice(0, 1);
  const { verdict, differences } = compare(sideOf([...own, ...off], release), sideOf([...own, ...rules], release));
  return [verdict, ...differences.map(({ request }) => request.host)];
}

describe("a condition on the Host header that denies", () => {
  test.each([
    ["one of the names", named, denied("^www\\."), "www.shop.test"],
    ["the usual name", named, denied("^shop\\.test$"), "shop.test"],
    ["all names but one", named, denied("!^shop\\.test$"), "www.shop.test"],
    ["a name by a wildcard", ["ServerName shop.test", "ServerAlias *.shop.test"], denied("^old\\."), "old.shop.test"],
    ["a name with a port", named, denied(":8080$"), /^shop\.test:8080$/],
  ])("gives an example with %s", (_, own, rules, host) => {
    const [verdict, example] = resultOf(own, rules);
    expect(verdict).toBe("different");
    expect(example).toMatch(host);
  });

  test.each([
    ["a name that leads to another server", named, denied("^old\\.shop\\.test")],
    ["a name that no other condition allows", named, denied("^www\\.", "!^www\\.")],
    ["a name outside of the wildcard", ["ServerName shop.test", "ServerAlias *.shop.test"], denied("\\.first\\.test$")],
  ])("makes no difference for %s", (_, own, rules) => {
    expect(resultOf(own, rules)).toEqual(["equivalent"]);
  });

  test.each([
    ["without a ServerName", ["ServerAlias shop.test"], denied("^old\\.shop\\.test")],
    ["with a ServerPath", [...named, "ServerPath /shop"], denied("^$")],
    ["that reads requests loosely", [...named, "HttpProtocolOptions Unsafe"], denied("^old\\.shop\\.test")],
  ])("may make a difference for a server %s", (_, own, rules) => {
    expect(resultOf(own, rules)[0]).not.toBe("equivalent");
  });

  test("may make a difference on 2.2, where a URL in the request line does not replace the header", () => {
    expect(resultOf(named, denied("^old\\.shop\\.test"), "2.2")[0]).not.toBe("equivalent");
  });

  test("gives an example with an address in brackets", () => {
    const rules = denied("^\\[::1\\]$");
    const [before, after] = [rules.slice(0, 1), rules].map((lines) => {
      const text = `ServerName main.test\n${lines.join("\n")}\n`;
      const project = load({ "/etc/httpd/httpd.conf": text }, { release: "2.4", kind: "server" });
      return { project, semantics: "server" } as const;
    });
    if (before === undefined || after === undefined) throw new Error("no sides");
    const { verdict, differences } = compare(before, after);
    expect([verdict, differences[0]?.request.host]).toEqual(["different", "[::1]"]);
  });

  test("gives an example with a name that no line has, at the server for all other names", () => {
    const first = (lines: readonly string[]) =>
      sideOf(["ServerName shop.test", "</VirtualHost>", "<VirtualHost *:80>", "ServerName last.test", ...lines]);
    const only = (...lines: readonly string[]) => {
      const { project } = first([]);
      const text = [...project.files.values()][0]?.source.text ?? "";
      const own = text.replace("ServerName first.test", ["ServerName first.test", ...lines].join("\n"));
      return { ...first([]), project: load({ "/etc/httpd/httpd.conf": own }, { release: "2.4", kind: "server" }) };
    };
    const { verdict, differences } = compare(only("RewriteEngine on"), only(...denied("^old\\.")));
    expect([verdict, differences[0]?.request.host]).toEqual(["different", "old.a"]);
  });
});

describe("hosts that are alike", () => {
  const host = (n: number, ...lines: readonly string[]) => [
    ...["</VirtualHost>", "<VirtualHost *:80>", `ServerName host${n}.test`, ...lines],
  ];
  const hosts = (condition: (n: number) => string, isOn: boolean) =>
    sideOf([
      "ServerName last.test",
      ...[1, 2, 3, 4].flatMap((n) => host(n, ...(isOn ? denied(condition(n)) : ["RewriteEngine on"]))),
    ]);

  test("make no difference if no name of any of them matches", () => {
    const condition = (n: number) => `^old${n}\\.test$`;
    expect(compare(hosts(condition, false), hosts(condition, true)).verdict).toBe("equivalent");
  });

  test("make a difference if the name of only one matches", () => {
    const condition = () => "^host3\\.";
    const { verdict, differences } = compare(hosts(condition, false), hosts(condition, true));
    expect([verdict, differences[0]?.request.host]).toEqual(["different", "host3.test"]);
  });

  test("make a difference if the rule of only one leads to another server", () => {
    const side = (target: (name: string) => string) =>
      sideOf([
        "ServerName last.test",
        ...[1, 2, 3].flatMap((n) => [
          ...["</VirtualHost>", "<VirtualHost *:80>", `ServerName host${n}.test:80`, `ServerAlias *.host${n}.test`],
          ...["DocumentRoot /srv", "RewriteEngine on"],
          // The aliases of the other hosts include the name in the rule, which becomes a path.
          `RewriteRule ^/x$ ${target(n === 3 ? "www.other.test" : `www.host${n}.test`)}/y [PT,L]`,
        ]),
      ]);
    const { verdict, differences } = compare(
      side((name) => `http://${name}`),
      side(() => ""),
    );
    expect([verdict, ...differences.map(({ request }) => request.host)]).toEqual(["different", "host3.test"]);
  });
});
