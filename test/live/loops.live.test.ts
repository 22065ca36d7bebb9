import { request as plainRequest } from "node:http";
import { request as tlsRequest } from "node:https";
import { beforeAll, describe, expect, test } from "vitest";
import { makeCertificate } from "../support/httpd/certificate.js";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { freePort } from "../support/httpd/ports.js";
import { withRunningHttpd } from "../support/httpd/running-httpd.js";
import { sharedFolder } from "../support/programs/test-folder.js";
import { loopCases, probedPaths, siteFiles } from "./loop-cases.js";

const modules = "authn_core authz_core alias dir env rewrite setenvif ssl".split(" ");

interface Sent {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly cookie?: string;
}

interface Response {
  readonly status: number;
  readonly cookie: string | undefined;
  readonly location: string | undefined;
}

describe.skipIf(!httpd)(liveTitle("requests that never end, on the live server"), () => {
  const folder = sharedFolder();
  /** The probed requests of each site that never end. */
  const endless: string[][] = [];

  beforeAll(async () => {
    const [tlsPort, key, certificate] = [await freePort(), folder.at("tls.key"), folder.at("tls.crt")];
    makeCertificate(key, certificate);
    const files: Record<string, string> = {};
    const lines = [`Listen 127.0.0.1:${tlsPort}`, "DirectoryIndex index.html index.php"];
    for (const [index, { htaccess, host = "", tls, files: more = {} }] of loopCases.entries()) {
      for (const name of siteFiles) files[`s${index}/${name}`] = "\n";
      for (const [name, text] of Object.entries(more)) files[`s${index}/${name}`] = text;
      if (htaccess !== undefined) files[`s${index}/.htaccess`] = `${filledIn(htaccess, index)}\n`;
      const root = `DOCROOT/s${index}`;
      const site = (own: string) => [
        ...[`ServerName s${index}.test`, `ServerAlias www.s${index}.test`, `DocumentRoot "${root}"`],
        ...[`<Directory "${root}">`, "AllowOverride All", "Require all granted", "</Directory>"],
        filledIn(own, index).replaceAll("DOCROOT", root),
      ];
      lines.push("<VirtualHost *>", ...site(host), "</VirtualHost>");
      const own = [`SSLEngine on`, `SSLCertificateFile "${certificate}"`, `SSLCertificateKeyFile "${key}"`];
      if (tls !== undefined) lines.push(`<VirtualHost *:${tlsPort}>`, ...own, ...site(tls), "</VirtualHost>");
    }
    const run = async ({ url }: { url(path: string): string }) => {
      const ports = { http: Number(new URL(url("/")).port), https: tlsPort };
      for (const index of loopCases.keys()) {
        const found = await Promise.all(
          requestsTo(index).map(async (sent) => ((await isEndless(sent, ports)) ? [nameOf(sent)] : [])),
        );
        endless.push(found.flat());
      }
    };
    await withRunningHttpd(modules, lines, run, files);
  }, 120_000);

  test.each(loopCases.map((each, index) => [each.title, each, index] as const))("%s", (_, { loops }, index) => {
    expect([...new Set(endless[index])]).toEqual(loops === undefined ? [] : [loops]);
  });
});

function filledIn(text: string, index: number): string {
  return text.replaceAll("HOST", (word, at: number) => (text.charAt(at - 1) === "_" ? word : `s${index}.test`));
}

/** Returns the request that never ends, or all that must end. */
function requestsTo(index: number): readonly Sent[] {
  const { tls, loops, htaccess = "", host: ofHost = "" } = loopCases[index] ?? {};
  const schemes = tls === undefined ? ["http"] : ["http", "https"];
  const isAboutNames = /www/.test(`${htaccess}${ofHost}${tls}`);
  const hosts = [`s${index}.test`, ...(isAboutNames ? [`www.s${index}.test`] : [])];
  return schemes
    .flatMap((scheme) => hosts.flatMap((host) => probedPaths.map((path) => ({ scheme, host, path }))))
    .filter((sent) => loops === undefined || nameOf(sent) === loops);
}

function nameOf({ scheme, path }: Sent): string {
  return scheme === "https" ? `https:${path}` : path;
}

/** Follows redirects to the same site as browsers do. */
async function isEndless(first: Sent, ports: Readonly<Record<string, number>>): Promise<boolean> {
  let sent = first;
  for (let hops = 0; hops < 20; hops++) {
    const { status, location, cookie = sent.cookie } = await ask(sent, ports);
    if (status === 500) return true;
    if (location === undefined) return false;
    const { protocol, hostname, pathname, search } = new URL(location, `${sent.scheme}://${sent.host}/`);
    const scheme = protocol.slice(0, -1);
    const isSameSite = hostname.replace(/^www\./, "") === first.host.replace(/^www\./, "");
    if (!isSameSite || (scheme === "https" && !hasTls(first))) return false;
    sent = { scheme, host: hostname, path: pathname + search, ...(cookie === undefined ? {} : { cookie }) };
  }
  return true;
}

function hasTls({ host }: Sent): boolean {
  return loopCases[Number(/s(\d+)/.exec(host)?.[1])]?.tls !== undefined;
}

function ask({ scheme, host, path, cookie }: Sent, ports: Readonly<Record<string, number>>): Promise<Response> {
  const options = {
    host: "127.0.0.1",
    port: ports[scheme],
    path,
    headers: { host, ...(cookie === undefined ? {} : { cookie }) },
    agent: false,
  };
  return new Promise((resolve, reject) => {
    const send = scheme === "https" ? tlsRequest : plainRequest;
    send({ ...options, rejectUnauthorized: false, servername: host }, (response) => {
      response.resume();
      const { location, "set-cookie": cookies } = response.headers;
      resolve({ status: response.statusCode ?? 0, location, cookie: cookies?.[0]?.replace(/;.*/, "") });
    })
      .on("error", reject)
      .end();
  });
}
