import { findRemovedModule } from "../directives/modules.js";

/** A switch of `configure` that means something else to 2.4, or nothing. */
export interface ChangedSwitch {
  /** As it stands in the file: `--enable-disk-cache`. */
  readonly written: string;
  /** The word of it that is meant, where it lists modules. */
  readonly word?: string;
  /** What became of it, and what to write, as a clause. */
  readonly advice: string;
}

/** How a server was configured for building, as `configure` records it for doing so again. */
export interface RecordedBuild {
  readonly changed: readonly ChangedSwitch[];
  /** How many switches there are. */
  readonly switches: number;
}

/**
 * Reads a `config.nice`.
 *
 * @param text a shell script that calls `configure`, each of its switches in quotes
 * @returns the switches that cannot be taken over as they are; a failure where nothing in it calls `configure`
 */
export function readConfigNice(text: string): RecordedBuild | { readonly failed: string } {
  const lines = text.replace(/\\\r?\n/g, " ").split(/\r?\n/);
  const words = lines.map(splitShellWords).find(([program = ""]) => /(?:^|\/)configure$/.test(program));
  if (words === undefined) return { failed: "nothing in it calls `configure`" };
  const switches = words.slice(1).filter((word) => word.startsWith("-"));
  return { changed: switches.flatMap(changesOf), switches: switches.length };
}

/** The words of a line of the shell, without their quotes; none in a comment. */
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
  if (name === "with-mpm" && value === "beos") return [{ written, advice: "2.4 does not run on BeOS: leave it out" }];
  const [, turned = "", module = ""] = /^(enable|disable)-(.*)$/.exec(name) ?? [];
  if (module === "mods-shared" || module === "modules") return changesInList(written, value ?? "");
  const advice = adviceOn(module, (each) => `--${turned}-${each}`);
  return advice === undefined ? [] : [{ written, advice }];
}

/** Beside the modules: what `configure` of 2.2 takes and that of 2.4 does not, or takes otherwise. */
const switchAdvice: Readonly<Record<string, string>> = {
  "enable-distcache": "mod_ssl has its distributed cache from mod_socache_dc now: write `--enable-socache-dc`",
  "disable-distcache": "mod_ssl has its distributed cache from mod_socache_dc now: leave it out",
  "with-sslc": "2.4 builds mod_ssl with OpenSSL alone: write `--with-ssl`",
  "with-included-apr":
    "2.4 comes without APR: unpack APR and APR-Util into `srclib` first, or name installed ones with `--with-apr` and `--with-apr-util`",
};

/** Modules in a list: `--enable-mods-shared="all disk_cache"`. */
function changesInList(written: string, value: string): readonly ChangedSwitch[] {
  return value.split(/[\s,]+/).flatMap((word) => {
    const advice = adviceOn(word, (each) => each);
    return advice === undefined ? [] : [{ written, word, advice }];
  });
}

/** @param written what takes a module's place in the switch or list, from its short name */
function adviceOn(word: string, written: (short: string) => string): string | undefined {
  const gone = findRemovedModule("2.4", `mod_${word.replaceAll("-", "_")}`);
  if (gone === undefined) return undefined;
  const names = gone.becomes.map((name) => `\`${written(name.replace(/^mod_/, "").replaceAll("_", "-"))}\``);
  return `${gone.name} is gone, ${gone.fate}: ${names.length === 0 ? "leave it out" : `write ${names.join(" ")}`}`;
}
