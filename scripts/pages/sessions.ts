import { cpSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { httpdLint } from "../../test/support/programs/command.js";

const block =
  /(<!-- session in ([^\s,]+)(, without the diff)?: httpd-lint ([^\n]*?) -->\n)[\s\S]*?(<!-- \/session -->)/g;

/** The lines of a unified diff of one file or more. */
const diff = /(?:^--- [^\n]*\n\+\+\+ [^\n]*\n(?:[-+ @\\][^\n]*\n?)*)+/gm;

/** The displayed path of an example's copy, and the time stamp of its files. */
const SHOWN_FOLDER = "/root/web1";
const SHOWN_TIME = "2026-03-01T22-15-00-000Z";
const writtenAt = /(?<=\/backup-)\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z/g;

/**
 * Fills each marked session of a page with the terminal output of the built command, with notes after the result.
 * A session "without the diff" shows `…` in its place: another session has it.
 * Sessions of a page in the same folder share one copy of it, so later ones see what earlier ones wrote.
 */
export function withSessions(page: string): string {
  const copies = new Map<string, string>();
  const copyOf = (folder: string) => {
    const copy = copies.get(folder) ?? realpathSync(mkdtempSync(join(tmpdir(), "httpd-lint-session-")));
    if (!copies.has(folder)) cpSync(folder, copy, { recursive: true });
    copies.set(folder, copy);
    return copy;
  };
  try {
    return page.replace(
      block,
      (_, open: string, folder: string, elided: string | undefined, args: string, close: string) => {
        const cwd = copyOf(folder);
        const { stdout, stderr } = httpdLint(args.split(" "), { cwd, env: { NO_COLOR: "1" } });
        const whole = `${stdout}${stderr}`.replaceAll(cwd, SHOWN_FOLDER).replaceAll(writtenAt, SHOWN_TIME);
        const output = elided ? whole.replace(diff, "…\n") : whole;
        return `${open}\`\`\`console\n$ httpd-lint ${args}\n${output.trimEnd()}\n\`\`\`\n${close}`;
      },
    );
  } finally {
    for (const copy of copies.values()) rmSync(copy, { recursive: true, force: true });
  }
}
