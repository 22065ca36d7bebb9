import {
  type DefiniteAnswer,
  describeAnswer,
  formatLineTitle,
  type OutsideClient,
  type OutsideServer,
  optionsOf,
  overrideClassesOf,
  witnessOf,
} from "../../src/lint/api/access.js";
import type { Directive, Project } from "../../src/lint/api/configuration.js";
import { defineRule, encodeUrlPath, nativePath, type Report, toReadable } from "../../src/lint/api/rule.js";

const messages = {
  runs: (directory: string, file: string, answer: DefiniteAnswer) => ({
    message: `programs run in the upload directory \`${nativePath(toReadable(directory))}\``,
    notes: [`${describeAnswer(answer)}, the output of the program, if \`${nativePath(toReadable(file))}\` is uploaded`],
    help: [disable],
  }),
  includes: (directory: string, answer: DefiniteAnswer) => ({
    message: `files in the upload directory \`${nativePath(toReadable(directory))}\` can run commands`,
    notes: [`with \`Options Includes\`, \`#exec\` in a file runs a command: ${describeAnswer(answer)}`],
    help: [disable],
  }),
  overrides: (directory: string, line: Directive) => ({
    message: `${formatLineTitle(line)} applies to the upload directory \`${nativePath(toReadable(directory))}\``,
    notes: ["an uploaded `.htaccess` file can make other files run as programs"],
    help: [disable],
  }),
};

const disable =
  'add a `<Directory>` section with `Options None`, `AllowOverride None`, and `Require all denied` for programs in `<FilesMatch "\\.(?:php|cgi|pl)$">`';

export const executableUpload = defineRule({
  id: "executable-upload",
  title: "Programs run in an upload directory",
  group: "exposure",
  severity: "warning",
  description: "A directory for uploads, by its name, in which files run as programs.",
  help: "If an application stores an uploaded file under its own name, the client runs a program on the server. In directories for uploads, turn off handlers, Options and `.htaccess` files.",
  securitySeverity: 6.5,
  references: { stig: ["V-214281"], cwe: [434, 97] },
  tags: ["security"],
  messages,
  check: () => ({
    exposure: {
      holding: ["documentroot", "alias"],
      *check({ line, server, context: { project } }, client) {
        const served = client.directoriesOf(line);
        for (const { path, entries } of served?.all ?? []) {
          if (served === undefined || !uploadName.test(path)) continue;
          // A directory with programs of its own belongs to an application.
          if (entries.some(({ name }) => programName.test(name))) continue;
          const { from, to } = served.mapping;
          yield* checkDirectory({ path, url: from + path.slice(to.length), line, server, project }, client);
        }
      },
    },
  }),
});

const uploadName = /\/(?:uploads?|uploaded|files|media|tmp|temp)\/$/i;
const programName = /\.(?:php\d?|phtml|f?cgi|pl|py|rb)$/i;
const programs = ["x.cgi", "x.pl", "x.php", "x.phtml"];

/** A directory of the disk that may be for uploads. */
interface UploadDirectory {
  readonly path: string;
  readonly url: string;
  readonly line: Directive;
  readonly server: OutsideServer;
  readonly project: Project;
}

function* checkDirectory(
  { path, url, line, server, project }: UploadDirectory,
  client: OutsideClient,
): Generator<Report> {
  // A virtual host with another document root does not serve the directory.
  if (client.fileAt(server, url) !== path) return;
  for (const name of programs) {
    const answer = client.ask(server, { path: encodeUrlPath(url) + name });
    if (answer?.status !== 200 || (answer.answeredBy !== "program" && answer.answeredBy !== "backend")) continue;
    // A backend for all paths is not the handler of a file.
    if (answer.file === undefined && answer.handler === undefined) continue;
    yield { message: messages.runs(path, path + name, answer), span: line.span, witness: witnessOf(answer) };
    return;
  }
  const page = client.ask(server, { path: `${encodeUrlPath(url)}x.shtml` });
  if (page?.status !== 200) return;
  const { layers } = page;
  const witness = witnessOf(page);
  if (optionsOf(page).has("exec") && layers.some(filtersIncludes)) {
    yield { message: messages.includes(path, page), span: line.span, witness };
    return;
  }
  const override = layers.map((layer) => layer.setting("allowoverride")).findLast((each) => each !== undefined);
  const classes = overrideClassesOf(page, project);
  if (override && classes.has("FileInfo") && classes.has("Options"))
    yield { severity: "info", message: messages.overrides(path, override), span: override.span, witness };
}

/** Reports whether lines make mod_include process files with the extension `.shtml`. */
function filtersIncludes({ directives }: DefiniteAnswer["layers"][number]): boolean {
  return directives.some(
    ({ key, argumentText }) =>
      (key === "addoutputfilter" && /\bINCLUDES\b.*\bs?html\b/i.test(argumentText)) ||
      (key === "setoutputfilter" && /\bINCLUDES\b/i.test(argumentText)),
  );
}
