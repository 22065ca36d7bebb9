import type { Project } from "../../config/model/project.js";
import { formatRefusal, isUnread, mergeRefusals } from "../../config/refusals/refusal.js";
import { omitUnreadHtaccess } from "../../server/walk/ignored-htaccess.js";
import { memoize } from "../../text/memoize.js";
import { reasonFor, type UnprovedPart } from "../model/unproved-reasons.js";

/** Returns what is not proved because a part of the configuration was not read, which may change any result. */
export const findUnreadParts = memoize((project: Project): readonly UnprovedPart[] => {
  const problem = mergeRefusals(omitUnreadHtaccess(project).problems.filter(isUnread));
  if (problem === undefined) return [];
  const reason = reasonFor("unread-part", formatRefusal(problem));
  return [{ reason, directive: undefined, example: undefined, isUnread: true }];
});
