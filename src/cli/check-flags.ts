import type { Argv } from "yargs";
import { type Severity, severities } from "../engine/finding.js";
import { type Format, formats } from "../report/index.js";
import { groups, mainFlag, releaseFlag, resultFlags } from "./flags.js";
import { CACHE_FILE } from "./kept-results.js";

/** The flags and words of `check`, beside those that commands share. */
export function checkOptions<T>(command: Argv<T>) {
  return resultFlags(command)
    .positional("paths", {
      type: "string",
      array: true,
      describe: "files, folders, or - for standard input",
      defaultDescription: "the servers of the settings, or .",
    })
    .option("main", mainFlag)
    .option("skip-unrecognized", {
      type: "boolean",
      default: false,
      describe: "skip given files that are not httpd configuration, for hooks",
    })
    .option("from", releaseFlag("the release that the configuration comes from: adds the upgrade's rules"))
    .option("format", {
      requiresArg: true,
      choices: formats,
      default: "text" as Format,
      describe: "how findings are written",
    })
    .option("select", { type: "string", array: true, nargs: 1, describe: "only these rules: rule-a,rule-b" })
    .option("disable", { type: "string", array: true, nargs: 1, describe: "all rules but these" })
    .option("min-severity", {
      requiresArg: true,
      choices: severities,
      default: "info" as Severity,
      describe: "findings below it are left out",
    })
    .option("fix", {
      choices: ["safe", "unsafe"] as const,
      describe: "change the files where that is proved to be safe; --fix=unsafe: elsewhere, too",
    })
    .option("diff", { type: "boolean", default: false, describe: "show what --fix would write, and write nothing" })
    .option("backup-dir", {
      type: "string",
      requiresArg: true,
      describe: "where --fix keeps the old texts (default: `.httpd-lint` beside the main file)",
    })
    .option("statistics", {
      type: "boolean",
      default: false,
      describe: "count findings by rule instead of showing them",
    })
    .option("baseline", {
      type: "string",
      requiresArg: true,
      describe: "a file of findings that are known and stay quiet",
    })
    .option("update-baseline", {
      type: "boolean",
      default: false,
      describe: "write all that is found into the baseline",
    })
    .option("changed-since", {
      type: "string",
      requiresArg: true,
      describe: "a commit of git: only what is found in lines changed since",
    })
    .option("watch", { type: "boolean", default: false, describe: "check again whenever something is changed" })
    .option("jobs", {
      alias: "j",
      type: "string",
      requiresArg: true,
      describe: "so many threads share the work where there are thousands of files",
      defaultDescription: "the processors, at most 8",
    })
    .option("cache", {
      type: "boolean",
      describe: "tell again what was found before, while nothing that was read is changed",
    })
    .option("cache-location", {
      type: "string",
      requiresArg: true,
      describe: `the file that --cache keeps it in (default: ${CACHE_FILE} beside the settings, or here)`,
    })
    .option("report-ignored", { type: "boolean", default: false, describe: "say what is kept quiet, and by what" })
    .option("category", {
      type: "string",
      requiresArg: true,
      describe: "SARIF: keeps several runs of one commit apart",
    })
    .group(["from", "main", "skip-unrecognized", "stdin-filename"], groups.read)
    .group(["select", "disable", "min-severity", "changed-since", "baseline", "update-baseline"], groups.told)
    .group(["report-ignored", "statistics"], groups.told)
    .group(["fix", "diff", "backup-dir"], groups.changed)
    .group(["format", "output", "category", "color", "quiet", "exit-zero"], groups.written)
    .group(["jobs", "watch", "cache", "cache-location"], groups.run);
}
