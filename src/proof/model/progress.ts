/** The progress of an exploration of all requests. */
export interface ExplorationProgress {
  /** Number of hosts explored. */
  readonly hosts: number;
  readonly allHosts: number;
  /** Number of path classes explored at the current host. */
  readonly classes: number;
  /** Number of all its path classes; 0 until they are known. */
  readonly allClasses: number;
}

/** Receives the progress at the start of an exploration, and after each host and path class. */
export type ProgressListener = (progress: ExplorationProgress) => void;
