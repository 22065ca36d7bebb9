/** The JSON outputs of `compare`, `map`, `audit`, `upgrade` and `migrate`. */

import * as z from "zod";
import { scopeEffects } from "../../proof/audit/outside-model.js";
import { probeOutcomes } from "../../proof/audit/sensitive-probes.js";
import { comparisonVerdicts } from "../../proof/model/comparison.js";
import { places } from "../../proof/model/mapped-access.js";
import { walkKinds } from "../../proof/model/path-class.js";
import { decisionClasses } from "../../server/model/answer.js";
import { accessChanges, shownClasses } from "../../server/model/answer-class.js";
import { editSchema, findingSchema } from "./findings.js";
import {
  assumptionsSchema,
  countSchema,
  decidingFields,
  faultSchema,
  locationSchema,
  possibleStatusSchema,
  rangeFields,
  readingSchema,
  releaseNameSchema,
  releaseSchema,
  requestSchema,
  sectionSchema,
  serverProofsSchema,
  statusSchema,
  textSchema,
  unprovedSchema,
} from "./parts.js";

const methods = "Empty for all methods. `any other method` represents all methods that no line names.";
const hostsOfServer = z
  .array(z.string())
  .describe(
    "A name of the server, and of each server that is alike up to constants, such as names, paths and addresses. Those have the same scopes with their own constants.",
  );
const clients = z
  .array(textSchema)
  .describe("Networks, or all addresses except some, such as `all IPv4 but 10.0.0.0/8`.");
const unsure = z.literal(true).describe("Present if the access depends on something that `unknown` lists.").optional();
const examplePaths = z
  .array(z.string())
  .min(1)
  .describe("Example paths as sent, one of each group of paths, the shortest first.");
const place = z
  .enum(places)
  .describe(
    "What exists at the paths. Values other than `file` appear only if the same sections do not decide for any file. `elsewhere` is a backend or a redirect. `path info` follows a file.",
  );
const decidingSections = z
  .array(sectionSchema)
  .describe("The sections that contain the deciding directives, and deciding directives outside sections.");
/** For commands that do not assume missing modules. */
const assumptionsAboutRest = assumptionsSchema
  .describe("Assumptions about the rest of the server. Present if the entry is a part of a server.")
  .optional();

const knownVerdict = z
  .strictObject({
    status: statusSchema.describe("The status. If access is granted, it is 200 unless another status is known."),
    class: z
      .enum(shownClasses)
      .describe(
        "The class of the status. Only `allowed` gives the client the content. `redirected`: 3xx. `not found`: 404 or 410. `rejected`: another 4xx. `error`: another 5xx.",
      ),
    ...decidingFields,
  })
  .meta({ id: "verdict", description: "An answer of the server." });

const allowVerdict = z.strictObject({
  status: possibleStatusSchema,
  class: z.enum(decisionClasses).describe("The access decision. `allowed` is any status except 401, 403 and 500."),
  ...decidingFields,
});

const region = z
  .strictObject({
    paths: z
      .array(
        z.strictObject({
          example: z.string().describe("An example path of the class, as sent."),
          sections: z.array(sectionSchema).describe("The sections that apply to exactly these paths, in order."),
          kind: z
            .enum(walkKinds)
            .describe("What exists at the path of this example. Absent for a backend or a redirect.")
            .optional(),
        }),
      )
      .min(1),
    clients,
    users: z.array(textSchema).describe("Users. Empty for all users, and for requests without a user."),
    methods: z.array(textSchema).describe(methods),
    hosts: z.array(textSchema).describe("The names, or addresses and ports, of the server."),
    conditions: z.array(textSchema).describe("Further conditions. All of them must hold."),
  })
  .meta({ id: "region" });

export const differenceSchema = z
  .strictObject({
    request: requestSchema.describe("An example request. The simulator gives it these answers on both sides."),
    files: z
      .array(z.strictObject({ path: z.string().describe("Its absolute path."), kind: z.enum(walkKinds) }))
      .describe(
        "The files that the difference assumes: the object at the path of the request, and all others that its results depend on.",
      ),
    given: z
      .array(textSchema)
      .describe("Further conditions that must hold and that are not part of the request.")
      .optional(),
    before: knownVerdict,
    after: knownVerdict,
    change: z
      .enum(accessChanges)
      .describe(
        "`gain`: some of these requests get the content only after the change. `loss`: some get it only before, and none gains it. `neither`: none gets it on any side.",
      ),
    hosts: z
      .array(z.string())
      .describe(
        "A name of each virtual host that it holds for. Hosts that are alike up to constants, such as names, paths and addresses, have the same difference with their own constants.",
      ),
    region: z.array(region).min(1).describe("All affected requests."),
  })
  .meta({ id: "difference" });

const differences = z.array(differenceSchema);
const provedExceptSchema = z
  .enum(["user-directories"])
  .describe("Present if only these requests are not proved: those that lead to the directories of users.");
const uncomparedRequests = z
  .array(z.string())
  .min(1)
  .describe(
    "The requests that 2.2 and 2.4 may answer differently whatever the configuration is, each as `with repeated slashes in the path`. They are not compared, and no result depends on them.",
  );
const unproved = z.array(unprovedSchema).describe("What could not be proved.");

export const compareOutput = z
  .strictObject({
    assumptions: assumptionsSchema.optional(),
    verdict: z
      .enum(comparisonVerdicts)
      .describe(
        "`equivalent`: both sides provably make the same access decision for every request, and redirect, reject or do not find the same ones. `different`: at least one request gets another answer, or one side does not start. `unknown`: no difference was found, but the proof is incomplete.",
      ),
    startup: z
      .strictObject({ before: z.array(faultSchema), after: z.array(faultSchema) })
      .describe(
        "Problems that prevent one side from starting, or make all its requests fail. The rest is compared as if the rejected lines were absent and missing modules loaded.",
      )
      .optional(),
    differences: differences.describe("One difference for all requests that the same directives decide on each side."),
    unknown: unproved,
    servers: serverProofsSchema.optional(),
    provedExcept: provedExceptSchema.optional(),
    uncomparedRequests: uncomparedRequests.optional(),
    notCompared: z
      .array(
        z
          .strictObject({
            directive: textSchema.describe("The name of the directive, as written."),
            before: locationSchema.describe("The location in BEFORE. Absent if the directive was added.").optional(),
            after: locationSchema.describe("The location in AFTER. Absent if the directive was deleted.").optional(),
          })
          .meta({
            anyOf: [
              { properties: { before: true }, required: ["before"] },
              { properties: { after: true }, required: ["after"] },
            ],
          }),
      )
      .describe(
        "Directives for redirect targets, index files, backends, TLS, headers and logs that differ between BEFORE and AFTER. The verdict does not depend on them.",
      ),
    summary: z
      .strictObject({ servers: countSchema, paths: countSchema })
      .describe("The number of compared server pairs and groups of paths."),
  })
  .meta({ title: "httpd-lint compare", description: "The output of `httpd-lint compare --format json`." });

const entryPoints = z
  .array(
    z
      .strictObject({
        host: z
          .string()
          .describe(
            "The Host header. `unnamed.invalid` represents all names that no line contains. Absent if the request has no Host header.",
          )
          .optional(),
        port: z.int().min(1).max(65_535).optional(),
        serverIp: z.string().optional(),
        scheme: z.enum(["http", "https"]).optional(),
      })
      .meta({ id: "door", description: "An entry point: how a request reaches the server." }),
  )
  .min(1);

export const clientAccessSchema = z
  .strictObject({
    words: textSchema.describe("The access as text."),
    allowed: z
      .array(
        z
          .strictObject({
            clients,
            users: z.array(textSchema).describe("Names in backticks, `any user`, `any other user` or `no user`."),
            conditions: z.array(textSchema).describe("Further conditions, as clauses. All of them must hold."),
          })
          .meta({
            id: "senders",
            description: "The clients that meet all of these conditions. An empty list does not restrict them.",
          }),
      )
      .describe("The allowed clients. Empty if no client is allowed."),
    others: z
      .array(z.string().regex(/^(?:redirect|[1-5][0-9][0-9])$/))
      .describe("The answers to all other clients: `redirect`, or a status. Empty if every client is allowed."),
  })
  .meta({ id: "who", description: "The allowed clients, and the status for all others." });

export const mappedServerSchema = z.strictObject({
  entryPoints: entryPoints.describe("The entry points of the server, the most usual first."),
  doors: entryPoints.describe("The earlier name of `entryPoints`; the next version omits it."),
  hosts: hostsOfServer,
  scopes: z.array(
    z
      .strictObject({
        paths: examplePaths,
        place,
        sections: decidingSections,
        methods: z.array(z.string()).describe(methods),
        differs: z.boolean().describe("Whether access differs between the versions."),
        unsure,
        access: z
          .record(releaseNameSchema, clientAccessSchema)
          .meta({ description: "The access in each version.", minProperties: 1 }),
      })
      .meta({ id: "scope", description: "Paths with the same deciding sections." }),
  ),
});

const unknownAccess = z.array(unprovedSchema).describe("Access that is not known.");

export const mapOutput = z
  .strictObject({
    assumptions: assumptionsSchema.optional(),
    releases: z.array(releaseNameSchema).min(1).max(2).describe("The versions that the map shows."),
    startup: z
      .record(releaseNameSchema, z.array(faultSchema).min(1))
      .describe(
        "Problems that prevent a version from starting, or make all its requests fail. The map omits this version, unless no other version is shown. It then ignores the rejected lines, and assumes that missing modules are loaded.",
      )
      .optional(),
    servers: z.array(mappedServerSchema),
    unknown: unknownAccess,
  })
  .meta({ title: "httpd-lint map", description: "The output of `httpd-lint map --format json`." });

const decidingDirectives = z
  .array(locationSchema)
  .describe("The deciding directives: of access control, then those that make the server answer in this way.");

export const outsideServerSchema = z.strictObject({
  entryPoints: entryPoints.describe(
    "The entry points of the server, the most usual first. Loopback addresses are left out.",
  ),
  doors: entryPoints.describe("The earlier name of `entryPoints`; the next version omits it."),
  hosts: hostsOfServer,
  scopes: z.array(
    z
      .strictObject({
        effect: z
          .enum(scopeEffects)
          .describe(
            "What a request makes the server do: send a file, run a program, write a file, or ask a backend. `error`: requests of anonymous clients fail with a status from 500. Access control denies `protected` paths to them.",
          ),
        paths: examplePaths,
        place,
        methods: z
          .array(z.string())
          .min(1)
          .describe("The checked methods with this effect: of GET, POST, PUT and DELETE."),
        listing: z
          .literal(true)
          .describe("Present if the answer is a listing of the directory, for want of an index file.")
          .optional(),
        forwardProxy: z
          .literal(true)
          .describe(
            "Present if the server is a forward proxy: the path stands for any URL, or for any host with CONNECT.",
          )
          .optional(),
        conditions: z
          .array(z.array(z.string()).min(1).describe("Conditions that must all hold."))
          .min(1)
          .describe("Present if access depends on more than the client: alternatives, each a list of conditions.")
          .optional(),
        unsure,
        sections: decidingSections,
        request: requestSchema,
        status: statusSchema.describe("The status of the answer."),
        decidedBy: decidingDirectives,
        access: clientAccessSchema.describe("Present for protected paths: the clients that are allowed.").optional(),
      })
      .meta({ id: "scope", description: "Paths with the same effect, decided by the same sections." }),
  ),
  unknownPaths: z
    .array(z.string())
    .min(1)
    .describe(
      "An example of each group of paths whose answer is not known, or only for some methods. Present if there are any.",
    )
    .optional(),
});

export const sensitiveAnswerSchema = z
  .strictObject({
    path: textSchema,
    outcome: z
      .enum(probeOutcomes)
      .describe(
        "`exposed`: the file or the page itself. `program` and `backend`: an answer that may be anything. `denied`: 401 or 403. `absent`: 404 or 410. `error`: a status from 500. `other`: another page or a redirect. `rejected`: another status from 400.",
      ),
    request: requestSchema,
    status: statusSchema.describe("The status of the answer. Absent if it is unknown.").optional(),
    decidedBy: decidingDirectives,
    unknown: z.array(z.string()).min(1).describe("Facts that the answer depends on.").optional(),
    hosts: z.array(z.string()).describe("A name of each host with this answer, that of the request first."),
  })
  .meta({ id: "answer", description: "The answer to a request for a sensitive path." });

export const auditOutput = z
  .strictObject({
    assumptions: assumptionsSchema.optional(),
    release: releaseSchema,
    startup: z
      .array(faultSchema)
      .min(1)
      .describe(
        "Problems that prevent the server from starting, or make all its requests fail. The report ignores the rejected lines, and assumes that missing modules are loaded.",
      )
      .optional(),
    servers: z.array(outsideServerSchema).describe("The servers as anonymous clients with a public address see them."),
    unreachable: z.array(z.string()).describe("Names of servers that only listen on a loopback address."),
    sensitivePaths: z
      .strictObject({
        checked: countSchema.describe("Number of paths checked, on each host."),
        answers: z.array(sensitiveAnswerSchema).describe("One answer for all hosts where it is the same."),
      })
      .describe("Paths that often lead to data which are not meant for the public."),
    findings: z
      .array(findingSchema)
      .describe("The findings of the rule groups `exposure` and `tls`, the most severe first."),
    unknown: z.array(unprovedSchema).describe("Parts of the view that are not known."),
  })
  .meta({ title: "httpd-lint audit", description: "The output of `httpd-lint audit --format json`." });

const findings = z.array(findingSchema);

const datedChange = z.strictObject({
  version: z.string().describe("The version that made the change."),
  text: z.string(),
  fixes: z.array(z.string()).min(1).describe("The vulnerabilities that the change belongs to.").optional(),
  source: z.string(),
});

const versionAnswer = z.strictObject({
  status: z.int(),
  log: z.array(z.string()).describe("Numbers of the messages in the error log."),
  location: z.string().describe("The Location header.").optional(),
  target: z.string().describe("The URL that a backend gets.").optional(),
  file: z.string().describe("The file that answers.").optional(),
  query: z.string().describe("The query that the file or the backend gets.").optional(),
  decidedBy: z.array(locationSchema).describe("The deciding lines."),
});

const versionEffects = z.strictObject({
  differences: z
    .array(
      z.strictObject({
        changes: z.array(datedChange).min(1).describe("More than one if one version made several changes."),
        request: requestSchema,
        before: versionAnswer,
        after: versionAnswer,
      }),
    )
    .describe("Requests that the two versions answer differently, one for each change and server."),
  changes: z
    .array(
      datedChange.extend({
        kind: z.enum(["default", "other"]),
        uncertain: z.literal(true).describe("A distribution may have made it in an older version.").optional(),
      }),
    )
    .describe(
      "Changes of defaults, and of what no answer shows, as far as the configuration uses what they are about.",
    ),
  unseen: z.array(datedChange).describe("Changes of answers that none of the requests showed."),
  uncertain: z.array(z.string()).describe("What a distribution may do or not do, as clauses."),
  requests: countSchema.describe("The number of requests that were answered as both versions."),
  limited: z.literal(true).describe("Some requests were left out because of their number.").optional(),
});

export const upgradeOutput = z
  .strictObject({
    assumptions: assumptionsAboutRest,
    from: z.string().describe("The version you upgrade from."),
    to: z.string().describe("The version you upgrade to."),
    notOf22: locationSchema
      .describe(
        "A directive of 2.4, so that 2.2 cannot run this configuration. Access is then not compared: the verdict is `unknown`, and `review` is empty.",
      )
      .optional(),
    startup: z
      .array(faultSchema)
      .min(1)
      .describe(
        "Problems that prevent the version you upgrade from from starting. The other values are computed as if the rejected lines were absent.",
      )
      .optional(),
    start: findings.describe("Findings that prevent the target version from starting, or cause 500."),
    answers: z
      .strictObject({
        supplied: z
          .array(z.string())
          .min(1)
          .describe("Identifiers of the modules that findings recommend to load. The comparison treats them as loaded.")
          .optional(),
        findings,
        verdict: z.enum(comparisonVerdicts),
        differences,
        unknown: unproved,
        uncomparedRequests: uncomparedRequests.optional(),
      })
      .describe("Requests that the target version answers differently."),
    behaviour: findings.describe("Findings about directives that behave differently, apart from access."),
    versions: versionEffects
      .describe("What the versions between two versions of 2.4 changed. They are counted with `behaviour`.")
      .optional(),
    review: z
      .strictObject({ servers: z.array(mappedServerSchema), unknown: unknownAccess })
      .describe("Access before and after, for all paths with restricted access."),
    recommended: findings.describe("Findings about directives that still work, but should be replaced."),
    build: z
      .strictObject({
        changed: z
          .array(
            z.strictObject({
              switch: z.string(),
              word: z.string().describe("If the switch is a list of modules, the affected module.").optional(),
              advice: z.string(),
            }),
          )
          .describe("The switches that 2.4 does not accept unchanged."),
        switches: countSchema.describe("The number of switches."),
      })
      .describe("The result for the `configure` line that `--config-nice` names.")
      .optional(),
    summary: z
      .strictObject({
        ...{ start: countSchema, answers: countSchema, behaviour: countSchema, review: countSchema },
        ...{ recommended: countSchema, build: countSchema, ignored: countSchema },
      })
      .describe("The number of entries of each section of the report."),
  })
  .meta({ title: "httpd-lint upgrade", description: "The output of `httpd-lint upgrade --format json`." });

const migrationEdit = z
  .union([
    editSchema,
    z.strictObject({
      path: textSchema,
      ...rangeFields,
      omitted: z
        .literal("secret")
        .describe(
          "The reason why the new text is missing: it contains a secret. Do not apply the edits then; use `--write`, or the exact patch of `--format diff`.",
        ),
    }),
  ])
  .meta({
    id: "migrationEdit",
    description: "An edit as in fixes of `check`. It has one of `text`, `base64` and `omitted`.",
  });

const migratedFile = z
  .strictObject({
    path: z.string().describe("The path of the file. Relative if the file is in the working directory."),
    edits: z
      .array(migrationEdit)
      .min(1)
      .describe(
        "Edits of whole lines, in the form of fixes of `check`. They are sorted and do not overlap. Apply all of them or none.",
      ),
  })
  .meta({ id: "file" });

export const allowOutput = z
  .strictObject({
    assumptions: assumptionsAboutRest,
    release: releaseSchema,
    reading: readingSchema,
    request: requestSchema,
    result: z
      .enum(["found", "allowed", "unknown", "none"])
      .describe(
        "`found`: the change in `files` allows the request. `allowed`: access is granted without a change. `unknown`: the answer to the request is unknown. `none`: no change was found, for the reason in `reason`.",
      ),
    reason: textSchema.describe("The reason if nothing was found.").optional(),
    before: allowVerdict.describe("The answer to the request."),
    after: allowVerdict.describe("The answer to the request with the change.").optional(),
    reach: z
      .enum(["client", "user", "everyone"])
      .describe(
        "The clients that the change allows: only requests from the client, also other requests of the user, or all clients, because the changed line cannot be limited.",
      )
      .optional(),
    files: z.array(migratedFile).describe("The files to change. Nothing is written."),
    notes: z.array(textSchema).describe("Facts to know before the change is made."),
    differences: differences.describe("All requests whose access decision the change alters, in groups."),
    unknown: unproved,
  })
  .meta({
    title: "httpd-lint explain --allow",
    description: "The output of `httpd-lint explain --allow --format json`.",
  });

export const namedDifferenceSchema = z
  .strictObject({
    id: z
      .string()
      .regex(/^d-[0-9a-f]{8}$/)
      .describe("The ID for `--accept`. It changes if the requests or the lines that decide them do."),
    stricter: z.boolean().describe("Whether no client gains access."),
    difference: differenceSchema,
  })
  .meta({ id: "namedDifference" });

const reasonFields = { location: locationSchema.optional(), reason: textSchema };

export const ineffectiveLinesSchema = z
  .strictObject({
    lines: z
      .array(z.strictObject({ location: locationSchema, text: textSchema }))
      .min(1)
      .describe("The lines of one section."),
    now: z.string().describe("The clients that are allowed now."),
    written: z.string().describe("The clients that the lines were written to allow."),
  })
  .meta({ id: "ineffectiveLines" });

const proposal = z
  .strictObject({
    files: z.array(migratedFile).describe("The files that it would change."),
    differences: z.array(namedDifferenceSchema).describe("All requests that it would answer differently."),
  })
  .describe(
    "A conversion without variables that is not accepted: not all of its differences are, or it makes faults of the current access permanent. Absent if not all of its differences are known.",
  );

const migrationChoice = z.strictObject({
  ineffective: z.array(ineffectiveLinesSchema).min(1).describe("The lines."),
  get restore() {
    return migrateOutput.describe("The result of `--ineffective restore`.");
  },
  get delete() {
    return migrateOutput.describe("The result of `--ineffective delete`.");
  },
});

export const migrateOutput = z
  .strictObject({
    assumptions: assumptionsAboutRest,
    verdict: z
      .enum(["proved", "unchanged", "refused"])
      .describe(
        "`proved`: a server without mod_access_compat answers every request as before, except those in `byRelease`, `samePage`, `accepted` and `restored`. `unchanged`: nothing is to be migrated, but the versions decide some requests differently, or are not proved to be alike; `compare` lists them. `refused`: nothing is changed.",
      ),
    files: z.array(migratedFile).describe("The changed files. Empty unless the migration is proved."),
    refused: z
      .array(z.strictObject(reasonFields).meta({ id: "reason" }))
      .describe("The reasons why nothing is changed, with their locations."),
    byRelease: differences
      .describe("Requests that the proof excludes. 2.4 rejects them, unlike 2.2, independently of access control.")
      .optional(),
    samePage: differences
      .describe(
        "Requests that the proof excludes. They get a page, such as server-status, that the same client gets at the path of its section.",
      )
      .optional(),
    accepted: z
      .array(namedDifferenceSchema)
      .describe("The differences accepted with `--accept`. They are all differences of the migration.")
      .optional(),
    restored: z
      .array(namedDifferenceSchema)
      .min(1)
      .describe("The differences by restored lines, with `--ineffective restore`.")
      .optional(),
    faults: z
      .array(z.strictObject({ id: z.string().regex(/^f-[0-9a-f]{8}$/), ...reasonFields }))
      .min(1)
      .describe("The faults of the current access that were accepted with `--accept`.")
      .optional(),
    ineffective: z
      .array(ineffectiveLinesSchema)
      .min(1)
      .describe("The lines without effect that were restored or deleted.")
      .optional(),
    differences: differences
      .describe("The requests that the closest Require form would answer differently.")
      .optional(),
    unknown: unproved.describe("What could not be proved for this form.").optional(),
    servers: serverProofsSchema.optional(),
    provedExcept: provedExceptSchema.optional(),
    proposal: proposal.optional(),
    get choice() {
      return migrationChoice
        .describe(
          "Lines that have no effect today although they were written to have one, and the result of each choice about them. Present if `--ineffective` is missing.",
        )
        .optional();
    },
  })
  .meta({ title: "httpd-lint migrate", description: "The output of `httpd-lint migrate --format json`." });
