import { effectsOfLine, mayShareFacts } from "../../src/config/queries/line-effects.js";
import type { ContextKind, DirectiveFacts } from "../../src/facts/directives.js";
import { effectsOf, type Fact } from "../../src/facts/effects.js";
import { getOrCreate } from "../../src/text/collections.js";
import { Random } from "../support/random/random.js";
import { readSide } from "./check-pair.js";
import {
  type ConfigLine,
  type ConfigLines,
  lineOf,
  type ServerPairText,
  type ServerText,
} from "./configuration-tree.js";
import {
  contextsOf,
  drawChangedServer,
  drawUse,
  insertInContext,
  type Release,
  usableDirectivesOf,
  withLine,
} from "./mutations.js";
import { drawTopics, serverOfTopics, withModule } from "./scenes.js";

/** A use of a directive, with what it reads and writes by the table of effects. */
interface LinkableUse {
  readonly directive: DirectiveFacts;
  readonly context: ContextKind;
  readonly line: ConfigLine;
  readonly reads: ReadonlySet<Fact>;
  readonly writes: ReadonlySet<Fact>;
  /** Whether proofs analyze it: a difference in it may be part of an equivalent pair. */
  readonly isAnalyzed: boolean;
}

/** The uses of all directives, and the facts that some read and others write. */
interface LinkTable {
  readonly uses: readonly LinkableUse[];
  readonly facts: readonly Fact[];
}

/** Draws of each directive for the table. */
const USES = 12;

const tables = new Map<Release, LinkTable>();

function linkTableOf(release: Release): LinkTable {
  return getOrCreate(tables, release, () => {
    const random = new Random(1);
    const drawn = usableDirectivesOf(release)
      // Lines that the reader obeys are not part of the configuration.
      .filter(({ name, readTime }) => !readTime && effectsOf(name.toLowerCase(), release)?.effect !== "text")
      .flatMap((directive) => {
        const contexts = contextsOf(release, directive);
        const lines = new Map<string, { directive: DirectiveFacts; context: ContextKind; line: ConfigLine }>();
        for (let draw = 0; draw < USES && contexts.length > 0; draw++) {
          const context = contexts[random.below(contexts.length)] ?? "server";
          const line = drawUse(random, release, directive, context);
          lines.set(`${context} ${line.text}`, { directive, context, line });
        }
        return [...lines.values()];
      });
    const { project } = readSide({ modules: [], lines: drawn.map(({ line }) => line), htaccess: {} }, release);
    const read = project.directives.slice(-drawn.length);
    const uses = drawn.flatMap((use, index): LinkableUse[] => {
      const line = read[index];
      if (line?.name.replace("<", "").toLowerCase() !== use.directive.name.toLowerCase())
        throw new Error(`${use.line.text} was read as ${line?.name}`);
      const effects = effectsOfLine(line, release);
      // With a program, all answers are unknown.
      if (effects === undefined || !["modelled", "none"].includes(effects.of.answer)) return [];
      const { of, reads, writes } = effects;
      return [{ ...use, reads, writes, isAnalyzed: typeof of.unproved !== "string" }];
    });
    const facts = new Set(uses.flatMap(({ reads }) => [...reads]));
    return {
      uses,
      facts: [...facts].filter((fact) => uses.some(({ writes }) => mayShareFacts(new Set([fact]), writes))),
    };
  });
}

/** Lines without which a line has no effect: those before and after it, by the name of its directive. */
const companions: readonly (readonly [RegExp, readonly string[], readonly string[]])[] = [
  [/^rewriterule$/, ["RewriteEngine On"], []],
  [/^rewritecond$/, ["RewriteEngine On"], ["RewriteRule x - [F]"]],
  [/^authdigest/, ["AuthType Digest", "AuthName private", "AuthUserFile conf/digest"], ["Require valid-user"]],
  [
    /^(?:authform|session)/,
    ["AuthType Form", "AuthName private", "AuthUserFile conf/users", "Session On", "SessionCookieName session path=/"],
    ["Require valid-user"],
  ],
  [/^(?:anonymous)/, [...["AuthType Basic", "AuthName private"], "AuthBasicProvider anon"], ["Require valid-user"]],
  [
    /^auth(?:dbd|ldap|nz|n|basic|user|group|dbm|type|name|z)/,
    ["AuthType Basic", "AuthName private"],
    ["Require valid-user"],
  ],
  [/^(?:require|satisfy)$/, ["AuthType Basic", "AuthName private", "AuthUserFile conf/users"], []],
  [
    /^(?:multiviews|languagepr|forcelang|addlang|addenc|addchar|defaultlang)/,
    ["Options +MultiViews +FollowSymLinks"],
    [],
  ],
  [/^imap/, ["AddHandler imap-file .map"], []],
  [/^dav/, ["Dav On"], []],
  [/^cache/, ["CacheEnable disk"], []],
];

/** Modules of these lines. */
const companionModules: Readonly<Record<string, string>> = {
  digest: "auth_digest",
  form: "auth_form",
  session: "session_cookie",
  anon: "authn_anon",
  imap: "imagemap",
  dav: "dav_fs",
  multiviews: "negotiation",
  cache: "cache_disk",
};

/** Sections that apply to most requests. */
const wideSections: Partial<Readonly<Record<ContextKind, readonly [string, ...string[]]>>> = {
  directory: ['Directory "@ROOT@/htdocs"'],
  location: ['Location "/"'],
  files: ['FilesMatch "."'],
  if: ['If "true"', `If "%{HTTP:X-A} == '1'"`],
};

function withCompanions(random: Random, { directive, line, context }: LinkableUse): ConfigLines {
  const key = directive.name.toLowerCase();
  const found = random.chance(0.7) ? companions.find(([names]) => names.test(key)) : undefined;
  const isForSections = (text: string) =>
    !/^(?:Auth|Require|Session)/.test(text) || (context !== "server" && context !== "virtualhost");
  const plain = (texts: readonly string[]) =>
    texts
      .filter((text) => isForSections(text) && !text.toLowerCase().startsWith(`${key} `))
      .map((text) => lineOf(text));
  return [...plain(found?.[1] ?? []), { ...line, id: lineOf("").id }, ...plain(found?.[2] ?? [])];
}

/**
 * Draws a server with lines that share facts of the table of effects, such as a line that sets a variable and one that
 * reads it, and a change of one of them.
 */
function drawLinkedPair(random: Random, release: Release): ServerPairText {
  const { uses, facts } = linkTableOf(release);
  const fact = facts[random.below(facts.length)];
  const shared: ReadonlySet<Fact> = new Set(fact === undefined ? [] : [fact]);
  const pickUse = (accepts: (use: LinkableUse) => boolean) => {
    const accepted = uses.filter(accepts);
    return accepted.slice(0, 0).concat(accepted[random.below(accepted.length)] ?? []);
  };
  const writers = pickUse(({ writes }) => mayShareFacts(shared, writes));
  const readers = pickUse(({ reads }) => mayShareFacts(shared, reads));
  // A third line reads what the second writes, or writes what the first reads.
  const [writer] = writers;
  const [reader] = readers;
  const others = random.chance(0.5)
    ? random.chance(0.5)
      ? pickUse(({ reads }) => reader !== undefined && mayShareFacts(reader.writes, reads))
      : pickUse(({ writes }) => writer !== undefined && mayShareFacts(writer.reads, writes))
    : [];
  let server: ServerText = serverOfTopics(release, drawTopics(random, release).slice(0, 1));
  const isWide = random.chance(0.6);
  const added: { readonly use: LinkableUse; readonly line: ConfigLine }[] = [];
  for (const use of [...others, ...writers, ...readers]) {
    const lines = withCompanions(random, use);
    const own = lines.find(({ text }) => text === use.line.text);
    for (const module of modulesFor(use, lines)) server = { ...server, modules: withModule(server.modules, module) };
    const heads = isWide ? wideSections[use.context] : undefined;
    server = insertInContext(random, server, lines, use.context, {
      own: heads !== undefined || random.chance(0.3),
      ...(heads ? { heads } : {}),
    });
    if (own) added.push({ use, line: own });
  }
  const analyzed = added.filter(({ use }) => use.isAnalyzed);
  const changeable = analyzed.length > 0 && random.chance(0.85) ? analyzed : added;
  const changed = changeable[random.below(changeable.length)];
  if (changed === undefined) return { release, before: server, after: server, change: "" };
  const { use, line } = changed;
  const other = random.chance(0.4) ? drawUse(random, release, use.directive, use.context).text : undefined;
  const after = withLine(server, line.id, (each) => (other === undefined ? [] : [{ ...each, text: other }]));
  const change = `${other === undefined ? "delete" : `\`${other}\` instead of`} \`${line.text}\` (${fact})`;
  return random.chance(0.5)
    ? { release, before: server, after, change }
    : { release, before: after, after: server, change };
}

function modulesFor({ directive }: LinkableUse, lines: ConfigLines): readonly string[] {
  const text = lines
    .map((line) => line.text)
    .join("\n")
    .toLowerCase();
  return [
    directive.module,
    ...Object.entries(companionModules).flatMap(([word, module]) => (text.includes(word) ? [module] : [])),
  ];
}

/** Draws a pair: half of them have lines that share facts. */
export function drawRandomPair(seed: number): ServerPairText {
  const random = new Random(seed);
  const release: Release = random.chance(0.2) ? "2.2" : "2.4";
  return random.chance(0.5) ? drawLinkedPair(random, release) : drawChangedServer(random, release);
}
