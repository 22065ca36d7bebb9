import { describe, expect, test } from "vitest";
import { compare } from "../../../src/proof/compare/compare.js";
import type { ConfigComparison } from "../../../src/proof/model/comparison.js";
import { load } from "../../support/projects.js";

function compareTexts(before: string, after: string): ConfigComparison {
  const side = (text: string) => ({
    project: load({ "/etc/httpd/httpd.conf": text }, { release: "2.4", kind: "server" }),
    semantics: "server" as const,
  });
  return compare(side(before), side(after));
}

const within = (tag: string, path: string, ...lines: readonly string[]) =>
  `<${tag} "${path}">\n${lines.join("\n")}\n</${tag}>\n`;

describe("hosts that are alike up to their names", () => {
  const host = (name: string, lines = "") =>
    `<VirtualHost *:80>\nServerName ${name}.test\nDocumentRoot /www/${name}/web\n${within("Directory", `/www/${name}/web`, "Require all granted")}${lines}</VirtualHost>\n`;
  const hosts = (outside = "") =>
    `ServerName main.test\nListen 80\n${outside}${["one", "two", "three"].map((name) => host(name)).join("")}`;

  test("are not proved by one of them if a pattern of the main server matches the names of some", () => {
    const { verdict } = compareTexts(hosts(), hosts(within("DirectoryMatch", "^/www/t", "Require all denied")));
    expect(verdict).toBe("different");
  });

  test("each have their difference at a URL path that is the folder of another", () => {
    const of = (tag: string) =>
      hosts(["one", "two"].map((name) => within(tag, `/www/${name}`, "Require all denied")).join(""));
    const { differences } = compareTexts(of("Directory"), of("Location"));
    expect(differences.map(({ request: { host: name, path } }) => `${name}${path}`).sort()).toEqual([
      ...["one.test/www/one", "one.test/www/two", "three.test/www/one", "three.test/www/two"],
      ...["two.test/www/one", "two.test/www/two"],
    ]);
  });

  test("each have the sections of the main server on their own side", () => {
    const folders = ["/a", "/b"].map((folder) => within("Directory", folder, "Require all granted")).join("");
    const server = (root: string, closed: string) =>
      `Listen 80\n${folders}${within("Directory", closed, "Require all denied")}<VirtualHost *:80>\nServerName a.test\nDocumentRoot ${root}\n</VirtualHost>\n`;
    const { differences } = compareTexts(server("/a", "/a/x"), server("/b", "/b/y"));
    expect(differences.map(({ request, change }) => `${request.path} ${change}`)).toEqual(["/x gain", "/y loss"]);
  });

  test("are proved once if they differ in a network that no line reads in another way", () => {
    const withNetworks = (count: number) =>
      `ServerName main.test\nListen 80\n${Array.from({ length: count }, (_, n) =>
        host(`h${n}`, within("Location", "/x", `Require ip 10.${n + 1}.0.0/16`)),
      ).join("")}`;
    const classesOf = (text: string) => compareTexts(text, `${text}# as before\n`).pathClasses;
    expect(classesOf(withNetworks(3))).toBe(classesOf(withNetworks(1)));
  });
});

describe("the servers that requests reach", () => {
  const host = (address: string, folder: string, ...names: readonly string[]) =>
    `<VirtualHost ${address}>\n${names.join("\n")}\nDocumentRoot ${folder}\n</VirtualHost>\n`;
  const main = (listen: readonly string[], lines: string) =>
    `${listen.map((each) => `Listen ${each}\n`).join("")}DocumentRoot /srv\n${lines}`;
  const granted = within("Directory", "/srv", "Require all granted");
  const verdictOf = (listen: readonly string[], before: string, after: string, hosts: string) =>
    compareTexts(main(listen, before + hosts), main(listen, after + hosts)).verdict;

  test("include one for each name", () => {
    const hosts = host("*:80", "/srv/a", "ServerName a.test") + host("*:80", "/srv/x", "ServerName b.test");
    const closed = granted + within("Directory", "/srv/x", "Require all denied");
    expect(verdictOf(["80"], closed, granted, hosts)).toBe("different");
  });

  test("include the main server at an address that no host names", () => {
    const hosts = host("10.0.0.1:80", "/srv/a", "ServerName a.test");
    const closed =
      within("Directory", "/srv", "Require all denied") + within("Directory", "/srv/a", "Require all granted");
    expect(verdictOf(["10.0.0.1:80", "10.0.0.2:80"], granted, closed, hosts)).toBe("different");
    expect(verdictOf(["10.0.0.1:80"], granted, closed, hosts)).toBe("equivalent");
  });

  test("include each name at the only address that the server listens on", () => {
    const hosts =
      host("10.0.0.1:80", "/srv/a", "ServerName a.test", "ServerAlias b.test") +
      host("10.0.0.1:80", "/srv/c", "ServerName c.test");
    const closed = granted + within("Directory", "/srv/c", "Require all denied");
    expect(verdictOf(["10.0.0.1:80"], granted, closed, hosts)).toBe("different");
  });
});
