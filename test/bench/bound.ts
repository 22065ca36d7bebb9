import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BoundResults } from "./bound-results.js";
import { measure } from "./measure.js";

/** mod_access_compat directives: both releases support them. */
const rules = "Order deny,allow\nDeny from all\nAllow from 10\n";

const server = (lines: string) => `Listen 80\nServerName localhost\nDocumentRoot /srv\n${lines}`;

function many(count: number, line: (n: number) => string): string {
  return Array.from({ length: count }, (_, n) => line(n)).join("");
}

function ofHosts(count: number): string {
  const locations = many(20, (n) => `<Location "/l${n}">\n${rules}</Location>\n`);
  const host = (n: number) =>
    `<VirtualHost *:80>\nServerName h${n}.example\nDocumentRoot /srv\n${locations}</VirtualHost>\n`;
  return server(`NameVirtualHost *:80\n${many(count, host)}`);
}

function ofUsers(n: number): string {
  const names = many(100, (user) => ` u${n}x${user}`);
  return `<Location "/l${n}">\nAuthType Basic\nAuthName x\nAuthUserFile /etc/users\nRequire user${names}\n</Location>\n`;
}

const ofVariable = (n: number) =>
  `SetEnvIf Request_URI "w${n}x" v${n}\n<Location "/l${n}">\nOrder deny,allow\nDeny from env=v${n}\n</Location>\n`;

/** Configurations that are expensive to compare. */
const inputs: readonly (readonly [what: string, text: () => string])[] = [
  ["one host, 100 `SetEnvIf Request_URI` anywhere in the path", () => server(many(100, ofVariable))],
  [
    "one host, 300 `<LocationMatch>` anywhere in the path",
    () => server(many(300, (n) => `<LocationMatch "w${n}x">\n${rules}</LocationMatch>\n`)),
  ],
  [
    "one host, 2,000 `RewriteRule ^/…` and 100 `<Location>`",
    () =>
      server(
        `RewriteEngine on\n${many(2000, (n) => `RewriteRule ^/old${n}$ /new${n}\n`)}${many(100, (n) => `<Location "/new${n}">\n${rules}</Location>\n`)}`,
      ),
  ],
  ["one host, 100 `<Location>` of 100 users each", () => server(many(100, ofUsers))],
  ["200 hosts of 20 `<Location>`", () => ofHosts(200)],
  ["2,000 hosts of 20 `<Location>`", () => ofHosts(2000)],
];

/**
 * Measures comparisons of configurations with themselves under both releases: results and costs.
 *
 * @param folder an existing folder
 */
export function measureBounds(folder: string): BoundResults {
  const rows = inputs.map(([what, text]) => {
    const file = join(folder, "bound.conf");
    const report = join(folder, "bound.json");
    writeFileSync(file, text());
    const flags = ["compare", file, "--format", "json", "--output", report];
    const took = measure(["node", "--max-old-space-size=2048", "dist/httpd-lint.js", ...flags], [0, 1, 5]);
    const parsed: ParsedReport = JSON.parse(readFileSync(report, "utf8"));
    const { verdict, unknown, summary } = parsed;
    const row = { what, verdict, unknown: unknown.length, ...summary, ...took };
    process.stdout.write(`${JSON.stringify(row)}\n`);
    return row;
  });
  return { with: [`Node ${process.versions.node}`, "`--max-old-space-size=2048`"], rows };
}

/** The relevant part of a report. */
interface ParsedReport {
  readonly verdict: string;
  readonly unknown: readonly unknown[];
  readonly summary: { readonly servers: number; readonly paths: number };
}
