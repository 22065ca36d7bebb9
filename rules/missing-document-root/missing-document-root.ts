import { type Directive, findPlaceholder, type Project } from "../../src/rule-api/configuration.js";
import { defineRule, quoteText, rejectionEffectOf } from "../../src/rule-api/rule.js";

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
};

export const missingDocumentRoot = defineRule({
  id: "missing-document-root",
  title: "DocumentRoot does not exist",
  group: "startup",
  severity: "error",
  description: "A DocumentRoot that is not a directory, if the disk is that of the server.",
  help: "httpd does not start if the DocumentRoot of the main server is not a directory. For a virtual host, it only warns, and the warning does not name the file or line. Create the directory, or correct the path.",
  tags: ["correctness"],
  messages,
  check: ({ project, release, report }) => {
    const { missingDocumentRoots } = project;
    if (release !== "2.4" || missingDocumentRoots === undefined || !isInstalled(project)) return {};
    const inHost = new Set<Directive>();
    return {
      directives: {
        documentroot(directive, { place }) {
          if (place === "virtualhost") inHost.add(directive);
        },
      },
      project() {
        for (const directive of missingDocumentRoots) {
          const [path] = directive.arguments;
          // The server's own value of a variable or a placeholder is not known.
          if (path === undefined || path.value.includes("${") || findPlaceholder(path.value)) continue;
          const span = directive.spanOf(path);
          if (inHost.has(directive)) report({ severity: "warning", message: messages.virtualHost(path.value), span });
          else report({ message: messages.mainServer(path.value), span });
        }
      },
    };
  },
});

/**
 * Returns whether the main file is where its server reads it. The document roots of a copy in another directory may be
 * on another machine.
 */
function isInstalled({ entry, serverRoot, installedAt, problems, kind }: Project): boolean {
  if (kind !== "server" || installedAt !== undefined || problems.some((each) => each.kind === "server-root"))
    return false;
  const isBelowRoot = entry.startsWith(`${serverRoot}/`) && entry.slice(serverRoot.length + 1).includes("/");
  return entry.startsWith("/etc/") || isBelowRoot;
}
