import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { type Classifier, stateAfter } from "../../regex/automata/classifier.js";
import { isMalformedHost } from "../../server/request/request-parser.js";
import { getOrCreate } from "../../text/collections.js";
import { mapPair, type Pair, type ServerPair } from "../model/server-pairs.js";
import type { PathPredicates } from "../paths/path-predicates.js";
import { collectServerVariables } from "../paths/project-facts.js";
import type { PairPredicates } from "../paths/server-predicates.js";
import { CommonPart, readsAddress } from "./common-part.js";
import { isLiteralStart, wordsIn } from "./expression-constants.js";
import { findSubnets, type HostShape, headerNames, readHostShape } from "./host-constants.js";
import { Renaming } from "./renaming.js";

/** A pair of servers that differs only in constants from one that was explored. */
export interface TemplateInstance {
  readonly pair: ServerPair;
  /** The explored pair. */
  readonly representative: ServerPair;
  /** Renames the constants of the representative to those of the instance. */
  readonly renaming: Renaming;
}

/** A representative with all that is known of its text. */
interface Template {
  readonly pair: ServerPair;
  readonly shapes: Pair<HostShape>;
  readonly names: NameCongruence;
}

/** Facts about the text of a shape, which its hosts share. */
interface ShapeText {
  readonly templates: Template[];
  readonly words: ReadonlySet<string>;
  readonly subnets: ReturnType<typeof findSubnets>;
  readonly readsAddresses: boolean;
}

/** Maximum number of representatives for one text: hosts that differ from all of them are explored on their own. */
const MAX_REPRESENTATIVES = 4;

/** With more `.htaccess` files, most hosts have their own. */
const MAX_HTACCESS_FILES = 200;

/**
 * Finds virtual hosts that are alike up to constants, such as names, paths and addresses. docs/proof.md has the proof that
 * the results for one of them hold for the others.
 */
export class HostTemplates {
  private common: CommonPart | undefined;
  private readonly byText = new Map<string, ShapeText>();
  private readonly isPossible: boolean;

  constructor(
    private readonly projects: Pair<Project>,
    private readonly predicatesOf: (pair: ServerPair) => PairPredicates,
  ) {
    const variables = collectServerVariables(projects);
    this.isPossible =
      projects.every(({ htaccess }) => htaccess.length <= MAX_HTACCESS_FILES) &&
      [...headerNames].every((name) => !variables.has(name));
  }

  /** Yields the instances that a pair is of explored ones. */
  *instancesOf(pair: ServerPair): Generator<TemplateInstance> {
    const known = this.knownTexts(pair);
    if (known === undefined) return;
    for (const template of known.text.templates) {
      const renaming = this.renamingOf(template, pair, known.shapes, known.text);
      if (renaming) yield { pair, representative: template.pair, renaming };
    }
  }

  /** Adds an explored pair as a representative. */
  add(pair: ServerPair): void {
    const known = this.knownTexts(pair);
    if (known === undefined || known.text.templates.length >= MAX_REPRESENTATIVES) return;
    const { common, own, handlers } = this.predicatesOf(pair);
    const names = new NameCongruence([
      ...common.flatMap((each) => testsOf(each, () => false)),
      ...own.flatMap((each) => testsOf(each, isLiteralStart)),
      ...handlers.flatMap(({ tests }) => [...tests.values()]),
    ]);
    known.text.templates.push({ pair, shapes: known.shapes, names });
  }

  private knownTexts(pair: ServerPair): { readonly shapes: Pair<HostShape>; readonly text: ShapeText } | undefined {
    const [entryPoint] = pair.entryPoints;
    if (!this.isPossible || entryPoint === undefined) return undefined;
    if (pair.servers.some(({ section, main }) => section === undefined || main === undefined)) return undefined;
    if (isMalformedHost(entryPoint.host) || this.commonPart.mapsNames) return undefined;
    const { commonPart } = this;
    const shapes = mapPair(pair.servers, (server, side) => {
      const sections = commonPart.sectionsOf(server.section, side);
      return readHostShape(server, entryPoint, this.projects[side], sections, commonPart.readsBackends);
    });
    const key = shapes.map((shape) => shape.text).join("\n");
    const text = getOrCreate(this.byText, key, () => {
      const written = shapes.flatMap((shape) => shape.written);
      const words = new Set(written.flatMap(wordsIn));
      return { templates: [], words, subnets: findSubnets(written), readsAddresses: written.some(readsAddress) };
    });
    return { shapes, text };
  }

  private get commonPart(): CommonPart {
    this.common ??= new CommonPart(this.projects);
    return this.common;
  }

  private renamingOf(
    { pair: representative, shapes, names }: Template,
    pair: ServerPair,
    others: Pair<HostShape>,
    text: ShapeText,
  ): Renaming | undefined {
    const renaming = Renaming.between(joinShapes(shapes), joinShapes(others));
    if (renaming === undefined) return undefined;
    const isFree = (word: string, { servers }: ServerPair) =>
      /[a-z\d]/i.test(word) &&
      !text.words.has(word.toLowerCase()) &&
      !this.commonPart.mentions(word) &&
      !this.commonPart.hasSectionOfOthers(word, sectionsOf(servers)) &&
      !this.commonPart.hasFileOfOthers(word, sectionsOf(servers));
    const isIndependent = renaming.changed.every(
      ([from, to]) => isFree(from, representative) && isFree(to, pair) && names.areAlike(from, to),
    );
    if (!isIndependent) return undefined;
    if (!renaming.changesNetworks) return renaming;
    if (text.readsAddresses || this.commonPart.readsAddresses) return undefined;
    return renaming.nestsAlike([...this.commonPart.subnets, ...text.subnets]) ? renaming : undefined;
  }
}

function sectionsOf(servers: ServerPair["servers"]): readonly (Directive | undefined)[] {
  return servers.map(({ section }) => section);
}

function joinShapes([before, after]: Pair<HostShape>): Pick<HostShape, "words" | "subnets"> {
  return { words: [...before.words, ...after.words], subnets: [...before.subnets, ...after.subnets] };
}

/** Returns the predicates besides literal paths, which consist of whole names. */
function testsOf(
  { url, mapping, file, whole, backend }: PathPredicates,
  isOmitted: (key: string) => boolean,
): readonly Classifier[] {
  return [url, mapping, file, whole, backend].flatMap(({ others }) =>
    [...others].flatMap(([key, test]) => (isOmitted(key) ? [] : [test])),
  );
}

/** Predicates with more states are not analyzed. */
const MAX_STATES = 2_000;

const SLASH = 0x2f;

/**
 * Reports whether predicates on paths cannot distinguish two names: replacing one with the other, as a whole name after a
 * slash, leads to the same state of each.
 */
class NameCongruence {
  private readonly tests: readonly { readonly of: Classifier; readonly starts: readonly number[] }[];
  private readonly known = new Map<string, string>();
  /** Whether some predicate has too many states to compare names. */
  private readonly isTooLarge: boolean;

  constructor(classifiers: Iterable<Classifier>) {
    const tests = [...new Set(classifiers)].map((of) => ({ of, starts: statesAfterSlash(of) }));
    this.tests = tests.flatMap(({ of, starts }) => (starts ? [{ of, starts }] : []));
    this.isTooLarge = tests.some(({ starts }) => starts === undefined);
  }

  areAlike(name: string, other: string): boolean {
    return !this.isTooLarge && this.statesOf(name) === this.statesOf(other);
  }

  private statesOf(name: string): string {
    const known = this.known.get(name);
    if (known !== undefined) return known;
    const states = this.tests.map(({ of, starts }) => starts.map((start) => stateAfter(of, name, start)).join(" "));
    const text = states.join("\n");
    this.known.set(name, text);
    return text;
  }
}

/** Returns the states in which a name may start; undefined if there are too many. */
function statesAfterSlash(of: Classifier): readonly number[] | undefined {
  const seen = new Set([0]);
  for (const state of seen)
    for (let byteClass = 0; byteClass < of.classes; byteClass++) {
      seen.add(of.next(state, byteClass));
      if (seen.size > MAX_STATES) return undefined;
    }
  return [...new Set([...seen].map((state) => of.next(state, of.classOf[SLASH] ?? 0)))];
}
