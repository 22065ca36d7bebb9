import type { Project } from "../../src/lint/api/configuration.js";

/** Handlers that run a file as a program. */
interface ProgramKind {
  readonly handlers: RegExp;
  /** Matches the identifier of the module that has them. */
  readonly module: RegExp;
  /** Whether the module runs files only with Options ExecCGI. */
  readonly needsExecCgi?: true;
}

const kinds: readonly ProgramKind[] = [
  { handlers: /^cgi-script$/, module: /^cgid?_module$/ },
  { handlers: /^(?:php\d?-script|application\/x-httpd-php\d*)$/, module: /^php\d?_module$/ },
  { handlers: /^proxy:.*fcgi:/, module: /^proxy_fcgi_module$/ },
  { handlers: /^lua-script$/, module: /^lua_module$/ },
  { handlers: /^wsgi-script$/, module: /^wsgi_module$/ },
  { handlers: /^fcgid-script$/, module: /^fcgid_module$/, needsExecCgi: true },
  { handlers: /^fastcgi-script$/, module: /^fastcgi_module$/, needsExecCgi: true },
];

/** Returns the kind of a handler; undefined if it does not run programs, or if no loaded module has it. */
export function findProgramKind(handler: string, { modules, modulesAreKnown }: Project): ProgramKind | undefined {
  const kind = kinds.find(({ handlers }) => handlers.test(handler));
  const isLoaded = !modulesAreKnown || modules.listIdentifiers().some((each) => kind?.module.test(each));
  return isLoaded ? kind : undefined;
}
