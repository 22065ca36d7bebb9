import type { Classifier } from "./classifier.js";

/** What is asked of texts in a set of paths. */
export interface LiteralPathSet {
  /** Paths that hold for themselves and for what lies below: a literal section's. One with a slash at its end holds for all that starts so. */
  readonly paths: Iterable<string>;
  /** Texts that hold for themselves alone. */
  readonly texts?: Iterable<string>;
}

/** A place in the tree of the texts. */
interface TrieNode {
  /** Whether any byte may follow: behind a slash, and at the very beginning. */
  readonly isBoundary: boolean;
  readonly children: Map<number, number>;
  isPath: boolean;
  isText: boolean;
  /** The number of the innermost path that holds for what is strictly below it; 0 for none. */
  outer: number;
}

/** The views of `literalPaths`: a path may count for what lies at it, for what lies below it, or be told apart in both. */
export const AT_OR_BELOW = 0;
export const BELOW = 1;
export const AT_AND_BELOW = 2;

const SLASH = 0x2f;

/** Tells texts apart by which of many literal paths hold for them: a state for each beginning of a path, however many there are. */
export function buildPathTrie({ paths, texts = [] }: LiteralPathSet): Classifier {
  return new PathTrie(paths, texts);
}

class PathTrie implements Classifier {
  readonly classOf = new Uint8Array(256);
  readonly classes: number;
  private readonly nodes: TrieNode[] = [nodeOf(true)];
  private readonly bytes: number[] = [-1];

  constructor(paths: Iterable<string>, texts: Iterable<string>) {
    for (const path of paths) this.add(path).isPath = true;
    for (const text of texts) this.add(text).isText = true;
    this.classes = this.bytes.length;
    // Nodes come behind those that they hang on.
    for (const [number, node] of this.nodes.entries())
      for (const [byte, child] of node.children) {
        const below = this.nodes[child];
        if (below) below.outer = this.outputAfter(number, byte);
      }
  }

  private add(text: string): TrieNode {
    let at = 0;
    for (let i = 0; i < text.length; i++) {
      const byte = text.charCodeAt(i);
      if (this.classOf[byte] === 0) this.classOf[byte] = this.bytes.push(byte) - 1;
      const node = this.nodes[at];
      let child = node?.children.get(byte);
      if (child === undefined) {
        child = this.nodes.push(nodeOf(byte === SLASH)) - 1;
        node?.children.set(byte, child);
      }
      at = child;
    }
    return this.nodes[at] ?? nodeOf(true);
  }

  /** The innermost path that holds once a byte follows, as its node's number and one; 0 for none. */
  private outputAfter(number: number, byte: number): number {
    const node = this.nodes[number];
    if (node === undefined) return 0;
    const holds = node.isPath && (byte === SLASH || node.isBoundary);
    return holds ? number + 1 : node.outer;
  }

  next(state: number, byteClass: number): number {
    if (state >= this.nodes.length) return state;
    const byte = this.bytes[byteClass] ?? -1;
    return this.nodes[state]?.children.get(byte) ?? this.nodes.length + this.outputAfter(state, byte);
  }

  output(state: number, view: number): number {
    const node = this.nodes[state];
    const outer = node?.outer ?? state - this.nodes.length;
    const held = node?.isPath ? state + 1 : outer;
    const isSpecial = node !== undefined && (node.isText || (view === AT_AND_BELOW && node.isPath));
    const base = view === BELOW ? outer : held;
    return isSpecial ? this.nodes.length + 1 + state : base;
  }
}

function nodeOf(isBoundary: boolean): TrieNode {
  return { isBoundary, children: new Map(), isPath: false, isText: false, outer: 0 };
}
