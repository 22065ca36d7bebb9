import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isExpansion } from "../../config/reader/macros.js";
import { fromBytes, toBytes } from "../../text/bytes.js";
import type { Result } from "../../text/result.js";
import { lineAt, type Span, toReadable } from "../../text/source.js";
import type { ConfigCopies } from "./config-copies.js";
import { errorCodeOf } from "./file-system.js";

/** An installed server and its start options. */
export interface InstalledServer {
  /** Path of its executable. */
  readonly program: string;
  readonly serverRoot: string;
  /** Defined names with their values, if any. */
  readonly defines: ReadonlyMap<string, string | undefined>;
  /** Its environment; binary strings. */
  readonly environment: ReadonlyMap<string, string>;
}

/** Why the server does not accept a configuration. */
export interface ConfigTestFailure {
  /** It rejects the configuration, or else the reason why it does not answer. */
  readonly code: "rejected" | "timeout" | "not-started" | "killed" | "not-copied";
  /** The server's message in one line, or else the reason as a clause. */
  readonly message: string;
}

/** The result of a configuration test. */
export type ConfigTestResult = Result<undefined, ConfigTestFailure>;

/** Timeout: a server without a result by then hangs, as on a name lookup. */
export const CONFIG_TEST_TIMEOUT_MS = 120_000;

/** Tests a configuration on the disk with the server, as `apachectl configtest` does. */
export function runConfigTest(
  server: InstalledServer,
  entry: string,
  longest = CONFIG_TEST_TIMEOUT_MS,
): ConfigTestResult {
  const words = ["-t", "-d", server.serverRoot, "-f", entry, ...defineArgumentsOf(server.defines)];
  const env = Object.fromEntries([...server.environment].map(([name, value]) => [name, toReadable(value)]));
  const { error, signal, status, stderr } = spawnSync(server.program, words, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", "pipe"],
    timeout: longest,
    killSignal: "SIGKILL",
  });
  const code = errorCodeOf(error);
  if (code === "ETIMEDOUT") return failWith("timeout", `it did not answer within ${longest / 1000} seconds`);
  if (error) return failWith("not-started", `it cannot be run: the system reports ${code ?? error.message}`);
  if (signal) return failWith("killed", `${signal} stopped it`);
  return status === 0
    ? { ok: true, value: undefined }
    : failWith("rejected", extractMessage(toReadable(fromBytes(stderr))));
}

function failWith(code: ConfigTestFailure["code"], message: string): ConfigTestResult {
  return { ok: false, error: { code, message } };
}

/** Tests copies with the server, in a temporary folder. */
export function runConfigTestOnCopies(
  server: InstalledServer,
  copiesIn: (folder: string) => Result<ConfigCopies, Span>,
  longest = CONFIG_TEST_TIMEOUT_MS,
): ConfigTestResult {
  const folder = mkdtempSync(join(tmpdir(), "httpd-lint-"));
  try {
    const copies = copiesIn(folder);
    if (!copies.ok) return failWith("not-copied", explainNotCopied(copies.error));
    const { entry, texts, originals } = copies.value;
    for (const [path, text] of texts) writeFileSync(path, toBytes(text), { mode: 0o600, flag: "wx" });
    const tested = runConfigTest(server, entry, longest);
    return !tested.ok && tested.error.code === "rejected"
      ? failWith("rejected", restoreOriginalNames(tested.error.message, originals))
      : tested;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function explainNotCopied({ file, start }: Span): string {
  const line = isExpansion(file) ? file.use : { file, start };
  const place = `\`${line.file.path}\` line ${lineAt(line.file, line.start)}`;
  return `an Include line of a macro, or one that is read twice, includes changed files (${place}), and cannot include copies instead`;
}

/** `-D` takes only a name. */
function defineArgumentsOf(defines: InstalledServer["defines"]): string[] {
  return [...defines].flatMap(([name, value]) =>
    value === undefined
      ? ["-D", toReadable(name)]
      : ["-C", toReadable(`Define ${name} "${value.replaceAll(/["\\]/g, "\\$&")}"`)],
  );
}

/** Returns the relevant part of the server's message in one line: warnings with a time come first. */
function extractMessage(text: string): string {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "");
  const plain = lines.filter((line) => !line.startsWith("[") && !/^AH00558:/.test(line));
  const message = (plain.length > 0 ? plain : lines).join(" ").trim();
  return message === "" ? "nothing" : message;
}

/** Replaces the copies in the server's message with the original files. */
function restoreOriginalNames(message: string, originals: ConfigCopies["originals"]): string {
  const isList = (path: string) => originals.has(path) && originals.get(path) === undefined;
  let restored = message.replace(/Syntax error on line \d+ of ([^:]+): /g, (step, path) => (isList(path) ? "" : step));
  for (const [copy, original] of originals) if (original !== undefined) restored = restored.replaceAll(copy, original);
  return restored;
}
