import * as z from "zod/mini";
import { parseRequest, type RequestPartNames } from "../../../server/request/request-parser.js";
import { findClosestWord } from "../../../text/closest-word.js";
import type { Result } from "../../../text/result.js";
import type { Expectation } from "./expectations.js";

const text = (schema: z.core.GlobalMeta = {}) => z.optional(z.string("is not a text").check(z.meta(schema)));
const texts = z.array(z.string("is not a list of texts"), "is not a list of texts");
const list = (schema: z.core.GlobalMeta = {}) => z.optional(texts.check(z.meta(schema)));
const several = (description: string) =>
  z.optional(
    z
      .union([z.string(), z.array(z.string()).check(z.meta({ minItems: 1 }))], "is not a list of texts")
      .check(z.describe(description)),
  );
const NO_RESULT = 'is neither a status nor "allowed" nor "refused"';

/**
 * An expectation, or the defaults of all. The JSON schema is derived from it; the metadata are constraints that
 * `parseRequest` checks, with messages of its own.
 */
const expectationShape = z.strictObject({
  path: several("A URL, or a path with or without a query. Each entry of a list is tested."),
  clientIp: several(
    "The client's address. Default: 192.0.2.1, which no real client has. Each entry of a list is tested.",
  ),
  expect: z.optional(
    z
      .union(
        [z.int().check(z.minimum(100, NO_RESULT), z.maximum(599, NO_RESULT)), z.enum(["allowed", "refused"])],
        NO_RESULT,
      )
      .check(
        z.describe(
          "A status, `allowed` (access is granted, and the request is neither rejected, as with 400, nor fails) or `refused` (401 or 403).",
        ),
      ),
  ),
  name: text({ description: "A name for reports." }),
  method: text({ minLength: 1 }),
  absolute: z.optional(
    z
      .boolean("is neither `true` nor `false`")
      .check(z.describe("Whether the request line has the whole URL, as clients of a forward proxy send it.")),
  ),
  scheme: text({ enum: ["http", "https"] }),
  host: text({ description: "The Host header." }),
  serverIp: text(),
  clientHost: text({
    description: "The client's host name. The address resolves to it, and it resolves to the address.",
  }),
  user: text({ description: "The user. The password is assumed to be correct." }),
  query: text(),
  groups: list(),
  dbmGroups: list(),
  grants: list({
    description: "What a directory service, a database or a resolver grants for Require. If absent, this is unknown.",
  }),
  env: list({ description: "Variables that are set before the access check: `NAME` or `NAME=VALUE`." }),
  port: z.optional(
    z
      .number("is not a number")
      .check(
        z.meta({ description: "The port that receives the request.", type: "integer", minimum: 1, maximum: 65535 }),
      ),
  ),
  headers: z.optional(
    z
      .record(z.string(), z.unknown().check(z.meta({ type: "string" })), "is not an object of names and values")
      .check(z.describe("Other headers than Host and Authorization.")),
  ),
});

const fieldsShape = z.record(z.string(), z.unknown(), "`defaults` is not an object");
const fileShape = z.strictObject(
  {
    $schema: z.optional(z.unknown()),
    expectations: z.array(z.unknown(), "`expectations` is missing, a list of objects"),
    defaults: z.optional(fieldsShape),
  },
  "it is not a JSON object",
);

type ReadExpectations = Result<readonly Expectation[], string>;

/**
 * Reads the contents of an expectations file, or returns the first error as a clause. The expectations are validated
 * one by one: the issues of a fully invalid file would overflow the stack.
 */
export function readExpectations(value: unknown): ReadExpectations {
  const read = fileShape.safeParse(value);
  if (!read.success) {
    const { unknownKey, message } = firstIssueOf(read.error);
    return { ok: false, error: unknownKey === undefined ? message : `unknown key \`${unknownKey}\`` };
  }
  const expectations: Expectation[] = [];
  for (const [index, each] of read.data.expectations.entries()) {
    const where = `expectation ${index + 1}`;
    const own = fieldsShape.safeParse(each);
    if (!own.success) return { ok: false, error: `${where} is not an object` };
    const expanded = expandExpectation({ ...read.data.defaults, ...own.data });
    if (!expanded.ok) return { ok: false, error: `${where}: ${expanded.error}` };
    expectations.push(...expanded.value);
  }
  return { ok: true, value: expectations };
}

/** Returns an expectation for each path and client. */
function expandExpectation(fields: z.infer<typeof fieldsShape>): ReadExpectations {
  const read = expectationShape.safeParse(fields);
  if (!read.success) return { ok: false, error: describeFieldIssue(read.error) };
  const { name, path, clientIp, expect: expected, port, headers, ...parts } = read.data;
  if (expected === undefined) return { ok: false, error: `\`expect\` ${NO_RESULT}` };
  if (path === undefined) return { ok: false, error: "`path` is missing" };
  const written = {
    ...parts,
    port: port === undefined ? undefined : String(port),
    headers: headers && Object.entries(headers).map(([header, value]) => `${header}: ${String(value)}`),
  };
  const expectations: Expectation[] = [];
  for (const url of [path].flat())
    for (const client of [clientIp].flat()) {
      const parsed = parseRequest({ ...written, url, clientIp: client }, partNames);
      if (!parsed.ok) return parsed;
      expectations.push({ name, expected, request: parsed.value });
    }
  return { ok: true, value: expectations };
}

function describeFieldIssue(error: z.core.$ZodError): string {
  const { unknownKey, message, path } = firstIssueOf(error);
  if (unknownKey === undefined) return `\`${String(path[0])}\` ${message}`;
  const near = findClosestWord(unknownKey, Object.keys(expectationShape.shape));
  return `unknown key \`${unknownKey}\`${near ? `; did you mean \`${near}\`` : ""}`;
}

/** Returns the unknown key if there is one, else the first error. */
function firstIssueOf({
  issues,
}: z.core.$ZodError): Pick<z.core.$ZodIssue, "message" | "path"> & { unknownKey?: string } {
  for (const issue of issues) {
    const [unknownKey] = issue.code === "unrecognized_keys" ? issue.keys : [];
    if (unknownKey !== undefined) return { unknownKey, message: issue.message, path: issue.path };
  }
  return issues[0] ?? { message: "it is not a JSON object", path: [] };
}

/** Returns the JSON schema of an expectations file. */
export function createExpectationsSchema() {
  const shape = z.strictObject({
    $schema: z.optional(z.string()),
    defaults: z.optional(expectationShape.check(z.describe("Values for all expectations that do not set their own."))),
    expectations: z
      .array(expectationShape.check(z.describe("Requests and the expected result.")))
      .check(z.minLength(1)),
  });
  return {
    ...z.toJSONSchema(shape, { io: "input" }),
    title: "httpd-lint expectations",
    description: "An expectations file for `httpd-lint test`.",
  };
}

const partNames: RequestPartNames = {
  ...{
    url: "`path`",
    method: "`method`",
    absolute: "`absolute`",
    scheme: "`scheme`",
    host: "`host`",
    port: "`port`",
    query: "`query`",
  },
  ...{ serverIp: "`serverIp`", clientIp: "`clientIp`", peerIp: "`peerIp`", clientHost: "`clientHost`", user: "`user`" },
  ...{ groups: "`groups`", dbmGroups: "`dbmGroups`", grants: "`grants`", env: "`env`", headers: "`headers`" },
};
