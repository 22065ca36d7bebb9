import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isExpansion } from "../project/reader/macros.js";
import { fromBytes, toBytes } from "../text/bytes.js";
import { lineAt, toReadable } from "../text/source.js";
import type { ConfigCopies, UncopyableInclude } from "./config-copies.js";
import { errorCodeOf } from "./file-system.js";

/** An installed server, and what it is started with. */
export interface InstalledServer {
  /** The path of its program. */
  readonly program: string;
  readonly serverRoot: string;
  /** With their values, where they have any. */
  readonly defines: ReadonlyMap<string, string | undefined>;
  /** Its environment; binary strings. */
  readonly environment: ReadonlyMap<string, string>;
}

/** What a server says of a configuration: in one line where it refuses it. */
export type ConfigTestResult =
  | { readonly verdict: "taken" }
  | { readonly verdict: "refused"; readonly said: string }
  /** It did not say, and why, as a clause. */
  | { readonly verdict: "unasked"; readonly why: string };

/** A server that has not answered by then hangs, such as on a name that no resolver knows. */
const TEST_TIMEOUT_MS = 120_000;

/** Has the server look at a configuration on the disk, as `apachectl configtest` does. */
export function runConfigTest(server: InstalledServer, entry: string, longest = TEST_TIMEOUT_MS): ConfigTestResult {
  const words = ["-t", "-d", server.serverRoot, "-f", entry, ...defineArgumentsOf(server.defines)];
  const env = Object.fromEntries([...server.environment].map(([name, value]) => [name, toReadable(value)]));
  const { error, signal, status, stderr } = spawnSync(server.program, words, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", "pipe"],
    timeout: longest,
    killSignal: "SIGKILL",
  });
  const code = errorCodeOf(error);
  if (code === "ETIMEDOUT") return { verdict: "unasked", why: `it did not answer within ${longest / 1000} seconds` };
  if (error) return { verdict: "unasked", why: `it cannot be run: the system says ${code ?? error.message}` };
  if (signal) return { verdict: "unasked", why: `it was ended by ${signal}` };
  return status === 0
    ? { verdict: "taken" }
    : { verdict: "refused", said: extractMessage(toReadable(fromBytes(stderr))) };
}

/** Has the server look at copies, in a folder of their own that is gone afterwards. */
export function runConfigTestOnCopies(
  server: InstalledServer,
  copiesIn: (folder: string) => ConfigCopies | UncopyableInclude,
  longest = TEST_TIMEOUT_MS,
): ConfigTestResult {
  const folder = mkdtempSync(join(tmpdir(), "httpd-lint-"));
  try {
    const copies = copiesIn(folder);
    if ("unled" in copies) return { verdict: "unasked", why: explainUncopyable(copies) };
    const { entry, texts, originals } = copies;
    for (const [path, text] of texts) writeFileSync(path, toBytes(text), { mode: 0o600, flag: "wx" });
    const tested = runConfigTest(server, entry, longest);
    return tested.verdict === "refused" ? { ...tested, said: restoreOriginalNames(tested.said, originals) } : tested;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function explainUncopyable({ unled: { file, start } }: UncopyableInclude): string {
  const line = isExpansion(file) ? file.use : { file, start };
  const place = `\`${line.file.path}\` line ${lineAt(line.file, line.start)}`;
  return `the Include line of a macro, or one that is read twice, leads to files that change (${place}), and cannot be led to copies`;
}

/** `-D` takes a name alone. */
function defineArgumentsOf(defines: InstalledServer["defines"]): string[] {
  return [...defines].flatMap(([name, value]) =>
    value === undefined
      ? ["-D", toReadable(name)]
      : ["-C", toReadable(`Define ${name} "${value.replaceAll(/["\\]/g, "\\$&")}"`)],
  );
}

/** What counts of the server's words, in one line: warnings come ahead of it, with the time. */
function extractMessage(text: string): string {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  const plain = lines.filter((line) => !line.startsWith("[") && !/^AH00558:/.test(line));
  const told = (plain.length > 0 ? plain : lines).join(" ").trim();
  return told === "" ? "nothing" : told;
}

/** The server's words with the files that copies stand for. */
function restoreOriginalNames(said: string, originals: ConfigCopies["originals"]): string {
  const isList = (path: string) => originals.has(path) && originals.get(path) === undefined;
  let told = said.replace(/Syntax error on line \d+ of ([^:]+): /g, (step, path) => (isList(path) ? "" : step));
  for (const [copy, original] of originals) if (original !== undefined) told = told.replaceAll(copy, original);
  return told;
}
