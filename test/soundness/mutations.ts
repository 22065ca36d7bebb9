import {
  type ContextKind,
  type DirectiveFacts,
  findDirectiveFacts,
  isAllowedIn,
  listDirectiveNames,
} from "../../src/facts/directives.js";
import { getOrCreate } from "../../src/text/collections.js";
import { contextKinds } from "../facts/support/context-trials.js";
import type { Random } from "../support/random/random.js";
import { contextBySection } from "../support/unrelated-lines.js";
import {
  allLines,
  type ConfigLine,
  type ConfigLines,
  editList,
  lineOf,
  linesAt,
  placesIn,
  type ServerPairText,
  type ServerText,
  withLinesAt,
  withoutLines,
} from "./configuration-tree.js";
import { drawArguments } from "./directive-arguments.js";
import { drawTopics, serverOfTopics, withModule } from "./scenes.js";

export type Release = ServerPairText["release"];

/** Sections that put a line into a context, each at a place that requests reach. */
const surroundings: Readonly<Record<ContextKind, readonly [string, ...string[]] | undefined>> = {
  server: undefined,
  virtualhost: ["VirtualHost *:@PORT1@"],
  directory: [
    'Directory "@ROOT@/htdocs/a"',
    'Directory "@ROOT@/htdocs/secret"',
    'Directory "@ROOT@/htdocs"',
    'DirectoryMatch "/b"',
  ],
  location: ['Location "/a"', 'Location "/secret"', 'Location "/"', 'LocationMatch "\\.txt$"'],
  files: ['Files "x.txt"', 'Files "*.html"', 'FilesMatch "^index"', 'Files "t.cgi"'],
  limit: ["Limit GET", "LimitExcept POST"],
  proxy: ['Proxy "*"', 'Proxy "http://127.0.0.1:@BACKEND@/"'],
  if: [`If "%{HTTP:X-A} == '1'"`, `If "%{REQUEST_URI} =~ m#^/a#"`, 'If "true"'],
  htaccess: undefined,
};

const htaccessPaths = [
  "@ROOT@/htdocs/a/.htaccess",
  "@ROOT@/htdocs/.htaccess",
  "@ROOT@/htdocs/secret/.htaccess",
  "@ROOT@/htdocs/d/.htaccess",
] as const;

/** Directives that stop the test itself, or that need what no server here has. */
const untested = new Set([
  "error",
  "loadfile",
  "chrootdir",
  "example",
  "gprofdir",
  "luahookinsertfilter",
  "enableexceptionhook",
]);

const tables = new Map<Release, readonly DirectiveFacts[]>();

/** Returns all directives of a release, with one entry for each module that defines it. */
export function directivesOf(release: Release): readonly DirectiveFacts[] {
  const known = tables.get(release);
  if (known) return known;
  const all = listDirectiveNames(release)
    .flatMap((name) => findDirectiveFacts(release, name))
    .filter(({ name }) => !untested.has(name.toLowerCase()));
  tables.set(release, all);
  return all;
}

/** Modules of other systems, and of another process model than that of the servers here. */
const foreignModule = /^(?:beos|mpm_(?!common)\w+|mod_nw_ssl|worker|prefork|mod_isapi|mod_privileges)$/;

/** Directives that a server of the tests can have anywhere: a line of any other refuses its start. */
const usable = new Map<Release, readonly DirectiveFacts[]>();

/** Returns the directives that random lines use. */
export function usableDirectivesOf(release: Release): readonly DirectiveFacts[] {
  return getOrCreate(usable, release, () =>
    directivesOf(release).filter(
      ({ module, requiredSection }) => requiredSection === undefined && !foreignModule.test(module),
    ),
  );
}

/** Returns the contexts that allow a directive; 2.2 does not have conditions. */
export function contextsOf(release: Release, facts: DirectiveFacts): readonly ContextKind[] {
  return contextKinds.filter((context) => isAllowedIn(facts, context) && (release === "2.4" || context !== "if"));
}

/** Lines that a section has if it is the only difference. */
function contentOf(random: Random, release: Release, name: string): ConfigLines {
  const key = name.toLowerCase();
  if (key === "authnprovideralias")
    return [lineOf(random.pick(["AuthUserFile conf/few-users", "AuthUserFile conf/users"]))];
  if (key === "authzprovideralias") return [];
  if (/^require(all|any|none)$/.test(key))
    return [lineOf(random.pick(["Require ip 127.0.0.2", "Require env flag", "Require user alice"]))];
  if (key === "proxy") return [lineOf(random.pick(["Require ip 127.0.0.2", "Require all granted"]))];
  // A program.
  if (key.startsWith("lua"))
    return [lineOf(random.pick(["return function(r) return 403 end", "return function(r) return -1 end"]))];
  if (key === "virtualhost")
    return [lineOf(random.pick(["ServerName b.test", "ServerName x.test"])), lineOf('DocumentRoot "@ROOT@/other"')];
  if (key === "macro") return [lineOf("<Location /$path>".slice(1, -1), [lineOf("Require ip 127.0.0.2")])];
  const access =
    release === "2.4"
      ? ["Require all denied", "Require ip 127.0.0.2", "SetEnv flag 1"]
      : ["Deny from all", "Order allow,deny"];
  return [lineOf(access[random.below(access.length)] ?? "")];
}

/** Draws a use of a directive. */
export function drawUse(random: Random, release: Release, facts: DirectiveFacts, context: ContextKind): ConfigLine {
  const isInSection =
    context === "location" || context === "directory" || context === "files" || context === "if" || context === "proxy";
  const text = `${facts.name} ${drawArguments(random, facts, isInSection)}`.trimEnd();
  return facts.section ? lineOf(text, contentOf(random, release, facts.name)) : lineOf(text);
}

/** A place for a line: the list of a section or of a file, with the context that it is in. */
interface Spot {
  readonly place: string | undefined;
  readonly section: number | undefined;
  readonly context: ContextKind;
}

/** Returns all places for lines. */
function spotsIn(server: ServerText): readonly Spot[] {
  return placesIn(server).flatMap((place) => {
    const context: ContextKind = place === undefined ? "server" : "htaccess";
    const walk = (lines: ConfigLines, outer: ContextKind): readonly Spot[] =>
      lines.flatMap((line) => {
        if (line.inner === undefined) return [];
        const own = contextBySection[/^\w+/.exec(line.text)?.[0].toLowerCase() ?? ""] ?? outer;
        const kept = outer === "htaccess" && own !== "limit" ? "htaccess" : own;
        return [{ place, section: line.id, context: kept }, ...walk(line.inner, kept)];
      });
    return [{ place, section: undefined, context }, ...walk(linesAt(server, place), context)];
  });
}

function insertAt(server: ServerText, { place, section }: Spot, added: ConfigLines, position: number): ServerText {
  const lines = editList(linesAt(server, place), section, (list) => {
    const at = Math.round(position * list.length);
    return [...list.slice(0, at), ...added, ...list.slice(at)];
  });
  return withLinesAt(server, place, lines);
}

/** How lines are added. */
interface Insertion {
  /** Whether they get a section of their own. */
  readonly own?: boolean;
  /** The sections to choose from. */
  readonly heads?: readonly [string, ...string[]] | undefined;
}

/** Adds lines in a context, if necessary in a section of their own. */
export function insertInContext(
  random: Random,
  before: ServerText,
  lines: ConfigLines,
  context: ContextKind,
  { own = random.chance(0.5), heads = surroundings[context] }: Insertion = {},
): ServerText {
  const server = context === "proxy" ? { ...before, modules: withModule(before.modules, "proxy") } : before;
  const spots = spotsIn(server).filter((spot) => spot.context === context);
  const spot = spots[random.below(spots.length)];
  const position = random.next();
  if (spot && (!own || context === "server")) return insertAt(server, spot, lines, position);
  if (context === "htaccess") {
    const place = random.pick(htaccessPaths);
    return insertAt(withOverrides(server), { place, section: undefined, context }, lines, position);
  }
  const atEnd: Spot = { place: undefined, section: undefined, context: "server" };
  if (heads === undefined) return insertAt(server, atEnd, lines, 1);
  const section = lineOf(random.pick(heads), lines);
  const wrapped = context === "limit" ? lineOf('Directory "@ROOT@/htdocs/a"', [section]) : section;
  return insertAt(server, atEnd, [wrapped], 1);
}

/** Lets the server read `.htaccess` files. */
function withOverrides(server: ServerText): ServerText {
  if (allLines(server.lines).some(({ text }) => /^AllowOverride (?!None)/i.test(text))) return server;
  return {
    ...server,
    lines: [...server.lines, lineOf('Directory "@ROOT@/htdocs"', [lineOf("AllowOverride All")])],
  };
}

/** Draws a pair in which one directive is absent on one side, or has two values. */
export function drawDirectivePair(
  random: Random,
  release: Release,
  facts: DirectiveFacts,
  context: ContextKind,
  topics: readonly string[],
): ServerPairText {
  const base = serverOfTopics(release, topics);
  const server = { ...base, modules: withModule(base.modules, facts.module) };
  const line = drawUse(random, release, facts, context);
  const present = insertInContext(random, server, [line], context);
  const other = random.chance(0.4) ? drawUse(random, release, facts, context).text : undefined;
  const absent =
    other === undefined
      ? withoutLine(present, line.id)
      : withLine(present, line.id, (each) => [{ ...each, text: other }]);
  const isReversed = random.chance(0.5);
  const change = `${other === undefined ? "only on one side" : `instead of \`${other}\``}: \`${line.text}\` in ${context}`;
  return {
    ...{ release, change, directive: facts.name },
    before: isReversed ? present : absent,
    after: isReversed ? absent : present,
  };
}

/** Replaces a line by others, wherever it is. */
export function withLine(server: ServerText, id: number, edit: (line: ConfigLine) => ConfigLines): ServerText {
  const walk = (lines: ConfigLines): ConfigLines =>
    lines.flatMap((line) => {
      if (line.id === id) return edit(line);
      return [line.inner ? { ...line, inner: walk(line.inner) } : line];
    });
  return {
    ...server,
    lines: walk(server.lines),
    htaccess: Object.fromEntries(Object.entries(server.htaccess).map(([path, lines]) => [path, walk(lines)])),
  };
}

function withoutLine(server: ServerText, id: number): ServerText {
  return withLine(server, id, () => []);
}

/** Removes lines from a server, by their numbers. */
export function withoutServerLines(server: ServerText, removed: ReadonlySet<number>): ServerText {
  return {
    ...server,
    lines: withoutLines(server.lines, removed),
    htaccess: Object.fromEntries(
      Object.entries(server.htaccess).map(([path, lines]) => [path, withoutLines(lines, removed)]),
    ),
  };
}

/** Returns all lines of a server. */
export function linesOf({ lines, htaccess }: ServerText): ConfigLines {
  return [...allLines(lines), ...Object.values(htaccess).flatMap(allLines)];
}

/** Adds a line of any directive in a context that allows it. */
function addRandomLine(
  random: Random,
  release: Release,
  server: ServerText,
): { readonly server: ServerText; readonly text: string } {
  const all = usableDirectivesOf(release);
  const facts = all[random.below(all.length)];
  if (facts === undefined) return { server, text: "" };
  const allowed = contextsOf(release, facts);
  const context = allowed[random.below(allowed.length)] ?? "server";
  const line = drawUse(random, release, facts, context);
  const extended = { ...server, modules: withModule(server.modules, facts.module) };
  return { server: insertInContext(random, extended, [line], context, { own: random.chance(0.4) }), text: line.text };
}

type Mutate = (
  random: Random,
  release: Release,
  server: ServerText,
) => { readonly server: ServerText; readonly change: string };

function drawExisting(random: Random, server: ServerText): ConfigLine | undefined {
  const lines = linesOf(server);
  return lines[random.below(lines.length)];
}

function factsOfLine(release: Release, { text, inner }: ConfigLine): DirectiveFacts | undefined {
  const name = /^\w+/.exec(text)?.[0] ?? "";
  return findDirectiveFacts(release, inner ? `<${name}` : name)[0];
}

const mutations: readonly [number, Mutate][] = [
  [
    8,
    (random, release, server) => {
      const added = addRandomLine(random, release, server);
      // The other side has the module as well.
      return { server: added.server, change: `add \`${added.text}\`` };
    },
  ],
  [
    3,
    (random, _release, server) => {
      const line = drawExisting(random, server);
      return line
        ? { server: withoutLine(server, line.id), change: `delete \`${line.text}\`` }
        : { server, change: "" };
    },
  ],
  [
    6,
    (random, release, server) => {
      const line = drawExisting(random, server);
      const facts = line && factsOfLine(release, line);
      if (line === undefined || facts === undefined) return { server, change: "" };
      const text = `${facts.name} ${drawArguments(random, facts, false)}`.trimEnd();
      return {
        server: withLine(server, line.id, (each) => [{ ...each, text }]),
        change: `\`${line.text}\` becomes \`${text}\``,
      };
    },
  ],
  [
    3,
    (random, _release, server) => {
      const line = drawExisting(random, server);
      if (line === undefined) return { server, change: "" };
      const rest = withoutLine(server, line.id);
      const spots = spotsIn(rest);
      const spot = spots[random.below(spots.length)];
      return spot
        ? { server: insertAt(rest, spot, [line], random.next()), change: `move \`${line.text}\`` }
        : { server, change: "" };
    },
  ],
  [
    3,
    (random, _release, server) => {
      const spots = spotsIn(server);
      const spot = spots[random.below(spots.length)];
      if (spot === undefined) return { server, change: "" };
      const lines = editList(linesAt(server, spot.place), spot.section, (list) => {
        if (list.length < 2) return list;
        const at = random.below(list.length - 1);
        const [one, other] = [list[at], list[at + 1]];
        return one && other ? [...list.slice(0, at), other, one, ...list.slice(at + 2)] : list;
      });
      return { server: withLinesAt(server, spot.place, lines), change: "swap two lines" };
    },
  ],
  [
    2,
    (random, _release, server) => {
      const line = drawExisting(random, server);
      const head = random.pick([
        ...([
          "IfModule mod_alias.c",
          "IfModule mod_none.c",
          'Files "x.txt"',
          "Limit GET",
          "LimitExcept POST",
          'If "true"',
        ] as const),
        ...[`If "%{HTTP:X-A} == '1'"`, 'Location "/a"', "RequireAny", "RequireAll", "RequireNone", "IfDefine NAME"],
      ]);
      if (line === undefined) return { server, change: "" };
      return {
        server: withLine(server, line.id, (each) => [lineOf(head, [each])]),
        change: `wrap \`${line.text}\` in <${head}>`,
      };
    },
  ],
  [
    1,
    (random, _release, server) => {
      const line = drawExisting(random, server);
      if (line === undefined) return { server, change: "" };
      const inner = line.inner;
      return inner === undefined
        ? { server: withLine(server, line.id, (each) => [each, lineOf(each.text)]), change: `double \`${line.text}\`` }
        : { server: withLine(server, line.id, () => inner), change: `unwrap <${line.text}>` };
    },
  ],
  [
    2,
    (random, release, server) => {
      const all = directivesOf(release);
      const module = all[random.below(all.length)]?.module ?? "core";
      const more = withModule(server.modules, module);
      if (more !== server.modules) return { server: { ...server, modules: more }, change: `load ${module}` };
      const removed = server.modules[random.below(server.modules.length)];
      return {
        server: { ...server, modules: server.modules.filter((each) => each !== removed) },
        change: `do not load ${removed}`,
      };
    },
  ],
  [
    1,
    (_random, _release, server) => {
      const root = allLines(server.lines).find(({ text }) => /^ServerRoot/.test(text));
      const text = 'ServerRoot "@ROOT@/second"';
      return root
        ? { server: withLine(server, root.id, (each) => [{ ...each, text }]), change: text }
        : { server, change: "" };
    },
  ],
  [
    3,
    (random, release, server) => {
      const all = usableDirectivesOf(release).filter((facts) => isAllowedIn(facts, "htaccess"));
      const facts = all[random.below(all.length)];
      if (facts === undefined) return { server, change: "" };
      const line = drawUse(random, release, facts, "htaccess");
      const extended = withOverrides({ ...server, modules: withModule(server.modules, facts.module) });
      return {
        server: insertInContext(random, extended, [line], "htaccess"),
        change: `add \`${line.text}\` to a .htaccess file`,
      };
    },
  ],
  [
    1,
    (random, _release, server) => {
      const paths = Object.keys(server.htaccess);
      const removed = paths[random.below(paths.length)];
      const htaccess = Object.fromEntries(Object.entries(server.htaccess).filter(([path]) => path !== removed));
      return { server: { ...server, htaccess }, change: `delete ${removed}` };
    },
  ],
];

const allWeight = mutations.reduce((sum, [weight]) => sum + weight, 0);

function drawMutation(random: Random): Mutate {
  let left = random.below(allWeight);
  for (const [weight, mutate] of mutations) {
    left -= weight;
    if (left < 0) return mutate;
  }
  return (_random, _release, server) => ({ server, change: "" });
}

/** Draws a server of any directives, and a change of it. */
export function drawChangedServer(random: Random, release: Release): ServerPairText {
  let before = serverOfTopics(release, drawTopics(random, release));
  for (let more = random.below(6); more > 0; more--) before = addRandomLine(random, release, before).server;
  let after = before;
  const changes: string[] = [];
  for (let more = random.pick([1, 1, 1, 2]); more > 0; more--) {
    const mutated = drawMutation(random)(random, release, after);
    if (mutated.server !== after) changes.push(mutated.change);
    after = mutated.server;
  }
  // A module for a line of one side is mostly loaded on both.
  const shared = changes.some((change) => /load /.test(change)) ? before.modules : after.modules;
  return { release, before: { ...before, modules: shared }, after, change: changes.join("; ") };
}
