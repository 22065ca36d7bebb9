import { type DefiniteAnswer, describeAnswer, formatLineTitle, witnessOf } from "../../src/lint/api/access.js";
import type { Directive } from "../../src/lint/api/configuration.js";
import { createFix, defineRule, type Edit, replaceSpan, toReadable } from "../../src/lint/api/rule.js";

const messages = {
  listed: (line: Directive, { first, others }: Listings) => ({
    message: `${formatLineTitle(line)} lists the contents of \`${toReadable(first.request.path)}\``,
    notes: [
      "the directory does not have an index file",
      ...(others === 0 ? [] : [`${others} more directories are listed`]),
      `${describeAnswer(first)}, with the names of all files`,
    ],
    help: ["set `Options -Indexes`, or add an index file"],
  }),
};

const fixTitle = "Remove `Indexes` from Options";

export const directoryListing = defineRule({
  id: "directory-listing",
  title: "Directory contents listed for everyone",
  group: "exposure",
  severity: "warning",
  description:
    "Options Indexes applies to a served directory without an index file, so that every client sees all file names.",
  help: "A listing shows files that no page links to, such as backups. Remove Indexes from Options, or add an index file.",
  securitySeverity: 5.3,
  references: { cis: ["2.5", "5.2", "5.3"], cwe: [548] },
  tags: ["security"],
  messages,
  check: () => ({
    exposure: {
      holding: ["documentroot", "alias"],
      *check({ line, server }, client) {
        const served = client.directoriesOf(line);
        if (served === undefined) return;
        const { mapping, all } = served;
        const byLine = new Map<Directive, Listings>();
        for (const { path } of all) {
          if (publicName.test(path)) continue;
          const answer = client.askForListing(server, mapping, path);
          const options = answer && listingOptionsOf(answer);
          if (answer === undefined || options === undefined) continue;
          const known = byLine.get(options);
          const isOfRoot = path === mapping.to || known?.isOfRoot === true;
          byLine.set(options, { first: known?.first ?? answer, others: known ? known.others + 1 : 0, isOfRoot });
        }
        for (const [options, listings] of byLine) {
          const fix = createFix(fixTitle, "unsafe", removeIndexes(options));
          yield {
            message: messages.listed(options, listings),
            span: options.span,
            witness: witnessOf(listings.first),
            references: { cis: ["2.5", ...(listings.isOfRoot && line.key === "documentroot" ? ["5.2"] : [])] },
            ...fix,
          };
        }
      },
    },
  }),
});

interface Listings {
  readonly first: DefiniteAnswer;
  readonly others: number;
  /** Whether the directory that the line names is listed. */
  readonly isOfRoot: boolean;
}

/** Directories that exist to be listed. */
const publicName = /\/(?:pub|public|downloads?|icons|mirrors?)\//i;

/** Directives that prepare a listing on purpose. */
const preparations = ["indexoptions", "headername", "readmename", "adddescription", "indexstylesheet"];

/** Returns the line that turns listings on; undefined if a section or a `.htaccess` file prepares them on purpose. */
function listingOptionsOf({ layers }: DefiniteAnswer): Directive | undefined {
  const isIntended = layers.some((layer) => layer.section && preparations.some((name) => layer.has(name)));
  if (isIntended) return undefined;
  const lines = layers.flatMap((layer) => layer.directives.filter(({ key }) => key === "options"));
  return lines.findLast((line) => line.arguments.some(({ value }) => /^\+?(?:indexes|all)$/i.test(value)));
}

/** Replaces the words of an Options line, so that it sets and removes the other options as before. */
function removeIndexes(line: Directive): Edit | undefined {
  const [first] = line.arguments;
  const last = line.arguments.at(-1);
  const words = line.arguments.map(({ value }) => value);
  if (first === undefined || last === undefined || words.some((word) => /^\+?all$/i.test(word))) return undefined;
  const isAdding = words.every((word) => /^[+-]/.test(word));
  const left = words.filter((word) => !/^\+?indexes$/i.test(word));
  // Inherited options may contain it.
  const fixed = isAdding ? [...left, "-Indexes"] : left;
  const span = { ...line.spanOf(first), end: line.spanOf(last).end };
  return replaceSpan(span, fixed.length === 0 ? "None" : fixed.join(" "));
}
