import type { Comparison } from "../compare/compare.js";
import { counted } from "./painter.js";

/** A verdict in one line. */
export function verdictWords({ verdict, differences, unproved, servers, cells }: Comparison): string {
  const seen = `${counted(servers, "server")}, ${counted(cells, "kind")} of paths`;
  switch (verdict) {
    case "equivalent":
      return `every request is let in or refused alike (${seen})`;
    case "different":
      // A side that does not start is told of ahead.
      if (differences.length === 0) return `no difference was found beside that (${seen})`;
      return `${counted(differences.length, "kind")} of requests ${differences.length === 1 ? "is" : "are"} answered differently (${seen})`;
    case "unknown":
      if (differences.length > 0)
        return `not all was read; of what was, ${counted(differences.length, "kind")} of requests ${differences.length === 1 ? "is" : "are"} answered differently (${seen})`;
      return `no difference was found, and ${counted(unproved.length, "thing")} could not be proved (${seen})`;
  }
}
