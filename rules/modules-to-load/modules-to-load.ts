import {
  findLastLoadModule,
  formatLoadModule,
  guardLoadModule,
  isDebianLayout,
  type LoadModule,
  type Project,
  sharedObjectOf,
} from "../../src/rule-api/configuration.js";
import {
  combineEdits,
  defineRule,
  type Fix,
  formatWordList,
  insertLinesAfter,
  insertLinesBefore,
  type Report,
} from "../../src/rule-api/rule.js";
import { formatNeed, isMpm, type ModuleNeed, ModuleNeeds } from "./needs.js";

export const modulesToLoad = defineRule({
  id: "modules-to-load",
  title: "Modules that 2.4 needs and nothing loads",
  severity: "error",
  description:
    "With `--from 2.2`: the modules that 2.4 needs for what the configuration uses, and that no LoadModule line brings.",
  help: "2.4 split modules up and loads more of them by LoadModule: what 2.2 had in its core is a module now, as are the MPM, the ways to balance and the caches of mod_ssl. The finding names all that are missing, each with the first line that needs it, and its fix writes the LoadModule lines. Whether a module is part of the server itself is told by `httpd -l`.",
  tags: ["upgrade", "correctness"],
  upgradeOnly: true,
  upgrade: "start",
  check: ({ project, release, report }) => {
    if (release !== "2.4" || !(project.modulesAreKnown || loadsNothing(project))) return {};
    const needs = new ModuleNeeds(project);
    return {
      forName(known) {
        const visit = needs.visitorOf(known);
        return visit && ((directive, scope) => (scope.inHtaccess ? undefined : visit(directive)));
      },
      project() {
        const found = project.modulesAreKnown ? reportOf(project, needs) : createFullReport(project, needs);
        if (found) report(found);
      },
    };
  },
});

function reportOf(project: Project, needs: ModuleNeeds): Report | undefined {
  const isDebian = isDebianLayout(project);
  const isLoading = project.loadModules.length > 0;
  const mpm = isLoading ? needs.mpm() : undefined;
  const maybe = isDebian ? [] : [...(mpm ? [mpm] : []), ...needs.maybeBuiltIn()];
  const isSeen = project.sharedObjects && createFileTest(project.sharedObjects);
  // If the module folder is known, modules that are not in it are built in, and the others are not.
  const certain = [...needs.missing(), ...(isDebian && mpm ? [mpm] : []), ...(isSeen ? maybe.filter(isSeen) : [])];
  const perhaps = isSeen ? [] : maybe;
  const all = [...certain, ...perhaps];
  if (all.length === 0) return undefined;
  const line = findLastLoadModule(project);
  const span = line?.span ?? certain.find((need) => need.span)?.span;
  if (span === undefined) return undefined;
  const fix = line && !isDebian ? loading(line, project, certain, perhaps) : undefined;
  return {
    severity: certain.every(isForBalancers) ? "warning" : "error",
    message: messageOf(certain, perhaps, adviceOn(all, isDebian, line)),
    span,
    related: all.flatMap((need) => (need.span ? [{ message: `this needs \`${need.module}\``, span: need.span }] : [])),
    supplies: all.map(({ module }) => module),
    ...(fix ? { fix } : {}),
  };
}

function messageOf(certain: readonly ModuleNeed[], perhaps: readonly ModuleNeed[], advice: string): string {
  const named = (needs: readonly ModuleNeed[]) => formatWordList(needs.map(formatNeed));
  const unless = `unless ${perhaps.length === 1 ? "it is" : "they are"} built into the server (see \`httpd -l\`)`;
  if (certain.length === 0)
    return `2.4 needs ${named(perhaps)}, which nothing loads, so the server does not start ${unless}; ${advice}`;
  const starts = certain.every(isForBalancers);
  const also = starts ? "and the server does not start without" : "nor without";
  const more = perhaps.length === 0 ? "" : `, ${also} ${named(perhaps)} ${unless}`;
  return `2.4 needs ${named(certain)}, which nothing loads, so ${describeEffect(certain)}${more}; ${advice}`;
}

/** Describes the effect of missing modules on the server. */
function describeEffect(certain: readonly ModuleNeed[]): string {
  if (certain.every(isForBalancers)) return "what is meant for a balancer gets 500 (AH01144)";
  return certain.every(({ isForRequests }) => isForRequests)
    ? "the server does not start to any use"
    : "the server does not start";
}

/** Returns whether a module is in a module folder; for an MPM, whether any MPM is. */
function createFileTest(files: ReadonlySet<string>): (need: ModuleNeed) => boolean {
  const hasMpm = [...files].some((file) => file.startsWith("mod_mpm_"));
  return ({ module }) => (isMpm(module) ? hasMpm : files.has(sharedObjectOf(module)));
}

function isForBalancers({ isForRequests, span }: ModuleNeed): boolean {
  return isForRequests === true && span !== undefined;
}

function adviceOn(needs: readonly ModuleNeed[], isDebian: boolean, line: LoadModule | undefined): string {
  if (isDebian) return `run \`a2enmod ${needs.map(({ module }) => nameOnDebian(module)).join(" ")}\``;
  return line ? "load them behind this line" : "load them";
}

/** Returns the name of a module for `a2enmod`: its identifier, with one exception. */
function nameOnDebian(identifier: string): string {
  return identifier === "dumpio_module" ? "dump_io" : identifier.replace(/_module$/, "");
}

/** Returns a fix with LoadModule lines like the preceding one, or like another if that has an unusual form. */
function loading(
  line: LoadModule,
  { loadModules }: Project,
  certain: readonly ModuleNeed[],
  perhaps: readonly ModuleNeed[],
): Fix | undefined {
  const model = [...loadModules, line].findLast((each) => formatLoadModule(each, "") !== undefined);
  if (line.guard || model === undefined) return undefined;
  // Two MPMs conflict, whichever of them is built in.
  const isGuarded = (need: ModuleNeed) => perhaps.includes(need) && !need.module.startsWith("mpm_");
  const linesOf = (need: ModuleNeed) => {
    const load = formatLoadModule(model, need.module) ?? "";
    return (isGuarded(need) ? guardLoadModule(load, need.module) : load)
      .split("\n")
      .map((each) => each.replace(/\r$/, ""));
  };
  const all = [...certain, ...perhaps];
  const early = all.find((need) => isGuardedBefore(need, line));
  const behind = all.filter((need) => need !== early).flatMap(linesOf);
  const edits = combineEdits([
    ...(early?.span ? [insertLinesBefore(early.span, linesOf(early))] : []),
    ...(behind.length > 0 ? [insertLinesAfter(line.span, behind, "")] : []),
  ]);
  return edits && { title: "Load the modules", safety: "unsafe", edits };
}

/**
 * Returns whether a conditional section tests for a module before a line: it would be inactive if the module was loaded
 * after that line.
 */
function isGuardedBefore({ isGuard = false, span }: ModuleNeed, line: LoadModule): boolean {
  return isGuard && span !== undefined && span.file === line.span.file && span.start < line.span.start;
}

/** Effects of missing modules that nearly every server needs and no line may refer to. */
const usualModules: readonly (readonly [module: string, comesTo: string])[] = [
  ["dir_module", "answers 404 to `/` and every other folder"],
  ["mime_module", "sends files without Content-Type"],
];

/** Returns whether a complete server has no LoadModule line, as with a 2.2 that had all modules built in. */
function loadsNothing({ directives, files, kind, problems }: Project): boolean {
  return (
    kind === "server" &&
    directives.some(({ key }) => key === "listen") &&
    !problems.some((problem) => problem.kind === "include") &&
    // A line in an inactive conditional section counts, because other start options may activate it; in a template the
    // lines are added later.
    ![...files.values()].some(({ source }) => /^[\t ]*(?:LoadModule[\t ]|@@LoadModule@@)/im.test(source.text))
  );
}

/** Reports the required modules, unless they are built in: that depends on the build of the new server. */
function createFullReport({ directives: [first] }: Project, needs: ModuleNeeds): Report | undefined {
  const all = needs.ofWholeServer();
  const named = formatWordList(all.map(formatNeed));
  const others = usualModules
    .filter(([module]) => all.every((need) => need.module !== module))
    .map(([module, comesTo]) => `${comesTo} without \`${module}\``);
  const besides = others.length === 0 ? "" : `, and even then ${others.join(" and ")}`;
  return (
    first && {
      severity: "warning",
      message: `no line loads a module: 2.2 has them built in by default and 2.4 has hardly any, so it does not start without ${named}${besides}, unless they are built into the server; write a LoadModule line for each that \`httpd -l\` does not list (httpd: "AH00534: Configuration error: No MPM loaded.")`,
      span: first.span,
    }
  );
}
