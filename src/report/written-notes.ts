import { counted } from "./painter.js";

/** Files that were put in place. */
export interface WrittenFiles {
  readonly written: readonly string[];
  /** The directory whose `old` holds the texts before; undefined where nothing was to be changed. */
  readonly backup?: string | undefined;
}

/**
 * What was written, how it is taken back, and what the new files want; nothing where no file was written.
 *
 * @param isLabelled whether SELinux holds programs to the labels of files
 */
export function writtenNotes({ written, backup }: WrittenFiles, isLabelled: boolean): readonly string[] {
  if (backup === undefined) return [];
  const old = `${backup}/old`;
  return [
    `${counted(written.length, "file")} written; the old texts are in \`${old}\`, and \`cp -a ${old}/. /\` brings them back`,
    ...(isLabelled
      ? [
          `SELinux is enforcing, and the new files have the label of the backup directory: run \`restorecon -v ${written.join(" ")}\``,
        ]
      : []),
  ];
}
