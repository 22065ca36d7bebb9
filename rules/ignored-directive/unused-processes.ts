import {
  type Directive,
  indexDirectives,
  mayHaveMoreLines,
  type Project,
  virtualHostAround,
} from "../../src/lint/api/configuration.js";

/** A WSGIDaemonProcess line whose processes run no application. */
export interface UnusedProcesses {
  readonly line: Directive;
  readonly name: string;
  /** The line of the application, which runs in the processes of httpd. */
  readonly application: Directive;
}

/** Lines of mod_wsgi that may have `process-group=`. */
const applications = ["wsgiscriptalias", "wsgiscriptaliasmatch", "wsgiimportscript", "wsgihandlerscript"];

/**
 * Yields the processes of mod_wsgi that no line of their server selects: without a process group, an application runs in the
 * processes of httpd (mod_wsgi, src/server/mod_wsgi.c `wsgi_process_group`; tried with 4.9).
 */
export function* findUnusedProcesses(project: Project): Generator<UnusedProcesses> {
  const index = indexDirectives(project);
  const daemons = index.named("wsgidaemonprocess");
  if (daemons.length === 0 || mayHaveMoreLines(project)) return;
  const all = applications.flatMap((key) => index.named(key));
  // Without processes of httpd for applications, requests fail.
  if (index.named("wsgirestrictembedded").some(({ argumentText }) => /^on$/i.test(argumentText))) return;
  for (const line of daemons) {
    const name = line.arguments[0]?.value ?? "";
    const host = virtualHostAround(line);
    const isOfServer = (each: Directive) => {
      const around = virtualHostAround(each);
      return around === host || around === undefined || host === undefined;
    };
    const selects = all.some(
      (each) => isOfServer(each) && each.arguments.some(({ value }) => /^process-group=/.test(value)),
    );
    if (selects || index.named("wsgiprocessgroup").some(isOfServer) || /[${}%@]/.test(name) || name === "") continue;
    const application = all.find((each) => each.key.startsWith("wsgiscriptalias") && virtualHostAround(each) === host);
    if (application) yield { line, name, application };
  }
}
