import { type Directive, findPlaceholder, isOnServersDisk, type Project } from "../../src/lint/api/configuration.js";
import { quoteText, type Report, type RuleContext, rejectionEffectOf, resolvePath } from "../../src/lint/api/rule.js";

export const missingFileMessages = {
  missing: (directive: string, path: string) => ({
    message: `the file ${quoteText(path)} does not exist`,
    effect: rejectionEffectOf(false),
    notes: [`httpd reports: ${directive}: file '${path}' does not exist or is empty`],
    help: ["create the file, or correct the path"],
  }),
  empty: (directive: string, path: string) => ({
    message: `the file ${quoteText(path)} is empty`,
    effect: rejectionEffectOf(false),
    notes: [`httpd reports: ${directive}: file '${path}' does not exist or is empty`],
    help: ["use a file with the certificate or key"],
  }),
};

/** The directives of mod_ssl whose file must exist when httpd reads the line (modules/ssl/ssl_engine_config.c `ssl_cmd_check_file`). */
export const checkedFiles: ReadonlySet<string> = new Set([
  ...["sslcertificatefile", "sslcertificatekeyfile", "sslcertificatechainfile", "sslcacertificatefile"],
  ...["sslcadnrequestfile", "sslcarevocationfile", "sslproxycacertificatefile", "sslproxycarevocationfile"],
  ...["sslproxymachinecertificatefile", "sslproxymachinecertificatechainfile"],
]);

/** Returns the finding for a line whose file does not exist on the disk of the server, or is empty. */
export function findMissingFile(line: Directive, project: Project, files: RuleContext["files"]): Report | undefined {
  const [word] = line.arguments;
  const written = word?.value ?? "";
  // A token has no file, and the value of a variable or a placeholder is not known.
  if (word === undefined || /[$%@{<>]|^pkcs11:/.test(written) || findPlaceholder(written)) return undefined;
  const path = resolvePath(project.serverRoot, written);
  if (files === undefined || !isOnServersDisk(written, project)) return undefined;
  const kind = files.kindOf(path);
  const isMissing = kind === "missing" && isInKnownFolder(path, files);
  if (!isMissing && (kind !== "file" || files.textOf?.(path) !== "")) return undefined;
  const message = isMissing ? missingFileMessages.missing : missingFileMessages.empty;
  return { severity: "error", message: message(line.name, path), span: line.spanOf(word) };
}

/**
 * Reports whether the folder of a file exists; a folder that is mounted later is missing as a whole. Certbot has one for each
 * certificate.
 */
function isInKnownFolder(path: string, files: NonNullable<RuleContext["files"]>): boolean {
  const folder = path.replace(/(?:(\/letsencrypt\/live)\/[^/]+)?\/[^/]*$/, "$1");
  return folder !== "" && files.kindOf(folder) === "directory";
}
