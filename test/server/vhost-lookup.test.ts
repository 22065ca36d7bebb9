import { describe, expect, test } from "vitest";
import type { Release } from "../../src/facts/release.js";
import { SimulatedServer } from "../../src/server/answer.js";
import { createListedFiles } from "../../src/server/model/file-tree.js";
import { Oracle } from "../../src/server/model/oracle.js";
import type { Request } from "../../src/server/model/request.js";
import { readListenAddress, readListenLine, type Server } from "../../src/server/model/server.js";
import { type UnknownFact, unknownFact } from "../../src/server/model/unknown-facts.js";
import {
  findNamingLines,
  matchesHost,
  nameSettingsOf,
  serverNamesOf,
  stripServerName,
} from "../../src/server/request/server-names.js";
import { ServerLookup } from "../../src/server/request/vhost-lookup.js";
import {
  linesOf,
  namingCases,
  namingLinesOf,
  parseServerRequest,
  serverCases,
  withPorts,
} from "../support/cases/server-cases.js";
import { loadText } from "../support/projects.js";

const ports = { PORT: 8000, OTHER: 8001 };

function projectOf(lines: readonly string[], release: Release = "2.4") {
  return loadText(`${lines.join("\n")}\n`, { kind: "server", release });
}

function serversOf(lines: readonly string[], release: Release = "2.4"): ServerLookup {
  return new ServerLookup(projectOf(lines, release).directives, release);
}

/** Returns the number of the host that handles a request. */
function hostOf(servers: ServerLookup, parts: Partial<Request>, oracle = new Oracle(new Map())): number {
  const request = { method: "GET", path: "/", clientIp: "192.0.2.7", ...parts };
  const server = servers.serverOf(request, oracle);
  return servers.hosts.map((host): Server => host).indexOf(server);
}

describe("2.4 selects the same virtual host as the live server", () => {
  test.each(serverCases)("$title", (each) => {
    const servers = serversOf(["ServerName x.test", ...linesOf(each, ports)]);
    const answers = Object.keys(each.answers).map((ask) => {
      const { address, port, host } = parseServerRequest(ask, ports);
      return [ask, hostOf(servers, { serverIp: address, port, ...(host === undefined ? {} : { host }) })];
    });
    expect(Object.fromEntries(answers)).toEqual(each.answers);
  });
});

const hostLines = (addresses: string, name: string) => [
  `<VirtualHost ${addresses}>`,
  `ServerName ${name}`,
  "</VirtualHost>",
];

test("a virtual host is selected by its address as text if no host has the name", () => {
  const lines = [...hostLines("[2001:db8::1]:80", "one.test"), ...hostLines("[2001:db8:0::1]:80", "two.test")];
  const hosts = ["[2001:db8::1]", "[2001:db8:0::1]", "[2001:db8:0:0::1]"];
  const found = hosts.map((host) => hostOf(serversOf(lines), { serverIp: "2001:db8::1", host }));
  expect(found).toEqual([0, 1, 0]);
});

describe("2.2 selects", () => {
  const both = [...hostLines("*:80", "one.test"), ...hostLines("*:80", "two.test")];
  const atAddress = [...hostLines("192.0.2.1:80", "one.test"), ...hostLines("192.0.2.1:80", "two.test")];

  test.each<[title: string, lines: readonly string[], request: Partial<Request>, number: number]>([
    ["the first host if no NameVirtualHost has the address", both, { host: "two.test" }, 0],
    [
      "the host with the name if a NameVirtualHost has the address",
      ["NameVirtualHost *:80", ...both],
      { host: "two.test" },
      1,
    ],
    [
      "the host with the name if a NameVirtualHost has any port",
      ["NameVirtualHost *", ...both],
      { host: "two.test" },
      1,
    ],
    ["the first host if no host has the name", ["NameVirtualHost *:80", ...both], { host: "x.test" }, 0],
    ["the first host if NameVirtualHost has another port", ["NameVirtualHost *:81", ...both], { host: "two.test" }, 0],
    [
      "the first host if NameVirtualHost has another address",
      ["NameVirtualHost 192.0.2.1:80", ...both],
      { host: "two.test" },
      0,
    ],
    [
      "the first host if NameVirtualHost has a host name",
      ["NameVirtualHost www.test:80", ...both],
      { host: "two.test" },
      0,
    ],
    [
      "the host with the name at an address",
      ["NameVirtualHost 192.0.2.1:80", ...atAddress],
      { host: "two.test", serverIp: "192.0.2.1" },
      1,
    ],
    [
      "the first host at an address without NameVirtualHost",
      ["NameVirtualHost *:80", ...atAddress],
      { host: "two.test", serverIp: "192.0.2.1" },
      0,
    ],
    [
      "the main server at another address",
      ["NameVirtualHost *:80", ...atAddress],
      { host: "two.test", serverIp: "192.0.2.2" },
      -1,
    ],
    ["the main server at another port", ["NameVirtualHost *:80", ...both], { host: "two.test", port: 81 }, -1],
    [
      "a host for all ports, which is not among those of a NameVirtualHost with a port",
      ["NameVirtualHost *:80", ...hostLines("*", "one.test"), ...hostLines("*:80", "two.test")],
      { host: "two.test" },
      0,
    ],
    [
      "a host by its address before a later one by that name",
      [
        "NameVirtualHost 192.0.2.1:80",
        ...hostLines("192.0.2.1:80", "a.test"),
        ...hostLines("192.0.2.1:80", "192.0.2.1"),
      ],
      { host: "192.0.2.1", serverIp: "192.0.2.1" },
      0,
    ],
    [
      "a host before one for all ports, without comparing names",
      ["NameVirtualHost *:80", ...hostLines("*:80", "one.test"), ...hostLines("*", "two.test")],
      { host: "two.test" },
      0,
    ],
    [
      "the first host of a NameVirtualHost without a port, also one for another port",
      ["NameVirtualHost *", ...hostLines("*:81", "one.test"), ...hostLines("*:80", "two.test")],
      { host: "x.test" },
      0,
    ],
    [
      "the first host at an address without names, also one for all ports",
      [...hostLines("192.0.2.1", "one.test"), ...hostLines("192.0.2.1:80", "two.test")],
      { host: "two.test", serverIp: "192.0.2.1" },
      0,
    ],
  ])("%s", (_, lines, request, number) => {
    expect(hostOf(serversOf(lines, "2.2"), request)).toBe(number);
  });

  test("a host without a ServerName by the name of the main server", () => {
    const lines = ["ServerName main.test", "NameVirtualHost *:80", ...hostLines("*:80", "one.test")];
    const servers = serversOf([...lines, "<VirtualHost *:80>", "</VirtualHost>"], "2.2");
    expect(hostOf(servers, { host: "main.test" })).toBe(1);
  });
});

describe.each(["2.2", "2.4"] as const)("%s", (release) => {
  const portsOf = (lines: readonly string[], serverIp = "192.0.2.1") =>
    [80, 81, 82].filter((port) => hostOf(serversOf(lines, release), { serverIp, port }) >= 0);
  const named = (name: string) => [`ServerName ${name}`];

  // As live 2.2.34 and 2.4.71 answer.
  test.each<[addresses: string, before: string, ports: readonly number[]]>([
    ["192.0.2.1", "x.test:81", [81]],
    ["_default_", "x.test:81", [81]],
    ["192.0.2.1", "x.test", [80, 81, 82]],
    ["*", "x.test:81", [80, 81, 82]],
    ["192.0.2.1:*", "x.test:81", [80, 81, 82]],
    ["192.0.2.1:80", "x.test:81", [80]],
    ["192.0.2.1 192.0.2.1:80", "x.test:81", [80, 81]],
  ])("gives <VirtualHost %s> after `ServerName %s` the ports %j", (addresses, before, expected) => {
    expect(portsOf([...named(before), ...hostLines(addresses, "one.test")])).toEqual(expected);
  });

  test("gives a host the port of the last ServerName before it", () => {
    const host = hostLines("192.0.2.1", "one.test");
    expect(portsOf([...named("x.test:81"), ...named("x.test:82"), ...host])).toEqual([82]);
    expect(portsOf([...named("x.test:81"), ...named("x.test"), ...host])).toEqual([80, 81, 82]);
    expect(portsOf([...host, ...named("x.test:81")])).toEqual([80, 81, 82]);
  });
});

describe("an unresolved name", () => {
  const withoutName = [
    "ServerName x.test",
    ...hostLines("192.0.2.1:80", "one.test"),
    "<VirtualHost 192.0.2.1:80>",
    "</VirtualHost>",
  ];

  test.each<[what: string, lines: readonly string[], fact: UnknownFact, ifTrue: number, ifFalse: number]>([
    [
      "in a VirtualHost line",
      hostLines("www.test:80", "one.test"),
      ...([unknownFact("server-address", "www.test"), 0, -1] as const),
    ],
    [
      "with other letters, as people read it",
      hostLines("www.bücher.test:80", "one.test"),
      ...([unknownFact("server-address", "www.bücher.test"), 0, -1] as const),
    ],
    [
      "of a host that has only an address",
      withoutName,
      ...([unknownFact("name-of-address", "192.0.2.1", "other.test"), 1, 0] as const),
    ],
  ])("%s is an unknown fact", (_, lines, fact, ifTrue, ifFalse) => {
    const answers = [true, false].map((answer) => {
      const oracle = new Oracle(new Map([[fact, answer]]));
      return hostOf(serversOf(lines), { host: "other.test", serverIp: "192.0.2.1" }, oracle);
    });
    expect(answers).toEqual([ifTrue, ifFalse]);
  });

  test.each([
    ["with an address", hostLines("www.test:80 192.0.2.9:80", "one.test")],
    ["on one of two hosts", [...hostLines("www.test:80", "one.test"), ...hostLines("192.0.2.9:80", "two.test")]],
  ])("%s is an unknown fact for each request", (_, lines) => {
    const servers = serversOf(lines);
    const answers = [true, false, true].map((answer) => {
      const oracle = new Oracle(new Map([[unknownFact("server-address", "www.test"), answer]]));
      return hostOf(servers, { host: "one.test", serverIp: "192.0.2.1" }, oracle);
    });
    expect(answers).toEqual([0, -1, 0]);
  });

  test.each(["one.test", "192.0.2.1", "192.0.2.9"])(
    "is not needed for %s, which an earlier host has, or which is not a name",
    (host) => {
      const oracle = new Oracle(new Map());
      expect(hostOf(serversOf(withoutName), { host, serverIp: "192.0.2.1" }, oracle)).toBe(0);
      expect([...oracle.answered]).toEqual([]);
    },
  );
});

describe("a host without a ServerName for any address has the name of the machine", () => {
  const lines = [
    ...hostLines("*:80", "one.test"),
    "<VirtualHost *:80>",
    "</VirtualHost>",
    ...hostLines("*:80", "two.test"),
  ];
  const fact = unknownFact("own-name", "other.test");

  test.each([
    [true, 1],
    [false, 0],
  ])("which is equal to the requested name: %s", (answer, host) => {
    const oracle = new Oracle(new Map([[fact, answer]]));
    expect(hostOf(serversOf(lines), { host: "other.test" }, oracle)).toBe(host);
  });

  test.each([
    ["a name that another host has", lines, "two.test", 2],
    ["the first host, which is the default", lines.slice(3), "other.test", 0],
    ["a server with a ServerName", ["ServerName x.test", ...lines], "other.test", 0],
  ])("which is not needed for %s", (_, config, host, index) => {
    const oracle = new Oracle(new Map());
    expect(hostOf(serversOf(config), { host }, oracle)).toBe(index);
    expect([...oracle.answered]).toEqual([]);
  });

  test("which is needed for StrictHostCheck", () => {
    const project = projectOf(["StrictHostCheck On", "<VirtualHost *:80>", "</VirtualHost>"]);
    const simulatedServer = new SimulatedServer(project, createListedFiles([]));
    const { unknownFacts } = simulatedServer.answer({
      method: "GET",
      path: "/",
      host: "other.test",
      clientIp: "192.0.2.7",
    });
    expect(unknownFacts).toEqual([fact]);
  });
});

describe("a host without a name", () => {
  const first = hostLines("192.0.2.1:80", "one.test");
  const second = (addresses: string, ...lines: readonly string[]) => [
    `<VirtualHost ${addresses}>`,
    ...lines,
    "</VirtualHost>",
  ];

  test.each<[title: string, lines: readonly string[], host: string]>([
    ["has the name of the main server if one of its addresses is any", second("192.0.2.1:80 *:80"), "x.test"],
    ["is selected by its alias", second("192.0.2.1:80", "ServerAlias two.test"), "two.test"],
  ])("%s", (_, lines, host) => {
    const oracle = new Oracle(new Map());
    const servers = serversOf(["ServerName x.test", ...first, ...lines]);
    expect(hostOf(servers, { host, serverIp: "192.0.2.1" }, oracle)).toBe(1);
    expect([...oracle.answered]).toEqual([]);
  });
});

describe("server names", () => {
  test.each(namingCases)("are those of the live server with $lines and the Host $host: $is", (each) => {
    const servers = serversOf(["ServerName x.test", ...namingLinesOf(each, ports)]);
    const request = { method: "GET", path: "/", clientIp: "192.0.2.7", port: ports.PORT };
    const namedRequest: Request = each.host === undefined ? request : { ...request, host: each.host };
    const server = servers.serverOf(namedRequest, new Oracle(new Map()));
    const { serverName, serverPort, scheme } = serverNamesOf(nameSettingsOf(server, server.layers), namedRequest);
    expect(`${serverName} ${serverPort} ${scheme}`).toBe(withPorts(each.is, ports));
  });

  test("are unknown with UseCanonicalName DNS", () => {
    const { main } = serversOf(["ServerName x.test", "UseCanonicalName DNS"]);
    const request = { method: "GET", path: "/", clientIp: "192.0.2.7", host: "a.test" };
    expect(serverNamesOf(nameSettingsOf(main, main.layers), request).serverName).toBeUndefined();
  });

  test("have port 443 with TLS, and no port of the Host header in subrequests", () => {
    const { main } = serversOf(["ServerName x.test"]);
    const naming = nameSettingsOf(main, main.layers);
    const outer: Request = { method: "GET", path: "/", clientIp: "192.0.2.7", host: "a.test:81", scheme: "https" };
    expect(serverNamesOf(naming, outer)).toMatchObject({ serverPort: 81, scheme: "https" });
    expect(serverNamesOf(naming, { ...outer, outer })).toMatchObject({ serverPort: 443, scheme: "https" });
  });

  test.each([
    [["HostnameLookups On"], true],
    [["HostnameLookups double"], true],
    [["HostnameLookups Off"], false],
    [[], false],
  ])("include client names with %j: %j", (lines, looksUpNames) => {
    const { main } = serversOf(lines);
    expect(nameSettingsOf(main, main.layers)).toMatchObject({ looksUpNames });
  });
});

describe("detects whether a URL is for a server itself", () => {
  const host = (...lines: readonly string[]) =>
    serversOf([
      "ServerName Main.test:8080",
      "<VirtualHost 192.0.2.1:81 [2001:db8::1]:* W.test:82>",
      ...lines,
      "</VirtualHost>",
    ]);

  test.each<[host: string, port: number, isOwn: boolean]>([
    ["main.test", 8080, true],
    ["MAIN.test", 8080, true],
    ["main.test", 80, false],
    ["other.test", 8080, false],
    ["", 80, true],
  ])("the main server, with %s at %i: %j", (name, port, isOwn) => {
    expect(matchesHost(host().main, name, port)).toBe(isOwn);
  });

  test.each<[lines: readonly string[], host: string, port: number, isOwn: boolean]>([
    [[], "192.0.2.1", 81, true],
    [[], "192.0.2.1", 80, false],
    [[], "2001:DB8::1", 99, true],
    [[], "w.TEST", 82, true],
    [[], "w.test", 81, false],
    [[], "", 80, false],
    [[], "main.test", 81, true],
    [[], "main.test", 8080, false],
    [["ServerName Own.test"], "own.test", 0, true],
    [["ServerName own.test"], "own.test", 81, false],
    [["ServerName own.test:83"], "OWN.test", 83, true],
    [["ServerName own.test:83"], "main.test", 83, false],
    [["ServerName own.test:83", "ServerAlias *.own.test"], "a.own.test", 83, true],
    [["ServerName own.test:83", "ServerAlias also.test"], "Also.test", 83, true],
    [["ServerName own.test:83", "ServerAlias also.test"], "also.test", 81, false],
  ])("a virtual host with %j, with %s at %i: %j", (lines, name, port, isOwn) => {
    const [server] = host(...lines).hosts;
    expect(server && matchesHost(server, name, port)).toBe(isOwn);
  });
});

test.each([
  ["name.test", ["ServerName name.test"]],
  ["NAME.test.:80", ["ServerName name.test"]],
  ["other.test", ["ServerAlias also.test other.test"]],
  ["a.wild.test", ["ServerAlias *.wild.test"]],
  ["a[b].wild2.test", ["ServerAlias *[b].wild2.test"]],
  ["missing.test", []],
  [undefined, []],
  ["", []],
])("finds the lines that give a server the name %j: %j", (host, lines) => {
  const text = [
    "ServerName name.test",
    "ServerAlias also.test other.test",
    "ServerAlias *.wild.test",
    "ServerAlias *[b].wild2.test",
  ];
  const { main } = serversOf(text);
  const found = findNamingLines(main, host === undefined ? {} : { host });
  expect(found.map(({ name, argumentText }) => `${name} ${argumentText}`)).toEqual(lines);
});

test.each([
  ["name.test", "name.test"],
  ["Name.Test:80", "name.test"],
  ["https://name.test:443", "name.test"],
  ["name.test:x", "name.test:x"],
])("extracts the name from ServerName %s: %s", (written, name) => {
  expect(stripServerName(written)).toBe(name);
});

describe("reads the address of", () => {
  test.each([
    ["*", { address: undefined, name: undefined, port: 0, text: "*" }],
    ["*:80", { address: undefined, name: undefined, port: 80, text: "*" }],
    ["_DEFAULT_:80", { address: undefined, name: undefined, port: 80, text: "_DEFAULT_" }],
    ["a.test", { address: undefined, name: "a.test", port: 0, text: "a.test" }],
    ["a.test:*", { address: undefined, name: "a.test", port: 0, text: "a.test" }],
    ["192.0.2.1:8080", { address: { family: 4 }, name: undefined, port: 8080, text: "192.0.2.1" }],
    ["[2001:db8::1]:8080", { address: { family: 6 }, name: undefined, port: 8080, text: "2001:db8::1" }],
    ["[2001:db8::1]", { address: { family: 6 }, name: undefined, port: 0, text: "2001:db8::1" }],
  ])("VirtualHost %s", (text, address) => {
    expect(readListenAddress(text)).toMatchObject(address);
  });

  test.each([
    ["Listen 80", { name: undefined, port: 80, text: "*" }],
    ["Listen *:80", { name: undefined, port: 80, text: "*" }],
    ["Listen 192.0.2.1:80", { port: 80, text: "192.0.2.1" }],
    ["Listen 192.0.2.1", { port: 0, text: "192.0.2.1" }],
  ])("%s", (line, address) => {
    const [directive] = projectOf([line]).directives;
    expect(directive && readListenLine(directive)).toMatchObject(address);
  });
});

// The live server's answers (test/live/server-path.live.test.ts).
describe("ServerPath", () => {
  const host = ["<VirtualHost *:80>", "ServerName two.test", "DocumentRoot /two", "ServerPath /p", "</VirtualHost>"];
  const project = projectOf([
    "LoadModule authz_core_module m.so",
    "ServerName x.test",
    ...[...hostLines("*:80", "one.test"), ...host],
  ]);
  const simulatedServer = new SimulatedServer(project, createListedFiles(["/two/x.txt", "/two/p/y.txt"]));

  test.each<[path: string, host: string | undefined, status: number]>([
    ["/p/x.txt", undefined, 200],
    ["/p//x.txt", undefined, 200],
    ["/p/p/y.txt", undefined, 200],
    ["/p/y.txt", undefined, 404],
    ["/x.txt", undefined, 404],
    ["/p/x.txt", "two.test", 200],
    ["/x.txt", "two.test", 200],
    ["/p/x.txt", "one.test", 404],
  ])("%s for %s: %i", (path, name, status) => {
    const request = { method: "GET", path, clientIp: "192.0.2.7" };
    expect(simulatedServer.answer(name === undefined ? request : { ...request, host: name }).status).toBe(status);
  });

  test("does not select the server of a connection", () => {
    const { directives } = project;
    const request = { method: "GET", path: "/p/x.txt", clientIp: "192.0.2.7" };
    const server = new ServerLookup(directives, "2.4").defaultServerOf(request, new Oracle(new Map()));
    expect(server.layer.setting("servername")?.argumentText).toBe("one.test");
  });
});
