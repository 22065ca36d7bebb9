import type { Argv } from "yargs";
import type { Release } from "../../directives/directives.js";
import { DEFAULT_CLIENT_IP } from "../../httpd/request/request-parser.js";
import { type TestFormat, testFormats } from "../../report/decisions/test-results.js";
import { readings } from "../../simulate/model/decision.js";
import { EXPECTATIONS_FILE } from "../inputs/expectations.js";
import { STDIN_NAME } from "../inputs/standard-input.js";
import { compareFormats } from "./compare.js";
import { explainFormats } from "./explain.js";
import { mapFormats } from "./map.js";
import { migrateFormats } from "./migrate.js";
import { addEntryArgument, defineFilesFlag, defineReleaseFlag, flagGroups } from "./shared-options.js";
import { upgradeFormats } from "./upgrade.js";

/** Defines the flags and positional arguments of each command, apart from the shared ones. */

export function addResolveOptions<T>(command: Argv<T>) {
  return command
    .positional("entry", { type: "string", describe: "the main configuration file (default: of the settings)" })
    .option("stdin-filename", {
      type: "string",
      requiresArg: true,
      describe: "with the path -: the file that standard input stands for",
      defaultDescription: STDIN_NAME,
      group: flagGroups.read,
    })
    .option("output", { type: "string", describe: "write the result to a file", requiresArg: true })
    .option("quiet", { alias: "q", type: "boolean", default: false, describe: "no notes on standard error" })
    .group(["output", "quiet"], flagGroups.written);
}

/** Defines the flags that describe a request and its client. */
export function addRequestOptions<T>(command: Argv<T>) {
  const text = (describe: string) => ({ type: "string", requiresArg: true, describe }) as const;
  const several = (describe: string) => ({ type: "string", array: true, nargs: 1, describe }) as const;
  return command
    .positional("url", { type: "string", describe: "a URL, or a path with or without a query" })
    .option("method", text("the method (default GET)"))
    .option("scheme", text("http or https"))
    .option("host", text("the Host header: names the virtual host"))
    .option("port", text("the port that the server is asked at"))
    .option("server-ip", text("the address that the server is asked at (default 127.0.0.1)"))
    .option("client-ip", text(`the client's address, behind any proxy (default ${DEFAULT_CLIENT_IP}, from anywhere)`))
    .option("client-host", text("the client's name, where its address leads to it and it leads back"))
    .option("user", text("who it is, with the right password"))
    .option("group", several("a group of the user (default: those in the group file)"))
    .option("grants", several("what a directory, database or resolver grants: 'ldap-group cn=staff'"))
    .option("header", several('another header: "Name: value"'))
    .option("env", several("a variable set before access is checked: NAME[=VALUE]"))
    .option("query", text("the query, where the URL has none"))
    .group(["method", "scheme", "host", "port", "server-ip", "query", "header"], flagGroups.asked)
    .group(["client-ip", "client-host", "user", "group", "grants", "env"], flagGroups.asked);
}

export function addExplainOptions<T>(command: Argv<T>) {
  return command
    .option("requests", {
      type: "string",
      requiresArg: true,
      describe: "an access log (common, combined or JSON) in place of one request, - for standard input",
    })
    .option("changed", {
      type: "boolean",
      default: false,
      describe: "with --requests: only what is answered otherwise than logged",
    })
    .option("format", {
      requiresArg: true,
      choices: explainFormats,
      default: "text" as (typeof explainFormats)[number],
      describe: "how the answer is written",
    })
    .group("requests", flagGroups.asked)
    .group("changed", flagGroups.told);
}

export function addTestOptions<T>(command: Argv<T>) {
  return command
    .positional("file", { type: "string", describe: `the expectations (default: ${EXPECTATIONS_FILE})` })
    .option("format", {
      requiresArg: true,
      choices: testFormats,
      default: "text" as TestFormat,
      describe: "how results are written",
    });
}

export function addCompareOptions<T>(command: Argv<T>) {
  return command
    .positional("before", {
      type: "string",
      describe: "the main file of a server, its folder, or a file that it reads (default: of the settings)",
    })
    .positional("after", {
      type: "string",
      describe: "the one to compare it with (default: the same under another release)",
    })
    .option("release", defineReleaseFlag("the release that reads both (default 2.4)"))
    .option("from", defineReleaseFlag("the release that reads BEFORE (default 2.2 where there is no AFTER)"))
    .option("to", defineReleaseFlag("the release that reads AFTER (default 2.4)"))
    .option("requests", {
      type: "string",
      requiresArg: true,
      describe: "an access log: which of its requests are answered differently, - for standard input",
    })
    .option("format", {
      requiresArg: true,
      choices: compareFormats,
      default: "text" as (typeof compareFormats)[number],
      describe: "how the comparison is written",
    })
    .group(["release", "from", "to"], flagGroups.read)
    .group("requests", flagGroups.asked);
}

export function addMapOptions<T>(command: Argv<T>) {
  return addEntryArgument(command)
    .option("release", defineReleaseFlag("one release alone (default: both, each that starts with the configuration)"))
    .option("files", defineFilesFlag("HTML: which files exist"))
    .option("format", {
      requiresArg: true,
      choices: mapFormats,
      default: "text" as (typeof mapFormats)[number],
      describe: "how the map is written",
    })
    .group(["release", "files"], flagGroups.read);
}

export function addUpgradeOptions<T>(command: Argv<T>) {
  return addEntryArgument(command)
    .option("config-nice", {
      type: "string",
      requiresArg: true,
      describe: "the `config.nice` of the build of 2.2: names the switches that 2.4 takes no more",
    })
    .option("format", {
      requiresArg: true,
      choices: upgradeFormats,
      default: "text" as (typeof upgradeFormats)[number],
      describe: "how the report is written",
    })
    .group("config-nice", flagGroups.read);
}

export function addMigrateOptions<T>(command: Argv<T>) {
  return command
    .positional("entry", {
      type: "string",
      describe: "the main configuration file of a server, or its folder (default: of the settings)",
    })
    .option("from", { ...defineReleaseFlag("the release whose answers are kept"), default: "2.4" as Release })
    .option("reading", {
      requiresArg: true,
      choices: readings,
      defaultDescription: "server",
      describe: "whose reading of the old directives is kept: what the server does, or what the upgrade guide says",
    })
    .option("format", {
      requiresArg: true,
      choices: migrateFormats,
      default: "diff" as (typeof migrateFormats)[number],
      describe: "how the change is written",
    })
    .option("write", {
      type: "boolean",
      default: false,
      describe: "change the files, all or none; the old texts are kept in the backup directory",
    })
    .option("backup-dir", {
      type: "string",
      requiresArg: true,
      describe: "where the old texts are kept (default: `.httpd-lint` beside the main file)",
    })
    .option("verify-with-httpd", {
      type: "string",
      describe: "have `httpd -t` of this machine look at the new texts first; --verify-with-httpd=FILE: that httpd",
    })
    .option("assume-complete", {
      type: "boolean",
      default: false,
      describe: "with --write on a part of a server: no other file sets access for the same paths",
    })
    .option("fix-start", {
      type: "boolean",
      default: false,
      describe: "with --from 2.2: also change what keeps 2.4 from starting, such as LoadModule lines",
    })
    .option("recover", {
      type: "boolean",
      default: false,
      describe: "bring a run of --write that was cut off to its end",
    })
    .option("undo", { type: "boolean", default: false, describe: "with --recover: take it back instead" })
    .group(["from", "reading"], flagGroups.read)
    .group(
      ["write", "backup-dir", "assume-complete", "verify-with-httpd", "fix-start", "recover", "undo"],
      flagGroups.changed,
    );
}

export function addInitOptions<T>(command: Argv<T>) {
  return command
    .positional("directory", {
      type: "string",
      describe: "the folder that holds it (default: . or this machine)",
    })
    .option("force", { type: "boolean", default: false, describe: "write settings that are there anew" });
}

export function addRulesOptions<T>(command: Argv<T>) {
  return command.positional("id", { type: "string", describe: "a rule" });
}

export function addLspOptions<T>(command: Argv<T>) {
  return (
    command
      .option("stdio", { type: "boolean", describe: "over standard input and output: there is no other way" })
      // Editors based on Node pass their process id, so that the server does not outlive them.
      .option("clientProcessId", { type: "string", hidden: true })
  );
}
