import { findModuleByName, type Guard, type LoadModule, type Project } from "../../src/rule-api/configuration.js";
import { defineRule, toReadable } from "../../src/rule-api/rule.js";

const messages = {
  notLoadedYet: ({ argument }: Guard) =>
    `\`${toReadable(argument)}\` is not loaded yet where this guard stands, so what it holds is left out without a word; move it behind the LoadModule line`,
};

const labels = { loaded: "the module is loaded here" };

export const earlyGuard = defineRule({
  id: "early-guard",
  title: "A guard ahead of the module that it asks for",
  severity: "warning",
  description: "`<IfModule>` with a module that a LoadModule line further down loads: there it is not loaded yet.",
  help: "The server reads from the top, and asks at the guard which modules are loaded by then. What it holds is left out without a word, though the module is there in the end. So it goes with the settings of an MPM, which 2.2 had built in and 2.4 loads: MaxClients and the like in `<IfModule prefork.c>` no longer count. Move the guard behind the LoadModule line.",
  tags: ["upgrade", "correctness"],
  upgrade: "behaviour",
  messages,
  check: ({ project, report }) => ({
    project() {
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
  return project.loadModules.find((line) => line.identifier === identifier);
}
