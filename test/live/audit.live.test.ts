import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { diskAccess } from "../../src/config/files/disk.js";
import type { Project } from "../../src/config/model/project.js";
import type { OutsideScope } from "../../src/proof/audit/outside-model.js";
import { viewFromOutside } from "../../src/proof/audit/outside-view.js";
import { sensitivePaths } from "../../src/proof/audit/sensitive-paths.js";
import { probeSensitivePaths, type SensitiveProbe } from "../../src/proof/audit/sensitive-probes.js";
import { createFileTree } from "../../src/server/file-trees.js";
import { type Request, targetOfRequest } from "../../src/server/model/request.js";
import { loadProject } from "../../src/startup/load-project.js";
import { httpd, liveTitle, loadModules } from "../support/httpd/httpd.js";
import { whileServing } from "../support/httpd/live-requests.js";
import { freePort, portOf } from "../support/httpd/ports.js";
import { sharedFolder } from "../support/programs/test-folder.js";
import { listFilesFor } from "./replay-witnesses.js";

const modules = [
  ...["mpm_event", "authn_core", "authn_file", "authz_core", "authz_host", "authz_user", "auth_basic", "autoindex"],
  ...["alias", "cgi", "dav", "dav_fs", "dir", "mime", "proxy", "proxy_http", "proxy_connect", "rewrite", "setenvif"],
];

const granted = "Require all granted";
const office = "Require ip 10.0.0.0/8";

/** The lines of the servers: one for each effect of a request, and forward proxies that are open and limited. */
function serverLines(root: string, backend: string, [main = 0, open = 0, limited = 0]: readonly number[]): string {
  return `${loadModules(modules)}ServerRoot "${root}"
ServerName a.test
PidFile pid
ErrorLog error.log
TypesConfig /dev/null
DavLockDB "${root}/locks/dav"
<Directory "/">
Require all denied
</Directory>
<VirtualHost *:${main}>
ServerName a.test
DocumentRoot "${root}/www"
<Directory "${root}/www">
Options Indexes
${granted}
</Directory>
<Location "/office">
${office}
</Location>
<Location "/login">
AuthType Basic
AuthName a
AuthUserFile "${root}/users"
Require valid-user
</Location>
SetEnvIf User-Agent "^letmein" known
<Location "/agent">
Require env known
</Location>
<FilesMatch "\\.bak$">
Require all denied
</FilesMatch>
ScriptAlias "/cgi-bin/" "${root}/cgi/"
<Directory "${root}/cgi">
${granted}
</Directory>
<Directory "${root}/www/programs">
Options ExecCGI
AddHandler cgi-script .pl
</Directory>
<Directory "${root}/www/dav">
Dav On
</Directory>
ProxyPass "/app/" "${backend}/"
RewriteEngine On
RewriteRule "^/gone" "-" [G]
Redirect "/moved" "http://a.test/"
</VirtualHost>
<VirtualHost *:${open}>
ServerName b.test
ProxyRequests On
ProxyRemote "*" "${backend}"
<Location "/">
${office}
</Location>
</VirtualHost>
<VirtualHost *:${limited}>
ServerName c.test
ProxyRequests On
ProxyRemote "*" "${backend}"
<Proxy "*">
${office}
</Proxy>
</VirtualHost>
`;
}

/** A file whose response shows whether it was sent or run. */
const program = '#!/bin/sh\nprintf "Content-Type: text/plain\\n\\nprogram ran\\n"\n';

/** Private files of the server. The audit reports which of them can be read. */
const privateFiles = [".git/config", ".env", "wp-config.php.bak", "backup.sql", "programs/x.txt", "phpinfo.php"];

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Sends a request to the server on a port, and returns the response. */
async function send(request: Request, body = ""): Promise<Answer> {
  const headers = Object.entries(request.headers ?? {}).map(([name, value]) => `${name}: ${value}\r\n`);
  const socket = connect(request.port ?? 0, "127.0.0.1");
  let text = "";
  socket.setEncoding("latin1").on("data", (chunk: string) => {
    text += chunk;
  });
  socket.write(
    `${request.method} ${targetOfRequest(request)} HTTP/1.1\r\nHost: ${request.host ?? "a.test"}\r\n${headers.join("")}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  );
  await once(socket, "close");
  return { status: Number(/^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1]), text };
}

/** Removes the files of earlier requests, and writes those that a request requires. */
function prepareFiles(root: string, paths: readonly string[]): void {
  for (const folder of ["www", "cgi", "locks"]) rmSync(join(root, folder), { recursive: true, force: true });
  for (const folder of ["www/dav", "www/programs", "cgi", "locks"]) mkdirSync(join(root, folder), { recursive: true });
  for (const folder of ["www/dav", "locks"]) chmodSync(join(root, folder), 0o777);
  for (const path of paths) {
    if (!path.startsWith(`${root}/`)) continue;
    mkdirSync(path.endsWith("/") ? path : dirname(path), { recursive: true, mode: 0o777 });
    if (path.endsWith("/")) continue;
    // Another path may need it as a directory.
    rmSync(path, { recursive: true, force: true });
    writeFileSync(path, program);
    chmodSync(path, 0o777);
  }
}

/** A request that a row of the audit covers. */
interface Claim extends Pick<OutsideScope, "effect" | "isListing" | "place"> {
  readonly request: Request;
  readonly status: number;
}

/** Returns the requests of a row: each method, for each of its example paths. */
function listClaims({
  effect,
  isListing,
  place,
  isForward,
  examples,
  methods,
  answer,
}: OutsideScope): readonly Claim[] {
  const { request, status } = answer;
  const sent = isForward ? [request.path] : examples;
  return sent.flatMap((path) =>
    methods.map((method) => ({ effect, isListing, place, request: { ...request, path, method }, status })),
  );
}

/** Returns what the server did, in the words of the audit. */
async function observe({ request }: Claim, root: string, files: readonly string[]): Promise<string> {
  const { status, text } = await send(request, request.method === "PUT" ? "new text" : "");
  if (status === 401 || status === 403) return "protected";
  if (status < 200 || status > 299) return `nothing: ${status}`;
  if (text.includes("program ran\n") && !text.includes("#!/bin/sh")) return "run";
  if (text.includes("from the backend") || request.method === "CONNECT") return "fetch";
  if (text.includes("#!/bin/sh")) return "read";
  if (text.includes("<title>Index of")) return "listing";
  const [file] = files.filter((each) => each.startsWith(root));
  if (file === undefined) return "nothing";
  const content = existsSync(file) ? readFileSync(file, "latin1") : undefined;
  return content === "new text" || content === undefined ? "write" : "nothing";
}

describe.skipIf(!httpd)(liveTitle("an audit"), () => {
  const folder = sharedFolder();
  const disagreements: string[] = [];
  const confirmed = new Map<string, number>();
  let probes: readonly { readonly probe: SensitiveProbe; readonly status: number }[] = [];

  const checkClaim = async (claim: Claim, project: Project, root: string) => {
    // A listing needs only the directory. A path that a section covers as a prefix may be a file, too.
    const needed = listFilesFor(claim.request, project)
      .filter((path) => !claim.isListing || path.endsWith("/"))
      .map((path) => (claim.place === "file" ? path.replace(/\/$/, "") : path));
    // A new file is written into an existing directory.
    const files = claim.effect === "write" && claim.request.method === "PUT" ? [] : needed;
    prepareFiles(root, files);
    const observed = await observe(claim, root, needed);
    const expected = claim.isListing ? "listing" : claim.effect;
    if (observed === expected) confirmed.set(expected, (confirmed.get(expected) ?? 0) + 1);
    else disagreements.push(`${expected}: ${claim.request.method} ${targetOfRequest(claim.request)}: ${observed}`);
  };

  beforeAll(async () => {
    const root = folder.path;
    chmodSync(root, 0o755);
    const backend = createServer((_, response) => response.end("from the backend"));
    backend.on("connect", (_, socket) => socket.end("HTTP/1.1 200 OK\r\n\r\n"));
    const url = `http://127.0.0.1:${await portOf(backend)}`;
    const ports = [await freePort(), await freePort(), await freePort()];
    const text = serverLines(root, url, ports);
    folder.write({
      "httpd.conf": `${ports.map((port) => `Listen 127.0.0.1:${port}\n`).join("")}${text}`,
      // The audit ignores servers that listen only on the loopback address.
      "audit.conf": `${ports.map((port) => `Listen ${port}\n`).join("")}${text}`,
      users: "",
    });
    prepareFiles(root, []);
    const loaded = loadProject(folder.at("audit.conf"), { kind: "server" });
    if (!loaded.ok) throw new Error(loaded.error);
    const project = loaded.value;
    const { servers } = viewFromOutside({ project, semantics: "server" });
    const served = await whileServing(root, { address: "127.0.0.1", port: ports[0] ?? 0 }, async () => {
      for (const claim of servers.flatMap(({ scopes }) => scopes).flatMap(listClaims))
        await checkClaim(claim, project, root);
      prepareFiles(
        root,
        privateFiles.map((name) => join(root, "www", name)),
      );
      const files = createFileTree({ by: "existing disk" }, project, diskAccess());
      const found = probeSensitivePaths(project, files, servers, sensitivePaths);
      const answers: { probe: SensitiveProbe; status: number }[] = [];
      for (const probe of found) answers.push({ probe, status: (await send(probe.request)).status });
      return { answers };
    });
    backend.close();
    if ("refused" in served) throw new Error(served.refused);
    probes = served.answers;
  });

  test("reports what the server does for each request", () => {
    expect(disagreements).toEqual([]);
    for (const effect of ["read", "listing", "run", "write", "fetch", "protected"])
      expect(confirmed.get(effect), effect).toBeGreaterThan(1);
  });

  test("reports forward proxies that fetch URLs and open connections", () => {
    expect(confirmed.get("fetch")).toBeGreaterThanOrEqual(5);
  });

  test("reports the statuses that the server returns for sensitive paths", () => {
    expect(probes.filter(({ probe, status }) => probe.status !== status)).toEqual([]);
    const exposed = probes.filter(({ probe }) => probe.outcome === "exposed").map(({ probe }) => probe.path);
    expect(exposed).toEqual(expect.arrayContaining(["/.git/config", "/.env", "/backup.sql", "/phpinfo.php"]));
    expect(exposed).not.toContain("/wp-config.php.bak");
  });
});
