import type { ChangedDefault } from "./changed.js";
import { besideOrFirst, connectionLimits, firstLine, hasProxyTimeout, processLimits, statusPage } from "./uses.js";

const timeOut = {
  directive: "TimeOut",
  place: "process",
  before: "`TimeOut 300`",
  after: "`TimeOut 60`",
  severity: "warning",
  advice: "write `TimeOut 300`, or see that nothing takes that long",
  keep: () => ["TimeOut 300"],
} as const;
const besideConnections = besideOrFirst(connectionLimits);
const besideLimits = besideOrFirst(processLimits);

/** Those of the processes and connections of all servers. */
export const processDefaults: readonly ChangedDefault[] = [
  {
    ...timeOut,
    usedBy: (main, project) => (hasProxyTimeout(main, project) ? undefined : besideConnections(main, project)),
    so: "a script or backend that is silent for more than a minute is given up with 504 (502 by mod_proxy), and a client as slow is cut off",
  },
  {
    ...timeOut,
    usedBy: (main, project) => (hasProxyTimeout(main, project) ? besideConnections(main, project) : undefined),
    so: "a script that is silent for more than a minute is given up with 504, and a client as slow is cut off, whatever ProxyTimeout says of backends",
  },
  {
    directive: "MaxConnectionsPerChild",
    decidedBy: ["maxconnectionsperchild", "maxrequestsperchild"],
    place: "process",
    before: "`MaxRequestsPerChild 10000`",
    after: "`MaxConnectionsPerChild 0`",
    severity: "info",
    usedBy: besideLimits,
    so: "no process is replaced any more after a while, and what a module or script leaks piles up until the next restart",
    advice: "watch the memory of the processes, or write `MaxConnectionsPerChild 10000`",
    keep: () => ["MaxConnectionsPerChild 10000"],
  },
  {
    directive: "MaxMemFree",
    place: "process",
    before: "`MaxMemFree 0`",
    after: "`MaxMemFree 2048`",
    severity: "info",
    usedBy: besideLimits,
    so: "processes give memory back that they kept before, and grow less",
    advice: "leave it at that, or write `MaxMemFree 0` to have them keep all",
  },
  {
    directive: "ExtendedStatus",
    place: "process",
    before: "`ExtendedStatus Off`",
    after: "`ExtendedStatus On`",
    severity: "info",
    usedBy: statusPage,
    so: "the status page shows the address and the request line of every client to all who may see it",
    advice: "see who may, or write `ExtendedStatus Off`",
    keep: () => ["ExtendedStatus Off"],
    keptBehind: firstLine,
  },
  {
    directive: "RequestReadTimeout",
    place: "process",
    before: "no limit",
    after: "`RequestReadTimeout header=20-40,MinRate=500 body=20,MinRate=500`",
    severity: "info",
    usedBy: (_, { loadModules }) => loadModules.find(({ identifier }) => identifier === "reqtimeout_module"),
    so: "who sends a request or an upload more slowly than 500 bytes a second gets 408",
    advice:
      "leave it at that, since it keeps idle connections from filling the server, or write a RequestReadTimeout of your own",
  },
];
