import { describe, expect, test } from "vitest";
import type { OutsideScope, OutsideView } from "../../../src/proof/audit/outside-model.js";
import { viewFromOutside } from "../../../src/proof/audit/outside-view.js";
import { describeClientAccess } from "../../../src/report/comparisons/map-words.js";
import { SimulatedServer } from "../../../src/server/answer.js";
import { createListedFiles } from "../../../src/server/model/file-tree.js";
import { formatLine } from "../../../src/server/trace/step.js";
import { loadText } from "../../support/projects.js";

const modules = [
  ...[
    "alias",
    "dir",
    "authz_core",
    "authz_host",
    "authz_user",
    "auth_basic",
    "authn_core",
    "authn_file",
    "mime",
    "cgi",
  ],
  ...["proxy", "proxy_http", "setenvif", "rewrite", "autoindex", "dav", "dav_fs"],
];
const granted = '<Directory "/srv/www">\nRequire all granted\n</Directory>\n';

function viewOf(text: string, others: readonly string[] = []): OutsideView {
  const main = `DocumentRoot "/srv/www"\n<Directory "/">\nRequire all denied\n</Directory>\n${text}`;
  const project = loadText(main, { release: "2.4", kind: "server", modules: [...modules, ...others] });
  return viewFromOutside({ project, semantics: "server" });
}

/** Formats each scope of the only server as a line. */
function linesOf({ servers }: OutsideView): readonly string[] {
  return servers.flatMap(({ scopes }) => scopes).map(lineOf);
}

function lineOf({ effect, methods, answer, alternatives, access, isListing }: OutsideScope): string {
  const parts = [
    `${effect} ${methods.join(",")} ${answer.request.path} ${answer.status}${isListing ? " listing" : ""}`,
    ...answer.decidedBy.slice(-1).map(formatLine),
    ...alternatives.map((each) => `if ${each.join(" and ")}`),
    ...(access ? [describeClientAccess(access)] : []),
  ];
  return parts.join(" | ");
}

const linesFor = (text: string) => linesOf(viewOf(text));

/** Formats the scopes of a forward proxy. */
function forwardLinesOf(text: string): readonly string[] {
  const { servers } = viewOf(`ServerName a.test\n${text}`);
  return servers
    .flatMap(({ scopes }) => scopes)
    .filter(({ isForward }) => isForward)
    .map((scope) => `${scope.examples.join(" ")} ${lineOf(scope)}`);
}

describe("a forward proxy", () => {
  test("fetches any URL for external clients, even if the paths of the server are protected", () => {
    const denied = '<Location "/">\nRequire all denied\n</Location>\n';
    expect(forwardLinesOf(`ProxyRequests On\n${denied}`)).toEqual([
      "http://host.example/ fetch GET,POST,PUT,DELETE / 200 | ProxyRequests On",
    ]);
  });

  test("is protected by its own section", () => {
    const limited = '<Proxy "*">\nRequire ip 10.0.0.0/8\n</Proxy>\n';
    expect(forwardLinesOf(`ProxyRequests On\n${limited}`)).toEqual([
      "host.example:443 protected CONNECT host.example:443 403 | Require ip 10.0.0.0/8",
      "http://host.example/ protected GET / 403 | Require ip 10.0.0.0/8",
    ]);
    const login = '<Proxy "*">\nRequire ip 203.0.113.0/24\n</Proxy>\n';
    expect(forwardLinesOf(`ProxyRequests On\n${login}`)).toEqual([
      "host.example:443 protected CONNECT host.example:443 403 | Require ip 203.0.113.0/24",
      "http://host.example/ protected GET / 403 | Require ip 203.0.113.0/24",
    ]);
  });

  test("twin: is neither open nor protected if it asks for a password", () => {
    const lines = ["AuthType Basic", "AuthName x", "AuthBasicProvider file", "AuthUserFile /u", "Require valid-user"];
    expect(forwardLinesOf(`ProxyRequests On\n<Proxy "*">\n${lines.join("\n")}\n</Proxy>\n`)).toEqual([]);
  });

  test("is only the virtual host for unknown names", () => {
    const named = "<VirtualHost *:80>\nServerName a.test\n</VirtualHost>\n";
    const proxy = "<VirtualHost *:80>\nServerName b.test\nProxyRequests On\n</VirtualHost>\n";
    expect(forwardLinesOf(named + proxy)).toEqual([]);
    expect(forwardLinesOf(proxy + named)).toHaveLength(1);
  });

  test("does nothing if ProxyRequests is off", () => {
    expect(forwardLinesOf("ProxyRequests Off\n")).toEqual([]);
  });
});

describe("the view of an external client", () => {
  test("shows files that all clients may read, and the line that denies the rest", () => {
    expect(linesFor(`${granted}<Location "/private">\nRequire all denied\n</Location>\n`)).toEqual([
      'read GET,POST /a 200 | DocumentRoot "/srv/www"',
      "protected GET /private 403 | Require all denied | no client (403)",
    ]);
  });

  test("shows paths as protected by a login or by any network, even a public one", () => {
    const login = 'AuthType Basic\nAuthName x\nAuthUserFile "/etc/httpd/users"\nRequire valid-user\n';
    expect(
      linesFor(
        `${granted}<Location "/office">\nRequire ip 198.51.100.0/24\n</Location>\n<Location "/members">\n${login}</Location>\n`,
      ),
    ).toEqual([
      'read GET,POST /a 200 | DocumentRoot "/srv/www"',
      "protected GET /members 401 | Require valid-user | any logged-in user; others: 401",
      "protected GET /office 403 | Require ip 198.51.100.0/24 | 198.51.100.0/24; others: 403",
    ]);
  });

  test("does not show a path as protected if only a private network is denied", () => {
    const line = "<RequireAll>\nRequire all granted\nRequire not ip 10.0.0.0/8\n</RequireAll>\n";
    expect(linesFor(`${granted}<Location "/x">\n${line}</Location>\n`)).toContain(
      'read GET,POST /x 200 | DocumentRoot "/srv/www"',
    );
  });

  test("shows a header as a condition, and sends it in the request", () => {
    const condition = 'SetEnvIf User-Agent "^letmein$" ok\n<Location "/x">\nRequire env ok\n</Location>\n';
    const view = viewOf(`${granted}${condition}`);
    expect(linesOf(view)).toContain(
      'read GET,POST /x 200 | DocumentRoot "/srv/www" | if `User-Agent` matches `^letmein$`',
    );
    const scope = view.servers[0]?.scopes.find(({ alternatives }) => alternatives.length > 0);
    expect(scope?.answer.request.headers).toEqual({ "User-Agent": "letmein" });
  });

  test("shows programs of ScriptAlias and AddHandler", () => {
    const cgi = 'ScriptAlias "/cgi-bin/" "/srv/cgi/"\n<Directory "/srv/cgi">\nRequire all granted\n</Directory>\n';
    const php = `<Directory "/srv/www">\nOptions +ExecCGI\nAddHandler cgi-script .pl\n</Directory>\n`;
    const lines = linesFor(`${granted}${cgi}${php}`);
    expect(lines).toHaveLength(3);
    expect(lines).toContain('run GET,POST,PUT,DELETE /cgi-bin/a 200 | ScriptAlias "/cgi-bin/" "/srv/cgi/"');
    expect(lines).toContain("run GET,POST,PUT,DELETE /a.pl 200 | AddHandler cgi-script .pl");
  });

  test("shows programs of other modules, whose methods no path class distinguishes", () => {
    const line = "AddHandler fastcgi-script .fcg";
    const granting = granted.replace("Require", "Options +ExecCGI\nRequire");
    expect(linesOf(viewOf(`${granting}${line}\n`, ["fastcgi"]))).toContain(`run GET,POST /a.fcg 200 | ${line}`);
    expect(linesOf(viewOf(granting, ["fastcgi"])).filter((each) => each.startsWith("run"))).toEqual([]);
  });

  test("shows the line of the handler for an extension in any case, and not for a file that is read", () => {
    const cgi = '<Directory "/srv/www">\nOptions +ExecCGI\nAddHandler cgi-script .pl\n</Directory>\n';
    const location =
      '<Directory "/srv/www/d">\nRemoveHandler .pl\n</Directory>\n<Files "a.pl">\nRequire all granted\n</Files>\n';
    const scopes = viewOf(`${granted}${cgi}${location}`).servers.flatMap((server) => server.scopes);
    const withLine = scopes.filter(({ answer }) => answer.decidedBy.some(({ key }) => key === "addhandler"));
    expect(scopes.some(({ effect, answer }) => effect === "read" && answer.request.path === "/d/a.pl")).toBe(true);
    expect(withLine).toEqual(scopes.filter(({ effect }) => effect === "run"));
  });

  test("shows requests to backends, writing of files, and directory listings", () => {
    const proxy = 'ProxyPass "/app/" "http://10.0.0.7/"\n';
    const dav = 'DavLockDB "/var/lock/dav"\n<Directory "/srv/www/dav">\nDav On\nOptions Indexes\n</Directory>\n';
    const lines = linesFor(`${granted}${proxy}${dav}`);
    expect(lines).toContain('fetch GET,POST,PUT,DELETE /app/ 200 | ProxyPass "/app/" "http://10.0.0.7/"');
    expect(lines).toContain("write PUT,DELETE /dav 204 | Dav On");
    expect(linesFor(`${granted.replace("Require", "Options Indexes\nRequire")}`)).toContainEqual(
      expect.stringMatching(/^read .*\/ 200 listing/),
    );
  });

  test("omits a server that only listens on a loopback address", () => {
    const { servers, unreachable } = viewOf(`Listen 127.0.0.1:8080\n${granted}`);
    expect(servers).toEqual([]);
    expect(unreachable).toHaveLength(1);
  });

  test("has the results of the simulator for the same requests and files", () => {
    const text = `${granted}<Location "/x">\nRequire ip 10.0.0.0/8\n</Location>\nScriptAlias "/cgi-bin/" "/srv/www/cgi/"\n`;
    const project = loadText(`DocumentRoot "/srv/www"\n${text}`, { release: "2.4", kind: "server", modules });
    const simulatedServer = new SimulatedServer(
      project,
      createListedFiles(["/srv/www/a", "/srv/www/cgi/a", "/srv/www/x"]),
    );
    const scopes = viewFromOutside({ project, semantics: "server" }).servers.flatMap((server) => server.scopes);
    expect(scopes.map(({ effect }) => effect)).toEqual(["read", "run", "protected"]);
    for (const { answer } of scopes) expect(simulatedServer.answer(answer.request).status).toBe(answer.status);
  });
});
