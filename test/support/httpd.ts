import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** The real server, where there is one: the referee of everything that this project says. */
export const httpd = ["apache2", "httpd"]
  .map((name) => spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).stdout.trim())
  .find((path) => path !== "");

/** Adds to a test's name why it does not run, so that a skipped one is seen. */
export function liveTitle(title: string): string {
  return httpd ? title : `${title} (skipped: no apache2 or httpd on this machine)`;
}

const moduleFolders = ["/usr/lib/apache2/modules", "/usr/lib64/httpd/modules", "/usr/lib/httpd/modules"];

/** Where the server's shared objects lie. */
export const moduleFolder = moduleFolders.find((folder) => existsSync(folder)) ?? "modules";

/** LoadModule lines for modules named like `alias` or `mpm_event`. */
export function loadModules(names: readonly string[]): string {
  return names.map((name) => `LoadModule ${name}_module ${join(moduleFolder, `mod_${name}.so`)}\n`).join("");
}

/** The modules of the server's own package, by short name, without those that cannot stand beside an MPM or each other. */
export function packagedModules(): string[] {
  const excluded = new Set(["mpm_prefork", "mpm_worker", "mpm_event", "cgi", "example_hooks", "log_debug"]);
  return readdirSync(moduleFolder)
    .map((file) => /^mod_(.*)\.so$/.exec(file)?.[1])
    .filter((name): name is string => name !== undefined && !excluded.has(name))
    .sort();
}

export interface Answer {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the server's own check of a configuration. Output is given as a binary string. */
export function runHttpd(configuration: string, ...args: readonly string[]): Answer {
  const { status, stdout, stderr } = spawnSync(httpd ?? "apache2", ["-t", ...args, "-f", configuration], {
    encoding: "latin1",
    maxBuffer: 1 << 28,
  });
  return { status, stdout, stderr };
}
