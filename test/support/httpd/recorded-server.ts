import { memoryAccess } from "../../../src/config/files/file-access.js";
import type { Project } from "../../../src/config/model/project.js";
import { loadProject } from "../../../src/startup/load-project.js";
import { CASE_ROOT } from "../cases/recorded-cases.js";

/** The document folder of the recorded servers. */
export const RECORDED_DOCUMENTS = `${CASE_ROOT}/htdocs`;

/**
 * Returns a server as recorded, in the folder that the responses name.
 *
 * @param lines of its file, with DOCROOT for its documents
 * @param files by path, with their content
 */
export function recordedServer(
  modules: readonly string[],
  lines: readonly string[],
  files: Readonly<Record<string, string>> = {},
): Project {
  const main = `${CASE_ROOT}/httpd.conf`;
  const head = ["ServerName x.test", `ServerRoot "${CASE_ROOT}"`, `DocumentRoot "${RECORDED_DOCUMENTS}"`];
  const text = [...head, ...lines].join("\n").replaceAll("DOCROOT", RECORDED_DOCUMENTS);
  const access = memoryAccess({ [main]: `${text}\n`, ...files });
  const loaded = loadProject(main, { access, kind: "server", modules });
  if (!loaded.ok) throw new Error(loaded.error);
  return loaded.value;
}
