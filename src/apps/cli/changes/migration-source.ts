import type { Project } from "../../../config/model/project.js";
import { isBefore, isSince, type Release } from "../../../facts/release.js";
import type { Finding } from "../../../lint/finding.js";
import type { MigratedFile, MigrateSource } from "../../../proof/migrate/migration.js";
import { type InstallOptions, installConfig } from "../../../startup/install-config.js";
import { loadServer, type ServerFlags } from "../inputs/load-server.js";
import { applyStartFixes, findStartErrors, type StartFixResult } from "./start-fixes.js";

/** Contents that replace files, by real path; binary strings. */
type Overlay = ReadonlyMap<string, string>;

interface SourceFlags extends Omit<ServerFlags, "release"> {
  readonly from: Release;
  readonly fixStart: boolean;
}

/** What is assumed of a configuration to migrate: the rest of the server sets no access. */
export const migratedParts: InstallOptions = { part: "closed", omitsMissingParts: true };

/** The configuration to migrate, read from the disk as often as needed, with changed contents. */
export class MigrationSource implements MigrateSource {
  readonly withStartFixes?: (overlay: Overlay) => Project;
  private on24: Project | undefined;

  /** @param before the configuration, without its missing parts */
  constructor(
    readonly before: Project,
    private readonly flags: SourceFlags,
  ) {
    if (isBefore(flags.from, "2.4")) this.withStartFixes = (overlay) => this.readMigrated(overlay, true).project;
  }

  readonly again = (overlay: Overlay): Project => {
    const loaded = loadServer({ ...this.flags, release: this.flags.from, overlay });
    return loaded.ok ? installConfig(loaded.value.project.read, migratedParts) : this.before;
  };

  readonly after = (overlay: Overlay): Project => this.readMigrated(overlay, this.flags.fixStart).project;

  /** Returns the findings that prevent 2.4 from starting after the change. */
  findStartErrors(changed: readonly MigratedFile[]): readonly Finding[] {
    if (isSince(this.flags.from, "2.4")) return [];
    const overlay = new Map(changed.map(({ path, after }) => [path, after]));
    return this.readMigrated(overlay, this.flags.fixStart).findings;
  }

  /** Returns the current configuration as 2.4 reads it. */
  currentOn24(): Project {
    this.on24 ??= isSince(this.flags.from, "2.4") ? this.before : this.readOn24();
    return this.on24;
  }

  private readOn24(): Project {
    const loaded = loadServer({ ...this.flags, release: "2.4" });
    return loaded.ok ? installConfig(loaded.value.project.read, { part: "closed" }) : this.before;
  }

  /**
   * Reads the configuration as 2.4 without mod_access_compat does, with all modules that it has or will be given. If the
   * kept decisions are those of a version of 2.4, that version reads it: its other differences are not part of the change.
   */
  private readMigrated(overlay: Overlay, fixStart: boolean): StartFixResult {
    const { before, flags } = this;
    const release = isSince(flags.from, "2.4") ? flags.from : "2.4";
    const read = (texts: Overlay, moreModules: readonly string[] = []) => {
      const supplied = [...(flags.moreModules ?? []), ...moreModules];
      const noModule = [...(flags.noModule ?? []), "access_compat"];
      const loaded = loadServer({ ...flags, release, noModule, moreModules: supplied, overlay: texts });
      return loaded.ok ? installConfig(loaded.value.project.read, { part: "closed" }) : before;
    };
    const withoutMissing = ({ project, ...made }: StartFixResult) => ({
      ...made,
      project: installConfig(project.read, migratedParts),
    });
    if (isSince(flags.from, "2.4")) return withoutMissing({ texts: overlay, project: read(overlay), findings: [] });
    const known = new Set([...before.files.values()].map(({ source }) => source.realPath));
    const made = fixStart ? applyStartFixes(overlay, read, (path) => known.has(path)) : findStartErrors(overlay, read);
    const missingModules = [...new Set(made.findings.flatMap(({ supplies = [] }) => supplies))];
    return withoutMissing(missingModules.length === 0 ? made : { ...made, project: read(made.texts, missingModules) });
  }
}
