import { expect, test } from "vitest";
import { compare } from "../../../src/proof/compare/compare.js";
import { load } from "../../support/projects.js";

/** Returns the number of path classes of a server with five sites, each with lines outside of its virtual host. */
function classesOf(outside: (n: number) => string, end = ""): number {
  const sites = [1, 2, 3, 4, 5].map(
    (n) => `${outside(n)}
<VirtualHost *:80>
ServerName site${n}.test
DocumentRoot /www/site${n}/web
<Directory /www/site${n}/web>
Require all granted
</Directory>
</VirtualHost>
`,
  );
  const text = `ServerName main.test\nListen 80\n${sites.join("")}${end}`;
  const project = load({ "/etc/httpd/httpd.conf": text }, { release: "2.4", kind: "server" });
  const side = { project, semantics: "server" } as const;
  const { verdict, pathClasses } = compare(side, { ...side, project: { ...project } });
  expect(verdict).toBe("equivalent");
  return pathClasses;
}

const section = (n: number) => `<Directory /www/site${n}>\nRequire all denied\n</Directory>`;
const one = classesOf(section);

test.each([
  ["a section for a literal directory", section, ""],
  [
    "two such sections",
    (n: number) => `${section(n)}\n<Directory "/www/site${n}/log">\nRequire all denied\n</Directory>`,
    "",
  ],
])("hosts with %s each in the main server are proved once", (_, outside, end) => {
  expect(classesOf(outside, end)).toBeLessThan(2 * one);
});

test.each([
  ["a pattern", (n: number) => `<DirectoryMatch ^/www/site${n}>\nRequire all denied\n</DirectoryMatch>`, ""],
  ["a URL path", (n: number) => `<Location /site${n}>\nRequire all denied\n</Location>`, ""],
  ["a network", (n: number) => `<Directory /www/site${n}>\nRequire ip 10.${n}.0.0/16\n</Directory>`, ""],
  [
    "another line between them that may apply to both",
    (n: number) => `${section(n)}\n${n % 2 ? '<Directory "/www/*">\nRequire all denied\n</Directory>' : ""}`,
    "",
  ],
  [
    "a name that another host has, too",
    section,
    "<VirtualHost *:80>\nServerName x\nDocumentRoot /www/site3/other\n</VirtualHost>\n",
  ],
  ["a name that another line has, too", section, "Alias /all /www/site3\n"],
])("hosts are proved on their own if the section is for %s", (_, outside, end) => {
  expect(classesOf(outside, end)).toBeGreaterThan(one);
});
