import { describe, expect, test } from "vitest";
import { randomAccessLines } from "../server/access/random-access.js";
import { runCount, seedOr } from "../support/depth.js";
import { httpd, liveTitle, loadModules } from "../support/httpd/httpd.js";
import { verdictsOn } from "../support/httpd/startup-verdicts.js";
import { inScratchFolder } from "../support/programs/scratch-folder.js";
import { Random } from "../support/random/random.js";

const count = runCount(40, 1000);
const seed = seedOr(20260301);

const modules = [
  ...[
    "mpm_event",
    "authn_core",
    "authz_core",
    "authn_file",
    "auth_basic",
    "authz_user",
    "authz_groupfile",
    "authz_host",
  ],
  ...[
    "access_compat",
    "env",
    "setenvif",
    "authz_owner",
    "authz_dbm",
    "alias",
    "dir",
    "actions",
    "ssl",
    "socache_shmcb",
  ],
];

function compare(folder: string, lines: string, before = ""): "accepted" | "rejected" {
  const head = `${loadModules(modules)}ServerName x.test\nErrorLog /dev/null\nServerRoot "${folder}"\n${before}`;
  const { server, ours } = verdictsOn(folder, `${head}<Directory "${folder}">\n${lines}</Directory>\n`);
  expect({ lines, answer: ours }).toEqual({ lines, answer: server });
  return server === "accepted" ? "accepted" : "rejected";
}

describe.skipIf(!httpd)(liveTitle("rejected access control"), () => {
  test(`has the message and the line of the live server in ${count} random sections`, { timeout: 3_600_000 }, () => {
    const random = new Random(seed);
    const outcomes = inScratchFolder((folder) =>
      Array.from({ length: count }, () => compare(folder, randomAccessLines(random))),
    );
    expect(outcomes.filter((outcome) => outcome === "rejected").length).toBeGreaterThan(count / 4);
    expect(outcomes.filter((outcome) => outcome === "accepted").length).toBeGreaterThan(count / 10);
  });

  const table: readonly (readonly [lines: string, before?: string])[] = [
    ["Require Valid-User\n"],
    ["Require tester x\n", "<AuthzProviderAlias ip tester 10.1>\n</AuthzProviderAlias>\n"],
    ["Require tester x\n", '<AuthzProviderAlias ip tester "10.1 x">\n</AuthzProviderAlias>\n'],
    ["Require Tester\n", "<AuthzProviderAlias ip tester 10.1 10.2>\n</AuthzProviderAlias>\n"],
    ["Require all granted\n", "<AuthzProviderAlias ip>\n</AuthzProviderAlias>\n"],
    ["Require all granted\n", "<AuthzProviderAlias nope tester>\n</AuthzProviderAlias>\n"],
    ["Require all granted\n", "<AuthzProviderAlias all tester>\n</AuthzProviderAlias>\n"],
    ["Require method PURGE\n"],
    ["Require method PURGE\n", "RegisterHttpMethod PURGE\n"],
    ["<Limit PURGE>\nDeny from all\n</Limit>\nRequire method PURGE\n"],
    ["Require method PURGE\n<Limit PURGE>\nDeny from all\n</Limit>\n"],
    ["Require all granted\n", "KeepAlive 5\n"],
    ["Require all granted\n", "KeepAlive\n"],
    ["Require all granted\n", "KeepAlive On really\n"],
    ["Require all granted\n", "Listen 8080\nListen *:8080\n"],
    ["Require all granted\n", "Listen 8080\nListen 127.0.0.1:8080\n"],
    ["AuthUserFile users standard\n"],
    ["Options Indexes +FollowSymLinks\n"],
    ["Require all granted\n<Files x>\nRequire not ip 10\n</Files>\n"],
    ["<If true>\n<RequireAll>\nRequire not ip 10\n</RequireAll>\n</If>\n"],
    ["Allow from 10.1 \\\n  10.2 \\\n  bad/8\n"],
    ["Require \\\n ip \\\n x\n"],
    ["Order \\\n nope\n"],
  ];
  test.each(table.map(([lines, before = ""]) => ({ lines, before })))("%j", ({ lines, before }) => {
    inScratchFolder((folder) => compare(folder, lines, before));
  });
});
