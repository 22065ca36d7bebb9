/**
 * Extracts the directives of a live httpd (`httpd -L`) into the committed data.
 *
 * tsx scripts/draw-directives.ts src/facts/data/2.4.json updates the help texts and the spelling from the server's
 * own table, and adds directives that the table of the manual lacks. It reports other differences between server and
 * file on standard error.
 *
 * tsx scripts/draw-directives.ts --third-party src/facts/data/third-party.json [--cache DIR] extracts the
 * directives of every Debian package that contains an httpd module. Packages that are not installed are downloaded into
 * DIR and unpacked there, never installed. Entries without a package are kept unchanged.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** One directive as `httpd -L` lists it. */
export interface ListedDirective {
  /** Name as in the server's table, without the `<` of a section. */
  readonly name: string;
  readonly section: boolean;
  /** Source file of its module, as `<IfModule>` tests it. */
  readonly file: string;
  readonly help: string;
  /** Permitted contexts, in the words of the listing. */
  readonly allowed: string;
}

export interface LoadLine {
  readonly identifier: string;
  readonly path: string;
}

/** The table of one release, as in the JSON file: rows of strings in the order of `columns`. */
export interface DirectiveTable {
  readonly about: string;
  readonly server: string;
  readonly columns: readonly string[];
  readonly directives: readonly (readonly string[])[];
  readonly unlisted: readonly (readonly string[])[];
  readonly corrections: readonly Readonly<Record<string, string>>[];
}

/**
 * A directive of a module that does not come with httpd. The fields: its name (a section's with `<`), the module as in
 * `LoadModule`, its source file as in `<IfModule>`, the Debian package, and the classes of AllowOverride that allow it
 * in a `.htaccess` file (`none` if it is never allowed there). The last three may be empty, if they are not known.
 */
type ThirdPartyRow = readonly string[];

interface ThirdPartyTable {
  readonly about: string;
  readonly columns: readonly string[];
  /** Packages with a module that did not load when the table was made. */
  readonly undrawn: readonly string[];
  readonly directives: readonly ThirdPartyRow[];
}

const heading = /^(<?)(\S+) \((\S+)\)$/;

/** Parses the output of `httpd -L`. A help text is kept verbatim, because the server quotes it that way. */
export function parseListing(listing: string): ListedDirective[] {
  const found: { name: string; section: boolean; file: string; help: string; allowed: string }[] = [];
  for (const line of listing.split("\n")) {
    const start = heading.exec(line);
    const last = found.at(-1);
    if (start) {
      const [, angle, name = "", file = ""] = start;
      found.push({ name, section: angle === "<", file, help: "", allowed: "" });
    } else if (last === undefined) {
      // Lines before the first directive are not part of the listing.
    } else if (/^\tAllowed in /.test(line)) {
      last.allowed = line.trim();
    } else if (last.allowed !== "") {
      last.allowed = `${last.allowed} ${line.trim()}`.trimEnd();
    } else {
      last.help += last.help === "" ? line.replace(/^\t/, "") : `\n${line}`;
    }
  }
  return found;
}

/** Returns the command that runs httpd on this machine, if any. */
export function findServer(): string | undefined {
  return ["apache2", "httpd"].find((command) => spawnSync(command, ["-v"]).status === 0);
}

/** Returns the server's version string: `Apache/2.4.68 (Unix)`. */
export function serverVersion(server: string): string {
  const { stdout } = spawnSync(server, ["-v"], { encoding: "utf8" });
  return /^Server version: (.*)$/m.exec(stdout)?.[1] ?? "unknown";
}

function moduleFolder(server: string): string {
  const { stdout } = spawnSync(server, ["-V"], { encoding: "utf8" });
  const root = /HTTPD_ROOT="([^"]*)"/.exec(stdout)?.[1] ?? "";
  const folders = ["/usr/lib/apache2/modules", join(root, "modules"), "/usr/lib64/httpd/modules"];
  return folders.find((folder) => existsSync(folder)) ?? join(root, "modules");
}

/** Returns identifiers of third-party modules, even if their files are beside the server's. */
function thirdPartyIdentifiers(): ReadonlySet<string> {
  const file = new URL("../src/facts/data/third-party.json", import.meta.url);
  const table: ThirdPartyTable = JSON.parse(readFileSync(file, "utf8"));
  return new Set(table.directives.map(([, module = ""]) => module));
}

/** Returns the modules that come with the server as separate files, starting with one MPM. */
export function ownModules(server: string, mpm: string): LoadLine[] {
  const folder = moduleFolder(server);
  const skip = thirdPartyIdentifiers();
  const modules = (existsSync(folder) ? readdirSync(folder) : [])
    .filter((file) => /^mod_\w+\.so$/.test(file))
    .map((file) => ({ identifier: `${file.slice(4, -3)}_module`, path: join(folder, file) }))
    // mod_shib has its file's name as its identifier.
    .filter(({ identifier }) => !skip.has(identifier) && !skip.has(`mod_${identifier.replace(/_module$/, "")}`))
    .filter(({ identifier }) => !identifier.startsWith("mpm_") || identifier === `mpm_${mpm}_module`);
  const isMpm = (module: LoadLine) => Number(module.identifier.startsWith("mpm_"));
  // By path, mod_cache.so comes before mod_cache_disk.so, which needs it.
  return modules.sort((a, b) => isMpm(b) - isMpm(a) || (a.path < b.path ? -1 : 1));
}

/** Returns the first lines of every scratch configuration: four, and then one `LoadModule` per line. */
export function scratchConfiguration(folder: string, modules: readonly LoadLine[]): string {
  const lines = [`ServerRoot "${folder}"`, "ServerName localhost", "ErrorLog /dev/stderr", `Mutex default:${folder}`];
  return [...lines, ...modules.map(({ identifier, path }) => `LoadModule ${identifier} "${path}"`), ""].join("\n");
}

/** The environment of a module outside the server's own folder. */
interface Surroundings {
  /** Library directories that the loader searches first. */
  readonly libraries: readonly string[];
  /** Libraries to load before any module. */
  readonly preloaded: readonly string[];
  /** A tree to overlay on `/usr` for the run, if the system permits it. */
  readonly overlay?: string;
}

/** Calls `use` with a temporary folder, which is removed afterwards. */
function withScratchFolder<T>(use: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "httpd-lint-"));
  try {
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Drawn {
  readonly directives: readonly ListedDirective[];
  /** The server's messages about modules that failed to load, one string each. */
  readonly failures: readonly string[];
}

/** Returns the server's listing with these modules; one that does not load is left out. */
export function drawListing(server: string, modules: readonly LoadLine[], around?: Surroundings): Drawn {
  return withScratchFolder((folder) => {
    const file = join(folder, "httpd.conf");
    const failures: string[] = [];
    const postponed = new Set<LoadLine>();
    let loaded = [...modules];
    for (;;) {
      writeFileSync(file, scratchConfiguration(folder, loaded));
      const { stdout, stderr } = runServer([server, "-L", "-f", file], around);
      const directives = parseListing(stdout);
      if (directives.length > 0) return { directives, failures };
      const message = stderr.trim().replaceAll(folder, "");
      const line = Number(/Syntax error on line (\d+) of/.exec(message)?.[1] ?? 0);
      const failing = loaded[line - 5] ?? loaded.at(-1);
      if (failing === undefined) return { directives, failures: [...failures, message] };
      loaded = loaded.filter((module) => module !== failing);
      // It may need the symbols of a later one: every module gets a second chance after all others.
      if (line > 0 && !postponed.has(failing)) loaded.push(failing);
      else failures.push(`${failing.identifier}: ${message}`);
      postponed.add(failing);
    }
  });
}

function runServer(command: readonly string[], around: Surroundings = { libraries: [], preloaded: [] }) {
  const { libraries, preloaded, overlay } = around;
  const env = { ...process.env };
  if (libraries.length > 0) env["LD_LIBRARY_PATH"] = libraries.join(":");
  if (preloaded.length > 0) env["LD_PRELOAD"] = preloaded.join(":");
  const mount = 'mount -t overlay overlay -o "lowerdir=$0:/usr" /usr && exec "$@"';
  const words = overlay === undefined ? command : ["unshare", "-m", "sh", "-c", mount, overlay, ...command];
  const [program = "", ...rest] = words;
  return spawnSync(program, rest, { encoding: "utf8", env, maxBuffer: 1 << 26 });
}

/** Returns the listing of the server and the modules that come with it, including the additions of each MPM. */
export function drawOwnDirectives(server: string): Drawn {
  const known = new Set<string>();
  const directives: ListedDirective[] = [];
  const failures = new Set<string>();
  for (const mpm of ["event", "worker", "prefork"]) {
    const drawn = drawListing(server, ownModules(server, mpm));
    directives.push(...drawn.directives.filter((listed) => !known.has(keyOf(listed.section, listed.name))));
    for (const listed of directives) known.add(keyOf(listed.section, listed.name));
    for (const failure of drawn.failures) failures.add(failure);
  }
  return { directives, failures: [...failures] };
}

function keyOf(section: boolean, name: string): string {
  return `${section ? "<" : ""}${name.toLowerCase()}`;
}

/** Modules whose file has another name, or that share files. */
const filesOfModule: Readonly<Record<string, readonly string[]>> = {
  core: ["core.c", "http_core.c"],
  mpm_common: ["core.c", "event.c", "worker.c", "prefork.c"],
  event: ["event.c"],
  prefork: ["prefork.c"],
  mod_ldap: ["util_ldap.c"],
};

function isOfFile(module: string, file: string): boolean {
  return (filesOfModule[module] ?? [`${module}.c`]).includes(file);
}

function moduleOfFile(file: string): string {
  return Object.entries(filesOfModule).find(([, files]) => files.includes(file))?.[0] ?? file.replace(/\.c$/, "");
}

const places = {
  anywhere: "server,virtualhost,directory",
  "only outside": "server,virtualhost",
  "only inside": "directory",
};

/** Converts the words of the listing to contexts and override classes of the table. */
function contextsOf(allowed: string): { contexts: string; override: string } {
  const place = Object.entries(places).find(([words]) => allowed.startsWith(`Allowed in *.conf ${words}`))?.[1] ?? "?";
  const classes = /when AllowOverride includes (.*)$/.exec(allowed)?.[1]?.split(" or ").sort().join(",");
  const override = classes ?? (/when AllowOverride isn't None/.test(allowed) ? "All" : "");
  return { contexts: /and in \.htaccess/.test(allowed) ? `${place},htaccess` : place, override };
}

/** One row of the table with its columns by name. */
type Row = Readonly<Record<string, string>>;

function rowsOf(table: DirectiveTable, part: "directives" | "unlisted"): Row[] {
  return table[part].map((row) => Object.fromEntries(table.columns.map((column, index) => [column, row[index] ?? ""])));
}

/** Updates the table from a listing, and returns the remaining differences, one line each. */
export function updateTable(
  table: DirectiveTable,
  listing: readonly ListedDirective[],
  server: string,
): { table: DirectiveTable; drift: string[] } {
  const drift: string[] = [];
  const unmatched = new Set(listing);
  const update = (row: Row): Row => {
    const { name = "", module = "", marks = "" } = row;
    const same = listing.filter(
      (listed) => keyOf(listed.section, listed.name) === keyOf(marks.startsWith("section"), name),
    );
    const listed = same.find(({ file }) => isOfFile(module, file));
    if (listed === undefined) {
      drift.push(...same.map(({ file }) => `${name}: in ${file}, not in ${module}`));
      return row;
    }
    unmatched.delete(listed);
    drift.push(...differences(row, listed));
    return { ...row, tableName: listed.name === name ? "" : listed.name, help: listed.help };
  };
  const directives = rowsOf(table, "directives").map(update);
  const unlisted = rowsOf(table, "unlisted").map(update);
  for (const listed of unmatched) {
    drift.push(`${listed.section ? "<" : ""}${listed.name} (${listed.file}): not in the table`);
    unlisted.push(rowOf(listed));
  }
  const texts = (row: Row) => table.columns.map((column) => row[column] ?? "");
  return { table: { ...table, server, directives: directives.map(texts), unlisted: unlisted.map(texts) }, drift };
}

/** Returns the differences between the server's contexts and classes and those of the row. */
function differences(row: Row, listed: ListedDirective): string[] {
  const { contexts, override } = contextsOf(listed.allowed);
  // The listing cannot express that something is allowed only in <Proxy>: it says "only outside".
  const listable = row["contexts"]?.replace(/,proxy$/, "");
  return [
    ...(contexts === listable ? [] : [`${listed.name}: allowed in ${contexts}, the table says ${listable}`]),
    ...(override === row["override"]
      ? []
      : [`${listed.name}: class "${override}", the table says "${row["override"]}"`]),
  ];
}

/** Returns a row for a directive that only the listing contains. */
function rowOf(listed: ListedDirective): Row {
  return {
    name: listed.name,
    module: moduleOfFile(listed.file),
    marks: listed.section ? "section" : "",
    arguments: listed.section ? "RAW_ARGS" : "?",
    ...contextsOf(listed.allowed),
    refused: "?",
    help: listed.help,
  };
}

/** Prints JSON with every list entry on a separate line, for readable diffs. */
export function printTable(table: object): string {
  const parts = Object.entries(table).map(([key, value]) => {
    const short = !Array.isArray(value) || value.every((entry) => typeof entry === "string");
    const text = short
      ? JSON.stringify(value)
      : `[\n${value.map((entry) => `    ${JSON.stringify(entry)}`).join(",\n")}\n  ]`;
    return `  ${JSON.stringify(key)}: ${text}`;
  });
  return `{\n${parts.join(",\n")}\n}\n`;
}

/** Returns the Debian packages with a module built against httpd's interface. */
function modulePackages(): string[] {
  const { stdout } = spawnSync("/usr/bin/apt-cache", ["showpkg", "apache2-api-20120211"], { encoding: "utf8" });
  const reverse = stdout.slice(stdout.indexOf("Reverse Depends:"), stdout.indexOf("Dependencies:", 20));
  const names = [...reverse.matchAll(/^ {2}([a-z0-9.+-]+),apache2-api/gm)].map((match) => match[1] ?? "");
  return [...new Set(names)].sort();
}

interface UnpackedPackage {
  readonly root: string;
  /** Modules of its dependencies, then its own. */
  readonly modules: readonly LoadLine[];
  /** The module files of the package itself. */
  readonly own: ReadonlySet<string>;
}

/** Downloads a package and its dependencies that are not installed, and unpacks them into one folder. */
function unpackPackage(name: string, cache: string): UnpackedPackage {
  const root = join(cache, "roots", name);
  const archives = join(cache, "archives", name);
  if (!existsSync(root)) {
    mkdirSync(archives, { recursive: true });
    const simulated = spawnSync("/usr/bin/apt-get", ["install", "-s", "--no-install-recommends", name], {
      encoding: "utf8",
    });
    const needed = [...simulated.stdout.matchAll(/^Inst (\S+)/gm)].map((match) => match[1] ?? "");
    spawnSync("/usr/bin/apt-get", ["download", ...(needed.length > 0 ? needed : [name])], { cwd: archives });
    mkdirSync(root, { recursive: true });
    for (const archive of readdirSync(archives)) spawnSync("/usr/bin/dpkg-deb", ["-x", join(archives, archive), root]);
  }
  const archive = readdirSync(archives).find((file) => file.startsWith(`${name}_`)) ?? "";
  const contents = spawnSync("/usr/bin/dpkg-deb", ["-c", join(archives, archive)], {
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  const paths = contents.stdout.matchAll(/ \.(\/usr\/lib\/apache2\/modules\/[^/\s]+\.so)(?: -> .*)?$/gm);
  const own = new Set([...paths].map((match) => join(root, match[1] ?? "")));
  const modules = modulesBelow(root);
  modules.sort((a, b) => Number(own.has(a.path)) - Number(own.has(b.path)) || (a.path < b.path ? -1 : 1));
  return { root, modules, own };
}

/** Returns the modules of an unpacked tree, with the identifiers of its `.load` files if those are correct. */
function modulesBelow(root: string): LoadLine[] {
  const folder = join(root, "usr/lib/apache2/modules");
  const available = join(root, "etc/apache2/mods-available");
  if (!existsSync(folder)) return [];
  const loadFiles = existsSync(available) ? readdirSync(available).filter((file) => file.endsWith(".load")) : [];
  const lines = loadFiles.map((file) => readFileSync(join(available, file), "utf8")).join("\n");
  const named = [...lines.matchAll(/^\s*LoadModule\s+(\w+)\s+"?(\S+?\.so)/gm)];
  return readdirSync(folder)
    .filter((file) => file.endsWith(".so"))
    .flatMap((file) => {
      const exported = exportedSymbols(join(folder, file));
      const given = named.find(([, identifier = "", path = ""]) => basename(path) === file && exported.has(identifier));
      const guessed = [...exported].filter((symbol) => symbol.endsWith("_module"));
      const identifiers = given?.[1] === undefined ? guessed : [given[1]];
      return identifiers.map((identifier) => ({ identifier, path: join(folder, file) }));
    });
}

/** Returns the data symbols that a shared object exports, including its module structure. */
function exportedSymbols(path: string): Set<string> {
  const { stdout } = spawnSync("/usr/bin/nm", ["-D", "--defined-only", path], { encoding: "utf8", maxBuffer: 1 << 26 });
  return new Set([...stdout.matchAll(/^\S+ [BDR] (\w+)$/gm)].map((match) => match[1] ?? ""));
}

/** Returns the libraries of an unpacked tree, by their full paths. */
function librariesBelow(root: string): string[] {
  const { stdout } = spawnSync("find", [root, "-name", "lib*.so*"], { encoding: "utf8" });
  return stdout.split("\n").filter((path) => path !== "");
}

/** Rebuilds the third-party table: the packages' directives, and the entries without a package. */
function drawThirdParty(server: string, cache: string, known: ThirdPartyTable): ThirdPartyTable {
  const ownListings = ["prefork", "event"].map((mpm) => drawListing(server, ownModules(server, mpm)));
  const own = new Set(ownListings.flatMap((drawn) => drawn.directives).map(listingKey));
  const rows = new Map<string, ThirdPartyRow>();
  const undrawn: string[] = [];
  for (const name of modulePackages()) {
    const unpacked = unpackPackage(name, cache);
    const drawn = drawPackage(server, unpacked);
    const found = drawn.directives.filter((listed) => !own.has(listingKey(listed)));
    for (const listed of found) {
      const module = moduleOfListing(listed, unpacked);
      if (module === undefined) continue;
      const written = `${listed.section ? "<" : ""}${listed.name}`;
      rows.set(`${listingKey(listed)} ${module}`, [written, module, listed.file, name, htaccessOf(listed)]);
    }
    if (unpacked.own.size > 0 && drawn.failures.length > 0) undrawn.push(name);
    process.stderr.write(`${name}: ${found.length} directives\n${drawn.failures.map((f) => `  ${f}\n`).join("")}`);
  }
  const handwritten = known.directives.filter(([, , , origin]) => !origin);
  const directives = [...handwritten, ...rows.values()].sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
  return { ...known, undrawn, directives };
}

/**
 * Returns the server's listing with a package's modules. Some need a certain kind of MPM, some read their own files at
 * load time, and some use undeclared libraries. A failure is retried with more of these in place.
 */
function drawPackage(server: string, { root, modules, own }: UnpackedPackage): Drawn {
  const paths = librariesBelow(root);
  const libraries = [...new Set(paths.map((path) => dirname(path)))].sort();
  const plain = { libraries, preloaded: [] };
  const attempts: (readonly [mpm: string, around: Surroundings])[] = [
    ["prefork", plain],
    ["event", plain],
    ["prefork", { ...plain, overlay: join(root, "usr") }],
    ["prefork", { libraries, preloaded: paths.filter((path) => !own.has(path)) }],
  ];
  let best: Drawn | undefined;
  for (const [mpm, around] of attempts) {
    const { directives, failures } = drawListing(server, [...ownModules(server, mpm), ...modules], around);
    const packageModules = modules.filter((module) => own.has(module.path));
    const ownFailures = failures.filter((text) =>
      packageModules.some((module) => text.startsWith(`${module.identifier}:`)),
    );
    if (best === undefined || ownFailures.length < best.failures.length) best = { directives, failures: ownFailures };
    if (ownFailures.length === 0) break;
  }
  return best ?? { directives: [], failures: [] };
}

/**
 * Returns the identifier of the package's own module that defines a listed directive: its binary names the source file.
 */
function moduleOfListing(listed: ListedDirective, { modules, own }: UnpackedPackage): string | undefined {
  const candidates = modules.filter(({ path }) => own.has(path) && readFileSync(path).includes(`${listed.file}\0`));
  const namesake = candidates.find(({ identifier }) => `mod_${identifier.replace(/_module$/, "")}.c` === listed.file);
  return (namesake ?? candidates[0])?.identifier;
}

/** Returns the override classes of a listed directive; `none` if it is not allowed in `.htaccess` files. */
function htaccessOf({ allowed }: ListedDirective): string {
  return contextsOf(allowed).override || "none";
}

function listingKey(listed: ListedDirective): string {
  return `${keyOf(listed.section, listed.name)} ${listed.file}`;
}

function sortKey([written = "", module = "", , origin = ""]: ThirdPartyRow): string {
  return `${written.toLowerCase().replace("<", "")} ${written} ${origin === "" ? 1 : 0} ${module} ${origin}`;
}

function main(words: readonly string[]): void {
  const server = findServer();
  const thirdParty = words.includes("--third-party");
  const cache = words.includes("--cache") ? words[words.indexOf("--cache") + 1] : undefined;
  const file = words.find((word) => !word.startsWith("--") && word !== cache);
  if (server === undefined || file === undefined) {
    process.stderr.write("usage: draw-directives [--third-party [--cache DIR]] FILE   (needs apache2 or httpd)\n");
    process.exitCode = 2;
    return;
  }
  if (thirdParty) {
    const known: ThirdPartyTable = JSON.parse(readFileSync(file, "utf8"));
    writeFileSync(file, printTable(drawThirdParty(server, cache ?? join(tmpdir(), "httpd-lint-packages"), known)));
    return;
  }
  const table: DirectiveTable = JSON.parse(readFileSync(file, "utf8"));
  const { directives, failures } = drawOwnDirectives(server);
  const updated = updateTable(table, directives, serverVersion(server));
  writeFileSync(file, printTable(updated.table));
  for (const line of [...failures, ...updated.drift]) process.stderr.write(`${line}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2));
