import { counted } from "./painter.js";

/** Files that were put in place. */
export interface WrittenFiles {
  readonly written: readonly string[];
  /** The directory whose `old` holds the texts before; undefined where nothing was to be changed. */
  readonly backup?: string | undefined;
}

/**
 * What was written, how it is taken back, and what the new files want; nothing where no file was written.
 */
export function writtenNotes({ written, backup }: WrittenFiles): readonly string[] {
  if (backup === undefined) return [];
  const old = `${backup}/old`;
  return [
    `${counted(written.length, "file")} written; the old texts are in \`${old}\`, and \`cp -a ${old}/. /\` brings them back`,
  ];
}
