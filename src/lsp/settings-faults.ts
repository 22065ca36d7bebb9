import { readBaselineFile } from "../baseline/file.js";
import { statOf } from "../project/main-files.js";
import { at, type Mistake } from "../settings/mistakes.js";
import { mainOf, mapsIn } from "../settings/servers.js";
import type { ServerSettings, Settings } from "../settings/settings.js";

/** What settings name that is not there or cannot be taken, where they name it. What else they say holds all the same. */
export function settingsFaults(settings: Settings, text: string): readonly Mistake[] {
  const { common, servers, baseline } = settings;
  const faults = [common, ...servers].flatMap((server) => [...faultsOf(server)]);
  const ofBaseline = baseline === undefined ? undefined : baselineFault(baseline);
  if (ofBaseline !== undefined) faults.push(["baseline", ofBaseline]);
  const byMessage = new Map(faults.map(([name, message]) => [message, name]));
  return [...byMessage].map(([message, name]) => at(text, Math.max(0, text.indexOf(`"${name}"`)), message));
}

type Fault = readonly [name: string, message: string];

function* faultsOf(server: ServerSettings): Generator<Fault> {
  const { entry, sysroot, confine, serverRoot, envvars } = server;
  const maps = mapsIn(server);
  if (entry !== undefined && !statOf(mainOf(entry))?.isFile())
    yield ["entry", `\`${entry}\` of \`entry\` is no file, and no folder that holds a main file`];
  const directories = [
    ["sysroot", sysroot],
    ["confine", confine],
    // Below a system root it is none of this machine's.
    ["serverRoot", sysroot === undefined && maps.length === 0 ? serverRoot : undefined],
  ] as const;
  for (const [name, path] of directories)
    if (path !== undefined && !statOf(path)?.isDirectory())
      yield [name, `\`${path}\` of \`${name}\` is no directory, so what lies in it is not read`];
  for (const { host } of maps)
    if (statOf(host) === undefined) yield ["map", `\`${host}\` of \`map\` does not exist, so nothing is read from it`];
  if (envvars !== undefined && !statOf(envvars)?.isFile())
    yield ["envvars", `the file \`${envvars}\` of \`envvars\` cannot be read, so its variables are unknown`];
}

function baselineFault(file: string): string | undefined {
  const read = readBaselineFile(file);
  if ("baseline" in read) return undefined;
  const effect = "so all that is found is shown";
  switch (read.kind) {
    case "missing":
      return `the baseline \`${read.path}\` is not there, ${effect}; \`httpd-lint --update-baseline\` writes it`;
    case "unreadable":
    case "wrong":
      return `the baseline \`${read.path}\` cannot be taken, ${effect}: ${read.why}`;
  }
}
