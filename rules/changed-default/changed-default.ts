import {
  isSince,
  listInactiveDirectiveNames,
  type Project,
  type ServerDirectives,
  serverDirectivesOf,
} from "../../src/lint/api/configuration.js";
import { defineRule, type Fix, insertLinesAfter, type RootCause } from "../../src/lint/api/rule.js";
import { folderDefaults, processDefaults, tlsDefaults } from "./defaults.js";
import type { ChangedDefault, UsageSite } from "./usage.js";

const defaults: readonly ChangedDefault[] = [...processDefaults, ...folderDefaults, ...tlsDefaults];

const whereSet: Readonly<Record<ChangedDefault["place"], string>> = {
  process: "anywhere",
  server: "for this server",
  root: "for this DocumentRoot",
  section: "anywhere in this server",
};

/** The values, effects and remedies of each default come with it. */
const messages = {
  changed: ({ directive, place, before, after, notes, help }: ChangedDefault) => ({
    message: `default of \`${directive}\` changed from ${before} to ${after}`,
    notes: [`\`${directive}\` is not set ${whereSet[place]}`, ...notes],
    help,
  }),
};

const labels = { same: "also depends on the default" };

const fixTitles = { keep: (directive: string) => `Keep the old default of \`${directive}\`` };

export const changedDefault = defineRule({
  id: "changed-default",
  title: "Default changed in 2.4",
  group: "upgrade",
  severity: "info",
  description:
    "With `--from 2.2`: a directive that is not set has a different default in 2.4, and the configuration depends on it.",
  help: "If a directive is not set, its default applies, and some defaults differ in 2.4: how long httpd waits, what a directory allows, which certificates are valid. Each finding shows the old default, the new one and the effect. If the new default is suitable, do nothing. If it is not, set the directive.",
  tags: ["upgrade", "correctness"],
  upgradeOnly: true,
  upgrade: "behaviour",
  needsWholeServer: { reason: "another file may set the directive" },
  messages,
  check: ({ project, release, report }) => ({
    end() {
      if (!isSince(release, "2.4")) return;
      const servers = serverDirectivesOf(project);
      // A conditional section on another MPM, or on a renamed module, may make a line inactive.
      const inactiveNames = listInactiveDirectiveNames(project);
      for (const entry of defaults) {
        if (decidedBy(entry).some((key) => inactiveNames.has(key))) continue;
        for (const server of entry.place === "process" ? servers.slice(0, 1) : servers) {
          const used = entry.usedBy(server, project);
          if (used === undefined || isDecided(entry, server)) continue;
          const message = messages.changed(entry);
          const fix = fixOf(entry, used, server, project);
          const { severity, isAboutServer = false, isRoutine = false } = entry;
          report({
            severity,
            message,
            span: used.span,
            cause: causeOf(entry),
            ...(isAboutServer ? { isAboutServer } : {}),
            ...(isRoutine ? { isRoutine } : {}),
            ...(fix ? { fix } : {}),
          });
        }
      }
    },
  }),
});

function decidedBy(entry: ChangedDefault): readonly string[] {
  return entry.decidedBy ?? [entry.directive.toLowerCase()];
}

function isDecided(entry: ChangedDefault, server: ServerDirectives): boolean {
  const { decides, place } = entry;
  for (const key of decidedBy(entry))
    for (const line of linesOf(key, place, server)) if (decides === undefined || decides(line)) return true;
  return false;
}

function linesOf(key: string, place: ChangedDefault["place"], server: ServerDirectives) {
  if (place === "root") return server.atRoot(key);
  if (place !== "section") return server.effective(key);
  return [...server.iterateInherited()].filter((directive) => directive.key === key);
}

function fixOf(
  { directive, keep, keepAfter }: ChangedDefault,
  used: UsageSite,
  server: ServerDirectives,
  project: Project,
): Fix | undefined {
  const site = keepAfter ? keepAfter(project) : used;
  const edit = keep && site && insertLinesAfter(site.span, keep(server));
  return edit && { title: fixTitles.keep(directive), safety: "unsafe", edits: [edit] };
}

/** Hundreds of hosts may rely on the same default. */
function causeOf({ directive }: ChangedDefault): RootCause {
  return { key: directive, also: labels.same };
}
