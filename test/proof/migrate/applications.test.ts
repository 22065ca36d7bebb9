import { describe, expect, test } from "vitest";
import { applicationHtaccess } from "../../support/cases/application-htaccess.js";
import { migrateFiles, reasonsOf } from "./migrate-lines.js";

const section = (folder: string, ...lines: readonly string[]) => [`<Directory "${folder}">`, ...lines, "</Directory>"];

const host = (name: string, folder: string, ...lines: readonly string[]) => [
  ...["<VirtualHost *:80>", `ServerName ${name}`, `DocumentRoot "${folder}"`, ...lines, "</VirtualHost>"],
];

const open = ["AllowOverride All", "Options FollowSymLinks", "Order allow,deny", "Allow from all"];

/** A server as for 2.2: access control in the main file, in virtual hosts, and in the file of the application. */
function serverWith(lines: readonly string[], ...more: readonly string[]): Readonly<Record<string, string>> {
  const main = [
    ...section("/", "AllowOverride None", "Order deny,allow", "Deny from all"),
    ...['<Files ~ "^\\.ht">', "Order allow,deny", "Deny from all", "</Files>", "NameVirtualHost *:80"],
    ...host("www.example.com", "/srv/www", ...section("/srv/www", ...open)),
    ...host(
      "app.example.com",
      "/srv/app",
      ...section("/srv/app", ...open),
      ...section("/srv/app/private", "Order deny,allow", "Deny from all", "Allow from 10.0.0.0/8"),
      ...more,
    ),
  ];
  return { "/etc/httpd/httpd.conf": `${main.join("\n")}\n`, "/srv/app/.htaccess": `${lines.join("\n")}\n` };
}

const applications = applicationHtaccess.map(({ name, lines }) => [name, lines] as const);

describe.each(applications)("the `.htaccess` file of %s", (_, lines) => {
  test.each(["2.2", "2.4"] as const)("does not prevent the migration of its server from %s", (from) => {
    const files = from === "2.2" ? serverWith(lines) : withoutNames(serverWith(lines));
    const migration = migrateFiles(files, { from });
    expect(reasonsOf(migration)).toEqual([]);
    const changed = migration.verdict === "proved" ? migration.files : [];
    expect(changed.map(({ path }) => path)).toEqual(["/etc/httpd/httpd.conf", "/srv/app/.htaccess"]);
    expect(changed.flatMap(({ after }) => after.match(/^ *(?:Order|Allow|Deny)\b.*/gm) ?? [])).toEqual([]);
  });
});

/** Omits NameVirtualHost, which 2.4 does not have. */
function withoutNames(files: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(files).map(([path, text]) => [path, text.replace(/^NameVirtualHost.*\n/m, "")]),
  );
}

describe("a variable that a rule sets to an unknown value", () => {
  const setting = ["RewriteEngine On", "RewriteRule .* - [E=BASE:%{HTTP:Authorization}]", "RewriteRule ^y$ /x/ [L]"];
  const reading = (name: string) =>
    section("/srv/app/x", "Order deny,allow", "Deny from all", `Allow from env=${name}`);

  test("twin: prevents the migration if access control depends on its value after a redirect", () => {
    const derived = ["SetEnvIf REDIRECT_BASE ^Basic allowed", ...reading("allowed")];
    const migration = migrateFiles(serverWith(setting, ...derived), { from: "2.2" });
    const { unproved = [] } = (migration.verdict === "refused" ? migration.comparison : undefined) ?? {};
    expect(unproved.map(({ reason }) => reason)).toContain("the value of `redirect_base`");
  });

  test.each(["OTHER", "REDIRECT_BASE"])("does not matter to access control that reads whether %s is set", (name) => {
    expect(reasonsOf(migrateFiles(serverWith(setting, ...reading(name)), { from: "2.2" }))).toEqual([]);
  });
});
