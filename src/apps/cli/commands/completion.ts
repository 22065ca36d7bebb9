import { basename } from "node:path";
import { formatWordList } from "../../../text/words.js";
import { readCompletionScript, type Shell, shells } from "../../package-files.js";
import { type CommandResult, createFailure, exitCodes } from "../output/command-result.js";
import { toOneLine } from "../output/write-output.js";
import { defineCommand } from "./command.js";

interface CompletionFlags {
  readonly shell?: string | undefined;
}

const listedShells = formatWordList(shells, "or");

export const completionCommand = defineCommand({
  describe: `Print a completion script for ${listedShells}`,
  arguments: {
    shell: { type: "string", words: shells, describe: `${listedShells} (default: the shell in $SHELL)` },
  },
  flags: {},
  examples: [
    "httpd-lint completion bash > ~/.local/share/bash-completion/completions/httpd-lint",
    'httpd-lint completion zsh > "${fpath[1]}/_httpd-lint"',
    "httpd-lint completion fish > ~/.config/fish/completions/httpd-lint.fish",
    "httpd-lint completion powershell | Out-String | Invoke-Expression",
    "eval (httpd-lint completion elvish | slurp)",
  ],
  handler: (flags) => printCompletionScript(flags),
});

/** Prints the script that the build has for a shell. */
function printCompletionScript({ shell }: CompletionFlags): CommandResult {
  const name = shell ?? basename(process.env["SHELL"] ?? "");
  // The script for bash is for any other shell in the environment.
  const known = shells.find((each) => each === name) ?? (shell === undefined ? defaultShell : undefined);
  if (known === undefined) {
    const reason = `no completion script for \`${toOneLine(name)}\`: expected ${listedShells}`;
    return createFailure(exitCodes.usage, reason);
  }
  return { output: [readCompletionScript(known)], notes: [], exitCode: exitCodes.clean };
}

const defaultShell: Shell = "bash";
