import type { LinkFacts } from "../../config/files/file-access.js";
import type { Project } from "../../config/model/project.js";
import { isBefore } from "../../facts/release.js";
import { getOrCreate } from "../../text/collections.js";
import { memoize } from "../../text/memoize.js";
import { argumentValuesOf, type ConfigLayer } from "../model/config-layer.js";
import type { FileKind } from "../model/file-tree.js";
import type { Oracle } from "../model/oracle.js";
import { unknownFact } from "../model/unknown-facts.js";

const names = [
  "indexes",
  "includes",
  "followsymlinks",
  "execcgi",
  "symlinksifownermatch",
  "multiviews",
  "exec",
] as const;
type OptionName = (typeof names)[number];

function bits(...some: readonly OptionName[]): number {
  return some.reduce((sum, name) => sum | (1 << names.indexOf(name)), 0);
}

/** The bits that a word represents; lower case. */
const bitsByWord: ReadonlyMap<string, number> = new Map([
  ...names.map((name) => [name, bits(name)] as const),
  ["includes", bits("includes", "exec")],
  ["includesnoexec", bits("includes")],
  ["runscripts", bits("multiviews", "execcgi")],
  ["all", bits("indexes", "includes", "exec", "followsymlinks", "execcgi")],
  ["none", 0],
]);

/** The effect of Options lines. A line without signs sets the options, but keeps those that others add and remove. */
interface Options {
  readonly isSet: boolean;
  readonly on: number;
  readonly added: number;
  readonly removed: number;
}

const noOptions: Options = { isSet: false, on: 0, added: 0, removed: 0 };

/** What the options without any line depend on. */
type OptionsProject = Pick<Project, "isPart" | "release">;

/** The options without any line (core.c `create_core_dir_config`). */
function initialOptions({ isPart, release }: OptionsProject): Options {
  // The server of a part is likely to set them.
  const on = isBefore(release, "2.4") && !isPart ? bitsByWord.get("all") : bits("followsymlinks");
  return { ...noOptions, on: on ?? 0 };
}

const optionLines: ReadonlySet<string> = new Set(["options"]);
const optionSets = new Map<number, ReadonlySet<string>>();

/** Returns the Options that apply, in lower case, after merging (server/core.c `merge_core_dir_configs`). */
export function mergeOptions(layers: readonly ConfigLayer[], project: OptionsProject): ReadonlySet<string> {
  let merged = initialOptions(project);
  for (const layer of layers) merged = overlayOptions(merged, ownOptionsOf(layer));
  const { on } = merged;
  return getOrCreate(optionSets, on, () => new Set<string>(names.filter((name) => (on & bits(name)) !== 0)));
}

/** Reports whether the options that apply start from the default: no Options line replaces it. */
export function startsFromDefaultOptions(layers: readonly ConfigLayer[]): boolean {
  return !layers.some((layer) => ownOptionsOf(layer).isSet);
}

function overlayOptions(base: Options, own: Options): Options {
  if (own.isSet) return own;
  if ((own.added | own.removed | base.added | base.removed) === 0) return base;
  const added = (base.added & ~own.removed) | own.added;
  const removed = (base.removed & ~own.added) | own.removed;
  return { isSet: base.isSet, added, removed, on: (base.on & ~removed) | added };
}

const ownOptionsOf = memoize((layer: ConfigLayer): Options => {
  let own = noOptions;
  for (const line of layer.pick(optionLines)) own = applyOptionsLine(own, argumentValuesOf(line));
  return own;
});

/**
 * Applies a line as `set_options` does: the first word without a sign starts from scratch. Only 2.2 accepts signs before
 * such a word.
 */
function applyOptionsLine(before: Options, words: readonly string[]): Options {
  let { isSet, on, added, removed } = before;
  let isPlain = false;
  for (const word of words) {
    const optionBits = bitsByWord.get(word.replace(/^[+-]/, "").toLowerCase()) ?? 0;
    if (word.startsWith("-")) {
      removed |= optionBits;
      added &= ~optionBits;
      on &= ~optionBits;
    } else if (word.startsWith("+")) {
      added |= optionBits;
      removed &= ~optionBits;
      on |= optionBits;
    } else {
      if (!isPlain) {
        isSet = true;
        on = 0;
      }
      isPlain = true;
      on |= optionBits;
    }
  }
  return { isSet, on, added, removed };
}

/** How Options lines set whether symbolic links are followed. */
const linkNames = ["followsymlinks", "symlinksifownermatch"] as const;

/**
 * Returns what an Options line says about symbolic links, in a normal form: empty if it says nothing. A word without a sign
 * replaces all options (core.c `set_options`).
 */
export function linkOptionsOf(words: readonly string[]): string {
  const { isSet, on, added, removed } = applyOptionsLine(noOptions, words);
  const namesIn = (set: number, sign: string) =>
    linkNames.filter((name) => (set & bits(name)) !== 0).map((name) => sign + name);
  return isSet ? ["only", ...namesIn(on, "+")].join(" ") : [...namesIn(added, "+"), ...namesIn(removed, "-")].join(" ");
}

/** Reports whether an Options line may keep the server from following a link: by default, it follows all. */
export function mayRefuseLinks(words: readonly string[]): boolean {
  const said = linkOptionsOf(words);
  return said !== "" && said !== "only +followsymlinks" && said !== "+followsymlinks";
}

/** A link on the way to a file that the server checks. */
export interface PathLink {
  readonly path: string;
  readonly link: LinkFacts;
  /** The kind of its target. */
  readonly kind: FileKind;
}

/** Reports whether the server follows a link under some Options (server/request.c `resolve_symlink`). */
export function isLinkFollowed(
  { path, link, kind }: PathLink,
  layers: readonly ConfigLayer[],
  project: OptionsProject,
  oracle: Oracle,
): boolean {
  const options = mergeOptions(layers, project);
  const checksOwner = options.has("symlinksifownermatch");
  if (!checksOwner && !options.has("followsymlinks")) return false;
  if (kind === "missing") return false;
  if (!checksOwner) return true;
  return link.hasSameOwner ?? oracle.ask(unknownFact("link-owner", path));
}

/**
 * Reports whether links are followed without a check; an existing file is then a level of its own, like a directory.
 */
export function followsLinksUnchecked(layers: readonly ConfigLayer[], project: OptionsProject): boolean {
  const options = mergeOptions(layers, project);
  return options.has("followsymlinks") && !options.has("symlinksifownermatch");
}
