import { assumeServer, needsDirectory } from "./assumed-server.js";
import type { Project } from "./project.js";

/** Joins clauses to follow `assuming that`. */
export function joinClauses(clauses: readonly string[]): string {
  return clauses.join(", and that ");
}

/** Returns the assumptions of an analysis about the rest of the server, as clauses; none for a whole server. */
export function assumptionsOf(project: Project): readonly string[] {
  if (project.kind === "server") return [];
  const always = "no other file of the server sets access for these paths";
  if (project.kind === "htaccess") {
    const [outermost] = assumeServer(project).htaccess;
    return [
      always,
      ...(outermost ? [`the document root is \`${outermost.directory}\`, with \`AllowOverride All\``] : []),
    ];
  }
  if (needsDirectory(project.directives)) return [always, "a section for the requested directory includes the file"];
  const hasHosts = project.directives.some(({ key }) => key === "<virtualhost");
  return hasHosts ? [always, "its first virtual host answers requests without a Host header"] : [always];
}
