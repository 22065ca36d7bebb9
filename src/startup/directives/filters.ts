import type { Argument } from "../../../grammar/ast.js";
import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { type Refusal, type RefusalText, wordingOf } from "../../config/refusals/refusal.js";
import { filterModules, internalFilters } from "../../facts/filters.js";
import { isSince } from "../../facts/release.js";
import { findClosestWord } from "../../text/closest-word.js";

/** The names of the filters so far that lines define while httpd reads them. */
export class FilterRegistry {
  private readonly defined = new Set<string>();

  constructor(private readonly project: Project) {}

  /** Records an ExtFilterDefine or LuaOutputFilter line. FilterDeclare names a chain, which is not a provider. */
  define({ arguments: [name] }: Directive): void {
    this.defined.add(name?.value.toUpperCase() ?? "");
  }

  /**
   * Checks the filters of AddOutputFilterByType, and that of FilterProvider, as 2.4 does (modules/filters/mod_filter.c
   * `add_filter`).
   */
  check(directive: Directive): Refusal | undefined {
    if (!isSince(this.project.release, "2.4")) return undefined;
    const isByType = directive.key === "addoutputfilterbytype";
    const word = directive.arguments[isByType ? 0 : 1];
    if (isByType && directive.arguments.length < 2)
      return { ...wordingOf("filter-without-types"), span: directive.span };
    const names = isByType ? word?.value.split(";").filter((name) => name !== "") : word && [word.value];
    for (const name of names ?? []) {
      const fault = this.unknownFilter(name);
      if (word && fault)
        return { server: `Unknown filter provider ${name}`, ...fault, span: directive.spanOf(partOf(word, name)) };
    }
    return undefined;
  }

  /** Returns undefined if httpd knows the filter, or if a module or another file may define it. */
  private unknownFilter(name: string): RefusalText | undefined {
    const { modules, modulesAreKnown, kind } = this.project;
    const upper = name.toUpperCase();
    if (this.defined.has(upper)) return undefined;
    const module = filterModules.get(upper) ?? internalFilters.get(upper);
    if (module !== undefined) {
      const isMissing = modulesAreKnown && !programModules.has(module) && !modules.has(module);
      return isMissing ? wordingOf("filter-module-not-loaded", name, module) : undefined;
    }
    const near = findClosestWord(name, filterModules.keys());
    const isComplete = kind === "server" && modulesAreKnown && !modules.hasAnyThirdParty();
    return near === undefined && !isComplete ? undefined : wordingOf("unknown-filter-provider", name, near);
  }
}

/** The modules that each program has, or that the one of Debian has. */
const programModules: ReadonlySet<string> = new Set(["core_module", "http_module", "logio_module"]);

/** Returns the part of an argument that is a name in a list, as an argument of its own. */
function partOf(word: Argument, name: string): Argument {
  const lead = word.quote === "none" ? 0 : 1;
  const start = word.start + lead + word.value.indexOf(name);
  return word.value === name ? word : { ...word, value: name, start, end: start + name.length };
}
