import { describe, expect, test } from "vitest";
import { allRules } from "../../rules/index.js";
import { memoryAccess } from "../../src/config/files/file-access.js";
import { runRulesWithProofs } from "../../src/lint/runner/lint.js";
import { loadProject } from "../../src/startup/load-project.js";
import { lineAt } from "../../src/text/source.js";
import { accessPitfalls } from "../support/access-pitfalls.js";
import { loadModules } from "../support/httpd/httpd.js";

const main = "C:/xampp/apache/conf/httpd.conf";

/** The lines of a main file in XAMPP's layout, which includes a file in `extra`. */
const mainText = `Define SRVROOT "C:/xampp/apache"
ServerRoot "C:/xampp/apache"
Listen 80
ServerName localhost:80
${loadModules(["access_compat", "alias", "auth_basic", "authn_core", "authn_file", "authz_core", "authz_host", "authz_user", "dir", "status"])}
<Directory />
    AllowOverride none
    Require all denied
</Directory>
DocumentRoot "C:/xampp/htdocs"
<Directory "C:/xampp/htdocs">
    Options FollowSymLinks
    AllowOverride None
    Require all granted
</Directory>
ErrorLog "logs/error.log"
Include "conf\\extra\\Site.conf"
`;

/** The same layout on a system without drives. */
const lamppMain = "/opt/lampp/apache/conf/httpd.conf";
const lamppText = mainText
  .replaceAll("C:/xampp", "/opt/lampp")
  .replace("conf\\extra\\Site.conf", "conf/extra/site.conf");

/** Returns `rule line` for each finding in the included file. */
function lintSite(text: string, entry = main) {
  const access = memoryAccess({
    ...{ [main]: mainText, "C:/XAMPP/apache/conf/extra/site.conf": text },
    ...{ [lamppMain]: lamppText, "/opt/lampp/apache/conf/extra/site.conf": text },
  });
  const loaded = loadProject(entry, { access });
  if (!loaded.ok) throw new Error(loaded.error);
  const { findings } = runRulesWithProofs(loaded.value, { rules: allRules });
  return findings
    .filter(({ span }) => span.file.text === text)
    .map(({ rule, span }) => `${rule} ${lineAt(span.file, span.start)}`);
}

/** Moves the paths of a pitfall to the drive, in two spellings. */
function onDrive(text: string): string {
  return text
    .replaceAll('"/srv/app/public"', '"c:\\XAMPP\\htdocs\\App\\public"')
    .replaceAll("/srv/app", "C:/xampp/htdocs/app")
    .replaceAll("/etc/htpasswd", '"C:/xampp/security/htpasswd"')
    .replaceAll(/(?<= )\/([ug])$/gm, "C:/xampp/$1");
}

describe("pitfalls in the layout of XAMPP", () => {
  // The section of the document root overrides that of the root in the second example.
  const pitfalls = accessPitfalls.filter(({ name }) => name !== "the guide's second mixing example");

  test.each(pitfalls)("$name", ({ text, found }) => {
    expect(lintSite(onDrive(text))).toEqual(expect.arrayContaining([...found]));
  });

  test.each(accessPitfalls)("$name, with the findings of the same layout without drives", ({ text }) => {
    expect(lintSite(onDrive(text))).toEqual(lintSite(text.replaceAll("/srv/app", "/opt/lampp/htdocs/app"), lamppMain));
  });
});

describe("pitfalls in a file of XAMPP on its own", () => {
  test.each(accessPitfalls)("$name", ({ text, found }) => {
    const entry = "C:/xampp/apache/conf/extra/site.conf";
    expect(lintSite(onDrive(text), entry)).toEqual(expect.arrayContaining([...found]));
  });
});

test.each([
  ["the main file", main],
  ["the included file", "C:/xampp/apache/conf/extra/site.conf"],
])("%s has no error or warning of its own", (_, entry) => {
  const text = '<Directory "c:\\XAMPP\\htdocs\\app">\n    Options None\n</Directory>\n';
  const access = memoryAccess({ [main]: mainText, "C:/XAMPP/apache/conf/extra/site.conf": text });
  const loaded = loadProject(entry, { access });
  if (!loaded.ok) throw new Error(loaded.error);
  const { findings } = runRulesWithProofs(loaded.value, { rules: allRules });
  const serious = findings.filter(({ severity }) => severity !== "info");
  expect(serious.map(({ rule, message }) => `${rule}: ${message}`)).toEqual([]);
});
