import {
  type Directive,
  findModuleByName,
  findRemovedModule,
  findThirdPartyDirective,
  isKnownModule,
  isVersionOf,
  type ThirdPartyDirective,
} from "../../src/lint/api/configuration.js";
import { defineRule, rejectionEffectOf, toReadable } from "../../src/lint/api/rule.js";

const NEEDS = "many modules only need to be compiled again; some need changes to their source";

const describeOrigin = (identifier: string) =>
  `\`${toReadable(identifier)}\` is not a module of httpd${isKnownModule(identifier) ? "" : " or a known module"}`;

const messages = {
  module: (identifier: string) => ({
    message: `third-party module \`${toReadable(identifier)}\` must be compiled again for 2.4`,
    notes: [describeOrigin(identifier), NEEDS],
    help: ["install a build for 2.4"],
  }),
  missingModule: (identifier: string) => ({
    message: `the file of third-party module \`${toReadable(identifier)}\` is missing`,
    effect: rejectionEffectOf(false),
    notes: [
      describeOrigin(identifier),
      "the file is not in the directory of the other modules",
      "the module must be compiled again for 2.4",
      NEEDS,
    ],
    help: ["install a build for 2.4"],
  }),
  directive: ({ name }: Directive, { module, package: debianPackage }: ThirdPartyDirective) => ({
    message: `\`${toReadable(name)}\` needs third-party module \`${module}\`, compiled again for 2.4`,
    notes: [NEEDS],
    help: [`install a build for 2.4${debianPackage ? `, such as Debian's package ${debianPackage}` : ""}`],
  }),
};

export const thirdPartyModule = defineRule({
  id: "third-party-module",
  title: "Module that must be recompiled",
  group: "upgrade",
  severity: "info",
  isAboutServer: true,
  description: "With `--from 2.2`: a module that is not part of httpd, found by its LoadModule line or its directives.",
  help: "A module is compiled for one release: 2.4 does not load a module that was built for 2.2. Many modules only need to be compiled again; some need changes to their source first. Install packages that were built for 2.4, or ask the module's authors for such a version before the upgrade.",
  upgradeOnly: true,
  tags: ["upgrade"],
  upgrade: "start",
  // The missing file has the same cause.
  supersedes: ["refused-at-start"],
  messages,
  check: ({ project, report }) => {
    const reportedModules = new Set<string>();
    return {
      directives(known) {
        const foreign = known.facts.length > 0 ? undefined : findThirdPartyDirective(known.key);
        const isOwner = ({ identifier }: { readonly identifier: string }) =>
          foreign?.modules.some((module) => isVersionOf(identifier, module)) === true;
        if (!foreign || project.loadModules.some(isOwner)) return undefined;
        return (directive) => {
          if (reportedModules.has(foreign.module)) return;
          reportedModules.add(foreign.module);
          report({ message: messages.directive(directive, foreign), span: directive.nameSpan });
        };
      },
      end() {
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
