/** Running work, by ids under which it can be ended. */
export class Running {
  readonly #controllers = new Map<string, AbortController>();

  /** Runs `act`, which must end early when its signal aborts. */
  async run<T>(id: string, act: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    this.#controllers.set(id, controller);
    try {
      return await act(controller.signal);
    } finally {
      this.#controllers.delete(id);
    }
  }

  /** Ends the work of an id; ignores work that has ended. */
  end(id: string): void {
    this.#controllers.get(id)?.abort();
  }

  endAll(): void {
    for (const controller of this.#controllers.values()) controller.abort();
  }
}
