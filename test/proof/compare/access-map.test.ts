import { describe, expect, test } from "vitest";
import type { Project } from "../../../src/config/model/project.js";
import { lineOf, type Release, type ReleaseLine } from "../../../src/facts/release.js";
import type { ClientDescription } from "../../../src/proof/clients/client-description.js";
import { accessMap } from "../../../src/proof/compare/access-map.js";
import type { AccessMap, MappedScope } from "../../../src/proof/model/mapped-access.js";
import type { ServerPair } from "../../../src/proof/model/server-pairs.js";
import { describeClientAccess } from "../../../src/report/comparisons/map-words.js";
import { answerUnder } from "../../../src/server/definite-answer.js";
import { decisionClassOf } from "../../../src/server/model/answer.js";
import type { Request } from "../../../src/server/model/request.js";
import { prepareSimulation } from "../../../src/server/process-request.js";
import { formatLine } from "../../../src/server/trace/step.js";
import { isInSubnet, parseAddress, readSubnet } from "../../../src/text/addresses.js";
import { loadCase } from "../../support/cases/recorded-cases.js";
import { sampleOf } from "../../support/depth.js";
import { load } from "../../support/projects.js";
import { recordedPairs } from "./witnesses.js";

type Lines = readonly string[];

const common = ["authn_file", "auth_basic", "authz_user", "authz_groupfile", "authz_host", "setenvif", "alias", "dir"];
const modules: Readonly<Record<ReleaseLine, Lines>> = {
  "2.2": common,
  "2.4": [...common, "authn_core", "authz_core", "access_compat"],
};

function projectOf(lines: Lines, release: Release, htaccess?: Lines, more: Lines = []): Project {
  const text = `${['DocumentRoot "/srv/www"', ...lines].join("\n")}\n`;
  const files = htaccess ? { "/srv/www/.htaccess": `${htaccess.join("\n")}\n` } : {};
  const loaded = [...modules[lineOf(release)], ...more];
  return load({ "/etc/httpd/httpd.conf": text, ...files }, { release, kind: "server", modules: loaded });
}

const asServer = (project: Project) => ({ project, semantics: "server" }) as const;

/** Formats each scope of one release as a line. */
function mapLines(lines: Lines, release: Release = "2.4", htaccess?: Lines, more?: Lines): readonly string[] {
  return linesOf(accessMap(asServer(projectOf(lines, release, htaccess, more))));
}

/** Formats the scopes of both releases. */
function mapLinesOfBoth(lines: Lines): readonly string[] {
  return linesOf(accessMap(asServer(projectOf(lines, "2.2")), asServer(projectOf(lines, "2.4"))));
}

function linesOf({ servers, unknown }: AccessMap): readonly string[] {
  const scopes = servers.flatMap((server) => server.scopes);
  return [...scopes.map(rowOf), ...unknown.map(({ reason }) => `unknown: ${reason}`)];
}

function rowOf({ examples, methods, who, differs }: MappedScope): string {
  const by = methods.length === 0 ? "" : ` by ${methods.join(", ")}`;
  const all = differs
    ? who.map(describeClientAccess).join(" | ")
    : describeClientAccess(who[0] ?? { allowed: [], others: [] });
  return `${examples[0]}${by}: ${all}`;
}

const at = (path: string, ...lines: Lines) => [`<Location "${path}">`, ...lines, "</Location>"];
const authLines = ["AuthType Basic", "AuthName x", "AuthUserFile users"];

describe("descriptions of clients", () => {
  test("name all clients or no client", () => {
    expect(mapLines(at("/x", "Require all denied"))).toEqual(["/a: every client", "/x: no client (403)"]);
  });

  test("are the same for a server whose ServerName is not a valid host name", () => {
    const named = ["ServerName <b>", "<Location />", "Require ip 10.0.0.0/8", "</Location>"];
    expect(mapLines(named)).toEqual(mapLines(named.slice(1)));
  });

  test("name networks of IPv4 and IPv6", () => {
    expect(mapLines(at("/x", "Require ip 10.0.0.0/8 2001:db8::/32"))).toContain(
      "/x: 10.0.0.0/8, 2001:db8::/32; others: 403",
    );
    expect(mapLines(at("/x", "Order allow,deny", "Allow from all", "Deny from 192.0.2.0/24"))).toContain(
      "/x: any client except 192.0.2.0/24; others: 403",
    );
  });

  test("name any user, some users, and groups", () => {
    expect(mapLines(at("/x", ...authLines, "Require valid-user"))).toContain("/x: any logged-in user; others: 401");
    expect(mapLines(at("/x", ...authLines, "Require user anna bert"))).toContain(
      "/x: users `anna`, `bert`; others: 401",
    );
    expect(mapLines(at("/x", ...authLines, "AuthGroupFile groups", "Require group staff"))).toContain(
      "/x: any logged-in user if the user is in group `staff`; others: 401",
    );
  });

  test("name excluded users, and no conditions of other sections", () => {
    const but = ["<RequireAll>", "Require valid-user", "Require not user carol", "</RequireAll>"];
    const other = at("/y", ...authLines, "AuthGroupFile groups", "Require group staff");
    expect(mapLines([...at("/x", ...authLines, ...but), ...other])).toContain(
      "/x: any logged-in user except `carol`; others: 401",
    );
    expect(mapLines([...other, ...at("/x", ...authLines, "Require user Jörg")])).toContain(
      "/x: user `Jörg`; others: 401",
    );
  });

  test("negate a test", () => {
    const rule = ["RewriteEngine on", "RewriteCond %{HTTP_USER_AGENT} !good", "RewriteRule ^/x - [F]"];
    expect(mapLines(rule, "2.4", undefined, ["rewrite"])).toContain(
      "/x: any client if `%{HTTP_USER_AGENT}` matches `good`; others: 403",
    );
  });

  test("name an address or a user from other addresses", () => {
    const lines = at("/x", ...authLines, "Require ip 10.0.0.0/8", "Require valid-user");
    expect(mapLines(lines)).toContain("/x: 10.0.0.0/8; any logged-in user from other addresses; others: 401");
  });

  test("name a user at an address", () => {
    const both = ["<RequireAll>", "Require ip 10.0.0.0/8", "Require valid-user", "</RequireAll>"];
    expect(mapLines(at("/x", ...authLines, ...both))).toContain(
      "/x: any logged-in user from 10.0.0.0/8; others: 401 or 403",
    );
  });

  test("name variables and host names", () => {
    expect(mapLines(at("/x", "Require env let_me_in"))).toContain("/x: any client if `let_me_in` is set; others: 403");
    expect(mapLines(at("/x", "Require host example.org"))).toContain(
      "/x: any client if the client's name is in `example.org`; others: 403",
    );
  });

  test("distinguish methods with different access", () => {
    expect(mapLines(at("/x", "<Limit POST>", "Require all denied", "</Limit>"))).toEqual([
      "/a: every client",
      "/x by GET, any other method: every client",
      "/x by POST: no client (403)",
    ]);
  });

  test("name the lines of a `.htaccess` file themselves", () => {
    const root = ['<Directory "/srv/www">', "AllowOverride All", "</Directory>"];
    const map = accessMap(asServer(projectOf(root, "2.4", ["Require ip 10.0.0.0/8"])));
    expect(linesOf(map)).toContain("/a: 10.0.0.0/8; others: 403");
    const scope = map.servers[0]?.scopes.find(({ examples }) => examples.includes("/a"));
    expect(scope?.sections.map(formatLine)).toEqual(["Require ip 10.0.0.0/8"]);
  });

  test("name only the deciding sections", () => {
    const files = ['<Files "secret">', "Require all denied", "</Files>"];
    const map = accessMap(asServer(projectOf([...files, ...at("/x", "Order allow,deny", "Allow from all")], "2.4")));
    const denied = map.servers[0]?.scopes.filter(({ who }) => who[0]?.allowed.length === 0);
    expect(denied?.map(({ sections }) => sections.map(formatLine))).toContainEqual(['<Files "secret">']);
  });
});

describe("an access map of 2.2 and 2.4", () => {
  test("shows both results if they differ", () => {
    const lines = [...at("/x", "Deny from all", "Satisfy any"), ...at("/y", "Order allow,deny", "Allow from 10.0.0.1")];
    expect(mapLinesOfBoth(lines)).toEqual([
      "/a: every client",
      "/x: no client (403) | every client",
      "/y: 10.0.0.1; others: 403",
    ]);
  });
});

test("a method that is rejected for all clients is not shown as access", () => {
  const lines = mapLines(["TraceEnable Off", '<Location "/">', "Require ip 10.0.0.0/8", "</Location>"]);
  expect(lines.join("\n")).not.toMatch(/TRACE|TraceEnable|every/);
});

describe("a status other than 403", () => {
  test.each([
    ["Redirect /x http://y.test/", "redirect"],
    ["RedirectMatch 404 ^/x", "no client (404)"],
    ["Redirect gone /x", "no client (410)"],
    ["RewriteEngine on\nRewriteRule ^/x - [R=404]", "no client (404)"],
    ["RewriteEngine on\nRewriteCond %{REMOTE_ADDR} !^10\\.\nRewriteRule ^/x / [R]", "10.0.0.0/8; others: redirect"],
  ])("is shown for %s", (lines, access) => {
    expect(mapLines(lines.split("\n"), "2.4", undefined, ["rewrite"])).toEqual(["/a: every client", `/x: ${access}`]);
  });

  test("comes after 403, for other clients of the same path", () => {
    const rule = ["RewriteEngine on", "RewriteCond %{REMOTE_ADDR} !^10\\.", "RewriteRule ^/x / [R]"];
    const lines = mapLines([...rule, ...at("/x", "Require ip 10.1")], "2.4", undefined, ["rewrite"]);
    expect(lines).toContain("/x: 10.1.0.0/16; others: 403 or redirect");
  });

  test("twin: 403 denies access", () => {
    expect(mapLines(["RedirectMatch 403 ^/x"])).toContain("/x: no client (403)");
  });
});

test("names a pattern that is not regular", () => {
  const lines = ['<LocationMatch "^/(public)\\1">', "Require all denied", "</LocationMatch>"];
  expect(mapLines(lines).filter((line) => line.startsWith("unknown"))).toEqual([
    "unknown: whether the pattern `^/(public)\\1` matches `/a`",
    "unknown: whether the pattern `^/(public)\\1` matches `/a/`",
    "unknown: whether the pattern `^/(public)\\1` matches `/`",
  ]);
});

describe("recorded configurations of 2.2.34 and 2.4.71: the servers allow exactly the clients that the map allows", () => {
  const pairs = recordedPairs().filter((_, index) => index % 12 === 0);

  test.each(sampleOf(pairs, 8).map((pair) => ({ id: pair.before.id, ...pair })))("$id", ({ before, after }) => {
    for (const each of after ? [before, after] : [before]) {
      const { project } = loadCase(each);
      const { servers } = accessMap(asServer(project));
      const simulation = prepareSimulation(project, { kindOf: (_, mayBeFile) => (mayBeFile ? "file" : "directory") });
      for (const { entryPoints, scopes } of servers)
        for (const scope of scopes)
          if (scope.place === "file")
            expect(contradictionsOf(scope, entryPoints, (request) => classIn(simulation, request))).toEqual([]);
    }
  });
});

function classIn(setup: ReturnType<typeof prepareSimulation>, request: Request): string {
  return decisionClassOf(answerUnder(setup, request).status);
}

/** Returns the results that contradict the access map, except for clients with additional conditions. */
function contradictionsOf(
  { examples, methods, who }: MappedScope,
  entryPoints: ServerPair["entryPoints"],
  classFor: (request: Request) => string,
) {
  const [{ allowed, others } = { allowed: [], others: [] }] = who;
  const [path = "/"] = examples;
  // The map does not identify methods that no line names.
  const method = methods.length === 0 ? "GET" : methods.find((each) => /^[A-Z]+$/.test(each));
  if (method === undefined) return [];
  const target = { ...entryPoints[0], method, path };
  const contradictions: string[] = [];
  for (const { clients, users, conditions } of allowed) {
    const address = addressIn(clients);
    if (conditions.length > 0 || address === undefined) continue;
    const [user = "no user"] = users;
    const name = /^`(.*)`$/s.exec(user)?.[1] ?? "another-user";
    const request = { ...target, clientIp: address, ...(user === "no user" ? {} : { user: name }) };
    const found = classFor(request);
    if (found !== "allowed") contradictions.push(`${path} from ${address} as ${user}: ${found}`);
  }
  const isOutside = allowed.every((each) => isNotAmong(each, OTHER_ADDRESS));
  if (isOutside) {
    const found = classFor({ ...target, clientIp: OTHER_ADDRESS });
    if (!others.some((each) => each === found)) contradictions.push(`${path} from ${OTHER_ADDRESS}: ${found}`);
  }
  return contradictions;
}

const OTHER_ADDRESS = "203.0.113.7";

/** Returns an address of the given clients; undefined if none is easily found. */
function addressIn(clients: ClientDescription["clients"]): string | undefined {
  const [first] = clients;
  if (first === undefined) return OTHER_ADDRESS;
  if (!first.startsWith("all ")) return first.split(", ")[0]?.replace(/\/.*$/, "");
  return first.startsWith("all IPv4") && !isInList(first, OTHER_ADDRESS) ? OTHER_ADDRESS : undefined;
}

function isNotAmong({ clients, users }: ClientDescription, address: string): boolean {
  if (users.length > 0 && !users.includes("no user")) return true;
  return clients.length > 0 && clients.every((each) => !each.startsWith("all ") && !isInList(each, address));
}

function isInList(text: string, address: string): boolean {
  const list = text.replace(/^all IPv[46](?: but )?/, "");
  const client = parseAddress(address);
  return list.split(", ").some((each) => {
    const read = each === "" ? undefined : readSubnet(each);
    return read?.ok && client !== undefined && isInSubnet(client, read.value);
  });
}
