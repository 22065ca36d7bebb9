/** A server with virtual hosts, and requests with the host that handles each. */
export interface ServerCase {
  readonly title: string;
  /**
   * Lines before the virtual hosts. PORT and OTHER are two ports that the server listens on, at 127.0.0.1, 127.0.0.2
   * and [::1].
   */
  readonly own?: readonly string[];
  /** The arguments of each VirtualHost line, and its contents. */
  readonly hosts: readonly (readonly [addresses: string, ...lines: readonly string[]])[];
  /**
   * The number of the host that handles a request to `ADDRESS:PORT NAME`, -1 for the main server; without a name no
   * Host header is sent.
   */
  readonly answers: Readonly<Record<string, number>>;
}

const one = ["*:PORT", "ServerName one.test"] as const;
const two = ["*:PORT", "ServerName two.test"] as const;

/** The responses of a live 2.4 (test/live/virtual-hosts.live.test.ts). */
export const serverCases: readonly ServerCase[] = [
  { title: "no virtual host", hosts: [], answers: { "127.0.0.1:PORT one.test": -1, "127.0.0.1:PORT x.test": -1 } },
  {
    title: "by name, or else the first",
    hosts: [one, two],
    answers: {
      "127.0.0.1:PORT one.test": 0,
      "127.0.0.1:PORT two.test": 1,
      "127.0.0.1:PORT TWO.Test": 1,
      "127.0.0.1:PORT two.test.": 1,
      "127.0.0.1:PORT two.test:PORT": 1,
      "127.0.0.1:PORT two.test.:99": 1,
      "127.0.0.1:PORT other.test": 0,
      "127.0.0.1:PORT x.test": 0,
      "127.0.0.1:PORT": 0,
      "127.0.0.1:OTHER two.test": -1,
      "127.0.0.2:PORT two.test": 1,
    },
  },
  {
    title: "a ServerName with a scheme and a port",
    hosts: [one, ["*:PORT", "ServerName https://Two.Test:8443"]],
    answers: { "127.0.0.1:PORT two.test": 1, "127.0.0.1:PORT two.test:8443": 1, "127.0.0.1:PORT https": 0 },
  },
  {
    title: "aliases with and without wildcards",
    hosts: [
      one,
      ["*:PORT", "ServerName two.test", "ServerAlias Two other.test", "ServerAlias *.two.test w?w.test"],
      ["*:PORT", "ServerName deep.two.test", "ServerAlias three.test"],
    ],
    answers: {
      "127.0.0.1:PORT two": 1,
      "127.0.0.1:PORT other.test": 1,
      "127.0.0.1:PORT a.two.test": 1,
      "127.0.0.1:PORT a.b.two.test": 1,
      "127.0.0.1:PORT .two.test": 1,
      "127.0.0.1:PORT deep.two.test": 1,
      "127.0.0.1:PORT www.test": 1,
      "127.0.0.1:PORT wow.TEST": 1,
      "127.0.0.1:PORT ww.test": 0,
      "127.0.0.1:PORT three.test": 2,
    },
  },
  {
    title: "a wildcard after the host with the name",
    hosts: [one, two, ["*:PORT", "ServerName three.test", "ServerAlias t*.test"]],
    answers: { "127.0.0.1:PORT two.test": 1, "127.0.0.1:PORT ten.test": 2 },
  },
  {
    title: "the address precedes any address, and the port precedes any port",
    hosts: [
      ["*:PORT", "ServerName any.test"],
      ["127.0.0.1:*", "ServerName address.test"],
      ["127.0.0.1:PORT", "ServerName both.test"],
      ["*:*", "ServerName none.test"],
      ["[::1]:PORT", "ServerName six.test"],
    ],
    answers: {
      "127.0.0.1:PORT any.test": 2,
      "127.0.0.1:PORT address.test": 2,
      "127.0.0.1:PORT none.test": 2,
      "127.0.0.1:OTHER any.test": 1,
      "127.0.0.1:OTHER both.test": 1,
      "127.0.0.2:PORT both.test": 0,
      "127.0.0.2:PORT none.test": 0,
      "127.0.0.2:OTHER any.test": 3,
      "[::1]:PORT any.test": 4,
      "[::1]:OTHER any.test": 3,
    },
  },
  {
    title: "a host at several addresses",
    hosts: [
      ["127.0.0.1:PORT 127.0.0.2:OTHER", "ServerName one.test"],
      ["127.0.0.1:PORT 127.0.0.2:OTHER", "ServerName two.test"],
    ],
    answers: {
      "127.0.0.1:PORT two.test": 1,
      "127.0.0.2:OTHER two.test": 1,
      "127.0.0.1:OTHER two.test": -1,
      "127.0.0.2:PORT two.test": -1,
    },
  },
  {
    title: "hosts without a name use that of the main server",
    own: ["ServerName Main.test:8080"],
    hosts: [one, ["*:PORT"], two],
    answers: { "127.0.0.1:PORT main.test": 1, "127.0.0.1:PORT two.test": 2, "127.0.0.1:PORT x.test": 0 },
  },
  {
    title: "a host without a name at one and at any address uses that of the main server",
    own: ["ServerName main.test"],
    hosts: [
      ["127.0.0.1:PORT", "ServerName one.test"],
      ["127.0.0.1:PORT *:PORT", "ServerAlias two.test"],
    ],
    answers: { "127.0.0.1:PORT main.test": 1, "127.0.0.1:PORT two.test": 1, "127.0.0.1:PORT x.test": 0 },
  },
  {
    title: "the address of a VirtualHost line is a name if no other matches",
    hosts: [
      ["127.0.0.1:PORT", "ServerName one.test"],
      ["127.0.0.1:PORT 127.0.0.2:OTHER", "ServerName two.test"],
      ["127.0.0.2:OTHER", "ServerName three.test"],
    ],
    answers: {
      "127.0.0.1:PORT 127.0.0.1": 0,
      "127.0.0.1:PORT 127.0.0.2": 0,
      "127.0.0.2:OTHER 127.0.0.2": 1,
      "127.0.0.2:OTHER 127.0.0.1": 1,
    },
  },
  {
    title: "an address that only a later host has",
    hosts: [
      ["*:PORT", "ServerName one.test"],
      ["_default_:PORT 127.0.0.2:PORT", "ServerName two.test"],
    ],
    answers: {
      "127.0.0.1:PORT 127.0.0.2": 0,
      "127.0.0.2:PORT 127.0.0.2": 1,
      "127.0.0.2:PORT one.test": 1,
      "127.0.0.1:PORT two.test": 1,
    },
  },
  {
    title: "a ServerPath, for requests without a name",
    hosts: [
      one,
      ["*:PORT", "ServerName two.test", "ServerPath /elsewhere"],
      ["*:PORT", "ServerName three.test", "ServerPath /"],
    ],
    answers: { "127.0.0.1:PORT": 2, "127.0.0.1:PORT other.test": 0, "127.0.0.1:OTHER": -1 },
  },
  {
    title: "NameVirtualHost has no effect",
    own: ["ServerName x.test"],
    hosts: [
      ["127.0.0.1:PORT", "ServerName one.test"],
      ["127.0.0.1:PORT", "ServerName two.test"],
    ],
    answers: { "127.0.0.1:PORT two.test": 1 },
  },
];

/** The two ports of a server. */
export type Ports = Readonly<Record<"PORT" | "OTHER", number>>;

export interface ServerRequest {
  /** Without brackets. */
  readonly address: string;
  readonly port: number;
  readonly host: string | undefined;
}

/** Returns the lines of a case; each server redirects to its number. */
export function linesOf({ own = [], hosts }: ServerCase, ports: Ports): readonly string[] {
  const sections = hosts.flatMap(([addresses, ...lines], number) => [
    `<VirtualHost ${addresses}>`,
    ...lines,
    `Redirect / http://answered.test/${number}/`,
    "</VirtualHost>",
  ]);
  return [...own, "Redirect / http://answered.test/-1/", ...sections].map((line) => withPorts(line, ports));
}

/** The name of a server in its response to a request, as `%{SERVER_NAME} %{SERVER_PORT} %{REQUEST_SCHEME}`. */
export interface NamingCase {
  /** Of the virtual host. */
  readonly lines: readonly string[];
  readonly host: string | undefined;
  readonly is: string;
}

/** The main server's is `x.test`, the virtual host's line `*:PORT`. */
export const namingCases: readonly NamingCase[] = [
  { lines: ["ServerName own.test"], host: undefined, is: "own.test 80 http" },
  { lines: ["ServerName own.test"], host: "Own.test", is: "own.test 80 http" },
  { lines: ["ServerName own.test"], host: "other.test:81", is: "other.test 81 http" },
  { lines: ["ServerName own.test:8080"], host: "own.test", is: "own.test 8080 http" },
  { lines: ["ServerName own.test:8080"], host: "own.test:81", is: "own.test 81 http" },
  { lines: ["ServerName own.test:8080", "UseCanonicalName On"], host: "other.test:81", is: "own.test 8080 http" },
  { lines: ["ServerName own.test:8080", "UseCanonicalName on"], host: undefined, is: "own.test 8080 http" },
  { lines: ["ServerName own.test", "UseCanonicalName On"], host: "other.test:81", is: "own.test 80 http" },
  { lines: ["ServerName https://own.test", "UseCanonicalName On"], host: "own.test", is: "own.test 443 https" },
  { lines: ["ServerName HTTPS://own.test:8443"], host: "own.test", is: "own.test 8443 https" },
  { lines: ["ServerName http://own.test"], host: "own.test", is: "own.test 80 http" },
  { lines: ["ServerName own.test", "UseCanonicalPhysicalPort On"], host: "own.test", is: "own.test PORT http" },
  { lines: ["ServerName own.test", "UseCanonicalPhysicalPort On"], host: "own.test:81", is: "own.test 81 http" },
  { lines: ["ServerName own.test:8080", "UseCanonicalPhysicalPort On"], host: "own.test", is: "own.test PORT http" },
  {
    lines: ["ServerName own.test:8080", "UseCanonicalName On", "UseCanonicalPhysicalPort On"],
    ...{ host: "own.test:81", is: "own.test 8080 http" },
  },
  {
    lines: ["ServerName own.test", "UseCanonicalName On", "UseCanonicalPhysicalPort On"],
    ...{ host: "own.test:81", is: "own.test PORT http" },
  },
  { lines: ["UseCanonicalName Off"], host: undefined, is: "x.test PORT http" },
  { lines: ["UseCanonicalName On"], host: "other.test:81", is: "x.test PORT http" },
  { lines: [], host: "other.test", is: "other.test PORT http" },
];

/** Returns the lines of a server that redirects to its own name. */
export function namingLinesOf({ lines }: NamingCase, ports: Ports): readonly string[] {
  const rule = "RewriteRule ^ http://answered.test/%{SERVER_NAME}/%{SERVER_PORT}/%{REQUEST_SCHEME}/? [R,L]";
  const all = ["<VirtualHost *:PORT>", ...lines, "RewriteEngine on", rule, "</VirtualHost>"];
  return all.map((line) => (line === rule ? line : withPorts(line, ports)));
}

/** Parses one request of a case. */
export function parseServerRequest(request: string, ports: Ports): ServerRequest {
  const [, address = "", port, host] = /^\[?(.+?)\]?:(\d+)(?: (.*))?$/.exec(withPorts(request, ports)) ?? [];
  return { address, port: Number(port), host };
}

/** Substitutes the ports in a text. */
export function withPorts(text: string, { PORT, OTHER }: Ports): string {
  return text.replaceAll("PORT", String(PORT)).replaceAll("OTHER", String(OTHER));
}
