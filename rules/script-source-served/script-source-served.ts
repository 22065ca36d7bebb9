import { type DefiniteAnswer, describeAnswer, type ListedDirectory, witnessOf } from "../../src/lint/api/access.js";
import { defineRule, toReadable } from "../../src/lint/api/rule.js";

const messages = {
  served: (extension: string, answer: DefiniteAnswer, others: number) => ({
    message: `\`${toReadable(answer.request.path)}\` is served as source code`,
    notes: [
      "no handler runs this file",
      ...(others === 0 ? [] : [`${others} more directories have such files`]),
      `${describeAnswer(answer)}, with the source`,
    ],
    help: [helpFor(extension)],
  }),
};

export const scriptSourceServed = defineRule({
  id: "script-source-served",
  title: "Source of a program served to everyone",
  group: "exposure",
  severity: "error",
  description: "A PHP or CGI program on the disk is served as a file, so that every client reads its source.",
  help: "Sources contain passwords and show weaknesses. The module that runs the program is not loaded, its conditional section has the name of an older module, or only another virtual host sets the handler.",
  securitySeverity: 7.5,
  references: { cwe: [540] },
  tags: ["security"],
  messages,
  check: () => ({
    exposure: {
      holding: ["documentroot", "alias"],
      *check({ line, server }, client) {
        const served = client.directoriesOf(line);
        const found = new Map<string, { first: DefiniteAnswer; others: number }>();
        for (const directory of served?.all ?? [])
          for (const [extension, file] of findPrograms(directory)) {
            const text = client.disk?.textOf?.(file);
            if (served === undefined || !isSource(extension, text)) continue;
            const answer = client.askForFile(server, served.mapping, file);
            if (answer === undefined) continue;
            const known = found.get(extension);
            found.set(extension, known ? { ...known, others: known.others + 1 } : { first: answer, others: 0 });
          }
        for (const [extension, { first, others }] of found)
          yield { message: messages.served(extension, first, others), span: line.span, witness: witnessOf(first) };
      },
    },
  }),
});

/** Returns the first program of each kind in a directory, by extension. */
function findPrograms({ path, entries }: ListedDirectory): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { name, kind } of entries) {
    const extension = kind === "file" ? /\.(php\d?|phtml|f?cgi)$/i.exec(name)?.[1]?.toLowerCase() : undefined;
    if (extension !== undefined && !found.has(extension)) found.set(extension, path + name);
  }
  return found;
}

/** Reports whether the text of a file is a program; without the text, its name decides. */
function isSource(extension: string, text: string | undefined): boolean {
  return text === undefined || (extension.startsWith("ph") ? text.includes("<?") : text.startsWith("#!"));
}

function helpFor(extension: string): string {
  if (!extension.startsWith("ph")) return "move the file to a ScriptAlias directory that is not below a served one";
  return 'load the module of PHP, or add `<FilesMatch "\\.php$">` with `SetHandler "proxy:fcgi://…"`';
}
