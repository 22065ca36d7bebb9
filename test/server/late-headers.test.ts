import { describe, expect, test } from "vitest";
import { memoryAccess } from "../../src/config/files/file-access.js";
import { SimulatedServer } from "../../src/server/answer.js";
import { diskFiles } from "../../src/server/file-trees.js";
import type { Request } from "../../src/server/model/request.js";
import { wordsOfFact } from "../../src/server/model/unknown-facts.js";
import { loadText } from "../support/projects.js";

const files = diskFiles(memoryAccess({ "/srv/d/x.html": "x", "/srv/new/x.html": "x" }));

const modules = ["authz_core", "authn_core", "authn_file", "auth_basic", "authz_user", "alias", "dir", "headers"];
const loading = [...modules, "rewrite", "setenvif"].map((each) => `LoadModule ${each}_module modules/mod_${each}.so\n`);

/** Answers a request that a rule redirects to `/new/x.html`, with the headers as lines have changed them. */
function answerRedirected(lines: readonly string[], sent: Partial<Request> = {}) {
  const rule = ["<Directory /srv/d>", "RewriteEngine On", "RewriteRule . /new/x.html", "</Directory>"];
  const common = ["ServerRoot /", "DocumentRoot /srv", ...rule, ...lines];
  const project = loadText(loading.join("") + common.join("\n"), { kind: "server" });
  const { access, unknownFacts, alternatives } = new SimulatedServer(project, files).answer({
    ...{ method: "GET", path: "/d/x.html", clientIp: "192.0.2.7", host: "x.test" },
    ...sent,
  });
  return { access, facts: unknownFacts.map(wordsOfFact), statuses: alternatives.map(({ status }) => status) };
}

const redirecting = (...conditions: readonly string[]) => [
  ...["RewriteEngine On", ...conditions, "RewriteRule ^/new - [F]"],
];
const changes = [
  "RequestHeader set X-A %{flag}e",
  "RequestHeader set X-A 1 env=flag",
  'RequestHeader set X-A 1 "expr=-z %{QUERY_STRING}"',
];

describe("a header that a line changes to an unknown value, before an internal redirect", () => {
  test.each(changes)("decides where its value is read: %s", (change) => {
    const { access, facts } = answerRedirected([change, ...redirecting("RewriteCond %{HTTP:X-A} =1")]);
    expect(access).toBe("unknown");
    expect(facts.join()).toContain("the header `X-A` after `RequestHeader set X-A");
  });

  test.each(changes)("twin: does not where no line of the new path reads it: %s", (change) => {
    const elsewhere = ["<Location /other>", "SetEnvIf X-A 1 a", "Require env a", "</Location>"];
    expect(answerRedirected([change, ...elsewhere])).toEqual({ access: "allowed", facts: [], statuses: [] });
  });

  test.each(changes)("twin: does not if each value gives the same answer: %s", (change) => {
    const lines = [change, "SetEnvIf X-A 1 nobody-reads-this", "RequestHeader unset X-B \"expr=%{HTTP:X-A} == '1'\""];
    expect(answerRedirected(lines)).toEqual({ access: "allowed", facts: [], statuses: [] });
  });

  test("twin: is known again after a line that certainly sets it", () => {
    const lines = [...changes, "RequestHeader set X-A 2", ...redirecting("RewriteCond %{HTTP:X-A} =1")];
    expect(answerRedirected(lines)).toEqual({ access: "allowed", facts: [], statuses: [] });
  });

  test("stays unknown after a line that adds to it", () => {
    const lines = [...changes, "RequestHeader append X-A 2", ...redirecting("RewriteCond %{HTTP:X-A} =1")];
    expect(answerRedirected(lines).access).toBe("unknown");
  });

  test("counts for a pattern over names", () => {
    const lines = ["RequestHeader set X-A %{flag}e", "SetEnvIf ^X- 1 a", ...redirecting("RewriteCond %{ENV:a} =1")];
    expect(answerRedirected(lines).facts.join()).toContain("the last header that matches `^X-`");
  });

  test("counts in a variable of its own", () => {
    const lines = ["RequestHeader set User-Agent %{flag}e", ...redirecting("RewriteCond %{HTTP_USER_AGENT} =1")];
    expect(answerRedirected(lines).facts.join()).toContain("the header `User-Agent` after");
  });
});

describe("replaced credentials, before an internal redirect", () => {
  const change = 'RequestHeader set Authorization "Basic YWxpY2U6c2VjcmV0"';
  const login = (path: string) => [
    ...[
      `<Location ${path}>`,
      "AuthType Basic",
      "AuthName x",
      "AuthUserFile /users",
      "Require valid-user",
      "</Location>",
    ],
  ];

  test("decide where the new path needs a login", () => {
    expect(answerRedirected([change, ...login("/new")]).access).toBe("unknown");
  });

  test("twin: do not where it needs none", () => {
    expect(answerRedirected([change, ...login("/other")])).toEqual({ access: "allowed", facts: [], statuses: [] });
  });
});
