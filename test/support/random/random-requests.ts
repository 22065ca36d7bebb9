import fc from "fast-check";
import type { Request } from "../../../src/server/model/request.js";
import { pick } from "./random-texts.js";

const paths = [
  ...[
    "/",
    "/index.html",
    "/notes.txt",
    "/secret.html",
    "/a",
    "/a/",
    "/a/index.html",
    "/a/x.txt",
    "/a/b",
    "/a/b/",
    "/a/b/c.html",
    "/a/b/run.php",
  ],
  ...[
    "/a/x.txt/info",
    "/a/b/run.php/more/x",
    "/index.html/",
    "/a/index.html/x/y",
    "/notes.txt/a/b",
    "/d",
    "/d/",
    "/d/page.html",
    "/d/e.php",
    "/d/x.txt",
  ],
  ...[
    "/none",
    "/none/",
    "/none/deep/x.html",
    "/a/none.html",
    "/a/none/x.html",
    "/a/none/",
    "/sp%20ace/x%20y.txt",
    "/a.d/x.txt",
    "/a.d/",
    "/none.d/",
    "/A/x.txt",
  ],
  ...[
    "/al",
    "/al/",
    "/al/in/",
    "/al/in",
    "/al/in/p.html",
    "/al/o.txt",
    "/alx",
    "/al/none/x",
    "/am/x.txt",
    "/am",
    "/am/b/c.html",
    "/amx.txt",
    "/AM/x",
    "/sc/o.txt",
    "/sc/",
    "/x/p.html",
    "/x/",
  ],
  ...[
    "/r/x",
    "/r",
    "/p/",
    "/p/x",
    "/p/x/y",
    "/p",
    "/pm/a.html",
    "/pm/a/b.html",
    "/server-status",
    "/server-status/x",
    "/second",
    "/index.html.d/x",
    "/.htaccess",
    "/a/.htaccess",
  ],
];

/** Equivalent forms of a path, and forms with another target. */
const variants: readonly ((path: string) => string)[] = [
  (path) => path,
  (path) => `/${path}`,
  (path) => path.replace(/\/(?=[^/]*$)/, "//"),
  (path) => `/.${path}`,
  (path) => `/a/..${path}`,
  (path) => `/none/../a/..${path}`,
  (path) => `/..${path}`,
  (path) => path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  (path) => path.replace(/\.(?=[^.]*$)/, "%2e"),
  (path) => path.replace(/(?!^)\/(?=[^/]*$)/, "%2f"),
  (path) => path.replace(/(?!^)\/(?=[^/]*$)/, "%2F"),
  (path) => `${path}.`,
  (path) => `${path}/`,
  (path) => `${path}/.`,
  (path) => `${path}/..`,
  (path) => `${path}/./`,
  (path) => `${path}/../x.txt`,
  (path) => `${path}%20`,
  (path) => `${path}%00`,
  (path) => `${path}%zz`,
  (path) => `${path}%c3%a9`,
  (path) => `${path}//info//x`,
  (path) => `${path}/%2e%2e/`,
  (path) => `${path}/...`,
  (path) => `/%2e/${path}`,
  (path) => `${path};x=1`,
  (path) => `${path}%3fq`,
  (path) => `${path}\\x`,
  (path) => `${path}%25`,
  (path) => `${path}"<|^'&+*~:@`,
  (path) => path.replace(/\/(?=[^/]*$)/, "/%5c"),
  (path) => `/a/%2e%2e/%2E%2E${path}`,
  (path) => `${path}%2541`,
  (path) => `${path}%0a`,
  (path) => `${path}/%2e`,
  (path) => `/a%2f..${path}`,
  (path) => `//a.test${path}`,
  (path) => `${path}/${"x".repeat(300)}`,
];

const path = fc
  .tuple(
    pick(...paths),
    fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(variants.length - 1) }),
  )
  .map(([plain, variant]) => variants[variant]?.(plain) ?? plain);

/** The parts of a request, without the port, which is assigned later. */
export interface RandomRequest extends Omit<Request, "port" | "clientHost" | "groups" | "dbmGroups"> {
  readonly serverIp: "127.0.0.1" | "127.0.0.2";
  /** Index of one of the two ports. */
  readonly portIndex: 0 | 1;
}

const groups: Readonly<Record<string, readonly string[]>> = {
  alice: ["staff", "admins"],
  bob: ["staff"],
  root: ["root"],
};
export const dbmGroups: Readonly<Record<string, readonly string[]>> = {
  bob: ["ops"],
  carol: ["staff", "admins"],
  root: ["root"],
};

/** The users of the password file, all with the password `secret`. */
export const users = ["alice", "bob", "carol", "root"];

/** `NAME: MEMBERS` lines. */
export const groupFile = ["staff", "admins", "root"]
  .map((group) => `${group}: ${users.filter((user) => groups[user]?.includes(group)).join(" ")}\n`)
  .join("");

/** `USER GROUPS` lines. */
export const dbmGroupLines = Object.entries(dbmGroups)
  .map(([user, names]) => `${user} ${names.join(",")}\n`)
  .join("");

/** The addresses of clients. */
export const clients: readonly string[] = [
  ...["127.0.0.1", "10.1.2.3", "10.2.0.1", "192.0.2.7", "203.0.113.9", "2001:db8::1", "::1", "127.0.0.2"],
];

const headers = fc
  .tuple(
    fc.option(pick("a", "b", "", "10.1.2.3", "abc", "on", "index", "a, b", 'a "b"', "A"), { nil: undefined, freq: 2 }),
    fc.option(pick("On", "off", "a", "081", "Off", "0", "no"), { nil: undefined, freq: 1 }),
    fc.option(pick("curl/8", "Mozilla/5.0", ""), { nil: undefined, freq: 1 }),
    fc.option(pick("http://x.test/", 'a"\\b', "\xe9", ""), { nil: undefined, freq: 1 }),
  )
  .map(([a, b, agent, referer]) => ({
    ...(a === undefined ? {} : { "X-A": a }),
    ...(b === undefined ? {} : { "x-b": b }),
    ...(agent === undefined ? {} : { "User-Agent": agent }),
    ...(referer === undefined ? {} : { Referer: referer }),
  }));

const malformed = ["b.test:", "a..test", "1.2", "a.1", "a b", "a.test:99999", "", "[::1", "a%.test"];

/** Requests of every kind for the paths in the configurations. */
export const randomRequest: fc.Arbitrary<RandomRequest> = fc
  .record({
    path,
    method: fc.oneof(
      { weight: 6, arbitrary: fc.constant("GET") },
      {
        weight: 3,
        arbitrary: pick("HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PROPFIND", "TRACE", "FOO", "get", "PATCH"),
      },
    ),
    query: fc.oneof(
      { weight: 4, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: pick("q=1", "", "/a?b", 'a=%22&b="', "../x", "%zz") },
    ),
    host: fc.oneof(
      { weight: 8, arbitrary: fc.constant("x.test") },
      {
        weight: 20,
        arbitrary: pick(
          "a.test",
          "b.test",
          "A.TEST",
          "a.test:80",
          "b.test.",
          "www.a.test",
          "x.wild.test",
          "none.test",
          "127.0.0.1",
          "x.test:1",
          "c.test",
          "b.test:8080",
          "[::1]",
          "a_b.test",
          "WWW.A.TEST.:8080",
        ),
      },
      { weight: 4, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: pick(...malformed) },
    ),
    clientIp: pick(...clients),
    user: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 3, arbitrary: pick(...users, "dave") }),
    headers,
    serverIp: fc.constantFrom<"127.0.0.1" | "127.0.0.2">("127.0.0.1", "127.0.0.1", "127.0.0.2"),
    portIndex: fc.constantFrom<0 | 1>(0, 0, 1),
  })
  .map(({ query, host, user, clientIp, ...rest }) => ({
    ...rest,
    // mod_remoteip does not process a request with a malformed Host.
    clientIp: host !== undefined && malformed.includes(host) ? "127.0.0.1" : clientIp,
    ...(query === undefined ? {} : { query }),
    ...(host === undefined ? {} : { host }),
    ...(user === undefined ? {} : { user }),
  }));

/** Converts the request for the simulator, with the data that the server looks up itself. */
export function asDecided(
  request: RandomRequest,
  ports: readonly [number, number],
  names: ReadonlyMap<string, string>,
): Request {
  const { portIndex, ...rest } = request;
  const clientHost = names.get(request.clientIp);
  return {
    ...rest,
    port: ports[portIndex],
    ...(clientHost === undefined ? {} : { clientHost }),
    ...(clientHost === "localhost" ? { grants: ["forward-dns localhost"] } : { grants: [] }),
    ...(request.user === undefined
      ? {}
      : { groups: groups[request.user] ?? [], dbmGroups: dbmGroups[request.user] ?? [] }),
  };
}

/** Serializes the request; without a Host it must be HTTP/1.0. */
export function asSent(request: RandomRequest, id: number): string {
  const { method, path, query, host, user, clientIp, headers = {} } = request;
  const target = query === undefined ? path : `${path}?${query}`;
  const lines = [
    `${method} ${target} HTTP/${host === undefined ? "1.0" : "1.1"}`,
    ...(host === undefined ? [] : [`Host: ${host}`]),
    ...(user === undefined ? [] : [`Authorization: Basic ${btoa(`${user}:secret`)}`]),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    // The address of the test process.
    ...(clientIp === "127.0.0.1" ? [] : [`Client-Ip: ${clientIp}`]),
    ...[`Request-Id: ${id}`, "Connection: close", "", ""],
  ];
  return lines.join("\r\n");
}
