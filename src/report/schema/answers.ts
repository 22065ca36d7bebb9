/** The JSON outputs of `explain` and `test`, and those about the requests of a log. */
import * as z from "zod";
import { decisionClasses, responseSources } from "../../server/model/answer.js";
import { shownClasses } from "../../server/model/answer-class.js";
import { ruleKinds } from "../../server/model/trace-step.js";
import {
  assumptionsSchema,
  countSchema,
  decidingFields,
  faultSchema,
  locationSchema,
  possibleStatusSchema,
  readingSchema,
  releaseSchema,
  requestSchema,
  sectionSchema,
  statusSchema,
} from "./parts.js";

/** The fields that all outputs about one configuration start with. */
const headFields = { assumptions: assumptionsSchema.optional(), release: releaseSchema, reading: readingSchema };

const answerFields = {
  status: possibleStatusSchema,
  class: z.enum(decisionClasses).describe("The access decision. `allowed` is any status except 401, 403 and 500."),
  ...decidingFields,
};

/** Where a request leads. */
const destinationFields = {
  location: z
    .string()
    .describe("The Location header of a redirect. It is only a path if the name of the server is not known.")
    .optional(),
  target: z.string().describe("The URL that a backend gets, with the query.").optional(),
  file: z.string().describe("The file or directory that answers, or that the URL leads to.").optional(),
  pathInfo: z.string().describe("The part of the path after the file: PATH_INFO of a program.").optional(),
  query: z.string().describe("The query that a file or program gets.").optional(),
  handler: z.string().describe("The handler that answers instead of the file.").optional(),
  answeredBy: z
    .enum(responseSources)
    .describe(
      "What answers instead of a file. A `backend` or a `program` chooses the status itself: `status` 200 then only means that httpd passes the request on.",
    )
    .optional(),
};

const help = z
  .array(z.string())
  .min(1)
  .describe("What to change, as imperative clauses with the text to write.")
  .optional();

const unknown = z.array(z.string()).min(1).describe("The unknown facts that the answer depends on.").optional();

const startup = z
  .array(faultSchema)
  .min(1)
  .meta({
    id: "startup",
    description:
      "Problems that prevent the server from starting. The other values are computed as if the rejected lines were absent.",
  })
  .optional();

const verdict = z.strictObject(answerFields).meta({ id: "verdict", description: "An answer of the server." });

const step = z
  .strictObject({
    section: z.string().describe('A section as written (`<Directory "/srv">`), `.htaccess`, or a single directive.'),
    location: locationSchema,
    effect: z.string().describe("The effect on access, or on the mapping of the request, as a clause."),
    lines: z.array(locationSchema).describe("The directives of this step that are relevant."),
    replaced: z
      .array(
        z.strictObject({
          section: z.string(),
          location: locationSchema,
          directives: z.array(z.string()).min(1).describe("The directives that no longer count."),
          rules: z
            .enum(ruleKinds)
            .describe("`old` for Order, Allow, Deny and Satisfy. Use `directives`: the next version omits it."),
        }),
      )
      .min(1)
      .describe("The sections whose access rules this step overrides.")
      .optional(),
    combinedWith: z
      .array(sectionSchema)
      .min(1)
      .describe("The sections whose Require directives are combined with those of this step.")
      .optional(),
  })
  .meta({ id: "step", description: "A section that applies, or a directive that maps the request to a section." });

const headerLine = z
  .strictObject({ line: z.string().describe("The directive as written."), location: locationSchema })
  .meta({ id: "headerLine", description: "A line that decides or changes a header of the response." });

export const explainOutput = z
  .strictObject({
    ...headFields,
    request: requestSchema,
    ...answerFields,
    ...destinationFields,
    causes: z
      .array(
        z.strictObject({
          text: z.string().describe("A fact, as a clause."),
          location: locationSchema.optional(),
          help,
        }),
      )
      .min(1)
      .describe("What explains an error, beyond its status: lines, defaults and files.")
      .optional(),
    redirectLoop: z
      .strictObject({
        text: z.string().describe("The URLs that repeat, as a clause."),
        location: locationSchema.optional(),
        help,
        behindBalancer: z
          .literal(true)
          .describe("Set if it occurs only where a balancer ends TLS and passes on plain HTTP.")
          .optional(),
      })
      .describe("The loop in which a client ends that follows redirects.")
      .optional(),
    usual: z
      .strictObject({ ...answerFields, ...destinationFields })
      .describe(
        "If the answer depends on unknown facts: the usual case, with the files that a request usually has, or the answer of a part of a server if other files do not change it.",
      )
      .optional(),
    errorLog: z
      .array(z.string())
      .min(1)
      .describe("The error log lines at the default LogLevel, from the message number on.")
      .optional(),
    accessLog: z
      .string()
      .describe(
        "The access log line in the common format, without time and size. A dash represents an unknown status.",
      ),
    logsMayDiffer: z
      .literal(true)
      .describe(
        "Present if the server may log other lines, because of unknown facts, LogLevel or the entries of a listing.",
      )
      .optional(),
    contentType: z
      .strictObject({
        value: z.string().describe("The value of the header, with the character set."),
        lines: z.array(headerLine).min(1).describe("The lines that decide it.").optional(),
        typesFile: z.string().describe("The TypesConfig file, if the type is in it.").optional(),
      })
      .describe("The Content-Type header of a file, if it is known what decides it.")
      .optional(),
    headerLines: z
      .array(headerLine)
      .min(1)
      .describe("The Header and Expires lines that apply to the response, or to that of the backend.")
      .optional(),
    unknown,
    otherReadings: z
      .array(
        z.strictObject({
          sections: z.array(z.strictObject({ tag: z.string(), location: locationSchema })).min(1),
          reason: z.string().describe("Why httpd skips the first section, if the server lacks its module.").optional(),
          help: z.array(z.string()).optional(),
          ...answerFields,
          ...destinationFields,
        }),
      )
      .min(1)
      .describe(
        "The different answers if conditional sections apply that the server skips, such as `<IfDefine NAME>`: those with the deciding lines, or all that apply then.",
      )
      .optional(),
    alternatives: z
      .array(
        z.strictObject({
          when: z
            .array(z.strictObject({ question: z.string(), answer: z.boolean() }))
            .describe("The conditions for this answer. Other conditions may lead to the same answer."),
          ...answerFields,
          ...destinationFields,
          unknown,
        }),
      )
      .min(2)
      .describe("The possible answers, the usual one first, if the answer or what gives it depends on unknown facts.")
      .optional(),
    notes: z
      .array(
        z.strictObject({
          message: z.string().describe("The unknown fact and its possible effect, as a clause."),
          location: locationSchema,
        }),
      )
      .describe("Lines that the simulator does not follow. The answer ignores them."),
    notApplied: z
      .array(
        z.strictObject({
          line: z.string().describe("The directive as written, or the name of a file that is not read."),
          location: locationSchema,
          reason: z.string().describe("Why it does not apply, as a clause."),
          by: locationSchema.describe("The other line that the reason names.").optional(),
          help,
        }),
      )
      .min(1)
      .describe(
        "Rewrite rules, Redirect, Alias and ProxyPass lines, `.htaccess` files, and lines for headers, that a reader may expect to apply; with `--all`, all that were tried.",
      )
      .optional(),
    trace: z
      .array(step)
      .describe("The sections and lines that apply to the request, in the order in which the server merges them."),
    guide: verdict.describe("The answer as the upgrade guide describes it, if it differs.").optional(),
    server: verdict.describe("With `--reading guide`: the answer of httpd, if it differs.").optional(),
    startup,
  })
  .meta({
    title: "httpd-lint explain",
    description: "The output of `httpd-lint explain --format json` for one request.",
  });

const line = z.int().min(1).meta({ id: "line", description: "The line number in the log, counted from 1." });

const withoutHostSchema = countSchema
  .describe("Requests without a host, on which the virtual host depends; present if there are any.")
  .optional();

export const explainRequestsOutput = z
  .strictObject({
    ...headFields,
    requests: z
      .array(
        z.union([
          z.strictObject({
            line,
            request: requestSchema,
            logged: statusSchema.describe("The status in the log."),
            comparison: z
              .enum(["same", "different", "unknown"])
              .describe("Whether the access decision is the logged one. The classes are compared."),
            ...answerFields,
            unknown,
          }),
          z.strictObject({
            line,
            failed: z.string().describe("The reason why the line cannot be read as a request."),
          }),
        ]),
      )
      .describe("The lines of the log, in order."),
    summary: z.strictObject({
      requests: countSchema,
      same: countSchema,
      different: countSchema,
      unknown: countSchema,
      unread: countSchema.describe("Lines that cannot be read."),
      withoutHost: withoutHostSchema,
    }),
  })
  .meta({
    title: "httpd-lint explain --requests",
    description: "The output of `httpd-lint explain --requests LOG --format json`.",
  });

export const testOutput = z
  .strictObject({
    ...headFields,
    expectations: z.array(
      z.strictObject({
        name: z.string().optional(),
        request: requestSchema,
        expected: z.string().describe("A status, `allowed` or `refused`."),
        result: z.enum(["passed", "failed", "unknown"]),
        ...answerFields,
        unknown,
      }),
    ),
    startup,
    summary: z.strictObject({ passed: countSchema, failed: countSchema, unknown: countSchema }),
  })
  .meta({ title: "httpd-lint test", description: "The output of `httpd-lint test --format json`." });

const shownVerdict = z
  .strictObject({
    status: possibleStatusSchema,
    class: z
      .enum([...shownClasses, "unknown"])
      .describe(
        "The answer. `allowed`: access is granted, and no line gives another answer; files may decide the status. `redirected`: 3xx. `not found`: 404 or 410. `rejected`: another 4xx. `error`: another 5xx.",
      ),
    ...decidingFields,
  })
  .meta({ id: "verdict", description: "An answer of the server." });

export const compareRequestsOutput = z
  .strictObject({
    assumptions: assumptionsSchema.optional(),
    requests: z
      .array(
        z.union([
          z.strictObject({
            line,
            comparison: z.enum(["different", "unknown"]).describe("The comparison of the classes of both answers."),
            request: requestSchema,
            before: shownVerdict,
            after: shownVerdict,
          }),
          z.strictObject({ line, failed: z.string().describe("The reason why the line cannot be read.") }),
        ]),
      )
      .describe("The lines of the log with different or unknown answers, and unreadable lines, in order."),
    summary: z.strictObject({
      requests: countSchema,
      different: countSchema,
      unknown: countSchema,
      unread: countSchema,
      withoutHost: withoutHostSchema,
    }),
  })
  .meta({
    title: "httpd-lint compare --requests",
    description: "The output of `httpd-lint compare --requests LOG --format json`.",
  });
