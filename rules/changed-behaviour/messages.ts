import { formatLineTitle, manualNameOf } from "../../src/lint/api/access.js";
import type { Directive } from "../../src/lint/api/configuration.js";
import { NO_START, quoteText } from "../../src/lint/api/rule.js";

/** Lines that keep the behaviour of 2.2. */
export const oldBehaviour = {
  ssiExpressions: "SSILegacyExprParser on",
  nameFormat: "SSLOptions +LegacyDNStringFormat",
  scgiPathInfo: 'SetEnvIf Request_URI "^" proxy-scgi-pathinfo=1',
  dumpedData: "LogLevel dumpio:trace7",
};

export const behaviourMessages = {
  /** One header for all lines with it. */
  inManyLines: (header: string) => ({
    before: `${header} (here and in `,
    one: "1 more line)",
    several: " more lines)",
  }),

  // Logs:
  pipedCommand: (name: string) => ({
    message: `2.4 needs the full path of the piped log program ${quoteText(name)}`,
    notes: [
      `2.4 starts the program without a shell, so nothing searches for ${quoteText(name)}`,
      `${NO_START} (AH00104), although \`httpd -t\` does not report an error`,
    ],
    help: ["use the full path of the program", "to start it with a shell, use `|$` instead of `|`"],
  }),
  pipedSyntax: (syntax: string) => ({
    message: `2.4 passes ${quoteText(syntax)} to the piped log program literally`,
    notes: ["2.4 starts the program of a piped log without a shell", "the log does not reach its destination"],
    help: ["to start the program with a shell, use `|$` instead of `|`"],
  }),
  dumpedData: ({ name }: Directive) => ({
    message: `2.4 logs the data of ${quoteText(name)} only at level \`trace7\``,
    notes: ["the error log no longer contains the data"],
    help: [`add \`${oldBehaviour.dumpedData}\` after the last \`LogLevel\` without a module`],
  }),

  // TLS:
  /** @param who whose certificates are checked */
  revocation: ({ name }: Directive, check: string, who: string, asBefore: string) => ({
    message: `2.4 ignores \`${name}\` without \`${check}\``,
    notes: [`${who} with a revoked certificate is accepted`, "httpd reports only a warning at start (AH01902)"],
    help: [
      `to check as 2.2 did, add \`${asBefore}\``,
      `to also reject certificates of CAs without a list, add \`${check} chain\``,
    ],
  }),
  comparedName: (variable: string) =>
    describeName(variable, "this line compares or uses a different value than in 2.2"),
  reportedName: (variable: string) => describeName(variable, "readers of the value receive the new format"),
  optionalTls: {
    message: "`SSLEngine optional` means `SSLEngine off` in 2.4",
    notes: [
      "httpd reports only a notice at start (AH10510)",
      "the response to a client that asks for TLS (`Upgrade: TLS/1.0`) is plain text",
    ],
    help: [
      "use `SSLEngine off`",
      "for clients that need TLS, add a virtual host with `SSLEngine on` on a separate port",
    ],
  },

  // SSI:
  ssiExpressions: (line: Directive) => ({
    message: "2.4 reads `#if expr` in SSI pages in a different syntax",
    notes: [
      `${formatLineTitle(line)} enables SSI`,
      "pages that compare a variable as in 2.2 (`$X = abc`) contain `[an error occurred while processing this directive]`",
      "the `.var` error pages of 2.2 are affected, too",
    ],
    help: [
      "update the expressions in the pages",
      `to keep the old syntax, add \`${oldBehaviour.ssiExpressions}\` to their \`<Directory>\``,
    ],
  }),
  inheritedSetting: (line: Directive, inherited: Directive, oldDefault: string) => ({
    message: `\`${manualNameOf(line)}\` no longer discards the inherited \`${manualNameOf(inherited)}\` in 2.4`,
    notes: [
      `2.4 keeps ${formatLineTitle(inherited)} in this section`,
      "in 2.2, one SSI directive in a section discards all inherited ones",
    ],
    help: [`to use the default in this section, add \`${oldDefault}\``],
  }),

  // Proxies, headers and caches:
  headerName: (name: string, strange: string, hyphened: string, variable: string) => ({
    message: `2.4 does not set an environment variable for the header ${quoteText(name)}`,
    notes: [
      `2.4 skips headers with ${quoteText(strange)} in the name`,
      `scripts and SSI pages no longer receive ${quoteText(name)} as ${quoteText(variable)}`,
      `a client that sends ${quoteText(hyphened)} sets this variable`,
      "SetEnvIf runs before this line, and SetEnv does not override the client",
    ],
    help: [`rename the header to ${quoteText(hyphened)}`],
  }),
  scgiPathInfo: (isSetTooLate: boolean) => ({
    message: "2.4 does not send `PATH_INFO` to SCGI backends",
    notes: [
      "SCRIPT_NAME contains the whole path",
      "an application that uses PATH_INFO as in 2.2 does not find its pages",
      ...(isSetTooLate ? ["SetEnv takes effect too late for `proxy-scgi-pathinfo`"] : []),
    ],
    help: [`to send it as 2.2 did, add \`${oldBehaviour.scgiPathInfo}\``],
  }),
  forwardCache: (keep: string) => ({
    message: "`CacheEnable` with `/` no longer covers forward proxy requests in 2.4",
    notes: ["`/` matches only paths of this server", "responses of the forward proxy are no longer cached"],
    help: [`add \`${keep}\``],
  }),
  sessionIdentifier: (parameter: string) => ({
    message: `2.4 ignores a parameter only if ${quoteText(parameter)} is its full name`,
    notes: [
      `2.2 also ignores parameters that end with it, such as ${quoteText(`user${parameter}`)}`,
      "pages that differ in such a parameter are cached separately",
    ],
    help: ["add all parameters to ignore to this line"],
  }),

  // Rewriting:
  queryEscapedByFlag: (inserted: string, log: string) =>
    describeQuery(inserted, log, [
      "to escape only these characters, add the flag `BCTLS` (2.4.57)",
      "to escape all special characters, add the flag `B`",
    ]),
  /** Without the flag that would escape references in the path, too. */
  queryEscapedByNarrowFlag: (inserted: string, log: string) =>
    describeQuery(inserted, log, ["to escape only these characters, add the flag `BCTLS` (2.4.57)"]),
  queryEscapedByMap: (inserted: string, log: string) =>
    describeQuery(inserted, log, [
      `add \`RewriteMap esc int:escape\` to the server, and use \`\${esc:${inserted}}\` here`,
    ]),

  // Others:
  substituteLimit: {
    message: "`Substitute` returns 500 for lines of more than 1 MB in 2.4",
    notes: ["httpd reports AH01328", "2.2 does not limit the length of a line"],
    help: ["if there are such pages, add `SubstituteMaxLineLength` with the length of the longest line, such as `10m`"],
  },
  davLocks: (file: string) => ({
    message: `WebDAV locks that 2.2 wrote to ${quoteText(file)} have no effect in 2.4`,
    notes: ["2.4 stores locks by path, 2.2 by inode"],
    help: ["stop the server, and delete the files with this name before the first start of 2.4"],
  }),
  unnamedHost: (address: string, name: string) => ({
    message: `2.4 selects the virtual host ${quoteText(name)}, which 2.2 never does`,
    notes: [
      `2.2 serves all requests to ${quoteText(address)} from the first virtual host: NameVirtualHost does not name it`,
      `2.4 selects by name, so requests for ${quoteText(name)} now return this site`,
    ],
    help: ["check that the site is intended", "if it is not, delete the virtual host"],
  }),
};

export const behaviourLabels = {
  same: "same behavior",
  setHere: (line: Directive) => `\`${manualNameOf(line)}\` is set here`,
  forwardProxy: "enables the forward proxy",
  firstHost: "2.2 selects this one",
  neverAnswers: "never selected by 2.2, too",
};

export const behaviourFixTitles = {
  addShell: "Start the program with a shell",
  logAgain: `Add \`${oldBehaviour.dumpedData}\``,
  checkLists: "Check revocation lists as 2.2 did",
  keepNames: "Keep the old format of names",
  keepExpressions: "Read expressions as 2.2 did",
  keepDefault: (name: string) => `Set \`${name}\` to its default here`,
  renameHeader: (name: string) => `Rename the header to \`${name}\``,
  sendPathInfo: "Send `PATH_INFO` as 2.2 did",
  cacheForwarded: "Cache responses of the forward proxy",
  escape: "Escape blanks and control characters",
};

function describeName(variable: string, effect: string) {
  return {
    message: `2.4 formats ${quoteText(variable)} differently`,
    notes: ["2.4 uses `CN=Alice,O=Example,C=DE`, and 2.2 used `/C=DE/O=Example/CN=Alice`", effect],
    help: [`to keep the old format, add \`${oldBehaviour.nameFormat}\``, "adapt the values that it is compared with"],
  };
}

function describeQuery(inserted: string, log: string, help: readonly string[]) {
  return {
    message: `a blank from ${quoteText(inserted)} in the query string returns 403 in 2.4`,
    notes: [
      `since 2.4.56, httpd rejects blanks and control characters there (${log})`,
      "a path with `%20` has this effect; 2.2 accepts the path",
    ],
    help,
  };
}
