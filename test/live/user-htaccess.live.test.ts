import { describe, expect, test } from "vitest";
import { compare } from "../../src/proof/compare/compare.js";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { withRunningHttpd } from "../support/httpd/running-httpd.js";
import { load } from "../support/projects.js";

type Lines = readonly string[];

const modules = ["authn_core", "authz_core", "authz_host", "access_compat", "userdir", "rewrite", "setenvif"];
const within = (folder: string, ...lines: Lines) => [`<Directory "${folder}">`, ...lines, "</Directory>"];

/** A server with user directories. HOMES is the directory above them. */
const serverOf = (override: string, ...access: Lines) => [
  "UserDir HOMES/*/web",
  ...within("/", "AllowOverride None", "Options FollowSymLinks"),
  ...within("HOMES/*/web", override, ...access),
];

/** The answers of a running server to a request for a file of `ann`, whose directory has a `.htaccess` file. */
async function statusOn(lines: Lines, htaccess: string): Promise<number> {
  let answered = 0;
  await withRunningHttpd(
    modules,
    lines.map((line) => line.replaceAll("HOMES", "DOCROOT/../homes")),
    async (running) => {
      answered = (await running.ask({ path: "/~ann/x.txt" })).status;
    },
    { "../homes/ann/web/x.txt": "x\n", "../homes/ann/web/.htaccess": htaccess },
  );
  return answered;
}

/** The verdict for the same servers where the directories are not at hand. */
function verdictOn(before: Lines, after: Lines): string {
  const sideOf = (lines: Lines) => {
    const text = ['DocumentRoot "/srv/www"', ...lines, ""].join("\n").replaceAll("HOMES", "/home");
    const project = load({ "/etc/httpd/httpd.conf": text }, { release: "2.4", kind: "server", modules });
    return { project, semantics: "server" } as const;
  };
  return compare(sideOf(before), sideOf(after)).verdict;
}

const old = ["Order deny,allow", "Deny from all"];
const converted = ["Require all denied"];

describe.skipIf(!httpd)(liveTitle("`.htaccess` files of users"), () => {
  test.each([
    ["AllowOverride AuthConfig", "Require all granted\n", [403, 200], "unknown"],
    ["AllowOverride Limit", "Order allow,deny\nAllow from all\n", [200, 403], "unknown"],
    ["AllowOverrideList Require", "Require all granted\n", [403, 200], "unknown"],
    ["AllowOverride None", "Require all granted\n", [403, 403], "equivalent"],
    ["AllowOverride FileInfo", "RewriteEngine On\nRewriteRule ^ - [G]\n", [403, 403], "equivalent"],
    ["AllowOverride FileInfo", "Require all granted\n", [500, 500], "equivalent"],
  ])(
    "%s with %j: before and after the conversion %j, so the verdict is %s",
    async (override, htaccess, statuses, verdict) => {
      const [before, after] = [serverOf(override, ...old), serverOf(override, ...converted)];
      expect([await statusOn(before, htaccess), await statusOn(after, htaccess)]).toEqual(statuses);
      expect(verdictOn(before, after)).toBe(verdict);
    },
  );
});
