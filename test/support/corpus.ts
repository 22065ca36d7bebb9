import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";

/** Public configuration files beside the checkout, if present; only tests read them. */
const folder = resolve(process.env["HTTPD_LINT_CORPUS"] ?? "../shared/corpus");

const present = existsSync(folder);

/** With links resolved, as findings name files. */
export const corpusFolder = present ? realpathSync(folder) : folder;

export interface CorpusFile {
  readonly name: string;
  readonly path: string;
  readonly isHtaccess: boolean;
  /** Whether it is a template with placeholders for values. */
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

/** Appends the reason for skipping to a test's name. */
export function corpusTitle(title: string): string {
  return present ? title : `${title} (skipped: no corpus of public files beside the checkout)`;
}
