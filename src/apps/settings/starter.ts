import { formatJson } from "../../text/escaping.js";
/** A server in the first configuration file; paths are relative to the file. */
export interface StarterServer {
  readonly entry: string;
  readonly sysroot?: string | undefined;
  readonly serverRoot?: string | undefined;
  /** Local paths by server path. */
  readonly map?: Readonly<Record<string, string>> | undefined;
}

/** The facts about a project that its first configuration file can name. */
export interface StarterSettings {
  readonly schema?: string | undefined;
  readonly servers: readonly StarterServer[];
  readonly expectations?: string | undefined;
}

/** Returns the text of a first configuration file, with hints at further settings. */
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
  '// "from": "2.2",  // for an upgrade from 2.2: adds rules about what it breaks or changes',
  '// "rules": { "old-access-control": "warning" },',
  '// "ignores": [{ "paths": ["vendor/**"], "reason": "third-party" }],',
  '// "baseline": "httpd-lint.baseline.json",  // known findings to suppress: httpd-lint --update-baseline',
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
