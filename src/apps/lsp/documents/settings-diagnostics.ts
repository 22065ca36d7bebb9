import { type Diagnostic, DiagnosticSeverity } from "vscode-languageserver/node";
import { statOf } from "../../../config/main-files.js";
import { readBaselineFile } from "../../baseline/baseline-file.js";
import { createMistake, type SettingsMistake, type SettingsMistakeCode } from "../../settings/mistakes.js";
import { mainFileOfEntry, pathMapsOf, type ServerSettings, type Settings } from "../../settings/settings.js";
import type { PublishedDiagnostics } from "../analysis/analysis-service.js";
import { uriOf } from "./protocol-conversion.js";
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

  report(read: SettingsReport): void {
    const { path, mistakes, isAccepted } = read;
    const before = this.reported.get(path) ?? "";
    const [first] = mistakes;
    const message = first === undefined ? "" : describeMistake(path, first, isAccepted);
    if (message === "" && before === "") return;
    this.reported.set(path, message);
    this.publish({ uri: uriOf(path), diagnostics: createDiagnostics(read) });
    if (message !== "" && message !== before) this.show(message);
  }
}

function describeMistake(path: string, { line, column, message }: SettingsMistake, isAccepted: boolean): string {
  return `${path}:${line}:${column}: ${message}${isAccepted ? "" : "; the file is ignored until this is corrected"}`;
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
  if (ofBaseline !== undefined) faults.push(ofBaseline);
  // Servers share settings.
  const distinct = new Map(faults.map((fault) => [`${fault.setting} ${fault.path}`, fault]));
  return [...distinct.values()].map(({ setting, code, message }) =>
    createMistake(text, Math.max(0, text.indexOf(`"${setting}"`)), code, message),
  );
}

/** A setting that names something missing or invalid. */
interface SettingFault {
  readonly setting: string;
  readonly path: string;
  readonly code: SettingsMistakeCode;
  readonly message: string;
}

function* findServerFaults(server: ServerSettings): Generator<SettingFault> {
  const { entry, sysroot, confine, serverRoot, envvars } = server;
  const maps = pathMapsOf(server);
  if (entry !== undefined && !statOf(mainFileOfEntry(entry))?.isFile())
    yield {
      ...{ setting: "entry", path: entry, code: "entry-not-found" },
      message: `\`entry\`: \`${entry}\` is not a file, and not a directory with a main file`,
    };
  const directories = [
    ["sysroot", sysroot],
    ["confine", confine],
    // With a system root, it is not a path of this machine.
    ["serverRoot", sysroot === undefined && maps.length === 0 ? serverRoot : undefined],
  ] as const;
  for (const [setting, path] of directories)
    if (path !== undefined && !statOf(path)?.isDirectory())
      yield {
        ...{ setting, path, code: "directory-not-found" },
        message: `\`${setting}\`: \`${path}\` is not a directory, so no files in it are read`,
      };
  for (const { host } of maps)
    if (statOf(host) === undefined)
      yield {
        ...{ setting: "map", path: host, code: "map-not-found" },
        message: `\`map\`: \`${host}\` does not exist, so no files in it are read`,
      };
  if (envvars !== undefined && !statOf(envvars)?.isFile())
    yield {
      ...{ setting: "envvars", path: envvars, code: "envvars-unreadable" },
      message: `\`envvars\`: cannot read \`${envvars}\`, so its variables are unknown`,
    };
}

function findBaselineFault(file: string): SettingFault | undefined {
  const read = readBaselineFile(file);
  if (read.ok) return undefined;
  const { code, path, message } = read.error;
  const effect = "so all findings are shown";
  return {
    ...{ setting: "baseline", path, code: "baseline-unusable" },
    message:
      code === "missing"
        ? `the baseline \`${path}\` does not exist, ${effect}; run \`httpd-lint --update-baseline\` to create it`
        : `the baseline \`${path}\` is not usable, ${effect}: ${message}`,
  };
}
