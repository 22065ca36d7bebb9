import { isSince, isWholeServer, type Project } from "../../src/lint/api/configuration.js";
import { createFix, defineRule, getOrCreate, type Report, removeLines, type Span } from "../../src/lint/api/rule.js";
import { ignoredValueChecks, ignoredValueMessages } from "./ignored-values.js";
import { SharedWorkers, sharedWorkerMessages } from "./shared-workers.js";
import { findUnsupportedMpm, unsupportedMpmMessages } from "./unsupported-mpm.js";
import { findWorkerCounts, workerCountMessages } from "./worker-counts.js";

const messages = {
  ...ignoredValueMessages,
  ...sharedWorkerMessages,
  ...workerCountMessages,
  ...unsupportedMpmMessages,
  loadedTwice: (module: string) => ({
    message: `\`${module}\` is already loaded`,
    notes: ["httpd ignores this line, whichever file it names (AH01574)"],
    help: ["delete this line"],
  }),
};

const labels = { first: "loaded here" };

const fixTitles = { delete: "Delete this line" };

export const warnedAtStart = defineRule({
  id: "warned-at-start",
  title: "Value that httpd warns about at start",
  group: "startup",
  severity: "warning",
  description:
    "Values that httpd ignores or changes with a warning at start, such as a URL for `ErrorDocument 401`, too many workers, or mod_http2 with the MPM prefork.",
  help: "httpd starts, but ignores or changes the value. The warning is on the terminal of a manual start, or only in the log, and often does not name the file or line. Correct the value.",
  tags: ["correctness"],
  messages,
  check: ({ project, release, report }) => {
    if (!isSince(release, "2.4")) return {};
    const workers = new SharedWorkers();
    return {
      byWords({ key }) {
        const check = ignoredValueChecks.get(key);
        return check && ((directive) => check(directive, project).forEach(report));
      },
      directives: {
        proxypass: (directive, scope) => workers.check(directive, scope).forEach(report),
      },
      end() {
        for (const warning of findRepeatedModules(project)) report(warning);
        if (!isWholeServer(project)) return;
        for (const warning of findWorkerCounts(project)) report(warning);
        for (const warning of findUnsupportedMpm(project)) report(warning);
      },
    };
  },
});

/** Finds modules that are loaded twice; the server compares the names with case (modules/core/mod_so.c `load_module`). */
function findRepeatedModules({ loadModules, modules }: Project): readonly Report[] {
  const first = new Map<string, Span>();
  return loadModules.flatMap(({ identifier, span }) => {
    // Another server, on which a section for its absence applies, lacks the line that loads it here.
    if (modules.isWithheld(identifier)) return [];
    const before = getOrCreate(first, identifier, () => span);
    if (before === span) return [];
    const edit = removeLines(span);
    return [
      {
        message: messages.loadedTwice(identifier),
        span,
        related: [{ message: labels.first, span: before }],
        ...createFix(fixTitles.delete, "safe", edit),
      },
    ];
  });
}
