import { defineRule } from "../../src/engine/rule.js";
import type { DirectiveVisitor } from "../../src/project/walk.js";
import { type Behaviour, Surroundings } from "./behaviour.js";
import { headerBehaviours } from "./header-names.js";
import { otherBehaviours } from "./others.js";
import { pipedLogs } from "./piped-logs.js";
import { proxyBehaviours } from "./proxies.js";
import { rewritingBehaviours } from "./rewriting.js";
import { ssiBehaviours } from "./ssi.js";
import { tlsBehaviours } from "./tls.js";
import { unnamedHosts } from "./unnamed-hosts.js";

const behaviours: readonly Behaviour[] = [
  pipedLogs,
  ...tlsBehaviours,
  ...ssiBehaviours,
  ...proxyBehaviours,
  ...rewritingBehaviours,
  ...headerBehaviours,
  ...otherBehaviours,
];

export const changedBehaviour = defineRule({
  id: "changed-behaviour",
  title: "What 2.4 does otherwise with the same lines",
  severity: "warning",
  description:
    "Lines that both releases take and that 2.4 goes by in another way: piped logs, lists of revoked certificates, names in certificates, SSI expressions, SCGI backends, rewritten query strings, names of headers, caches, virtual hosts without NameVirtualHost.",
  help: "The server starts as before, mostly without a word, and logs, sends or checks something else than it did. Each finding says what changes, and the line that brings back what was, where there is one.",
  tags: ["upgrade", "correctness", "security"],
  upgradeOnly: true,
  upgrade: "behaviour",
  check: ({ project, release, report }) => {
    if (release !== "2.4") return {};
    const surroundings = new Surroundings(project);
    const isWhole = project.kind === "server";
    const visitors = new Map<string, DirectiveVisitor>();
    for (const { names, takesServer, look } of behaviours) {
      if (takesServer && !isWhole) continue;
      for (const name of names) {
        const others = visitors.get(name);
        visitors.set(name, (line, scope) => {
          others?.(line, scope);
          const told = look(line, scope, surroundings);
          if (told) report({ ...told, span: line.span });
        });
      }
    }
    return {
      directives: Object.fromEntries(visitors),
      project() {
        if (isWhole) for (const finding of unnamedHosts(project)) report(finding);
      },
    };
  },
});
