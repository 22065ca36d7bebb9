import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";

/** Where public configuration files lie, kept beside the checkout and only read by tests, where they are there. */
const folder = resolve(process.env["HTTPD_LINT_CORPUS"] ?? "../shared/corpus");

const present = existsSync(folder);

/** With links resolved, as findings name files. */
export const corpusFolder = present ? realpathSync(folder) : folder;

export interface CorpusFile {
  readonly name: string;
  readonly path: string;
  readonly isHtaccess: boolean;
  /** Written for a generator: placeholders stand where values will. */
  readonly isTemplate: boolean;
}

export const corpus: readonly CorpusFile[] = present
  ? readdirSync(corpusFolder)
      .filter((name) => name !== "MANIFEST.tsv")
      .map((name) => {
        const path = join(corpusFolder, name);
        const isTemplate = /@[A-Z_]+@|%[a-z_]+%|\{\{.*\}\}|<%|\$\{?[A-Z_]+\}?.*template/.test(
          readFileSync(path, "latin1"),
        );
        return { name, path, isHtaccess: /htaccess/.test(name), isTemplate };
      })
  : [];

/** Adds to a test's name why it does not run. */
export function corpusTitle(title: string): string {
  return present ? title : `${title} (skipped: no corpus of public files beside the checkout)`;
}
