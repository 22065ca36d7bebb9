import type { Request } from "../../src/server/model/request.js";
import type { Random } from "../support/random/random.js";
import { pathsIn, type ServerPairText, type ServerText } from "./configuration-tree.js";
import { linesOf } from "./mutations.js";

/** Paths that lines of these servers are about. */
const paths: readonly string[] = [
  ...[
    "/",
    "/index.html",
    "/x.txt",
    "/a",
    "/a/",
    "/a/x.txt",
    "/a/index.html",
    "/a/t.cgi",
    "/a/page.php",
    "/a/doc",
    "/a/doc.html",
  ],
  ...[
    "/a/doc.html.de",
    "/a/map.var",
    "/a/map",
    "/a/image.map",
    "/a/raw.asis",
    "/a/none",
    "/a/b/",
    "/a/b",
    "/a/b/c.html",
    "/a/b/x.txt",
  ],
  ...[
    "/secret",
    "/secret/",
    "/secret/x.txt",
    "/secret/index.html",
    "/secret/none",
    "/d/",
    "/d/x.txt",
    "/d/none",
    "/d",
    "/old/x.txt",
  ],
  ...[
    "/old",
    "/px/",
    "/px/secret/x",
    "/px/a",
    "/bal/x",
    "/cgi-bin/run.cgi",
    "/cgi-bin/run.cgi/more",
    "/al/o.txt",
    "/al/",
    "/al",
  ],
  ...[
    "/server-status",
    "/dav/x.txt",
    "/dav/",
    "/~alice/x.txt",
    "/login",
    "/err.html",
    "/none",
    "/t.cgi",
    "/a/x.txt/info",
    "/a/t.cgi/info",
  ],
  ...[
    "/sc/t.cgi",
    "/m",
    "/lua",
    "/o.txt",
    "/icons/x.gif",
    "/balancer-manager",
    "/a/.htaccess",
    "/b/x.txt",
    "/php/x.txt",
    "/A/x.txt",
  ],
];

/** Other forms of a path. */
const variants: readonly [(path: string) => string, ...((path: string) => string)[]] = [
  (path) => path.replace(/\/(?=[^/]*$)/, "//"),
  (path) => path.replace(/(?!^)\/(?=[^/]*$)/, "//"),
  (path) => `/${path}`,
  (path) => `/a/..${path}`,
  ...[0, 1, 2, 3].map((at) => (path: string) => escapeLetter(path, at)),
  (path) => `/a%62/..${path}`,
  (path) => path.replace(/(?!^)\/(?=[^/]*$)/, "%2f"),
  (path) => `${path}/`,
  (path) => `${path}/info/x`,
  (path) => `${path}%20`,
  (path) => path.toUpperCase(),
  (path) => path.replace(/\.[a-z]+$/, ""),
];

/** Escapes a letter of a path, as any client may. */
function escapeLetter(path: string, at: number): string {
  let letters = 0;
  return path.replace(/[a-z]/gi, (letter) => (letters++ === at ? `%${letter.charCodeAt(0).toString(16)}` : letter));
}

const methods = ["GET", "GET", "GET", "GET", "POST", "PUT", "OPTIONS", "HEAD", "DELETE", "PROPFIND", "FOO"] as const;
const users = [undefined, undefined, "alice", "alice", "bob", "carol", "guest", "dave"] as const;
const headers: readonly [Readonly<Record<string, string>>, ...Readonly<Record<string, string>>[]] = [
  {},
  {},
  {},
  { "X-A": "1" },
  { "X-A": "2" },
  { "X-A": "0" },
  { "User-Agent": "bad" },
  { "User-Agent": "curl/8", "X-A": "1" },
  { Referer: "http://x.test/" },
  { "Accept-Language": "de" },
  { "Accept-Language": "en", Accept: "text/html" },
  { "X-Client": "10.1.2.3" },
  { "X-Forwarded-For": "10.1.2.3" },
  { Cookie: "session=private-user=alice&private-pw=secret" },
  { Range: "bytes=0-0" },
];
const hosts = ["x.test", "x.test", "x.test", "b.test", "www.b.test", "y.test", undefined] as const;

/** Clients that this machine can be. */
const liveClients = ["127.0.0.1", "127.0.0.1", "127.0.0.2", "127.0.0.2", "127.1.2.3"] as const;

/** Returns requests that show differences, first those to the paths of the lines that differ. */
export function drawRequests(random: Random, pair: ServerPairText, count: number): readonly Request[] {
  // `compare` promises nothing about TRACE if no line names it.
  const isTraced = [pair.before, pair.after].some((side) => linesOf(side).some(({ text }) => /trace/i.test(text)));
  const changed = [...pathsOf(pair.before), ...pathsOf(pair.after)];
  const near = changed.flatMap((path) => [path, `${path.replace(/\/$/, "")}/x.txt`]);
  const all = [...paths, ...near, ...near];
  const plain = all
    .slice(0, Math.min(all.length, Math.ceil(count / 2)))
    .map((path) => drawRequest(random, path, "GET"));
  const more = Array.from({ length: count - plain.length }, () => {
    const path = all[random.below(all.length)] ?? "/";
    return drawRequest(
      random,
      random.chance(0.3) ? random.pick(variants)(path) : path,
      isTraced && random.chance(0.1) ? "TRACE" : random.pick(methods),
    );
  });
  return [...plain, ...more];
}

function pathsOf({ lines, htaccess }: ServerText): readonly string[] {
  return [...pathsIn(lines), ...Object.values(htaccess).flatMap(pathsIn)]
    .filter((path) => path.length > 1)
    .slice(0, 20);
}

function drawRequest(random: Random, path: string, method: string): Request {
  const host = random.pick(hosts);
  const user = random.pick(users);
  const clientIp = random.pick(liveClients);
  const query = random.chance(0.15) ? random.pick(["a=1", "", "x"]) : undefined;
  return {
    ...{ method, path, clientIp, headers: random.pick(headers), grants: [], serverIp: "127.0.0.1" },
    ...(host === undefined ? {} : { host }),
    ...(user === undefined ? {} : { user, dbmGroups: [] }),
    ...(query === undefined ? {} : { query }),
    ...(clientIp === "127.0.0.1" ? { clientHost: "localhost" } : { isUnnamed: true }),
  };
}
