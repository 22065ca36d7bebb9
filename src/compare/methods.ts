import type { Directive } from "../project/directive.js";
import type { Project } from "../project/project.js";

/** The usual ones; any that is named nowhere stands for all others. */
const usual = ["GET", "POST", "PUT", "DELETE", "PATCH"];

const limiting: ReadonlySet<string> = new Set(["<limit", "<limitexcept", "allowmethods"]);

/**
 * Methods that stand for all there are: each that some configuration names, and one that none does. HEAD is no method of its
 * own: what is said of GET is said of it.
 */
export function methodsOf(projects: readonly Project[]): readonly string[] {
  const named = new Set(projects.flatMap((project) => [...namedIn(project)]));
  named.delete("HEAD");
  const other = usual.find((method) => method !== "GET" && !named.has(method)) ?? "OTHER";
  return ["GET", ...[...named].filter((method) => method !== "GET").sort(), other];
}

function namedIn(project: Project): ReadonlySet<string> {
  const named = new Set<string>();
  const walk = (directives: readonly Directive[]) => {
    for (const directive of directives) {
      for (const method of methodsIn(directive)) named.add(method);
      if (directive.children) walk(directive.children);
    }
  };
  walk(project.directives);
  for (const { directives } of project.htaccess) walk(directives);
  return named;
}

function methodsIn({ key, argumentText, arguments: words }: Directive): readonly string[] {
  if (limiting.has(key)) return words.map(({ value }) => value).filter((word) => word.toLowerCase() !== "reset");
  if (key === "require" && /^(?:not\s+)?method\s/i.test(argumentText)) return argumentText.match(/[A-Z]+/g) ?? [];
  // A condition on the method: its words in capitals.
  return /request_method|the_request/i.test(argumentText) ? (argumentText.match(/\b[A-Z]{3,}\b(?!_)/g) ?? []) : [];
}
