import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import type { Release } from "../directives/directives.js";
import type { LoadOptions } from "../project/load.js";
import { isExpansion } from "../project/macros.js";
import type { Project } from "../project/project.js";
import { configTest, configTestOf, type Server, type Tested } from "../writing/configtest.js";
import { copiesOf } from "../writing/copies.js";
import { uninterrupted } from "../writing/uninterrupted.js";
import { type ExitCode, exitCodes } from "./exit-codes.js";

/** What the installed server says of new texts, in lines for the operator. */
export interface Verified {
  readonly notes: readonly string[];
  /** Absent where it takes them. */
  readonly exitCode?: ExitCode;
}

/** As the programs of a server are called. */
const programs = ["httpd", "apache2"];

/**
 * The program of the installed server.
 *
 * @param asked a path, the name of a program on the PATH, or nothing for either of the usual ones
 */
export function serverProgram(asked: string): { readonly program: string } | { readonly failed: string } {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const places = asked.includes("/")
    ? [resolve(asked)]
    : (asked === "" ? programs : [asked]).flatMap((name) => folders.map((folder) => join(folder, name)));
  const program = places.find(isProgram);
  if (program !== undefined) return { program };
  return {
    failed:
      asked === ""
        ? `--verify-with-httpd finds no ${programs.join(" or ")} on the PATH; name it: --verify-with-httpd=/usr/sbin/httpd`
        : `\`${asked}\` of --verify-with-httpd is no program that can be run here`,
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

/** How the server is started to read a configuration as we do. */
export function serverOf(program: string, project: Project, { defines, environment }: LoadOptions): Server {
  return {
    program,
    serverRoot: project.serverRoot,
    defines: new Map(defines),
    environment: new Map(environment),
  };
}

/**
 * Shows the installed server texts before they are put in place: it is given copies, and nothing on the disk changes. What it
 * says of the files as they are tells its own troubles from those of the new texts; files of 2.2 it is not asked about.
 *
 * @param changed the files with new texts, by real path
 */
export function verified(server: Server, after: Project, changed: ReadonlySet<string>, from: Release): Verified {
  return uninterrupted(() => {
    const name = `\`${server.program} -t\``;
    const before = from === "2.2" ? undefined : configTest(server, after.entry);
    const now = testedCopies(server, after, changed, false);
    switch (now.verdict) {
      case "taken": {
        const what = changed.size === 0 ? "the files as they are" : "the new texts";
        return { notes: [`${name} takes ${what}${besides(before, testedAlone(server, after, changed))}`] };
      }
      case "unasked":
        return {
          notes: [`${name} could not be asked: ${now.why}; nothing is written`],
          exitCode: exitCodes.unreadable,
        };
      case "refused":
        if (before?.verdict === "refused")
          return { notes: [refusedBoth(name, before.said, now.said)], exitCode: exitCodes.unreadable };
        return { notes: [refusedNew(name, now.said, from)], exitCode: exitCodes.findings };
    }
  });
}

function refusedNew(name: string, said: string, from: Release): string {
  const remedy = from === "2.2" ? "; `httpd-lint upgrade` names what keeps 2.4 from starting" : "";
  return `${name} refuses the new texts: ${said}; nothing is written${remedy}`;
}

function testedCopies(server: Server, after: Project, changed: ReadonlySet<string>, isAlone: boolean): Tested {
  const silenced = isAlone ? compatLines(after) : [];
  return configTestOf(server, (folder) => copiesOf(after, (path) => changed.has(path), silenced, folder));
}

/** The LoadModule lines of mod_access_compat that stand in a file. */
function compatLines({ loadModules }: Project) {
  return loadModules
    .filter(({ identifier, span }) => identifier === "access_compat_module" && !isExpansion(span.file))
    .map(({ span }) => span);
}

/** Without mod_access_compat; undefined where no line loads it. */
function testedAlone(server: Server, after: Project, changed: ReadonlySet<string>): Tested | undefined {
  return compatLines(after).length === 0 ? undefined : testedCopies(server, after, changed, true);
}

/** What else there is to say where the new texts are taken. */
function besides(before: Tested | undefined, alone: Tested | undefined): string {
  const both = alone?.verdict === "taken" ? ", with mod_access_compat and without" : "";
  const not = alone?.verdict === "refused" ? `; without mod_access_compat it says: ${alone.said}` : "";
  const old = before?.verdict === "refused" ? `; the files as they were it refuses: ${before.said}` : "";
  return `${both}${not}${old}`;
}

/** A server that does not start on this machine as it is, such as for want of a module. */
function refusedBoth(name: string, before: string, now: string): string {
  const changed = before === now ? "" : `, and of the new texts it says: ${now}`;
  return `${name} refuses the files as they are already: ${before}${changed}; nothing is written, since it cannot tell whether the new texts are well; put that right, or leave --verify-with-httpd out`;
}
