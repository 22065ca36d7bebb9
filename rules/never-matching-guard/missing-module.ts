import {
  findModuleByName,
  type Guard,
  isWholeServer,
  listInactiveLines,
  type Module,
  type Project,
} from "../../src/lint/api/configuration.js";

/** A section for a module that the server does not load, with a line without which pages are missing. */
export interface MissingModule {
  readonly guard: Guard;
  readonly module: Module;
  /** The name of the line. */
  readonly name: string;
}

/** Finds such sections, one for each; sections for both cases are meant so. */
export function findMissingModules(project: Project): readonly MissingModule[] {
  if (!isWholeServer(project)) return [];
  const found = new Map<Guard, MissingModule>();
  for (const { key, guard, words, within } of listInactiveLines(project)) {
    if (found.has(guard) || within.some((section) => section.key.startsWith("<if"))) continue;
    const name = nameOfNeededLine(key, words);
    const module = name === undefined ? undefined : findModuleOf(guard, project);
    if (name !== undefined && module !== undefined && providers.get(key)?.test(module.identifier))
      found.set(guard, { guard, module, name });
  }
  return [...found.values()];
}

/** Returns the module of a section, unless the server has it, or another section is for servers without it. */
function findModuleOf(
  { kind, argument, negated, isUndecided, span, parent }: Guard,
  project: Project,
): Module | undefined {
  if (kind !== "<ifmodule" || negated || isUndecided || parent?.holds === false) return undefined;
  const find = (name: string) => findModuleByName(project.release, name);
  const module = find(argument);
  if (module === undefined || project.modules.has(module.identifier)) return undefined;
  const isOpposite = (each: Guard) =>
    each.negated && each.span.file === span.file && find(each.argument)?.identifier === module.identifier;
  return project.guards.some(isOpposite) ? undefined : module;
}

/** The modules of the lines: a section for another one, such as mod_ssl, may be for other servers. */
const providers: ReadonlyMap<string, RegExp> = new Map([
  ["rewriterule", /^rewrite_/],
  ["fallbackresource", /^dir_/],
  ["proxypass", /^proxy_/],
  ["proxypassmatch", /^proxy_/],
]);

/** A file that may be a front controller. */
const program = /^(?:\.?\/)?(?:[\w-]+\/)*[\w-]+\.(?:php\d?|html?|cgi|f?cgi|pl|py|rb)(?:[/?]|$)/i;

/** Returns the name of a line that answers requests for other paths than those of files; undefined if it does not. */
function nameOfNeededLine(key: string, [first = "", second = "", flags = ""]: readonly string[]): string | undefined {
  switch (key) {
    case "rewriterule":
      return program.test(second) && !/\b(?:R|redirect)\b/i.test(flags) ? "RewriteRule" : undefined;
    case "fallbackresource":
      return /^disabled$/i.test(first) ? undefined : "FallbackResource";
    case "proxypass":
      return first === "!" || second === "!" ? undefined : "ProxyPass";
    case "proxypassmatch":
      return first === "!" || second === "!" ? undefined : "ProxyPassMatch";
    default:
      return undefined;
  }
}
