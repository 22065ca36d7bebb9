import { type ExtensionContext, workspace } from "vscode";
import { LanguageClient, TransportKind } from "vscode-languageclient/node";
import { registerCommands } from "./commands";
import { SCHEME, TextView } from "./text-view";

let client: LanguageClient | undefined;

/** Starts the language server in the extension, and adds the commands. */
export async function activate(context: ExtensionContext): Promise<void> {
  const module = context.asAbsolutePath("server/httpd-lint.js");
  const view = new TextView();
  context.subscriptions.push(
    workspace.registerTextDocumentContentProvider(SCHEME, view),
    ...registerCommands(module, view),
  );
  client = new LanguageClient(
    "httpdLint",
    "httpd-lint",
    { module, args: ["lsp"], transport: TransportKind.stdio },
    {
      documentSelector: ["file", "untitled"].flatMap((scheme) =>
        ["apacheconf", "apache"].map((language) => ({ scheme, language })),
      ),
      middleware: {
        // A click on the access of a section shows all of it.
        async provideCodeLenses(document, token, next) {
          const lenses = (await next(document, token)) ?? [];
          for (const lens of lenses) {
            const title = lens.command?.title ?? "";
            lens.command = {
              title,
              command: "httpdLint.showAccess",
              arguments: [document.uri.toString(), lens.range.start.line],
            };
          }
          return lenses;
        },
      },
    },
  );
  await client.start();
}

/** Stops the language server. */
export async function deactivate(): Promise<void> {
  await client?.stop();
}
