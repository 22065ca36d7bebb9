import { describe, expect, test } from "vitest";
import { compare } from "../../../src/proof/compare/compare.js";
import type { ConfigComparison } from "../../../src/proof/model/comparison.js";
import { wordsOfFact } from "../../../src/server/model/unknown-facts.js";
import { loadText } from "../../support/projects.js";

const main = `Listen 127.0.0.1:80
ServerName main.test
DocumentRoot /srv
<Directory /srv>
Require all granted
</Directory>
`;

function compareHosts(before: readonly string[], after: readonly string[]): ConfigComparison {
  const side = (hosts: readonly string[]) => ({
    project: loadText(`${main}${hosts.join("")}`, { kind: "server", release: "2.4" }),
    semantics: "server" as const,
  });
  return compare(side(before), side(after));
}

const denied = "<Location />\nRequire all denied\n</Location>";
const granted = "<Location />\nRequire all granted\n</Location>";
const host = (address: string, ...lines: readonly string[]) =>
  `<VirtualHost ${address}>\n${lines.join("\n")}\n</VirtualHost>\n`;
const open = (address: string) => host(address, "ServerName open.test");
const closed = (address: string) => host(address, "ServerName closed.test", denied);

/** Returns the differences: the host of the example, the change, and what is assumed. */
function differencesOf(before: readonly string[], after: readonly string[]): readonly string[] {
  return compareHosts(before, after).differences.map(({ request, change, assumptions }) =>
    [request.host, change, ...[...assumptions.facts].map(wordsOfFact)].join(" "),
  );
}

describe("a virtual host with a name as its address may be at each address", () => {
  const isLocal = "whether the server's address is that of `www.test`";

  test("so that requests with its name, and with others, reach it", () => {
    expect(differencesOf([open("www.test:80"), closed("127.0.0.1:80")], [closed("127.0.0.1:80")])).toEqual([
      `open.test loss ${isLocal}`,
    ]);
  });

  test("also for all ports, in IPv6, or as one of several addresses", () => {
    for (const [address, other] of [
      ["www.test", "127.0.0.1"],
      ["www.test:*", "127.0.0.1:*"],
      ["192.0.2.7:80 www.test:80", "127.0.0.1:80"],
    ] as const)
      expect(differencesOf([open(address), closed(other)], [closed(other)])).toEqual([`open.test loss ${isLocal}`]);
    const onIpv6 = (hosts: readonly string[]) => [...hosts, "Listen [::1]:80\n"];
    const before = onIpv6([open("www.test:80"), closed("[::1]:80")]);
    expect(compareHosts(before, onIpv6([closed("[::1]:80")])).verdict).toBe("different");
  });

  test("so that its place before another counts", () => {
    const hosts = [open("www.test:80"), closed("127.0.0.1:80")];
    expect(compareHosts(hosts, hosts.toReversed()).verdict).toBe("different");
  });

  test("and so may two of them, on each side another one", () => {
    const [one, other] = [open("one.test:80"), closed("other.test:80")];
    expect(compareHosts([one, other], [other, one]).verdict).toBe("different");
    expect(compareHosts([one, open("other.test:80")], [other, open("one.test:80")]).verdict).toBe("different");
  });

  test("but not at another port, or before one for exactly this port", () => {
    for (const address of ["www.test:8080", "www.test:*"]) {
      const hosts = [open(address), closed("127.0.0.1:80")];
      expect(compareHosts(hosts, hosts.toReversed()).verdict).toBe("equivalent");
    }
  });

  test("and makes no difference if both sides have it", () => {
    const hosts = [open("www.test:80"), closed("127.0.0.1:80"), open("other.test:80"), host("*:80", denied)];
    expect(compareHosts(hosts, hosts).verdict).toBe("equivalent");
    expect(compareHosts(hosts, [...hosts, "# the same\n"]).verdict).toBe("equivalent");
    const swapped = [closed("127.0.0.1:80"), open("www.test:8080")];
    expect(compareHosts(swapped, swapped.toReversed()).verdict).toBe("equivalent");
  });

  test("and many of them stay provable", () => {
    const fleet = (lines: string) =>
      Array.from({ length: 30 }, (_, n) =>
        host(`www${n}.test:80`, `ServerName www${n}.test`, `<Location /x>\n${lines}\n</Location>`),
      );
    const [before, after] = [fleet("Require all denied"), fleet("Require not ip 10\nRequire all denied")];
    expect(compareHosts(before, after).verdict).toBe("equivalent");
    expect(compareHosts(before, fleet("Require ip 10")).verdict).toBe("different");
  });
});

describe("a virtual host without a name may have each name", () => {
  const unnamed = host("127.0.0.1:80", denied);

  test("that its address resolves to", () => {
    expect(differencesOf([open("127.0.0.1:80"), unnamed], [open("127.0.0.1:80")])).toEqual([
      "main.test gain whether `127.0.0.1` resolves to the name `main.test`",
    ]);
  });

  test("so that the order of two of them counts", () => {
    const hosts = [open("127.0.0.1:80"), unnamed, host("127.0.0.1:80", granted)];
    expect(compareHosts(hosts, [hosts[0] ?? "", hosts[2] ?? "", unnamed]).verdict).toBe("different");
  });

  test("also that of an undefined variable", () => {
    const hosts = [open("127.0.0.1:80"), host("127.0.0.1:80", `ServerName \${NAME}`, denied)];
    expect(compareHosts(hosts, [open("127.0.0.1:80")]).verdict).toBe("different");
  });

  test("but it is the first, or is on both sides", () => {
    const hosts = [unnamed, open("127.0.0.1:80")];
    expect(compareHosts(hosts, hosts).verdict).toBe("equivalent");
    const other = host("127.0.0.1:80", granted);
    expect(compareHosts([open("127.0.0.1:80"), other], [open("127.0.0.1:80")]).verdict).toBe("equivalent");
  });
});
