import { type Directive, lineKeyOf } from "../../../config/model/directive.js";
import type { Project } from "../../../config/model/project.js";
import { isAccessLine } from "../../../server/access/lines-of-24.js";
import { SimulatedServer } from "../../../server/answer.js";
import { createPermissiveFileTree } from "../../../server/file-trees.js";
import type { ConfigLayer } from "../../../server/model/config-layer.js";
import type { Difference } from "../../model/comparison.js";
import type { MergeContext } from "../plan/contexts.js";
import { type Inexpressible, stateReason } from "../plan/inexpressible.js";
import { deniesEverybody } from "../plan/section-plan.js";
import type { VirtualPages } from "../plan/virtual-pages.js";

/** A request that a change opens although it should stay closed. */
export interface OpenedRequest {
  readonly difference: Difference;
  /** The reason, without its help. */
  readonly reason: Inexpressible;
}

/**
 * Returns the differences that open what should stay closed:
 *
 * - what another section denies on purpose: one that is not around each of the sections to be opened. A denial of
 *   `<Directory "/">` is around a site, but one of `<FilesMatch "^\.ht">` is not.
 * - what asks for a password, if lines are restored: 2.2 asks below a section with `Allow from all`, too
 * - `.ht*` files
 *
 * @param opening the sections that are to be opened
 * @param restoresLines whether lines without effect are restored: then also what asks for a password counts, and `.ht*`
 *   files in any case, not only if a section denies them
 * @param pages the sections whose handler answers instead of a file
 */
export function findOpenedRequests(
  differences: readonly Difference[],
  opening: readonly ConfigLayer[],
  contexts: readonly MergeContext[],
  sides: readonly [before: Project, after: Project],
  restoresLines: boolean,
  pages: VirtualPages,
): readonly OpenedRequest[] {
  const around = new SurroundingLines(opening, contexts);
  const hidden = restoresLines ? new HiddenFiles(sides) : undefined;
  const pageLines = new Set([...pages.keys()].flatMap(({ section }) => (section ? [lineKeyOf(section)] : [])));
  return differences.flatMap((difference): readonly OpenedRequest[] => {
    if (difference.after.class !== "allowed" || difference.before.class === "allowed") return [];
    const closing =
      difference.before.decidedBy.find((line) => !around.has(line)) ??
      (restoresLines ? findClosedSection(difference, opening, contexts, around) : undefined);
    if (restoresLines && difference.before.access === "login") {
      const [directive] = difference.before.decidedBy;
      const help = ["to keep the password, delete the lines about hosts that are to be restored, and run this again"];
      return [{ difference, reason: { ...stateReason("asks-for-password"), help, directive } }];
    }
    if (closing) {
      const reason = { ...stateReason("denied-on-purpose"), directive: closing };
      return [{ difference, reason }];
    }
    const name = isOfPage(difference, pageLines) ? undefined : hidden?.findOpened(difference);
    if (name === undefined) return [];
    const reason = {
      ...stateReason("hidden-file", name),
      help: ['deny them first: add `Require all denied` in `<FilesMatch "^\\.ht">` to the main file'],
      directive: difference.after.decidedBy[0],
    };
    return [{ difference, reason }];
  });
}

/**
 * Returns a section that denies every client on its own, and that applies to requests of a difference but is not around
 * them. Restored lines may override it, as `Allow from all` in `<Location "/">` does.
 */
function findClosedSection(
  { regions }: Difference,
  opening: readonly ConfigLayer[],
  contexts: readonly MergeContext[],
  around: SurroundingLines,
): Directive | undefined {
  const applying = new Set(regions.flatMap(({ pathClass }) => (pathClass.sections[0] ?? []).map(lineKeyOf)));
  for (const layer of new Set(contexts.flatMap(({ layers }) => layers))) {
    const [line] = layer.directives.filter(isAccessLine);
    if (line === undefined || layer.section === undefined || !applying.has(lineKeyOf(layer.section))) continue;
    if (!opening.includes(layer) && !around.has(line) && deniesEverybody(layer, anyMethod)) return line;
  }
  return undefined;
}

/** Stands for methods that no line names. */
const anyMethod = ["-"];

/** Reports whether a handler answers all requests of a difference with a page. @param pageLines its sections */
function isOfPage({ regions }: Difference, pageLines: ReadonlySet<string>): boolean {
  // The lines after the change may have moved.
  return regions.every(({ pathClass: { sections } }) =>
    sections[0]?.some((section) => pageLines.has(lineKeyOf(section))),
  );
}

/** Files that a server never serves: passwords and access rules. */
const hiddenNames = [".htpasswd", ".htaccess"];

/** Tries whether `.ht*` files beside or below an opened path are opened with it. */
class HiddenFiles {
  private readonly before: SimulatedServer;
  private readonly after: SimulatedServer;

  constructor([before, after]: readonly [Project, Project]) {
    this.before = new SimulatedServer(before, createPermissiveFileTree(before));
    this.after = new SimulatedServer(after, createPermissiveFileTree(after));
  }

  /** Returns the name of a file that the lines deny which deny the requests of a difference, and that is opened. */
  findOpened({ request, before }: Difference): string | undefined {
    const folders = new Set([request.path.replace(/[^/]*$/, ""), request.path.replace(/\/?$/, "/")]);
    const denying = new Set(before.decidedBy.map(lineKeyOf));
    return hiddenNames.find((name) =>
      [...folders].some((folder) => {
        const asked = { ...request, path: `${folder}${name}` };
        const now = this.before.answer(asked);
        const isSame = now.class !== "allowed" && now.decidedBy.every((line) => denying.has(lineKeyOf(line)));
        return isSame && this.after.answer(asked).class === "allowed";
      }),
    );
  }
}

/** The lines that apply to each request of a section: those of the sections around it, and its own. */
class SurroundingLines {
  private readonly known = new Map<string, boolean>();

  constructor(
    private readonly opening: readonly ConfigLayer[],
    private readonly contexts: readonly MergeContext[],
  ) {}

  /** Reports whether a line applies to each request of one of the sections. */
  has(line: Directive): boolean {
    const key = lineKeyOf(line);
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const found = this.opening.some((layer) => {
      const within = this.contexts.filter(({ layers }) => layers.includes(layer));
      return within.length > 0 && within.every(({ layers }) => layers.some((each) => hasLine(each, key)));
    });
    this.known.set(key, found);
    return found;
  }
}

function hasLine({ directives }: ConfigLayer, key: string): boolean {
  return directives.some((each) => lineKeyOf(each) === key);
}
