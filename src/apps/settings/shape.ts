import * as z from "zod/mini";
import { contextSectionTag } from "../../config/entry.js";
import { listReleases } from "../../facts/release.js";
import { type Severity, severities } from "../../lint/finding.js";
import { describeFormerRule, formerRules } from "../../lint/former-rules.js";
import { allRulesName, type GroupedRule, groupTitleOf, partitionByGroup } from "../../lint/rule-groups.js";
import { semantics } from "../../server/model/answer.js";
import { defaultExcludes } from "./default-excludes.js";

/** The data about a rule that is needed to set its severity. */
export interface NamedRule extends GroupedRule {
  readonly title: string;
}

/** The severity of a rule's findings; `off`: the rule does not run. */
export type RuleLevel = Severity | "off";
const ruleLevels: readonly RuleLevel[] = ["off", ...severities];

const text = (description: string) => z.string().check(z.minLength(1), z.describe(description));
const texts = (description: string) => z.array(z.string().check(z.minLength(1))).check(z.describe(description));

/** A release, by its usual name. */
const releaseShape = (description: string) =>
  z.enum(listReleases()).register(z.globalRegistry, { description, examples: ["2.4", "2.4.29", "rhel-7"] });

/** Settings for one server, or at the top level for all servers. */
const serverShape = {
  release: z.optional(releaseShape("The target version (`--release`). Default: 2.4.")),
  from: z.optional(releaseShape("The version you upgrade from (`--from`). `check` adds the rules about the upgrade.")),
  reading: z.optional(
    z
      .enum(semantics)
      .check(
        z.describe(
          "The semantics: `server` as httpd does, `guide` as the upgrade guide describes (`--reading`). Default: `server`.",
        ),
      ),
  ),
  serverRoot: z.optional(text("The directory for relative paths, instead of ServerRoot (`--server-root`).")),
  sysroot: z.optional(text("The directory for absolute paths of the configuration (`--sysroot`).")),
  map: z.optional(
    z
      .record(z.string().check(z.minLength(1)), z.string().check(z.regex(/^\//)))
      .check(z.describe("The path on the server for each file or directory of the repository (`--map HOST=SERVER`).")),
  ),
  confine: z.optional(text("No file of the configuration outside this directory is read (`--confine`).")),
  defines: z.optional(texts("`NAME` or `NAME=VALUE`, as `httpd -D` or Define (`--define`).")),
  envvars: z.optional(
    text("The server's environment file (`--envvars`). Default: `envvars` next to the main file, as on Debian."),
  ),
  modules: z.optional(texts("The loaded modules, instead of the LoadModule lines (`--modules`).")),
  withoutModules: z.optional(texts("Modules that are not loaded (`--modules=-MODULE`).")),
  files: z.optional(
    text(
      "The existing files: `disk`, `assume` (unknown files may exist or not), or a file that lists paths (`--files`).",
    ),
  ),
  expectations: z.optional(text("The expectations file that `httpd-lint test` checks.")),
};

const entry = "The server's main file, or its folder. Commands use it if they are not given one.";

/**
 * Builds the schema of a configuration file. Types, validation and the JSON schema are derived from it.
 *
 * @param rules all rules
 */
export function createSettingsShape(rules: readonly NamedRule[]) {
  const groups = partitionByGroup(rules).map(({ group }) => group);
  const former = [...formerRules].filter(([, rule]) => rules.some(({ id }) => id === rule));
  const names = [allRulesName, ...groups, ...rules.map(({ id }) => id), ...former.map(([id]) => id)];
  const described = [
    ...groups.map((group) => [group, `All rules of the group: ${groupTitleOf(group)}.`] as const),
    ...rules.map(({ id, title }) => [id, `${title}.`] as const),
  ];
  const level = z.enum(ruleLevels);
  const levels = [
    ...described.map(([name, description]) => [name, z.optional(level.check(z.describe(description)))] as const),
    ...former.map(([id, rule]) => {
      const description = `Deprecated: ${describeFormerRule(id, rule)}.`;
      return [id, z.optional(level.check(z.meta({ description, deprecated: true })))] as const;
    }),
  ];
  return z.strictObject({
    $schema: z.optional(text("The location of this schema, for editors.")),
    extends: z.optional(
      z
        .union([z.string().check(z.minLength(1)), z.array(z.string().check(z.minLength(1)))])
        .check(
          z.describe(
            "The configuration file, or a list of those, whose settings also apply. Own ones override them, and a later file overrides an earlier one.",
          ),
        ),
    ),
    entry: z.optional(text(entry)),
    servers: z.optional(
      z
        .array(z.strictObject({ entry: text(entry), ...serverShape }))
        .check(
          z.minLength(1),
          z.describe("Several servers instead of one `entry`. The keys of a server override those at the top level."),
        ),
    ),
    ...serverShape,
    rules: z.optional(
      z
        .strictObject(Object.fromEntries(levels))
        .check(
          z.describe(
            "The severity of each rule, or of all rules of a group. `off` turns them off. A rule overrides its group.",
          ),
        ),
    ),
    extendSelect: z.optional(
      z
        .array(z.enum(names))
        .check(z.describe("Rules and groups to run in addition to the default rules (`--extend-select`).")),
    ),
    ignores: z.optional(
      z
        .array(
          z.strictObject({
            paths: z
              .array(z.string().check(z.minLength(1)))
              .check(z.minLength(1), z.describe("Globs, relative to this file: `vendor/**`, `**/generated.conf`.")),
            rules: z.optional(
              z
                .array(z.enum(names))
                .check(z.minLength(1), z.describe("The rules or groups to ignore there. Default: all rules.")),
            ),
            reason: z.optional(text("The reason. `--report-ignored` shows it.")),
          }),
        )
        .check(z.describe("Findings to suppress, by path.")),
    ),
    fragments: z.optional(
      z
        .array(
          z.strictObject({
            paths: z
              .array(z.string().check(z.minLength(1)))
              .check(z.minLength(1), z.describe("Globs, relative to this file: `snippets/admin-*.conf`.")),
            context: z
              .array(
                z
                  .string()
                  .check(
                    z.regex(contextSectionTag),
                    z.describe('the opening line of a section, such as `<Directory "/srv/app">`'),
                  ),
              )
              .check(
                z.minLength(1),
                z.describe("The opening lines of the sections that include these files, outermost first."),
              ),
          }),
        )
        .check(z.describe("The sections that include files without a main file.")),
    ),
    exclude: z.optional(
      texts(
        `Paths that a search of a folder leaves out, as patterns of \`.gitignore\` relative to this file, instead of the default ones: ${defaultExcludes.join(", ")}.`,
      ),
    ),
    extendExclude: z.optional(texts("Further paths that a search of a folder leaves out (`--exclude`).")),
    "extend-exclude": z.optional(texts("The same as `extendExclude`.")),
    baseline: z.optional(text("The file of known findings, which are suppressed (`--baseline`).")),
    cache: z.optional(
      text("The file for cached results of `check`, which are used again while no file changes (`--cache-location`)."),
    ),
  });
}

/** A configuration file as written. */
export type SettingsDocument = z.infer<ReturnType<typeof createSettingsShape>>;

/** Returns the JSON schema of a configuration file. */
export function createSettingsSchema(rules: readonly NamedRule[]) {
  return {
    ...z.toJSONSchema(createSettingsShape(rules), { io: "input" }),
    not: { required: ["entry", "servers"] },
    title: "httpd-lint configuration file",
    description: "The configuration file of httpd-lint, `.httpd-lint.json`. Paths are relative to the file.",
  };
}
