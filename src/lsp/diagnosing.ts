import type { Diagnostic } from "vscode-languageserver/node";
import { keyOf, snapshotOf } from "./belonging.js";
import type { OpenDocument, OpenDocuments } from "./documents.js";
import type { AnalysedDocument, Answer, Snapshot, WhoIsTold } from "./jobs.js";
import type { SettingsBook } from "./settings-book.js";
import { AnalysisThread } from "./thread.js";

/** So long nothing may be typed before findings are looked for. */
const PAUSE_MS = 150;
/** Findings without proofs are held back so long, for those with proofs to take their place unseen. */
const PROOFS_MS = 400;
/** So long an editor waits to be told who gets in. */
const WHO_MS = 1_500;

/** Findings as an editor is sent them. */
export interface Published {
  readonly uri: string;
  readonly version?: number;
  readonly diagnostics: Diagnostic[];
}

/** Has documents analysed in threads of their own, and keeps what came of it. */
export class Diagnosing {
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private readonly analysed = new Map<string, AnalysedDocument>();
  /** Who gets in, by what was asked of the texts as they are. */
  private readonly asked = new Map<string, Promise<WhoIsTold | undefined>>();
  private readonly quick: AnalysisThread;
  private readonly proving: AnalysisThread;
  private readonly asking: AnalysisThread;

  constructor(
    private readonly documents: OpenDocuments,
    private readonly settings: SettingsBook,
    private readonly publish: (published: Published) => void,
    failed: (error: unknown) => void,
  ) {
    this.quick = new AnalysisThread("finish", failed);
    this.proving = new AnalysisThread("give up", failed);
    this.asking = new AnalysisThread("give up", failed);
  }

  /** What was found last in a document, of whatever version of it. */
  latest(uri: string): AnalysedDocument | undefined {
    return this.analysed.get(uri);
  }

  /** A document was opened or changed: all that are read with it are analysed once nothing more is typed. */
  changed(document: OpenDocument): void {
    this.settings.refreshMains(!this.analysed.has(document.uri));
    this.schedule(this.keyOf(document), this.analysed.has(document.uri) ? PAUSE_MS : 0);
  }

  /** Files on the disk or settings have changed. */
  allChanged(): void {
    this.settings.refresh();
    this.settings.refreshMains(true);
    for (const key of new Set(this.documents.all().map((document) => this.keyOf(document))))
      this.schedule(key, PAUSE_MS);
  }

  closed(document: Pick<OpenDocument, "uri" | "place">): void {
    this.analysed.delete(document.uri);
    this.publish({ uri: document.uri, diagnostics: [] });
    this.schedule(this.keyOf(document), PAUSE_MS);
  }

  /**
   * Who gets in at a line. Where that takes longer than anybody waits it is worked on all the same, for the next time that
   * it is asked.
   */
  async whoGetsIn(document: OpenDocument, offset: number): Promise<WhoIsTold | "not yet" | undefined> {
    const { uri } = document;
    const question = `${offset} ${uri}`;
    const known = this.asked.get(question);
    if (known) return Promise.race([known, after(WHO_MS, "not yet" as const)]);
    const key = this.keyOf(document);
    const job = { kind: "who", snapshot: this.snapshotOf(key), uri, offset } as const;
    const answer = this.asking.ask(job, key).then((come) => (come?.kind === "who" ? come.told : undefined));
    this.asked.set(question, answer);
    return Promise.race([answer, after(WHO_MS, "not yet" as const)]);
  }

  private schedule(key: string, pause: number): void {
    clearTimeout(this.timers.get(key));
    this.asked.clear();
    this.asking.giveUp(key);
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
    this.proving.giveUp(key);
    const first = await this.quick.ask({ kind: "findings", isProved: false, snapshot }, key);
    if (first?.kind !== "findings") return;
    if (!first.asksForProof) {
      this.take(first);
      return;
    }
    const proved = this.proving.ask({ kind: "findings", isProved: true, snapshot }, key);
    if ((await Promise.race([proved, after(PROOFS_MS, "not yet" as const)])) === "not yet") this.take(first);
    this.take(await proved);
  }

  private take(answer: Answer | undefined): void {
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

  private snapshotOf(key: string): Snapshot {
    return snapshotOf(
      this.documents.all().filter((document) => this.keyOf(document) === key),
      this.settings,
    );
  }

  private keyOf(document: Pick<OpenDocument, "uri" | "place">): string {
    return keyOf(document, this.settings);
  }
}

function after<T>(milliseconds: number, value: T): Promise<T> {
  return new Promise((done) => {
    setTimeout(() => done(value), milliseconds).unref();
  });
}
