import {
  addsHeader,
  type HeaderLine,
  isSince,
  listHeaderLines,
  listRespondingServers,
  type RespondingServer,
} from "../../src/lint/api/configuration.js";
import { defineRule, quoteText, type Report } from "../../src/lint/api/rule.js";

/** Two years, as in Mozilla's guideline for TLS. */
const ENOUGH_SECONDS = 63_072_000;

const help = [`use \`Header always set Strict-Transport-Security "max-age=${ENOUGH_SECONDS}"\``];

const messages = {
  missing: {
    message: "responses over TLS have no `Strict-Transport-Security`",
    notes: [
      "a browser that was there before may still send its first request without TLS",
      "the configuration does not show whether an application adds the header",
    ],
    help,
  },
  notAlways: {
    message: "error responses have no `Strict-Transport-Security`: the line has no `always`",
    notes: ["without `always`, mod_headers omits it from error responses and redirects"],
    help,
  },
  short: (age: string) => ({
    message: `${quoteText(`max-age=${age}`)} of \`Strict-Transport-Security\` is less than two years`,
    notes: ["browsers forget the header if the time between two visits is longer"],
    help,
  }),
};

export const missingHsts = defineRule({
  id: "missing-hsts",
  title: "TLS without Strict-Transport-Security",
  group: "hardening",
  severity: "info",
  description: "A virtual host with TLS whose responses have no Strict-Transport-Security for two years.",
  help: "With Strict-Transport-Security, browsers send all later requests with TLS, so that an attacker in the network cannot prevent it. Without `always`, error responses and redirects do not have the header. First make sure that all content is available over TLS: browsers keep the header until it expires.",
  securitySeverity: 2,
  references: { cis: ["7.11"], cwe: [319] },
  tags: ["security"],
  messages,
  check: ({ project, release, report }) => ({
    end() {
      if (!isSince(release, "2.4")) return;
      const hosts = listRespondingServers(project).filter(usesTls);
      const problems = hosts.flatMap(checkHost);
      // Virtual hosts that inherit a line share its finding.
      const byPlace = new Map(problems.map((each) => [`${each.span.file.path}:${each.span.start}`, each] as const));
      for (const finding of byPlace.values()) report(finding);
    },
  }),
});

function usesTls({ server }: RespondingServer): boolean {
  return /^on$/i.test(server.effective("sslengine").at(-1)?.arguments[0]?.value ?? "");
}

function checkHost({ server, ...place }: RespondingServer): readonly Report[] {
  const lines = listHeaderLines(server, "strict-transport-security");
  if (lines.some((line) => line.isLimited || line.value.includes("${"))) return [];
  const always = lines.findLast(({ isAlways }) => isAlways);
  if (always && addsHeader(always)) return checkAge(always);
  const usual = lines.findLast(({ isAlways }) => !isAlways);
  if (usual && addsHeader(usual)) return [{ message: messages.notAlways, span: usual.directive.span }];
  return [{ message: messages.missing, ...place }];
}

function checkAge({ value, directive }: HeaderLine): readonly Report[] {
  const [, age = "0"] = /max-age\s*=\s*"?(\d+)/i.exec(value) ?? [];
  return Number(age) >= ENOUGH_SECONDS
    ? []
    : [{ message: messages.short(age), span: directive.span, references: { cis: [] } }];
}
