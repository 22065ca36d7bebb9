import {
  type Directive,
  type DirectiveVisitor,
  isSince,
  listInactiveDirectiveNames,
  type Project,
} from "../../src/lint/api/configuration.js";
import { defineRule, type Report } from "../../src/lint/api/rule.js";
import { argumentAt, type Behaviour, BehaviourContext } from "./behaviour.js";
import { behaviourLabels, behaviourMessages } from "./messages.js";
import { otherBehaviours, pipedLogBehaviour } from "./other-modules.js";
import { headerBehaviours, proxyBehaviours } from "./proxying.js";
import { rewritingBehaviours } from "./rewriting.js";
import { ssiBehaviours } from "./ssi.js";
import { tlsBehaviours } from "./tls.js";

const behaviours: readonly Behaviour[] = [
  pipedLogBehaviour,
  ...tlsBehaviours,
  ...ssiBehaviours,
  ...proxyBehaviours,
  ...rewritingBehaviours,
  ...headerBehaviours,
  ...otherBehaviours,
];

export const changedBehaviour = defineRule({
  id: "changed-behaviour",
  title: "Directive behaves differently in 2.4",
  group: "upgrade",
  severity: "warning",
  description: "With `--from 2.2`: a directive that both versions accept, but that works differently in 2.4.",
  help: "httpd starts as before, mostly silently, but logs, sends or checks something else. Affected are, for example, piped logs, certificates, SSI, rewriting and header names. Each finding shows the change, and a line that restores the old behaviour if there is one.",
  tags: ["upgrade", "correctness", "security"],
  upgradeOnly: true,
  upgrade: "behaviour",
  needsWholeServer: {
    reason: "another file may set it",
    part: "what depends on directives that are missing from the server",
  },
  messages: behaviourMessages,
  check: ({ project, release, report }) => {
    if (!isSince(release, "2.4")) return {};
    const surroundings = new BehaviourContext(project);
    const isWhole = project.kind === "server";
    const visitors = new Map<string, DirectiveVisitor>();
    for (const { names, takesServer, check } of behaviours) {
      if (takesServer && !isWhole) continue;
      for (const name of names) {
        const others = visitors.get(name);
        visitors.set(name, (line, scope) => {
          others?.(line, scope);
          const found = check(line, scope, surroundings);
          if (found) report({ ...found, span: line.span });
        });
      }
    }
    return {
      directives: Object.fromEntries(visitors),
      end() {
        if (isWhole) for (const finding of findUnnamedHosts(project)) report(finding);
      },
    };
  },
});

/**
 * Yields virtual hosts that 2.2 never selects: another with their address comes first, and no NameVirtualHost names it.
 */
function* findUnnamedHosts(project: Project): Generator<Report> {
  const { directives } = project;
  // A conditional section excludes it from 2.4.
  if (listInactiveDirectiveNames(project).has("namevirtualhost")) return;
  const named = directives
    .filter(({ key }) => key === "namevirtualhost")
    .map((line) => addressOf(argumentAt(line) || "*"));
  const first = new Map<string, Directive>();
  for (const host of directives) {
    if (host.key !== "<virtualhost") continue;
    for (const { value } of host.arguments) {
      const address = addressOf(value);
      const before = first.get(address);
      if (before === undefined) first.set(address, host);
      else if (
        !isNamed(address, named) &&
        serverNameOf(host) !== undefined &&
        serverNameOf(host) !== serverNameOf(before)
      )
        yield reportOf(host, before, value);
    }
  }
}

function reportOf(host: Directive, before: Directive, address: string): Report {
  const message = behaviourMessages.unnamedHost(address, serverNameOf(host) ?? "");
  return {
    severity: "warning",
    message,
    span: host.span,
    related: [{ message: behaviourLabels.firstHost, span: before.span }],
    cause: {
      key: `host ${address} ${before.span.start}`,
      header: behaviourMessages.inManyLines(message.message),
      also: behaviourLabels.neverAnswers,
    },
  };
}

function serverNameOf({ children = [] }: Directive): string | undefined {
  const line = children.findLast(({ key }) => key === "servername");
  return line && argumentAt(line).toLowerCase();
}

/** Normalizes an address: `*:80` for `_default_:80`, `*:*` for `*`. */
function addressOf(text: string): string {
  const lower = text.toLowerCase().replace(/^_default_/, "*");
  return /:(?:\d+|\*)$/.test(lower) && !/^\[[^\]]*$/.test(lower) ? lower : `${lower}:*`;
}

/** Returns whether a NameVirtualHost line names the address; without a port, it covers every port. */
function isNamed(address: string, named: readonly string[]): boolean {
  return named.includes(address) || named.includes(address.replace(/:[^:]*$/, ":*"));
}
