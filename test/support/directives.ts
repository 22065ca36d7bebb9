import { memoryAccess } from "../../src/config/files/file-access.js";
import type { Directive } from "../../src/config/model/directive.js";
import type { Project } from "../../src/config/model/project.js";
import { loadProject } from "../../src/startup/load-project.js";

/** Loads a server from text, with further files by absolute path. */
export function serverOf(text: string, files: Readonly<Record<string, string>> = {}): Project {
  const entry = "/etc/httpd/httpd.conf";
  const loaded = loadProject(entry, { kind: "server", access: memoryAccess({ ...files, [entry]: text }) });
  if (!loaded.ok) throw new Error(loaded.error);
  return loaded.value;
}

/** Parses lines as inside a section. */
export function directivesOf(...lines: readonly string[]): readonly Directive[] {
  const [section] = serverOf(`<Location />\n${lines.join("\n")}\n</Location>\n`).directives;
  return section?.children ?? [];
}
