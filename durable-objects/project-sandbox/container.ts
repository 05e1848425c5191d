/** The container of a project for its holder: a disk that exists as long as the container, and a workspace server. */
export interface Container {
  readonly isRunning: boolean;
  /**
   * Starts the container unless it runs, and waits until the workspace server responds. Rejects after a bounded time.
   */
  start(): Promise<void>;
  /** Returns the id of the container's disk. */
  diskId(): Promise<string>;
  /** Sends a request to the workspace server. Rejects when the server does not respond; does not start it. */
  fetch(request: Request): Promise<Response>;
  /** Ends the container and deletes its disk. Idempotent. */
  end(): Promise<void>;
}
