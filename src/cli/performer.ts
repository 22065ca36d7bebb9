import { defaultRules } from "../../rules/index.js";
import { Answers } from "../kept/answers.js";
import { openEntry } from "../project/load.js";
import { aloneIn } from "./alone.js";
import { inParts } from "./many-files.js";
import { partOf } from "./parts-done.js";
import { readingOf } from "./reading.js";
import type { Done, Session, Task } from "./work.js";

/** Does the tasks of a session where nothing is known but what it says. */
export function performer({ how, rules: rated, server, own }: Session): (task: Task) => Done {
  const severities = new Map(rated);
  const rules = defaultRules.flatMap((rule) => {
    const severity = severities.get(rule.id);
    return severity === undefined ? [] : [{ ...rule, severity }];
  });
  const reading = readingOf(how);
  if ("failed" in reading) throw new Error(reading.failed);
  if (server === undefined) return (task) => aloneIn(task, reading, rules);
  const answers = own && new Answers(own);
  const access = answers?.through(reading.access) ?? reading.access;
  const opened = openEntry(server.main, { ...reading.load, access, kind: "server" });
  if ("failed" in opened) throw new Error(opened.failed);
  const parts = inParts(opened, server.files, rules);
  return (task) => {
    const done = partOf(task, parts);
    return answers ? { ...done, answers: answers.take() } : done;
  };
}
