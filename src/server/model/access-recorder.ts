import type { Environment, ReadonlyEnvironment } from "./environment.js";
import type { Request } from "./request.js";
import type { UnknownValue } from "./unknown-value.js";

/** A recorder of what a run read, used to explain a response. */
export class AccessRecorder {
  /** The environment variables that were read. */
  readonly variables = new Set<string>();
  /** Whether the client's name was looked up. */
  hostName = false;
  /** The requests whose credentials were checked. */
  private readonly watchedRequests = new WeakSet<Request>();

  /** Returns whether the credentials of a request returned by `request` were checked. */
  hasReadUser(request: Request): boolean {
    return this.watchedRequests.has(request);
  }

  /** The request, with reads recorded. */
  watchRequest(request: Request): Request {
    const watched = { ...request };
    const note = (name: "user" | "clientHost", seen: () => void) => {
      if (request[name] === undefined) return;
      Object.defineProperty(watched, name, {
        get() {
          seen();
          return request[name];
        },
      });
    };
    note("user", () => {
      this.watchedRequests.add(watched);
    });
    note("clientHost", () => {
      this.hostName = true;
    });
    return watched;
  }

  /** Returns the variables with reads recorded. */
  watchEnvironment(variables: ReadonlyEnvironment): Environment {
    return new RecordedVariables(variables, this.variables);
  }
}

class RecordedVariables extends Map<string, string | UnknownValue> {
  private readonly namesRead: Set<string> | undefined;

  constructor(variables: ReadonlyEnvironment, namesRead: Set<string>) {
    super(variables);
    this.namesRead = namesRead;
  }

  override get(name: string): string | UnknownValue | undefined {
    this.namesRead?.add(name);
    return super.get(name);
  }

  override has(name: string): boolean {
    this.namesRead?.add(name);
    return super.has(name);
  }
}
