import type { EntryKind } from "../project/project.js";
import { type KeptAnswer, sum } from "./answers.js";
import type { KeptFindings } from "./findings.js";

/** What was found in a configuration, and all that it hangs on. */
export interface KeptResult {
  /** Of what was analysed, and how. */
  readonly key: string;
  readonly answers: readonly KeptAnswer[];
  readonly kind: EntryKind;
  /** The files of the configuration by real path, with their number of lines. */
  readonly files: readonly (readonly [path: string, lines: number])[];
  /** What the user is told beside findings. */
  readonly notes: readonly string[];
  readonly found: KeptFindings;
}

/** Whose results they are. */
export interface KeptBy {
  /** The program to the letter: another may find something else. */
  readonly program: string;
  /** The file that they are in: one that was moved may lie where a server loads it. */
  readonly path: string;
}

const TITLE = "httpd-lint cache 1";

/** Results as the text of a file. */
export function printKept(by: KeptBy, results: readonly KeptResult[]): string {
  const body = JSON.stringify({ by, results });
  return `${TITLE} ${sum(body)}\n${body}\n`;
}

/** Why a file is of no use, as a clause. */
export interface OfNoUse {
  readonly failed: string;
  /** It is somebody else's, and not to be written over. */
  readonly isForeign?: boolean;
}

/** Reads the text of such a file. What it holds is believed by its sum. */
export function readKept(text: string, by: KeptBy): readonly KeptResult[] | OfNoUse {
  const [head = "", body = "", ...more] = text.split("\n");
  if (!head.startsWith("httpd-lint cache ")) return { failed: "it is no cache of httpd-lint", isForeign: true };
  if (!head.startsWith(`${TITLE} `)) return { failed: "another version of httpd-lint has written it" };
  if (more.join("") !== "" || head !== `${TITLE} ${sum(body)}`) return { failed: "it is damaged" };
  const kept: { readonly by: KeptBy; readonly results: readonly KeptResult[] } = JSON.parse(body);
  if (kept.by.program !== by.program) return { failed: "another version of httpd-lint has written it" };
  return kept.by.path === by.path ? kept.results : { failed: `it was written as \`${kept.by.path}\`` };
}
