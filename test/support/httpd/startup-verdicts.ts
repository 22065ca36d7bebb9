import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadProject } from "../../../src/startup/load-project.js";
import { ownVerdict } from "../cases/own-verdict.js";
import { runHttpd } from "./httpd.js";

/**
 * The verdicts on a configuration, by the server and by us: `accepted`, or number, line and message of the first
 * refusal.
 */
export interface Verdicts {
  readonly server: string;
  readonly ours: string;
}

/** Writes a main file into a folder, and returns both verdicts on it. */
export function verdictsOn(folder: string, text: string): Verdicts {
  const entry = join(folder, "httpd.conf");
  writeFileSync(entry, text, "latin1");
  const { status, stderr } = runHttpd(entry);
  const loaded = loadProject(entry, { htaccess: false });
  if (!loaded.ok) throw new Error(loaded.error);
  return { server: status === 0 ? "accepted" : parseServerError(stderr), ours: ownVerdict(loaded.value) };
}

/** Returns code, line and message of a server's error. */
function parseServerError(stderr: string): string {
  const syntax = /AH00526: Syntax error on line (\d+) of [^\n]*:\n([^\n]*)/.exec(stderr);
  if (syntax) return `AH00526 ${syntax[1]} ${unescapeLogText(syntax[2] ?? "")}`;
  const check = /AH01624: ([^\n]*)/.exec(stderr);
  return check ? `AH01624 ${check[1]}` : stderr;
}

const controls: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };

/** Unescapes the error log, which doubles backslashes and writes control characters as C does. */
function unescapeLogText(text: string): string {
  return text.replace(/\\(.)/g, (_, letter: string) => controls[letter] ?? letter);
}
