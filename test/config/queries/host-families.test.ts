import { describe, expect, test } from "vitest";
import { HostFamilies } from "../../../src/config/queries/host-families.js";
import { load, loadText } from "../../support/projects.js";

/** Compares two virtual hosts: `alike`, `numbers` if they differ only in numbers otherwise, or `unlike`. */
function compare(one: string, other: string, between = ""): "alike" | "numbers" | "unlike" {
  const host = (lines: string) => `<VirtualHost *:80>\n${lines}\n</VirtualHost>\n`;
  const { directives } = loadText(`${host(one)}${between}${host(other)}`, { kind: "server" });
  const families = new HostFamilies();
  const [first, second] = directives.filter(({ key }) => key === "<virtualhost").map((each) => families.find(each));
  if (first?.family !== second?.family) return "unlike";
  return second?.isAlike ? "alike" : "numbers";
}

const named = (name: string) => `ServerName host${name}.test\nDocumentRoot /srv/${name}`;
const allow = (...networks: readonly string[]) => networks.map((each) => `Require ip ${each}`).join("\n");

describe("virtual hosts are alike", () => {
  test.each([
    ["with other numbers in names", named("1"), named("27")],
    ["with a number in comments", "# 1\nServerName a", "# 2\nServerName a"],
    ["with other networks", allow("10.1.0.0/16"), allow("10.2.0.0/16")],
    ["with networks in each other", allow("10.1.0.0/16", "10.1.5.0/24"), allow("10.2.0.0/16", "10.2.7.0/24")],
    [
      "with a network and a name",
      `${allow("10.1.0.0/16")}\nRequire user u1`,
      `${allow("10.2.0.0/16")}\nRequire user u1`,
    ],
    ["with words of a pattern", "SetEnvIf User-Agent ^bot1 bot", "SetEnvIf User-Agent ^bot2 bot"],
    ["with a title", 'AuthName "Area 1"', 'AuthName "Area 2"'],
    ["with an expression", "<If \"%{HTTP_HOST} == 'a1.test'\">\n</If>", "<If \"%{HTTP_HOST} == 'a2.test'\">\n</If>"],
  ])("%s", (_, one, other) => expect(compare(one, other)).toBe("alike"));
});

describe("virtual hosts that differ in numbers are not alike", () => {
  test.each([
    ["if names are equal in one of them", "ServerName a1\nServerAlias b2", "ServerName a1\nServerAlias b1"],
    ["if equal names differ", "ServerName a1\nServerAlias b1", "ServerName a1\nServerAlias b2"],
    ["if a name has a fixed number", "ServerName a1\nTimeout 5", "ServerName a5\nTimeout 5"],
    ["if another number differs", "ServerName a1\nTimeout 5", "ServerName a1\nTimeout 6"],
    ["if a name has too many digits", "ServerName a1", "ServerName a1234567890"],
    ["if a number is not part of a word", "ServerName a.test:80", "ServerName a.test:81"],
    ["if a variable has a number", "ServerName a%1", "ServerName a%2"],
    ["if a class of characters has a number", "SetEnvIf Host [a-c1] x", "SetEnvIf Host [a-c2] x"],
    ["if a repetition has a number", "SetEnvIf Host a{1} x", "SetEnvIf Host a{2} x"],
    ["if a reference has a number", "SetEnvIf Host (a)\\1 x", "SetEnvIf Host (a)\\2 x"],
    ["if a network is not private any more", allow("10.1.0.0/16"), allow("11.1.0.0/16")],
    ["if an octet is too large", allow("10.1.0.0/16"), allow("10.256.0.0/16")],
    ["if an octet has a leading zero", allow("10.1.0.0/16"), allow("10.01.0.0/16")],
    ["if a prefix differs", allow("10.1.0.0/16"), allow("10.1.0.0/17")],
    ["if an address has bits of its host", allow("10.1.0.0/16"), allow("10.1.1.0/16")],
    ["if a network is inside another", allow("10.1.0.0/16", "10.5.0.0/16"), allow("10.5.0.0/16", "10.5.0.0/16")],
    ["if an incomplete address differs", allow("10.1"), allow("10.2")],
    ["if the line is long", `ServerAlias a1 ${"x".repeat(1000)}`, `ServerAlias a2 ${"x".repeat(1000)}`],
    ["if they have variables", "ServerName a1\nServerAlias ${A}", "ServerName a2\nServerAlias ${A}"],
    ["if a directive with other arguments has a number", "Redirect /a1 /b", "Redirect /a2 /b"],
  ])("%s", (_, one, other) => expect(compare(one, other)).toBe("numbers"));

  test.each(["10.1", "10.1.0.0/255.255.0.0", '"10.1.0.0/16"', "::ffff:10.1.0.0/112"])(
    "if a network may be inside %s",
    (other) => expect(compare(allow(other, "10.7.2.3"), allow(other, "10.1.2.3"))).toBe("numbers"),
  );

  test("if a condition changed between them", () => {
    const lines = (name: string) => `ServerName ${name}\n<IfDefine A>\nKeepAlive On\n</IfDefine>\nServerAlias b`;
    expect(compare(lines("a1"), lines("a2"))).toBe("alike");
    expect(compare(lines("a1"), lines("a2"), "Define A\n")).toBe("numbers");
  });

  test("if a module between them gives a name another meaning", () => {
    const lines = (name: string) => `ServerName ${name}\nSSLEngine on`;
    expect(compare(lines("a1"), lines("a2"), "LoadModule ssl_module mod_ssl.so\n")).toBe("numbers");
  });
});

test("virtual hosts with other words or lines are in other families", () => {
  expect(compare(named("1"), `${named("1")}\nServerAlias b1`)).toBe("unlike");
  expect(compare("ServerName a1", "ServerName b1")).toBe("unlike");
});

test("virtual hosts of more families than are compared first are found by their text", () => {
  const host = (name: string, number: number) => `<VirtualHost *:80>\nServerName ${name}${number}\n</VirtualHost>\n`;
  const round = (number: number) =>
    Array.from({ length: 12 }, (_, index) => host("a".repeat(index + 1), number)).join("");
  const { directives } = loadText([1, 2, 3].map(round).join(""), { kind: "server" });
  const families = new HostFamilies();
  const members = directives.map((each) => families.find(each));
  expect(new Set(members.map(({ family }) => family)).size).toBe(12);
  expect(members.every(({ isAlike }) => isAlike)).toBe(true);
});

test("virtual hosts with content of other files are not compared", () => {
  const host = (number: number) => `<VirtualHost *:80>\nServerName a${number}\nInclude part.conf\n</VirtualHost>\n`;
  const files = {
    "/etc/httpd/httpd.conf": `ServerRoot /etc/httpd\n${host(1)}${host(2)}`,
    "/etc/httpd/part.conf": "Timeout 1\n",
  };
  const families = new HostFamilies();
  const hosts = load(files, { kind: "server" }).directives.filter(({ key }) => key === "<virtualhost");
  const [first, second] = hosts.map((each) => families.find(each));
  expect(hosts.map(({ children }) => children?.length)).toEqual([2, 2]);
  expect(first?.family).not.toBe(second?.family);
});
