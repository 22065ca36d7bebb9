import type { Release } from "../directives/directives.js";
import type { Finding } from "../engine/finding.js";
import type { Request } from "../scope/request.js";
import type { Decision, Reading } from "../simulate/decision.js";
import { jsonText } from "../text/json-text.js";
import { DecisionJson, jsonHead, said } from "./decision-json.js";
import { verdictText } from "./decision-words.js";
import { counted, digits, type Look, Painter } from "./painter.js";
import { Places } from "./places.js";
import { visible } from "./visible.js";
import { xml } from "./xml.js";

/** An expectation, and what came of it. */
export interface Tested {
  readonly name: string | undefined;
  readonly request: Request;
  /** `403`, `allowed`. */
  readonly expected: string;
  readonly decision: Decision;
  readonly result: "passed" | "failed" | "unknown";
}

/** The expectations on one configuration. */
export interface TestInput {
  readonly tested: readonly Tested[];
  /** What keeps the server from starting: then nothing holds. */
  readonly startup: readonly Finding[];
  readonly release: Release;
  readonly reading: Reading;
  /** The assumptions about the rest of the server, as clauses. */
  readonly assumptions?: readonly string[];
}

/** The ways in which results of tests are written. */
export const testFormats = ["text", "json", "junit"] as const;
export type TestFormat = (typeof testFormats)[number];

/** Results of tests in a format. */
export function renderTests(format: TestFormat, input: TestInput, look: Look): Iterable<string> {
  if (format === "json") return testsJson(input, look.base);
  return format === "junit" ? testsJunit(input, look) : testsText(input, look);
}

/** What is asked for, in one line: `GET /admin from 192.0.2.1 as alice`. */
function requestText({ method, host, path, query, clientIp, user }: Request): string {
  const url = `${host ?? ""}${path}${query === undefined ? "" : `?${query}`}`;
  return visible(said(`${method} ${url} from ${clientIp}${user === undefined ? "" : ` as ${user}`}`));
}

function countsOf({ tested }: TestInput) {
  const count = (result: Tested["result"]) => tested.filter((each) => each.result === result).length;
  return { passed: count("passed"), failed: count("failed"), unknown: count("unknown") };
}

/** Those that do not hold, with the lines that decide, and how many there are of each. */
function* testsText(input: TestInput, look: Look): Generator<string> {
  const painter = new Painter(look);
  const { bold, red, yellow, green } = painter.colours;
  for (const { message, span } of input.startup.slice(0, 1)) {
    const place = painter.places.place(span);
    const margin = digits(place);
    const where = `${painter.where(place)}:`;
    yield `${bold(red("the server does not start"))}\n${bold(where)} ${painter.flow(said(message), "", `${where} `, 4)}\n`;
    yield `${painter.bar(margin)}\n${painter.frame(place, margin, "^", red)}\n`;
  }
  for (const each of input.tested) {
    if (each.result === "passed") continue;
    const paint = each.result === "failed" ? red : yellow;
    yield `${bold(paint(each.result))} ${nameOf(each)}: ${complaintOf(each)}\n`;
    for (const span of each.decision.places) {
      const place = painter.places.place(span);
      const margin = digits(place);
      yield `${bold(`${painter.where(place)}:`)} decides\n${painter.bar(margin)}\n${painter.frame(place, margin, "^", paint)}`;
    }
    yield "\n";
  }
  const { passed, failed, unknown } = countsOf(input);
  const parts = [
    ...(failed > 0 ? [red(`${counted(failed, "expectation")} failed`)] : []),
    ...(unknown > 0 ? [yellow(`${unknown} unknown`)] : []),
    passed > 0 && failed + unknown === 0 ? green(`${counted(passed, "expectation")} passed`) : `${passed} passed`,
  ];
  yield `${parts.join(", ")}\n`;
}

function nameOf({ name, request }: Tested): string {
  return name === undefined ? requestText(request) : `${visible(name)} (${requestText(request)})`;
}

function complaintOf({ expected, decision, result }: Tested): string {
  const { log, unknown } = decision;
  const why = result === "unknown" ? unknown : log;
  return `expected ${expected}, got ${verdictText(decision)}${why.length > 0 ? ` (${visible(why.join(", "))})` : ""}`;
}

function* testsJson(input: TestInput, base: string | undefined): Generator<string> {
  const writer = new DecisionJson(new Places(base));
  const { startup, tested } = input;
  yield `${jsonHead(input)},"expectations":[`;
  for (const [index, each] of tested.entries()) {
    const { name, request, expected, result, decision } = each;
    const named = name === undefined ? {} : { name };
    const unknown = decision.unknown.length > 0 ? { unknown: decision.unknown } : {};
    const whole = { ...named, request, expected, result, ...writer.verdict(decision), ...unknown };
    yield `${index === 0 ? "\n" : ",\n"}${jsonText(whole)}`;
  }
  const rest = jsonText({ ...writer.startup(startup), summary: countsOf(input) });
  yield `\n],${rest.slice(1)}\n`;
}

/** As continuous integration reads it: what does not hold is a failure, what is unknown an error. */
function* testsJunit(input: TestInput, look: Look): Generator<string> {
  const { passed, failed, unknown } = countsOf(input);
  const starts = input.startup.length === 0 ? 0 : 1;
  const total = passed + failed + unknown + starts;
  const numbers = `tests="${total}" failures="${failed + starts}" errors="${unknown}"`;
  yield `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${numbers}>\n<testsuite name="httpd-lint" ${numbers} skipped="0">\n`;
  for (const { message } of input.startup.slice(0, 1))
    yield `<testcase classname="httpd-lint" name="the server starts">\n<failure message="${xml(message)}"/>\n</testcase>\n`;
  for (const each of input.tested) yield testCase(each, look);
  yield "</testsuite>\n</testsuites>\n";
}

function testCase(each: Tested, look: Look): string {
  const open = `<testcase classname="httpd-lint" name="${xml(nameOf(each))}"`;
  if (each.result === "passed") return `${open}/>\n`;
  const painter = new Painter({ ...look, colour: false });
  const kind = each.result === "failed" ? "failure" : "error";
  const lines = each.decision.places.map((span) => {
    const place = painter.places.place(span);
    const margin = digits(place);
    return `${painter.where(place)}: decides\n${painter.frame(place, margin, "^", (text) => text)}`;
  });
  return `${open}>\n<${kind} message="${xml(complaintOf(each))}">${xml(lines.join("\n"))}</${kind}>\n</testcase>\n`;
}
