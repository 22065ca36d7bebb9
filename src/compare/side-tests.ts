import { documentRootOf } from "../scope/mapping.js";
import { canonicalPath } from "../scope/section-index.js";
import type { FileTests, HtaccessTests } from "./htaccess-tests.js";
import type { PathSide } from "./path-cell.js";
import { type Leading, type Leads, leadsTo } from "./path-leads.js";
import type { PathTests } from "./path-tests.js";
import { TextTests } from "./text-tests.js";

/** What one side asks of the paths of a server. */
export interface SideTests {
  readonly main: PathTests | undefined;
  readonly own: PathTests;
  /** Of the `.htaccess` files those that requests to the server may come by. */
  readonly files: readonly FileTests[];
  /** Where the walk to a file comes by what is asked for beside it, it tells of that. */
  readonly fixed: TextTests;
  /** Whether rules lead to files in other folders by text of the path. */
  readonly leadsOn: boolean;
}

/** All that is asked on a side. */
export function allOf({ main, own, files }: Pick<SideTests, "main" | "own" | "files">): readonly PathTests[] {
  return [...(main ? [main] : []), ...files.map(({ tests }) => tests), own];
}

/** What a server itself asks, and what is known of its configuration. */
export interface AskingServer extends Pick<SideTests, "main" | "own"> {
  readonly side: PathSide;
  readonly leads: Leads;
  readonly files: HtaccessTests;
}

/**
 * Finds the `.htaccess` files that requests may come by, with what they ask: those on the way to where URL paths lead, and to
 * what they or others ask for beside that.
 *
 * @param leadings all that the server makes of URL paths
 */
export function sideTests(asking: AskingServer, leadings: readonly Leading[]): SideTests {
  const { main, own } = asking;
  const numbers = new Set(filesLedTo(asking, leadings));
  for (;;) {
    const { size } = numbers;
    const files = asking.files.of(numbers);
    const all = allOf({ main, own, files });
    const fixed = fixedOf(asking, all);
    for (const number of asking.files.in(fixed.paths)) numbers.add(number);
    if (numbers.size === size) return { main, own, files, fixed, leadsOn: all.some(leadOn) };
  }
}

/** Any, where it is not followed to where paths lead. Rules in a file lead to URL paths of the same server. */
function filesLedTo({ main, own, files }: AskingServer, leadings: readonly Leading[]): Iterable<number> {
  const isLost = leadings.some(({ lead, uncut, by }) => lead === undefined && (uncut || by === undefined));
  if (isLost || (main && leadOn(main)) || leadOn(own)) return files.all;
  return leadings.flatMap(({ lead }) => (lead ? files.on(lead) : []));
}

function leadOn({ uncut }: PathTests): boolean {
  return uncut.some(({ leadsOn }) => leadsOn);
}

function fixedOf({ side, leads }: AskingServer, all: readonly PathTests[]): TextTests {
  const fixed = new TextTests();
  const paths = new Set(all.flatMap((each) => [...each.fixedPaths]));
  const files = new Set(all.flatMap((each) => [...each.fixedFiles]));
  if (paths.size + files.size === 0) return fixed;
  const root = documentRootOf(side.server, side.project);
  const found = [...files].map((file) => file.replaceAll("%{DOCUMENT_ROOT}", root));
  for (const path of paths) {
    const { lead } = leads.of(path, side.server);
    if (lead && lead.kind !== "backend") found.push(leadsTo(lead, path));
  }
  const indexNames = indexNamesIn(all);
  for (const file of found) {
    const plain = canonicalPath(file) ?? "";
    for (const each of [plain, ...indexNames.map((name) => `${plain}/${name}`)])
      for (let end = each.length; end > 0; end = each.lastIndexOf("/", end - 1)) {
        fixed.paths.add(each.slice(0, end));
        fixed.texts.add(each.slice(0, end));
      }
  }
  return fixed;
}

/** What may be sought in a directory. */
export function indexNamesIn(all: readonly PathTests[]): readonly string[] {
  return [...new Set(["index.html", ...all.flatMap((each) => [...each.indexNames])])];
}
