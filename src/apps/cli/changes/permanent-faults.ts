import { allRules, defaultRules } from "../../../../rules/index.js";
import type { Project } from "../../../config/model/project.js";
import type { Finding } from "../../../lint/finding.js";
import { lintWithoutProofs } from "../../../lint/runner/lint.js";
import { createFaultId, type PermanentFault } from "../../../proof/migrate/acceptance.js";
import type { ProvedMigration } from "../../../proof/migrate/migration.js";
import { answer } from "../../../server/answer.js";
import type { FileTree } from "../../../server/model/file-tree.js";
import { describeRequest } from "../../../server/model/request.js";
import { createCodedText } from "../../../text/coded-text.js";

/** The rules about access. */
const rules = defaultRules.filter(({ tags = [] }) => tags.includes("access-control"));
const ruleIds = allRules.map(({ id }) => id);

/** A configuration before its migration. */
export interface MigratedServer {
  /** As read by the version whose answers are kept. */
  readonly project: Project;
  /** As 2.4 reads it, which is the only version that the rules cover. */
  readonly on24: Project;
  readonly files: FileTree;
}

/**
 * Returns the faults that a migration makes permanent: findings about access with a client that is allowed before and
 * after, or about lines that may allow some, which no rule reports afterwards. Lines that the user has already decided
 * about do not count.
 */
export function findPermanentFaults(
  { project, on24, files }: MigratedServer,
  { after, ineffective }: ProvedMigration,
): readonly PermanentFault[] {
  const isAllowed = (each: Project, { witness, mayAllow }: Finding) =>
    witness ? answer(each, witness.request, { files }).class === "allowed" : mayAllow === true;
  const chosen = new Set(ineffective.flatMap(({ lines }) => lines.map(({ span }) => placeOf({ span }))));
  const found = lintAccess(on24).filter(
    (each) => !chosen.has(placeOf(each)) && isAllowed(project, each) && isAllowed(after, each),
  );
  if (found.length === 0) return [];
  const remaining = new Set(lintAccess(after).map(keyOf));
  return found.filter((each) => !remaining.has(keyOf(each))).map(createFault);
}

function lintAccess(project: Project): readonly Finding[] {
  return lintWithoutProofs(project, { rules, ruleIds }).findings;
}

function placeOf({ span: { file, start } }: Pick<Finding, "span">): string {
  return `${file.realPath}:${start}`;
}

/** Returns a key that a finding has before and after the change, although its lines move. */
function keyOf({ rule, span, witness, message }: Finding): string {
  return `${rule} ${span.file.realPath} ${witness ? describeRequest(witness.request) : message}`;
}

function createFault({ rule, message, span, notes = [], help = [], witness }: Finding): PermanentFault {
  const text = JSON.stringify([rule, message, witness && describeRequest(witness.request)]);
  return {
    id: createFaultId(text),
    fault: { code: createCodedText(rule, [message]), reason: message, notes, help, directive: { span } },
  };
}
