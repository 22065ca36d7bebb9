import type { ConfigTree } from "../../grammar/ast.js";
import { directiveFacts } from "../directives/directives.js";
import type { Directive } from "../project/directive.js";
import type { HtaccessFile, Project } from "../project/project.js";
import { findRefusals } from "../refusals/refusals.js";
import type { Layer } from "../scope/layer.js";
import { overridesIn } from "../scope/overrides.js";
import type { DirectoryWalk } from "../scope/walk.js";
import type { Span } from "../text/source.js";

/** Why the server refuses a `.htaccess` file whatever is allowed in it. */
export interface Broken {
  readonly message: string;
  /** The server's own words. */
  readonly server: string | undefined;
  /** Undefined where the text itself is wrong. */
  readonly directive: Directive | undefined;
  readonly span: Span;
}

/** `.htaccess` files that cannot be read or hold what the server refuses, each with what it comes to first. */
export function brokenFiles(project: Project): ReadonlyMap<HtaccessFile, Broken> {
  const reasons = new Map<ConfigTree, Broken>();
  if (project.htaccess.length === 0) return new Map();
  for (const { directive, message, server, span } of findRefusals(project).htaccess) {
    const { tree } = directive.reading;
    if (!reasons.has(tree)) reasons.set(tree, { message, server, directive, span });
  }
  for (const { kind, span, message, server } of project.problems) {
    const tree = kind === "syntax" || kind === "refused" ? project.files.get(span.file.path) : undefined;
    if (tree) reasons.set(tree, { message, server, directive: undefined, span });
  }
  const broken = new Map<HtaccessFile, Broken>();
  for (const file of project.htaccess) {
    const reason = reasons.get(file.tree);
    if (reason !== undefined) broken.set(file, reason);
  }
  return broken;
}

type RefusedFile = NonNullable<DirectoryWalk["refused"]>;

/** What the server stumbles over first in a `.htaccess` file that it refuses. */
export interface FileRefusal {
  /** Undefined where no directive is at fault, but the text. */
  readonly directive: Directive | undefined;
  readonly span: Span;
  /** As a clause. */
  readonly why: string;
  /** The server's own words. */
  readonly server: string;
}

/**
 * Why a `.htaccess` file is refused. The server reads it as a whole first, carrying out guards and Define as it goes, then
 * looks at the directives one after the other (server/config.c `ap_build_config`, `ap_walk_config`).
 *
 * @param layers those laid before the file
 */
export function refusalOf(refused: RefusedFile, layers: readonly Layer[], { project, broken }: Readings): FileRefusal {
  const { file, directive, why } = refused;
  const first = firstLine(file.tree, project);
  const { classes, names } = overridesIn(layers, project);
  const atFirst = first && { directive: undefined, span: first.span, why, server: `${first.name} not allowed here` };
  if (atFirst && first.isReadTime && classes.size === 0 && names.size === 0) return atFirst;
  const reason = broken.get(file);
  if (reason && (reason.directive === undefined || directive === undefined)) {
    const { message, server = message } = reason;
    return { directive: reason.directive, span: reason.span, why: message, server };
  }
  if (directive) return { directive, span: directive.span, why, server: notAllowed(directive, project) };
  return atFirst ?? { directive, span: { file: file.tree.source, start: 0, end: 0 }, why, server: why };
}

interface Readings {
  readonly project: Project;
  readonly broken: ReadonlyMap<HtaccessFile, Broken>;
}

function notAllowed({ name, known }: Directive, { modules }: Project): string {
  const isKnown = known.facts.some((facts) => !facts.manualOnly && modules.provides(facts));
  if (isKnown) return `${name} not allowed here`;
  return `Invalid command '${name}', perhaps misspelled or defined by a module not included in the server configuration`;
}

interface FirstLine {
  /** As the server's table has it. */
  readonly name: string;
  readonly span: Span;
  /** Carried out while the file is read. */
  readonly isReadTime: boolean;
}

/** The first line that says anything. */
function firstLine({ source, lines }: ConfigTree, { release }: Project): FirstLine | undefined {
  const line = Array.from(lines).find(({ kind }) => kind !== "blank" && kind !== "comment");
  if (line === undefined) return undefined;
  const { nameStart, nameEnd, restEnd } = line;
  const written = source.text.slice(nameStart, nameEnd);
  const [facts] = directiveFacts(release, written);
  return {
    name: facts ? `${facts.section ? "<" : ""}${facts.tableName}` : written,
    span: { file: source, start: nameStart, end: Math.max(nameEnd, restEnd) },
    isReadTime: facts?.readTime === true,
  };
}
