/** The container of a project, as its holder sees it: a disk that lives and dies with it, and a workspace server. */
export interface Container {
  readonly isRunning: boolean;
  /** Start it unless it runs, and wait until the workspace server answers. Rejects after a bounded time. */
  start(): Promise<void>;
  /** Tells one disk from every other. */
  diskId(): Promise<string>;
  /** Ask the workspace server. Rejects where nobody answers; starts nothing. */
  fetch(request: Request): Promise<Response>;
  /** End it, and its disk with it. Safe to repeat. */
  end(): Promise<void>;
}
