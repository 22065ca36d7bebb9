import { renderRulePage } from "../../report/html/rule-page.js";
import { maskFile } from "../../report/secrets/redaction.js";
import { describeDirective } from "../../report/text/directive-description.js";
import { sourceFile, toReadable } from "../../text/source.js";
import { checkConfiguration } from "./check-task.js";
import {
  type Numbered,
  type PlaygroundAnswer,
  type PlaygroundConfiguration,
  type PlaygroundTask,
  targetReleaseOf,
} from "./messages.js";
import {
  renderComparedConfigurations,
  renderConfigurationMap,
  renderError,
  renderExplainedRequest,
  renderMigratedConfiguration,
} from "./workbench.js";

function runTask(task: PlaygroundTask): PlaygroundAnswer {
  switch (task.kind) {
    case "check":
      return checkConfiguration(task);
    case "map":
      return { kind: "page", html: renderConfigurationMap(task.configuration).toString() };
    case "compare": {
      const release = targetReleaseOf(task.version);
      return { kind: "page", html: renderComparedConfigurations(task.configuration, task.before, release).toString() };
    }
    case "migrate":
      return renderMigratedConfiguration(task.configuration, task.version);
    case "explain":
      return { kind: "page", html: renderExplainedRequest(task.configuration, task.request, task.version).toString() };
    case "describe": {
      const text = describeDirective(task.name.toLowerCase(), targetReleaseOf(task.version));
      return { kind: "page", html: text === undefined ? "" : renderRulePage(text, () => undefined).toString() };
    }
    case "mask":
      return { kind: "masked", configuration: maskConfiguration(task.configuration) };
  }
}

/** Masks the secrets in all files. */
function maskConfiguration({ files, main }: PlaygroundConfiguration): PlaygroundConfiguration {
  const masked = Object.entries(files).map(([name, text]) => [name, toReadable(maskFile(sourceFile(name, text)))]);
  return { files: Object.fromEntries(masked), main };
}

function answerTask(task: PlaygroundTask): PlaygroundAnswer {
  try {
    return runTask(task);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { kind: "failed", html: renderError(`internal error, please report it: ${reason}`).toString() };
  }
}

addEventListener("message", ({ data }: MessageEvent<Numbered<PlaygroundTask>>) => {
  const answer: Numbered<PlaygroundAnswer> = { id: data.id, content: answerTask(data.content) };
  postMessage(answer);
});
