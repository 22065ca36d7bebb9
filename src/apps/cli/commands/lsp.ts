import { defineCommand } from "./command.js";

export const lspCommand = defineCommand({
  command: "lsp",
  describe: "Start the language server, for editors",
  builder: (command) =>
    command
      .option("stdio", { type: "boolean", describe: "Use standard input and output; the only transport" })
      // Editors based on Node pass their process id, so that the server does not outlive them.
      .option("clientProcessId", { type: "string", hidden: true }),
  handler() {
    // The language server is a separate bundle, which other commands do not load.
    void import("../../lsp/server.js").then(({ startLanguageServer }) => startLanguageServer());
    return undefined;
  },
});
