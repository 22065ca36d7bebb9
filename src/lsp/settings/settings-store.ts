import { dirname } from "node:path";
import { defaultRules } from "../../../rules/index.js";
import { findRepositoryServers, MainFileFinder } from "../../project/discovery/main-file-finder.js";
import { diskAccess } from "../../project/files/disk.js";
import type { FileAccess } from "../../project/files/file-access.js";
import type { SettingsMistake } from "../../settings/mistakes.js";
import {
  findSettings,
  fragmentContextsOf,
  type Settings as ProjectSettings,
  SETTINGS_FILE,
  serverSettingsOf,
} from "../../settings/settings.js";
import { fromReadable, toReadable } from "../../text/source.js";
import { type EditorSettings, type EffectiveSettings, mergeSettings } from "./editor-settings.js";
import { findSettingsFaults } from "./settings-diagnostics.js";

/** A settings file with what is wrong with it; where it cannot be taken at all, nothing that it says holds. */
export interface SettingsReport {
  readonly path: string;
  readonly text: string;
  readonly mistakes: readonly SettingsMistake[];
  readonly isAccepted: boolean;
}

/** How documents are read. All that decides it is asked here: what the editor was told, and the settings of their projects. */
export class SettingsStore {
  private editor: EditorSettings = {};
  private readonly byFolder = new Map<string, ProjectSettings | undefined>();
  /** By the folder that reading is confined to. */
  private readonly finders = new Map<string | undefined, MainFileFinder>();
  /** By the folder of a file. */
  private readonly inRepository = new Map<string, readonly string[]>();
  /** What each file held when it was read last; undefined where it could not be read. */
  private readonly seen = new Map<string, string | undefined>();

  /**
   * @param open settings files as they are edited: binary strings by path
   * @param tell is told of each settings file that is read
   */
  constructor(
    private readonly open: () => ReadonlyMap<string, string>,
    private readonly tell: (told: SettingsReport) => void,
  ) {}

  /** Takes what an editor was told for all documents. */
  setEditorSettings(settings: EditorSettings): void {
    this.editor = settings;
  }

  /** The settings of the project that a file belongs to. */
  project(path: string): ProjectSettings | undefined {
    const folder = dirname(path);
    if (!this.byFolder.has(folder)) this.byFolder.set(folder, this.find(folder));
    return this.byFolder.get(folder);
  }

  /** Returns the main files that a file may belong to, the nearest first: itself, if it is one. */
  mainsAround(path: string): readonly string[] {
    const confine = this.project(path)?.common.confine;
    const finder = this.finders.get(confine) ?? new MainFileFinder(confine);
    this.finders.set(confine, finder);
    return finder.isMain(path) ? [path, ...finder.above(path)] : finder.above(path);
  }

  /** Returns the main files in the repository of a file, which are read if none of those around it includes it. */
  mainsInRepository(path: string): readonly string[] {
    const folder = dirname(path);
    const project = this.project(path);
    const options = { settingsName: SETTINGS_FILE, settings: project?.directory, confine: project?.common.confine };
    const mains = this.inRepository.get(folder) ?? findRepositoryServers([path], options);
    this.inRepository.set(folder, mains);
    return mains;
  }

  /** Discards the known main files. @param isDeep also those in repositories, which take longer to find */
  refreshMains(isDeep: boolean): void {
    for (const finder of this.finders.values()) finder.refresh();
    if (isDeep) this.inRepository.clear();
  }

  /**
   * How a configuration is read.
   *
   * @param path of a file in the project
   * @param main the main file of the server that is read; undefined for what belongs to none
   */
  settingsOf(path: string, main: string | undefined): EffectiveSettings {
    const project = this.project(path);
    return mergeSettings(this.editor, serverSettingsOf(project, main), fragmentContextsOf(project));
  }

  /** Forgets what it read where any of that is otherwise now. @returns whether that is so */
  refresh(): boolean {
    const known = [...this.seen];
    const read = this.reader();
    for (const [path] of known) read(fromReadable(path));
    if (known.every(([path, text]) => this.seen.get(path) === text)) return false;
    for (const [path, text] of known)
      if (text !== undefined && this.seen.get(path) === undefined)
        this.tell({ path, text: "", mistakes: [], isAccepted: true });
    this.seen.clear();
    this.byFolder.clear();
    return true;
  }

  private find(folder: string): ProjectSettings | undefined {
    const found = findSettings(folder, { read: this.reader() }, defaultRules);
    if (found === undefined) return undefined;
    const isTaken = "settings" in found;
    const { path } = isTaken ? found.settings : found.refused;
    const text = toReadable(this.seen.get(path) ?? "");
    const mistakes = isTaken ? findSettingsFaults(found.settings, text) : found.refused.mistakes;
    this.tell({ path, text, mistakes, isAccepted: isTaken });
    return isTaken ? found.settings : undefined;
  }

  /** Reads files as they are edited or lie on the disk, and keeps in mind what they held. */
  private reader(): FileAccess["read"] {
    const access = diskAccess({ overlay: this.open() });
    return (path) => {
      const content = access.read(path);
      this.seen.set(toReadable(path), "text" in content ? content.text : undefined);
      return content;
    };
  }
}
