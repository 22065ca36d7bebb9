import type { ConfigTree } from "../../grammar/ast.js";
import { isRequireContainer } from "../access/new-rules.js";
import { type DirectiveFacts, directiveFacts } from "../directives/directives.js";
import type { Directive } from "../project/directive.js";
import type { HtaccessFile, Project } from "../project/project.js";
import { findRefusals } from "../refusals/refusals.js";
import type { Layer } from "../scope/layer.js";
import { allows, type Overrides, overridesIn } from "../scope/overrides.js";
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
  const { file, directive, why, option } = refused;
  const overrides = overridesIn(layers, project);
  const lines = linesIn(file.tree, project);
  const guard = lines.find(({ readTime }) => readTime && !allows(overrides, readTime));
  if (guard) return guardRefusal(guard, overrides);
  const reason = broken.get(file);
  if (reason && (directive === undefined || isStumbledOver(reason.directive, directive))) {
    const { message, server = message } = reason;
    return { directive: reason.directive, span: reason.span, why: message, server };
  }
  if (directive) return { directive, span: directive.span, why, server: notAllowed(directive, project, option) };
  const [first] = lines;
  return first
    ? { directive: undefined, span: first.span, why, server: `${first.name} not allowed here` }
    : { directive, span: { file: file.tree.source, start: 0, end: 0 }, why, server: why };
}

interface Readings {
  readonly project: Project;
  readonly broken: ReadonlyMap<HtaccessFile, Broken>;
}

function notAllowed(
  { name, known, parent }: Directive,
  { modules, release }: Project,
  option: string | undefined,
): string {
  if (option !== undefined) return `Option ${option.replace(/^[+-]/, "")} not allowed here`;
  const isKnown = known.facts.some((facts) => !facts.manualOnly && modules.provides(facts));
  if (isKnown) return `${name} not allowed ${parent && release === "2.4" ? `in ${parent.name}> context` : "here"}`;
  return `Invalid command '${name}', perhaps misspelled or defined by a module not included in the server configuration`;
}

/** Whether a fault comes before a line that is not allowed; that of a Require container is found behind what is in it. */
function isStumbledOver(fault: Directive | undefined, { span }: Directive): boolean {
  if (fault === undefined) return true;
  const isAround = isRequireContainer(fault) && fault.children !== undefined && fault.span.end >= span.end;
  return fault.span.start < span.start && !isAround;
}

/** A line that says anything. */
interface SayingLine {
  /** As the server's table has it. */
  readonly name: string;
  readonly span: Span;
  /** What is known of one that is carried out while the file is read. */
  readonly readTime: DirectiveFacts | undefined;
}

/** Where it is passed over, what closes it stands alone. */
function guardRefusal({ name, span }: SayingLine, { skips }: Overrides): FileRefusal {
  const [why, server] = skips.override
    ? [
        `\`${name}>\` is not allowed and passed over, its end is not`,
        `</${name.slice(1)}> without matching ${name}> section`,
      ]
    : [`\`${name}>\` is not allowed by AllowOverride`, `${name} not allowed here`];
  return { directive: undefined, span, why, server };
}

function linesIn({ source, lines }: ConfigTree, { release }: Project): SayingLine[] {
  return Array.from(lines)
    .filter(({ kind }) => kind !== "blank" && kind !== "comment")
    .map(({ nameStart, nameEnd, restEnd }) => {
      // The name may be all that stands ahead of a continuation.
      const written = source.text.slice(nameStart, nameEnd).replace(/\\$/, "");
      const [facts] = directiveFacts(release, written);
      return {
        name: facts ? `${facts.section ? "<" : ""}${facts.tableName}` : written,
        span: { file: source, start: nameStart, end: Math.max(nameEnd, restEnd) },
        readTime: facts?.readTime ? facts : undefined,
      };
    });
}
