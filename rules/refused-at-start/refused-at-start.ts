import {
  type Directive,
  mergeProblems,
  type Problem,
  type Project,
  type Refusal,
  RefusalFinder,
} from "../../src/rule-api/configuration.js";
import {
  DuplicateGrouper,
  defineRule,
  formatMoreLines,
  getOrCreate,
  type Report,
  type RootCause,
  replaceSpan,
} from "../../src/rule-api/rule.js";

const LOAD = "; load the module";

/** The texts of rejections come with them. */
const messages = {
  /** The files may exist on the target machine. */
  missingFile: ({ problem }: Problem) =>
    `${problem} on this machine, so what it holds is not looked at, and a server without it does not start; name a copy of the server's files with --sysroot`,
  missingRoot: ({ problem, remedy }: Problem) =>
    `${problem}, so what lies below it is not looked at, and a server without it does not start; ${remedy}`,
  missingModule: (message: string, others: number) =>
    message.replace(LOAD, `${LOAD}, which ${formatMoreLines(others)} need${others === 1 ? "s" : ""}, too`),
  neverGranting:
    "all that stands in this `<RequireAll>` takes away, and nothing in it lets in, so nobody gets in by it; add what lets in, such as `Require all granted`",
};

const labels = {
  negation: "nor may `not` stand in it, which negates already: take it out",
  needsModuleToo: "this needs the module, too",
};

const fixTitles = { optional: "Write `IncludeOptional`" };

export const refusedAtStart = defineRule({
  id: "refused-at-start",
  title: "The server refuses this line",
  severity: "error",
  description: "A directive in its place, but with words that the server refuses: it does not start, or answers 500.",
  help: "`apache2ctl configtest` stops at the first such line; this rule finds all of them, and those in `.htaccess` files, which no test of the server looks at. The message ends with the server's own words.",
  tags: ["correctness", "access-control"],
  upgrade: "start",
  supersedes: [
    "implicit-require-any",
    "mixed-access-control",
    "never-matching-name",
    "old-access-control",
    "shadowed-rule",
  ],
  messages,
  check: ({ project, report }) => {
    const negations = new Map<Directive | undefined, Refusal[]>();
    const alike = new DuplicateGrouper();
    const finder = new RefusalFinder(project, (refusal) => {
      const { directive } = refusal;
      const { parent } = directive;
      if (isNotInNone(refusal)) getOrCreate(negations, parent, () => []).push(refusal);
      else report({ ...createReport(refusal, alike), ...withNegations(refusal, negations.get(directive)) });
      negations.delete(directive);
    });
    return {
      ...finder.visitor,
      project() {
        for (const refusal of [...negations.values()].flat()) report(refusal);
        const isElsewhere =
          project.kind === "fragment" ||
          isLoneCopy(project) ||
          project.problems.some((problem) => problem.kind === "server-root");
        for (const problem of project.problems) {
          if (problem.kind === "refused") {
            // Another file of the server may define the macro.
            if (project.kind !== "fragment" || !isMissingMacro(problem)) report(problem);
          } else if (problem.kind === "server-root")
            report({ ...problem, severity: "info", message: messages.missingRoot(problem) });
          else if (problem.kind === "include" && isCertain(project, problem)) {
            if (isElsewhere && isMissing(problem))
              report({ ...problem, severity: "info", message: messages.missingFile(problem) });
            // A file that only this process cannot read, as outside of --confine, is not an error in the configuration.
            else if (problem.server === undefined) report({ ...problem, severity: "info" });
            else report({ ...problem, ...withoutMatch(problem) });
          }
        }
        const closed = mergeProblems(project.problems.filter(({ kind }) => kind === "closed"));
        // A file that only this process cannot read is not an error in the configuration.
        if (closed) report({ ...closed, severity: "info" });
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

/**
 * Returns whether the refusal is `Require not` in RequireNone: if the container is rejected as well, one finding covers
 * both.
 */
function isNotInNone({ directive, server }: Refusal): boolean {
  return directive.key === "require" && server.endsWith("has no effect in <RequireNone> directive");
}

function withNegations({ related }: Refusal, inside: readonly Refusal[] = []): Pick<Report, "related"> {
  return { related: [...related, ...inside.map(({ span }) => ({ message: labels.negation, span }))] };
}

function createReport(refusal: Refusal, alike: DuplicateGrouper): Report {
  const { cure, directive, message, missing } = refusal;
  const cause =
    missing === undefined ? alike.causeOf(directive, message, cure?.title) : missingModuleCause(refusal, missing);
  return { ...refusal, cause, ...(cure ? { fix: { ...cure, safety: "unsafe" } } : {}) };
}

/**
 * Returns a fix for a wildcard without matches: 2.2 allowed that for every Include, 2.4 allows it for IncludeOptional.
 */
function withoutMatch({ server = "", span }: Problem): Pick<Report, "fix"> {
  const name = /^Include(?=[\t-\r ])/i.exec(span.file.text.slice(span.start, span.end))?.[0];
  if (name === undefined || !server.includes(": No matches for the wildcard ")) return {};
  const edit = replaceSpan({ ...span, end: span.start + name.length }, "IncludeOptional");
  return edit ? { fix: { title: fixTitles.optional, safety: "unsafe", edits: [edit] } } : {};
}

/** Returns whether this is a copy of a main file under another name, without any of the files that it includes. */
function isLoneCopy({ entry, includes, files: read }: Project): boolean {
  return (
    !/(?:^|\/)(?:httpd|apache2)\.conf$/i.test(entry) &&
    !includes.some(({ files }) => files.some((path) => read.has(path)))
  );
}

/** Returns whether a macro is undefined in the files read, and none of them defines a similar name. */
function isMissingMacro({ server = "", remedy }: Problem): boolean {
  return /^(?:macro '.*' undefined|no macro defined before)/.test(server) && !remedy.startsWith("did you mean");
}

/**
 * Returns whether a failed Include is certain. In a fragment, the base of a relative path is unknown, as are a
 * template's placeholders.
 */
function isCertain(project: Project, { span }: Problem): boolean {
  const line = span.file.text.slice(span.start, span.end);
  return !/@\w+@|%\w+%|\{\{/.test(line) && (project.kind !== "fragment" || /^[^\t-\r ]+[\t-\r ]+["']?\//.test(line));
}

/** Returns whether the files are missing rather than invalid. */
function isMissing({ server = "" }: Problem): boolean {
  return /^Could not open |: (?:Could not open directory|No matches for) /.test(server);
}

/** Groups findings by a missing module, which many lines may need. */
function missingModuleCause({ message, inHtaccess }: Refusal, missing: string): RootCause {
  return {
    key: `${missing} ${inHtaccess}`,
    isAnyRules: true,
    module: missing,
    message: (others) => messages.missingModule(message, others),
    also: labels.needsModuleToo,
  };
}
