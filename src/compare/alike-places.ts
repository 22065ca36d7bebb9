import type { TooLarge } from "../logic/budget.js";
import type { Directive } from "../project/directive.js";
import { Numbers } from "./numbers.js";
import type { PathCell } from "./path-cell.js";
import type { Policy } from "./policies.js";
import type { ServerPair } from "./server-pairs.js";

/** Who gets what by one method. */
export interface MethodPolicy {
  readonly method: string;
  readonly policy: Policy | TooLarge;
}

/** What is known of some path with something there. */
interface Kept {
  readonly walks: PathCell["walks"];
  readonly policies: readonly MethodPolicy[];
  /** Of each side: whether it matters there if a file or nothing is at the end of the walk. */
  readonly atPlace: readonly boolean[];
}

/** What answers hang on is most of what is kept: beyond so many looks nothing more is, and it is asked anew. */
const MOST_LOOKS = 1_000_000;

/**
 * The same path with a file and with nothing where it leads: where the same sections apply and no decision looked at what is
 * there, who gets what is the same.
 */
export class AlikePlaces {
  private pair: ServerPair | undefined;
  private readonly kept = new Map<string, Kept[]>();
  private looks = 0;
  private readonly numbers = new Numbers<Directive>();

  /** What is known of another cell that holds for this one as well. */
  alike(pair: ServerPair, cell: PathCell): readonly MethodPolicy[] | undefined {
    if (this.pair !== pair) {
      this.kept.clear();
      this.looks = 0;
    }
    this.pair = pair;
    return this.kept.get(this.keyOf(cell))?.find((each) => isAlike(each, cell))?.policies;
  }

  keep(pair: ServerPair, cell: PathCell, policies: readonly MethodPolicy[]): void {
    if (this.pair !== pair || policies.some(({ policy }) => policy === "too large")) return;
    this.looks += policies.reduce((sum, { policy }) => sum + looksIn(policy), 0);
    if (this.looks > MOST_LOOKS) return;
    const atPlace = cell.walks.map((_, side) =>
      policies.some(
        ({ policy }) => policy !== "too large" && policy.parts.some(({ asked }) => (asked[side] ?? asked[0])?.atPlace),
      ),
    );
    const key = this.keyOf(cell);
    const others = this.kept.get(key) ?? [];
    this.kept.set(key, others);
    others.push({ walks: cell.walks, policies, atPlace });
  }

  private keyOf({ path, walks, sections }: PathCell): string {
    const ends = walks.map((walk) => walk?.filename ?? "");
    const applying = sections.map((each) => each.map((section) => this.numbers.of(section)).join(" "));
    return [path, ...ends, ...applying].join("\n");
  }
}

function looksIn(policy: Policy | TooLarge): number {
  if (policy === "too large") return 0;
  return policy.parts.reduce((sum, { asked }) => asked.reduce((all, { seen }) => all + seen.length, sum), 0);
}

/** The files have the same names: what is there is left to be told apart. */
function isAlike({ walks, atPlace }: Kept, cell: PathCell): boolean {
  return walks.every((walk, side) => {
    const other = cell.walks[side];
    if (walk?.kind === other?.kind) return true;
    return !atPlace[side] && walk?.kind !== "directory" && other?.kind !== "directory";
  });
}
