import { formatJson } from "../text/escaping.js";
/** What a first settings file says of a server; paths relative to the file. */
export interface StarterServer {
  readonly entry: string;
  readonly sysroot?: string | undefined;
  readonly serverRoot?: string | undefined;
  /** Server paths by paths here. */
  readonly map?: Readonly<Record<string, string>> | undefined;
}

/** What is found of a project that settings may name. */
export interface StarterSettings {
  readonly schema?: string | undefined;
  readonly servers: readonly StarterServer[];
  readonly expectations?: string | undefined;
}

/** The text of a first settings file, with hints at what else it may say. */
export function renderStarterSettings({ schema, servers, expectations }: StarterSettings): string {
  const [server, ...more] = servers;
  const lines = [
    ...renderEntries({ $schema: schema }),
    ...(server !== undefined && more.length === 0 ? renderEntries({ ...server }) : renderServers(servers)),
    ...renderEntries({ expectations }),
  ];
  return ["{", ...lines.map((line) => `  ${line}`), ...hints.map((hint) => `  ${hint}`), "}", ""].join("\n");
}

const hints = [
  '// "from": "2.2",  // where it comes from 2.2: adds what the upgrade breaks or changes',
  '// "rules": { "old-access-control": "warning" },',
  '// "ignores": [{ "paths": ["vendor/**"], "reason": "not ours" }],',
  '// "baseline": "httpd-lint.baseline.json",  // what is known stays quiet: httpd-lint --update-baseline',
];

function renderServers(servers: readonly StarterServer[]): string[] {
  if (servers.length === 0) return [];
  const each = servers.map(
    (server) =>
      `  { ${renderEntries({ ...server })
        .join(" ")
        .replaceAll(/\n */g, " ")
        .replace(/,$/, "")} },`,
  );
  return ['"servers": [', ...each, "],"];
}

type Value = string | Readonly<Record<string, string>>;

function renderEntries(values: Readonly<Record<string, Value | undefined>>): string[] {
  return Object.entries(values).flatMap(([name, value]) =>
    value === undefined
      ? []
      : [`${formatJson(name)}: ${typeof value === "string" ? formatJson(value) : renderObject(value)},`],
  );
}

function renderObject(values: Readonly<Record<string, string>>): string {
  const lines = Object.entries(values).map(([name, value]) => `${formatJson(name)}: ${formatJson(value)}`);
  return lines.length > 1 ? `{\n    ${lines.join(",\n    ")}\n  }` : `{ ${lines.join(", ")} }`;
}
