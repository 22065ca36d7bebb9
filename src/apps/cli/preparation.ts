import { defaultRules } from "../../../rules/index.js";
import { memoryAccess } from "../../config/files/file-access.js";
import { lint } from "../../lint/runner/lint.js";
import { render } from "../../report/index.js";
import { createFileTree } from "../../server/file-trees.js";
import { loadProject } from "../../startup/load-project.js";
import { version } from "../package-files.js";

/**
 * Analyzes a configuration in memory and renders the findings. The program in a startup snapshot has done this, so it
 * starts with its parsers and tables. What it keeps depends only on the text, not on the machine.
 */
export function prepare(text: string): void {
  const path = "/httpd.conf";
  const access = memoryAccess({ [path]: text });
  const loaded = loadProject(path, { access, kind: "server" });
  if (!loaded.ok) throw new Error(loaded.error);
  const project = loaded.value;
  const files = createFileTree({ by: "existing disk" }, project, access);
  const { findings, ignored, ...counts } = lint(project, { rules: defaultRules, files });
  Array.from(render("text", { ...counts, findings, ignored, rules: defaultRules, version }));
}
