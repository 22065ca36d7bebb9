import {
  describeRequest,
  formatAssumptions,
  formatLineTitle,
  isCompatDirective,
  isNewProvider,
  lacksAccessCompat,
  lacksRequire,
  parseRequireLine,
} from "../../src/lint/api/access.js";
import {
  type Directive,
  findRefusals,
  lineKeyOf,
  type Project,
  type Release,
} from "../../src/lint/api/configuration.js";
import {
  defineRule,
  type MessageText,
  type ProvedDifference,
  type ProvedExample,
  partsOfText,
  type Related,
  type RootCause,
  type Severity,
  type ShownAnswer,
} from "../../src/lint/api/rule.js";

const messages = {
  different: (difference: ProvedExample, line: Directive | undefined, from: Release, release: Release) => {
    const { before, after, request } = difference;
    return {
      message: `${request.method} \`${request.path}\` from ${request.clientIp}: ${classOf(before)} on ${from}, ${classOf(after)} on ${release}`,
      notes: [
        `${from} ${answerOf(before)} ${describeDifferingRequest(difference)}${by(before)}`,
        `${release} ${answerOf(after)} it${by(after)}`,
      ],
      help: [...remediesFor(line, difference), "run `httpd-lint compare` to see which other requests differ"],
    };
  },
  withoutModule: (header: string, module: string) => ({
    before: `${header}; `,
    one: `1 more difference because \`${module}\` is not loaded`,
    several: ` more differences because \`${module}\` is not loaded`,
  }),
  unproved: (reason: string, from: Release, release: Release) => ({
    message: `${from} and ${release} are not proved to make the same access decisions here`,
    notes: [reason],
    help: ["test such requests on both versions"],
  }),
};

const CHECK_HANDLER =
  "to look for no index file in a directory with a handler, as before, add `DirectoryCheckHandler On` to the main server";

const notes = { part: "assuming that no other file sets access for the same requests" };

const labels = {
  decides: (release: Release) => `decides on ${release}`,
  decidesOnBoth: (from: Release, release: Release) => `decides on ${from} and ${release}`,
  same: "also differs here",
  unproved: "also not proved here",
};

export const upgradeChangesAccess = defineRule({
  id: "upgrade-changes-access",
  title: "Access changed by the upgrade",
  group: "upgrade",
  severity: "warning",
  description: "A request that 2.2 and 2.4 handle differently, reported at the line that causes the difference.",
  help: "The two releases combine the same lines differently. Some lines apply in only one release; the other rejects them or interprets them differently. If an access rule causes the difference, set the intended access with Require only. `httpd-lint compare` shows which other clients and paths differ.",
  securitySeverity: 7,
  tags: ["upgrade", "access-control", "security"],
  upgradeOnly: true,
  messages,
  check: ({ project, from, release, proofs, report }) => ({
    end() {
      const upgrade = proofs.upgrade();
      const [first] = project.directives;
      if (upgrade === undefined || first === undefined || from === undefined) return;
      const missing = missingIn(project);
      const isPart = project.kind !== "server";
      const reported = new Set<string>();
      for (const { difference, cause } of upgrade.differences.flatMap(listExamples)) {
        const { before, after } = difference;
        if (!isAccess(before) || !isAccess(after) || isNeverRun(difference)) continue;
        if (isPart && isWrittenFor24(difference)) continue;
        if (isDeniedByOptions(after) && hasRejectedOptions(project)) continue;
        const line = causing(difference) ?? first;
        const message = messages.different(difference, causing(difference), from, release);
        // Differences of one line may differ only in the assumed files.
        const key = `${lineKeyOf(line)} ${message.message}`;
        if (reported.has(key)) continue;
        reported.add(key);
        report({
          severity: severityOf(difference),
          message,
          ...(isPart ? { notes: [notes.part] } : {}),
          span: line.span,
          ...(missing ? { cause: causedBy(missing, message) } : cause ? { cause } : {}),
          related: relatedOf(difference, line, from, release),
        });
      }
      // Other files are unknown, so a proof about a part is not possible. Without a module, 2.4 returns 500 everywhere.
      if (isPart || missing === "authz_core_module") return;
      for (const { reason, directive, isUnread } of upgrade.unproved)
        if (!isUnread)
          report({
            severity: "info",
            message: messages.unproved(reason, from, release),
            span: (directive ?? first).span,
            cause: { key: reason, also: labels.unproved },
          });
    },
  }),
});

/** Lists the examples of a difference: one for each host that is alike up to constants. They share a cause. */
function listExamples(
  difference: ProvedDifference,
  index: number,
): readonly { readonly difference: ProvedExample; readonly cause: RootCause | undefined }[] {
  const { instances } = difference;
  const cause = instances.length > 0 ? { key: `difference ${index}`, also: labels.same } : undefined;
  return [difference, ...instances].map((each) => ({ difference: each, cause }));
}

/** Reports whether a client gets the content, or is denied it: a redirect, or an answer such as 400 or 404, is neither. */
function isAccess({ class: answer }: ShownAnswer): boolean {
  return answer === "allowed" || answer === "401" || answer === "403" || answer === "500";
}

/** The messages of mod_cgi, mod_cgid and mod_autoindex about an option that is off, and of the walk about links. */
const optionMessages: ReadonlySet<string> = new Set(["AH01262", "AH02809", "AH01276", "AH00037"]);

function isDeniedByOptions({ log }: ShownAnswer): boolean {
  return log.some((code) => optionMessages.has(code));
}

/** Reports whether 2.4 rejects an Options line. That is a separate error, and the comparison ignores the line. */
function hasRejectedOptions(project: Project): boolean {
  return findRefusals(project).startup.some(({ directive }) => directive.key === "options");
}

/** Reports whether 2.2 returns 500 because of a line of 2.4 outside of any condition: it never ran this file. */
function isNeverRun({ before }: ProvedExample): boolean {
  return before.class === "500" && before.decidedBy.some(isLineOf24);
}

/**
 * Returns whether the deciding lines were not written for 2.2: it rejects them, or they use a Require provider of 2.4
 * outside of any condition. A part of a server does not show its release, so this is checked line by line.
 */
function isWrittenFor24({ before, after }: ProvedExample): boolean {
  return before.class === "500" || [...before.decidedBy, ...after.decidedBy].some(isLineOf24);
}

function isLineOf24(line: Directive): boolean {
  return line.guard === undefined && line.key === "require" && isNewProvider(parseRequireLine(line).provider);
}

/** Returns a missing module without which access control does not work as written: all its effects share one cause. */
function missingIn(project: Project): string | undefined {
  if (lacksRequire(project)) return "authz_core_module";
  return project.modulesAreKnown && lacksAccessCompat(project) ? "access_compat_module" : undefined;
}

function causedBy(module: string, message: MessageText): RootCause {
  return {
    key: module,
    module,
    header: messages.withoutModule(partsOfText(message).message, module),
    also: labels.same,
  };
}

/** Returns the line that one of the releases cannot evaluate, or takes a directory for a program by, else the line that decides now. */
function causing({ before, after }: ProvedExample): Directive | undefined {
  const [old, now] = [before.decidedBy[0], after.decidedBy[0]];
  return before.class === "500" || isProgramDirectory(before) ? (old ?? now) : (now ?? old);
}

/** Lines that give a directory the handler of programs. */
const programLines = /^(?:(?:virtual|wsgi)?scriptalias(?:match)?|sethandler|addhandler)$/;

/** Reports whether a directory is denied because it has the handler of programs, which runs none. */
function isProgramDirectory({ status, decidedBy: [line] }: ShownAnswer): boolean {
  return status === 403 && line !== undefined && programLines.test(line.key);
}

/** Returns the other deciding lines, each with the releases on which it decides. */
function relatedOf(
  { before, after }: ProvedExample,
  line: Directive,
  from: Release,
  release: Release,
): readonly Related[] {
  const [old, now] = [before, after].map(({ decidedBy }) => new Set(decidedBy.map(lineKeyOf)));
  const lines = new Map([...before.decidedBy, ...after.decidedBy].map((each) => [lineKeyOf(each), each]));
  lines.delete(lineKeyOf(line));
  return [...lines].map(([key, { span }]) => {
    if (!old?.has(key)) return { message: labels.decides(release), span };
    return { message: now?.has(key) ? labels.decidesOnBoth(from, release) : labels.decides(from), span };
  });
}

/** Describes a request, with conditions that are not visible in it. */
function describeDifferingRequest({ request, assumptions }: ProvedExample): string {
  const conditions = formatAssumptions(assumptions);
  return conditions.length === 0
    ? describeRequest(request)
    : `${describeRequest(request)} if ${conditions.join(" and ")}`;
}

function classOf({ class: decided }: ShownAnswer): string {
  return decided === "allowed" ? "allowed" : decided;
}

function answerOf({ class: decided }: ShownAnswer): string {
  return decided === "allowed" ? "allows" : `returns ${decided} for`;
}

/** Returns the remedies for the line that causes the difference; none if it is not an access rule. */
function remediesFor(line: Directive | undefined, { before, after }: ProvedExample): readonly string[] {
  if (line === undefined) return [];
  if (isProgramDirectory(before)) return [CHECK_HANDLER];
  if (isCompatDirective(line))
    return ["use `Require` instead of Order, Allow, Deny and Satisfy to set the intended access"];
  if (line.key === "require") return ["check that the `Require` lines of this section allow the intended clients"];
  if (line.key !== "authtype" || after.class !== "500") return [];
  return ["to require a login, add `Require valid-user`", "to allow every client, delete `AuthType`"];
}

function by({ decidedBy: [line] }: ShownAnswer): string {
  return line === undefined ? "" : ` (decided by ${formatLineTitle(line)})`;
}

/**
 * Returns the severity: an error if a request is newly allowed or newly returns 500. A request that returned 500 before
 * never worked.
 */
function severityOf({ before, after }: ProvedExample): Severity {
  if (before.class === "500") return after.class === "allowed" ? "warning" : "info";
  return after.class === "allowed" || after.class === "500" ? "error" : "warning";
}
