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
    const needed = neededLines.get(key);
    const module = needed?.answers(words) ? findModuleOf(guard, project) : undefined;
    if (needed && module && needed.module.test(module.identifier))
      found.set(guard, { guard, module, name: needed.name });
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

/** A line that answers requests for other paths than those of files. */
interface NeededLine {
  readonly name: string;
  /** Its module: a section for another one, such as mod_ssl, may be for other servers. */
  readonly module: RegExp;
  readonly answers: (words: readonly string[]) => boolean;
}

/** A file that may be a front controller. */
const program = /^(?:\.?\/)?(?:[\w-]+\/)*[\w-]+\.(?:php\d?|html?|cgi|f?cgi|pl|py|rb)(?:[/?]|$)/i;

const isProxied = (words: readonly string[]) => !words.slice(0, 2).includes("!");

/** Such lines, by their lower-case names. */
const neededLines: ReadonlyMap<string, NeededLine> = new Map([
  [
    "rewriterule",
    {
      ...{ name: "RewriteRule", module: /^rewrite_/ },
      answers: ([, target = "", flags = ""]) => program.test(target) && !/\b(?:R|redirect)\b/i.test(flags),
    },
  ],
  [
    "fallbackresource",
    { name: "FallbackResource", module: /^dir_/, answers: ([target = ""]) => !/^disabled$/i.test(target) },
  ],
  ["proxypass", { name: "ProxyPass", module: /^proxy_/, answers: isProxied }],
  ["proxypassmatch", { name: "ProxyPassMatch", module: /^proxy_/, answers: isProxied }],
]);
