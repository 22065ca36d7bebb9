import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { iterateDirectives } from "../../config/queries/directive-tree.js";
import type { Classifier } from "../../regex/automata/classifier.js";
import { argumentValuesOf } from "../../server/model/config-layer.js";
import { handlerOfType, mayHaveHandler, virtualPageHandlers } from "../../server/phases/handler-lookup.js";
import { canonicalizePath, targetOf } from "../../server/sections/section-index.js";
import { getOrCreate } from "../../text/collections.js";
import { memoize } from "../../text/memoize.js";
import { hasWildcard } from "../../text/wildcards.js";
import type { FolderPredicates } from "./folder-predicates.js";
import { classifyLastName } from "./text-predicates.js";

/** A line that gives files a handler by their extension, or a type, which may name one. */
export interface HandlerLine {
  readonly names: "handler" | "type";
  readonly line: Directive;
  /** The line's section, virtual host or file. Lines of one place apply to the same requests. */
  readonly place: object;
  /** Whether it applies to all requests of its server. */
  readonly isOfServer: boolean;
  /** The effect of what it names, equal for all that no decision distinguishes; undefined for a removal. */
  readonly effect: string | undefined;
}

/** Represents the main server, whose lines may be in many files. */
const mainServer = {};

/** @param isOfServer whether the line is directly in the main server or in a virtual host */
export function readHandlerLine(line: Directive, project: Project, isOfServer: boolean): HandlerLine {
  const place = line.parent ?? (isOfServer ? mainServer : line.reading.tree);
  const [written = ""] = argumentValuesOf(line);
  const name = written.toLowerCase();
  const names = line.key.endsWith("type") ? "type" : "handler";
  const effect = names === "type" ? effectOfType(name, project) : effectOf(name, project);
  return { names, line, place, isOfServer, effect: line.key.startsWith("remove") ? undefined : effect };
}

/** The directives of these lines. */
export const handlerDirectives: ReadonlySet<string> = new Set(["addhandler", "removehandler", "addtype", "removetype"]);

/** Handlers that decide whether a file is served, and how. */
const decidingHandlers: ReadonlySet<string> = new Set([
  ...["cgi-script", "fcgid-script", "wsgi-script", "none", "default-handler"],
  ...virtualPageHandlers,
]);

function effectOf(handler: string, project: Project): string {
  if (decidingHandlers.has(handler) || handlersWithAction(project).has(handler)) return handler;
  return mayHaveHandler(handler, project) ? "a handler" : "no handler";
}

/** A type is looked up like a handler if no handler is set (server/config.c `ap_invoke_handler`). */
function effectOfType(type: string, project: Project): string {
  if (handlersWithAction(project).has(type)) return type;
  const handler = handlerOfType(type);
  if (handler === undefined || !mayHaveHandler(handler, project)) return "a type";
  return decidingHandlers.has(handler) ? handler : "a handler";
}

const handlersWithAction = memoize((project: Project): ReadonlySet<string> => {
  const named = [...iterateDirectives(project)].filter(({ key }) => key === "action");
  return new Set(named.map((line) => argumentValuesOf(line)[0]?.toLowerCase() ?? ""));
});

/** The places that set and remove the handler of an extension. Extensions with equal effects decide alike. */
interface ExtensionEffects {
  readonly key: string;
  readonly setIn: ReadonlySet<object>;
  readonly isSetInServer: boolean;
  readonly isRemoved: boolean;
}

/** Returns the predicates on the handlers that lines give files by extension. */
export function classifyByHandler(lines: readonly HandlerLine[]): readonly FolderPredicates[] {
  return (["handler", "type"] as const).flatMap((names) =>
    classifyLines(
      names,
      lines.filter((line) => line.names === names),
    ),
  );
}

function classifyLines(names: HandlerLine["names"], lines: readonly HandlerLine[]): readonly FolderPredicates[] {
  const folders = new Set(lines.map(folderOf));
  return [...folders].flatMap((folder) => {
    const enclosing = lines.filter((line) => `${folder}/`.startsWith(`${folderOf(line)}/`));
    const extensions = readEffects(enclosing);
    if (extensions.size === 0) return [];
    const key = [...extensions].map(([extension, effects]) => `${extension} ${effects.key}`).join("\n");
    const classifier = classifyLastName(new HandlerClassifier(extensions));
    return [{ folder, tests: new Map([[`${names}s ${key}`, classifier]]) }];
  });
}

/** Returns the folder of a line in a section for one; empty for a line that may apply to any file. */
function folderOf({ line: { parent } }: HandlerLine): string {
  const target = parent?.key === "<directory" ? targetOf(parent) : undefined;
  const path = target && !target.isPattern ? canonicalizePath(target.text) : undefined;
  return path === undefined || hasWildcard(path) ? "" : path.replace(/\/$/, "");
}

/** Returns the effects of each extension, in lower case. */
function readEffects(lines: readonly HandlerLine[]): ReadonlyMap<string, ExtensionEffects> {
  const places = new Map<object, number>();
  const all = new Map<string, Map<object, { effect: string | undefined; isRemoved: boolean }>>();
  const inServer = new Set<string>();
  for (const { line, place, isOfServer, effect } of lines) {
    getOrCreate(places, place, () => places.size);
    const words = argumentValuesOf(line);
    for (const word of effect === undefined ? words : words.slice(1)) {
      const extension = word.toLowerCase().replace(/^\./, "");
      const there = getOrCreate(
        getOrCreate(all, extension, () => new Map()),
        place,
        () => ({ effect: undefined, isRemoved: false }),
      );
      if (effect === undefined) there.isRemoved = true;
      else there.effect = effect;
      if (effect !== undefined && isOfServer) inServer.add(extension);
    }
  }
  const known = new Map<string, ExtensionEffects>();
  const found = new Map<string, ExtensionEffects>();
  for (const [extension, byPlace] of [...all].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const entries = [...byPlace].map(([place, each]) => ({ place, number: places.get(place) ?? 0, ...each }));
    entries.sort((a, b) => a.number - b.number);
    const parts = entries.map(({ number, effect, isRemoved }) => `${number}:${effect ?? ""}${isRemoved ? "-" : ""}`);
    const effects = getOrCreate(known, parts.join(), () => ({
      key: parts.join(),
      setIn: new Set(entries.filter(({ effect }) => effect !== undefined).map(({ place }) => place)),
      isSetInServer: inServer.has(extension),
      isRemoved: entries.some(({ isRemoved }) => isRemoved),
    }));
    found.set(extension, effects);
  }
  return found;
}

/** Reports whether an extension has a handler for all requests for which another has one, so that it hides that one. */
function hides(later: ExtensionEffects, earlier: ExtensionEffects): boolean {
  if (later === earlier) return true;
  return !later.isRemoved && (later.isSetInServer || [...earlier.setIn].every((place) => later.setIn.has(place)));
}

/** A node in the trie of the extensions, or a place in a name outside of it. */
interface NameNode {
  readonly number: number;
  readonly children: Map<number, NameNode>;
  effects: ExtensionEffects | undefined;
}

interface NameState {
  /** The extensions that may decide, the last one first. */
  readonly extensions: readonly ExtensionEffects[];
  readonly node: NameNode;
}

const DOT = 0x2e;
const UNKNOWN = -1;

/**
 * Reads a file name and classifies it by the extensions that may decide its handler: the last one that has a handler for
 * the request (mod_mime.c `find_ct`). Leading dots are part of the name.
 */
class HandlerClassifier implements Classifier {
  readonly classOf = new Uint8Array(256);
  readonly classes: number;
  /** A byte of each class. */
  private readonly bytes: readonly number[];
  private readonly nodes: NameNode[] = [];
  private readonly beforeName = this.createNode();
  private readonly inName = this.createNode();
  private readonly inOtherExtension = this.createNode();
  private readonly root = this.createNode();
  private readonly states: NameState[] = [];
  private readonly numbers = new Map<string, number>();
  private readonly known: number[] = [];
  private readonly outputs = new Map<string, number>();

  constructor(extensions: ReadonlyMap<string, ExtensionEffects>) {
    for (const [extension, effects] of extensions) this.addExtension(extension, effects);
    const special = new Set([DOT, ...this.nodes.flatMap(({ children }) => [...children.keys()])]);
    this.bytes = [UNKNOWN, ...special];
    this.classes = this.bytes.length;
    for (let byte = 0; byte < 256; byte++) this.classOf[byte] = Math.max(0, this.bytes.indexOf(toLowerCase(byte)));
    this.numberOf({ extensions: [], node: this.beforeName });
  }

  private createNode(): NameNode {
    const node: NameNode = { number: this.nodes.length, children: new Map(), effects: undefined };
    this.nodes.push(node);
    return node;
  }

  private addExtension(extension: string, effects: ExtensionEffects): void {
    let node = this.root;
    for (let at = 0; at < extension.length; at++)
      node = getOrCreate(node.children, extension.charCodeAt(at), () => this.createNode());
    node.effects = effects;
  }

  next(state: number, byteClass: number): number {
    const place = state * this.classes + byteClass;
    const known = this.known[place] ?? UNKNOWN;
    if (known !== UNKNOWN) return known;
    const from = this.states[state];
    const to = from ? this.numberOf(this.stateAfter(from, this.bytes[byteClass] ?? UNKNOWN)) : 0;
    this.known[place] = to;
    return to;
  }

  private stateAfter(state: NameState, byte: number): NameState {
    const { extensions, node } = state;
    if (node === this.beforeName) return byte === DOT ? state : { extensions, node: this.inName };
    if (byte === DOT) return { extensions: decidingEffectsOf(state), node: this.root };
    if (node === this.inName || node === this.inOtherExtension) return state;
    return { extensions, node: node.children.get(byte) ?? this.inOtherExtension };
  }

  output(state: number): number {
    const at = this.states[state];
    const key = at ? keyOf(decidingEffectsOf(at)) : "";
    return getOrCreate(this.outputs, key, () => this.outputs.size);
  }

  private numberOf(state: NameState): number {
    return getOrCreate(this.numbers, `${state.node.number} ${keyOf(state.extensions)}`, () => {
      for (let each = 0; each < this.classes; each++) this.known.push(UNKNOWN);
      return this.states.push(state) - 1;
    });
  }
}

/** Returns the extensions that may decide if the name ends here, or continues with a dot. */
function decidingEffectsOf({ extensions, node: { effects } }: NameState): readonly ExtensionEffects[] {
  return effects ? [effects, ...extensions.filter((each) => !hides(effects, each))] : extensions;
}

function keyOf(extensions: readonly ExtensionEffects[]): string {
  return extensions.map(({ key }) => key).join(" then ");
}

function toLowerCase(byte: number): number {
  return String.fromCharCode(byte).toLowerCase().charCodeAt(0);
}
