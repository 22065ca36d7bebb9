import type { DirectoryEntry, FileAccess, FileContent, FileFailure, LinkFacts } from "./files.js";

/** A question that was put to files, and what they answered. */
export type Answered =
  | { readonly asked: "read"; readonly path: string; readonly answer: FileContent }
  | { readonly asked: "exists" | "isDirectory"; readonly path: string; readonly answer: boolean }
  | { readonly asked: "list"; readonly path: string; readonly answer: readonly DirectoryEntry[] | FileFailure }
  | { readonly asked: "linkAt"; readonly path: string; readonly answer: LinkFacts | undefined }
  | { readonly asked: "realPath"; readonly path: string; readonly answer: string };

/** Puts a question to files. Where they know nothing of links, there is none. */
export function ask(access: FileAccess, asked: Answered["asked"], path: string): Answered {
  switch (asked) {
    case "read":
      return { asked, path, answer: access.read(path) };
    case "exists":
    case "isDirectory":
      return { asked, path, answer: access[asked](path) };
    case "list":
      return { asked, path, answer: access.list(path) };
    case "linkAt":
      return { asked, path, answer: access.linkAt?.(path) };
    case "realPath":
      return { asked, path, answer: access.realPath(path) };
  }
}

/** The same files, and somebody hears of each question with its answer. */
export function overheard(access: FileAccess, hear: (answered: Answered) => void): FileAccess {
  const heard = <Told extends Answered>(answered: Told): Told["answer"] => {
    hear(answered);
    return answered.answer;
  };
  const { isPartial = false, linkAt } = access;
  return {
    isPartial,
    read: (path) => heard({ asked: "read", path, answer: access.read(path) }),
    exists: (path) => heard({ asked: "exists", path, answer: access.exists(path) }),
    isDirectory: (path) => heard({ asked: "isDirectory", path, answer: access.isDirectory(path) }),
    list: (path) => heard({ asked: "list", path, answer: access.list(path) }),
    realPath: (path) => heard({ asked: "realPath", path, answer: access.realPath(path) }),
    ...(linkAt ? { linkAt: (path: string) => heard({ asked: "linkAt", path, answer: linkAt(path) }) } : {}),
  };
}
