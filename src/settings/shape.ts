import * as z from "zod/mini";
import { type Severity, severities } from "../engine/finding.js";
import { contextSectionTag } from "../project/discovery/entry.js";

/** The data about a rule that is needed to set its severity. */
export interface NamedRule {
  readonly id: string;
  readonly title: string;
}

/** The severity of a rule's findings; `off`: the rule does not run. */
export type RuleLevel = Severity | "off";
const ruleLevels: readonly RuleLevel[] = ["off", ...severities];

const text = (description: string) => z.string().check(z.minLength(1), z.describe(description));
const texts = (description: string) => z.array(z.string().check(z.minLength(1))).check(z.describe(description));
const releases = ["2.2", "2.4"] as const;

/** Settings for one server, or at the top level for all servers. */
const serverShape = {
  release: z.optional(
    z.enum(releases).check(z.describe("The release that reads the configuration (`--release`); default 2.4.")),
  ),
  from: z.optional(
    z
      .enum(releases)
      .check(z.describe("The release that the configuration comes from: `check` adds the upgrade's rules (`--from`).")),
  ),
  reading: z.optional(
    z
      .enum(["server", "guide"])
      .check(z.describe("What httpd does, or what its upgrade guide says (`--reading`); default server.")),
  ),
  serverRoot: z.optional(
    text("Where relative paths of the configuration start, in place of ServerRoot (`--server-root`)."),
  ),
  sysroot: z.optional(text("Absolute paths of the configuration are read below this directory (`--sysroot`).")),
  map: z.optional(
    z
      .record(z.string().check(z.minLength(1)), z.string().check(z.regex(/^\//)))
      .check(
        z.describe(
          "For each file or directory here, the path on the server that is read from it (`--map HOST=SERVER`).",
        ),
      ),
  ),
  confine: z.optional(text("Nothing of the configuration outside this directory is read (`--confine`).")),
  defines: z.optional(texts("`NAME` or `NAME=VALUE`, as `httpd -D` or Define (`--define`).")),
  envvars: z.optional(
    text("The server's environment file (`--envvars`); default: `envvars` beside the main file, as Debian has it."),
  ),
  modules: z.optional(texts("The loaded modules, in place of the LoadModule lines (`--modules`).")),
  withoutModules: z.optional(texts("Modules that are not loaded (`--no-module`).")),
  files: z.optional(
    text("Which files exist: `disk`, `assume` (unknown: both are decided), or a file that lists paths (`--files`)."),
  ),
  expectations: z.optional(text("The file of expectations that `httpd-lint test` holds the server to.")),
};

const entry = "The server's main file, or its folder: what is meant where a command is given none.";

/**
 * Builds the schema of a configuration file. Types, validation and the JSON schema are derived from it.
 *
 * @param rules all rules
 */
export function createSettingsShape(rules: readonly NamedRule[]) {
  const ids = rules.map(({ id }) => id);
  const severities = rules.map(
    ({ id, title }) => [id, z.optional(z.enum(ruleLevels).check(z.describe(`${title}.`)))] as const,
  );
  return z.strictObject({
    $schema: z.optional(text("Where this schema lies, for editors.")),
    entry: z.optional(text(entry)),
    servers: z.optional(
      z
        .array(z.strictObject({ entry: text(entry), ...serverShape }))
        .check(
          z.minLength(1),
          z.describe("Several servers in place of one `entry`; what each says is laid over what stands at the top."),
        ),
    ),
    ...serverShape,
    rules: z.optional(
      z
        .strictObject(Object.fromEntries(severities))
        .check(z.describe("What the findings of a rule are, by its name; `off`: it does not run.")),
    ),
    ignores: z.optional(
      z
        .array(
          z.strictObject({
            paths: z
              .array(z.string().check(z.minLength(1)))
              .check(z.minLength(1), z.describe("Globs, relative to this file: `vendor/**`, `**/generated.conf`.")),
            rules: z.optional(
              z.array(z.enum(ids)).check(z.minLength(1), z.describe("The rules that are ignored there; absent: all.")),
            ),
            reason: z.optional(text("Why, for those who read it; `--report-ignored` says it.")),
          }),
        )
        .check(z.describe("Findings that are not shown, by where they are.")),
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
                z.describe("The opening lines of the sections that include them, outermost first."),
              ),
          }),
        )
        .check(z.describe("The sections that files without a main file are included in.")),
    ),
    baseline: z.optional(text("The file of findings that are known and stay quiet (`--baseline`).")),
    cache: z.optional(
      text(
        "The file in which `check` keeps what it finds, to tell it again where nothing was changed (`--cache-location`).",
      ),
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
    title: "httpd-lint settings",
    description: "Project settings of httpd-lint, `.httpd-lint.json`. Paths are relative to the file.",
  };
}
