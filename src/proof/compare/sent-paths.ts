import type { Automaton } from "../../regex/automata/automaton.js";
import { isAcceptingState, stepAutomaton } from "../../regex/automata/automaton.js";
import { byReadability } from "../../regex/automata/shortest-texts.js";
import { type PatternTest, textsPassing } from "../../regex/pcre/comparison.js";
import type { SentPathTest } from "../../server/model/dependency-tracker.js";
import type { UnknownFact } from "../../server/model/unknown-facts.js";
import { encodeUrlPath } from "../../text/escaping.js";
import type { PathClass, WalkedPath } from "../model/path-class.js";
import { WALK_END_MARK } from "../paths/product-automaton.js";

/** A path as a client may send it. */
export interface SentPath {
  readonly sent: string;
  /** What the server makes of it. */
  readonly resolved: WalkedPath;
}

/** Maximum number of states that a search visits. */
const MAX_VISITED = 3_000;

/**
 * Returns paths of a class, as a client may send them, that may give tests of the path as sent the wanted results. The caller
 * verifies them by replaying. The first is the plain path of the class.
 *
 * @param wanted the tests that must hold
 */
export function* findCandidatePaths(
  pathClass: PathClass,
  tests: ReadonlyMap<UnknownFact, SentPathTest>,
  wanted: ReadonlySet<UnknownFact>,
): Generator<SentPath> {
  yield { sent: encodeUrlPath(pathClass.path), resolved: pathClass };
  const patterns = [...tests].flatMap(([fact, { sentPath }]): readonly PatternTest[] =>
    sentPath ? [{ ...sentPath, isNegated: (sentPath.isNegated ?? false) === wanted.has(fact) }] : [],
  );
  const passing = textsPassing(patterns);
  if (passing === undefined) return;
  for (const leaves of [false, true]) {
    const found = new SentPathSearch(pathClass, passing).find(leaves);
    if (found) yield found;
  }
}

/** A state of the search. */
interface SearchState {
  /** The state of the texts of the class: -1 in a folder that the path leaves again. */
  readonly inClass: number;
  readonly inSent: number;
  readonly from: SearchState | undefined;
  readonly sent: string;
  readonly text: string;
}

/** In a folder that the path leaves again, by `/..`. */
const ELSEWHERE = -1;

/** Searches for a text that is sent, among those that pass tests, which resolves to a path of a class. */
class SentPathSearch {
  private readonly paths: Automaton;
  private readonly seen = new Set<string>();
  private readonly queue: SearchState[] = [];

  constructor(
    private readonly pathClass: PathClass,
    private readonly passing: Automaton,
  ) {
    this.paths = pathClass.paths;
  }

  /** @param leaves whether the path begins with a folder that it leaves again */
  find(leaves: boolean): SentPath | undefined {
    if (leaves) this.add({ inClass: ELSEWHERE, inSent: 0, from: undefined, sent: "", text: "" }, "/", "", ELSEWHERE);
    else this.queue.push({ inClass: 0, inSent: 0, from: undefined, sent: "", text: "" });
    for (const state of this.queue) {
      if (state.inClass === ELSEWHERE) this.continueElsewhere(state);
      else if (isAcceptingState(this.paths, state.inClass) && isAcceptingState(this.passing, state.inSent))
        return this.pathTo(state);
      else this.continueInClass(state);
      if (this.queue.length > MAX_VISITED) return undefined;
    }
    return undefined;
  }

  private continueElsewhere(state: SearchState): void {
    for (const byte of byReadability) {
      const character = String.fromCharCode(byte);
      if (character !== "/" && encodeUrlPath(character) === character) this.add(state, character, "", ELSEWHERE);
    }
    if (state.from?.from !== undefined) this.add(state, "/..", "", 0);
  }

  private continueInClass(state: SearchState): void {
    const { inClass } = state;
    // Marks are not sent.
    const marked = this.next(inClass, WALK_END_MARK);
    if (!this.pathClass.hasNumberedMarks) this.add(state, "", "\0", marked);
    else for (const side of ["1", "2"]) this.add(state, "", `\0${side}`, this.next(marked, side.charCodeAt(0)));
    for (const byte of byReadability) {
      if (byte === WALK_END_MARK) continue;
      const to = this.next(inClass, byte);
      const character = String.fromCharCode(byte);
      for (const sent of formsOf(character)) this.add(state, sent, character, to);
    }
  }

  private next(state: number, byte: number): number {
    return stepAutomaton(this.paths, state, this.paths.classOf[byte] ?? 0);
  }

  private add(from: SearchState, sent: string, text: string, inClass: number): void {
    let { inSent } = from;
    for (let at = 0; at < sent.length; at++)
      inSent = stepAutomaton(this.passing, inSent, this.passing.classOf[sent.charCodeAt(at)] ?? 0);
    const key = `${inClass} ${inSent}`;
    if (this.seen.has(key)) return;
    this.seen.add(key);
    this.queue.push({ inClass, inSent, from, sent, text });
  }

  private pathTo(end: SearchState): SentPath {
    let [sent, text] = ["", ""];
    for (let state: SearchState | undefined = end; state; state = state.from) {
      sent = state.sent + sent;
      text = state.text + text;
    }
    return { sent, resolved: this.pathClass.walkedIn(text) };
  }
}

/** Returns how a client may send a character: as it is, or escaped. A slash stays, since most servers refuse `%2f`. */
function formsOf(character: string): readonly string[] {
  if (character === "/") return [character];
  const plain = encodeUrlPath(character);
  const escaped = `%${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
  return [...new Set([plain, escaped, escaped.toUpperCase()])];
}
