/** The JSON outputs of `check` and `rules`. */
import * as z from "zod";
import { fixSafeties, severities } from "../../lint/finding.js";
import { recommendationStates } from "../../lint/recommendations.js";
import { referenceCatalogues } from "../../lint/references.js";
import { ruleGroups } from "../../lint/rule-groups.js";
import { countSchema, rangeFields, requestSchema, textSchema, versionSchema } from "./parts.js";

const path = textSchema.meta({
  id: "path",
  description: "A path with symbolic links resolved. Relative if the file is in the working directory.",
});
const base64 = z.string().describe("The new text in Base64, instead of `text`, if it is not valid UTF-8.");

export const editSchema = z
  .union([z.strictObject({ path, ...rangeFields, text: z.string() }), z.strictObject({ path, ...rangeFields, base64 })])
  .meta({ id: "edit" });

const fix = z
  .strictObject({
    title: z.string(),
    safety: z.enum(fixSafeties).describe("`safe`: proved to change no access decision."),
    edits: z
      .array(editSchema)
      .min(1)
      .describe("Edits that replace the text between two positions. They are sorted and do not overlap."),
  })
  .meta({ id: "fix" });

export const findingSchema = z
  .strictObject({
    rule: textSchema,
    severity: z
      .enum(severities)
      .describe(
        "error: httpd will not start, requests return 500, or a client is allowed that should not be. warning: httpd does something other than the configuration suggests. info: advice.",
      ),
    message: z.string().describe("The header: one line that makes sense on its own."),
    notes: z.array(z.string()).describe("Facts: the effect, the evidence, the assumptions about unknown files."),
    help: z.array(z.string()).describe("What to do, one imperative sentence each."),
    url: textSchema.describe("The page of the rule, if its address is known.").optional(),
    path,
    ...rangeFields,
    label: textSchema.describe("A short label of the span.").optional(),
    isAboutServer: z
      .literal(true)
      .describe("The finding concerns the whole server, not the line that it is reported at.")
      .optional(),
    related: z
      .array(z.strictObject({ message: z.string(), path, ...rangeFields }).meta({ id: "related" }))
      .describe("Further locations, each with its label. Of those with the same cause, at most 1000."),
    hosts: z
      .array(z.string())
      .min(1)
      .describe(
        "All virtual hosts that the finding is in, by their ServerName, or else by their addresses. Absent outside of virtual hosts.",
      )
      .optional(),
    witness: requestSchema.describe("A request that shows what the finding reports.").optional(),
    fix: fix.optional(),
  })
  .meta({ id: "finding" });

export const suppressionSchema = z
  .discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("comment"), line: z.int().min(1), reason: z.string().optional() }),
    z.strictObject({ kind: z.literal("settings"), path, glob: textSchema, reason: z.string().optional() }),
    z.strictObject({ kind: z.literal("baseline"), path }),
  ])
  .meta({
    id: "silencer",
    description:
      "What suppresses the finding: a comment in its file, a glob of the configuration file, or the baseline.",
  });

/** The number of findings of each severity, and of files and lines read. */
const findingCounts = { error: countSchema, warning: countSchema, info: countSchema };
const readCounts = { files: countSchema, lines: countSchema };
const aboutCounts = "The number of findings of each severity, and of files and lines read.";

export const checkOutput = z
  .strictObject({
    version: versionSchema,
    findings: z.array(findingSchema).describe("The findings, sorted by file and location."),
    ignored: z
      .array(z.strictObject({ finding: findingSchema, by: suppressionSchema }))
      .describe("With `--report-ignored`: the suppressed findings, each with what suppresses it.")
      .optional(),
    unchecked: z
      .array(
        z.strictObject({
          path: textSchema,
          line: z.int().min(1).describe("The line of the opening tag."),
          tag: textSchema.describe("The opening tag, such as `<IfDefine DEBUG>`."),
          lines: countSchema.describe("The number of lines in the section."),
          isSkippedByServer: z.literal(true).describe("Present if the server is known to skip the section.").optional(),
          isCheckedForStart: z.literal(true).describe("Present if only errors at start were looked for.").optional(),
        }),
      )
      .describe(
        "The conditional sections whose lines were not checked, because no server is known that applies them, or because the server skips them.",
      )
      .optional(),
    unreadCommands: z
      .array(
        z.strictObject({
          path: textSchema,
          line: z.int().min(1).describe("The line of the command."),
          command: textSchema.describe("The name of the command, such as `sed`."),
          target: textSchema.describe("The path of the file that it writes or changes, as written."),
        }),
      )
      .describe(
        "The commands in scripts and Dockerfiles that write or change configuration in a way that cannot be read. Absent if there are none.",
      )
      .optional(),
    assumedModules: z
      .array(textSchema)
      .describe(
        "The modules, by identifier, that are assumed to be loaded, because a part of a server needs them and the modules of its server are not known.",
      )
      .optional(),
    summary: z
      .strictObject({
        ...findingCounts,
        fixable: countSchema.describe("The number of findings that `--fix` fixes."),
        ...readCounts,
        untried: countSchema
          .describe(
            "The number of redirects and rewrite rules that were not tried, because the limit of simulated requests is reached. Absent if there are none.",
          )
          .optional(),
      })
      .describe(aboutCounts),
  })
  .meta({ title: "httpd-lint check", description: "The output of `httpd-lint check --format json`." });

export const fileListOutput = z
  .strictObject({
    version: versionSchema,
    files: z
      .array(
        z.strictObject({
          path,
          placement: z
            .enum(["main", "part", "separate"])
            .describe("`main`: the main file of a server. `part`: a server reads it. `separate`: checked on its own."),
          form: z
            .enum(["plain", "htaccess", "template", "embedded"])
            .describe("`template`: by its name. `embedded`: a text in a file of another format."),
          servers: z.array(textSchema).describe("The main files of the servers that read it."),
          missedBy: z.array(textSchema).describe("The main files of the servers near it that do not read it."),
          line: z.int().min(1).describe("The line on which an embedded text begins.").optional(),
          target: textSchema.describe("The name of an embedded text: its path in the server, or its key.").optional(),
        }),
      )
      .describe("The files that `check` checks with the same arguments, sorted by path."),
    excluded: z
      .array(
        z.strictObject({
          path: textSchema.describe("The path of a directory ends in a slash."),
          by: z.discriminatedUnion("kind", [
            z.strictObject({ kind: z.enum(["default", "flag"]), pattern: textSchema }),
            z.strictObject({ kind: z.literal("settings"), path: textSchema, pattern: textSchema }),
            z.strictObject({ kind: z.literal("git"), path: textSchema, line: z.int().min(1) }),
          ]),
        }),
      )
      .describe(
        "The directories and files that a search leaves out, each with the pattern of the defaults, of `--exclude` or of the configuration file, or the line of Git's rules.",
      ),
  })
  .meta({
    title: "httpd-lint check --list-files",
    description: "The output of `httpd-lint check --list-files --format json`.",
  });

const settingOrigins = z
  .array(
    z.discriminatedUnion("kind", [
      z.strictObject({ kind: z.enum(["flag", "environment"]), name: textSchema }),
      z.strictObject({ kind: z.literal("file"), path: textSchema }),
      z.strictObject({ kind: z.literal("dockerfile") }),
    ]),
  )
  .describe("The flags, variables and configuration files that set it. Empty for a default.");

export const settingsOutput = z
  .strictObject({
    version: versionSchema,
    servers: z
      .array(
        z.strictObject({
          files: z.array(textSchema).min(1).describe("The main file of the server, or the files that no server reads."),
          settingsFiles: z
            .array(textSchema)
            .describe("The configuration file that applies, then those that it extends. Empty if none applies."),
          settings: z
            .array(
              z.strictObject({
                name: textSchema.describe("The key in the configuration file."),
                value: z
                  .union([
                    z.string(),
                    z.array(z.string()),
                    z.array(
                      z.strictObject({
                        paths: z.array(z.string()).describe("Globs, or patterns of `.gitignore`."),
                        directory: textSchema
                          .describe("The directory that they are relative to. Absent if that is any directory.")
                          .optional(),
                        rules: z.array(textSchema).optional(),
                        context: z.array(textSchema).optional(),
                        reason: z.string().optional(),
                      }),
                    ),
                  ])
                  .describe("Absent if it is not set and has no default.")
                  .optional(),
                origins: settingOrigins,
              }),
            )
            .describe("All settings, in the order of the documentation."),
          rules: z
            .array(z.strictObject({ id: textSchema, severity: z.enum(severities), origins: settingOrigins }))
            .describe(
              "The rules that run, with the severity of their findings; the variants of a rule if they differ, or only some of them run.",
            ),
        }),
      )
      .describe("The servers, and the files that no server reads, that `check` checks with the same arguments."),
  })
  .meta({
    title: "httpd-lint check --show-settings",
    description: "The output of `httpd-lint check --show-settings --format json`.",
  });

const ruleCounts = z.array(z.strictObject({ rule: textSchema, count: z.int().min(1) }));

export const statisticsOutput = z
  .strictObject({
    version: versionSchema,
    statistics: ruleCounts.describe("The rules with findings, sorted by number of findings in descending order."),
    summary: z.strictObject({ ...findingCounts, ...readCounts }).describe(aboutCounts),
  })
  .meta({
    title: "httpd-lint check --statistics",
    description: "The output of `httpd-lint check --statistics --format json`.",
  });

const recommendationNumber = z.string().regex(/^\d+\.\d+$/);

export const recommendationsOutput = z
  .strictObject({
    version: versionSchema,
    benchmark: z
      .strictObject({ title: textSchema, edition: textSchema })
      .describe("The benchmark that the numbers belong to."),
    recommendations: z
      .array(
        z.strictObject({
          number: recommendationNumber,
          summary: textSchema.describe("The recommendation in our own words."),
          state: z.enum(recommendationStates),
          rules: z.array(textSchema).describe("The rules that refer to the recommendation."),
          findings: ruleCounts.describe("The findings about the recommendation by rule, including suppressed ones."),
          reason: textSchema.describe("Why the recommendation is not decidable.").optional(),
        }),
      )
      .describe("All recommendations of the benchmark, in its order."),
    summary: z
      .strictObject({ met: countSchema, notMet: countSchema, notDecidable: countSchema, ...readCounts })
      .describe("The number of recommendations in each state, and of files and lines read."),
  })
  .meta({
    title: "httpd-lint check --statistics --by reference",
    description: "The output of `httpd-lint check --statistics --by reference --format json`.",
  });

const cis = referenceCatalogues.find(({ key }) => key === "cis");

export const rulesOutput = z
  .strictObject({
    version: versionSchema,
    rules: z
      .array(
        z.strictObject({
          id: textSchema,
          group: z.enum(ruleGroups).describe("The group, which selects all its rules."),
          severity: z.enum(severities).describe("The default severity."),
          title: textSchema,
          description: textSchema.describe("What the rule reports."),
          help: textSchema.describe("The effect and the remedy."),
          tags: z.array(textSchema),
          references: z
            .strictObject({
              cis: z
                .array(recommendationNumber)
                .describe(`Recommendations of the ${cis?.title} ${cis?.edition}.`)
                .optional(),
              stig: z
                .array(z.string().regex(/^V-\d+$/))
                .describe("Vulnerability ids of DISA's guide for Apache 2.4 on UNIX.")
                .optional(),
              cwe: z.array(z.int().min(1)).describe("Weaknesses of the Common Weakness Enumeration.").optional(),
            })
            .describe("The parts of public catalogues that describe what the rule reports."),
          isDefault: z.boolean().describe("Whether the rule runs unless it is disabled. Other rules must be selected."),
          upgradeOnly: z.boolean().describe("Whether the rule runs only with `--from`."),
          url: textSchema.describe("The web address of the page, if known.").optional(),
          page: textSchema.describe("The page in Markdown, if the rule is named.").optional(),
        }),
      )
      .describe("All rules, or the one that is named."),
  })
  .meta({ title: "httpd-lint rules", description: "The output of `httpd-lint rules --format json`." });
