import { type FileAccess, memoryAccess } from "../../config/files/file-access.js";
import type { Project } from "../../config/model/project.js";
import { type ReadOptions, readConfig } from "../../config/read-config.js";
import { isSince, type Release, releaseLines } from "../../facts/release.js";
import type { Finding } from "../../lint/finding.js";
import { accessMap } from "../../proof/compare/access-map.js";
import { compare } from "../../proof/compare/compare.js";
import { findUncomparedChanges } from "../../proof/compare/uncompared-changes.js";
import { migrate } from "../../proof/migrate/migrate.js";
import type { MigrateSource } from "../../proof/migrate/migration.js";
import { renderComparisonText } from "../../report/comparisons/comparison-report.js";
import { listMigrationNotes } from "../../report/comparisons/migration-notes.js";
import { renderMigrationDiff } from "../../report/comparisons/migration-report.js";
import { renderLineDiff } from "../../report/html/diff.js";
import { formatPlainText, renderMessage } from "../../report/html/excerpts.js";
import { type Content, type Html, html } from "../../report/html/html.js";
import { renderAccessMap, renderMapStartup, renderStartup } from "../../report/html/map-page.js";
import { maskFile } from "../../report/secrets/redaction.js";
import { describeAssumptions, joinClauses } from "../../report/text/assumption-words.js";
import { PlaceResolver } from "../../report/text/source-places.js";
import { SimulatedServer } from "../../server/answer.js";
import { createFileTree } from "../../server/file-trees.js";
import type { RequestSpec } from "../../server/request/request-parser.js";
import { type InstallOptions, installConfig } from "../../startup/install-config.js";
import type { Result } from "../../text/result.js";
import { fromReadable, toReadable } from "../../text/source.js";
import { findModulesToLoad, findStartupErrors, supplyModules } from "../server-failure.js";
import { type ReleaseServer, renderAnswers } from "./embedded-server.js";
import {
  type PageAnswer,
  type PlaygroundConfiguration,
  type PlaygroundVersion,
  targetReleaseOf,
  upgradedReleaseOf,
} from "./messages.js";

/** A configuration, or the reason why it cannot be read. */
type LoadedConfiguration = Result<Project, Html>;

/** Loads a configuration from the entered files; a part of a server stays as it is unless the options complete it. */
export function loadConfiguration(
  { files, main }: PlaygroundConfiguration,
  options: Omit<ReadOptions, "access">,
  install?: InstallOptions,
): LoadedConfiguration {
  const loaded = readConfig(fromReadable(main), { ...options, access: createAccess(files) });
  return loaded.ok
    ? { ok: true, value: installConfig(loaded.value, install) }
    : { ok: false, error: renderError(`\`${main}\` cannot be read: ${loaded.error}`) };
}

/** Returns access to the entered files. The ServerRoot is assumed to exist, without any other files. */
function createAccess(files: PlaygroundConfiguration["files"]): FileAccess {
  const access = memoryAccess(files);
  const lines = Object.values(files).flatMap((text) => [...text.matchAll(/^[\t ]*ServerRoot[\t ]+"?([^"\r\n]+)/gim)]);
  const roots = new Set(lines.map(([, path = ""]) => fromReadable(path.trim().replace(/\/$/, ""))));
  return { ...access, isDirectory: (path) => roots.has(path.replace(/\/$/, "")) || access.isDirectory(path) };
}

/** States what an analysis assumes about the rest of the server; nothing for a main file. */
function renderAssumptions(project: Project): Html | undefined {
  if (!project.isPart) return undefined;
  const clauses = joinClauses(describeAssumptions(project.assumptions));
  return html`<p class="quiet">${renderMessage(`Assuming that ${clauses}.`)}</p>`;
}

/** Renders an error message. */
export function renderError(message: string): Html {
  return html`<p class="card wrong error">${renderMessage(message)}</p>`;
}

/** A server, and why it answers no request. */
interface LoadedServer {
  readonly project: Project;
  readonly findings: readonly Finding[];
}

/** Loads the server of a configuration, and if it answers no request, as if the missing modules were loaded. */
function loadServer(configuration: PlaygroundConfiguration, release: Release): Result<LoadedServer, Html> {
  const load = (moreModules: readonly string[]) =>
    loadConfiguration(configuration, { release, moreModules }, { part: "open" });
  const loaded = load([]);
  if (!loaded.ok) return loaded;
  const asRead = installConfig(loaded.value.read);
  const supplied = supplyModules(asRead, findStartupErrors(asRead), { project: loaded.value }, (modules) => {
    const again = load(modules);
    return again.ok ? { project: again.value } : undefined;
  });
  return { ok: true, value: { ...supplied.loaded, findings: supplied.findings } };
}

/** Returns the assumptions about whole servers, as clauses: those about parts are stated once for the page. */
function listServerAssumptions(...servers: readonly LoadedServer[]): readonly string[] {
  const whole = servers.filter(({ project }) => !project.isPart);
  return [...new Set(whole.flatMap(({ project }) => describeAssumptions(project.assumptions)))];
}

/** Renders the access map under the releaseLines that start with a configuration; under both if none does. */
export function renderConfigurationMap(configuration: PlaygroundConfiguration): Html {
  const all = releaseLines.flatMap((release) => {
    const loaded = loadServer(configuration, release);
    return loaded.ok ? [{ release, ...loaded.value }] : [];
  });
  const starting = all.filter(({ findings }) => findings.length === 0);
  const shown = starting.length > 0 ? starting : all;
  const [first, second] = shown.map(({ project }) => ({ project, semantics: "server" }) as const);
  if (first === undefined) return renderError(`\`${configuration.main}\` cannot be read`);
  const map = {
    ...{ map: accessMap(first, second), releases: shown.map(({ release }) => release), startup: all },
    assumptions: listServerAssumptions(...shown),
  };
  const places = new PlaceResolver(undefined);
  return html`${renderAssumptions(first.project)}${renderMapStartup(map, places)}${renderAccessMap(map, places, false)}`;
}

/** Renders how a request is handled under both releases; 2.4 first, unless the configuration is one of 2.2. */
export function renderExplainedRequest(
  configuration: PlaygroundConfiguration,
  request: RequestSpec,
  version: PlaygroundVersion,
): Html {
  const all: ReleaseServer[] = [];
  const startup: Content[] = [];
  let assumptions: Html | undefined;
  for (const release of version === "2.4" ? [...releaseLines].reverse() : releaseLines) {
    const loaded = loadServer(configuration, release);
    if (!loaded.ok) return loaded.error;
    assumptions = renderAssumptions(loaded.value.project);
    const files = createFileTree({ by: "configuration" }, loaded.value.project, memoryAccess(configuration.files));
    all.push({ release, simulatedServer: new SimulatedServer(loaded.value.project, files) });
    const note = `The answer ignores the rejected lines.${listServerAssumptions(loaded.value)
      .map((each) => ` It assumes that ${each}.`)
      .join("")}`;
    startup.push(renderStartup(release, loaded.value.findings, renderMessage(note), new PlaceResolver(undefined)));
  }
  return html`${assumptions}${startup}${renderAnswers(request, all, undefined)}`;
}

/**
 * Compares two configurations, or one under both releaseLines, for all requests.
 *
 * @param earlier undefined to compare the configuration under 2.2 with the same under 2.4
 */
export function renderComparedConfigurations(
  configuration: PlaygroundConfiguration,
  earlier: PlaygroundConfiguration | undefined,
  release: Release,
): Html {
  const sides = earlier ? ([release, release] as const) : (["2.2", "2.4"] as const);
  const before = loadServer(earlier ?? configuration, sides[0]);
  if (!before.ok) return before.error;
  const after = loadServer(configuration, sides[1]);
  if (!after.ok) return after.error;
  const sideOf = ({ project }: { readonly project: Project }) => ({ project, semantics: "server" }) as const;
  const comparison = compare(sideOf(before.value), sideOf(after.value));
  const titles = earlier ? (["the earlier files", "the current files"] as const) : sides;
  const startup = [before.value.findings, after.value.findings] as const;
  const notCompared = earlier ? findUncomparedChanges(before.value.project.read, after.value.project.read) : [];
  const assumed = listServerAssumptions(before.value, after.value);
  const compared = { comparison, titles, startup, assumptions: assumed, notCompared };
  const text = renderNotice([...renderComparisonText(compared, {})].join(""));
  return html`${renderAssumptions(before.value.project)}${text}`;
}

/**
 * Renders the conversion of a configuration to Require as a diff if it is proved equivalent; otherwise the reason why
 * not.
 */
export function renderMigratedConfiguration(
  configuration: PlaygroundConfiguration,
  version: PlaygroundVersion,
): PageAnswer {
  const release = upgradedReleaseOf(version) ?? targetReleaseOf(version);
  const before = loadConfiguration(configuration, { release });
  if (!before.ok) return { kind: "page", html: before.error.toString() };
  const target = !isSince(release, "2.4") ? loadConfiguration(configuration, { release: "2.4" }) : before;
  const moreModules = !isSince(release, "2.4") && target.ok ? findModulesToLoad(target.value) : [];
  const { kind } = before.value;
  const readChanged = (
    texts: ReadonlyMap<string, string>,
    options: Parameters<typeof loadConfiguration>[1],
  ): Project => {
    const changed = Object.fromEntries([...texts].map(([path, text]) => [path, toReadable(text)]));
    const loaded = loadConfiguration({ ...configuration, files: { ...configuration.files, ...changed } }, options);
    return loaded.ok ? loaded.value : before.value;
  };
  const source: MigrateSource = {
    before: before.value,
    again: (texts) => readChanged(texts, { release, kind }),
    after: (texts) => readChanged(texts, { release: "2.4", kind, withoutModules: ["access_compat"], moreModules }),
  };
  const migration = migrate(source, "server");
  const assumed = renderAssumptions(installConfig(before.value.read, { part: "open" }));
  if (migration.verdict === "refused") {
    const reasons = renderNotice([...renderMigrationDiff(migration, {})].join(""));
    return { kind: "page", html: html`${assumed}${reasons}`.toString() };
  }
  const facts = {
    before: before.value,
    newer: undefined,
    written: undefined,
    startup: [],
    isVerbose: true,
    isAssumed: before.value.isPart,
  };
  const notes = listMigrationNotes(migration, undefined, facts).map((note) => note.replace(/^httpd-lint: /, ""));
  const shown = (path: string, text: string) => toReadable(maskFile({ path, realPath: path, text }));
  const diffs = migration.files.map(
    ({ path, before: old, after: now }) =>
      html`<h3 class="path">${formatPlainText(path)}</h3>${renderLineDiff(shown(path, old), shown(path, now))}`,
  );
  const listed = notes.map((note) => html`<p>${renderMessage(note)}</p>`);
  return {
    kind: "page",
    html: html`${assumed}<div class="card">${listed}${diffs}</div>`.toString(),
    changed: Object.fromEntries(migration.files.map(({ path, after: now }) => [path, toReadable(now)])),
  };
}

function renderNotice(text: string): Html {
  return html`<pre class="said">${text.trimEnd()}</pre>`;
}
