import { defineCommand } from "./command.js";

export const lspCommand = defineCommand({
  command: "lsp",
  describe: "serve an editor: findings as you type, who gets in where, completion",
  builder: (command) =>
    command
      .option("stdio", { type: "boolean", describe: "over standard input and output: there is no other way" })
      // Editors based on Node pass their process id, so that the server does not outlive them.
      .option("clientProcessId", { type: "string", hidden: true }),
  handler() {
    // The language server is a separate bundle, which other commands do not load.
    void import("../../lsp/server.js").then(({ startLanguageServer }) => startLanguageServer());
    return undefined;
  },
});
