import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { aliasSlashMismatch } from "../../rules/alias-slash-mismatch/alias-slash-mismatch.js";
import { directoryListing } from "../../rules/directory-listing/directory-listing.js";
import { exposedPrivateFile } from "../../rules/exposed-private-file/exposed-private-file.js";
import { headerGrantsAccess } from "../../rules/header-grants-access/header-grants-access.js";
import { ignoredHtaccess } from "../../rules/ignored-htaccess/ignored-htaccess.js";
import { namedFileFetchable } from "../../rules/named-file-fetchable/named-file-fetchable.js";
import { openForwardProxy } from "../../rules/open-forward-proxy/open-forward-proxy.js";
import { openRedirect } from "../../rules/open-redirect/open-redirect.js";
import { requestChosenBackend } from "../../rules/request-chosen-backend/request-chosen-backend.js";
import { shadowedProxyPass } from "../../rules/shadowed-proxy-pass/shadowed-proxy-pass.js";
import { writableDav } from "../../rules/writable-dav/writable-dav.js";
import type { RuleDefinition } from "../../src/engine/rule.js";
import { lint } from "../../src/linter/lint.js";
import { diskAccess } from "../../src/project/files/disk.js";
import { loadProject } from "../../src/project/load.js";
import { createFileTree } from "../../src/simulate/inputs/file-trees.js";
import { httpd, liveTitle, loadModules } from "../support/httpd/httpd.js";
import { askServer, startBackend } from "../support/httpd/live-requests.js";
import { freePort } from "../support/httpd/ports.js";
import { sharedFolder } from "../support/programs/test-folder.js";

const modules = loadModules(
  "mpm_event authn_core authn_file authz_core authz_host authz_user auth_basic autoindex alias dir env mime dav dav_fs proxy proxy_http rewrite setenvif".split(
    " ",
  ),
);

/**
 * Lines of a server with the document root `www`, which is granted and has the file `x.txt`; a request, and its status
 * with the bad and with the good lines. `@ROOT@` is the server's folder, `@BACKEND@` the URL of a backend,
 * `@AUTHORITY@` its host and port.
 */
interface ExposureCase {
  readonly rule: RuleDefinition;
  readonly bad: string;
  readonly good: string;
  /** Files below the folder; each contains its own name, unless a text is given. */
  readonly files?: readonly (string | readonly [name: string, text: string])[];
  /** `PATH`, or `METHOD PATH`. */
  readonly request: string;
  readonly header?: string;
  readonly statuses: readonly [bad: number, good: number];
}

const inRoot = '<Directory "@ROOT@">\nRequire all granted\n</Directory>';
const dav =
  'DavLockDB "@ROOT@/lock"\n<Directory "@ROOT@/www">\nDav On\nAuthType Basic\nAuthName a\nAuthUserFile "@ROOT@/users"\n';
const writes = "<LimitExcept GET HEAD OPTIONS>\nRequire valid-user\n</LimitExcept>\n";

const cases: readonly ExposureCase[] = [
  {
    rule: exposedPrivateFile,
    bad: "",
    good: 'RedirectMatch 404 "/\\.(git|hg|svn)(/|$)"',
    files: ["www/.git/config"],
    request: "/.git/config",
    statuses: [200, 404],
  },
  {
    rule: exposedPrivateFile,
    bad: '<FilesMatch "\\.bak$">\nRequire all denied\n</FilesMatch>',
    good: '<FilesMatch "^\\.|~$|(?i)\\.(bak|sql|swp|orig)$">\nRequire all denied\n</FilesMatch>',
    files: ["www/X.BAK"],
    request: "/X.BAK",
    statuses: [200, 403],
  },
  {
    rule: ignoredHtaccess,
    bad: '<Directory "@ROOT@/www">\nAllowOverride None\n</Directory>',
    good: '<Directory "@ROOT@/www">\nAllowOverride AuthConfig\n</Directory>',
    files: ["www/p/f.txt", ["www/p/.htaccess", "Require all denied\n"]],
    request: "/p/f.txt",
    statuses: [200, 403],
  },
  {
    rule: directoryListing,
    bad: '<Directory "@ROOT@/www">\nOptions Indexes\n</Directory>',
    good: '<Directory "@ROOT@/www">\nOptions -Indexes\n</Directory>',
    request: "/",
    statuses: [200, 403],
  },
  {
    rule: namedFileFetchable,
    bad: 'ErrorLog "@ROOT@/www/error.log"',
    good: 'ErrorLog "@ROOT@/error.log"',
    request: "/error.log",
    statuses: [200, 404],
  },
  {
    rule: namedFileFetchable,
    bad: '<Location "/admin">\nAuthUserFile "@ROOT@/www/users.pwd"\n</Location>',
    good: '<Location "/admin">\nAuthUserFile "@ROOT@/www/users.pwd"\n</Location>\n<Files "*.pwd">\nRequire all denied\n</Files>',
    files: ["www/users.pwd"],
    request: "/users.pwd",
    statuses: [200, 403],
  },
  {
    rule: aliasSlashMismatch,
    bad: `Alias "/img/" "@ROOT@/images"\n${inRoot}`,
    good: `Alias "/img" "@ROOT@/images"\n${inRoot}`,
    files: ["images/x.txt", "images-private/s"],
    request: "/img/-private/s",
    statuses: [200, 404],
  },
  {
    rule: aliasSlashMismatch,
    bad: `AliasMatch "^/img(.*)" "@ROOT@/images/$1"\n${inRoot}`,
    good: `AliasMatch "^/img/(.*)" "@ROOT@/images/$1"\n${inRoot}`,
    files: ["images/x.txt", "secret.txt"],
    request: "/img../secret.txt",
    statuses: [200, 404],
  },
  {
    rule: shadowedProxyPass,
    bad: 'ProxyPass "/" "@BACKEND@/"\nProxyPass "/private" "!"',
    good: 'ProxyPass "/private" "!"\nProxyPass "/" "@BACKEND@/"',
    request: "/private",
    statuses: [200, 404],
  },
  {
    rule: shadowedProxyPass,
    bad: '<Location "/private">\nProxyPass "!"\n</Location>\n<Location "/">\nProxyPass "@BACKEND@/"\n</Location>',
    good: '<Location "/">\nProxyPass "@BACKEND@/"\n</Location>\n<Location "/private">\nProxyPass "!"\n</Location>',
    request: "/private",
    statuses: [200, 404],
  },
  {
    rule: openForwardProxy,
    bad: 'ProxyRequests On\n<Location "/">\nRequire ip 192.0.2.1\n</Location>',
    good: 'ProxyRequests On\n<Proxy "*">\nRequire ip 192.0.2.1\n</Proxy>',
    request: "@BACKEND@/",
    statuses: [200, 403],
  },
  {
    rule: writableDav,
    bad: `${dav}Require all granted\n${writes}</Directory>`,
    good: `${dav}<Limit GET HEAD OPTIONS>\nRequire all granted\n</Limit>\n${writes}</Directory>`,
    request: "PUT /new.txt",
    header: "Content-Length: 0",
    statuses: [201, 401],
  },
  {
    rule: headerGrantsAccess,
    bad: 'SetEnvIf User-Agent "^Monitor" known\n<Location "/">\nRequire env known\n</Location>',
    good: 'SetEnvIf Remote_Addr "^192\\.0\\.2\\." known\n<Location "/">\nRequire env known\n</Location>',
    request: "/x.txt",
    header: "User-Agent: Monitor",
    statuses: [200, 403],
  },
  {
    rule: openRedirect,
    bad: 'RedirectMatch "^/old(.*)" "https://www.example.com$1"',
    good: 'RedirectMatch "^/old(/.*)" "https://www.example.com$1"',
    request: "/old.evil.example/",
    statuses: [302, 404],
  },
  {
    rule: openRedirect,
    bad: 'RewriteEngine On\nRewriteRule "^/old(.*)" "https://www.example.com$1" [R]',
    good: 'RewriteEngine On\nRewriteRule "^/old(/.*)" "https://www.example.com$1" [R]',
    request: "/old.evil.example/",
    statuses: [302, 404],
  },
  {
    rule: requestChosenBackend,
    bad: 'RewriteEngine On\nRewriteRule "^/fetch/(.*)" "http://$1" [P]',
    good: 'RewriteEngine On\nRewriteCond $1 "^(a|b)\\.test/"\nRewriteRule "^/fetch/(.*)" "http://$1" [P]',
    request: "/fetch/@AUTHORITY@/",
    statuses: [200, 404],
  },
  {
    rule: requestChosenBackend,
    bad: 'ProxyPassMatch "^/api(.*)" "http://192.0.2.1$1"',
    good: 'ProxyPassMatch "^/api(/.*)" "http://192.0.2.1$1"',
    request: "/api@@AUTHORITY@/",
    statuses: [200, 404],
  },
];

/** The bad and the good lines of each case are servers of one process, each with a port of its own. */
const texts = cases.flatMap((each) => [
  { ...each, lines: each.bad },
  { ...each, lines: each.good },
]);

describe.skipIf(!httpd)(liveTitle("exposure rules, against the live server"), () => {
  const folder = sharedFolder();
  let statuses: readonly number[] = [];
  let found: readonly number[] = [];

  beforeAll(async () => {
    const backend = await startBackend();
    const ports = await Promise.all(texts.map(() => freePort()));
    const placed = (text: string, index: number) =>
      text
        .replaceAll("@ROOT@", folder.at(`s${index}`))
        .replaceAll("@AUTHORITY@", `127.0.0.1:${backend.port}`)
        .replaceAll("@BACKEND@", `http://127.0.0.1:${backend.port}`);
    const servers = texts.map(({ lines, files = [] }, index) => {
      const root = folder.at(`s${index}`);
      for (const file of ["www/x.txt", ...files]) {
        const [name, text] = typeof file === "string" ? [file, file] : file;
        folder.write({ [join(`s${index}`, name)]: text });
      }
      return `DocumentRoot "${root}/www"\n<Directory "${root}/www">\nRequire all granted\n</Directory>\n${placed(lines, index)}\n`;
    });
    const head = `${modules}ServerRoot "${folder.path}"\nServerName x.test\nPidFile pid\nErrorLog error.log\nTypesConfig /dev/null\n`;
    const closed = '<Directory "/">\nRequire all denied\n</Directory>\n';
    const hosts = servers.map((text, index) => {
      const address = `127.0.0.1:${ports[index]}`;
      return `Listen ${address}\n<VirtualHost ${address}>\n${text}</VirtualHost>\n`;
    });
    folder.write({ "httpd.conf": `${head}${closed}${hosts.join("")}` });
    const requests = texts.map(({ request, header }, index) => {
      const [path, method = "GET"] = placed(request, index).split(" ").reverse();
      const more = header === undefined ? "" : `${header}\r\n`;
      const text = `${method} ${path} HTTP/1.1\r\nHost: x.test\r\nConnection: close\r\n${more}\r\n`;
      return { address: "127.0.0.1", port: ports[index] ?? 0, text };
    });
    const served = await askServer(folder.path, requests);
    backend.end();
    if ("refused" in served) throw new Error(served.refused);
    statuses = served.answers.map(({ status }) => status);
    // The linter is quiet about servers on the loopback address.
    found = servers.map((text, index) => {
      const name = `lint${index}.conf`;
      folder.write({ [name]: `${head}${closed}Listen 80\n${text}` });
      return countFindings(folder.at(name), texts[index]?.rule);
    });
  });

  test.each(cases.map((each, index) => [each.rule.id, each.request, each, index] as const))(
    "%s: %s",
    (_, _request, { statuses: expected }, index) => {
      expect([statuses[2 * index], statuses[2 * index + 1]]).toEqual(expected);
      expect([found[2 * index], found[2 * index + 1]]).toEqual([1, 0]);
    },
  );
});

function countFindings(path: string, rule: RuleDefinition | undefined): number {
  const loaded = loadProject(path, { kind: "server" });
  if ("failed" in loaded || rule === undefined) throw new Error(path);
  const { project } = loaded;
  const files = createFileTree({ by: "disk if there" }, project, diskAccess());
  return lint(project, { rules: [rule], files }).findings.length;
}
