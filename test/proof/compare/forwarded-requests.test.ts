import { describe, expect, test } from "vitest";
import { iterateDirectives } from "../../../src/config/queries/directive-tree.js";
import { compare } from "../../../src/proof/compare/compare.js";
import { mayMatchUrls } from "../../../src/proof/compare/forwarded-requests.js";
import { SimulatedServer } from "../../../src/server/answer.js";
import { load } from "../../support/projects.js";
import { Random } from "../../support/random/random.js";

const modules = [
  ...["authz_core", "authz_host", "access_compat", "authn_core", "alias", "dir", "rewrite", "proxy", "proxy_http"],
];

type Lines = readonly string[];

/** Rules, each in forms with one meaning. */
const rules: readonly [readonly [Lines, Lines], ...(readonly [Lines, Lines])[]] = [
  [["Require all granted"], ["Order allow,deny", "Allow from all"]],
  [["Require all denied"], ["Order allow,deny", "Require all granted"]],
  [
    ["Require ip 10.0.0.0/8"],
    ["Order deny,allow", "Deny from all", "Allow from 10.0.0.0/9 10.128.0.0/9", "Require all granted"],
  ],
  [
    [
      "<Limit CONNECT>",
      "Require all granted",
      "</Limit>",
      "<LimitExcept CONNECT>",
      "Require ip 10.1",
      "</LimitExcept>",
    ],
    [
      "<LimitExcept CONNECT>",
      "Require ip 10.1",
      "</LimitExcept>",
      "<Limit CONNECT>",
      "Require all granted",
      "</Limit>",
    ],
  ],
];

const sections = [
  ...(["<Proxy *>", "<Location />", "<Directory />", "<Location /x>"] as const),
  ...(["<Proxy http://a.test/>", "<ProxyMatch b\\.test>", "<LocationMatch a>", "<Location http://a.test/x>"] as const),
] as const;

function sectionOf(open: string, lines: Lines): Lines {
  return [open, ...lines, open.replace(/^<(\w+).*/, "</$1>")];
}

function loadServer(lines: Lines, loaded: Lines = modules) {
  const text = `${["DocumentRoot /srv", ...lines].join("\n")}\n`;
  return load({ "/etc/httpd/httpd.conf": text }, { kind: "server", release: "2.4", modules: loaded });
}

function verdictOf(one: Lines, other: Lines, loaded?: Lines): string {
  const [left, right] = [one, other].map(
    (lines) => ({ project: loadServer(lines, loaded), semantics: "server" }) as const,
  );
  return left && right ? compare(left, right).verdict : "missing";
}

test.each([
  ["<Location /a>", false],
  ['<Location "/">', false],
  ["<Location http://a.test/>", true],
  ["<Location a>", true],
  ["<LocationMatch /a>", true],
  ["<LocationMatch ^/a>", true],
])("%s may match a whole URL: %s", (open, expected) => {
  const project = loadServer([...sectionOf(open, [])]);
  const [section] = [...iterateDirectives(project)].filter(({ children }) => children);
  expect(section && mayMatchUrls(section)).toBe(expected);
});

describe("a forward proxy", () => {
  const [allowed = [], alike = []] = rules[2] ?? [];
  const proxy = ["ProxyRequests On"];
  const ofAll = sectionOf("<Proxy *>", allowed);
  const ofAllAlike = sectionOf("<Proxy *>", alike);

  test("is proved if only `<Proxy *>` and sections of paths control access", () => {
    expect(verdictOf([...proxy, ...ofAll], [...proxy, ...ofAllAlike])).toBe("equivalent");
    for (const [section, line] of [
      ["<Directory />", "Require all denied"],
      ["<Location /x>", "Require all denied"],
      ["<Proxy http://a.test/>", "SetEnv x y"],
      ["<ProxyMatch a>", "SetEnv x y"],
    ] as const) {
      const common = sectionOf(section, [line]);
      expect([section, verdictOf([...proxy, ...common, ...ofAll], [...proxy, ...common, ...ofAllAlike])]).toEqual([
        section,
        "equivalent",
      ]);
    }
  });

  test.each([
    ["<Proxy http://a.test/>", ["SetEnv x y", "Require all denied"]],
    ["<Proxy http://a.test/>", ["AuthName a"]],
    ["<ProxyMatch /x>", ["Require all denied"]],
    ["<Proxy /x>", ["Require all denied"]],
    ["<Location *>", ["Require all denied"]],
    ["<Location http://a.test/>", ["Require all denied"]],
    ["<LocationMatch /x>", ["Require all denied"]],
  ] as const)("is not proved if %s with %s is on one side, or on both", (open, lines) => {
    const section = sectionOf(open, lines);
    for (const [one, other] of [
      [
        [...proxy, ...section, ...ofAll],
        [...proxy, ...ofAllAlike],
      ],
      [
        [...proxy, ...ofAll],
        [...proxy, ...section, ...ofAllAlike],
      ],
      [
        [...proxy, ...section, ...ofAll],
        [...proxy, ...section, ...ofAllAlike],
      ],
    ] as const)
      expect(verdictOf(one, other)).not.toBe("equivalent");
  });

  test("of one side only is not proved", () => {
    const off = ["ProxyRequests Off", ...ofAll];
    expect(verdictOf([...proxy, ...ofAll], off)).not.toBe("equivalent");
    expect(verdictOf(off, [...proxy, ...ofAll])).not.toBe("equivalent");
  });

  test("of another host does not matter to the rest", () => {
    const host = (name: string, lines: Lines) => [
      "<VirtualHost *:80>",
      `ServerName ${name}`,
      ...lines,
      "</VirtualHost>",
    ];
    const sideOf = (forAll: Lines) => [
      ...host("proxy.test", [...proxy, ...forAll]),
      ...host("www.test", ["Redirect /a /b"]),
    ];
    expect(verdictOf(sideOf(ofAll), sideOf(ofAllAlike))).toBe("equivalent");
  });
});

test("no pair that is called equivalent differs for a request to a forward proxy", () => {
  let equivalent = 0;
  for (let seed = 1; seed <= 150; seed++) {
    const random = new Random(seed);
    const ofRules = random.pick([[], [], ["RewriteEngine On", "RewriteRule a - [F]"], ["RewriteOptions AllowAnyURI"]]);
    const common = [...ofRules, ...sectionOf(random.pick(sections), random.pick(random.pick(rules)))];
    const varied = random.pick(sections);
    const [ofVaried, ofAll] = [random.pick(rules), random.pick(rules)];
    const host = random.pick(["", "", "ServerName a.test", "ServerName c.test"]);
    const [one, other] = [0, 1].map(() => {
      // Some sides differ.
      const all = random.below(6) === 0 ? random.pick(rules) : ofAll;
      const own = [...sectionOf(varied, random.pick(ofVaried)), ...sectionOf("<Proxy *>", random.pick(all))];
      const placed = host === "" ? own : ["<VirtualHost *:80>", host, ...own, "</VirtualHost>"];
      const text = `${["DocumentRoot /srv", "ProxyRequests On", ...common, ...placed].join("\n")}\n`;
      return load({ "/etc/httpd/httpd.conf": text }, { kind: "server", release: "2.4", modules });
    });
    if (one === undefined || other === undefined) continue;
    const semantics = "server";
    if (compare({ project: one, semantics }, { project: other, semantics }).verdict !== "equivalent") continue;
    equivalent++;
    const servers = [one, other].map((project) => new SimulatedServer(project, { kindOf: () => "file" }));
    for (const origin of ["http://a.test", "http://b.test", "http://c.test:81", "ftp://a.test", undefined])
      for (const clientIp of ["10.0.0.7", "10.1.0.7", "203.0.113.7"])
        for (const method of ["GET", "POST"]) {
          const requests =
            origin === undefined
              ? [{ method: "CONNECT", path: "a.test:443", clientIp }]
              : ["/", "/x"].map((path) => ({ method, path, origin, host: "a.test", clientIp }));
          for (const request of requests) {
            const [before, after] = servers.map((server) => server.answer(request).access);
            expect([seed, request, before]).toEqual([seed, request, after]);
          }
        }
  }
  expect(equivalent).toBeGreaterThan(30);
});
