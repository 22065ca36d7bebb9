import { cpSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { httpdLint, run } from "../../test/support/programs/command.js";

const block =
  /(<!-- session in ([^\s,]+)(, without the diff)?(?:, up to "([^"]+)")?: ([^\n]*?) -->\n)[\s\S]*?(<!-- \/session -->)/g;

/** The lines of a unified diff of one file or more. */
const diff = /(?:^--- [^\n]*\n\+\+\+ [^\n]*\n(?:[-+ @\\][^\n]*\n?)*)+/gm;

/** The displayed path of an example's copy, and the time stamp of its files. */
const SHOWN_FOLDER = "/root/web1";
const SHOWN_TIME = "2026-03-01T22-15-00-000Z";
const writtenAt = /(?<=\/backup-)\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z/g;

/** Where a session ends or has gaps. */
interface Shortening {
  /** Whether `…` replaces the diff. */
  readonly withoutDiff: boolean;
  /** The beginning of the first line that `…` replaces, with all that follow. */
  readonly end: string | undefined;
}

/**
 * Fills each marked session of a page with the terminal output of the built command, with notes after the result. A session
 * may have several commands, with ` ; ` between them. A line of another program, such as `cp`, runs in a shell, so that a
 * reader who pastes it gets the same result. Sessions of a page in the same folder share one copy of it, so later ones see
 * what earlier ones wrote.
 *
 * A session "without the diff" shows `…` in its place: another session has it. A session "up to" a text ends with `…` before
 * the first line that begins with it.
 */
export function withSessions(page: string): string {
  const copies = new Map<string, string>();
  const copyOf = (folder: string) => {
    const copy = copies.get(folder) ?? realpathSync(mkdtempSync(join(tmpdir(), "httpd-lint-session-")));
    if (!copies.has(folder)) cpSync(folder, copy, { recursive: true, verbatimSymlinks: true });
    copies.set(folder, copy);
    return copy;
  };
  try {
    return page.replace(block, (_, open: string, folder: string, elided, end, lines: string, close: string) => {
      const shortening = { withoutDiff: elided !== undefined, end };
      const sessions = lines.split(" ; ").map((line) => `$ ${runLine(line, copyOf(folder), shortening)}`);
      return `${open}\`\`\`console\n${sessions.join("\n")}\n\`\`\`\n${close}`;
    });
  } finally {
    for (const copy of copies.values()) rmSync(copy, { recursive: true, force: true });
  }
}

/** Runs one command of a session, and returns it with its output. */
function runLine(line: string, cwd: string, { withoutDiff, end }: Shortening): string {
  const [program = "", ...args] = line.split(" ");
  const isOwn = program === "httpd-lint";
  const options = { cwd, env: { NO_COLOR: "1" } };
  const { status, stdout, stderr } = isOwn ? httpdLint(args, options) : run("sh", ["-c", line], options);
  if (!isOwn && status !== 0) throw new Error(`\`${line}\` failed: ${stderr}`);
  const whole = `${stdout}${stderr}`.replaceAll(cwd, SHOWN_FOLDER).replaceAll(writtenAt, SHOWN_TIME);
  const shown = withoutDiff ? whole.replace(diff, "…\n") : whole;
  if (!isOwn || end === undefined) return `${line}\n${shown}`.trimEnd();
  const cut = shown.indexOf(`\n${end}`);
  if (cut === -1) throw new Error(`\`${line}\` does not print \`${end}\``);
  return `${line}\n${shown.slice(0, cut)}\n…`;
}
