import { authModuleOf } from "../../src/lint/api/access.js";
import {
  type Directive,
  findLastLoadModule,
  findModuleByManualName,
  findRequiredModules,
  formatLoadModule,
  isDebianLayout,
  type Project,
  sharedObjectOf,
} from "../../src/lint/api/configuration.js";
import { formatWordList, quoteText } from "../../src/lint/api/rule.js";

/**
 * Returns how to load the modules without which httpd rejects lines, or requests for them: the module of a directive, and those
 * of the other lines of its section or file. One line may hide that another one fails as well.
 */
export function describeLoading(directive: Directive, lines: readonly Directive[], project: Project): string {
  const modules = [...new Set(lines.flatMap((line) => modulesOf(line, project)))].filter(
    (module) => !project.modules.has(module),
  );
  const own = modulesOf(directive, project).filter((module) => !modules.includes(module));
  const all = [...own, ...modules];
  if (all.length === 0) return "load the module";
  if (isDebianLayout(project))
    return `run ${quoteText(`a2enmod ${all.map((module) => module.replace(/_module$/, "")).join(" ")}`)}`;
  const last = findLastLoadModule(project);
  const written = all.map((module) => {
    const line = last && formatLoadModule(last, module)?.trim();
    return quoteText(line ?? `LoadModule ${module} modules/${sharedObjectOf(module)}`);
  });
  return `add ${formatWordList(written)}`;
}

/** Returns the modules that a line needs: the one that defines it, those of its arguments, and that of an AuthType. */
function modulesOf(line: Directive, { release }: Project): readonly string[] {
  const [fact, ...others] = line.known.facts.filter(({ manualOnly }) => !manualOnly);
  const own = fact && others.length === 0 ? findModuleByManualName(release, fact.module)?.identifier : undefined;
  const ofWords = findRequiredModules(line.key)?.(line) ?? [];
  const ofType = line.key === "authtype" ? authModuleOf(line.arguments[0]?.value.toLowerCase() ?? "") : undefined;
  return [own, ...ofWords, ofType].flatMap((module) => module ?? []);
}
