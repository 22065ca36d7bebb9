import { type Directive, findPlaceholder, isDocumentOnServersDisk, isSince } from "../../src/lint/api/configuration.js";
import { defineRule, quoteText, rejectionEffectOf, resolvePath, stripTrailingSlash } from "../../src/lint/api/rule.js";

const help = ["create the directory, or correct the path"];

const messages = {
  mainServer: (path: string) => ({
    message: `\`DocumentRoot\` ${quoteText(path)} is not a directory`,
    effect: rejectionEffectOf(false),
    notes: [`httpd reports: DocumentRoot '${path}' is not a directory, or is not readable`],
    help,
  }),
  virtualHost: (path: string) => ({
    message: `\`DocumentRoot\` ${quoteText(path)} is not a directory`,
    notes: ["httpd starts, and requests for files of this virtual host return 404 (AH00112)"],
    help,
  }),
  alias: (path: string, url: string) => ({
    message: `the target of \`Alias\` ${quoteText(url)} does not exist: ${quoteText(path)}`,
    notes: ["httpd starts without a warning, and requests that this line maps return 404"],
    help: ["create the directory or the file, or correct the path"],
  }),
};

export const missingDocumentRoot = defineRule({
  id: "missing-document-root",
  title: "DocumentRoot or target of an Alias does not exist",
  group: "startup",
  severity: "error",
  description:
    "A DocumentRoot that is not a directory, or an Alias whose target does not exist, if the disk is that of the server.",
  help: "httpd does not start if the DocumentRoot of the main server is not a directory. For a virtual host, it only warns, and the warning does not name the file or line. For an Alias whose target does not exist, it does not warn, and requests that the line maps return 404. Create the directory or file, or correct the path.",
  tags: ["correctness"],
  messages,
  check: ({ project, release, files, report }) => {
    const { missingFolders } = project;
    if (!isSince(release, "2.4") || missingFolders === undefined) return {};
    const inHost = new Set<Directive>();
    const isKnown = (path: string) =>
      isDocumentOnServersDisk(path, project) ||
      (files?.isOfServer === true &&
        files.kindOf(stripTrailingSlash(resolvePath(project.serverRoot, path))) === "missing");
    return {
      directives: {
        documentroot(directive, { place }) {
          if (place === "virtualhost") inHost.add(directive);
        },
      },
      end() {
        for (const directive of missingFolders) {
          const isAlias = directive.key !== "documentroot";
          const [url, path] = isAlias ? directive.arguments : [undefined, ...directive.arguments];
          // The server's own value of a variable or a placeholder is not known.
          if (path === undefined || path.value.includes("${") || findPlaceholder(path.value)) continue;
          if (!isKnown(path.value)) continue;
          const span = directive.spanOf(path);
          if (url !== undefined) report({ severity: "warning", message: messages.alias(path.value, url.value), span });
          else if (inHost.has(directive))
            report({ severity: "warning", message: messages.virtualHost(path.value), span });
          else report({ message: messages.mainServer(path.value), span });
        }
      },
    };
  },
});
