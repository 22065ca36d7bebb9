import { describe, expect, test } from "vitest";
import { memoryAccess } from "../../../src/config/files/file-access.js";
import { defineRule } from "../../../src/lint/rule.js";
import { lintWithoutProofs } from "../../../src/lint/runner/lint.js";
import { compatDirectiveNames, parseCompatRules } from "../../../src/server/access/compat-rules.js";
import {
  convertToRequire,
  describeRequireTree,
  type RequireConversion,
} from "../../../src/server/access/require-conversion.js";
import { argumentsOfLine, type RequireNode } from "../../../src/server/access/require-nodes.js";
import { requireRulesOf } from "../../../src/server/access/require-rules.js";
import { loadProject } from "../../../src/startup/load-project.js";
import { runCount, seedOr } from "../../support/depth.js";
import { httpd, liveTitle } from "../../support/httpd/httpd.js";
import { asBob, bobAuthentication, withRunningHttpd } from "../../support/httpd/running-httpd.js";
import { Random } from "../../support/random/random.js";

/** Returns the Require form for the lines of one section. */
function convert(...lines: readonly string[]): RequireConversion | undefined {
  let verdict: RequireConversion | undefined;
  const probe = defineRule({
    id: "probe",
    title: "",
    group: "access",
    severity: "info",
    description: "",
    help: "",
    check: () => ({
      scope: {
        holding: compatDirectiveNames,
        visit(scope) {
          const old = scope.section && parseCompatRules(scope.directives);
          if (old) verdict = convertToRequire(old, requireRulesOf(scope));
        },
      },
    }),
  });
  const text = `<Location /x>\n${lines.join("\n")}\n</Location>\n`;
  const loaded = loadProject("/httpd.conf", { access: memoryAccess({ "/httpd.conf": text }) });
  if (loaded.ok) lintWithoutProofs(loaded.value, { rules: [probe] });
  return verdict;
}

function formText(...lines: readonly string[]): string {
  const verdict = convert(...lines);
  if (verdict === undefined) return "no mod_access_compat directives";
  return "none" in verdict ? `none: ${verdict.none}` : describeRequireTree(verdict);
}

describe("the equivalent Require form", () => {
  test.each([
    ["Order deny,allow", "`Require all granted`"],
    ["Order allow,deny", "`Require all denied`"],
    ["Deny from all", "`Require all denied`"],
    ["Deny from 10.1", "`<RequireAll>` containing `Require all granted` and `Require not ip 10.1`"],
    [
      "Deny from 10.1\nDeny from 10.2 env=x",
      "`<RequireAll>` containing `Require all granted`, `Require not ip 10.1 10.2` and `Require not env x`",
    ],
    [
      "Deny from all\nAllow from 10.1 example.org",
      "`<RequireAny>` containing `Require ip 10.1` and `Require host example.org`",
    ],
    [
      "Deny from 10\nAllow from 10.1",
      "`<RequireAny>` containing `<RequireAll>` (`Require all granted` and `Require not ip 10`) and `Require ip 10.1`",
    ],
    ["Deny from all\nAllow from env=!bad", "`<RequireAll>` containing `Require all granted` and `Require not env bad`"],
    ["Deny from env=!good", "`Require env good`"],
    ["Deny from all\nAllow from env=", "none: Require interprets one of its names differently"],
    [
      "Order allow,deny\nAllow from all\n<RequireAll>\nRequire all granted\n<RequireNone>\nRequire ip 10\n</RequireNone>\n</RequireAll>",
      "`<RequireAll>` containing `Require all granted` and `<RequireNone>` (`Require ip 10`)",
    ],
    ["Order allow,deny\nAllow from all", "`Require all granted`"],
    ["Order allow,deny\nAllow from 10\nDeny from all", "`Require all denied`"],
    [
      "Order allow,deny\nAllow from 10\nDeny from 10.1",
      "`<RequireAll>` containing `Require ip 10` and `Require not ip 10.1`",
    ],
    ["Order mutual-failure\nAllow from 10", "`Require ip 10`"],
    ["Order allow,deny\nOrder deny,allow", "`Require all granted`"],
    ["Deny from 10\nRequire valid-user", "`<RequireAll>` containing `Require not ip 10` and `Require valid-user`"],
    [
      "Deny from all\nAllow from 10\nRequire valid-user\nSatisfy any",
      "`<RequireAny>` containing `Require ip 10` and `Require valid-user`",
    ],
    [
      "Deny from all\nRequire valid-user\nRequire user bob\nSatisfy any",
      "`<RequireAny>` containing `Require valid-user` and `Require user bob`",
    ],
    ["<Limit POST>\nDeny from all\n</Limit>", "`<Limit POST>` containing `Require all denied`"],
    ["Deny from 10\nRequire user Bob", "`<RequireAll>` containing `Require not ip 10` and `Require user Bob`"],
    ["Deny from 10\nRequire all GRANTED", "`<RequireAll>` containing `Require all granted` and `Require not ip 10`"],
  ])("%s", (lines, form) => {
    expect(formText(lines)).toBe(form);
  });

  test.each([
    ["Deny from all\nSatisfy any", "depends on inherited Require lines"],
    ["<Limit POST>\nDeny from all\n</Limit>\nRequire valid-user", "different methods"],
    ["Deny from 127/8", "httpd rejects one of its lines"],
    ["Deny from %{x}", "interprets one of its names differently"],
    ["Deny from x%{x}", "interprets one of its names differently"],
  ])("does not exist for %s", (lines, reason) => {
    expect(formText(lines)).toContain(reason);
  });

  test("returns nothing without mod_access_compat directives", () => {
    expect(formText("Require all granted")).toBe("no mod_access_compat directives");
  });
});

// ---- with the live server -----------------------------------------------------------------------------------------

const count = runCount(30, 100);
const seed = seedOr(20260301);

const modules = [
  ...["authn_core", "authz_core", "authn_file", "auth_basic", "authz_user", "authz_host", "access_compat"],
  ...["setenvif", "remoteip"],
];
const words = [
  "all",
  "10.1",
  "10.1.2.3",
  "10.0.0.0/8",
  "192.168.",
  "2001:db8::/32",
  "env=a",
  "env=!a",
  "env=b",
  "localhost",
  "10.1",
] as const;
const orders = ["Order deny,allow", "Order allow,deny", "Order mutual-failure", "Order Allow,Deny"] as const;
const own = [
  "Require valid-user",
  "Require user bob",
  "Require ip 10.1",
  "Require all granted",
  "Require all denied",
  "Require env b",
] as const;
const clients = ["10.1.2.3", "10.1.9.9", "10.9.9.9", "192.168.1.1", "127.0.0.1", "2001:db8::1", "203.0.113.9"] as const;

function randomScope(random: Random): string[] {
  const hosts = (name: string) =>
    `${name} from ${Array.from({ length: 1 + random.below(2) }, () => random.pick(words)).join(" ")}`;
  const lines = [
    ...(random.chance(0.7) ? [random.pick(orders)] : []),
    ...Array.from({ length: random.below(3) }, () => hosts("Allow")),
    ...Array.from({ length: random.below(3) }, () => hosts("Deny")),
    ...Array.from({ length: random.chance(0.5) ? 1 + random.below(2) : 0 }, () => random.pick(own)),
    ...(random.chance(0.3)
      ? ["<RequireAll>", "Require all granted", "Require not ip 10.1.2", "Require valid-user", "</RequireAll>"]
      : []),
    ...(random.chance(0.5) ? [random.pick(["Satisfy any", "Satisfy all"])] : []),
  ];
  return /^(Order|Allow|Deny|Satisfy)/m.test(lines.join("\n")) ? lines : ["Deny from all"];
}

const tags = { all: "RequireAll", any: "RequireAny", none: "RequireNone" } as const;

function linesOf(form: RequireNode): string[] {
  if (form.kind === "line") return [`Require ${argumentsOfLine(form)}`];
  return [`<${tags[form.kind]}>`, ...form.rules.flatMap(linesOf), `</${tags[form.kind]}>`];
}

describe.skipIf(!httpd)(liveTitle("Require forms on the live server"), () => {
  test(`have the same results as ${count} random sections`, { timeout: 600_000 }, async () => {
    const random = new Random(seed);
    const cases = Array.from({ length: count }, () => randomScope(random)).flatMap((lines) => {
      const verdict = convert(...lines);
      return verdict && "form" in verdict ? [{ lines, form: linesOf(verdict.form) }] : [];
    });
    expect(cases.length).toBeGreaterThan(count / 3);
    const auth = (lines: readonly string[]) => (/valid-user|user bob/.test(lines.join("\n")) ? bobAuthentication : []);
    const sections = cases.flatMap(({ lines, form }, index) => {
      const file = auth([...lines, ...form]);
      return [
        `<Location /old/${index}>`,
        ...file,
        ...lines,
        "</Location>",
        `<Location /new/${index}>`,
        ...file,
        ...form,
        "</Location>",
      ];
    });
    const head = [
      "RemoteIPHeader X-Client-IP",
      "RemoteIPInternalProxy 127.0.0.1",
      "SetEnvIf X-A 1 a",
      "SetEnvIf X-B 1 b",
    ];
    const statuses = new Set<number>();
    await withRunningHttpd(modules, [...head, ...sections], async ({ ask }) => {
      for (const [index, { lines, form }] of cases.entries()) {
        for (const client of clients) {
          const headers = {
            "X-Client-IP": client,
            ...(random.chance(0.5) ? asBob : {}),
            ...(random.chance(0.5) ? { "X-A": "1" } : {}),
            ...(random.chance(0.3) ? { "X-B": "1" } : {}),
          };
          const before = await ask({ path: `/old/${index}`, headers });
          const after = await ask({ path: `/new/${index}`, headers });
          expect({ lines, form, headers, status: after.status }).toEqual({
            lines,
            form,
            headers,
            status: before.status,
          });
          statuses.add(after.status);
        }
      }
    });
    // No file exists, so the server returns 404 to an allowed client.
    expect([...statuses].sort()).toEqual([401, 403, 404]);
  });
});
