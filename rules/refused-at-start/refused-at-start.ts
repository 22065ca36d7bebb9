import {
  type Directive,
  describeRefusal,
  findInclusionForRequireAll,
  findLackingModules,
  findPlaceholder,
  type LackingModule,
  mergeRefusals,
  type Project,
  type Refusal,
  RefusalFinder,
  type RefusedDirective,
} from "../../src/lint/api/configuration.js";
import {
  createFix,
  DuplicateGrouper,
  defineRule,
  getOrCreate,
  NO_START,
  quoteText,
  type Report,
  type RootCause,
  rejectionEffectOf,
  replaceSpan,
} from "../../src/lint/api/rule.js";
import { findLogFaults, logMessages } from "./log-faults.js";
import { isMissing, isModuleElsewhere, isOfWindows, isPartOfServer, writtenLineOf } from "./partial-copies.js";

const ELSEWHERE = `${NO_START} on a server without it`;

/** The texts of rejections come with them. */
const messages = {
  /** The files may exist on the target machine. */
  missingFile: ({ problem, code }: Refusal) => ({
    message: problem,
    notes: ["the files may exist on the server; their directives were not checked", ELSEWHERE],
    help: [
      "pass `--sysroot` with a copy of the server's files",
      ...(code === "wildcard-without-match" ? ["if there may be no such file, use `IncludeOptional`"] : []),
    ],
  }),
  windowsFile: (line: string) => ({
    message: `the files of ${quoteText(line)} are not on this machine`,
    notes: ["it is a Windows path", "their directives were not checked"],
    help: ["run httpd-lint on the server to check them"],
  }),
  missingFiles: (header: string) => ({
    before: `${header}; `,
    one: "1 more fails",
    several: " more fail",
  }),
  missingModuleFile: ({ problem }: Refusal) => ({
    message: problem,
    notes: ["the module may be installed on the server", ELSEWHERE],
    help: ["install the module on the server, or delete the line"],
  }),
  relativeFile: (line: string) => ({
    message: `the files of ${quoteText(line)} were not found`,
    notes: ["a relative path starts at the ServerRoot, which is not known", "their directives were not checked"],
    help: ["name the main file of the server with `--main`"],
  }),
  missingRoot: ({ problem, remedy }: Refusal) => ({
    message: problem,
    notes: ["files below it were not checked", ELSEWHERE],
    help: [remedy],
  }),
  missingModule: (header: string) => ({
    before: `${header}; `,
    one: "1 more line needs it",
    several: " more lines need it",
  }),
  negatedByInclusion: (name: string, { server }: Refusal) => ({
    message: `\`${name}\` adds negated rules outside of \`<RequireAll>\``,
    effect: rejectionEffectOf(false),
    notes: server === undefined ? [] : [`httpd reports: ${server}`],
    help: [
      `put this \`${name}\` in \`<RequireAll>\` with a Require that grants access, such as \`Require all granted\``,
    ],
  }),
  lackingModule: ({ line: { identifier }, missing, later }: LackingModule) => ({
    message: `\`${identifier}\` needs \`${missing}\`, which is ${later ? "loaded later" : "not loaded"}`,
    effect: rejectionEffectOf(false),
    notes: [
      "it uses functions of the other module",
      "httpd reports: Cannot load the file into server: undefined symbol",
    ],
    help: [
      later ? "move this line after the other one" : `add a \`LoadModule\` line for \`${missing}\` before this line`,
    ],
  }),
  neverGranting: {
    message: "`<RequireAll>` never grants access: it has only negated rules",
    notes: ["the container allows no client"],
    help: ["add a rule that grants access, such as `Require all granted`"],
  },
};

const labels = {
  negation: "delete this `not`: the container already negates",
  rejected: "httpd rejects this line",
  needsModuleToo: "also needs the module",
  loadedLater: "loads the other module",
  missingToo: "also includes missing files",
};

const fixTitles = { optional: "Replace with `IncludeOptional`" };

export const refusedAtStart = defineRule({
  id: "refused-at-start",
  title: "Line that httpd rejects",
  group: "startup",
  severity: "error",
  description: "A directive with arguments that httpd rejects: httpd does not start, or requests return 500.",
  help: "`apache2ctl configtest` stops at the first such line. This rule finds all of them, including those in `.htaccess` files, which configtest does not read. A note of the finding has httpd's own message.",
  tags: ["correctness", "access-control"],
  upgrade: "start",
  // What the line would do does not matter before httpd accepts it.
  supersedes: [
    ...["constant-condition", "ignored-directive", "ignored-value", "implicit-require-any", "inactive-rewrite-rule"],
    ...["mixed-access-control", "never-matching-name", "never-matching-path", "old-access-control"],
    ...["request-always-fails", "rewrite-loop", "shadowed-line", "shadowed-rule", "unknown-filter", "warned-at-start"],
    "wrong-target-path",
  ],
  needsWholeServer: {
    reason: "another file may define the name, and the ServerRoot is not known",
    part: "a macro or provider alias that the file does not define, and an Include of a relative path that does not exist",
  },
  messages: { ...messages, ...logMessages },
  check: (context) => {
    const { project, report } = context;
    const negations = new Map<Directive | undefined, RefusedDirective[]>();
    const alike = new DuplicateGrouper();
    const moved = new Set<Directive>();
    const finder = new RefusalFinder(project, (refusal) => {
      const { directive } = refusal;
      const { parent } = directive;
      const inclusion = isNegationOutside(refusal) ? findInclusionForRequireAll(directive, project) : undefined;
      if (inclusion) {
        // One finding is enough for all lines that an Include adds.
        if (!moved.has(inclusion)) report(createInclusionReport(refusal, inclusion));
        moved.add(inclusion);
      } else if (isNegationInNone(refusal)) getOrCreate(negations, parent, () => []).push(refusal);
      else report({ ...createReport(refusal, alike), ...withNegations(refusal, negations.get(directive)) });
      negations.delete(directive);
    });
    return {
      ...finder.visitor,
      end() {
        for (const refusal of [...negations.values()].flat()) report({ ...refusal, message: describeRefusal(refusal) });
        for (const found of findLogFaults(context)) report(found);
        const isElsewhere = isPartOfServer(project);
        for (const problem of project.problems) {
          if (isModuleElsewhere(project, problem))
            report({ ...problem, severity: "info", message: messages.missingModuleFile(problem) });
          else if (problem.kind === "refused") {
            // Another file of the server may define the macro.
            if (project.kind !== "fragment" || !isMissingMacro(problem))
              report({ ...problem, message: describeRefusal(problem) });
          } else if (problem.kind === "server-root")
            report({ ...problem, severity: "info", message: messages.missingRoot(problem) });
          else if (problem.kind === "include" && !hasPlaceholder(problem) && !isOpen(project, problem)) {
            if (isElsewhere && isMissing(problem)) {
              const message = isOfWindows(problem)
                ? messages.windowsFile(writtenLineOf(problem))
                : messages.missingFile(problem);
              report({ ...problem, severity: "info", message, cause: missingFilesCause(message.message) });
            }
            // A file that only this process cannot read, as outside of --confine, is not an error in the configuration.
            else if (problem.server === undefined)
              report({ ...problem, message: describeRefusal(problem), severity: "info" });
            else report({ ...problem, message: describeRefusal(problem), ...withoutMatch(problem) });
          }
        }
        const open = mergeRefusals(project.problems.filter((problem) => isOpen(project, problem)));
        if (open) report({ ...open, severity: "info", message: messages.relativeFile(writtenLineOf(open)) });
        const closed = mergeRefusals(project.problems.filter(({ kind }) => kind === "closed"));
        // A file that only this process cannot read is not an error in the configuration.
        if (closed) report({ ...closed, message: describeRefusal(closed), severity: "info" });
        for (const lacking of findLackingModules(project))
          if (lacking.isForFunctions) report(createLackingReport(lacking));
        for (const container of finder.neverGranting) {
          report({
            severity: "warning",
            message: messages.neverGranting,
            span: container.span,
          });
        }
      },
    };
  },
});

function createLackingReport(lacking: LackingModule): Report {
  const { line, later } = lacking;
  return {
    message: messages.lackingModule(lacking),
    span: line.span,
    related: later ? [{ message: labels.loadedLater, span: later.span }] : [],
  };
}

/**
 * Returns whether the refusal is `Require not` in RequireNone: if the container is rejected as well, one finding covers
 * both.
 */
function isNegationInNone({ code }: Refusal): boolean {
  return code === "negation-in-require-none";
}

/** Reports whether the refusal is `Require not` in RequireAny, or outside of a container. */
function isNegationOutside({ code }: Refusal): boolean {
  return code === "negation-without-effect";
}

/** Returns the report of a list of negated rules that an Include or Use adds outside of RequireAll. */
function createInclusionReport(refusal: RefusedDirective, { name, span }: Directive): Report {
  return {
    message: messages.negatedByInclusion(name, refusal),
    span,
    related: [{ message: labels.rejected, span: refusal.span }],
    covers: [refusal.directive.span],
  };
}

function withNegations({ related = [] }: Refusal, inside: readonly Refusal[] = []): Pick<Report, "related"> {
  return { related: [...related, ...inside.map(({ span }) => ({ message: labels.negation, span }))] };
}

function createReport(refusal: RefusedDirective, alike: DuplicateGrouper): Report {
  const { cure, directive, missing } = refusal;
  const message = describeRefusal(refusal);
  const cause =
    missing === undefined ? alike.causeOf(directive, message, cure?.title) : missingModuleCause(refusal, missing);
  return { ...refusal, message, cause, ...(cure ? { fix: { ...cure, safety: "unsafe" } } : {}) };
}

/**
 * Returns a fix for a wildcard without matches: 2.2 allowed that for every Include, 2.4 allows it for IncludeOptional.
 */
function withoutMatch({ code, span }: Refusal): Pick<Report, "fix"> {
  const name = /^Include(?=[\t-\r ])/i.exec(span.file.text.slice(span.start, span.end))?.[0];
  if (name === undefined || code !== "wildcard-without-match") return {};
  const edit = replaceSpan({ ...span, end: span.start + name.length }, "IncludeOptional");
  return createFix(fixTitles.optional, "unsafe", edit);
}

/** Returns whether a macro is undefined in the files read, and none of them defines a similar name. */
function isMissingMacro({ code }: Refusal): boolean {
  return code === "undefined-macro" || code === "use-without-macros";
}

/** Returns whether the files of an Include are missing in a fragment, where the base of its relative path is unknown. */
function isOpen(project: Project, problem: Refusal): boolean {
  const isRelative = !/^[^\t-\r ]+[\t-\r ]+["']?\//.test(writtenLineOf(problem));
  return (
    project.kind === "fragment" &&
    problem.kind === "include" &&
    isRelative &&
    isMissing(problem) &&
    !hasPlaceholder(problem)
  );
}

/** Returns whether the path of an Include has the placeholder of a template, so that it is unknown. */
function hasPlaceholder(problem: Refusal): boolean {
  return findPlaceholder(writtenLineOf(problem)) !== undefined;
}

/** Groups the missing files of a server of which only a part is here. */
function missingFilesCause(header: string): RootCause {
  return {
    key: "missing files",
    header: messages.missingFiles(header),
    also: labels.missingToo,
  };
}

/** Groups findings by a missing module, which many lines may need. */
function missingModuleCause({ problem, inHtaccess }: RefusedDirective, missing: string): RootCause {
  return {
    key: `${missing} ${inHtaccess}`,
    isAnyRules: true,
    module: missing,
    header: messages.missingModule(problem),
    also: labels.needsModuleToo,
  };
}
