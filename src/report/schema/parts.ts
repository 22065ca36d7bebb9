/** The parts that several JSON outputs share. */

import * as z from "zod";
import { semantics } from "../../server/model/answer.js";
import { tlsVersions } from "../../server/model/request.js";

/** The values that a definition describes, as a converter returns them. */
export type JsonOf<Definition extends z.ZodType> = Unchanging<z.infer<Definition>>;

type Unchanging<T> = T extends object ? { readonly [Key in keyof T]: Unchanging<T[Key]> } : T;

export const countSchema = z.int().min(0);
export const textSchema = z.string().min(1);
export const statusSchema = z.int().min(100).max(599);

export const versionSchema = textSchema.describe("The version of httpd-lint.");
export const releaseNameSchema = z.string().regex(/^(?:2\.[24](?:\.\d+)?|[a-z]+-\d[\d.]*)$/);
export const releaseSchema = releaseNameSchema.describe("The target version.");
export const readingSchema = z
  .enum(semantics)
  .describe("The semantics: `server` as httpd does, `guide` as the upgrade guide describes.");

/** The assumptions of commands that read a part of a server, or one that answers no request. */
export const assumptionsSchema = z
  .array(z.string())
  .min(1)
  .describe(
    "Assumptions about the rest of the server, and about missing modules. Present if the entry is a part of a server, or answers no request.",
  );

const position = z.strictObject({ line: z.int().min(1), column: z.int().min(1) }).meta({
  id: "position",
  description: "A line and a column, counted from 1. Columns are UTF-16 code units of the line decoded as UTF-8.",
});

/** The ends of a text in a file. */
export const rangeFields = { start: position, end: position };

export const locationSchema = z.strictObject({ path: textSchema, ...rangeFields }).meta({
  id: "location",
  description:
    "A directive, from its name to its last argument. `path` has symbolic links resolved, and is relative if the file is in the working directory.",
});

export const faultSchema = z.strictObject({ message: z.string(), location: locationSchema }).meta({ id: "fault" });

export const sectionSchema = z
  .strictObject({ section: z.string(), location: locationSchema })
  .meta({ id: "section", description: "A section with its location." });

export const requestSchema = z
  .strictObject({
    method: textSchema,
    path: z.string().describe("The path as sent: with escapes, without the query."),
    query: z.string().describe("The query without the `?`.").optional(),
    scheme: z.enum(["http", "https"]).optional(),
    host: z.string().describe("The Host header.").optional(),
    origin: z
      .string()
      .describe("The scheme and authority of a request line with the whole URL, which override the Host header.")
      .optional(),
    port: z.int().min(1).max(65_535).describe("The port that receives the request.").optional(),
    serverIp: z.string().optional(),
    clientIp: z.string().describe("The client's address as access control sees it, after mod_remoteip."),
    peerIp: z.string().describe("The address that connects, before mod_remoteip.").optional(),
    clientHost: z
      .string()
      .describe("The client's host name. The address resolves to it, and it resolves to the address.")
      .optional(),
    isUnnamed: z
      .boolean()
      .describe("Whether the client has no host name, although its address is that of the machine itself.")
      .optional(),
    user: z.string().describe("The user. The password is assumed to be correct.").optional(),
    groups: z.array(z.string()).optional(),
    dbmGroups: z.array(z.string()).optional(),
    grants: z
      .array(z.string())
      .describe("What a directory service, a database or a resolver grants for Require. If absent, this is unknown.")
      .optional(),
    tls: z
      .strictObject({
        version: z.enum(tlsVersions).optional(),
        certificate: z
          .enum(["none", "verified"])
          .describe("Whether the client has a certificate that the server accepts.")
          .optional(),
        subject: z.string().describe("The subject of the certificate: `/C=DE/CN=alice`.").optional(),
      })
      .describe("The client in the TLS handshake. Absent parts are unknown.")
      .optional(),
    env: z
      .array(z.string())
      .describe("Variables that are set before the access check: `NAME` or `NAME=VALUE`.")
      .optional(),
    headers: z.record(z.string(), z.string()).describe("Other headers than Host and Authorization.").optional(),
  })
  .meta({ id: "request", description: "A request as the server receives it." });

/** The fields that follow the status and the class of an answer. */
export const decidingFields = {
  log: z
    .array(z.string().regex(/^AH\d{5}$/))
    .describe(
      "Numbers of the error log messages that show the decision; 2.4 only. Messages of providers and other modules are not included.",
    ),
  decidedBy: z.array(locationSchema).describe("The directives that decide. Empty if nothing restricts the request."),
};

/** The status of an answer that may be unknown. */
export const possibleStatusSchema = statusSchema
  .nullable()
  .describe("The status, or null if it is unknown. If access is granted, it is 200 unless another status is known.");

/** A part that is not proved, or not known. */
export const unprovedSchema = z
  .strictObject({
    reason: textSchema.describe("The reason, as a clause, and what the user can do."),
    location: locationSchema.optional(),
    example: z.string().describe("An affected path, as sent.").optional(),
  })
  .meta({ id: "unproved" });

const comparedServers = z.array(
  z.strictObject({
    name: z.string().describe("A name, or an address and port, that requests to it have."),
    location: locationSchema.describe("Its VirtualHost section. Absent for the main server.").optional(),
  }),
);

/** The servers of a comparison that is proved for only some of them. */
export const serverProofsSchema = z
  .strictObject({
    proved: comparedServers.describe("The servers with the same access decisions for every request on both sides."),
    open: comparedServers.describe("The servers for which something in `unknown` is not proved."),
  })
  .meta({
    id: "serverProofs",
    description:
      "The servers by what is proved of them. Present if the proof is complete for some and not for others. A server with a difference is in neither list.",
  });
