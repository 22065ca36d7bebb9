import { type DefiniteAnswer, describeAnswer, formatLineTitle, witnessOf } from "../../src/lint/api/access.js";
import type { Directive } from "../../src/lint/api/configuration.js";
import { defineRule } from "../../src/lint/api/rule.js";

const messages = {
  reachable: (line: Directive, answer: DefiniteAnswer) => ({
    message: `${formatLineTitle(line)} serves files of the whole system`,
    notes: [`${describeAnswer(answer)} with the contents of \`${PROBED_FILE}\``],
    help: ['deny `<Directory "/">`, and grant only the directories to serve', "map the URL to a directory of its own"],
  }),
};

const labels = { granted: "grants access" };

export const filesystemRootReachable = defineRule({
  id: "filesystem-root-reachable",
  title: "Files of the whole system are served",
  group: "exposure",
  severity: "warning",
  description: "A line maps URLs to `/` or `/etc`, and no section denies access there.",
  help: "Every client can read password files, keys and source code. Deny the root directory, as the default configuration does, and grant the directories to serve.",
  securitySeverity: 7.5,
  references: { cis: ["4.1"], cwe: [552] },
  tags: ["security"],
  messages,
  check: () => ({
    exposure: {
      holding: ["documentroot", "alias", "aliasmatch", "rewriterule"],
      *check({ line, server }, client) {
        const path = pathOfProbedFile(line);
        const answer = path === undefined ? undefined : client.ask(server, { path });
        if (answer?.status !== 200 || answer.file !== PROBED_FILE || answer.answeredBy !== undefined) return;
        const related = answer.decidedBy.map(({ span }) => ({ message: labels.granted, span }));
        yield { message: messages.reachable(line, answer), span: line.span, related, witness: witnessOf(answer) };
      },
    },
  }),
});

/** A file that exists on every server and that everyone may read. */
const PROBED_FILE = "/etc/passwd";

/** Returns the URL path that a line may map to the file. */
function pathOfProbedFile({ key, arguments: [from, to] }: Directive): string | undefined {
  if (key === "documentroot") return from?.value === "/" ? PROBED_FILE : undefined;
  if (from === undefined || to === undefined) return undefined;
  if (key === "alias") return to.value === "/" ? joinPath(from.value, PROBED_FILE) : undefined;
  const [, directory] = /^(\/(?:etc\/?)?)\$1$/.exec(to.value) ?? [];
  const [, before, after = ""] = /^\^?(\/[\w./-]*)\(\.[*+]\)((?:[\w/-]|\\\.)*)\$?$/.exec(from.value) ?? [];
  if (directory === undefined || before === undefined) return undefined;
  return before + PROBED_FILE.slice(directory.length) + after.replaceAll("\\", "");
}

function joinPath(prefix: string, path: string): string {
  return prefix.replace(/\/$/, "") + path;
}
