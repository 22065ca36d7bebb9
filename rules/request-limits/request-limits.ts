import { type Directive, isSince, listServerSettings, placeOfServer } from "../../src/lint/api/configuration.js";
import { defineRule, formatWordList, pluralize, quoteText } from "../../src/lint/api/rule.js";
import { bodyLimit, findLongTimeouts, isDefaultHigh, type Limit, limits, slowRequests } from "./limits.js";

const messages = {
  exceeded: (line: string, advice: string, effect = slowRequests) => ({
    message: `${quoteText(line)} is outside of the recommended range`,
    notes: [effect],
    help: [`use ${advice}, unless your clients need more`],
  }),
  defaults: (names: readonly string[]) => ({
    message: `the ${pluralize("default", names.length)} of ${formatWordList(names.map(quoteText))} ${names.length === 1 ? "is" : "are"} outside of the recommended range`,
    notes: [slowRequests],
    help: [
      `set ${formatWordList(limits.filter(({ name }) => names.includes(name)).map(({ advice }) => advice))}, unless your clients need more`,
    ],
  }),
  notLoaded: {
    message: "mod_reqtimeout is not loaded, so that clients can send requests slowly",
    notes: ["`Timeout` limits each pause, not the time of the whole request"],
    help: ["load mod_reqtimeout, whose defaults meet the recommended limits"],
  },
};

export const requestLimits = defineRule({
  id: "request-limits",
  title: "Limits of requests are high",
  group: "hardening",
  severity: "info",
  description: "Timeouts, and limits of the size of requests, above the values that the CIS benchmark recommends.",
  help: "Lower limits bound what a client can occupy with slow or large requests. They are a matter of the application: uploads need a higher LimitRequestBody, and large cookies a higher LimitRequestFieldSize. Set the lowest values that your clients work with.",
  securitySeverity: 1,
  references: { cis: ["9.1", "9.2", "9.3", "9.4", "9.5", "9.6", "10.2", "10.3", "10.4"], cwe: [400] },
  tags: ["security"],
  messages,
  check: ({ project, release, report }) => {
    const checkLine = (
      { isMetBy, advice, effect, cis }: Limit,
      { name, argumentText, arguments: [word], span }: Directive,
    ) => {
      if (isMetBy(word?.value ?? "")) return;
      report({
        message: messages.exceeded(`${name} ${argumentText}`, advice, effect),
        span,
        references: { cis: [cis] },
      });
    };
    return {
      scope: {
        holding: [bodyLimit.name.toLowerCase()],
        visit({ directives }) {
          const line = directives.findLast(({ key }) => key === bodyLimit.name.toLowerCase());
          if (isSince(release, "2.4") && line && !line.argumentText.includes("${")) checkLine(bodyLimit, line);
        },
      },
      directives: {
        requestreadtimeout(directive) {
          if (!isSince(release, "2.4")) return;
          for (const { argument, cis, advice } of findLongTimeouts(directive))
            report({
              message: messages.exceeded(`${directive.name} ${argument.value}`, advice),
              span: directive.spanOf(argument),
              references: { cis: [cis] },
            });
        },
      },
      end() {
        if (!isSince(release, "2.4")) return;
        const byDefault: Limit[] = [];
        for (const limit of limits)
          for (const { line } of listServerSettings(project, limit.name.toLowerCase())) {
            if (line === undefined) byDefault.push(...(isDefaultHigh(limit) ? [limit] : []));
            else if (limit !== bodyLimit) checkLine(limit, line);
          }
        for (const place of placeOfServer(project)) {
          const cis = byDefault.map((limit) => limit.cis);
          const names = byDefault.map(({ name }) => name);
          if (names.length > 0) report({ message: messages.defaults(names), ...place, references: { cis } });
          if (!project.modules.has("reqtimeout_module"))
            report({ message: messages.notLoaded, ...place, references: { cis: ["9.5", "9.6"] } });
        }
      },
    };
  },
});
