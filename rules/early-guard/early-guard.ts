import { findModuleByName, type Guard, type LoadModule, type Project } from "../../src/lint/api/configuration.js";
import { defineRule, toReadable } from "../../src/lint/api/rule.js";

const messages = {
  notLoadedYet: ({ argument }: Guard) => ({
    message: `\`${toReadable(argument)}\` is loaded only after this \`<IfModule>\``,
    notes: ["httpd silently skips the contents of this section"],
    help: ["move the section after the `LoadModule` line"],
  }),
};

const labels = { loaded: "loaded here" };

export const earlyGuard = defineRule({
  id: "early-guard",
  title: "Module loaded after its `<IfModule>`",
  group: "syntax",
  severity: "warning",
  description: "`<IfModule>` tests for a module that a later LoadModule line loads, so the condition is false.",
  help: "httpd reads the configuration from the top. At `<IfModule>`, it checks which modules are loaded by then. If the module is not among them, it silently skips the section. This often affects MPM settings, because 2.2 has the MPM built in and 2.4 loads it. `MaxClients` in `<IfModule prefork.c>` then no longer applies. Move the section after the LoadModule line.",
  tags: ["upgrade", "correctness"],
  upgrade: "behaviour",
  messages,
  check: ({ project, report }) => ({
    end() {
      for (const guard of project.guards) {
        const line = loadedLater(guard, project);
        if (line === undefined) continue;
        report({
          message: messages.notLoadedYet(guard),
          span: guard.span,
          related: [{ message: labels.loaded, span: line.span }],
        });
      }
    },
  }),
});

/** Returns the later line that loads the module that a conditional section tests for. */
function loadedLater({ kind, argument, negated, holds }: Guard, project: Project): LoadModule | undefined {
  if (kind !== "<ifmodule" || negated || holds || !project.modules.matchesGuard(argument)) return undefined;
  const identifier = findModuleByName(project.release, argument)?.identifier ?? argument;
  return project.loadModules.find((line) => line.identifier === identifier && !isUnlessDefined(line));
}

/**
 * Reports whether a line applies only if a name is not defined: with it, the command line of httpd loads the modules first,
 * as the start script of SUSE does.
 */
function isUnlessDefined({ guard, includedFrom }: Pick<LoadModule, "guard" | "includedFrom">): boolean {
  for (let outer = guard; outer; outer = outer.parent) if (outer.kind === "<ifdefine" && outer.negated) return true;
  return (
    includedFrom !== undefined &&
    isUnlessDefined({ guard: includedFrom.guard, includedFrom: includedFrom.reading.includedFrom })
  );
}
