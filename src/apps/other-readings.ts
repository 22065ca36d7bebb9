import type { Guard } from "../config/model/guards.js";
import type { Project, ReadConfig } from "../config/model/project.js";
import { findBackendModules } from "../facts/backend-modules.js";
import type { OtherReading } from "../report/answers/answer-report.js";
import { destinationOfCase, shownCaseOf } from "../report/answers/shown-case.js";
import type { Answer } from "../server/model/answer.js";
import { explainSkippedModule } from "../server/trace/skipped-modules.js";
import { installConfig } from "../startup/install-config.js";
import { containsSpan, type Span } from "../text/source.js";

/**
 * Returns the other answers to a request if conditional sections apply that the server skips, such as `<IfDefine NAME>`
 * without `-D NAME`. If nothing is found, also for sections of modules that the server does not have. Not for sections that need
 * another version.
 *
 * @param requestPath the path of the URL, as sent
 * @param answerBy answers the request with another configuration
 */
export function answerOtherReadings(
  project: Project,
  requestPath: string,
  answer: Answer,
  answerBy: (project: Project) => Answer,
): readonly OtherReading[] {
  const { read } = project;
  const known = new Set([resultKeyOf(answer)]);
  return read.alternatives().readings.flatMap(({ config, branches, isOfOtherServer }) => {
    if (config.release !== read.release || (isOfOtherServer && answer.status !== 404)) return [];
    const other = answerBy(installConfig(config, { part: "open", requestPath }));
    const key = resultKeyOf(other);
    if (known.has(key)) return [];
    known.add(key);
    // Lines that map a URL lead to an answer that others decide.
    const mapping = isOfOtherServer
      ? other.trace.flatMap(({ role, lines }) => (role === "no-effect" ? [] : lines.map((line) => line.span)))
      : [];
    const places = [...other.places, ...mapping];
    const deciding = branches.filter(({ span }) => places.some((place) => containsSpan(span, place)));
    if (!isOfOtherServer) return [{ answer: other, branches: deciding.length > 0 ? deciding : branches }];
    const [guard] = deciding.flatMap(({ tag }) => findModuleGuard(read, tag) ?? []);
    if (guard === undefined || (other.status ?? 0) >= 500) return [];
    const { reason, help } = explainSkippedModule(guard, project);
    const connector = connectorOf(other);
    const isLacking = connector !== undefined && !project.modules.has(connector);
    const more = isLacking ? explainSkippedModule({ argument: connector }, project).help : [];
    return [{ answer: other, branches: deciding, reason, help: [...new Set([...help, ...more])] }];
  });
}

/** Returns the module that connects to the backend of an answer. */
function connectorOf(answer: Answer): string | undefined {
  const shown = shownCaseOf(answer);
  const [, scheme] = /^([a-z]\w*):/i.exec((shown && destinationOfCase(shown)?.target) ?? "") ?? [];
  return scheme === undefined ? undefined : findBackendModules(scheme.toLowerCase())?.[0];
}

/** Returns the IfModule section of a tag that is skipped because the module is missing. */
function findModuleGuard({ guards }: ReadConfig, tag: Span): Guard | undefined {
  const isOf = ({ span: { file, start } }: Guard) => file.realPath === tag.file.realPath && start === tag.start;
  return guards.find((guard) => guard.kind === "<ifmodule" && !guard.negated && !guard.holds && isOf(guard));
}

/** Returns a key that is equal for answers with the same result: the status, and where it leads. */
function resultKeyOf(answer: Answer): string {
  const shown = shownCaseOf(answer);
  return JSON.stringify([answer.class, answer.status, shown && [shown.class, shown.status, destinationOfCase(shown)]]);
}
