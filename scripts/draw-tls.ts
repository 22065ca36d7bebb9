/**
 * Extracts the facts about TLS into the committed data.
 *
 * tsx scripts/draw-tls.ts src/facts/data/ciphers.json lists the cipher suites of the `openssl` command on this machine.
 * `weakBuilds` is kept unchanged: most builds omit these suites, so their source is the manual page openssl-ciphers(1).
 *
 * tsx scripts/draw-tls.ts --guideline FILE --date DATE src/facts/data/guideline.json takes the facts that rules need from
 * a published version of Mozilla's guideline (https://ssl-config.mozilla.org/guidelines/).
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

/** Cipher suites as rows of strings in the order of `columns`. */
interface CipherTable {
  readonly about: string;
  readonly source: string;
  readonly columns: readonly string[];
  readonly suites: readonly (readonly string[])[];
  readonly weakBuilds: readonly (readonly string[])[];
}

interface Level {
  readonly tls_versions: readonly string[];
  readonly ciphers: { readonly openssl: readonly string[] };
}

interface PublishedGuideline {
  readonly version: number;
  readonly href: string;
  readonly configurations: { readonly intermediate: Level };
}

function runOpenssl(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync("openssl", args, { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return stdout.trim();
}

/** Lists the suites that a keyword selects on its own. */
function listSuites(keyword: string): ReadonlySet<string> {
  return new Set(runOpenssl("ciphers", `${keyword}:@SECLEVEL=0`).split(":"));
}

const listedSuite = /^(\S+)\s+(\S+)\s+Kx=(\S+)\s+Au=(\S+)\s+Enc=([^\s(]+)(?:\((\d+)\))?\s+Mac=(\S+)/;

/** Returns the suites up to TLS 1.2, without those that need a shared secret: mod_ssl has no directive for pre-shared keys. */
function drawSuites(): string[][] {
  const high = listSuites("HIGH");
  const byDefault = listSuites("DEFAULT");
  return runOpenssl("ciphers", "-v", "ALL:COMPLEMENTOFALL:@SECLEVEL=0")
    .split("\n")
    .map((line) => listedSuite.exec(line))
    .filter((found) => found !== null)
    .map(([, name = "", protocol = "", exchange = "", authentication = "", encryption = "", bits = "0", mac = ""]) => {
      const strength = high.has(name) ? "HIGH" : "";
      return [
        ...[name, protocol, exchange, authentication, encryption, bits, mac, strength],
        byDefault.has(name) ? "default" : "",
      ];
    })
    .filter(([, protocol = "", exchange = ""]) => protocol !== "TLSv1.3" && !/PSK|SRP/.test(exchange));
}

function drawGuideline({ version, href, configurations }: PublishedGuideline, date: string): unknown {
  const { tls_versions, ciphers } = configurations.intermediate;
  return {
    about: "Recommendations of the intermediate configuration of Mozilla's guideline for TLS on servers",
    source: href,
    version: version.toFixed(1),
    date,
    protocols: tls_versions,
    ciphers: ciphers.openssl,
  };
}

const { values, positionals } = parseArgs({
  options: { guideline: { type: "string" }, date: { type: "string", default: "" } },
  allowPositionals: true,
});
const [file = ""] = positionals;
if (values.guideline === undefined) {
  const table: CipherTable = JSON.parse(readFileSync(file, "utf8"));
  const source = runOpenssl("version").replace(/ \(.*/, "");
  writeFileSync(file, `${JSON.stringify({ ...table, source, suites: drawSuites() })}\n`);
} else {
  const published: PublishedGuideline = JSON.parse(readFileSync(values.guideline, "utf8"));
  writeFileSync(file, `${JSON.stringify(drawGuideline(published, values.date))}\n`);
}
