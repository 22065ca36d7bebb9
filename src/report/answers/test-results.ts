import { NO_START } from "../../config/refusals/refusal.js";
import type { Release } from "../../facts/release.js";
import type { Finding } from "../../lint/finding.js";
import type { Answer, Semantics } from "../../server/model/answer.js";
import type { Request } from "../../server/model/request.js";
import { formatJson } from "../../text/escaping.js";
import { formatCount } from "../../text/words.js";
import type { OutputFormat, Renderers } from "../formats.js";
import type { testOutput } from "../schema/answers.js";
import type { JsonOf } from "../schema/parts.js";
import { PlaceResolver } from "../text/source-places.js";
import { lineNumberWidth, TextPrinter, type TextStyle } from "../text/text-printer.js";
import { escapeXml, makeVisible } from "../text/visible-text.js";
import { AnswerJsonWriter, headToJson, redactText, unknownToJson } from "./answer-json.js";
import { formatReasons, formatRequest, formatShortAnswer, listDecidingLogs } from "./answer-words.js";

type Tested = JsonOf<typeof testOutput>["expectations"][number];

/** An expectation and its result. */
export interface TestResult {
  readonly name: string | undefined;
  readonly request: Request;
  /** `403`, `allowed`. */
  readonly expected: string;
  readonly answer: Answer;
  readonly result: Tested["result"];
}

/** The expectations on one configuration. */
export interface TestReport {
  readonly tested: readonly TestResult[];
  /** Findings that prevent the server from starting: then no expectation holds. */
  readonly startup: readonly Finding[];
  readonly release: Release;
  readonly semantics: Semantics;
  /** The assumptions about the rest of the server, as clauses. */
  readonly assumptions?: readonly string[];
}

/** Renders test results in a format. */
export function renderTests(format: OutputFormat<"test">, input: TestReport, style: TextStyle): Iterable<string> {
  const renderers: Renderers<"test", () => Iterable<string>> = {
    text: () => renderTestsText(input, style),
    json: () => renderTestsJson(input, style.base),
    junit: () => renderTestsJunit(input, style),
  };
  return renderers[format]();
}

function countsOf({ tested }: TestReport): JsonOf<typeof testOutput>["summary"] {
  const count = (result: TestResult["result"]) => tested.filter((each) => each.result === result).length;
  return { passed: count("passed"), failed: count("failed"), unknown: count("unknown") };
}

/** Renders the failed expectations with the deciding lines, and the number of each result. */
function* renderTestsText(input: TestReport, style: TextStyle): Generator<string> {
  const printer = new TextPrinter(style);
  const { bold, red, yellow, green } = printer.colours;
  for (const { message, span } of input.startup.slice(0, 1)) {
    const place = printer.places.place(span);
    const margin = lineNumberWidth(place);
    const where = `${printer.formatPlace(place)}:`;
    yield `${bold(red(NO_START))}\n${bold(where)} ${printer.flow(redactText(message), "", `${where} `, 4)}\n`;
    yield `${printer.bar(margin)}\n${printer.frame(place, margin, "^", red)}\n`;
    for (const assumption of input.assumptions ?? [])
      yield `${printer.flow(redactText(`note: assuming that ${assumption}`), "", "  ", 2)}\n`;
  }
  for (const each of input.tested) {
    if (each.result === "passed") continue;
    const paint = each.result === "failed" ? red : yellow;
    yield `${bold(paint(`${each.result}:`))} ${titleOfTest(each)}: ${mismatchOf(each)}\n`;
    for (const span of each.answer.places) {
      const place = printer.places.place(span);
      const margin = lineNumberWidth(place);
      yield `${bold(`${printer.formatPlace(place)}:`)} decides\n${printer.bar(margin)}\n${printer.frame(place, margin, "^", paint)}`;
    }
    yield "\n";
  }
  const { passed, failed, unknown } = countsOf(input);
  const parts = [
    ...(failed > 0 ? [red(`${formatCount(failed, "expectation")} failed`)] : []),
    ...(unknown > 0 ? [yellow(`${unknown} unknown`)] : []),
    passed > 0 && failed + unknown === 0 ? green(`${formatCount(passed, "expectation")} passed`) : `${passed} passed`,
  ];
  yield `${parts.join(", ")}\n`;
}

function titleOfTest({ name, request }: TestResult): string {
  return name === undefined ? formatRequest(request) : `${makeVisible(name)} (${formatRequest(request)})`;
}

function mismatchOf({ expected, answer, result }: TestResult): string {
  const why = result === "unknown" ? answer.unknown : listDecidingLogs(answer);
  return `expected ${expected}, got ${formatShortAnswer(answer)}${formatReasons(why)}`;
}

function* renderTestsJson(input: TestReport, base: string | undefined): Generator<string> {
  const writer = new AnswerJsonWriter(new PlaceResolver(base));
  const { startup, tested } = input;
  const head = { ...headToJson(input), startup: writer.startup(startup) };
  yield `${formatJson(head).slice(0, -1)},"expectations":[`;
  for (const [index, each] of tested.entries()) {
    const { name, request, expected, result, answer } = each;
    const entry: Tested = {
      ...{ name, request, expected, result },
      ...writer.shown(answer),
      unknown: unknownToJson(answer),
    };
    yield `${index === 0 ? "\n" : ",\n"}${formatJson(entry)}`;
  }
  yield `\n],${formatJson({ summary: countsOf(input) }).slice(1)}\n`;
}

/** Renders results for continuous integration: a failed expectation is a failure, an unknown one an error. */
function* renderTestsJunit(input: TestReport, style: TextStyle): Generator<string> {
  const { passed, failed, unknown } = countsOf(input);
  const starts = input.startup.length === 0 ? 0 : 1;
  const total = passed + failed + unknown + starts;
  const numbers = `tests="${total}" failures="${failed + starts}" errors="${unknown}"`;
  yield `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${numbers}>\n<testsuite name="httpd-lint" ${numbers} skipped="0">\n`;
  for (const { message } of input.startup.slice(0, 1))
    yield `<testcase classname="httpd-lint" name="httpd starts">\n<failure message="${escapeXml(message)}"/>\n</testcase>\n`;
  for (const each of input.tested) yield renderTestCase(each, style);
  yield "</testsuite>\n</testsuites>\n";
}

function renderTestCase(each: TestResult, style: TextStyle): string {
  const open = `<testcase classname="httpd-lint" name="${escapeXml(titleOfTest(each))}"`;
  if (each.result === "passed") return `${open}/>\n`;
  const printer = new TextPrinter({ ...style, colour: false });
  const kind = each.result === "failed" ? "failure" : "error";
  const lines = each.answer.places.map((span) => {
    const place = printer.places.place(span);
    const margin = lineNumberWidth(place);
    return `${printer.formatPlace(place)}: decides\n${printer.frame(place, margin, "^", (text) => text)}`;
  });
  return `${open}>\n<${kind} message="${escapeXml(mismatchOf(each))}">${escapeXml(lines.join("\n"))}</${kind}>\n</testcase>\n`;
}
