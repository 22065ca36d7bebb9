import type { Classifier } from "./classifier.js";

/** A set of literal paths and texts to distinguish. */
export interface LiteralPathSet {
  /**
   * Paths that match themselves and everything below, as in a literal section. A path with a trailing slash matches
   * every text that starts with it.
   */
  readonly paths: Iterable<string>;
  /** Texts that match only themselves. */
  readonly texts?: Iterable<string>;
}

/** A node in the trie of the texts. */
interface TrieNode {
  /** Whether any byte may follow: after a slash, and at the very beginning. */
  readonly isBoundary: boolean;
  readonly children: Map<number, number>;
  isPath: boolean;
  isText: boolean;
  /** The number of the innermost path that covers everything strictly below it; 0 for none. */
  outer: number;
}

/** The views of a literal path: a text at or below it, only below it, or with both distinguished. */
export const AT_OR_BELOW = 0;
export const BELOW = 1;
export const AT_AND_BELOW = 2;

const SLASH = 0x2f;

/**
 * Builds a classifier that distinguishes texts by the literal paths that match them. It has one state for each path
 * prefix, however many there are.
 */
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
    // Parents come before their children.
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

  /** Returns the innermost path that matches after another byte, as its node number plus one; 0 for none. */
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
