import { type Directive, findPlaceholder, isSince, type Project } from "../../src/lint/api/configuration.js";
import { defineRule, isWithin, quoteText, rejectionEffectOf, toAbsolutePath } from "../../src/lint/api/rule.js";

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
    if (!isSince(release, "2.4") || missingDocumentRoots === undefined || !isInPlace(project)) return {};
    const inHost = new Set<Directive>();
    return {
      directives: {
        documentroot(directive, { place }) {
          if (place === "virtualhost") inHost.add(directive);
        },
      },
      end() {
        for (const directive of missingDocumentRoots) {
          const [path] = directive.arguments;
          // The server's own value of a variable or a placeholder is not known.
          if (path === undefined || path.value.includes("${") || findPlaceholder(path.value)) continue;
          if (!isOnServersDisk(path.value, project)) continue;
          const span = directive.spanOf(path);
          if (inHost.has(directive)) report({ severity: "warning", message: messages.virtualHost(path.value), span });
          else report({ message: messages.mainServer(path.value), span });
        }
      },
    };
  },
});

/** Returns whether the main file of a server was read with the ServerRoot that it names. */
function isInPlace({ kind, installedAt, isCopy = false, problems }: Project): boolean {
  return (
    kind === "server" && installedAt === undefined && !isCopy && problems.every((each) => each.kind !== "server-root")
  );
}

/**
 * Returns whether the server has the same files at a path. The main file of a copy is elsewhere, and only paths below
 * its ServerRoot are part of the copy.
 */
function isOnServersDisk(path: string, { entry, serverRoot }: Project): boolean {
  if (entry.startsWith("/etc/")) return true;
  const absolute = toAbsolutePath(path, serverRoot);
  const isPart = absolute === undefined || (absolute !== serverRoot && isWithin(absolute, serverRoot));
  return isPart && entry.startsWith(`${serverRoot}/`) && entry.slice(serverRoot.length + 1).includes("/");
}
