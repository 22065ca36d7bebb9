import { defaultRules } from "../../rules/index.js";
import type { Examined } from "../engine/lint.js";
import type { RuleDefinition } from "../engine/rule.js";
import { examine } from "../lint.js";
import { namingDirectories } from "../project/naming-directories.js";
import { absolutePath, parentOf } from "../project/paths.js";
import { placementOf } from "../project/placement.js";
import type { View } from "../project/project.js";
import type { LookedAt, OpenedServer } from "../project/read-project.js";
import { toReadable } from "../text/source.js";

/** A server with so many `.htaccess` files or more is looked at in parts: no more of them are held at once. */
export const MANY_FILES = 1_000;

/** So many files are looked at together; more where the main files are large, since those are gone through with each part. */
export const FILES_IN_PART = 250;
export const LINES_TO_A_FILE = 20;

/** Files that a part asks for are looked at beside it; what those lead to, too, but not without end. */
const MOST_ROUNDS = 5;

/** Where the `.htaccess` files of a server lie: binary strings, in the order in which they were found. */
export class FileLayout {
  private readonly byDirectory: ReadonlyMap<string, number>;
  private readonly above = new Set<string>();

  constructor(readonly paths: readonly string[]) {
    this.byDirectory = new Map(paths.map((path, number) => [bare(parentOf(path)), number]));
    for (const directory of this.byDirectory.keys())
      for (let at = directory; at !== "" && !this.above.has(at); at = bare(parentOf(at))) this.above.add(at);
  }

  /** The file in a directory, by its number. */
  in(directory: string): number | undefined {
    return this.byDirectory.get(directory);
  }

  /** Those in a directory and in all above it. */
  upwards(directory: string): readonly number[] {
    const found: number[] = [];
    for (let at = directory; at !== ""; at = bare(parentOf(at))) {
      const number = this.in(at);
      if (number !== undefined) found.push(number);
    }
    return found;
  }

  hasFilesBelow(directory: string): boolean {
    return this.above.has(directory);
  }
}

/** Files in parts. @param lines how many the main files have */
export function partsOf<T>(files: readonly T[], lines: number): readonly (readonly T[])[] {
  const size = Math.max(FILES_IN_PART, Math.ceil(lines / LINES_TO_A_FILE));
  const count = Math.ceil(files.length / size);
  return Array.from({ length: count }, (_, index) => files.slice(index * size, (index + 1) * size));
}

/** What was found at a part of a server. */
export interface ExaminedPart extends LookedAt {
  readonly examined: Examined;
}

/** How a server is looked at in parts. */
export interface InParts {
  readonly server: OpenedServer;
  readonly layout: FileLayout;
  readonly rules: readonly RuleDefinition[];
}

/** A server that is looked at in parts. @param files where its `.htaccess` files lie */
export function inParts(server: OpenedServer, files: readonly string[], rules: readonly RuleDefinition[]): InParts {
  return { server, layout: new FileLayout(files), rules };
}

/**
 * What is wrong in some of the `.htaccess` files of a server. Beside them those above are looked at, whose rules they
 * inherit, and those that requests come by otherwise, as where a RewriteRule leads on to another folder.
 */
export function examineFiles(parts: InParts, numbers: readonly number[]): ExaminedPart {
  const { server, layout } = parts;
  const own = new Set(numbers);
  const paths = new Set(numbers.map((number) => toReadable(layout.paths[number] ?? "")));
  const above = numbers.flatMap((number) => layout.upwards(bare(parentOf(layout.paths[number] ?? ""))));
  const isTold = (path: string) => paths.has(path);
  return inRounds(parts, new Set([...own, ...above]), isTold, (files, view) => server.look(files, view));
}

/** What is wrong in the main files. @param look reads them with `.htaccess` files that they name or that requests come by */
export function examineMain(parts: InParts, look: (files: readonly string[], view: View) => LookedAt): ExaminedPart {
  const { server, layout } = parts;
  const { project } = server;
  const named = namingDirectories(project).flatMap((directive) => {
    const path = placementOf(directive)?.to ?? directive.arguments[0]?.value;
    return path === undefined ? [] : layout.upwards(bare(absolutePath(project.serverRoot, path)));
  });
  const paths = new Set(layout.paths.map(toReadable));
  return inRounds(parts, new Set(named), (path) => !paths.has(path), look);
}

/** Looks at some files, and again with those that requests came by. @param inView the numbers of the files; more are added */
function inRounds(
  { layout, rules }: InParts,
  inView: Set<number>,
  isTold: (path: string) => boolean,
  look: (files: readonly string[], view: View) => LookedAt,
): ExaminedPart {
  for (let round = 1; ; round++) {
    const missed = new Set<number>();
    const view: View = {
      isTold,
      comesBy(directory) {
        const number = layout.in(directory);
        if (number !== undefined && !inView.has(number)) missed.add(number);
      },
      hasFilesBelow: (directory) => layout.hasFilesBelow(directory),
    };
    const files = [...inView].sort((a, b) => a - b).flatMap((number) => layout.paths[number] ?? []);
    const lookedAt = look(files, view);
    const examined = examine(lookedAt.project, { rules, ruleIds });
    if (missed.size === 0 || round === MOST_ROUNDS) return { ...lookedAt, examined: toldOf(examined, isTold) };
    for (const number of missed) inView.add(number);
  }
}

const ruleIds = defaultRules.map(({ id }) => id);

function toldOf(examined: Examined, isTold: (path: string) => boolean): Examined {
  return {
    ...examined,
    findings: examined.findings.filter(({ span }) => isTold(span.file.path)),
    ignored: examined.ignored.filter(({ span }) => isTold(span.file.path)),
  };
}

function bare(path: string): string {
  return path.endsWith("/") ? path.replace(/\/+$/, "") : path;
}
