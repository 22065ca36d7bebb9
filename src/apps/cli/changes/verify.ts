import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import type { Project } from "../../../config/model/project.js";
import type { LoadOptions } from "../../../config/read-entry.js";
import { isExpansion } from "../../../config/reader/macros.js";
import { isBefore, type Release } from "../../../facts/release.js";
import type { Result } from "../../../text/result.js";
import { withSignalsBlocked } from "../../file-changes/atomic-write.js";
import { planCopies } from "../../file-changes/config-copies.js";
import {
  type ConfigTestResult,
  type InstalledServer,
  runConfigTest,
  runConfigTestOnCopies,
} from "../../file-changes/config-test.js";
import { type ExitCode, exitCodes } from "../output/command-result.js";

/** The installed server's verdict on new contents, as lines for the operator. */
export interface Verification {
  readonly notes: readonly string[];
  /** Absent if the contents are accepted. */
  readonly exitCode?: ExitCode;
}

/** The usual names of a server's program. */
const programNames = ["httpd", "apache2"];

/**
 * Finds the program of the installed server.
 *
 * @param requested a path, the name of a program on the PATH, or nothing for either of the usual ones
 */
export function findServerProgram(requested: string): Result<string, string> {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const places = requested.includes("/")
    ? [resolve(requested)]
    : (requested === "" ? programNames : [requested]).flatMap((name) => folders.map((folder) => join(folder, name)));
  const program = places.find(isProgram);
  if (program !== undefined) return { ok: true, value: program };
  return {
    ok: false,
    error:
      requested === ""
        ? `--verify-with-httpd found no ${programNames.join(" or ")} on the PATH; name it: --verify-with-httpd=/usr/sbin/httpd`
        : `\`${requested}\` of --verify-with-httpd is not an executable program`,
  };
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Returns how to start the server so that it reads a configuration as httpd-lint does. */
export function installedServerOf(
  program: string,
  project: Project,
  { defines, environment }: LoadOptions,
): InstalledServer {
  return {
    program,
    serverRoot: project.read.serverRoot,
    defines: new Map(defines),
    environment: new Map(environment),
  };
}

/**
 * Checks new contents with the installed server before they are written. The server reads copies, and nothing on disk
 * changes. A check of the current files separates existing errors from new ones; files of 2.2 are not checked this way.
 *
 * @param changed the files with new contents, by real path
 */
export function verifyWithServer(
  server: InstalledServer,
  after: Project,
  changed: ReadonlySet<string>,
  from: Release,
): Verification {
  return withSignalsBlocked(() => {
    const name = `\`${server.program} -t\``;
    const before = isBefore(from, "2.4") ? undefined : runConfigTest(server, after.entry);
    const now = testCopies(server, after, changed, false);
    if (now.ok) {
      const what = changed.size === 0 ? "the unchanged files" : "the new contents";
      return {
        notes: [`${name} accepts ${what}${describeFurther(before, testWithoutCompat(server, after, changed))}`],
      };
    }
    const { code, message } = now.error;
    if (code !== "rejected")
      return {
        notes: [`${name} could not check the new contents: ${message}; nothing was written`],
        exitCode: exitCodes.unreadable,
      };
    const rejected = rejectionOf(before);
    if (rejected !== undefined)
      return { notes: [describeUnusableServer(name, rejected, message)], exitCode: exitCodes.unreadable };
    return { notes: [describeRefusal(name, message, from)], exitCode: exitCodes.findings };
  });
}

/** Returns the server's message if it rejects a configuration. */
function rejectionOf(result: ConfigTestResult | undefined): string | undefined {
  return result === undefined || result.ok || result.error.code !== "rejected" ? undefined : result.error.message;
}

function describeRefusal(name: string, message: string, from: Release): string {
  const remedy = isBefore(from, "2.4") ? "; run `httpd-lint upgrade` to list what prevents 2.4 from starting" : "";
  return `${name} rejects the new contents: ${message}; nothing was written${remedy}`;
}

function testCopies(
  server: InstalledServer,
  after: Project,
  changed: ReadonlySet<string>,
  omitsCompatModule: boolean,
): ConfigTestResult {
  const omitted = omitsCompatModule ? findCompatLines(after) : [];
  return runConfigTestOnCopies(server, (folder) => planCopies(after, (path) => changed.has(path), omitted, folder));
}

/** Returns the LoadModule lines of mod_access_compat that are in a file. */
function findCompatLines({ loadModules }: Project) {
  return loadModules
    .filter(({ identifier, span }) => identifier === "access_compat_module" && !isExpansion(span.file))
    .map(({ span }) => span);
}

/** Checks the contents without mod_access_compat; returns undefined if no line loads it. */
function testWithoutCompat(
  server: InstalledServer,
  after: Project,
  changed: ReadonlySet<string>,
): ConfigTestResult | undefined {
  return findCompatLines(after).length === 0 ? undefined : testCopies(server, after, changed, true);
}

/** Returns additional remarks if the new contents are accepted. */
function describeFurther(before: ConfigTestResult | undefined, withoutCompat: ConfigTestResult | undefined): string {
  const both = withoutCompat?.ok ? ", with and without mod_access_compat" : "";
  const reported = rejectionOf(withoutCompat);
  const not = reported === undefined ? "" : `; without mod_access_compat, it reports: ${reported}`;
  const rejected = rejectionOf(before);
  const old = rejected === undefined ? "" : `; it rejects the unchanged files: ${rejected}`;
  return `${both}${not}${old}`;
}

/** Describes a server that does not start on this machine even unchanged, for example because a module is missing. */
function describeUnusableServer(name: string, before: string, now: string): string {
  const changed = before === now ? "" : `, and for the new contents: ${now}`;
  return `${name} already rejects the unchanged files: ${before}${changed}; so it cannot check the new contents, and nothing was written; correct that, or omit --verify-with-httpd`;
}
