import { writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { defaultRules } from "../../rules/index.js";
import { lint } from "../../src/linter/lint.js";
import { loadProject } from "../../src/project/load.js";
import { Editor } from "../support/programs/editor.js";

/** How an editor fares with a file. */
export interface Typing {
  /** From a key to the completions that it asks for, of the slowest of twenty. */
  readonly slowestKey: number;
  /** The same in the middle of them. */
  readonly medianKey: number;
  /** From the last key to the findings. */
  readonly findings: number;
  /** The check of the same text within this process, as often done before as the editor's thread has. */
  readonly check: number;
}

const KEYS = 20;
const KEY_PAUSE_MS = 60;

/** Types into the middle of a file, asks for completion at each key, and waits for the findings; all in milliseconds. */
export async function typing(file: string, text: string): Promise<Typing> {
  writeFileSync(file, text);
  const editor = await Editor.start({ folder: dirname(file) });
  try {
    const uri = pathToFileURL(file).href;
    editor.open(uri, text);
    await editor.diagnostics(uri);
    const middle = text.split("\n").length >> 1;
    const keys: number[] = [];
    for (let key = 0; key < KEYS; key++) {
      const place = { line: middle, character: key };
      const start = performance.now();
      editor.edit(uri, { start: place, end: place }, key === 0 ? "\n" : "R");
      await editor.completion(uri, place);
      keys.push(performance.now() - start);
      // Now and then a pause is long enough for the analysis to begin, and the next key comes while it goes on.
      await pause(key % 5 === 4 ? 5 * KEY_PAUSE_MS : KEY_PAUSE_MS);
    }
    const end = performance.now();
    editor.edit(uri, { start: { line: middle, character: 0 }, end: { line: middle, character: 0 } }, "# ");
    await editor.diagnostics(uri);
    const findings = performance.now() - end;
    keys.sort((a, b) => a - b);
    return { slowestKey: keys.at(-1) ?? 0, medianKey: keys[KEYS >> 1] ?? 0, findings, check: checkedWithin(file) };
  } finally {
    await editor.shutdown();
  }
}

/** The fifth of five checks. */
function checkedWithin(file: string): number {
  let took = 0;
  for (let time = 0; time < 5; time++) {
    const start = performance.now();
    const loaded = loadProject(file, { kind: "server" });
    if ("failed" in loaded) throw new Error(`${basename(file)}: ${loaded.failed}`);
    lint(loaded.project, { rules: defaultRules });
    took = performance.now() - start;
  }
  return took;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((done) => {
    setTimeout(done, milliseconds);
  });
}
