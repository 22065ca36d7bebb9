import { dirname } from "node:path";
import type { Diagnostic } from "vscode-languageserver/node";
import { realPathOf, sortPartsLast } from "../../project/discovery/main-files.js";
import { mainFileOfEntry } from "../../settings/settings.js";
import type { OpenDocument, OpenDocuments } from "../documents/open-documents.js";
import type {
  AccessDescription,
  DocumentFindings,
  DocumentSnapshot,
  DocumentText,
  JobResult,
  SnapshotServer,
} from "../job.js";
import type { SettingsStore } from "../settings/settings-store.js";
import { AnalysisThread } from "./analysis-thread.js";

/** So long nothing may be typed before findings are looked for. */
const TYPING_DELAY_MS = 150;
/** Findings without proofs are held back so long, for those with proofs to take their place unseen. */
const PROOF_DELAY_MS = 400;
/** So long an editor waits to be told who gets in. */
const ACCESS_TIMEOUT_MS = 1_500;

/** Findings as an editor is sent them. */
export interface PublishedDiagnostics {
  readonly uri: string;
  readonly version?: number;
  readonly diagnostics: Diagnostic[];
}

/** Has documents analysed in threads of their own, and keeps what came of it. */
export class DiagnosticsService {
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private readonly analysed = new Map<string, DocumentFindings>();
  /** Who gets in, by what was asked of the texts as they are. */
  private readonly pendingQueries = new Map<string, Promise<AccessDescription | undefined>>();
  private readonly quickThread: AnalysisThread;
  private readonly proofThread: AnalysisThread;
  private readonly accessThread: AnalysisThread;

  constructor(
    private readonly documents: OpenDocuments,
    private readonly settings: SettingsStore,
    private readonly publish: (published: PublishedDiagnostics) => void,
    failed: (error: unknown) => void,
  ) {
    this.quickThread = new AnalysisThread("finish", failed);
    this.proofThread = new AnalysisThread("give up", failed);
    this.accessThread = new AnalysisThread("give up", failed);
  }

  /** What was found last in a document, of whatever version of it. */
  latest(uri: string): DocumentFindings | undefined {
    return this.analysed.get(uri);
  }

  /** A document was opened or changed: all that are read with it are analysed once nothing more is typed. */
  changed(document: OpenDocument): void {
    this.settings.refreshMains(!this.analysed.has(document.uri));
    this.schedule(this.keyOf(document), this.analysed.has(document.uri) ? TYPING_DELAY_MS : 0);
  }

  /** Files on the disk or settings have changed. */
  allChanged(): void {
    this.settings.refresh();
    this.settings.refreshMains(true);
    for (const key of new Set(this.documents.all().map((document) => this.keyOf(document))))
      this.schedule(key, TYPING_DELAY_MS);
  }

  closed(document: Pick<OpenDocument, "uri" | "place">): void {
    this.analysed.delete(document.uri);
    this.publish({ uri: document.uri, diagnostics: [] });
    this.schedule(this.keyOf(document), TYPING_DELAY_MS);
  }

  /**
   * Who gets in at a line. Where that takes longer than anybody waits it is worked on all the same, for the next time that
   * it is asked.
   */
  async describeAccess(document: OpenDocument, offset: number): Promise<AccessDescription | "not yet" | undefined> {
    const { uri } = document;
    const question = `${offset} ${uri}`;
    const known = this.pendingQueries.get(question);
    if (known) return Promise.race([known, delayed(ACCESS_TIMEOUT_MS, "not yet" as const)]);
    const key = this.keyOf(document);
    const job = { kind: "who", snapshot: this.snapshotOf(key), uri, offset } as const;
    const answer = this.accessThread.submit(job, key).then((come) => (come?.kind === "who" ? come.told : undefined));
    this.pendingQueries.set(question, answer);
    return Promise.race([answer, delayed(ACCESS_TIMEOUT_MS, "not yet" as const)]);
  }

  private schedule(key: string, pause: number): void {
    clearTimeout(this.timers.get(key));
    this.pendingQueries.clear();
    this.accessThread.cancel(key);
    this.timers.set(
      key,
      setTimeout(() => void this.analyse(key), pause),
    );
  }

  /** Findings come without proofs first, where these take long. */
  private async analyse(key: string): Promise<void> {
    this.timers.delete(key);
    // Not every editor tells of files that change.
    if (this.settings.refresh()) {
      this.allChanged();
      return;
    }
    const snapshot = this.snapshotOf(key);
    if (snapshot.documents.length === 0) return;
    this.proofThread.cancel(key);
    const first = await this.quickThread.submit({ kind: "findings", isProved: false, snapshot }, key);
    if (first?.kind !== "findings") return;
    if (!first.asksForProof) {
      this.applyResult(first);
      return;
    }
    const proved = this.proofThread.submit({ kind: "findings", isProved: true, snapshot }, key);
    if ((await Promise.race([proved, delayed(PROOF_DELAY_MS, "not yet" as const)])) === "not yet")
      this.applyResult(first);
    this.applyResult(await proved);
  }

  private applyResult(answer: JobResult | undefined): void {
    if (answer?.kind !== "findings") return;
    for (const analysed of answer.documents) {
      const { uri, version, findings } = analysed;
      const open = this.documents.get(uri);
      if (open === undefined) continue;
      this.analysed.set(uri, analysed);
      if (open.text.version === version)
        this.publish({ uri, version, diagnostics: findings.map(({ diagnostic }) => diagnostic) });
    }
  }

  private snapshotOf(key: string): DocumentSnapshot {
    return createSnapshot(
      this.documents.all().filter((document) => this.keyOf(document) === key),
      this.settings,
    );
  }

  private keyOf(document: Pick<OpenDocument, "uri" | "place">): string {
    return snapshotKeyOf(document, this.settings);
  }
}

function delayed<T>(milliseconds: number, value: T): Promise<T> {
  return new Promise((done) => {
    setTimeout(() => done(value), milliseconds).unref();
  });
}

type LocatedDocument = Pick<OpenDocument, "uri" | "place">;

/**
 * Documents with the same key are read together: those of a project whose settings name servers, those of one server, and
 * any other on its own.
 */
function snapshotKeyOf({ uri, place }: LocatedDocument, book: SettingsStore): string {
  if (!place.isFile) return uri;
  const project = book.project(place.path);
  if (project && project.servers.length > 0) return project.path;
  // Documents that may belong to several servers have the outermost in common.
  const [main] = [...book.mainsAround(place.path)].sort((a, b) => dirname(a).length - dirname(b).length);
  return main === undefined ? uri : [main, project?.path ?? ""].join("\n");
}

/** Documents that are read together, with the servers that may read them, and how these are read. */
function createSnapshot(open: readonly OpenDocument[], book: SettingsStore): DocumentSnapshot {
  const [first] = open;
  const path = first?.place.path ?? "";
  return {
    servers: first ? listServersAround(open, path, book) : [],
    documents: open.map((document) => documentText(document, book)),
    project: book.project(path),
  };
}

function documentText({ snapshot, place }: OpenDocument, book: SettingsStore): DocumentText {
  const main = place.isFile ? book.mainsAround(place.path).at(0) : undefined;
  return { ...snapshot, alone: { main, settings: book.settingsOf(place.path, main) } };
}

/** The servers that the settings name, those nearest to a document ahead, and the others that are nearest to one. */
function listServersAround(
  open: readonly OpenDocument[],
  path: string,
  book: SettingsStore,
): readonly SnapshotServer[] {
  const around = open.flatMap(({ place }) => (place.isFile ? book.mainsAround(place.path) : []));
  const near = sortPartsLast([...new Set(around)]);
  const isFile = open.some(({ place }) => place.isFile);
  const named = isFile ? (book.project(path)?.servers ?? []).map(({ entry }) => mainFileOfEntry(entry)) : [];
  const isNamed = new Set(named.map(realOrSame));
  const nearAndNamed = near.filter((main) => isNamed.has(realOrSame(main)));
  const far = open.flatMap(({ place }) => (place.isFile ? book.mainsInRepository(place.path) : []));
  const byRealPath = new Map<string, SnapshotServer>();
  for (const main of [...nearAndNamed, ...named, ...near, ...sortPartsLast([...new Set(far)])])
    if (!byRealPath.has(realOrSame(main)))
      byRealPath.set(realOrSame(main), { main, settings: book.settingsOf(path, main) });
  return [...byRealPath.values()];
}

function realOrSame(path: string): string {
  return realPathOf(path) ?? path;
}
