import {
  type Directive,
  findModuleByName,
  findRemovedModule,
  findThirdPartyDirective,
  isKnownModule,
  isVersionOf,
  type ThirdPartyDirective,
} from "../../src/rule-api/configuration.js";
import { defineRule, toReadable } from "../../src/rule-api/rule.js";

const NEEDS = "many modules need no more, some need changes to their source";

const describeOrigin = (identifier: string) =>
  `\`${toReadable(identifier)}\` ${isKnownModule(identifier) ? "does not come with httpd" : "is neither a module of httpd nor one that httpd-lint knows"}`;

const messages = {
  module: (identifier: string) =>
    `${describeOrigin(identifier)}, so it must be compiled anew for 2.4; install a build for 2.4: ${NEEDS}`,
  missingModule: (identifier: string) =>
    `${describeOrigin(identifier)}, and its file is not beside those of the other modules, so the server does not start; install a build for 2.4: ${NEEDS}`,
  directive: ({ name }: Directive, { module, package: debianPackage }: ThirdPartyDirective) =>
    `\`${toReadable(name)}\` belongs to the third-party module \`${module}\`, so it must be compiled anew for 2.4; install a build for 2.4${debianPackage ? `, such as Debian's ${debianPackage}` : ""}: ${NEEDS}`,
};

export const thirdPartyModule = defineRule({
  id: "third-party-module",
  title: "A module that must be recompiled",
  severity: "info",
  description:
    "With `--from 2.2`: a module that does not come with httpd, by its LoadModule line or by its directives.",
  help: "Modules are compiled for one release: a module built for 2.2 is not loaded by 2.4. Many need nothing but compiling again, some need changes to their source first. Install the packages that were built for 2.4, or ask the module's makers for such a version before the move.",
  upgradeOnly: true,
  tags: ["upgrade"],
  upgrade: "start",
  // The missing file has the same cause.
  supersedes: ["refused-at-start"],
  messages,
  check: ({ project, report }) => {
    const spokenOf = new Set<string>();
    return {
      forName(known) {
        const foreign = known.facts.length > 0 ? undefined : findThirdPartyDirective(known.key);
        if (!foreign || project.loadModules.some((line) => isVersionOf(line.identifier, foreign.module)))
          return undefined;
        return (directive) => {
          if (spokenOf.has(foreign.module)) return;
          spokenOf.add(foreign.module);
          report({ message: messages.directive(directive, foreign), span: directive.nameSpan });
        };
      },
      project() {
        for (const { identifier, isMissing = false, span } of project.loadModules) {
          const isOfHttpd = findModuleByName("2.2", identifier) ?? findModuleByName("2.4", identifier);
          if (isOfHttpd ?? findRemovedModule("2.4", identifier)) continue;
          if (isMissing) report({ message: messages.missingModule(identifier), severity: "error", span });
          else report({ message: messages.module(identifier), span });
        }
      },
    };
  },
});
