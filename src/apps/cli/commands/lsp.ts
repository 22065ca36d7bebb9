import { defineCommand } from "./command.js";

export const lspCommand = defineCommand({
  describe: "Start the language server, for editors",
  arguments: {},
  flags: {
    stdio: { type: "boolean", describe: "Use standard input and output; the only transport" },
    // Editors based on Node pass their process id, so that the server does not outlive them.
    clientProcessId: { type: "string", hidden: true, describe: "Process of the editor" },
  },
  handler() {
    // The language server is a separate bundle, which other commands do not load.
    void import("../../lsp/server.js").then(({ startLanguageServer }) => startLanguageServer());
    return undefined;
  },
});
