import {
  type Directive,
  findPlaceholder,
  isOnServersDisk,
  isSince,
  iterateDirectives,
  type Project,
} from "../../src/lint/api/configuration.js";
import {
  isWindowsPath,
  quoteText,
  type Report,
  type RuleContext,
  rejectionEffectOf,
  resolvePath,
} from "../../src/lint/api/rule.js";

export const logMessages = {
  noLogDirectory: (directory: string, { key, name }: Directive) => ({
    message: `the directory of the log does not exist: ${quoteText(directory)}`,
    effect: rejectionEffectOf(false),
    notes: [`httpd reports: ${key === "errorlog" ? "AH02291" : "AH02297"}: Cannot access directory '${directory}/'`],
    help: [`create the directory, or correct the path of \`${name}\``],
  }),
  relativeProgram: (program: string, command: string, { key }: Directive) => ({
    message: `httpd does not find the program ${quoteText(program)}: it does not search \`PATH\``,
    effect: rejectionEffectOf(false),
    notes: [
      `httpd reports: ${key === "errorlog" ? `AH00089: Couldn't start ErrorLog process '${command}'` : `AH00104: unable to start piped log program '${command}'`}`,
    ],
    help: [`use its absolute path, or \`|$\` in place of \`|\` to start it with a shell`],
  }),
};

/** Directives that name a file whose directory httpd checks (server/log.c `log_check`, mod_log_config.c `check_log_dir`). */
const logDirectives: ReadonlySet<string> = new Set(["errorlog", "customlog", "globallog", "transferlog"]);

/** Yields the logs in a directory that the disk of the server does not have, and those of a program that httpd does not find. */
export function* findLogFaults({ project, files }: RuleContext): Generator<Report> {
  if (project.kind !== "server" || !isSince(project.release, "2.4")) return;
  for (const line of iterateDirectives(project)) {
    const found = logDirectives.has(line.key) ? findLogFault(line, project, files) : undefined;
    if (found) yield found;
  }
}

function findLogFault(line: Directive, project: Project, files: RuleContext["files"]): Report | undefined {
  const [word] = line.arguments;
  const path = word?.value ?? "";
  const [, command = "", program] = /^\|\|?(\s*([^\s|$%@{/\\]+)(?=\s|$).*)$/s.exec(path) ?? [];
  if (word && program !== undefined && findPlaceholder(path) === undefined && project.pathRules !== "windows")
    return {
      severity: "warning",
      // For ErrorLog, the message begins after the first `|`.
      message: logMessages.relativeProgram(program, line.key === "errorlog" ? path.slice(1) : command, line),
      span: line.spanOf(word),
    };
  // A program, another logger, or the value of a variable or a placeholder.
  if (word === undefined || /^(?:\||syslog\b|journald\b)|[$%@{]/.test(path) || findPlaceholder(path)) return undefined;
  if (files === undefined || isWindowsPath(path)) return undefined;
  const isAbsolute = path.startsWith("/");
  const [top = ""] = path.split("/");
  // The first directory of a relative path is often a symbolic link, which a copy of the files does not have.
  const isInRoot = isAbsolute || files.kindOf(resolvePath(project.serverRoot, top)) === "directory";
  const whole = resolvePath(project.serverRoot, path);
  if (!isInRoot || !isOnServersDisk(whole, project) || (!isAbsolute && !/^[^/]+\/+[^/]+\//.test(path)))
    return undefined;
  const directory = whole.replace(/\/+[^/]*$/, "");
  const above = directory.replace(/\/+[^/]*$/, "");
  // A folder such as `/var/log` that is missing as a whole, or empty, shows that the disk is not that of the server.
  const isKnown = /^\/[^/]+\/[^/]/.test(above) && (files.list?.(above)?.length ?? 0) > 0;
  if (!isKnown || files.kindOf(directory) !== "missing") return undefined;
  return {
    severity: "warning",
    message: logMessages.noLogDirectory(directory, line),
    span: line.spanOf(word),
  };
}
