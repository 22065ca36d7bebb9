import { dirname } from "node:path";
import type { Diagnostic } from "vscode-languageserver/node";
import { realPathOf, sortPartsLast } from "../../../config/main-files.js";
import { mainFileOfEntry } from "../../settings/settings.js";
import type { OpenDocument, OpenDocuments } from "../documents/open-documents.js";
import type { SettingsStore } from "../documents/settings-store.js";
import type {
  AccessDescription,
  DocumentFindings,
  DocumentSnapshot,
  DocumentText,
  JobResult,
  SectionAccess,
  SnapshotServer,
} from "../job.js";
import { AnalysisThread } from "./analysis-thread.js";

/** Delay after the last keystroke before analysis. */
const TYPING_DELAY_MS = 100;
/** Delay before findings without proofs are published, so that those with proofs can replace them unseen. */
const PROOF_DELAY_MS = 400;
/** Maximum time an editor waits for the access information. */
const ACCESS_TIMEOUT_MS = 1_500;

/** Findings as sent to an editor. */
export interface PublishedDiagnostics {
  readonly uri: string;
  readonly version?: number;
  readonly diagnostics: Diagnostic[];
}

/** Analyzes documents in separate threads, and keeps the results. */
export class AnalysisService {
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private readonly linted = new Map<string, DocumentFindings>();
  /** The documents whose last analysis asked for proofs, by key: the next one most likely does as well. */
  private readonly needProofs = new Set<string>();
  /** Results of access queries for the current contents. */
  private readonly pendingQueries = new Map<string, Promise<AccessDescription | undefined>>();
  private readonly quickThread: AnalysisThread;
  private readonly proofThread: AnalysisThread;
  private readonly accessThread: AnalysisThread;
  /** A thread of its own: the access of all sections takes long, and a hover should not wait for it. */
  private readonly sectionThread: AnalysisThread;
  /** The access of sections for the current contents, and the latest known one. */
  private readonly pendingSections = new Map<string, Promise<readonly SectionAccess[] | undefined>>();
  private readonly latestSections = new Map<string, readonly SectionAccess[]>();

  constructor(
    private readonly documents: OpenDocuments,
    private readonly settings: SettingsStore,
    private readonly publish: (published: PublishedDiagnostics) => void,
    private readonly sectionsChanged: () => void,
    failed: (error: unknown) => void,
  ) {
    this.quickThread = new AnalysisThread("finish", failed);
    this.proofThread = new AnalysisThread("give up", failed);
    this.accessThread = new AnalysisThread("give up", failed);
    this.sectionThread = new AnalysisThread("give up", failed);
  }

  /** Returns the latest findings of a document, for whatever version. */
  latest(uri: string): DocumentFindings | undefined {
    return this.linted.get(uri);
  }

  /** Handles an opened or changed document: all documents read with it are linted after typing pauses. */
  changed(document: OpenDocument): void {
    this.settings.refreshMains(!this.linted.has(document.uri));
    this.schedule(this.keyOf(document), this.linted.has(document.uri) ? TYPING_DELAY_MS : 0);
  }

  /** Handles changes of files on disk or of configuration files. */
  allChanged(): void {
    this.settings.refresh();
    this.settings.refreshMains(true);
    for (const key of new Set(this.documents.all().map((document) => this.keyOf(document))))
      this.schedule(key, TYPING_DELAY_MS);
  }

  closed(document: Pick<OpenDocument, "uri" | "place">): void {
    this.linted.delete(document.uri);
    this.latestSections.delete(document.uri);
    this.publish({ uri: document.uri, diagnostics: [] });
    this.schedule(this.keyOf(document), TYPING_DELAY_MS);
  }

  /** Returns the access at a line. If that takes too long, the computation continues for the next query. */
  async describeAccess(document: OpenDocument, offset: number): Promise<AccessDescription | "not yet" | undefined> {
    const { uri } = document;
    const question = `${offset} ${uri}`;
    const known = this.pendingQueries.get(question);
    if (known) return Promise.race([known, delayed(ACCESS_TIMEOUT_MS, "not yet" as const)]);
    const key = this.keyOf(document);
    const job = { kind: "access", snapshot: this.snapshotOf(key), uri, offset } as const;
    const answer = this.accessThread
      .submit(job, key)
      .then((result) => (result?.kind === "access" ? result.description : undefined));
    this.pendingQueries.set(question, answer);
    return Promise.race([answer, delayed(ACCESS_TIMEOUT_MS, "not yet" as const)]);
  }

  /** Returns the access of the sections of a document; if it changes meanwhile, the latest known one. */
  async describeSections(document: OpenDocument): Promise<readonly SectionAccess[]> {
    const { uri } = document;
    const known = this.pendingSections.get(uri);
    if (known) return (await known) ?? this.latestSections.get(uri) ?? [];
    // Not every keystroke starts a thread.
    const answer: Promise<readonly SectionAccess[] | undefined> = delayed(TYPING_DELAY_MS, undefined).then(async () => {
      if (this.pendingSections.get(uri) !== answer) return undefined;
      const job = { kind: "sections", snapshot: this.snapshotOf(this.keyOf(document)), uri } as const;
      const result = await this.sectionThread.submit(job, uri);
      return result?.kind === "sections" ? result.sections : undefined;
    });
    this.pendingSections.set(uri, answer);
    const sections = await answer;
    if (sections) this.latestSections.set(uri, sections);
    return sections ?? this.latestSections.get(uri) ?? [];
  }

  private schedule(key: string, pause: number): void {
    clearTimeout(this.timers.get(key));
    this.pendingQueries.clear();
    this.accessThread.cancel(key);
    this.pendingSections.clear();
    for (const document of this.documents.all())
      if (this.keyOf(document) === key) this.sectionThread.cancel(document.uri);
    this.timers.set(
      key,
      setTimeout(() => void this.lint(key), pause),
    );
  }

  /** Publishes findings without proofs first if the proofs take long. */
  private async lint(key: string): Promise<void> {
    this.timers.delete(key);
    // Not every editor reports changed files.
    if (this.settings.refresh()) {
      this.allChanged();
      return;
    }
    const snapshot = this.snapshotOf(key);
    if (snapshot.documents.length === 0) return;
    this.proofThread.cancel(key);
    this.sectionsChanged();
    const prove = () => this.proofThread.submit({ kind: "findings", isProved: true, snapshot }, key);
    const early = this.needProofs.has(key) ? prove() : undefined;
    const first = await this.quickThread.submit({ kind: "findings", isProved: false, snapshot }, key);
    if (first?.kind !== "findings") return;
    if (!first.asksForProof) {
      this.needProofs.delete(key);
      this.applyResult(first);
      return;
    }
    this.needProofs.add(key);
    const proved = early ?? prove();
    if ((await Promise.race([proved, delayed(PROOF_DELAY_MS, "not yet" as const)])) === "not yet")
      this.applyResult(first);
    this.applyResult(await proved);
  }

  private applyResult(answer: JobResult | undefined): void {
    if (answer?.kind !== "findings") return;
    for (const linted of answer.documents) {
      const { uri, version, findings } = linted;
      const open = this.documents.get(uri);
      if (open === undefined) continue;
      this.linted.set(uri, linted);
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
 * Returns a key that is equal for documents to be read together: those of a project whose configuration file names
 * servers, those of one server, and any other on its own.
 */
function snapshotKeyOf({ uri, place }: LocatedDocument, book: SettingsStore): string {
  if (!place.isFile) return uri;
  const project = book.project(place.path);
  if (project && project.servers.length > 0) return project.path;
  // Documents that may belong to several servers share the outermost one.
  const [main] = [...book.mainsAround(place.path)].sort((a, b) => dirname(a).length - dirname(b).length);
  return main === undefined ? uri : [main, project?.path ?? ""].join("\n");
}

/** Returns documents to be read together, with the servers that may read them and their options. */
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
  return { ...snapshot, standalone: { main, settings: book.settingsOf(place.path, main) } };
}

/**
 * Returns the servers that the configuration file names, those nearest to a document first, followed by other nearby
 * ones.
 */
function listServersAround(
  open: readonly OpenDocument[],
  path: string,
  book: SettingsStore,
): readonly SnapshotServer[] {
  const nearby = open.flatMap(({ place }) => (place.isFile ? book.mainsAround(place.path) : []));
  const near = sortPartsLast([...new Set(nearby)]);
  const isFile = open.some(({ place }) => place.isFile);
  const named = isFile ? (book.project(path)?.servers ?? []).map(({ entry }) => mainFileOfEntry(entry)) : [];
  const isNamed = new Set(named.map(realOrSame));
  const nearAndNamed = near.filter((main) => isNamed.has(realOrSame(main)));
  const distant = open.flatMap(({ place }) => (place.isFile ? book.mainsInRepository(place.path) : []));
  const byRealPath = new Map<string, SnapshotServer>();
  for (const main of [...nearAndNamed, ...named, ...near, ...sortPartsLast([...new Set(distant)])])
    if (!byRealPath.has(realOrSame(main)))
      byRealPath.set(realOrSame(main), { main, settings: book.settingsOf(path, main) });
  return [...byRealPath.values()];
}

function realOrSame(path: string): string {
  return realPathOf(path) ?? path;
}
