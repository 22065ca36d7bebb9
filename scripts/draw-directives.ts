/**
 * Draws what a live httpd says of its directives (`httpd -L`) into the committed data.
 *
 *   tsx scripts/draw-directives.ts src/directives/data/2.4.json
 *       brings the help texts and the spelling in the server's own table up to date, adds directives that the table of
 *       the manual lacks, and says on standard error where the server and the file differ otherwise.
 *
 *   tsx scripts/draw-directives.ts --third-party src/directives/data/third-party.json [--cache DIR]
 *       draws the directives of every Debian package that holds a module for httpd. Packages that are not installed are
 *       downloaded into DIR and unpacked there, never installed. Entries without a package are kept as they are.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** One directive as `httpd -L` lists it. */
export interface ListedDirective {
  /** As the server's table spells it, without the `<` of a section. */
  readonly name: string;
  readonly section: boolean;
  /** The source file of its module, as `<IfModule>` tests it. */
  readonly file: string;
  readonly help: string;
  /** Where it may stand, in the words of the listing. */
  readonly allowed: string;
}

export interface LoadLine {
  readonly identifier: string;
  readonly path: string;
}

/** The table of one release, as the JSON file holds it: rows of texts in the order of `columns`. */
export interface DirectiveTable {
  readonly about: string;
  readonly server: string;
  readonly columns: readonly string[];
  readonly directives: readonly (readonly string[])[];
  readonly beside: readonly (readonly string[])[];
  readonly corrections: readonly Readonly<Record<string, string>>[];
}

/**
 * A directive of a module that does not come with httpd: its name (a section's with `<`), the module as `LoadModule`
 * names it, its source file as `<IfModule>` tests it, and the Debian package; the last two may be empty.
 */
type ThirdPartyRow = readonly string[];

interface ThirdPartyTable {
  readonly about: string;
  readonly columns: readonly string[];
  /** Packages with a module that would not load when the table was drawn. */
  readonly undrawn: readonly string[];
  readonly directives: readonly ThirdPartyRow[];
}

const heading = /^(<?)(\S+) \((\S+)\)$/;

/** Reads the listing that `httpd -L` prints. A help text is kept to the letter, for the server quotes it so. */
export function parseListing(listing: string): ListedDirective[] {
  const found: { name: string; section: boolean; file: string; help: string; allowed: string }[] = [];
  for (const line of listing.split("\n")) {
    const start = heading.exec(line);
    const last = found.at(-1);
    if (start) {
      const [, angle, name = "", file = ""] = start;
      found.push({ name, section: angle === "<", file, help: "", allowed: "" });
    } else if (last === undefined) {
      // What stands before the first directive is not of the listing.
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

/** The command that runs httpd here, if there is one. */
export function findServer(): string | undefined {
  return ["apache2", "httpd"].find((command) => spawnSync(command, ["-v"]).status === 0);
}

/** What the server calls itself: `Apache/2.4.68 (Unix)`. */
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

/** Identifiers that are not httpd's own, even where their files stand beside the server's. */
function thirdPartyIdentifiers(): ReadonlySet<string> {
  const file = new URL("../src/directives/data/third-party.json", import.meta.url);
  const table: ThirdPartyTable = JSON.parse(readFileSync(file, "utf8"));
  return new Set(table.directives.map(([, module = ""]) => module));
}

/** The modules that come with the server and stand in files of their own, one MPM first among them. */
export function ownModules(server: string, mpm: string): LoadLine[] {
  const folder = moduleFolder(server);
  const skip = thirdPartyIdentifiers();
  const modules = (existsSync(folder) ? readdirSync(folder) : [])
    .filter((file) => /^mod_\w+\.so$/.test(file))
    .map((file) => ({ identifier: `${file.slice(4, -3)}_module`, path: join(folder, file) }))
    .filter(({ identifier }) => !skip.has(identifier))
    .filter(({ identifier }) => !identifier.startsWith("mpm_") || identifier === `mpm_${mpm}_module`);
  const isMpm = (module: LoadLine) => Number(module.identifier.startsWith("mpm_"));
  // By path, mod_cache.so stands before mod_cache_disk.so, which needs it.
  return modules.sort((a, b) => isMpm(b) - isMpm(a) || (a.path < b.path ? -1 : 1));
}

/** The lines every scratch configuration starts with: four, and then one `LoadModule` a line. */
export function scratchConfiguration(folder: string, modules: readonly LoadLine[]): string {
  const lines = [`ServerRoot "${folder}"`, "ServerName localhost", "ErrorLog /dev/stderr", `Mutex default:${folder}`];
  return [...lines, ...modules.map(({ identifier, path }) => `LoadModule ${identifier} "${path}"`), ""].join("\n");
}

/** What a module outside the server's own folder needs around it. */
interface Surroundings {
  /** Where the loader looks for libraries first. */
  readonly libraries: readonly string[];
  /** Libraries that are there before any module asks for one. */
  readonly preloaded: readonly string[];
  /** A tree that is laid over `/usr` for the run, where the system lets us. */
  readonly overlay?: string;
}

/** Runs `use` with a folder that is gone afterwards. */
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
  /** What the server said of the modules that it would not load, one text each. */
  readonly failures: readonly string[];
}

/** What the server lists with these modules; one that does not load is left out. */
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
      // It may need the symbols of one that comes later: every module gets a second chance behind all others.
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

/** The listing of the server and the modules that come with it, with what each MPM adds to it. */
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

/** Modules whose file is not named after them, or which share files. */
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

/** Contexts and override classes, as the table writes them, from the words of the listing. */
function contextsOf(allowed: string): { contexts: string; override: string } {
  const place = Object.entries(places).find(([words]) => allowed.startsWith(`Allowed in *.conf ${words}`))?.[1] ?? "?";
  const classes = /when AllowOverride includes (.*)$/.exec(allowed)?.[1]?.split(" or ").sort().join(",");
  const override = classes ?? (/when AllowOverride isn't None/.test(allowed) ? "All" : "");
  return { contexts: /and in \.htaccess/.test(allowed) ? `${place},htaccess` : place, override };
}

/** One row of the table with its columns by name. */
type Row = Readonly<Record<string, string>>;

function rowsOf(table: DirectiveTable, part: "directives" | "beside"): Row[] {
  return table[part].map((row) => Object.fromEntries(table.columns.map((column, index) => [column, row[index] ?? ""])));
}

/** The table brought up to date with a listing, and what differs otherwise, a line each. */
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
  const beside = rowsOf(table, "beside").map(update);
  for (const listed of unmatched) {
    drift.push(`${listed.section ? "<" : ""}${listed.name} (${listed.file}): not in the table`);
    beside.push(rowOf(listed));
  }
  const texts = (row: Row) => table.columns.map((column) => row[column] ?? "");
  return { table: { ...table, server, directives: directives.map(texts), beside: beside.map(texts) }, drift };
}

/** Where the server's words on places and classes are not those of the row. */
function differences(row: Row, listed: ListedDirective): string[] {
  const { contexts, override } = contextsOf(listed.allowed);
  // The listing has no words for what is allowed in <Proxy> alone: it says "only outside".
  const listable = row["contexts"]?.replace(/,proxy$/, "");
  return [
    ...(contexts === listable ? [] : [`${listed.name}: allowed in ${contexts}, the table says ${listable}`]),
    ...(override === row["override"]
      ? []
      : [`${listed.name}: class "${override}", the table says "${row["override"]}"`]),
  ];
}

/** A row for a directive that is known from the listing alone. */
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

/** JSON with every entry of a list on a line of its own, so that a diff shows what changed. */
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

/** The Debian packages that hold a module built against httpd's interface. */
function modulePackages(): string[] {
  const { stdout } = spawnSync("/usr/bin/apt-cache", ["showpkg", "apache2-api-20120211"], { encoding: "utf8" });
  const reverse = stdout.slice(stdout.indexOf("Reverse Depends:"), stdout.indexOf("Dependencies:", 20));
  const names = [...reverse.matchAll(/^ {2}([a-z0-9.+-]+),apache2-api/gm)].map((match) => match[1] ?? "");
  return [...new Set(names)].sort();
}

interface UnpackedPackage {
  readonly root: string;
  /** Modules of what it depends on, then its own. */
  readonly modules: readonly LoadLine[];
  /** The module files that are in the package itself. */
  readonly own: ReadonlySet<string>;
}

/** Downloads a package and what it needs that is not installed, and unpacks all of it below one folder. */
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

/** The modules of an unpacked tree, under the identifiers that its own `.load` files give them if those are right. */
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

/** The data that a shared object exports, its module structure among it. */
function exportedSymbols(path: string): Set<string> {
  const { stdout } = spawnSync("/usr/bin/nm", ["-D", "--defined-only", path], { encoding: "utf8", maxBuffer: 1 << 26 });
  return new Set([...stdout.matchAll(/^\S+ [BDR] (\w+)$/gm)].map((match) => match[1] ?? ""));
}

/** The libraries of an unpacked tree, by their full paths. */
function librariesBelow(root: string): string[] {
  const { stdout } = spawnSync("find", [root, "-name", "lib*.so*"], { encoding: "utf8" });
  return stdout.split("\n").filter((path) => path !== "");
}

/** The third-party table drawn anew: what the packages define, and the entries that stand for no package. */
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
      rows.set(`${listingKey(listed)} ${module}`, [written, module, listed.file, name]);
    }
    if (unpacked.own.size > 0 && drawn.failures.length > 0) undrawn.push(name);
    process.stderr.write(`${name}: ${found.length} directives\n${drawn.failures.map((f) => `  ${f}\n`).join("")}`);
  }
  const handwritten = known.directives.filter(([, , , origin]) => !origin);
  const directives = [...handwritten, ...rows.values()].sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
  return { ...known, undrawn, directives };
}

/**
 * What the server lists with a package's modules. Some run under one kind of MPM only, some read files of theirs at once,
 * and some use a library that they do not ask for: what fails is tried again with more around it.
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
    const mine = modules.filter((module) => own.has(module.path));
    const telling = failures.filter((text) => mine.some((module) => text.startsWith(`${module.identifier}:`)));
    if (best === undefined || telling.length < best.failures.length) best = { directives, failures: telling };
    if (telling.length === 0) break;
  }
  return best ?? { directives: [], failures: [] };
}

/** The identifier of the package's own module that defines a listed directive: its binary names the source file. */
function moduleOfListing(listed: ListedDirective, { modules, own }: UnpackedPackage): string | undefined {
  const candidates = modules.filter(({ path }) => own.has(path) && readFileSync(path).includes(`${listed.file}\0`));
  const namesake = candidates.find(({ identifier }) => `mod_${identifier.replace(/_module$/, "")}.c` === listed.file);
  return (namesake ?? candidates[0])?.identifier;
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
