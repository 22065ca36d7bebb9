import { formatLineTitle, manualNameOf } from "../../src/rule-api/access.js";
import type { Directive } from "../../src/rule-api/configuration.js";
import { formatMoreLines, quoteText } from "../../src/rule-api/rule.js";

/** Lines that keep the behaviour of 2.2. */
export const oldBehaviour = {
  ssiExpressions: "SSILegacyExprParser on",
  nameFormat: "SSLOptions +LegacyDNStringFormat",
  scgiPathInfo: 'SetEnvIf Request_URI "^" proxy-scgi-pathinfo=1',
  dumpedData: "LogLevel dumpio:trace7",
};

export const behaviourMessages = {
  /** One text for all lines with it. */
  inManyLines: (header: string, others: number) => `${header} (here and in ${formatMoreLines(others)})`,

  // Logs:
  pipedCommand: (name: string) =>
    `2.4 starts the program of a piped log without a shell, which looks ${quoteText(name)} up nowhere, so the server does not start, though \`httpd -t\` finds nothing (AH00104); write the whole path of a program, or \`|$\` for \`|\` to have a shell in between`,
  pipedSyntax: (syntax: string) =>
    `2.4 starts the program of a piped log without a shell, so ${quoteText(syntax)} is handed to it as it is written and the log does not get to where it should; write \`|$\` for \`|\` to have a shell in between`,
  dumpedData: ({ name }: Directive) =>
    `2.4 logs what ${quoteText(name)} asks for at \`trace7\` alone, so nothing of it is in the error log any more; write \`${oldBehaviour.dumpedData}\` behind the last LogLevel without a module`,

  // TLS:
  /** @param who whose certificates are checked */
  revocation: ({ name }: Directive, check: string, who: string, asBefore: string) =>
    `2.4 looks into \`${name}\` only where \`${check}\` says so, so ${who} with a revoked certificate gets in, with no more than a warning at start (AH01902); write \`${asBefore}\` beside it, or \`${check} chain\` to refuse certificates of CAs without a list, too`,
  comparedName: (variable: string) =>
    describeName(variable, "what the line compares it with or makes of it is not the same"),
  reportedName: (variable: string) => describeName(variable, "who reads it sees another"),
  optionalTls:
    "2.4 takes `SSLEngine optional` for `SSLEngine off`, with no more than a notice at start (AH10510), so a client that asks to go over to TLS (`Upgrade: TLS/1.0`) is answered in plain text; write `SSLEngine off`, and a virtual host with `SSLEngine on` at a port of its own for those who are to have TLS",

  // SSI:
  ssiExpressions: (line: Directive) =>
    `2.4 reads \`#if expr\` in the pages that ${formatLineTitle(line)} has the server go through as an expression of its own kind, so each that compares a variable as 2.2 did (\`$X = abc\`) comes with \`[an error occurred while processing this directive]\` in it, the \`.var\` error pages of 2.2 among them; change the pages, or write \`${oldBehaviour.ssiExpressions}\` into their \`<Directory>\``,
  inheritedSetting: (line: Directive, inherited: Directive, oldDefault: string) =>
    `2.4 keeps ${formatLineTitle(inherited)} in this section, where 2.2 forgot it for ${formatLineTitle(line)}, since one line on SSI undid all others; write \`${oldDefault}\` beside it if that is what the folder is to have`,

  // Proxies, headers and caches:
  headerName: (name: string, strange: string, hyphened: string, variable: string) =>
    `2.4 makes no environment variable of a header with ${quoteText(strange)} in its name, so scripts and SSI pages do not get ${quoteText(name)} as ${quoteText(variable)} any more, and a client that sends ${quoteText(hyphened)} says what is in there; write ${quoteText(hyphened)}, since SetEnvIf comes ahead of this line and SetEnv does not stand against the client`,
  scgiPathInfo: (isSetTooLate: boolean) =>
    `2.4 sends no PATH_INFO to an SCGI backend${isSetTooLate ? ", and SetEnv comes too late for it" : ""}, and the whole path in SCRIPT_NAME, so an application that goes by PATH_INFO as on 2.2 finds no page; write \`${oldBehaviour.scgiPathInfo}\` to have it as before`,
  forwardCache: (keep: string) =>
    `2.4 takes ${quoteText("/")} for the paths of this server alone, so what it fetches for clients as a forward proxy is no longer cached; write \`${keep}\` beside it`,
  sessionIdentifier: (parameter: string) =>
    `2.4 passes over a parameter only where ${quoteText(parameter)} is its whole name, where 2.2 went by the end of the name, too (${quoteText(`user${parameter}`)}), so pages that differ in such a parameter are cached apart; name here every parameter that is to be passed over`,

  // Rewriting:
  queryEscapedByFlag: (inserted: string, log: string) =>
    describeQuery(
      inserted,
      log,
      "write the flag `BCTLS` (2.4.57) to have these alone escaped, or `B` to have all escaped that means something there",
    ),
  /** Without the flag that would escape references in the path, too. */
  queryEscapedByNarrowFlag: (inserted: string, log: string) =>
    describeQuery(inserted, log, "write the flag `BCTLS` (2.4.57) to have these alone escaped"),
  queryEscapedByMap: (inserted: string, log: string) =>
    describeQuery(
      inserted,
      log,
      `write \`RewriteMap esc int:escape\` for the server, and here \`\${esc:${inserted}}\``,
    ),

  // Others:
  substituteLimit:
    "2.4 answers 500 where a page that Substitute goes through has a line of more than 1 MB (AH01328), where 2.2 knew no limit; write `SubstituteMaxLineLength` with what the longest line needs, such as `10m`, if there are such pages",
  davLocks: (file: string) =>
    `2.4 keys the locks in ${quoteText(file)} by path where 2.2 took inodes, so locks that 2.2 wrote there hold nobody off; stop the server, and take the files of that name away before 2.4 first starts`,
  unnamedHost: (address: string, name: string) =>
    `2.2 answers all that comes to ${quoteText(address)} from the first virtual host there, since no NameVirtualHost names it, and never from this one; 2.4 goes by the names, so ${quoteText(name)} gets this site from now on: see that it is meant to be served, or take it out`,
  unnamedHosts: (header: string, others: number) => `${header} (the same holds of ${formatMoreLines(others)})`,
};

export const behaviourLabels = {
  same: "the same holds here",
  setHere: (line: Directive) => `${manualNameOf(line)} is set here`,
  forwardProxy: "it is a forward proxy by this line",
  firstHost: "the first, which answers on 2.2",
  neverAnswers: "never answers on 2.2, too",
};

export const behaviourFixTitles = {
  addShell: "Have a shell start the program",
  logAgain: "Log it again",
  checkLists: "Check the lists as 2.2 did",
  keepNames: "Keep the old form of names",
  keepExpressions: "Read expressions as 2.2 did",
  keepDefault: (name: string) => `Set ${name} as 2.2 had it here`,
  renameHeader: (name: string) => `Name the header ${name}`,
  sendPathInfo: "Send PATH_INFO as 2.2 did",
  cacheForwarded: "Cache what the forward proxy fetches, too",
  escape: "Escape blanks and control characters",
};

function describeName(variable: string, so: string): string {
  return `2.4 writes ${quoteText(variable)} as \`CN=Alice,O=Example,C=DE\` where 2.2 wrote \`/C=DE/O=Example/CN=Alice\`, so ${so}; write \`${oldBehaviour.nameFormat}\` to keep the old form, or change what it is held against`;
}

function describeQuery(inserted: string, log: string, remedy: string): string {
  return `2.4 answers 403 (${log}, since 2.4.56) where what ${quoteText(inserted)} puts into the query string has a blank or a control character in it, as of a path with \`%20\`, which 2.2 handed on; ${remedy}`;
}
