import type { Release } from "../directives/directives.js";
import { allModules, moduleNamed } from "../directives/modules.js";
import { nearest } from "../text/nearest.js";
import { toReadable } from "../text/source.js";
import type { FileAccess } from "./files.js";
import { absolutePath } from "./paths.js";
import { type Fault, quoted } from "./problems.js";

/**
 * The files that LoadModule lines name. A configuration is mostly read on another machine than the server's: that a file
 * is missing is told only where others of its kind lie in the same folder, and these are of the release that is asked about:
 * where a configuration moves to another one, the machine may have been there first.
 */
export class SharedObjects {
  /** By folder, the names of the shared objects in it; none where it cannot be gone by. */
  private readonly folders = new Map<string, ReadonlySet<string>>();

  constructor(
    private readonly access: FileAccess,
    private readonly release: Release,
  ) {}

  /** The names of all that lie in the folders asked about; undefined where any of these is not known. */
  known(): ReadonlySet<string> | undefined {
    const all = [...this.folders.values()];
    return all.length === 0 || all.some(({ size }) => size === 0)
      ? undefined
      : new Set(all.flatMap((names) => [...names]));
  }

  /** What the server says of a file, as written, that is not there; undefined where it is, or may be. */
  fault(serverRoot: string, file: string): Fault | undefined {
    // Templates are not judged.
    if (/@\w+@|%\w+%|\{\{|\$\{/.test(file)) return undefined;
    // Without a slash the system looks in folders of its own.
    const path = file.includes("/") ? absolutePath(serverRoot, file) : "";
    const [, folder = "", name = ""] = /^(\/[\s\S]*)\/([^/]+\.so)$/.exec(path) ?? [];
    if (name === "") return undefined;
    const names = this.namesIn(folder);
    if (names.size === 0 || names.has(name) || this.access.exists(path)) return undefined;
    const near = nearest(name, names);
    return {
      wrong: `there is no ${quoted(name)} beside the other modules in ${quoted(folder)}`,
      remedy: near ? `did you mean ${quoted(near)}?` : "install the module, or take the line out",
      server: `Cannot load ${toReadable(file)} into server: ${toReadable(path)}: cannot open shared object file: No such file or directory`,
    };
  }

  private namesIn(folder: string): ReadonlySet<string> {
    const known = this.folders.get(folder);
    if (known) return known;
    const entries = this.access.list(folder);
    const names = "failed" in entries ? [] : entries.map(({ name }) => name).filter((name) => name.endsWith(".so"));
    const found = new Set(isOfOtherThan(this.release, new Set(names)) ? [] : names);
    this.folders.set(folder, found);
    return found;
  }
}

/** Whether the modules in a folder are those of another release: only that has some of them. */
function isOfOtherThan(release: Release, names: ReadonlySet<string>): boolean {
  const other = release === "2.4" ? "2.2" : "2.4";
  return isOnlyOf(other, release, names) && !isOnlyOf(release, other, names);
}

function isOnlyOf(release: Release, other: Release, names: ReadonlySet<string>): boolean {
  return allModules(release).some(({ name }) => names.has(`${name}.so`) && moduleNamed(other, name) === undefined);
}
