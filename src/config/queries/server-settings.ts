import type { Span } from "../../text/source.js";
import type { Directive } from "../model/directive.js";
import type { Project } from "../model/project.js";
import { type ServerDirectives, serverDirectivesOf } from "./server-directives.js";
import { isWholeServer } from "./whole-server.js";

/** The place of a finding: a line, or the server as a whole. */
export interface SettingPlace {
  readonly span: Span;
  readonly isAboutServer: boolean;
}

/** The setting of a directive that applies to the main server or to a virtual host. */
export interface ServerSetting extends SettingPlace {
  /** Undefined for the default. */
  readonly line: Directive | undefined;
}

/**
 * Returns the settings of a directive after merging, each once. The default is only among them if no other file may
 * have a line. Lines with a variable that is not known are left out.
 */
export function listServerSettings(project: Project, key: string): readonly ServerSetting[] {
  const lines = new Set(serverDirectivesOf(project).map((server) => server.effective(key).at(-1)));
  return [...lines].flatMap((line): readonly ServerSetting[] => {
    if (line === undefined) return placeOfServer(project).map((place) => ({ line, ...place }));
    return line.argumentText.includes("${") ? [] : [{ line, span: line.span, isAboutServer: false }];
  });
}

/**
 * Returns the place to report a line that is missing from a server: its first Listen line. Returns none if another file
 * may have the line.
 */
export function placeOfServer(project: Project): readonly SettingPlace[] {
  const listen = isWholeServer(project) ? project.directives.find(({ key }) => key === "listen") : undefined;
  return listen ? [{ span: listen.span, isAboutServer: true }] : [];
}

/** A server that responds to requests, and its place. */
export interface RespondingServer extends SettingPlace {
  readonly server: ServerDirectives;
}

/**
 * Returns the virtual hosts of a whole server, or the main server if it has none. Returns none if other files may
 * belong to the server.
 */
export function listRespondingServers(project: Project): readonly RespondingServer[] {
  return placeOfServer(project).flatMap((place) => {
    const [main, ...hosts] = serverDirectivesOf(project);
    const inHosts = hosts.flatMap((server) =>
      server.section ? [{ server, span: server.section.span, isAboutServer: false }] : [],
    );
    return inHosts.length > 0 ? inHosts : [{ server: main, ...place }];
  });
}
