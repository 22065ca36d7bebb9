import { findRemovedModule } from "../../facts/modules.js";
import type { Result } from "../../text/result.js";

/** A `configure` switch that has a different meaning in 2.4, or none. */
export interface ChangedSwitch {
  /** The switch as written in the file: `--enable-disk-cache`. */
  readonly written: string;
  /** The affected argument, if the switch lists modules. */
  readonly word?: string;
  /** The change and the replacement, as a clause. */
  readonly advice: string;
}

/** The build options of a server, as `configure` records them for a rebuild. */
export interface RecordedBuild {
  readonly changed: readonly ChangedSwitch[];
  /** Number of switches. */
  readonly switches: number;
}

/**
 * Parses a `config.nice`.
 *
 * @param text a shell script that calls `configure`, with each switch in quotes
 * @returns the switches that cannot be kept unchanged; a failure if the script does not call `configure`
 */
export function readConfigNice(text: string): Result<RecordedBuild, string> {
  const lines = text.replace(/\\\r?\n/g, " ").split(/\r?\n/);
  const words = lines.map(splitShellWords).find(([program = ""]) => /(?:^|\/)configure$/.test(program));
  if (words === undefined) return { ok: false, error: "the file does not call `configure`" };
  const switches = words.slice(1).filter((word) => word.startsWith("-"));
  return { ok: true, value: { changed: switches.flatMap(changesOf), switches: switches.length } };
}

/** Splits a shell line into unquoted words; returns none for a comment. */
function splitShellWords(line: string): readonly string[] {
  if (/^\s*#/.test(line)) return [];
  const words = line.match(/(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s"'\\])+/g) ?? [];
  return words.map((word) =>
    word.replace(
      /"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)/g,
      (_, double?: string, single?: string, escaped?: string) =>
        double?.replace(/\\(.)/g, "$1") ?? single ?? escaped ?? "",
    ),
  );
}

function changesOf(written: string): readonly ChangedSwitch[] {
  const [, name = "", value] = /^--?([^=]*)(?:=(.*))?$/s.exec(written) ?? [];
  const known = switchAdvice[name];
  if (known !== undefined) return [{ written, advice: known }];
  if (name === "with-mpm" && value === "beos")
    return [{ written, advice: "2.4 does not run on BeOS; delete this switch" }];
  const [, turned = "", module = ""] = /^(enable|disable)-(.*)$/.exec(name) ?? [];
  if (module === "mods-shared" || module === "modules") return changesInList(written, value ?? "");
  const advice = adviceOn(module, (each) => `--${turned}-${each}`);
  return advice === undefined ? [] : [{ written, advice }];
}

/** Other switches of 2.2's `configure` that 2.4 rejects or treats differently. */
const switchAdvice: Readonly<Record<string, string>> = {
  "enable-distcache": "mod_socache_dc now provides the distributed cache of mod_ssl; use `--enable-socache-dc`",
  "disable-distcache": "mod_socache_dc now provides the distributed cache of mod_ssl; delete this switch",
  "with-sslc": "2.4 builds mod_ssl only with OpenSSL; use `--with-ssl`",
  "with-included-apr":
    "2.4 does not include APR; unpack APR and APR-Util into `srclib`, or set `--with-apr` and `--with-apr-util`",
};

/** Checks the modules in a list: `--enable-mods-shared="all disk_cache"`. */
function changesInList(written: string, value: string): readonly ChangedSwitch[] {
  return value.split(/[\s,]+/).flatMap((word) => {
    const advice = adviceOn(word, (each) => each);
    return advice === undefined ? [] : [{ written, word, advice }];
  });
}

/** @param written formats the replacement in the switch or list, from the module's short name */
function adviceOn(word: string, written: (short: string) => string): string | undefined {
  const removedModule = findRemovedModule("2.4", `mod_${word.replaceAll("-", "_")}`);
  if (removedModule === undefined) return undefined;
  const names = removedModule.becomes.map((name) => `\`${written(name.replace(/^mod_/, "").replaceAll("_", "-"))}\``);
  return `${removedModule.name} was removed in 2.4: ${removedModule.explanation}; ${names.length === 0 ? "delete it" : `use ${names.join(" ")}`}`;
}
