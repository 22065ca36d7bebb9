import {
  findLastLoadModule,
  formatLoadModule,
  guardLoadModule,
  isDebianLayout,
  isSince,
  type LoadModule,
  type Project,
  sharedObjectOf,
} from "../../src/lint/api/configuration.js";
import {
  combineEdits,
  defineRule,
  type Fix,
  insertLinesAfter,
  insertLinesBefore,
  type MessageText,
  NO_START,
  pluralize,
  type Report,
  rejectionEffectOf,
} from "../../src/lint/api/rule.js";
import { isMpm, type ModuleNeed, ModuleNeeds } from "./needs.js";

/** A remedy, as an imperative clause. */
type Advice = string;

const advices = {
  load: (count: number): Advice => `add a \`LoadModule\` line for ${count === 1 ? "it" : "each of them"}`,
  loadAfter: ({ identifier }: LoadModule, count: number): Advice =>
    `${advices.load(count)} after that of \`${identifier}\``,
  enable: (names: readonly string[]): Advice => `run \`a2enmod ${names.join(" ")}\``,
};

/** Effects of missing modules that nearly every server needs and no line may refer to. */
const usualModules: readonly (readonly [module: string, effect: string])[] = [
  ["dir_module", "`/` and every other directory return 404"],
  ["mime_module", "files have no Content-Type"],
];

const headerOf = ([first, ...others]: readonly ModuleNeed[]) => {
  const more = others.length === 0 ? "" : ` and ${others.length} more ${pluralize("module", others.length)}`;
  return `2.4 needs \`${first?.module ?? ""}\`${more}, but no line loads ${more === "" ? "it" : "them"}`;
};

const describeNeed = ({ module, what, isForHtaccess }: ModuleNeed) =>
  `\`${module}\` is needed for ${what}${isForHtaccess ? " in a `.htaccess` file: requests below it return 500" : ""}`;

const describePerhaps = ({ module, what }: ModuleNeed) =>
  `${NO_START} without \`${module}\` (needed for ${what}), unless it is built in`;

const helpOf = (perhaps: readonly ModuleNeed[], advice: Advice) =>
  perhaps.length === 0 ? [advice] : [advice, "run `httpd -l` to list the modules that are built in"];

const describeUsual = (needs: readonly ModuleNeed[]) =>
  usualModules
    .filter(([module]) => needs.every((need) => need.module !== module))
    .map(([module, effect]) => `${effect} without \`${module}\``);

const messages = {
  start: (certain: readonly ModuleNeed[], perhaps: readonly ModuleNeed[], advice: Advice) => ({
    message: headerOf([...certain, ...perhaps]),
    effect: rejectionEffectOf(false),
    notes: [...certain.map(describeNeed), ...perhaps.map(describePerhaps)],
    help: helpOf(perhaps, advice),
  }),
  /** The server starts, and no request succeeds. */
  requests: (certain: readonly ModuleNeed[], perhaps: readonly ModuleNeed[], advice: Advice) => ({
    message: headerOf([...certain, ...perhaps]),
    notes: ["every request returns 500", ...certain.map(describeNeed), ...perhaps.map(describePerhaps)],
    help: helpOf(perhaps, advice),
  }),
  /** The server starts, and requests to balancers fail. */
  balancers: (certain: readonly ModuleNeed[], perhaps: readonly ModuleNeed[], advice: Advice) => ({
    message: headerOf([...certain, ...perhaps]),
    notes: [
      "requests for a balancer return 500 (AH01144)",
      ...certain.map(describeNeed),
      ...perhaps.map(describePerhaps),
    ],
    help: helpOf(perhaps, advice),
  }),
  /** The server starts, and requests below `.htaccess` files fail. */
  htaccess: (certain: readonly ModuleNeed[], perhaps: readonly ModuleNeed[], advice: Advice) => ({
    message: headerOf([...certain, ...perhaps]),
    notes: [...certain.map(describeNeed), ...perhaps.map(describePerhaps)],
    help: helpOf(perhaps, advice),
  }),
  perhaps: (perhaps: readonly ModuleNeed[], advice: Advice) => ({
    message: headerOf(perhaps),
    notes: perhaps.map(describePerhaps),
    help: helpOf(perhaps, advice),
  }),
  noModules: (needs: readonly ModuleNeed[]) => ({
    message: "2.4 needs `LoadModule` lines, but this configuration has none",
    notes: [
      "2.2 has most modules built in by default, 2.4 hardly any",
      `${NO_START} without these modules, unless they are built in`,
      ...needs.map(describeNeed),
      ...describeUsual(needs),
      "httpd reports: AH00534: Configuration error: No MPM loaded.",
    ],
    help: ["add a `LoadModule` line for each module that `httpd -l` does not list"],
  }),
};

const labels = { need: ({ module }: ModuleNeed) => `needs \`${module}\`` };

const fixTitles = { load: "Add `LoadModule` lines" };

export const modulesToLoad = defineRule({
  id: "modules-to-load",
  title: "Modules that 2.4 needs are missing",
  group: "upgrade",
  severity: "error",
  isAboutServer: true,
  description: "Modules that 2.4 needs for this configuration and that no `LoadModule` line loads (with `--from 2.2`).",
  help: "2.4 splits up modules and loads more of them with `LoadModule`. Parts of the 2.2 core are now modules. So are the MPMs, the balancing methods and the caches of mod_ssl. The finding lists each missing module with the first line that needs it. Its fix adds the `LoadModule` lines. `httpd -l` lists the modules that are built into the server.",
  tags: ["upgrade", "correctness"],
  upgradeOnly: true,
  upgrade: "start",
  needsWholeServer: { reason: "another file may load the module" },
  suppliesModules: true,
  messages,
  check: ({ project, release, report }) => {
    if (!isSince(release, "2.4") || !(project.modulesAreKnown || loadsNothing(project))) return {};
    const needs = new ModuleNeeds(project);
    return {
      directives(known) {
        const visit = needs.visitorOf(known);
        const visitHtaccess = needs.visitorOfHtaccess(known);
        if (visit === undefined && visitHtaccess === undefined) return undefined;
        return (directive, scope) => (scope.inHtaccess ? visitHtaccess : visit)?.(directive);
      },
      end() {
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
  const hasFile = project.sharedObjects && createFileTest(project.sharedObjects);
  // If the module directory is known, modules that are not in it are built in, and the others are not.
  const certain = [...needs.missing(), ...(isDebian && mpm ? [mpm] : []), ...(hasFile ? maybe.filter(hasFile) : [])];
  const perhaps = hasFile ? [] : maybe;
  const all = [...certain, ...perhaps];
  if (all.length === 0) return undefined;
  const line = findLastLoadModule(project);
  const span = line?.span ?? certain.find((need) => need.span)?.span;
  if (span === undefined) return undefined;
  const fix = line && !isDebian ? loading(line, project, certain, perhaps) : undefined;
  return {
    severity: certain.every(isForBalancers) ? "warning" : "error",
    message: createMessage(certain, perhaps, adviceOn(all, isDebian, line)),
    span,
    isAboutServer: true,
    related: all.flatMap((need) => (need.span ? [{ message: labels.need(need), span: need.span }] : [])),
    supplies: all.map(({ module }) => module),
    ...(fix ? { fix } : {}),
  };
}

function createMessage(certain: readonly ModuleNeed[], perhaps: readonly ModuleNeed[], advice: Advice): MessageText {
  if (certain.length === 0) return messages.perhaps(perhaps, advice);
  if (certain.every(isForBalancers)) return messages.balancers(certain, perhaps, advice);
  if (certain.every((need) => need.isForHtaccess)) return messages.htaccess(certain, perhaps, advice);
  const isForRequests = certain.every((need) => need.isForRequests || need.isForHtaccess);
  return (isForRequests ? messages.requests : messages.start)(certain, perhaps, advice);
}

/** Returns whether a module is in a module directory; for an MPM, whether any MPM is. */
function createFileTest(files: ReadonlySet<string>): (need: ModuleNeed) => boolean {
  const hasMpm = [...files].some((file) => file.startsWith("mod_mpm_"));
  return ({ module }) => (isMpm(module) ? hasMpm : files.has(sharedObjectOf(module)));
}

function isForBalancers({ isForRequests, span }: ModuleNeed): boolean {
  return isForRequests === true && span !== undefined;
}

function adviceOn(needs: readonly ModuleNeed[], isDebian: boolean, line: LoadModule | undefined): Advice {
  if (isDebian) return advices.enable(needs.map(({ module }) => nameOnDebian(module)));
  return line ? advices.loadAfter(line, needs.length) : advices.load(needs.length);
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
  const following = all.filter((need) => need !== early).flatMap(linesOf);
  const edits = combineEdits([
    ...(early?.span ? [insertLinesBefore(early.span, linesOf(early))] : []),
    ...(following.length > 0 ? [insertLinesAfter(line.span, following, "")] : []),
  ]);
  return edits && { title: fixTitles.load, safety: "unsafe", edits };
}

/**
 * Returns whether a conditional section tests for a module before a line: it would be inactive if the module was loaded
 * after that line.
 */
function isGuardedBefore({ isGuard = false, span }: ModuleNeed, line: LoadModule): boolean {
  return isGuard && span !== undefined && span.file === line.span.file && span.start < line.span.start;
}

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
  return (
    first && {
      severity: "warning",
      message: messages.noModules(all),
      span: first.span,
      isAboutServer: true,
    }
  );
}
