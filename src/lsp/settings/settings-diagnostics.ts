import { type Diagnostic, DiagnosticSeverity } from "vscode-languageserver/node";
import { readBaselineFile } from "../../baseline/baseline-file.js";
import { statOf } from "../../project/discovery/main-files.js";
import { createMistake, type SettingsMistake } from "../../settings/mistakes.js";
import { mainFileOfEntry, pathMapsOf, type ServerSettings, type Settings } from "../../settings/settings.js";
import type { PublishedDiagnostics } from "../analysis/diagnostics-service.js";
import { uriOf } from "../documents/protocol-conversion.js";
import type { SettingsReport } from "./settings-store.js";

/** Reports mistakes in configuration files to an editor: as diagnostics of the file, and once as a message. */
export class SettingsReporter {
  /** The last message, by path. */
  private readonly reported = new Map<string, string>();

  /** @param show shows a message to the user */
  constructor(
    private readonly publish: (published: PublishedDiagnostics) => void,
    private readonly show: (message: string) => void,
  ) {}

  report(told: SettingsReport): void {
    const { path, mistakes, isAccepted } = told;
    const before = this.reported.get(path) ?? "";
    const [first] = mistakes;
    const words = first === undefined ? "" : describeMistake(path, first, isAccepted);
    if (words === "" && before === "") return;
    this.reported.set(path, words);
    this.publish({ uri: uriOf(path), diagnostics: createDiagnostics(told) });
    if (words !== "" && words !== before) this.show(words);
  }
}

function describeMistake(path: string, { line, column, message }: SettingsMistake, isTaken: boolean): string {
  return `${path}:${line}:${column}: ${message}${isTaken ? "" : "; until that is mended these settings are passed over"}`;
}

function createDiagnostics({ text, mistakes, isAccepted }: SettingsReport): Diagnostic[] {
  const lines = text.split("\n");
  return mistakes.map(({ line, column, message }) => ({
    range: {
      start: { line: line - 1, character: column - 1 },
      end: { line: line - 1, character: Math.max(column, (lines[line - 1] ?? "").trimEnd().length) },
    },
    severity: isAccepted ? DiagnosticSeverity.Warning : DiagnosticSeverity.Error,
    source: "httpd-lint",
    message,
  }));
}

/**
 * Returns the settings that name something missing or invalid, each at its position. The other settings still apply.
 */
export function findSettingsFaults(settings: Settings, text: string): readonly SettingsMistake[] {
  const { common, servers, baseline } = settings;
  const faults = [common, ...servers].flatMap((server) => [...findServerFaults(server)]);
  const ofBaseline = baseline === undefined ? undefined : findBaselineFault(baseline);
  if (ofBaseline !== undefined) faults.push(["baseline", ofBaseline]);
  const byMessage = new Map(faults.map(([name, message]) => [message, name]));
  return [...byMessage].map(([message, name]) => createMistake(text, Math.max(0, text.indexOf(`"${name}"`)), message));
}

type NamedFault = readonly [name: string, message: string];

function* findServerFaults(server: ServerSettings): Generator<NamedFault> {
  const { entry, sysroot, confine, serverRoot, envvars } = server;
  const maps = pathMapsOf(server);
  if (entry !== undefined && !statOf(mainFileOfEntry(entry))?.isFile())
    yield ["entry", `\`${entry}\` of \`entry\` is no file, and no folder that holds a main file`];
  const directories = [
    ["sysroot", sysroot],
    ["confine", confine],
    // With a system root, it is not a path of this machine.
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

function findBaselineFault(file: string): string | undefined {
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
