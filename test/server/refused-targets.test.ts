import { expect, test } from "vitest";
import { answer } from "../../src/server/answer.js";
import { createListedFiles } from "../../src/server/model/file-tree.js";
import { loadText } from "../support/projects.js";

const head = ["authz_core", "rewrite", "proxy", "proxy_http", "proxy_balancer"].map(
  (name) => `LoadModule ${name}_module m.so`,
);

function decisionFor(lines: readonly string[], path: string) {
  const project = loadText([...head, "DocumentRoot /srv", ...lines].join("\n"), { kind: "server" });
  const request = { method: "GET", path, clientIp: "192.0.2.1" };
  return answer(project, request, { files: createListedFiles(["/srv/x"]) });
}

// The live server's answers (test/live/refused-targets.live.test.ts).
test.each<[lines: readonly string[], status: number, log: readonly string[]]>([
  [[], 500, ["AH01144"]],
  [['<Proxy "balancer://other">', "</Proxy>"], 500, ["AH01144"]],
  [['<Proxy "balancer://NAME">', "BalancerMember http://b.test", "</Proxy>"], 200, []],
  [["ProxyPass /other balancer://name/"], 200, []],
  [["BalancerMember balancer://name http://b.test"], 200, []],
  [['<ProxyMatch "balancer://n.*">', "</ProxyMatch>"], 200, []],
])("a rule that names a balancer, with %j: %i", (lines, status, log) => {
  const rule = ["RewriteEngine On", "RewriteRule ^/(.*) balancer://name/$1 [P]"];
  expect(decisionFor([...rule, ...lines], "/x")).toMatchObject({ status, log });
});

test.each<[length: number, status: number, log: readonly string[]]>([
  [4093, 404, []],
  [4094, 403, ["AH00127"]],
])("a path of %i bytes: %i", (length, status, log) => {
  expect(decisionFor([], "/abc".repeat(1100).slice(0, length - "/srv".length))).toMatchObject({ status, log });
});
