import { writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { defaultRules } from "../../rules/index.js";
import { lint } from "../../src/lint/runner/lint.js";
import { loadProject } from "../../src/startup/load-project.js";
import { Editor } from "../support/programs/editor.js";

/** The latency of an editor with a file. */
export interface Typing {
  /** Time from a key press to its completions, the slowest of twenty. */
  readonly slowestKey: number;
  /** Median of these times. */
  readonly medianKey: number;
  /** Time from the last key press to the findings. */
  readonly findings: number;
  /** Time of a check of the same text in this process, after as many warm-up runs as the editor's thread has had. */
  readonly check: number;
}

const KEYS = 20;
const KEY_PAUSE_MS = 60;

/**
 * Types into the middle of a file, requests completion at each key, and waits for the findings; all times in
 * milliseconds.
 */
export async function measureTyping(file: string, text: string): Promise<Typing> {
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
      // Some pauses are long enough for the analysis to start, and the next key arrives while it runs.
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

/** Returns the time of the fifth of five checks. */
function checkedWithin(file: string): number {
  let took = 0;
  for (let time = 0; time < 5; time++) {
    const start = performance.now();
    const loaded = loadProject(file, { kind: "server" });
    if (!loaded.ok) throw new Error(`${basename(file)}: ${loaded.error}`);
    lint(loaded.value, { rules: defaultRules });
    took = performance.now() - start;
  }
  return took;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((done) => {
    setTimeout(done, milliseconds);
  });
}
