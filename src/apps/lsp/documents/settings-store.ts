import { dirname } from "node:path";
import { allRules } from "../../../../rules/index.js";
import { diskAccess } from "../../../config/files/disk.js";
import type { FileAccess } from "../../../config/files/file-access.js";
import { findRepositoryServers, MainFileFinder } from "../../../config/main-file-finder.js";
import { getOrCreate } from "../../../text/collections.js";
import { fromReadable, toReadable } from "../../../text/source.js";
import type { SettingsMistake } from "../../settings/mistakes.js";
import {
  findSettings,
  fragmentContextsOf,
  type Settings as ProjectSettings,
  SETTINGS_FILE,
  serverSettingsOf,
} from "../../settings/settings.js";
import { type EditorSettings, type EffectiveSettings, mergeSettings } from "./editor-settings.js";
import { findSettingsFaults } from "./settings-diagnostics.js";

/** A configuration file of httpd-lint with its mistakes; if it cannot be used, none of its settings apply. */
export interface SettingsReport {
  readonly path: string;
  readonly text: string;
  readonly mistakes: readonly SettingsMistake[];
  readonly isAccepted: boolean;
}

/** Determines how documents are read, from the editor's settings and the configuration files of their projects. */
export class SettingsStore {
  private editor: EditorSettings = {};
  private readonly byFolder = new Map<string, ProjectSettings | undefined>();
  /** By the folder that file access is confined to. */
  private readonly finders = new Map<string | undefined, MainFileFinder>();
  /** By the folder of the file. */
  private readonly inRepository = new Map<string, readonly string[]>();
  /** Contents of each file when it was last read; undefined if it could not be read. */
  private readonly seen = new Map<string, string | undefined>();

  /**
   * @param open configuration files that are being edited: binary strings by path
   * @param report is called with each configuration file that is read
   */
  constructor(
    private readonly open: () => ReadonlyMap<string, string>,
    private readonly report: (read: SettingsReport) => void,
  ) {}

  /** Sets the editor's settings for all documents. */
  setEditorSettings(settings: EditorSettings): void {
    this.editor = settings;
  }

  /** Returns the settings of the project that a file belongs to. */
  project(path: string): ProjectSettings | undefined {
    const folder = dirname(path);
    if (!this.byFolder.has(folder)) this.byFolder.set(folder, this.find(folder));
    return this.byFolder.get(folder);
  }

  /** Returns the main files that a file may belong to, nearest first; the file itself if it is a main file. */
  mainsAround(path: string): readonly string[] {
    const confine = this.project(path)?.common.confine;
    const finder = getOrCreate(this.finders, confine, () => new MainFileFinder(confine));
    return finder.isMain(path) ? [path, ...finder.above(path)] : finder.above(path);
  }

  /**
   * Returns the main files in the repository of a file. They are read only if none of those around the file includes
   * it.
   */
  mainsInRepository(path: string): readonly string[] {
    const folder = dirname(path);
    const project = this.project(path);
    const options = { settingsName: SETTINGS_FILE, settings: project?.directory, confine: project?.common.confine };
    return getOrCreate(this.inRepository, folder, () => findRepositoryServers([path], options));
  }

  /** Discards the known main files. @param isDeep also discards those in repositories, which take longer to find */
  refreshMains(isDeep: boolean): void {
    for (const finder of this.finders.values()) finder.refresh();
    if (isDeep) this.inRepository.clear();
  }

  /**
   * Returns the settings for reading a configuration.
   *
   * @param path of a file in the project
   * @param main the main file of the server that is read; undefined for files that do not belong to a server
   */
  settingsOf(path: string, main: string | undefined): EffectiveSettings {
    const project = this.project(path);
    return mergeSettings(this.editor, serverSettingsOf(project, main), fragmentContextsOf(project));
  }

  /** Discards what was read if any of those files has changed. @returns whether any has changed */
  refresh(): boolean {
    const known = [...this.seen];
    const read = this.reader();
    for (const [path] of known) read(fromReadable(path));
    if (known.every(([path, text]) => this.seen.get(path) === text)) return false;
    for (const [path, text] of known)
      if (text !== undefined && this.seen.get(path) === undefined)
        this.report({ path, text: "", mistakes: [], isAccepted: true });
    this.seen.clear();
    this.byFolder.clear();
    return true;
  }

  private find(folder: string): ProjectSettings | undefined {
    const found = findSettings(folder, { read: this.reader() }, allRules);
    if (found === undefined) return undefined;
    const isAccepted = found.ok;
    const { path } = isAccepted ? found.value : found.error;
    const textOf = (file: string) => toReadable(this.seen.get(file) ?? "");
    const text = textOf(path);
    const mistakes = isAccepted ? findSettingsFaults(found.value, text) : found.error.mistakes;
    this.report({ path, text, mistakes, isAccepted });
    if (!isAccepted) return undefined;
    for (const base of found.value.files.slice(1))
      this.report({ path: base, text: textOf(base), mistakes: [], isAccepted });
    return found.value;
  }

  /** Reads files as edited or from disk, and records their contents. */
  private reader(): FileAccess["read"] {
    const access = diskAccess({ overlay: this.open() });
    return (path) => {
      const content = access.read(path);
      this.seen.set(toReadable(path), content.ok ? content.value.text : undefined);
      return content;
    };
  }
}
