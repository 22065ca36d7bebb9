import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { isPackaged, type Ran } from "../support/programs/command.js";
import { lintedFolder } from "../support/programs/test-folder.js";

const scratch = lintedFolder();
const { at, lint, textOf, write } = scratch;

/** Runs the command in an environment in which starting a program or opening a connection fails and is recorded. */
function lintForbidden(args: readonly string[]): Ran {
  const env = {
    NODE_OPTIONS: `--require ${resolve("test/support/block-external-access.cjs")}`,
    FORBIDDEN_LOG: at("forbidden"),
  };
  return lint(args, { env });
}

describe("a command on a configuration that names programs and addresses", () => {
  const configurationWith = (marker: string) => `ServerName x.example
Listen 80
DocumentRoot "${"$"}{here}"
LoadModule rewrite_module http://127.0.0.1:9/x.so
CustomLog "|/bin/touch ${marker}" common
ErrorLog "|/bin/touch ${marker}"
SSLPassPhraseDialog "exec:/bin/touch ${marker}"
RewriteEngine On
RewriteMap run "prg:/bin/touch ${marker}"
RewriteRule ^/(.*)$ \${run:$1} [P]
ProxyPass /p http://127.0.0.1:9/
Include http://127.0.0.1:9/x.conf
<Location /a>
  AuthLDAPURL ldap://127.0.0.1:9/x
  Require host localhost.example
  Order allow,deny
  Allow from localhost.example
</Location>
`;
  const commands = ["check --from 2.2", "resolve", "explain", "compare", "map", "audit", "upgrade", "migrate"];

  test.each(commands)("starts and connects to nothing: %s", (command) => {
    const [name = "", ...flags] = command.split(" ");
    const marker = at("ran");
    write({ "httpd.conf": configurationWith(marker).replace("${here}", scratch.path) });
    const more = name === "explain" ? ["/a"] : name === "compare" ? ["httpd.conf"] : [];
    const ran = lintForbidden([name, "httpd.conf", ...more, ...flags]);
    expect([0, 1, 5]).toContain(ran.status);
    expect([existsSync(marker), existsSync(at("forbidden"))]).toEqual([false, false]);
  });

  // The detection is an option of Node.js, which the executable ignores.
  test.runIf(isPackaged)("is recorded if it starts a program", () => {
    write({ "a.conf": "<Directory /srv>\nOrder allow,deny\nAllow from all\n</Directory>\n" });
    lintForbidden(["check", "a.conf", "--changed-since", "HEAD"]);
    expect(textOf("forbidden")).not.toBe("");
  });
});
