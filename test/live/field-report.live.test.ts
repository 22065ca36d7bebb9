import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { httpd, liveTitle, loadModules } from "../support/httpd/httpd.js";
import { askServer } from "../support/httpd/live-requests.js";
import { freePort } from "../support/httpd/ports.js";
import { ensureBuilt, httpdLint } from "../support/programs/command.js";
import { sharedFolder } from "../support/programs/test-folder.js";

/** Lines for which findings or advice were wrong or noisy, with the answers of the real server and the findings. */
interface Example {
  /** Lines of a server with the document root `@ROOT@/www`, which has `x.txt`. */
  readonly lines: string;
  /** Lines before them that only the linter reads: the real server has equivalent ones. */
  readonly linterOnly?: string;
  /** A file that only the real server has: its name in an Include, and its contents. */
  readonly missing?: readonly [name: string, content: string];
  /** Requests from 127.0.0.1, and their statuses. */
  readonly answers: Readonly<Record<string, number>>;
  /** Default: `check`. */
  readonly args?: readonly string[];
  /** Default: `httpd.conf`. With `part.conf`, the file contains only the lines. */
  readonly file?: "apache2.conf" | "part.conf";
  /** `RULE: SEVERITY` of each finding of `check`. */
  readonly findings?: readonly string[];
  /** Parts of the text output. */
  readonly output?: readonly string[];
}

const open = '<Directory "@ROOT@/www">\nRequire all granted\n</Directory>\n';
const status = (...lines: readonly string[]) =>
  `<Location "/server-status">\nSetHandler server-status\n${lines.join("\n")}\n</Location>\n`;
const everyone = "Order deny,allow\nAllow from all\n";

const examples: Readonly<Record<string, Example>> = {
  "A: one LoadModule line does not hide an open status page": {
    linterOnly: "LoadModule php5_module modules/libphp5.so\nIncludeOptional mods-enabled/*.load\n",
    lines: open + status("Require all granted"),
    answers: { "/server-status": 200 },
    findings: ["unprotected-handler: warning"],
    output: ["are incomplete, so the usual modules are assumed to be loaded"],
  },
  "A: an Include below the ServerRoot of another machine may load more modules": {
    linterOnly: `ServerRoot "/nowhere/httpd"\n${loadModules(["authz_core", "dir", "mime"])}`,
    lines: `Include more.conf\n${open}Alias /y @ROOT@/www/x.txt\n`,
    missing: ["more.conf", "DirectoryIndex x.txt\n"],
    answers: { "/y": 200, "/": 200 },
    findings: ["refused-at-start: info"],
    output: [
      "ServerRoot `/nowhere/httpd` is not a directory on this machine",
      "are incomplete, so the usual modules are assumed to be loaded",
    ],
  },
  "B: a configuration of 2.4 has no differences from 2.2, and a redirect is not access": {
    lines: `${open}RewriteEngine on\nRewriteRule ^/old$ /x.txt [R]\n<Location "/in">\nRequire ip 10\n</Location>\n`,
    answers: { "/old": 302, "/in": 403, "/x.txt": 200 },
    args: ["check", "--from", "2.2"],
    findings: [],
    output: ["is a directive of 2.4, so 2.2 cannot run this configuration; it is checked as one of 2.4"],
  },
  "C: mod_access_compat directives in a file that 2.2 does not include are not reported as migrated": {
    lines: `${open}IncludeOptional old.conf\n`,
    missing: ["old.conf", '<Location "/x.txt">\nDeny from all\n</Location>\n'],
    answers: { "/x.txt": 403 },
    args: ["migrate", "--from", "2.2"],
    output: ["2.2 cannot run this configuration"],
  },
  "D: a relative Include that is not found may allow more than the lines next to it": {
    file: "part.conf",
    lines: '<Directory "@ROOT@/www">\nInclude access.inc\nRequire all denied\n</Directory>\n',
    missing: ["access.inc", "Require all granted\n"],
    answers: { "/x.txt": 200 },
    findings: ["refused-at-start: info"],
    output: ["the files of `Include access.inc` were not found"],
  },
  "E: the finding names the line that overrides a restriction": {
    lines: `${open}${status("Require local")}<Location "/">\nRequire all granted\n</Location>\n`,
    answers: { "/server-status": 200 },
    findings: ["unprotected-handler: error"],
    output: ["`Require all granted` overrides `Require local`", "delete `Require all granted`, or move this section"],
  },
  "E: without that line, the restriction applies": {
    lines: open + status("Require ip 10"),
    answers: { "/server-status": 403 },
    findings: [],
  },
  "E: a line of the same section allows every client to read a page": {
    lines: `<Directory "@ROOT@/www">\n${everyone}</Directory>\n${status("Require all granted")}`,
    answers: { "/server-status": 200 },
    findings: ["old-access-control: info", "unprotected-handler: warning"],
    output: ["replace `Require all granted` with `Require local`"],
  },
  "E: with `Require local` instead, the page is not open to every client": {
    lines: `<Directory "@ROOT@/www">\n${everyone}</Directory>\n${status("Require local")}`,
    answers: { "/server-status": 200 },
    findings: ["old-access-control: info"],
  },
  "E: mod_access_compat directives of the same section allow every client to read a page": {
    lines: `${open}${status("Order deny,allow", "Allow from all")}`,
    answers: { "/server-status": 200 },
    findings: ["old-access-control: info", "unprotected-handler: warning"],
    output: ["replace `Order deny,allow` and `Allow from all` with `Require local`"],
  },
  "E: with mod_access_compat directives outside as well, the page keeps its own": {
    lines: `${open}<Directory "@ROOT@/www">\nOrder allow,deny\n</Directory>\n${status("Order deny,allow", "Allow from all")}`,
    answers: { "/server-status": 200, "/x.txt": 403 },
    findings: ["old-access-control: info", "old-access-control: info", "unprotected-handler: warning"],
    output: [
      "replace `Order deny,allow` and `Allow from all` with `Order deny,allow`, `Deny from all` and `Allow from`",
    ],
  },
  "E: a rule that 2.4 rejects is reported without advice about access": {
    lines: `${open}RewriteEngine on\nRewriteRule "^/d/(.*)$" "/x.txt?$1"\nRewriteRule "^/e/(.*)$" "/$1"\n`,
    answers: { "/e/x%3ftxt": 403, "/e/x.txt": 200 },
    args: ["check", "--from", "2.2"],
    findings: [],
  },
  "F: a configuration of 2.2 is not migrated as one of 2.4": {
    linterOnly: loadModules(["authz_host", "dir", "mime"]),
    lines: `<Directory "@ROOT@/www">\n${everyone}</Directory>\n<Location "/x.txt">\nDeny from all\n</Location>\n`,
    answers: { "/x.txt": 403, "/": 404 },
    args: ["migrate"],
    output: ["if the server runs 2.2, add `--from 2.2`"],
  },
  "G: `Order deny,allow` and `Allow from all` mean every client": {
    lines: `<Directory "@ROOT@/www">\n${everyone}</Directory>\n`,
    answers: { "/x.txt": 200 },
    findings: ["old-access-control: info"],
  },
  "H: variables of Debian's environment file are not reported in its main file": {
    file: "apache2.conf",
    lines: `${open}SetEnv logs \${APACHE_LOG_DIR}\nSetEnv user \${APACHE_RUN_USER}\n`,
    answers: { "/x.txt": 200 },
    findings: [],
  },
  "J: `Require all denied` next to `Allow from` allows no client": {
    lines: `${open}<Location "/x.txt">\nRequire all denied\nOrder deny,allow\nDeny from all\nAllow from 127.0.0.1\n</Location>\n`,
    answers: { "/x.txt": 403 },
    findings: ["mixed-access-control: warning"],
    output: ["no client is allowed"],
  },
  "K: directives of mod_auth_memcookie are not unknown": {
    linterOnly:
      "LoadModule mod_auth_memcookie_module modules/mod_auth_memcookie.so\nAuth_memCookie_Memcached_Configuration --SERVER=::1\n",
    lines: open,
    answers: { "/x.txt": 200 },
    findings: [],
  },
  "a name with a wildcard, which never matches, has one finding": {
    lines: `${open}<Location "/x.txt">\nRequire host *.localhost\nRequire ip 10\n</Location>\n`,
    answers: { "/x.txt": 403 },
    findings: ["never-matching-name: warning"],
  },
  "redirects, 404 and 405 are not access": {
    lines: `${open}TraceEnable off\nRedirect /old /x.txt\nRedirectMatch 404 ^/hidden\n`,
    answers: { "/old": 302, "/hidden": 404, "/x.txt": 200, "TRACE /x.txt": 405 },
    args: ["map", "--release", "2.4"],
    output: ["`/old` (not a file on this server)", "    redirect\n", "    no client (404)\n", "    every client\n"],
  },
};

const modules = "mpm_event authn_core authz_core authz_host access_compat alias dir env mime rewrite setenvif status";

describe.skipIf(!httpd)(liveTitle("examples of wrong or noisy findings, on the live server"), () => {
  const folder = sharedFolder();
  const entries = Object.values(examples);
  let statuses: readonly number[] = [];

  beforeAll(async () => {
    ensureBuilt();
    const ports = await Promise.all(entries.map(() => freePort()));
    const hosts = entries.map((each, index) => {
      const root = folder.at(`${index}`);
      folder.write({ [`${index}/www/x.txt`]: "x\n" });
      const own = each.lines.replaceAll("@ROOT@", root);
      const [name, content] = each.missing ?? [];
      if (name !== undefined) folder.write({ [`included${index}/${name}`]: content ?? "" });
      const lines = name === undefined ? own : own.replace(name, `${folder.at(`included${index}`)}/${name}`);
      const address = `127.0.0.1:${ports[index]}`;
      return `Listen ${address}\n<VirtualHost ${address}>\nDocumentRoot "${root}/www"\n${lines}</VirtualHost>\n`;
    });
    const head = `${loadModules(modules.split(" "))}ServerRoot "${folder.path}"\nServerName x.test\n`;
    const rest = "PidFile pid\nErrorLog error.log\nMutex posixsem\nTypesConfig /dev/null\n";
    folder.write({ "httpd.conf": head + rest + hosts.join("") });
    const requests = entries.flatMap(({ answers }, index) =>
      Object.keys(answers).map((each) => {
        const [path, method = "GET"] = each.split(" ").reverse();
        const text = `${method} ${path} HTTP/1.1\r\nHost: x.test\r\nConnection: close\r\n\r\n`;
        return { address: "127.0.0.1", port: ports[index] ?? 0, text };
      }),
    );
    const served = await askServer(folder.path, requests);
    if ("refused" in served) throw new Error(served.refused);
    statuses = served.answers.map(({ status: each }) => each);
  });

  test.each(Object.entries(examples).map(([title, each], index) => ({ title, each, index })))(
    "$title",
    ({ each, index }) => {
      const first = entries.slice(0, index).reduce((sum, { answers }) => sum + Object.keys(answers).length, 0);
      const expected = Object.values(each.answers);
      expect(statuses.slice(first, first + expected.length)).toEqual(expected);
      const {
        lines,
        linterOnly = "",
        file = "httpd.conf",
        args: [command = "check", ...args] = [],
        findings,
        output = [],
      } = each;
      const text = lines.replaceAll("@ROOT@", folder.at(`${index}`));
      const head = `ServerName x.test\nListen 80\n${linterOnly}DocumentRoot "${folder.at(`${index}`)}/www"\n`;
      const entry = join(`${index}`, file);
      folder.write({ [entry]: file === "part.conf" ? text : head + text });
      const format = findings === undefined ? [] : ["--format", "json"];
      const { stdout, stderr } = httpdLint([command, entry, ...args, ...format], { cwd: folder.path });
      for (const part of output) expect(stdout + stderr).toContain(part);
      if (findings === undefined) return;
      const found: readonly Readonly<Record<"rule" | "severity", string>>[] = JSON.parse(stdout).findings;
      expect(found.map(({ rule, severity }) => `${rule}: ${severity}`).sort()).toEqual([...findings].sort());
    },
  );
});
