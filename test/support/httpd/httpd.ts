import { execFile, spawnSync } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { listModules } from "../../../src/facts/modules.js";
import type { Ran } from "../programs/command.js";
import { inScratchFolder } from "../programs/scratch-folder.js";

/** The real server, if installed: the reference for all predictions of this project. */
export const httpd = ["apache2", "httpd"]
  .map((name) => spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).stdout.trim())
  .find((path) => path !== "");

/** The environment of servers: they wait at most one second for names that the machine's resolver does not find. */
export const serverEnvironment = { ...process.env, RES_OPTIONS: "timeout:1 attempts:1" };

/** Appends the reason for skipping to a test's name, so that a skipped test is visible. */
export function liveTitle(title: string): string {
  return httpd ? title : `${title} (skipped: no apache2 or httpd on this machine)`;
}

const moduleFolders = ["/usr/lib/apache2/modules", "/usr/lib64/httpd/modules", "/usr/lib/httpd/modules"];

/** Folder of the server's shared objects. */
export const moduleFolder = moduleFolders.find((folder) => existsSync(folder)) ?? "modules";

/** Returns LoadModule lines for modules named like `alias` or `mpm_event`. */
export function loadModules(names: readonly string[], folder = moduleFolder): string {
  return names.map((name) => `LoadModule ${name}_module ${join(folder, `mod_${name}.so`)}\n`).join("");
}

/** A server on this machine, with the folder of its shared objects. */
export interface InstalledHttpd {
  readonly version: string;
  readonly program: string;
  readonly modules: string;
}

/** Returns the version of a server: `2.4.62`. */
function versionOfProgram(program: string): string | undefined {
  const { stdout } = spawnSync(program, ["-v"], { encoding: "utf8" });
  return /Apache\/(\d+\.\d+\.\d+)/.exec(stdout)?.[1];
}

/**
 * Returns the installed server and those that were built from the sources of other versions: HTTPD_LINT_BUILDS names a
 * folder with one folder for each version, such as `2.4.29/bin/httpd`.
 */
export function listInstalledHttpds(): readonly InstalledHttpd[] {
  const builds = process.env["HTTPD_LINT_BUILDS"];
  const folders = builds === undefined || !existsSync(builds) ? [] : readdirSync(builds);
  const built = folders.map((name) => ({
    program: join(builds ?? "", name, "bin/httpd"),
    modules: join(builds ?? "", name, "modules"),
  }));
  const own = httpd === undefined ? [] : [{ program: httpd, modules: moduleFolder }];
  return [...built.filter(({ program }) => existsSync(program)), ...own].flatMap((each) => {
    const version = versionOfProgram(each.program);
    return version === undefined ? [] : [{ version, ...each }];
  });
}

/**
 * Returns the signal that stops a server. It has no state to save, and a graceful stop takes half a second. But only
 * this also stops the daemon of mod_cgid.
 */
export function stopSignalFor(configuration: string): "SIGTERM" | "SIGKILL" {
  return configuration.includes("LoadModule cgid_module") ? "SIGTERM" : "SIGKILL";
}

/**
 * Returns the modules of httpd itself, by short name, without those that conflict with an MPM or each other. The folder
 * may also contain third-party modules, which need their own directives to start.
 */
export function packagedModules(): string[] {
  const excluded = new Set(["mpm_prefork", "mpm_worker", "mpm_event", "cgi", "example_hooks", "log_debug"]);
  const own = new Set(listModules("2.4").map(({ identifier }) => identifier));
  return readdirSync(moduleFolder)
    .map((file) => /^mod_(.*)\.so$/.exec(file)?.[1])
    .filter((name): name is string => name !== undefined && own.has(`${name}_module`) && !excluded.has(name))
    .sort();
}

/** Runs the server's own configuration test. Output is returned as a binary string. */
export function runHttpd(configuration: string, ...args: readonly string[]): Ran {
  const { status, stdout, stderr } = spawnSync(httpd ?? "apache2", ["-t", ...args, "-f", configuration], {
    encoding: "latin1",
    maxBuffer: 1 << 28,
  });
  return { status, stdout, stderr };
}

/** Runs that test on lines after those that load modules, in a separate folder. */
export function runHttpdOn(modules: readonly string[], lines: string): Ran {
  return inScratchFolder((folder) => {
    const configuration = join(folder, "httpd.conf");
    writeFileSync(configuration, `${loadModules(modules)}ServerName x.test\nServerRoot "${folder}"\n${lines}`);
    return runHttpd(configuration);
  });
}

/** Runs that test on many configurations in parallel and returns the messages. @param folder folder for their files */
export async function complaintsAbout(
  configurations: readonly string[],
  folder: string,
  server = httpd ?? "apache2",
): Promise<string[]> {
  const complaints: string[] = [];
  const waiting = [...configurations.entries()];
  const work = async (_: unknown, worker: number) => {
    const file = join(folder, `${worker}.conf`);
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [index, text] = next;
      writeFileSync(file, text);
      complaints[index] = await complaintAbout(file, server);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() + 1 }, work));
  return complaints;
}

function complaintAbout(file: string, server: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(server, ["-t", "-f", file], { timeout: 60_000 }, (error, _output, stderr) => {
      if (error?.killed) reject(new Error(`${server} did not finish its test`));
      else resolve(stderr);
    });
  });
}
