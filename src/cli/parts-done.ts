import { examineFiles, type InParts } from "./many-files.js";
import { plainResult } from "./plain-results.js";
import type { Done, Task } from "./work.js";

/** What came of a part of a server. */
export function partOf(task: Task, parts: InParts): Extract<Done, { kind: "part" }> {
  const { examined, project, unread } = examineFiles(parts, "numbers" in task ? task.numbers : []);
  const { files } = parts.server.project;
  const known = new Set([...files.values()].map(({ source }) => source.path));
  return { kind: "part", result: plainResult(examined, project, (path) => known.has(path)), unread };
}
