import { SimulatedServer } from "../../src/server/answer.js";
import { type Case, loadCase } from "../support/cases/recorded-cases.js";

/** Returns requests whose status or error log messages, in order, differ from the recording. */
export function logComplaints(cases: readonly Case[]): readonly string[] {
  const complaints: string[] = [];
  for (const each of cases.filter(({ startup }) => startup === undefined)) {
    const { project, files } = loadCase(each);
    const simulatedServer = new SimulatedServer(project, files);
    for (const request of each.requests) {
      const { status, errorLog } = simulatedServer.answer(request);
      const codes = errorLog.map((line) => /^AH\d{5}(?=: )/.exec(line)?.[0]).filter((code) => code !== undefined);
      const actual = [status, ...codes].join(" ");
      const expected = [request.status, ...(each.release === "2.4" ? request.log : [])].join(" ");
      if (actual !== expected) complaints.push(`${each.id}: ${JSON.stringify(request)}: ${actual}, not ${expected}`);
    }
  }
  return complaints;
}
