import { withHtaccess } from "../../config/complete-part.js";
import { isWithin, withTrailingSlash } from "../../config/files/paths.js";
import type { HtaccessFile } from "../../config/model/project.js";
import { samplePattern } from "../../proof/requests/sample-text.js";
import type { DefiniteAnswer } from "../../server/definite-answer.js";
import { readRedirect } from "../../server/mapping/redirects.js";
import { parseRewriteRules } from "../../server/rewrite/rule-parser.js";
import { encodeUrlPath } from "../../text/escaping.js";
import { fromReadable } from "../../text/source.js";
import type { RuleContext } from "../rule.js";
import { OutsideClient } from "./outside-client.js";
import { urlRootsOf } from "./sample-paths.js";

/** A request that a server answers otherwise than with a `.htaccess` file that it does not read. */
export interface LostEffect {
  readonly answer: DefiniteAnswer;
  /** The answer with the file. */
  readonly intended: DefiniteAnswer;
}

/** Number of servers that are listed, and of those that are asked for a file. */
const MAX_LISTED = 50;
const MAX_SERVERS = 5;

/** Finds a request that the lines of a `.htaccess` file are for, and that gets another answer, because a server does not read it. */
export function findLostEffect(
  file: HtaccessFile,
  { project, files }: Pick<RuleContext, "project" | "files">,
): LostEffect | undefined {
  const samples = [...samplesFor(file)];
  if (files === undefined || samples.length === 0) return undefined;
  const now = new OutsideClient(project, files, "anywhere");
  const after = new OutsideClient(withHtaccess(project, file), files, "anywhere");
  const directory = withTrailingSlash(fromReadable(file.directory));
  let asked = 0;
  for (const server of now.listServers(MAX_LISTED)) {
    const root = urlRootsOf(project, server.section).find(({ to }) => isWithin(directory, to));
    if (root === undefined) continue;
    if (++asked > MAX_SERVERS) break;
    for (const sample of samples) {
      const within = root.from + directory.slice(root.to.length);
      const path = encodeUrlPath(sample.startsWith("/") ? sample : within + sample);
      const answer = now.ask(server, { path }, "disk");
      const intended = answer && after.ask(server, { path }, "disk");
      if (intended && isOther(answer, intended)) return { answer, intended };
    }
  }
  return undefined;
}

/** Yields paths for which lines of a file are written, relative to its directory: those of its rules and redirects. */
function* samplesFor({ directives }: HtaccessFile): Generator<string> {
  for (const { pattern, isNegated } of parseRewriteRules(directives)) {
    const sample = isNegated ? undefined : samplePattern(pattern);
    if (sample !== undefined && !sample.startsWith("/")) yield sample.length > 1 ? sample : "page";
  }
  for (const line of directives) {
    const redirect = readRedirect(line, true);
    const from = redirect && (line.key === "redirectmatch" ? samplePattern(redirect.from ?? "") : redirect.from);
    if (from?.startsWith("/")) yield from;
    if (line.key === "directoryindex") yield "";
  }
}

/** Reports whether a client sees another result. An error with the file is not what its author intends. */
function isOther(answer: DefiniteAnswer, intended: DefiniteAnswer): boolean {
  return intended.status < 400 && (answer.status !== intended.status || answer.file !== intended.file);
}
