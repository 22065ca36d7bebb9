import { beforeEach, describe, expect, test } from "vitest";
import { lintedFolder } from "../support/programs/test-folder.js";

const { lint, write } = lintedFolder();

const head = [
  ...["authz_core", "rewrite", "proxy", "proxy_http"].map((name) => `LoadModule ${name}_module ${name}.so`),
  ...["ServerName x.test", 'DocumentRoot "www"', "Listen 80", "<Location />", "Require all granted"],
  "</Location>",
];

const logged = (request: string) => `192.0.2.7 - - [10/Oct/2000:13:55:36 -0700] "${request}" 200 1\n`;

/** Rules that may deny a request, but depend on unknown facts; and similar rules that depend on known facts only. */
const rules: readonly (readonly [what: string, unknown: readonly string[], known: readonly string[]])[] = [
  ["the time", ["RewriteCond %{TIME_HOUR} >12", "RewriteRule ^/x - [F]"], ["RewriteRule ^/x - [F]"]],
  ["a pattern with a recursion", ["RewriteRule ^/(x(?R)?)\\.txt$ - [F]"], ["RewriteRule ^/(x(?:x)?)\\.txt$ - [F]"]],
  [
    "a program",
    ["RewriteMap m prg:/bin/m", "RewriteCond ${m:x} =x", "RewriteRule ^/x - [F]"],
    ["RewriteMap m int:tolower", "RewriteCond ${m:X} =x", "RewriteRule ^/x - [F]"],
  ],
];

describe.each(rules)("a rule that depends on %s", (_, unknown, known) => {
  const server = (...lines: readonly string[]) => `${[...head, "RewriteEngine On", ...lines].join("\n")}\n`;

  beforeEach(() => {
    const expectation = { path: "/x.txt", clientIp: "192.0.2.7", expect: "allowed" };
    write({
      "unknown.conf": server(...unknown),
      "known.conf": server(...known),
      "plain.conf": server(),
      ...{ "www/x.txt": "x\n", "access.log": logged("GET /x.txt HTTP/1.1") },
      "expected.json": { expectations: [expectation] },
    });
  });

  const commands = (file: string): readonly (readonly string[])[] => [
    ["explain", file, "/x.txt"],
    ["test", file, "expected.json"],
    ["explain", file, "--requests", "access.log"],
    ["map", file, "--release", "2.4"],
    ["compare", file, "plain.conf"],
  ];

  test("makes the answer of each command unknown", () => {
    expect(commands("unknown.conf").map((command) => lint(command).status)).toEqual([5, 5, 5, 5, 5]);
    expect(lint(["explain", "unknown.conf", "/x.txt"]).stdout).toMatch(/^unknown: the response depends on/);
  });

  test("has an answer if all facts are known", () => {
    expect(commands("known.conf").map((command) => lint(command).status)).toEqual([0, 1, 1, 0, 1]);
  });
});

test("a URL in the request line of an access log is a request to a forward proxy", () => {
  const proxied = ["ProxyRequests On", "<Proxy *>", "Require all denied", "</Proxy>", ""].join("\n");
  const requests = ["GET http://other.test/y HTTP/1.1", "CONNECT other.test:443 HTTP/1.1", "GET /x.txt HTTP/1.1"];
  write({
    "proxy.conf": `${head.join("\n")}\n${proxied}`,
    "www/x.txt": "x\n",
    "access.log": requests.map(logged).join(""),
  });
  expect(lint(["explain", "proxy.conf", "--requests", "access.log"]).stdout).toMatch(
    new RegExp(
      [
        "^1: GET http://other.test/y from 192.0.2.7: 403, logged 200 .*",
        "2: CONNECT other.test:443 from 192.0.2.7: 4\\d\\d, logged 200.*",
        "3: GET /x.txt from 192.0.2.7: 200",
        "",
      ].join("\n"),
    ),
  );
});
